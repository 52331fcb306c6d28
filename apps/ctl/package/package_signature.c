/* SPDX-License-Identifier: BSD-3-Clause */
// Is a package as its maker signed it: the answer in words and in JSON.
#include <errno.h>
#include <string.h>

#include "package_info.h"

#define DIGEST_TEXT_SIZE (2 * 32 + 1)

enum seal package_seal(const struct ddp_package *package, struct e810_integrity *integrity,
		       struct ddp_diag *diag) {
	int ret;

	memset(integrity, 0, sizeof(*integrity));
	if (package->kind != DDP_PACKAGE_E810)
		return SEAL_NONE;
	ret = e810_integrity_check(package, integrity, diag);
	if (ret == -ENOMEM)
		no_memory_exit();
	if (ret < 0)
		return ret == -ENOTSUP ? SEAL_UNKNOWN : SEAL_ALTERED;
	if (!integrity->has_manifest)
		return SEAL_NONE;
	return integrity->is_intel_key ? SEAL_INTACT : SEAL_OTHER;
}

static const char *hex(const uint8_t bytes[32], char text[DIGEST_TEXT_SIZE]) {
	for (unsigned int i = 0; i < 32; i++)
		snprintf(text + 2 * (size_t)i, 3, "%02x", bytes[i]);
	return text;
}

static const char *date(uint32_t value, char text[16]) {
	snprintf(text, 16, "%04u-%02u-%02u", value >> 16, value >> 8 & 0xff, value & 0xff);
	return text;
}

void package_seal_write(FILE *to, enum seal seal, const struct e810_integrity *integrity) {
	char key[DIGEST_TEXT_SIZE], day[16];

	switch (seal) {
	case SEAL_NONE:
		fputs("not signed", to);
		break;
	case SEAL_UNKNOWN:
		fputs("signed in a way that cannot be checked", to);
		break;
	case SEAL_ALTERED:
		fputs("altered after it was signed", to);
		break;
	case SEAL_INTACT:
	case SEAL_OTHER:
		fprintf(to, "intact, signed %s with key %.16s (%s)", date(integrity->date, day),
			hex(integrity->key_sha256, key),
			seal == SEAL_INTACT ? "Intel's" : "not Intel's");
		break;
	}
}

void package_seal_json(struct emit *emit, enum seal seal, const struct e810_integrity *integrity) {
	char key[DIGEST_TEXT_SIZE], day[16];

	emit_key_bool(emit, "signed", seal != SEAL_NONE);
	emit_key(emit, "intact");
	if (seal == SEAL_NONE || seal == SEAL_UNKNOWN)
		emit_null(emit);
	else
		emit_bool(emit, seal != SEAL_ALTERED);
	emit_key_text(emit, "signed_on", integrity->date != 0 ? date(integrity->date, day) : NULL);
	emit_key_text(emit, "key", integrity->date != 0 ? hex(integrity->key_sha256, key) : NULL);
	emit_key_bool(emit, "intel_key", integrity->is_intel_key);
	emit_key_uint(emit, "hashed_buffers", integrity->n_hashed);
	emit_key_uint(emit, "altered_buffers", integrity->n_altered);
}

void package_identity_json(struct emit *emit, const struct ddp_package *package) {
	const struct ddp_version *version = &package->version;
	char text[16];

	snprintf(text, sizeof(text), "%u.%u.%u.%u", version->major, version->minor, version->update,
		 version->draft);
	emit_key_text(emit, "kind", package->kind == DDP_PACKAGE_E810 ? "e810" : "i40e");
	emit_key_text(emit, "name", package->name);
	emit_key_text(emit, "version", text);
	emit_key(emit, "track_id");
	snprintf(text, sizeof(text), "0x%08x", package->track_id);
	emit_text(emit, text);
}
