/* SPDX-License-Identifier: BSD-3-Clause */
// Which entries of a redirection table move to another queue, so that queues get equal load.
//
// A hash spreads flows, not load. At the end of each interval the caller passes the packets of each
// entry and the cost of a packet on each queue. A few entries of the most loaded queue move, most
// often none. The balancer only decides; the caller makes the moves.
//
// The load of an entry is expected from its past: a mean over up to 8 intervals, and how far single
// intervals were from it, at least as much as chance explains (the square root of the number of
// packets). A value far outside begins a new mean, so a flow that comes or goes counts at once, and
// chance alone moves nothing.
//
// Decisions are stored for reports: the caller says which moves it made.
#pragma once

#include "rss/rss.h"

#define DDP_BALANCER_MS 100     // ms: the usual interval
#define DDP_BALANCER_MOVES 16   // moves in one interval, at most
#define DDP_BALANCER_QUEUES 256 // queues, at most
#define DDP_BALANCER_NONE UINT16_MAX
#define DDP_BALANCER_LAST 32      // moves, and intervals, that are stored
#define DDP_BALANCER_THREADS 2048 // threads, at most

struct ddp_balancer_move {
	uint16_t entry;
	uint16_t from, to;         // queues
	double share;              // the entry's part of the port's load
	double from_load, to_load; // of the queues over the mean, before the move
	uint64_t round;            // number of the interval
	uint64_t when;             // as the caller counts time
};

// An interval with packets.
struct ddp_balancer_past {
	uint64_t round;
	double before, after; // most loaded queue over the mean, without and with its moves
	unsigned int n_moves;
};

// One interval, as measured.
struct ddp_balancer_interval {
	const uint16_t *reta;    // queues by entry, at its end
	const uint32_t *packets; // by entry
	// Packets by queue, and of all: those beyond the entries' packets did not go by the table,
	// and count if they are a 64th or more. NULL: all packets go by the table.
	const uint64_t *delivered;
	uint64_t taken;      // some of it may not be delivered yet
	const double *costs; // of a packet by queue, in any unit; 0: not known. NULL: all equal
	const bool *usable;  // by queue: it may get entries. NULL: all may
};

// The expectation of a value in the next interval.
struct ddp_balancer_level {
	double mean, variance;
	double n;     // intervals that the mean is of; 0: begins with the next
	double error; // of the last value
	int8_t jump;  // whether a mean began with the last value: upwards 1, downwards -1, no 0
};

// Counters, of all time.
struct ddp_balancer_queue {
	bool started;
	uint32_t polls;
	uint32_t thread; // that polls it, below DDP_BALANCER_THREADS
	uint64_t delivered;
	// Of the bursts whose time is known, and squares and products of a burst's.
	uint64_t bursts, packets, cycles, packets_2, cycles_2, products;
};

struct ddp_balancer_counters {
	uint64_t taken;                  // packets that came
	uint32_t entries[DDP_RETA_SIZE]; // of these, by entry
	struct ddp_balancer_queue queues[DDP_BALANCER_QUEUES];
};

// Sums over the bursts of a queue. Older ones count less.
struct ddp_balancer_bursts {
	double n, packets, cycles;
	double packets_2, cycles_2, products; // of what differs from the mean of an interval
};

// State from interval to interval, and what the last one was like. Fixed size, no pointers.
struct ddp_balancer {
	// ddp_balancer_init() preserves these; all zero at first. The newest move is in
	// moves[(n_moves - 1) % DDP_BALANCER_LAST], and so are the intervals.
	uint64_t rounds, n_moves, n_past;
	double worst; // before, of all intervals
	struct ddp_balancer_move moves[DDP_BALANCER_LAST];
	struct ddp_balancer_past past[DDP_BALANCER_LAST];

	uint16_t n_entries; // a power of two, at most DDP_RETA_SIZE
	uint16_t n_queues;  // 1 to DDP_BALANCER_QUEUES
	double before,
		after; // most loaded queue over the mean, without and with the moves; 0: idle
	// The entry that alone is more than an even share: no move can help; or DDP_BALANCER_NONE.
	uint16_t bound_entry;
	double bound_share;          // its part of the port's load
	double loads[DDP_RETA_SIZE]; // that are expected, in units of the costs
	double span;                 // intervals in a mean, at most
	unsigned int n_quiet;        // intervals since the last that moved something
	struct ddp_balancer_level packets[DDP_RETA_SIZE];      // by entry
	struct ddp_balancer_level others[DDP_BALANCER_QUEUES]; // by queue
	struct ddp_balancer_level costs[DDP_BALANCER_QUEUES];
	struct ddp_balancer_bursts bursts[DDP_BALANCER_QUEUES];
	struct ddp_balancer_counters last; // at the last interval's end
	bool fresh;                        // these are known
	struct {
		uint32_t packets[DDP_RETA_SIZE];
		uint64_t delivered[DDP_BALANCER_QUEUES];
		double costs[DDP_BALANCER_QUEUES];
		bool usable[DDP_BALANCER_QUEUES];
	} measured; // in that interval
};

void ddp_balancer_init(struct ddp_balancer *balancer, uint16_t n_entries, uint16_t n_queues);

// Decide at the end of an interval. Returns the number of moves, 0 if the queues are even enough.
// An entry moves at most once. Queues that are not usable get no entry; entries that they have move
// away only to relieve them, like any other's. Allocates nothing, and takes less than 100 us for
// 512 entries and 64 queues.
unsigned int ddp_balancer_step(struct ddp_balancer *balancer,
			       const struct ddp_balancer_interval *interval,
			       struct ddp_balancer_move moves[DDP_BALANCER_MOVES]);

// The caller made the first n of the moves, or none.
void ddp_balancer_keep(struct ddp_balancer *balancer, const struct ddp_balancer_move *moves,
		       unsigned int n, uint64_t when);

// At the end of an interval of ms: fill it but for the table, from the counters as they are now. A
// queue is usable that is started and was polled. Returns whether the last call was at its
// beginning. The interval is good until the next call.
//
// A thread does its other work in a turn of its polling loop after the queue that it polls last,
// and that queue would seem to have expensive packets. The fewer packets it then gets, the more
// expensive they would seem. So queues of one thread share one cost, as they share its time, and
// the part of a burst's time that is the same whatever its size, as far as that is more than
// chance, does not count. (Least squares; its error is that of the slope.)
bool ddp_balancer_measure(struct ddp_balancer *balancer, unsigned int ms,
			  const struct ddp_balancer_counters *now,
			  struct ddp_balancer_interval *interval);
