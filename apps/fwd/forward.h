/* SPDX-License-Identifier: BSD-3-Clause */
// The main lcore while packets flow: it checks the workers, shows the live table, and ends the run.
#ifndef DDP_FWD_FORWARD_H
#define DDP_FWD_FORWARD_H

#include <stdbool.h>
#include <stdio.h>

#include "config.h"
#include "ports.h"
#include "workers.h"

struct outcome {
	bool idle;      // the end was due to a lack of packets
	double seconds; // until the last packet, if idle
};

// Forward until running is false in the workers' control, or until a limit of config. Then all
// workers have ended and Tx queues are empty. Live tables are written to `tables`. 0, or -1 with
// error.
int forward(const struct config *config, const struct ports *ports, struct workers *workers,
	    FILE *tables, struct outcome *outcome, struct error *error);

#endif
