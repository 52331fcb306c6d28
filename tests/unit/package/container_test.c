/* SPDX-License-Identifier: BSD-3-Clause */
// plugin/package/container.c: a package header or segment that lies about itself is told, at its
// byte.
#include <unistd.h>

#include "damage.h"
#include "personality/package_open.h"
#include "small_package.h"
#include "unit.h"

// 0x18 metadata (84 bytes), 0x6c configuration, then notes and one of an unknown type.
static struct build *sample_build(void) {
	struct build *build = build_create();

	build_segment(build, 0x2, "Notes", "text", 4);
	build_segment(build, 0x4711, "Unheard of", "", 0);
	return build;
}

static const struct damage rows[] = {
	{"a_good_package_is_silent", .told = TOLD_NOTHING},
	{"an_unknown_segment_is_skipped", CONFIGURATION, 56 + 4096 + 48, 4, 0xffff,
	 .told = TOLD_NOTHING},
	{"no_segment", FILE_START, 4, 4, 0, 4, "0 segments: 1 to 256 are possible"},
	{"absurdly_many_segments", FILE_START, 4, 4, 0xffffffff, 4,
	 "4294967295 segments: 1 to 256 are possible"},
	{"a_segment_that_is_not_listed_is_not_there", FILE_START, 4, 4, 1, 4,
	 "no segment holds the configuration of an 800- or 700-series NIC"},
	{"a_segment_behind_the_end", FILE_START, 12, 4, 0xfffffff0, 12,
	 "segment 1 at 0xfffffff0 does not fit a file of 4352 bytes"},
	{"a_segment_before_the_header_ends", FILE_START, 12, 4, 4, 12,
	 "segment 1 at 0x4 overlaps the list of segments"},
	{"a_segment_at_the_last_byte_of_the_list", FILE_START, 20, 4, 23, 20,
	 "segment 3 at 0x17 overlaps the list of segments"},
	{"a_segment_smaller_than_its_header", CONFIGURATION, 8, 4, 43, 8,
	 "segment 1 has 43 bytes, its header alone takes 44"},
	{"a_segment_larger_than_the_file", CONFIGURATION, 8, 4, 4352, 8,
	 "segment 1 of 4352 bytes does not fit a file of 4352"},
	{"a_segment_whose_end_needs_more_than_32_bits", CONFIGURATION, 8, 4, 0xffffffff, 8,
	 "segment 1 of 4294967295 bytes does not fit a file of 4352"},
	{"segments_overlap", CONFIGURATION, 8, 4, 4200, 4152, "segment 2 overlaps segment 1"},
	{"a_segment_of_the_700_series", CONFIGURATION, 0, 4, 0x11, 80,
	 "1701273963 devices do not fit the segment's last 4068 bytes"},
	{"another_format", FILE_START, 1, 1, 1, 0, "format 1.1.0.0: only 1.0.0.0 is known"},
};

ROWS_TEST(damage_is_told, rows) {
	damage_check(*state, sample_build());
}

TEST(a_cut_file_is_refused_at_every_length) {
	struct build *build = sample_build();
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut > 0 ? cut : 1);
		struct ddp_diag *diag = diag_new();

		memcpy(copy, bytes, cut);
		assert_null(ddp_package_read("t.pkg", copy, cut, diag));
		assert_true(diag->n_errors > 0);
		free(copy);
	}
	build_destroy(build);
}

