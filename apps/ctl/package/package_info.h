/* SPDX-License-Identifier: BSD-3-Clause */
// `ddpctl info` of Intel's packages.
#ifndef DDPCTL_PACKAGE_PACKAGE_INFO_H
#define DDPCTL_PACKAGE_PACKAGE_INFO_H

#include "common/json_writer.h"
#include "e810/e810.h"

// Write the contents of a package; ptypes: the packet types of an 800-series package instead of its
// sections. Returns the exit status.
int package_info(const struct ddp_package *package, bool ptypes, bool is_json,
		 struct json_writer *json);

// The members "name", "version" and "track_id".
void package_identity_json(struct json_writer *json, const struct ddp_package *package);

#endif
