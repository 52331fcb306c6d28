/* SPDX-License-Identifier: BSD-3-Clause */
// Workers are the lcores that receive and forward.
//
// Rx queue q of every port, with its counters, belongs to worker q mod n_workers, so every counter
// and histogram has one writer. The main lcore reads them at any time, and stops the workers with
// the flags of struct control. A worker's life:
//
//	while running     receive and forward
//	while flushing    only call Tx, so that queues send the packets that they hold
//
// With a single lcore the main lcore calls worker_poll() and worker_flush(). workers.h creates the
// workers.
#ifndef DDP_FWD_WORKER_H
#define DDP_FWD_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_ether.h>

#include "config.h"
#include "latency.h"

#define PTYPE_IDS (UINT16_MAX + 1)

// Shared by all workers. The main lcore writes the flags (the signal handler also running).
struct control {
	atomic_bool running;
	atomic_bool flushing;
	bool limited;           // --packets: workers receive within budget
	_Atomic int64_t budget; // packets to receive; set by the main lcore, then by workers
};

struct queue_stats {
	counter packets, bytes; // received
	counter sent;           // accepted by the Tx queue
	counter tx_full;        // refused by the Tx queue after all retries, and freed
	counter consumed;       // freed by MODE_RXONLY
	counter last_tsc;       // time of the last burst
};

// An Rx queue of a port.
struct rx_queue {
	// control writes before the workers start
	uint16_t port, queue;
	uint16_t tx_port, tx_queue;
	uint16_t least; // minimum burst: vector code of some NICs requires it
	bool has_meta;  // packets have packet type and time of arrival
	struct rte_ether_addr source, destination; // MODE_MAC
	counter *ptypes; // [PTYPE_IDS] of the worker and port, written by the worker

	// worker writes, all threads read
	struct queue_stats stats __rte_cache_aligned;
	struct latency latency; // TSC cycles from arrival to hand-over
} __rte_cache_aligned;

struct worker {
	// control writes before the worker starts
	unsigned int lcore;
	struct control *control;
	struct rx_queue **queues;
	unsigned int n_queues;
	counter **ptypes; // by position of the port; NULL: it has no packet types
	enum mode mode;
	uint16_t burst;
	uint32_t tx_retries;
	uint64_t work_cycles;  // cycles of busy work for each packet
	int meta_off, tsc_off; // of the dynamic mbuf fields

	// worker writes, all threads read
	counter rounds __rte_cache_aligned; // polls or flushes of all queues
	counter busy_tsc;                   // cycles of rounds that received packets

	// worker only; control writes before the worker starts
	uint64_t round_tsc; // end of the last round
} __rte_cache_aligned;

// Poll or flush all queues once, on the worker's lcore. Data path.
void worker_poll(struct worker *worker);
void worker_flush(struct worker *worker);

#endif
