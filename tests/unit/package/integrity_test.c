/* SPDX-License-Identifier: BSD-3-Clause */
// plugin/e810/e810_integrity.c: one bit changed anywhere in the chain is found, and told where.
#include <errno.h>

#include "e810/e810.h"
#include "personality/package_open.h"
#include "small_package.h"
#include "unit.h"

// Where a package is damaged: in a buffer, or at a byte of the manifest.
struct row {
	const char *name; // of the test
	unsigned int buffer;
	unsigned int offset;
	const char *text; // of the first message
	int ret;
};

#define MANIFEST 12 // in buffer 0
#define LIST 12     // in buffer 1

static const struct row rows[] = {
	{"the_date_was_altered", 0, MANIFEST + 20,
	 "the signature does not fit: the manifest (section 2) was altered", -EBADMSG},
	{"the_manifest_s_end_was_altered", 0, MANIFEST + 799,
	 "the signature does not fit: the manifest (section 2) was altered", -EBADMSG},
	{"the_key_was_altered", 0, MANIFEST + 200,
	 "the signature does not fit: the manifest (section 2) was altered", -EBADMSG},
	{"the_signature_was_altered", 0, MANIFEST + 388,
	 "the signature does not fit: the manifest (section 2) was altered", -EBADMSG},
	{"the_manifest_s_type_was_altered", 0, MANIFEST,
	 "the manifest's module type is 0x7, not 0x6", -EBADMSG},
	{"a_digest_was_altered", 1, LIST + 4 + 32,
	 "the hash list (buffers 1 and 2) was altered: its digest is not that of the manifest",
	 -EBADMSG},
	{"the_unused_end_of_the_list_was_altered", 2, 4095,
	 "the hash list (buffers 1 and 2) was altered: its digest is not that of the manifest",
	 -EBADMSG},
	{"a_buffer_was_altered", 4, 100,
	 "buffer 4 was altered: its digest is not that of the hash list", -EBADMSG},
	{"the_unused_end_of_a_buffer_was_altered", 3, 4095,
	 "buffer 3 was altered: its digest is not that of the hash list", -EBADMSG},
};

// Buffers 0 to 2 are the chain's, 3 and 4 tables, 5 labels.
static struct build *sample_build(void) {
	static const uint8_t entries[204];
	struct build *build = build_create();

	build_sign(build);
	build_table(build, E810_IMEM, 3, entries, 48, 2);
	build_buffer(build);
	build_section(build, E810_RSS_KEY_BUILDER, entries, 204);
	build_buffer(build);
	build_label(build, E810_LABELS_PTYPE, 24, "MAC_IPV4_UDP_PAY");
	return build;
}

struct result {
	struct e810_integrity integrity;
	struct ddp_diag diag;
	int ret;
};

// Check what build made, freeing the diag of the reader; the result's is the caller's.
static void sample_check(const uint8_t *bytes, size_t size, struct result *result) {
	struct ddp_package *package;

	ddp_diag_init(&result->diag);
	package = ddp_package_read("t.pkg", bytes, size, &result->diag);
	assert_non_null(package);
	assert_int_equal(result->diag.n_kept, 0);
	result->ret = e810_integrity_check(package, &result->integrity, &result->diag);
	ddp_package_close(package);
}

static void damage_is_found(void **state) {
	const struct row *row = *state;
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	bytes[build_buffer_at(build, row->buffer) + row->offset] ^= 1;
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, row->ret);
	assert_true(result.diag.n_errors > 0);
	assert_non_null(strstr(result.diag.messages[0], row->text));
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

static void an_intact_package_of_another_key_is_told_so(void **state) {
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, 0);
	assert_true(result.integrity.has_manifest);
	assert_true(result.integrity.signature_good);
	assert_true(result.integrity.hash_list_good);
	assert_false(result.integrity.is_intel_key);
	assert_int_equal(result.integrity.n_hashed, 2);
	assert_int_equal(result.integrity.n_altered, 0);
	assert_int_equal(result.integrity.date, 2022 << 16 | 5 << 8 | 12);
	assert_int_equal(result.diag.n_errors, 0);
	assert_int_equal(result.diag.n_warnings, 1);
	assert_non_null(strstr(result.diag.messages[0],
			       "intact, but not signed with the key of Intel's public packages"));
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

