/* SPDX-License-Identifier: BSD-3-Clause */
// What load-aware RSS (net_ddp's balance=) would do with a capture, by the capture's own times: the
// driver's decisions at the end of each interval, if a packet costs the same on every queue.
//
// Packets are counted in the order of the capture, because each decision depends on the ones before
// it. So only the interval that runs has counts, and memory does not grow with the capture:
// intervals and moves are kept up to a limit, and summed up beyond it. A packet whose time is
// before the interval that runs is counted in this.
//
//	balancer = balancer_create(&steer, first_ns, interval_ns, INTERVALS_MAX);
//	balancer_count(balancer, places, packets, n); // again and again
//	balancing = balancer_end(balancer);
//	balancer_destroy(balancer);
#ifndef DDPCTL_SIMULATE_BALANCING_H
#define DDPCTL_SIMULATE_BALANCING_H

#include <stdint.h>

#include "ctl/capture/capture.h"
#include "ctl/steer/steer.h"
#include "rss/balancer.h"

#define INTERVALS_MAX (1U << 18) // kept, of all candidates together: 7 hours of 100 ms
#define BALANCING_FEW 64         // packets a queue, on average: fewer are uneven by chance

// An interval: the most loaded queue over the mean, 0 where there are no packets.
struct balancing_interval {
	uint64_t packets;
	double fixed;    // with the table as it is at first
	double balanced; // with the table at the beginning of the interval
	double after;    // with the table at its end, had it been there from the beginning
	unsigned int n_moves;
};

struct balancing {
	uint64_t interval_ns;
	uint64_t n_intervals; // of the capture's time
	uint64_t n_busy;      // of them: with packets,
	uint64_t n_loaded;    // and with BALANCING_FEW for each queue, or more
	uint64_t n_moves;
	double move_rate;              // a second
	double fixed, balanced, after; // means over the intervals, by their packets
	double fixed_worst, balanced_worst,
		after_worst; // in one interval; the balanced one after the first move

	// The first ones.
	struct balancing_interval *intervals;
	struct ddp_balancer_move *moves; // at the end of the interval that each has as its time
	unsigned int n_intervals_kept, n_moves_kept;

	// The entry that has more than an even share of a queue most often, if any has.
	uint64_t n_bound;       // of n_loaded: intervals in which an entry has
	int bound_entry;        // -1: none
	double bound_share;     // on average, when it has
	uint64_t bound_packets; // its own then
	const char *bound_flow; // that has most of these; NULL: none has, or it is not known
};

struct balancer;

// Intervals begin at start_ns. At most n_kept are kept, and as many moves. Here and below, without
// memory the process ends.
struct balancer *balancer_create(const struct steer *steer, uint64_t start_ns, uint64_t interval_ns,
				 unsigned int n_kept);
void balancer_destroy(struct balancer *balancer); // may be NULL

// The next n packets of the capture.
void balancer_count(struct balancer *balancer, const uint16_t *places,
		    const struct capture_packet *packets, unsigned int n);

// There are no more: decide once more, at the end of the interval that runs. What is returned
// belongs to the balancer.
struct balancing *balancer_end(struct balancer *balancer);

// The imbalance that load-aware RSS ends with if each interval is like the whole capture: packets
// by entry, and by queue those that the table did not place.
double balancing_steady(const struct steer *steer, const uint64_t *entries, const uint64_t *others);

// Whether net_ddp can have so many queues and entries.
bool balancing_is_possible(const struct steer_config *config);

#endif
