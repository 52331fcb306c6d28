/* SPDX-License-Identifier: BSD-3-Clause */
// Intel's packages where a command takes a FILE: what `info` and `check` say of them.
#ifndef DDPCTL_PACKAGE_PACKAGE_INFO_H
#define DDPCTL_PACKAGE_PACKAGE_INFO_H

#include <stdio.h>

#include "common/json_writer.h"
#include "e810/e810.h"

struct options;

// One file, as table or JSON to emit's output. Return the exit status.
int package_check(const struct options *options, const char *file, struct emit *emit);
int package_info(const struct options *options, const char *file, struct emit *emit);

// Of an 800-series package: all packet types, in ascending order, with their headers. What is wrong with its
// parser's tables goes to stderr. Return the exit status.
int package_ptypes_print(const struct ddp_package *package, struct output *out);
int package_ptypes_json(const struct ddp_package *package, struct emit *emit);

// What comes of a package's integrity chain, the same everywhere.
enum seal {
	SEAL_NONE,    // not signed
	SEAL_INTACT,  // and signed with Intel's key
	SEAL_OTHER,   // intact, but signed with another key
	SEAL_ALTERED, // since it was signed
	SEAL_UNKNOWN, // signed in a way that cannot be checked
};

enum seal package_seal(const struct ddp_package *package, struct e810_integrity *integrity,
		       struct ddp_diag *diag);

// In words: "intact, signed 2022-05-12 with key 1ac88cc3... (Intel's)".
void package_seal_write(FILE *to, enum seal seal, const struct e810_integrity *integrity);

// The members "signed", "intact" and what goes with them.
void package_seal_json(struct emit *emit, enum seal seal, const struct e810_integrity *integrity);

// The members "name", "version" and "track_id".
void package_identity_json(struct emit *emit, const struct ddp_package *package);

#endif
