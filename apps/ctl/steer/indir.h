/* SPDX-License-Identifier: BSD-3-Clause */
// The redirection table and the RSS key of a NIC, as "ethtool -x" prints them.
#ifndef DDPCTL_STEER_INDIR_H
#define DDPCTL_STEER_INDIR_H

#include "steer.h"

// Read them from a file: queues, table and key of steer become those of the NIC. A key that the
// command line gave stays, and so does the default if the file has none. reta is where the table
// is kept, at least as long as steer. Whatever is wrong is reported. Returns the exit status.
int indir_read(const char *path, struct steer_config *steer, uint16_t reta[STEER_RETA_MAX]);

#endif
