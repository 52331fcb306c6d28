/* SPDX-License-Identifier: BSD-3-Clause */
// Which entries of a redirection table move to another queue, so that queues get equal load.
//
// A hash spreads flows, not load. At the end of each interval the caller says how many packets each
// entry had and what a packet costs on each queue. A few entries of the most loaded queue move,
// most often none. Who calls this makes the moves: it decides only, and keeps nothing but its own
// state.
//
// What an entry will have is expected from what it had: a mean over up to 8 intervals, and how far
// single intervals were from it, at least as much as chance explains (the square root of the number
// of packets). A value that is far outside begins a new mean, so a flow that comes or goes counts
// at once, and chance alone moves nothing.
#ifndef DDP_RSS_REBALANCE_H
#define DDP_RSS_REBALANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "rss/rss.h"

#define DDP_REBALANCE_MOVES 16   // in one interval, at most
#define DDP_REBALANCE_QUEUES 256 // at most
#define DDP_REBALANCE_NONE UINT16_MAX

struct ddp_rebalance_move {
	uint16_t entry;
	uint16_t from, to; // queues
};

// One interval, as measured.
struct ddp_rebalance_interval {
	const uint16_t *reta;    // queues by entry, at its end
	const uint32_t *packets; // by entry
	const uint64_t *others;  // packets by queue that the table did not place; NULL: none
	const double *costs;     // of a packet by queue, in any unit; 0: not known. NULL: all equal
	const bool *usable;      // by queue: it may get entries. NULL: all may
};

// What is expected of a value in the next interval.
struct ddp_rebalance_level {
	double mean, variance;
	double n;     // intervals that the mean is of; 0: begins with the next
	double error; // of the last value
	int8_t jump;  // whether a mean began with the last value: upwards 1, downwards -1, no 0
};

// State from interval to interval, and what the last one was like. Fixed size, no pointers.
struct ddp_rebalance {
	uint16_t n_entries; // a power of two, at most DDP_RETA_SIZE
	uint16_t n_queues;  // 1 to DDP_REBALANCE_QUEUES
	double before,
		after; // most loaded queue over the mean, without and with the moves; 0: idle
	// The entry that alone is more than a queue's even share, so that no move can help; or
	// DDP_REBALANCE_NONE.
	uint16_t bound_entry;
	double bound_share;                       // its part of the port's load
	double loads[DDP_RETA_SIZE];              // that are expected, in units of the costs
	double queue_loads[DDP_REBALANCE_QUEUES]; // the same, without the moves
	double span;                              // intervals in a mean, at most
	unsigned int n_quiet;                     // intervals since the last that moved something
	struct ddp_rebalance_level packets[DDP_RETA_SIZE];       // by entry
	struct ddp_rebalance_level others[DDP_REBALANCE_QUEUES]; // by queue
	struct ddp_rebalance_level costs[DDP_REBALANCE_QUEUES];
};

void ddp_rebalance_init(struct ddp_rebalance *rebalance, uint16_t n_entries, uint16_t n_queues);

// Decide at the end of an interval. Returns the number of moves, 0 if the queues are even enough.
// An entry moves at most once. Queues that are not usable get no entry; entries that they have move
// away only to relieve them, like any other's. Allocates nothing, and takes less than 100 us for
// 512 entries and 64 queues.
unsigned int ddp_rebalance_step(struct ddp_rebalance *rebalance,
				const struct ddp_rebalance_interval *interval,
				struct ddp_rebalance_move moves[DDP_REBALANCE_MOVES]);

#endif
