/* SPDX-License-Identifier: BSD-3-Clause */
// Workers: the lcores that receive and forward.
//
// Rx queue q of every port belongs to worker q mod n_workers, with all that is counted for it, so
// every counter and histogram has one writer. The main lcore reads them at any time and decides
// when to stop; it tells so with the flags of struct control. A worker's life:
//
//	while running     receive and forward
//	while flushing    only give the Tx queues a chance to send what they still hold
//
// With a single lcore the main lcore calls worker_poll() and worker_flush() itself. Who sets all
// this up is in workers.h.
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

// Shared by all. Flags are written by the main lcore (running also by the signal handler).
struct control {
	atomic_bool running;
	atomic_bool flushing;
	bool limited;           // --packets: workers take from budget what they may receive
	_Atomic int64_t budget; // packets still to receive; main lcore at start, then workers
};

struct queue_stats {
	counter packets, bytes; // received
	counter sent;           // accepted by the Tx queue
	counter tx_full;        // refused by it after all retries, and freed
	counter consumed;       // freed as MODE_RXONLY does
	counter last_tsc;       // when the last burst was handed on
};

// An Rx queue of a port.
struct queue {
	// control writes before the workers start
	uint16_t port, queue;
	uint16_t tx_port, tx_queue;
	uint16_t least; // packets to ask for at least: vector code of some NICs takes no fewer
	bool has_meta;  // its packets tell packet type and arrival
	struct rte_ether_addr source, destination; // MODE_MAC
	counter *ptypes; // [PTYPE_IDS] of its worker and port, written by the worker

	// worker writes, anyone reads
	struct queue_stats stats __rte_cache_aligned;
	struct latency latency; // TSC cycles from arrival to hand-over
} __rte_cache_aligned;

struct worker {
	// control writes before the worker starts
	unsigned int lcore;
	struct control *control;
	struct queue **queues;
	unsigned int n_queues;
	counter **ptypes; // by position of the port, NULL where it tells none
	enum mode mode;
	uint16_t burst;
	uint32_t tx_retries;
	uint64_t work_cycles;  // of busy work on each packet
	int meta_off, tsc_off; // of the dynamic mbuf fields

	// worker writes, anyone reads
	counter rounds __rte_cache_aligned; // times all queues were polled or flushed
	counter busy_tsc;                   // cycles of rounds that received packets

	// worker only; control writes before the worker starts
	uint64_t round_tsc; // end of the last round
} __rte_cache_aligned;

// Data path, on the worker's lcore: once over its queues.
void worker_poll(struct worker *worker);
void worker_flush(struct worker *worker);

#endif
