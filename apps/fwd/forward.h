/* SPDX-License-Identifier: BSD-3-Clause */
// What the main lcore does while packets flow: look at the workers, show the live table, end it
// all.
#ifndef DDP_FWD_FORWARD_H
#define DDP_FWD_FORWARD_H

#include <stdbool.h>
#include <stdio.h>

#include "config.h"
#include "ports.h"
#include "workers.h"

struct outcome {
	bool idle;      // ended because no more packets came
	double seconds; // without the time it took to notice that
};

// Forward until the workers' control says no longer running, or until config says it is time. Then
// all workers have ended and Tx queues are empty. Live tables go to people. 0, or -1 with error.
int forward(const struct config *config, const struct ports *ports, struct workers *workers,
	    FILE *people, struct outcome *outcome, struct error *error);

#endif
