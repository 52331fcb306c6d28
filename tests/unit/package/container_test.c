/* SPDX-License-Identifier: BSD-3-Clause */
// plugin/package/container.c: a package header or segment that lies about itself is refused, at its
// byte.
#include <unistd.h>

#include "damage.h"

#define CONFIG (8 + 4 * 4 + 84) // behind the file's header and the metadata

static struct build *sample_build(void) {
	struct build *build = build_new();

	build_segment(build, 0x2, "Notes", "text", 4);
	build_segment(build, 0x4711, "Unheard of", "", 0);
	return build;
}

static const struct damage rows[] = {
	{"a good package is silent", .at = NO_ERROR},
	{"an unknown segment is skipped", CONFIG + 56 + 4096 + 48, 4, 0xffff, NO_ERROR},
	{"0 segments: 1 to 256 are possible", 4, 4, 0},
	{"4294967295 segments: 1 to 256 are possible", 4, 4, 0xffffffff},
	{"no segment holds the configuration of an 800- or 700-series NIC", 4, 4, 1},
	{"segment 1 at 0xfffffff0 does not fit a file of 4352 bytes", 12, 4, 0xfffffff0},
	{"segment 1 at 0x4 overlaps the list of segments", 12, 4, 4},
	{"segment 3 at 0x17 overlaps the list of segments", 20, 4, 23},
	{"segment 1 has 43 bytes, its header alone takes 44", CONFIG + 8, 4, 43},
	{"segment 1 of 4352 bytes does not fit a file of 4352", CONFIG + 8, 4, 4352},
	{"segment 1 of 4294967295 bytes does not fit a file of 4352", CONFIG + 8, 4, 0xffffffff},
	{"segment 2 overlaps segment 1", CONFIG + 8, 4, 4200, 4144},
	{"1701273963 devices do not fit the segment's last 4068 bytes", CONFIG, 4, 0x11, 80},
	{"format 1.1.0.0: only 1.0.0.0 is known", 1, 1, 1, -1},
};

ROWS_TEST(damage_is_told, rows) {
	size_t size;
	uint8_t *bytes = build_end(sample_build(), &size);

	damage_check(*state, bytes, size);
}

TEST(a_cut_file_is_refused_at_every_length) {
	size_t size;
	const uint8_t *bytes = build_end(sample_build(), &size);

	for (size_t cut = 0; cut < size; cut++) {
		uint8_t *copy = malloc(cut > 0 ? cut : 1);

		memcpy(copy, bytes, cut);
		assert_null(bytes_read(copy, cut, diag_new()));
		free(copy);
	}
}

TEST(names_need_no_nul) {
	struct ddp_package *package;
	size_t size;
	uint8_t *bytes = build_end(sample_build(), &size);

	memset(bytes + CONFIG + 12, 'x', 32);
	package = bytes_read(bytes, size, diag_new());
	assert_non_null(package);
	assert_int_equal(package->n_segments, 4);
	assert_int_equal(package->segments[1].type, 0x10);
	assert_string_equal(package->segments[1].name, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	assert_int_equal(package->segments[3].type, 0x4711);
	assert_int_equal(package->segments[3].size, 44);
}

// A file of random bytes has thousands of mistakes, of which nobody wants to read all.
TEST(a_file_full_of_errors_is_told_briefly) {
	struct build *build = build_new();
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
		put16(bytes + size - 4096 * (31 - i), 0);
	assert_null(bytes_read(bytes, size, diag));
	assert_int_equal(diag->n_errors, 21);
	assert_string_equal(diag->messages[20].s, "t.pkg: error: and 10 errors more");
}

// plugin/personality/personality.c: which files are packages at all, and what becomes of those
// that cannot be read.
TEST(packages_are_known_by_their_ending) {
	static const struct {
		const char *spec;
		bool is_package;
	} rows[] = {
		{"ice.pkg", true},
		{"./gtp.pkgo", true},
		{"ice.pkg:ue", true},
		{"ice.pkg;vxlan_port=4789", true},
		{"gtpu", false},
		{"gtpu.yaml;file=a.pkg", false},
		{"ice.pkg.yaml", false},
		{".pkg", false},
		{"", false},
	};

	for (unsigned int i = 0; i < COUNT(rows); i++)
		assert_int_equal(ddp_is_package(rows[i].spec), rows[i].is_package);
}

TEST(a_file_is_read_as_its_bytes_are_which_may_go_then) {
	char path[] = "/tmp/ddp-package-XXXXXX";
	struct ddp_package *package;
	size_t size;
	uint8_t *bytes = build_end(sample_build(), &size);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	package = ddp_package_open(path, diag_new());
	unlink(path);
	assert_non_null(package);
	assert_string_equal(package->path, path);
	assert_int_equal(package->size, size);
	assert_memory_equal(package->bytes, bytes, size);
	ddp_package_close(package);

	package = bytes_read(bytes, size, diag_new());
	memset(bytes, 0xff, size);
	assert_int_equal(package->bytes[0], 1);
}

TEST(what_is_too_small_or_too_large_is_no_package) {
	struct ddp_diag *diag = diag_new();

	assert_null(ddp_package_read("t.pkg", NULL, 0, diag));
	assert_false(diag->unreadable);
	assert_string_equal(ddp_diag_first(diag),
			    "t.pkg:0x0: error: 0 bytes are too few for a package");
	diag = diag_new();
	assert_null(ddp_package_read("t.pkg", "", (size_t)1 << 40, diag));
	assert_string_equal(ddp_diag_first(diag), "t.pkg: error: too large for a package");
}
