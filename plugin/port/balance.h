/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: load-aware RSS.
//
// While it is on, the data path counts packets by entry of the redirection table, and what packets
// cost each queue. Every interval an alarm calls ddp_rebalance_step() (plugin/rss) with these, and
// applies the moves it returns as a change of the table. run/order.h keeps the order of flows.
#ifndef DDP_PORT_BALANCE_H
#define DDP_PORT_BALANCE_H

#include "port.h"
#include "rss/rebalance.h"
#include "rte_pmd_ddp.h"

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

// Read "off", "on" or a number of milliseconds. -EINVAL: it is none of these.
int ddp_balance_ms_read(const char *text, unsigned int *ms);
// Under the port's mutex, within a change. ms: 0 turns it off. -EINVAL, -ENOMEM: logged.
int ddp_balance_set(struct ddp_port *port, unsigned int ms);
// At the end of an interval: what a packet of each queue costs, in cycles; 0: not known.
//
// What a thread does in a turn of its polling loop, beside its work on packets, comes after the
// queue that it polls last, and that queue would seem to have expensive packets. The fewer packets
// it then gets, the more expensive they would seem. So queues of one thread share one cost, as they
// share its time, and the part of a burst's time that is the same whatever its size, as far as that
// is more than chance, does not count. (Least squares; its error is that of the slope.)
void ddp_balance_costs(struct ddp_balance *balance, const struct ddp_rxq *rxqs, unsigned int n_rxqs,
		       double costs[DDP_PORT_QUEUES]);
// What xstats, telemetry and applications are told.
struct rte_pmd_ddp_balance ddp_balance_numbers(const struct ddp_port *port,
					       const struct ddp_stats *stats);
// Before the port is removed.
void ddp_balance_free(struct ddp_port *port);

#endif
