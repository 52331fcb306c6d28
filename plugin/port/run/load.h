/* SPDX-License-Identifier: BSD-3-Clause */
// Costs of packets on an Rx queue, for load-aware RSS: the cycles between the end of a burst call
// that returned packets and the next burst call of the same thread, whichever queue that is for.
// This includes the application's work on the packets if it does that before it polls again, as
// run-to-completion applications do. It also includes what a polling loop does beside that, at the
// queue that it polls last. So sums of squares and products are counted, too: by these the control
// path (exchange/port_balance.c) finds what does not grow with the burst.
//
// Reading the time twice takes as long as a few packets: one in DDP_LOAD_STRIDE bursts is timed.
#pragma once

#include <rte_cycles.h>
#include <rte_lcore.h>

#include "port/state/queues.h"

// A longer time is no work: the thread was preempted or did something else.
#define DDP_LOAD_MAX_CYCLES (rte_get_tsc_hz() / 256)

#define DDP_LOAD_POLLS 512 // queues that a thread may poll one after another
#define DDP_LOAD_STRIDE 5  // bursts; applications rarely repeat something after five

// Beginnings of an lcore's last burst calls, of all ports that measure load, behind timed bursts.
struct ddp_poll_times {
	uint32_t n;
	bool wanted;                    // of the next call
	uint64_t begin[DDP_LOAD_POLLS]; // of call i: i modulo the size
} __rte_cache_aligned;

extern struct ddp_poll_times ddp_poll_times[RTE_MAX_LCORE]; // rx.c

// Count a burst call. Returns whether ddp_queue_load_begin() has to be called.
static inline bool ddp_queue_load_poll(const struct ddp_queue_load *load) {
	const unsigned int lcore = rte_lcore_id();

	if (unlikely(lcore >= RTE_MAX_LCORE))
		return true;
	ddp_poll_times[lcore].n++;
	return ddp_poll_times[lcore].wanted || load->got > 0;
}

// The end, by TSC, of the thread's work on the last burst, at the queue's next call. 0: unknown.
static inline uint64_t ddp_queue_load_until(const struct ddp_queue_load *load, uint64_t now,
					    unsigned int lcore) {
	struct ddp_poll_times *times;

	if (lcore >= RTE_MAX_LCORE) // no thread of EAL's: as if it polled no other queue
		return now;
	times = &ddp_poll_times[lcore];
	if (times->wanted)
		times->begin[times->n % DDP_LOAD_POLLS] = now;
	times->wanted = false;
	if (load->lcore != lcore || times->n - load->n_polls > DDP_LOAD_POLLS)
		return 0;
	return times->begin[(load->n_polls + 1) % DDP_LOAD_POLLS];
}

static inline void ddp_queue_load_add(uint64_t *sum, uint64_t n) {
	__atomic_store_n(sum, *sum + n, __ATOMIC_RELAXED);
}

static inline void ddp_queue_load_begin(struct ddp_queue_load *load, uint64_t now) {
	const uint64_t until = ddp_queue_load_until(load, now, rte_lcore_id());
	const uint64_t got = load->got, cycles = until - load->since;

	if (got == 0 || until < load->since || cycles > DDP_LOAD_MAX_CYCLES)
		return;
	ddp_queue_load_add(&load->bursts, 1);
	ddp_queue_load_add(&load->packets, got);
	ddp_queue_load_add(&load->cycles, cycles);
	ddp_queue_load_add(&load->packets_2, got * got);
	ddp_queue_load_add(&load->cycles_2, cycles * cycles);
	ddp_queue_load_add(&load->products, got * cycles);
}

// A burst call returns got packets. Returns whether ddp_queue_load_end() has to be called.
static inline bool ddp_queue_load_got(struct ddp_queue_load *load, uint32_t got) {
	load->got = 0;
	return got > 0 && ++load->n_got % DDP_LOAD_STRIDE == 0;
}

static inline void ddp_queue_load_end(struct ddp_queue_load *load, uint64_t now, uint32_t got) {
	const unsigned int lcore = rte_lcore_id();

	load->got = got;
	load->since = now;
	__atomic_store_n(&load->lcore, lcore, __ATOMIC_RELAXED);
	if (lcore >= RTE_MAX_LCORE)
		return;
	load->n_polls = ddp_poll_times[lcore].n;
	ddp_poll_times[lcore].wanted = true;
}
