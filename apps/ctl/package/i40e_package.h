/* SPDX-License-Identifier: BSD-3-Clause */
// 700-series packages where a command takes a FILE.
#ifndef DDPCTL_PACKAGE_I40E_PACKAGE_H
#define DDPCTL_PACKAGE_I40E_PACKAGE_H

#include "common/json_writer.h"
#include "i40e/i40e.h"

// What `info` says of the family's own, after what all packages have.
void i40e_info_json(const struct ddp_package *package, struct json_writer *json);
void i40e_info_print(const struct ddp_package *package, struct output *out);

#endif
