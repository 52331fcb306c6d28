/* SPDX-License-Identifier: BSD-3-Clause */
// Intel's packages where a command takes a FILE: what `info` and `check` say of them.
#ifndef DDPCTL_PACKAGE_PACKAGE_INFO_H
#define DDPCTL_PACKAGE_PACKAGE_INFO_H

#include <stdio.h>

#include "common/json_writer.h"
#include "ctl/options.h"
#include "e810/e810.h"

// One file, as table or JSON to emit's output. Return the exit status.
int package_check(const char *file, bool strict, enum format format, struct json_writer *json);
int package_info(const char *file, bool ptypes, enum format format, struct json_writer *json);

// Of an 800-series package: all packet types, in ascending order, with their headers. What is wrong
// with its parser's tables goes to stderr. Return the exit status.
int package_ptypes_print(const struct ddp_package *package, struct output *out);
int package_ptypes_json(const struct ddp_package *package, struct json_writer *json);

// The members "name", "version" and "track_id".
void package_identity_json(struct json_writer *json, const struct ddp_package *package);

#endif
