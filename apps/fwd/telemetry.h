/* SPDX-License-Identifier: BSD-3-Clause */
// Telemetry commands of ddp-fwd. Control path.
#ifndef DDP_FWD_TELEMETRY_H
#define DDP_FWD_TELEMETRY_H

#include "workers.h"

// Start to answer with the counters of these workers. Once in a process.
void telemetry_start(const struct workers *workers);

// Afterwards the workers may be freed. Without telemetry_start() it does nothing.
void telemetry_stop(void);

#endif
