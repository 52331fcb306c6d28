/* SPDX-License-Identifier: BSD-3-Clause */
// What ddpctl and ddp-fwd exit with.
#ifndef COMMON_EXIT_STATUS_H
#define COMMON_EXIT_STATUS_H

enum exit_status {
	EXIT_GOOD = 0,
	EXIT_NO = 1,         // the answer is no; a profile that cannot be used
	EXIT_FAILED = 1,     // what was asked for cannot be done
	EXIT_USAGE = 2,      // the command line is wrong
	EXIT_UNREADABLE = 3, // a file or a process cannot be read, or the output not be written
};

#endif
