/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages where a command takes a FILE.
#ifndef DDPCTL_PACKAGE_I40E_PACKAGE_H
#define DDPCTL_PACKAGE_I40E_PACKAGE_H

#include <stdio.h>

#include "common/json_writer.h"
#include "i40e/i40e.h"

struct options;

// What `info` says of the family's own, after what all packages have.
void i40e_info_json(const struct ddp_package *package, struct json_writer *json);
void i40e_info_print(const struct ddp_package *package, struct output *out);

// What `check` says of all the files together that are 700-series packages and can be used; nothing
// if they are fewer than two. Returns the exit status: it is an answer, and only with --strict a
// bad one, that they do not go together.
int i40e_compatibility_check(const struct options *options, struct json_writer *json);

// What `diff` says of two: a row or object for each thing that one has and the other has not, or
// otherwise. EXIT_GOOD if they hold the same, else EXIT_NO.
int i40e_diff(const struct options *options, const struct ddp_package *a,
	      const struct ddp_package *b, struct json_writer *json);

// The protocols of a type, by name where they have one: "OIPV4 GTPU IPV4 #35".
void i40e_type_write(FILE *to, const struct i40e_package *i40e, const struct i40e_type *type);

#endif
