/* SPDX-License-Identifier: BSD-3-Clause */
// Packages that a test makes: whole, and with one number changed.
#ifndef PACKAGE_DAMAGE_H
#define PACKAGE_DAMAGE_H

#include <limits.h>

#include "personality/personality.h"
#include "small_package.h"
#include "unit.h"

static inline void build_free(void *build) {
	build_destroy(build);
}

static inline void package_free(void *package) {
	ddp_package_close(package);
}

// A package to be, until the test has ended.
static inline struct build *build_new(void) {
	struct build *build = build_create();

	after_test(build_free, build);
	return build;
}

// Read a package, until the test has ended. NULL: it is refused.
static inline struct ddp_package *bytes_read(const uint8_t *bytes, size_t size,
					     struct ddp_diag *diag) {
	struct ddp_package *package = ddp_package_read("t.pkg", bytes, size, diag);

	assert_int_equal(package != NULL, diag->n_errors == 0);
	if (package != NULL)
		after_test(package_free, package);
	return package;
}

static inline struct ddp_package *build_read(struct build *build, struct ddp_diag *diag) {
	size_t size;
	const uint8_t *bytes = build_end(build, &size);

	return bytes_read(bytes, size, diag);
}

#define NO_ERROR INT_MIN

struct damage {
	const char *text; // the first message, without "error: "; and the test's name
	size_t offset;
	unsigned int width; // bytes of the number; 0 changes nothing
	uint32_t value;
	int at; // the byte that the message names, from offset on; or NO_ERROR
};

// The first message is the row's, and whether the package is refused fits it.
static inline void damage_check(const struct damage *row, uint8_t *bytes, size_t size) {
	bool is_warning = strncmp(row->text, "warning", 7) == 0;
	struct ddp_diag *diag = diag_new();
	struct ddp_package *package;
	char expected[512] = "";

	for (unsigned int i = 0; i < row->width; i++)
		bytes[row->offset + i] = row->value >> 8 * i;
	package = bytes_read(bytes, size, diag);
	if (row->at != NO_ERROR)
		snprintf(expected, sizeof(expected), "t.pkg:0x%zx: %s%s", row->offset + row->at,
			 is_warning ? "" : "error: ", row->text);
	assert_string_equal(diag->n_kept > 0 ? diag->messages[0].s : "", expected);
	assert_int_equal(package != NULL, row->at == NO_ERROR || is_warning);
}

#endif
