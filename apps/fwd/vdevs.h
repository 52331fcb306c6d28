/* SPDX-License-Identifier: BSD-3-Clause */
// What the --vdev arguments of EAL name, checked where drivers and EAL would say less or nothing.
// Those with an error return 0, or -1 with error.
#ifndef DDP_FWD_VDEVS_H
#define DDP_FWD_VDEVS_H

#include "config.h"

// Without EAL: captures can be read, and the report overwrites none of the files that are read.
int vdevs_check_files(const struct config *config, struct error *error);

// With EAL running: each became a port. net_ddp has said why not, then the error is empty.
int vdevs_check_ports(const struct config *config, struct error *error);

#endif
