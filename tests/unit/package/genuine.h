/* SPDX-License-Identifier: BSD-3-Clause */
// Intel's public packages, for tests: where scripts/packages puts them.
#ifndef PACKAGE_GENUINE_H
#define PACKAGE_GENUINE_H

#include "e810/e810_parser.h"

enum genuine {
	GENUINE_OS,    // ICE OS Default Package 1.3.30.0
	GENUINE_COMMS, // ICE COMMS Package 1.3.31.0
	N_GENUINE,
};

extern const char *const genuine_files[N_GENUINE];

// NULL where the package is not there. The same one each time; genuine_close(), a tear-down, frees
// them all.
const struct ddp_package *genuine_package(enum genuine which);
int genuine_close(void **state);

// A parser for a package; aborts the test where it cannot be made. The caller destroys it.
struct e810_parser *genuine_parser(enum genuine which, const struct e810_config *config);

// Skip the CMocka test, with a message, unless both packages are there.
void genuine_need(void);

#endif
