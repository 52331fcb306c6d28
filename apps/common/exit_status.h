/* SPDX-License-Identifier: BSD-3-Clause */
// What ddpctl and ddptool exit with.
#ifndef COMMON_EXIT_STATUS_H
#define COMMON_EXIT_STATUS_H

enum ctl_status {
	CTL_GOOD = 0,
	CTL_NO = 1,         // the answer is no; a profile that cannot be used
	CTL_USAGE = 2,      // the command line is wrong
	CTL_UNREADABLE = 3, // a file or a process cannot be read, or the output not be written
};

#endif
