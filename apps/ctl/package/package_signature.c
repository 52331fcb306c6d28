/* SPDX-License-Identifier: BSD-3-Clause */
// Is a package as its maker signed it: the answer in words and in JSON.
#include <errno.h>
#include <string.h>

#include "package_info.h"

#define DIGEST_TEXT_SIZE (2 * 32 + 1)

enum package_signature package_signature_read(const struct ddp_package *package,
					      struct e810_integrity *integrity,
					      struct ddp_diag *diag) {
	int ret;

	memset(integrity, 0, sizeof(*integrity));
	if (package->kind != DDP_PACKAGE_E810)
		return SIGNATURE_NONE;
	ret = e810_integrity_check(package, integrity, diag);
	if (ret == -ENOMEM)
		no_memory_exit();
	if (ret < 0)
		return ret == -ENOTSUP ? SIGNATURE_UNKNOWN : SIGNATURE_ALTERED;
	if (!integrity->has_manifest)
		return SIGNATURE_NONE;
	return integrity->is_intel_key ? SIGNATURE_INTACT : SIGNATURE_OTHER;
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

void package_signature_write(FILE *to, enum package_signature signature,
			     const struct e810_integrity *integrity) {
	char key[DIGEST_TEXT_SIZE], day[16];

	switch (signature) {
	case SIGNATURE_NONE:
		fputs("not signed", to);
		break;
	case SIGNATURE_UNKNOWN:
		fputs("signed in a way that cannot be checked", to);
		break;
	case SIGNATURE_ALTERED:
		fputs("altered after it was signed", to);
		break;
	case SIGNATURE_INTACT:
	case SIGNATURE_OTHER:
		fprintf(to, "intact, signed %s with key %.16s (%s)", date(integrity->date, day),
			hex(integrity->key_sha256, key),
			signature == SIGNATURE_INTACT ? "Intel's" : "not Intel's");
		break;
	}
}

void package_signature_json(struct json_writer *json, enum package_signature signature,
			    const struct e810_integrity *integrity) {
	char key[DIGEST_TEXT_SIZE], day[16];

	jsonw_key_bool(json, "signed", signature != SIGNATURE_NONE);
	jsonw_key(json, "intact");
	if (signature == SIGNATURE_NONE || signature == SIGNATURE_UNKNOWN)
		jsonw_null(json);
	else
		jsonw_bool(json, signature != SIGNATURE_ALTERED);
	jsonw_write(json, "signed_on:%s key:%s intel_key:%d hashed_buffers:%u altered_buffers:%u",
		    jsonw_if(integrity->date != 0, date(integrity->date, day)),
		    jsonw_if(integrity->date != 0, hex(integrity->key_sha256, key)),
		    integrity->is_intel_key, integrity->n_hashed, integrity->n_altered);
}

void package_identity_json(struct json_writer *json, const struct ddp_package *package) {
	char text[16];

	snprintf(text, sizeof(text), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
	jsonw_write(json, "kind:%s name:%s version:%s track_id:%08x",
		    package->kind == DDP_PACKAGE_E810 ? "e810" : "i40e", package->name, text,
		    package->track_id);
}
