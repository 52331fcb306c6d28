/* SPDX-License-Identifier: BSD-3-Clause */
// What two profiles, or two packages, have not in common.
//
//	e810_diff.c     two packages of the 800 series
//	profile_diff.c  two profiles
//
// They are called A and B in the order of the command line. A difference that is found is told at
// once.
#ifndef DDPCTL_DIFF_DIFF_H
#define DDPCTL_DIFF_DIFF_H

#include "common/exit_status.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/profile/profile_load.h"

struct ddp_package;
struct ddp_personality;

struct diff {
	bool is_json;
	const char *names[2]; // of A and B, short
	struct output *out;
	struct json_writer json;
	struct strbuf text; // being written
	bool differ;        // something was told
};

// Names of A and B for people: the last part of a path, "A" and "B" where that is the same.
void diff_names(struct diff *diff, const char *a, const char *b);

// The text just written, as a paragraph; it is a difference.
void diff_report(struct diff *diff);
// The same as an item of a list.
void diff_item(struct diff *diff);

// A list of JSON; nothing of the kind for people.
void diff_list_open(struct diff *diff, const char *key);
void diff_list_close(struct diff *diff);

// Write "331-350, 392-395" of sorted numbers.
void diff_ranges(FILE *to, const uint16_t *numbers, unsigned int n);

// Returns the exit status; files that cannot be used are told.
int e810_diff(struct diff *diff, struct ddp_package *const packages[2]);
// loaded: both.
int profile_diff(struct diff *diff, const struct ddp_personality *loaded);

#endif
