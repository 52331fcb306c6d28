/* SPDX-License-Identifier: BSD-3-Clause */
// plugin/personality/package_open.c: which files are packages at all, and what becomes of those
// that cannot be read.
#include <unistd.h>

#include "personality/package_open.h"
#include "small_package.h"
#include "unit.h"

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
