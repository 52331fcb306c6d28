/* SPDX-License-Identifier: BSD-3-Clause */
// A good package of a test with one number changed, and what must be said of it: rows of
// damage_is_told().
#ifndef PACKAGE_DAMAGE_H
#define PACKAGE_DAMAGE_H

#include "personality/package_open.h"
#include "small_package.h"
#include "unit.h"

// An offset of a row counts from here.
enum damage_from {
	FILE_START,
	CONFIGURATION, // segment
	BUFFER_0,
	BUFFER_1,
};

#define TOLD_NOTHING -1
#define TOLD_CONFIGURATION -2 // the segment

struct damage {
	const char *name; // of the test
	enum damage_from from;
	size_t offset;
	unsigned int width; // bytes; 0 changes nothing
	uint32_t value;
	ssize_t told;     // offset of the byte that the message names, from the same place, or a
			  // TOLD_...
	const char *text; // "warning: ..." where the package is good
};

static size_t damage_place(const struct build *build, enum damage_from from) {
	switch (from) {
	case CONFIGURATION:
		return build_configuration(build);
	case BUFFER_0:
		return build_buffer_at(build, 0);
	case BUFFER_1:
		return build_buffer_at(build, 1);
	case FILE_START:
		break;
	}
	return 0;
}

// The first message is the row's, and whether the package is refused fits it.
static inline void damage_check(const struct damage *row, struct build *build) {
	struct ddp_package *package;
	char expected[512] = "";
	struct ddp_diag diag;
	size_t size;
	uint8_t *bytes = build_end(build, &size);
	bool is_warning = row->text != NULL && strncmp(row->text, "warning", 7) == 0;
	size_t from = damage_place(build, row->from);
	size_t told =
		row->told == TOLD_CONFIGURATION ? build_configuration(build) : from + row->told;

	for (unsigned int i = 0; i < row->width; i++)
		bytes[from + row->offset + i] = row->value >> 8 * i;
	ddp_diag_init(&diag);
	package = ddp_package_read("t.pkg", bytes, size, &diag);
	if (row->told != TOLD_NOTHING)
		snprintf(expected, sizeof(expected), "t.pkg:0x%zx: %s%s", told,
			 is_warning ? "" : "error: ", row->text);
	assert_string_equal(diag.n_kept > 0 ? diag.messages[0].s : "", expected);
	assert_int_equal(package != NULL, diag.n_errors == 0);
	assert_int_equal(package != NULL, row->told == TOLD_NOTHING || is_warning);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	build_destroy(build);
}

#endif
