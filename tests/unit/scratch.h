/* SPDX-License-Identifier: BSD-3-Clause */
// Profiles that a test writes itself: a folder of its own under $TMPDIR, searched first, removed at
// the end with all that is in it.
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/diag.h"

// Make the folder; the end of the process removes it. main.c calls this.
void scratch_begin(void);

// The folder, and the path of a file in it; the string stays for 31 more calls.
const char *scratch_dir(void);
const char *scratch_path(const char *name);

void scratch_write(const char *name, const void *bytes, size_t size);
void scratch_write_text(const char *name, const char *text);

// All messages of diag, one a line, the folder cut out of them. The caller frees it.
char *scratch_messages(const struct ddp_diag *diag);

struct ddp_source;

// A profile of which nothing is said, or no error, and a program, until the test has ended.
struct ddp_profile *scratch_load(const char *spec);
struct ddp_profile *scratch_load_sources(const struct ddp_source *sources, unsigned int n);
struct ddp_profile *scratch_load_warned(const char *spec);
struct ddp_program *scratch_build(const struct ddp_profile *profile);

// A profile, and what must be said of it; the rows of broken_is_reported().
struct broken {
	const char *name;     // of the test
	const char *text;     // profile t
	const char *messages; // exactly
	const char *other;    // profile u, or NULL
	const char *spec;     // NULL for "t"
};

// CMocka test: load and compile the row's profile, compare what is said. Without an error among the
// messages the profile must load, else it must not.
void broken_is_reported(void **state);

// A part of profile t, and the one message about it.
struct part {
	const char *text;    // and the name of the test
	const char *at;      // "LINE:COLUMN" in t.yaml, or another place
	const char *message; // NULL for none; an error, unless it begins with "warning: "
	const char *other;   // as in struct broken
	const char *spec;    // NULL for "t", or "u" where there is another
};

// A test for each row of a table of parts, which stand in a profile in place of '@'.
#define PARTS(table, profile)                                             \
	ROWS_TEST(table##_are_reported, table) {                          \
		part_is_reported((const struct part *)*state, (profile)); \
	}
void part_is_reported(const struct part *part, const char *profile);

#endif