// Nothing that a NIC gets.
static void altered_labels_are_not_looked_at(void **state) {
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	bytes[build_buffer_at(build, 5) + 20] ^= 1;
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, 0);
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

static void each_altered_buffer_is_counted(void **state) {
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	bytes[build_buffer_at(build, 3) + 4000] ^= 1;
	bytes[build_buffer_at(build, 4) + 4000] ^= 1;
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, -EBADMSG);
	assert_true(result.integrity.signature_good);
	assert_true(result.integrity.hash_list_good);
	assert_int_equal(result.integrity.n_altered, 2);
	assert_int_equal(result.integrity.first_altered, 3);
	assert_int_equal(result.diag.n_errors, 2);
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

static void a_package_without_manifest_is_not_signed(void **state) {
	struct build *build = build_create();
	struct result result;
	size_t size;
	const uint8_t *bytes;

	(void)state;
	build_section(build, 99, "x", 1);
	bytes = build_end(build, &size);
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, 0);
	assert_false(result.integrity.has_manifest);
	assert_int_equal(result.diag.n_kept, 0);
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

// Somebody appends a buffer that the list, which is intact, says nothing of.
static void a_buffer_outside_the_hash_list_is_found(void **state) {
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	// The labels' buffer becomes one for the NIC.
	put32(bytes + build_buffer_at(build, 5) + 4, 99);
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, -EBADMSG);
	assert_non_null(strstr(result.diag.messages[0],
			       "buffers 5 to 5 are not in the hash list: no one vouches for them"));
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

// Its bytes are in no digest.
static void a_section_beside_the_manifest_is_found(void **state) {
	struct build *build = build_create();
	struct result result;
	uint8_t *bytes;
	size_t size;

	(void)state;
	build_section(build, 3, "beside", 6);
	build_sign(build);
	bytes = build_end(build, &size);
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, -EBADMSG);
	assert_true(result.integrity.signature_good);
	assert_non_null(strstr(result.diag.messages[0],
			       "the manifest is not alone in buffer 0: no one vouches for what is "
			       "there"));
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

static void a_longer_key_cannot_be_checked(void **state) {
	struct build *build = sample_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	put32(bytes + build_buffer_at(build, 0) + MANIFEST + 28, 0x60);
	put32(bytes + build_buffer_at(build, 0) + MANIFEST + 32, 0x60);
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, -ENOTSUP);
	assert_int_equal(result.diag.n_errors, 0);
	assert_non_null(strstr(result.diag.messages[0], "such signatures cannot be checked"));
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

// As sample_build(), but that the digests are of all buffers up to the package's end.
static struct build *hashed_build(void) {
	static const uint8_t entries[204];
	struct build *build = build_create();

	build_sign(build);
	build_table(build, E810_IMEM, 3, entries, 48, 2);
	build_buffer(build);
	build_section(build, E810_RSS_KEY_BUILDER, entries, 204);
	return build;
}

static void the_last_buffer_may_be_in_the_hash_list(void **state) {
	struct build *build = hashed_build();
	struct result result;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	(void)state;
	sample_check(bytes, size, &result);
	assert_int_equal(result.ret, 0);
	assert_int_equal(result.integrity.n_hashed, 2);
	ddp_diag_fini(&result.diag);
	build_destroy(build);
}

