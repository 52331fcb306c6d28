/* SPDX-License-Identifier: BSD-3-Clause */
// Is a package what its maker signed? A manifest (in Intel's CSS form) is signed; it holds a digest
// of the two buffers behind it, the hash list; that holds a digest of each further buffer up to the
// metadata. Digests are stored back to front, the integers of the key little endian.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

// The digest that needs no memory: EVP_Digest() of OpenSSL 3.0 crashes without.
#define OPENSSL_API_COMPAT 0x10100000L
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/sha.h>

#include "e810_layout.h"

#define DIGEST_SIZE 32
#define MANIFEST_SIZE 800
#define MODULUS_SIZE 256
#define SIGNATURE_SIZE 256
#define LIST_BUFFERS 2 // buffers of the hash list

enum manifest_offset {
	MANIFEST_DATE = 20,
	MANIFEST_MODULUS = 128,
	MANIFEST_EXPONENT = 384,
	MANIFEST_SIGNATURE = 388,
	MANIFEST_TAIL = 644,
	MANIFEST_LIST_DIGEST = MANIFEST_TAIL + 16,
};

// What the first words of a manifest with an RSA key of 2048 bits say.
static const struct {
	uint8_t offset;
	uint32_t value;
	const char *name;
} manifest_words[] = {
	{0, 6, "module type"},    {4, 0xa1, "header length"}, {8, 0x10000, "header version"},
	{24, 0xc8, "size"},       {28, 0x40, "key size"},     {32, 0x40, "modulus size"},
	{36, 1, "exponent size"},
};

// SHA-256 of the modulus bytes in the public packages.
static const uint8_t intel_key[DIGEST_SIZE] = {
	0x1a, 0xc8, 0x8c, 0xc3, 0xff, 0x46, 0x3f, 0xba, 0x06, 0x22, 0x9e,
	0x27, 0x4d, 0xb5, 0xd1, 0x7e, 0x85, 0xa0, 0xc0, 0x77, 0x31, 0xf8,
	0x55, 0x42, 0x81, 0x6c, 0x39, 0x30, 0x09, 0x3b, 0xbe, 0x48,
};

struct checking {
	const struct ddp_package *package;
	struct e810_integrity *integrity;
	struct ddp_diag *diag;
	const struct e810_part *part; // the manifest
	const uint8_t *manifest;
};

#define TOLD_MAX 10 // altered buffers

static struct ddp_place place_at(const struct checking *checking, uint64_t offset) {
	return (struct ddp_place){checking->package->path, offset, DDP_PLACE_BYTE};
}

static struct ddp_place buffer_place(const struct checking *checking, unsigned int index) {
	return place_at(checking, e810_buffer(checking->package, index) - checking->package->bytes);
}

static void reversed(uint8_t *to, const uint8_t *from, size_t size) {
	for (size_t i = 0; i < size; i++)
		to[i] = from[size - 1 - i];
}

static void digest_make(const void *data, size_t size, uint8_t digest[DIGEST_SIZE]) {
	SHA256_CTX ctx;

	SHA256_Init(&ctx);
	SHA256_Update(&ctx, data, size);
	SHA256_Final(digest, &ctx);
}

// Whether the digest of data is the one stored.
static bool digest_fits(const void *data, size_t size, const uint8_t *stored) {
	uint8_t digest[DIGEST_SIZE], wanted[DIGEST_SIZE];

	reversed(wanted, stored, DIGEST_SIZE);
	digest_make(data, size, digest);
	return memcmp(digest, wanted, DIGEST_SIZE) == 0;
}

// What the key makes of a signature. 0, -EBADMSG where no such key could have made it, -ENOMEM.
static int signature_open(const uint8_t *manifest, uint8_t opened[SIGNATURE_SIZE]) {
	BIGNUM *n = BN_lebin2bn(manifest + MANIFEST_MODULUS, MODULUS_SIZE, NULL);
	BIGNUM *e = BN_lebin2bn(manifest + MANIFEST_EXPONENT, 4, NULL);
	BIGNUM *s = BN_lebin2bn(manifest + MANIFEST_SIGNATURE, SIGNATURE_SIZE, NULL);
	BIGNUM *power = BN_new();
	BN_CTX *ctx = BN_CTX_new();
	int ret = -ENOMEM;

	if (n != NULL && e != NULL && s != NULL && power != NULL && ctx != NULL) {
		if (!BN_is_odd(n) || BN_ucmp(s, n) >= 0)
			ret = -EBADMSG;
		else if (BN_mod_exp(power, s, e, n, ctx) &&
			 BN_bn2binpad(power, opened, SIGNATURE_SIZE) == SIGNATURE_SIZE)
			ret = 0;
	}
	BN_CTX_free(ctx);
	BN_free(power);
	BN_free(s);
	BN_free(e);
	BN_free(n);
	ERR_clear_error();
	return ret;
}

