/* SPDX-License-Identifier: BSD-3-Clause */
// Intel's packages where a command takes a FILE: what `info` and `check` say of them.
#ifndef DDPCTL_PACKAGE_PACKAGE_INFO_H
#define DDPCTL_PACKAGE_PACKAGE_INFO_H

#include <stdio.h>

#include "common/json_writer.h"
#include "e810/e810.h"

struct options;

// One file, as table or JSON to emit's output. Return the exit status.
int package_check(const struct options *options, const char *file, struct json_writer *json);
int package_info(const struct options *options, const char *file, struct json_writer *json);

// Of an 800-series package: all packet types, in ascending order, with their headers. What is wrong
// with its parser's tables goes to stderr. Return the exit status.
int package_ptypes_print(const struct ddp_package *package, struct output *out);
int package_ptypes_json(const struct ddp_package *package, struct json_writer *json);

// What comes of a package's integrity chain, the same everywhere.
enum package_signature {
	SIGNATURE_NONE,    // not signed
	SIGNATURE_INTACT,  // and signed with Intel's key
	SIGNATURE_OTHER,   // intact, but signed with another key
	SIGNATURE_ALTERED, // since it was signed
	SIGNATURE_UNKNOWN, // signed in a way that cannot be checked
};

enum package_signature package_signature_read(const struct ddp_package *package,
					      struct e810_integrity *integrity,
					      struct ddp_diag *diag);

// In words: "intact, signed 2022-05-12 with key 1ac88cc3... (Intel's)".
void package_signature_write(FILE *to, enum package_signature signature,
			     const struct e810_integrity *integrity);

// The members "signed", "intact" and what goes with them.
void package_signature_json(struct json_writer *json, enum package_signature signature,
			    const struct e810_integrity *integrity);

// The members "name", "version" and "track_id".
void package_identity_json(struct json_writer *json, const struct ddp_package *package);

#endif
