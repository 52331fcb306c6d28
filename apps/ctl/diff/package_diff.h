/* SPDX-License-Identifier: BSD-3-Clause */
// Two packages of the 800 series beyond their packet types: identity and tables.
#ifndef DDPCTL_DIFF_PACKAGE_DIFF_H
#define DDPCTL_DIFF_PACKAGE_DIFF_H

#include "common/json_writer.h"
#include "personality/personality.h"

// Both write keys of an object, or text if json is NULL.
void package_identities_write(const struct ddp_personality loaded[2], struct json_writer *json,
			      struct output *out);
// Returns whether the files differ.
bool package_tables_diff(const struct ddp_personality loaded[2], struct json_writer *json,
			 struct output *out);

#endif
