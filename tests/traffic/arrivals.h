/* SPDX-License-Identifier: BSD-3-Clause */
// When packets arrive: at a steady rate, or at random with that mean rate (a Poisson process).
#ifndef TRAFFIC_ARRIVALS_H
#define TRAFFIC_ARRIVALS_H

#include <stdint.h>

#include "rng.h"

struct config;

struct arrivals {
	const struct config *config;
	struct rng rng;
	uint64_t n;                // packets so far
	unsigned __int128 elapsed; // Poisson: until the last of them, in 2^-32 us
};

void arrivals_init(struct arrivals *arrivals, const struct config *config);

// When the next packet arrives, in microseconds since the first one.
uint64_t arrivals_next(struct arrivals *arrivals);

#endif