// PKCS #1 v1.5 (RFC 8017, 9.2): 00 01 ff ... ff 00, what kind of digest follows, the digest.
static void signature_expect(const uint8_t *data, size_t size, uint8_t expected[SIGNATURE_SIZE]) {
	static const uint8_t sha256[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
					 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
	uint8_t *digest = expected + SIGNATURE_SIZE - DIGEST_SIZE, *kind = digest - sizeof(sha256);

	memset(expected, 0xff, SIGNATURE_SIZE);
	expected[0] = 0;
	expected[1] = 1;
	kind[-1] = 0;
	memcpy(kind, sha256, sizeof(sha256));
	digest_make(data, size, digest);
}

// All but key and signature is signed. 0, -EBADMSG, -ENOMEM.
static int signature_fits(const uint8_t *manifest) {
	uint8_t data[MANIFEST_MODULUS + MANIFEST_SIZE - MANIFEST_TAIL];
	uint8_t opened[SIGNATURE_SIZE], expected[SIGNATURE_SIZE];
	int ret = signature_open(manifest, opened);

	if (ret < 0)
		return ret;
	memcpy(data, manifest, MANIFEST_MODULUS);
	memcpy(data + MANIFEST_MODULUS, manifest + MANIFEST_TAIL, MANIFEST_SIZE - MANIFEST_TAIL);
	signature_expect(data, sizeof(data), expected);
	return memcmp(opened, expected, SIGNATURE_SIZE) == 0 ? 0 : -EBADMSG;
}

static int signature_check(struct checking *checking) {
	struct e810_integrity *integrity = checking->integrity;
	struct ddp_place place = place_at(checking, checking->part->offset);
	int ret = signature_fits(checking->manifest);

	if (ret == -ENOMEM)
		return ddp_no_memory(checking->diag);
	integrity->date = le32_get(checking->manifest + MANIFEST_DATE);
	digest_make(checking->manifest + MANIFEST_MODULUS, MODULUS_SIZE, integrity->key_sha256);
	integrity->is_intel_key = memcmp(integrity->key_sha256, intel_key, DIGEST_SIZE) == 0;
	integrity->signature_good = ret == 0;
	if (!integrity->signature_good)
		ddp_error(checking->diag, &place,
			  "the signature does not fit: the manifest (section 2) was altered");
	return 0;
}

// Whether a buffer of the hash list holds what its section says; *count is how many digests.
static const struct e810_part *list_part(const struct checking *checking, unsigned int buffer,
					 uint32_t *count) {
	unsigned int n;
	const struct e810_part *parts = e810_parts(checking->package, &n);

	for (unsigned int i = 0; i < n; i++) {
		if (parts[i].buffer != buffer || parts[i].id != E810_HASHES || parts[i].size < 4)
			continue;
		*count = le32_get(checking->package->bytes + parts[i].offset);
		return *count <= (parts[i].size - 4u) / DIGEST_SIZE ? &parts[i] : NULL;
	}
	return NULL;
}

static void buffer_check(struct checking *checking, unsigned int index, const uint8_t *digest) {
	struct e810_integrity *integrity = checking->integrity;
	struct ddp_place place;

	if (digest_fits(e810_buffer(checking->package, index), E810_BUFFER_SIZE, digest))
		return;
	if (integrity->n_altered++ == 0)
		integrity->first_altered = index;
	place = buffer_place(checking, index);
	if (integrity->n_altered <= TOLD_MAX)
		ddp_error(checking->diag, &place,
			  "buffer %u was altered: its digest is not that of the hash list", index);
}

// The digests of one buffer of the hash list; next is the first buffer that they are of.
static int digests_check(struct checking *checking, unsigned int list, unsigned int *next) {
	struct ddp_place place = buffer_place(checking, list);
	uint32_t count = 0;
	const struct e810_part *part = list_part(checking, list, &count);

	if (part == NULL) {
		ddp_error(checking->diag, &place, "buffer %u holds no hash list (section 3)", list);
		return -EBADMSG;
	}
	if (count > e810_n_buffers(checking->package) - *next) {
		ddp_error(checking->diag, &place,
			  "the hash list has digests of %" PRIu32 " buffers from buffer %u on, "
			  "but there are %u",
			  count, *next, e810_n_buffers(checking->package));
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < count; i++)
		buffer_check(checking, (*next)++,
			     checking->package->bytes + part->offset + 4 + i * DIGEST_SIZE);
	checking->integrity->n_hashed += count;
	return 0;
}

// Nothing vouches for what stands beside the manifest or before it.
static int manifest_alone_check(struct checking *checking) {
	const struct e810_part *part = checking->part;
	struct ddp_place place = place_at(checking, part->offset);

	if (part->buffer == 0 && le16_get(e810_buffer(checking->package, 0)) == 1)
		return 0;
	ddp_error(checking->diag, &place,
		  "the manifest is not alone in buffer 0: no one vouches for what is there");
	return -EBADMSG;
}

static int list_check(struct checking *checking) {
	unsigned int list = checking->part->buffer + 1u, next = list + LIST_BUFFERS;
	struct ddp_place place;

	if (next > e810_n_buffers(checking->package)) {
		place = place_at(checking, checking->part->offset);
		ddp_error(checking->diag, &place, "no hash list follows the manifest");
		return -EBADMSG;
	}
	checking->integrity->hash_list_good =
		digest_fits(e810_buffer(checking->package, list), LIST_BUFFERS * E810_BUFFER_SIZE,
			    checking->manifest + MANIFEST_LIST_DIGEST);
	if (!checking->integrity->hash_list_good) {
		place = buffer_place(checking, list);
		ddp_error(
			checking->diag, &place,
			"the hash list (buffers %u and %u) was altered: its digest is not that of the "
			"manifest",
			list, list + 1);
	}
	for (unsigned int i = 0; i < LIST_BUFFERS; i++)
		if (digests_check(checking, list + i, &next) < 0)
			return -EBADMSG;
	if (next < e810_first_metadata_buffer(checking->package)) {
		place = buffer_place(checking, next);
		ddp_error(checking->diag, &place,
			  "buffers %u to %u are not in the hash list: no one vouches for them",
			  next, e810_first_metadata_buffer(checking->package) - 1);
		return -EBADMSG;
	}
	return 0;
}

// Signature segments repeat the first buffers, for devices that take them from there.
static int copies_check(struct checking *checking) {
	const struct ddp_package *package = checking->package;
	int ret = 0;

	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];
		const uint8_t *bytes = package->bytes + segment->offset;
		uint32_t n;

		if ((segment->type != SEGMENT_SIGNATURE &&
		     segment->type != SEGMENT_OLD_SIGNATURE) ||
		    &package->segments[le32_get(bytes + 52)] != package->e810->segment)
			continue;
		n = le32_get(bytes + 108);
		if (n <= package->e810->n_buffers &&
		    memcmp(bytes + 112, e810_buffer(package, 0), n * E810_BUFFER_SIZE) == 0)
			continue;
		struct ddp_place place = place_at(checking, segment->offset + 112);

		ddp_error(checking->diag, &place,
			  "the signature segment's buffers are not those of the configuration");
		ret = -EBADMSG;
	}
	return ret;
}