TEST(names_need_no_nul) {
	struct build *build = sample_build();
	struct ddp_package *package;
	struct ddp_diag *diag = diag_new();
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	memset(bytes + build_configuration(build) + 12, 'x', 32);
	package = ddp_package_read("t.pkg", bytes, size, diag);
	assert_non_null(package);
	assert_int_equal(package->n_segments, 4);
	assert_int_equal(package->segments[1].type, 0x10);
	assert_string_equal(package->segments[1].name, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	assert_int_equal(package->segments[3].type, 0x4711);
	assert_int_equal(package->segments[3].size, 44);
	ddp_package_close(package);
	build_destroy(build);
}

// A file of random bytes has thousands of mistakes, of which nobody wants to read all.
TEST(a_file_full_of_errors_is_told_briefly) {
	struct build *build = build_create();
	struct ddp_diag *diag = diag_new();
	size_t size;
	uint8_t *bytes;

	for (unsigned int i = 0; i < 30; i++) {
		build_section(build, 99, "x", 1);
		build_buffer(build);
	}
	build_section(build, 99, "x", 1);
	bytes = build_end(build, &size);
	for (unsigned int i = 0; i < 30; i++)
		put16(bytes + build_buffer_at(build, i), 0);
	assert_null(ddp_package_read("t.pkg", bytes, size, diag));
	assert_int_equal(diag->n_errors, 21);
	assert_string_equal(diag->messages[20].s, "t.pkg: error: and 10 errors more");
	build_destroy(build);
}

// plugin/personality/personality.c: which files are packages at all, and what becomes of those
// that cannot be read.
static struct ddp_diag diag;

static int setup(void **state) {
	ddp_diag_init(&diag);
	return 0;
}

static int teardown(void **state) {
	ddp_diag_fini(&diag);
	return 0;
}

TEST(packages_are_known_by_their_ending) {
	assert_true(ddp_is_package("ice.pkg"));
	assert_true(ddp_is_package("./gtp.pkgo"));
	assert_true(ddp_is_package("ice.pkg:ue"));
	assert_true(ddp_is_package("ice.pkg;vxlan_port=4789"));
	assert_false(ddp_is_package("gtpu"));
	assert_false(ddp_is_package("gtpu.yaml;file=a.pkg"));
	assert_false(ddp_is_package("ice.pkg.yaml"));
	assert_false(ddp_is_package(".pkg"));
	assert_false(ddp_is_package(""));
}

static const struct unreadable {
	const char *name;
	const char *path, *message;
} unreadable[] = {
	{"a_missing_file", "/nonexistent/ice.pkg", "cannot be read: No such file or directory"},
	{"a_folder", "/", "not a file"},
	{"no_file", "/dev/zero", "not a file"},
};

ROWS_TEST(a_file_is_unreadable_and_not_invalid, unreadable) {
	const struct unreadable *row = *state;
	char expected[100];

	snprintf(expected, sizeof(expected), "%s: error: %s", row->path, row->message);
	assert_null(ddp_package_open(row->path, &diag));
	assert_true(diag.unreadable);
	assert_memory_equal(ddp_diag_first(&diag), expected, strlen(expected));
}

TEST(a_file_is_read_as_its_bytes_are) {
	char path[] = "/tmp/ddp-package-XXXXXX";
	struct build *build = build_create();
	struct ddp_package *package;
	size_t size;
	uint8_t *bytes = build_end(build, &size);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	package = ddp_package_open(path, &diag);
	unlink(path);
	assert_non_null(package);
	assert_string_equal(package->path, path);
	assert_int_equal(package->size, size);
	assert_memory_equal(package->bytes, bytes, size);
	ddp_package_close(package);
	build_destroy(build);
}

TEST(the_bytes_may_go_after_reading) {
	struct build *build = build_create();
	struct ddp_package *package;
	size_t size;
	uint8_t *bytes = build_end(build, &size);

	package = ddp_package_read("t.pkg", bytes, size, &diag);
	assert_non_null(package);
	memset(bytes, 0xff, size);
	assert_int_equal(package->bytes[0], 1);
	ddp_package_close(package);
	build_destroy(build);
}

TEST(a_file_of_nothing_is_no_package) {
	assert_null(ddp_package_read("t.pkg", NULL, 0, &diag));
	assert_false(diag.unreadable);
	assert_string_equal(ddp_diag_first(&diag),
			    "t.pkg:0x0: error: 0 bytes are too few for a package");
}

TEST(a_huge_file_is_not_even_read) {
	assert_null(ddp_package_read("t.pkg", "", (size_t)1 << 40, &diag));
	assert_string_equal(ddp_diag_first(&diag), "t.pkg: error: too large for a package");
}

EACH(setup, teardown)