// Of buffers that are not there: what lies behind the package must not be read.
static void digests_of_more_buffers_than_there_are_are_refused(void **state) {
	(void)state;
	for (unsigned int list = 1; list <= 2; list++) {
		struct build *build = hashed_build();
		struct result result;
		char expected[120];
		size_t size;
		uint8_t *built = build_end(build, &size), *bytes = malloc(size);

		memcpy(bytes, built, size);
		put32(bytes + build_buffer_at(build, list) + LIST, list == 1 ? 3 : 1);
		if (list == 2) { // which has room for none, else
			put16(bytes + build_buffer_at(build, list) + 2, LIST + 36);
			put16(bytes + build_buffer_at(build, list) + 10, 36);
		}
		sample_check(bytes, size, &result);
		assert_int_equal(result.ret, -EBADMSG);
		snprintf(
			expected, sizeof(expected),
			"the hash list has digests of %u buffers from buffer %u on, but there are 5",
			list == 1 ? 3 : 1, list == 1 ? 3 : 5);
		assert_non_null(strstr(result.diag.messages[result.diag.n_kept - 1], expected));
		assert_int_equal(result.integrity.n_altered, 0);
		ddp_diag_fini(&result.diag);
		build_destroy(build);
		free(bytes);
	}
}

// The section's size has room for so many digests as it says, and for no byte less.
static void a_list_that_is_cut_is_none(void **state) {
	(void)state;
	for (unsigned int cut = 0; cut < 2; cut++) {
		struct build *build = hashed_build();
		struct result result;
		size_t size;
		uint8_t *bytes = build_end(build, &size);

		put16(bytes + build_buffer_at(build, 1) + 10, 4 + 2 * 32 - cut);
		sample_check(bytes, size, &result);
		assert_int_equal(result.ret, -EBADMSG); // it was altered, whatever its size
		assert_int_equal(result.integrity.n_hashed, cut ? 0 : 2);
		assert_int_equal(strstr(result.diag.messages[result.diag.n_kept - 1],
					"buffer 1 holds no hash list") != NULL,
				 cut);
		ddp_diag_fini(&result.diag);
		build_destroy(build);
	}
}

// Devices that go by the signature segment get the chain's beginning from there.
static void the_signature_segment_repeats_the_first_buffers(void **state) {
	static uint8_t payload[68 + 3 * 4096];

	(void)state;
	for (unsigned int damaged = 0; damaged < 2; damaged++) {
		struct build *build = sample_build();
		struct result result;
		uint8_t *bytes, *copy;
		size_t size;

		put32(payload + 8, 1);
		put32(payload + 64, 3);
		// As good as any buffer, until the true ones are there to be copied.
		for (unsigned int i = 0; i < 3; i++)
			memcpy(payload + 68 + 4096 * i, "\1\0\15\0\1\0\0\0\14\0\1\0", 12);
		build_segment(build, 0x1001, "Signature Segment", payload, sizeof(payload));
		bytes = build_end(build, &size);
		copy = bytes + size - 3 * 4096;
		memcpy(copy, bytes + build_buffer_at(build, 0), 3 * 4096);
		copy[4095] ^= damaged;
		sample_check(bytes, size, &result);
		assert_int_equal(result.ret, damaged ? -EBADMSG : 0);
		if (damaged)
			assert_non_null(strstr(result.diag.messages[0],
					       "the signature segment's buffers are not those of "
					       "the configuration"));
		ddp_diag_fini(&result.diag);
		build_destroy(build);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_intact_package_of_another_key_is_told_so),
		cmocka_unit_test(altered_labels_are_not_looked_at),
		cmocka_unit_test(each_altered_buffer_is_counted),
		cmocka_unit_test(a_package_without_manifest_is_not_signed),
		cmocka_unit_test(a_buffer_outside_the_hash_list_is_found),
		cmocka_unit_test(a_section_beside_the_manifest_is_found),
		cmocka_unit_test(a_longer_key_cannot_be_checked),
		cmocka_unit_test(the_last_buffer_may_be_in_the_hash_list),
		cmocka_unit_test(digests_of_more_buffers_than_there_are_are_refused),
		cmocka_unit_test(a_list_that_is_cut_is_none),
		cmocka_unit_test(the_signature_segment_repeats_the_first_buffers),
	};

	return rows_run("damage", damage_is_found, rows) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
