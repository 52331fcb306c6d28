/* SPDX-License-Identifier: BSD-3-Clause */
// A policy at work: its table, the queues behind it, and what came of the traffic.
//
// A queue is a ring of RING packets and a core that takes the same time for each, so when the core
// will be done with all of them is the whole state of a queue. Packets of an entry that moves with
// order kept are parked until the old queue is done with what it had when the table was exchanged,
// and polls again. That poll comes after the burst that has the last of these packets; here always
// a whole burst later, which is the latest possible.
#ifndef BALANCE_LANE_H
#define BALANCE_LANE_H

#include "fwd/latency.h"
#include "policy.h"
#include "traffic.h"

#define PARKED_MOST 2048 // packets, at most

struct parked_packet {
	uint64_t time;
	uint32_t flow;
	bool first;
};

// An entry that moves.
struct parking {
	uint64_t release; // 0: none
	uint16_t entry, to;
	unsigned int n_packets;
	struct parked_packet packets[PARKED_MOST];
};

// What is told of a policy in a cell.
struct outcome {
	double seconds;
	uint64_t n_windows;
	double imbalance; // sum over windows
	double imbalance_most;
	uint64_t n_packets, n_dropped;
	uint64_t n_moves;
	uint64_t n_overtakes; // packets that were done before an earlier one of their flow
	uint64_t n_parked;
	double parked_most;                       // us
	uint64_t latency[LATENCY_BUCKETS];        // by time in ns
	uint64_t latency_beside[LATENCY_BUCKETS]; // of all but the packets of the largest flow
};

struct lane {
	const struct policy *policy;
	const struct cell *cell;
	union policy_state state;
	uint16_t table[MAX_ENTRIES];
	unsigned int n_slices;                              // of the interval so far
	uint32_t packets[MAX_ENTRIES], served[MAX_ENTRIES]; // in it
	uint64_t loads[MAX_QUEUES];                         // packets by queue in the window
	uint64_t free_at[MAX_ENTRIES]; // time when the core is done with all it has
	uint64_t *done;                // time by flow of the last that was done
	uint64_t n_placed;             // or the last random number
	unsigned int n_parked;
	uint64_t next_release;
	uint8_t parked_in[MAX_ENTRIES]; // parkings + 1 by entry; 0: none
	struct parking *parkings;       // DDP_REBALANCE_MOVES
	struct outcome outcome;
};

void lane_init(struct lane *lane, const struct policy *policy, const struct cell *cell,
	       const struct traffic *traffic);
void lane_fini(struct lane *lane);
// measured: whether it counts, or is the time in which a policy gets into its swing.
void lane_run(struct lane *lane, const struct window *window, uint64_t start, bool measured);

// Of all outcomes together.
void outcome_add(struct outcome *sum, const struct outcome *outcome);
// In us. permyriad: of 10000.
double outcome_latency(const uint64_t latency[LATENCY_BUCKETS], unsigned int permyriad);

#endif
