/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: load-aware RSS.
//
// While it is on, the data path counts packets by entry of the redirection table, and what packets
// cost each queue. Every interval an alarm calls ddp_rebalance_step() (plugin/rss) with these, and
// applies the moves it returns as a change of the table. run/order.h keeps the order of flows.
#ifndef DDP_PORT_STATE_BALANCE_H
#define DDP_PORT_STATE_BALANCE_H

#include "port/state/queues.h"
#include "rss/rebalance.h"

#define DDP_BALANCE_MS 100       // default interval
#define DDP_BALANCE_MS_MAX 60000 // longest interval
#define DDP_BALANCE_LAST 32      // moves, and intervals, that are kept to be shown
#define DDP_BALANCE_PATIENCE 10 // intervals: a queue that is not polled for so long keeps its entry

struct ddp_balance_move {
	struct ddp_rebalance_move move;
	uint64_t round;
	double share;              // the entry's part of the port's load
	double from_load, to_load; // over the mean, before the move
	uint64_t tsc;              // when
};

// An interval with packets.
struct ddp_balance_interval {
	uint64_t round;
	double before, after; // most loaded queue over the mean, without and with its moves
	unsigned int n_moves;
};

// What bursts of a queue were like. Older ones count less.
struct ddp_balance_bursts {
	double n, packets, cycles;
	double packets_2, cycles_2, products; // of what differs from the mean of an interval
};

// Of a queue, at the end of the last interval.
struct ddp_balance_queue {
	uint32_t polls;
	uint64_t delivered;
	struct ddp_queue_load load;
	struct ddp_balance_bursts bursts;
};

// Control path. Exists from the first time that it is on.
struct ddp_balance {
	unsigned int ms; // interval; 0: off
	bool fresh;      // the counters of the last interval are known
	uint64_t rounds, moves;
	double before, after; // imbalance of the last interval with packets
	double worst;         // before, of all intervals
	uint16_t bound_entry; // of the last interval; DDP_REBALANCE_NONE: none
	double bound_share;
	char bound_flow[128]; // the flow of that entry; "": not known
	struct ddp_rebalance rebalance;
	uint64_t n_intervals;                                    // with packets
	struct ddp_balance_move last[DDP_BALANCE_LAST];          // the newest: (moves - 1) % size
	struct ddp_balance_interval intervals[DDP_BALANCE_LAST]; // likewise, of n_intervals
	uint64_t taken;
	uint32_t entries[DDP_RETA_SIZE];
	struct ddp_balance_queue queues[DDP_PORT_QUEUES];
};

#endif
