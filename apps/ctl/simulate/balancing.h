/* SPDX-License-Identifier: BSD-3-Clause */
// Load-aware RSS (net_ddp's balance=) of a capture by its time stamps: the driver's decisions at
// the end of each interval, if a packet costs the same on every queue.
//
// Packets are counted in the order of the capture, because each decision depends on the ones before
// it. Only the current interval has counts, so memory does not grow with the capture: intervals and
// moves are kept up to a limit, and summed up beyond it. Earlier packets count in it, too.
//
//	balancer = balancer_create(&steer, first_ns, interval_ns, INTERVALS_MAX);
//	balancer_count(balancer, slots, packets, n); // for each batch
//	balancing = balancer_end(balancer);
//	balancer_destroy(balancer);
#ifndef DDPCTL_SIMULATE_BALANCING_H
#define DDPCTL_SIMULATE_BALANCING_H

#include <stdint.h>

#include "ctl/capture/capture.h"
#include "ctl/steer/steer.h"
#include "rss/balancer.h"

#define INTERVALS_MAX (1U << 18) // intervals kept for all candidates: 7 hours of 100 ms
#define BALANCING_FEW 64         // packets per queue, on average: fewer are uneven by chance

// An interval: the most loaded queue over the mean, 0 where there are no packets.
struct balancing_interval {
	uint64_t packets;
	double fixed;    // with the initial table
	double balanced; // with the table at the beginning of the interval
	double after;    // with the table after the moves at its end
	unsigned int n_moves;
};

struct balancing {
	uint64_t interval_ns;
	uint64_t n_intervals; // of the capture's time
	uint64_t n_busy;      // intervals with packets
	uint64_t n_loaded;    // intervals with BALANCING_FEW packets per queue or more
	uint64_t n_moves;
	double move_rate;              // moves per second
	double fixed, balanced, after; // means over the intervals, by their packets
	double fixed_worst, balanced_worst,
		after_worst; // in one interval; the balanced one after the first move

	// The first intervals and moves.
	struct balancing_interval *intervals;
	struct ddp_balancer_move *moves; // `when`: number of the interval
	unsigned int n_intervals_kept, n_moves_kept;

	// The entry that most often has more than the even share of a queue.
	uint64_t n_bound;       // of n_loaded: intervals with such an entry
	int bound_entry;        // -1: none
	double bound_share;     // its average share in its intervals
	uint64_t bound_packets; // its packets in them
	const char *bound_flow; // the flow with most of these packets; NULL: none or unknown
};

struct balancer;

// The first interval begins at start_ns. At most n_kept intervals and n_kept moves are kept. Here
// and below, the process ends if memory is short.
struct balancer *balancer_create(const struct steer *steer, uint64_t start_ns, uint64_t interval_ns,
				 unsigned int n_kept);
void balancer_destroy(struct balancer *balancer); // may be NULL

// The next n packets of the capture.
void balancer_count(struct balancer *balancer, const uint16_t *slots,
		    const struct capture_packet *packets, unsigned int n);

// After the last packet: end the current interval. The balancer owns the result.
struct balancing *balancer_end(struct balancer *balancer);

// The final imbalance if each interval is like the whole capture. entries: packets by entry;
// others: packets without an entry, by queue.
double balancing_steady(const struct steer *steer, const uint64_t *entries, const uint64_t *others);

// Does net_ddp support these numbers of queues and entries?
bool balancing_is_possible(const struct steer_config *config);

#endif
