/* SPDX-License-Identifier: BSD-3-Clause */
// FILE as a package: its path, and what options set as ";parameter=value" does for net_ddp.
#ifndef DDPCTL_PACKAGE_PACKAGE_SPEC_H
#define DDPCTL_PACKAGE_PACKAGE_SPEC_H

#include "common/strbuf.h"
#include "e810/e810_parser.h"
#include "rss/rss.h"

// Options that only packages have are given, although FILE is none, or the other way round. Says
// so; EXIT_USAGE, or EXIT_GOOD.
int package_options_check(const char *file, const struct e810_config *nic,
			  enum ddp_hash_function function);

// A file with its settings; valid until text is written again.
const char *package_spec(const char *file, const struct e810_config *nic, struct strbuf *text);

#endif
