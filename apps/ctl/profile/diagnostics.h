/* SPDX-License-Identifier: BSD-3-Clause */
// What is wrong with a profile or a package, for people and for machines.
#ifndef DDPCTL_PROFILE_DIAGNOSTICS_H
#define DDPCTL_PROFILE_DIAGNOSTICS_H

#include "base/diag.h"

struct json_writer;

enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

// Print each message to stderr, and below it the line of the source with a mark at the place. text:
// the source of messages of no file that can be read again, NULL for none.
void diagnostics_print(const struct ddp_diag *diag, const char *text, bool color);

// The same as keys of an object: errors, warnings, messages, diagnostics.
void diagnostics_json(const struct ddp_diag *diag, struct json_writer *json);

// Whether what is written to a file descriptor is to be coloured: enum color.
bool is_colored(unsigned int color, int fd);

#endif
