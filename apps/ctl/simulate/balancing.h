/* SPDX-License-Identifier: BSD-3-Clause */
// What load-aware RSS (net_ddp's balance=) would do with a capture, by the capture's own times: the
// driver's decisions at the end of each interval, if a packet costs the same on every queue.
#ifndef DDPCTL_SIMULATE_BALANCING_H
#define DDPCTL_SIMULATE_BALANCING_H

#include <stdint.h>

#include "spread.h"

struct ddp_arena;

// An interval: the most loaded queue over the mean, 0 where there are no packets.
struct balancing_interval {
	uint64_t packets;
	double fixed;    // with the table as it is at first
	double balanced; // with the table at the beginning of the interval
	unsigned int n_moves;
};

struct balancing_move {
	unsigned int interval; // at the end of which it is made
	uint16_t entry, from, to;
};

struct balancing {
	uint64_t interval_ns; // longer than asked for if the capture has more than LOADS_MAX
	const struct balancing_interval *intervals;
	unsigned int n_intervals;
	const struct balancing_move *moves;
	unsigned int n_moves;
	double fixed, balanced; // means over the intervals, by their packets
	double fixed_worst,
		balanced_worst; // in one interval; the balanced one after the first move
	int bound_entry; // has more than an even share of a queue in most intervals; -1: none has
	double bound_share;
};

// Of a spread that counted loads. The capture's times must be known.
void balancing_make(struct balancing *balancing, const struct spread *spread,
		    struct ddp_arena *arena);

// The imbalance that load-aware RSS ends with if each interval is like the whole capture; 0:
// net_ddp cannot have this number of queues or entries.
double balancing_end(const struct spread *spread);

#endif
