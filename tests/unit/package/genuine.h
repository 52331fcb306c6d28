/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PACKAGE_GENUINE_H
#define PACKAGE_GENUINE_H

#include "e810/e810_parser.h"

enum genuine {
	GENUINE_OS,    // ICE OS Default Package 1.3.30.0
	GENUINE_COMMS, // ICE COMMS Package 1.3.31.0
	N_GENUINE,
};

// Open until the process ends. The test is skipped where the package is not there.
const struct ddp_package *genuine_package(enum genuine which);
// A parser for a package, until the test has ended.
struct e810_parser *genuine_parser(enum genuine which, const struct e810_config *config);

#endif