// 0, -ENOTSUP for a key of 3072 bits, -EBADMSG for what is no manifest.
static int manifest_check(struct checking *checking) {
	const struct e810_part *part = checking->part;
	struct ddp_place place = place_at(checking, part->offset);

	if (part->size >= 36 && le32_get(checking->manifest + 28) == 0x60 &&
	    le32_get(checking->manifest + 32) == 0x60) {
		ddp_warn(checking->diag, &place,
			 "signed with a key of 3072 bits: such signatures cannot be checked");
		return -ENOTSUP;
	}
	if (part->size < MANIFEST_SIZE) {
		ddp_error(checking->diag, &place, "a manifest of %u bytes, not %u", part->size,
			  MANIFEST_SIZE);
		return -EBADMSG;
	}
	for (unsigned int i = 0; i < sizeof(manifest_words) / sizeof(manifest_words[0]); i++) {
		uint32_t value = le32_get(checking->manifest + manifest_words[i].offset);

		if (value == manifest_words[i].value)
			continue;
		place = place_at(checking, part->offset + manifest_words[i].offset);
		ddp_error(checking->diag, &place,
			  "the manifest's %s is 0x%" PRIx32 ", not 0x%" PRIx32,
			  manifest_words[i].name, value, manifest_words[i].value);
		return -EBADMSG;
	}
	return 0;
}

static const struct e810_part *manifest_find(const struct ddp_package *package) {
	unsigned int n;
	const struct e810_part *parts = e810_parts(package, &n);

	for (unsigned int i = 0; i < n; i++)
		if (parts[i].id == E810_MANIFEST)
			return &parts[i];
	return NULL;
}

int e810_integrity_check(const struct ddp_package *package, struct e810_integrity *integrity,
			 struct ddp_diag *diag) {
	struct checking checking = {.package = package, .integrity = integrity, .diag = diag};
	int ret, list, alone;

	memset(integrity, 0, sizeof(*integrity));
	checking.part = manifest_find(package);
	if (checking.part == NULL)
		return 0;
	integrity->has_manifest = true;
	checking.manifest = package->bytes + checking.part->offset;
	ret = manifest_check(&checking);
	if (ret == 0)
		ret = signature_check(&checking);
	if (ret < 0)
		return ret;
	alone = manifest_alone_check(&checking);
	list = list_check(&checking);
	ret = copies_check(&checking);
	if (alone < 0 || list < 0 || ret < 0 || !integrity->signature_good ||
	    !integrity->hash_list_good || integrity->n_altered > 0)
		return -EBADMSG;
	if (!integrity->is_intel_key) {
		struct ddp_place place = place_at(&checking, checking.part->offset);

		ddp_warn(diag, &place,
			 "intact, but not signed with the key of Intel's public packages");
	}
	return 0;
}
