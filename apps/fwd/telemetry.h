/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-fwd's commands of DPDK's telemetry socket. Control path.
#ifndef DDP_FWD_TELEMETRY_H
#define DDP_FWD_TELEMETRY_H

#include "workers.h"

// Answer from now on, with the counters of these workers. Once in a process.
void telemetry_start(const struct workers *workers);

// The workers may be freed afterwards. Without telemetry_start() nothing happens.
void telemetry_stop(void);

#endif
