/* SPDX-License-Identifier: BSD-3-Clause */
// Load-aware RSS of a port, as /net_ddp/balance tells of it.
//
// A load of a queue is relative to the mean of all queues; a load of an entry is its part of the
// port's.
#ifndef DDPCTL_PORT_BALANCE_H
#define DDPCTL_PORT_BALANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/port_telemetry.h"

#define BALANCE_LAST_MAX 64 // net_ddp keeps fewer

// A table entry went from one queue to another.
struct balance_move {
	uint64_t round; // number of the interval
	uint64_t ms_ago;
	uint64_t entry, from, to;
	double load;               // of the entry
	double from_load, to_load; // of the queues, before
};

struct balance_interval {
	uint64_t round;
	double before, after; // load of the most loaded queue, without and with the moves
	uint64_t n_moves;
};

struct balance {
	uint64_t interval_ms; // 0: off
	uint64_t rounds, moves, parked, given_up, longest_us;
	bool measured;               // the following; false: there was no interval with packets
	double before, after, worst; // of the last interval, and before of all
	bool bounded;                // by an entry that alone is more than an even share
	uint64_t bound_entry;
	double bound_load;
	char bound_flow[128]; // "": not known
	unsigned int n_last_moves, n_intervals;
	struct balance_move last_moves[BALANCE_LAST_MAX]; // the newest is the first
	struct balance_interval intervals[BALANCE_LAST_MAX];
};

// Whether the process can do it: one with an older net_ddp cannot.
bool balance_is_known(struct port *port);

// Set it to "on", "off" or a number of milliseconds (NULL: as it is), and read. Returns the status.
int balance_read(struct balance *balance, struct port *port, const char *setting);

// With the intervals and moves after a round.
json_t *balance_json(const struct balance *balance, uint64_t round);

// "entry 17 (1.2% of the load) from queue 3 (1.34 of the mean) to queue 5 (0.71)"
void balance_move_write(const struct balance_move *move, FILE *to);
// "entry 17 has 31.2% of the load: 10.0.0.1:1234 > 10.0.0.2:80 UDP"
void balance_bound_write(const struct balance *balance, FILE *to);

// Of the last interval, 0 without one.
uint64_t balance_round(const struct balance *balance);

#endif
