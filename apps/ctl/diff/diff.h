/* SPDX-License-Identifier: BSD-3-Clause */
// What two profiles, or two packages, do not have in common. They are called A and B in the order
// of the command line.
#ifndef DDPCTL_DIFF_DIFF_H
#define DDPCTL_DIFF_DIFF_H

#include "common/output.h"
#include "personality/personality.h"

// Both are packages, or none is. Returns the exit status.
int diff_write(const struct ddp_personality loaded[2], const char *const specs[2], bool is_json,
	       struct output *out);

#endif
