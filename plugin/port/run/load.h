/* SPDX-License-Identifier: BSD-3-Clause */
// What packets cost an Rx queue, for load-aware RSS: the cycles between the end of a burst call that
// returned packets and the queue's next one. This includes the application's work on the packets if
// it does that before it polls again, as run-to-completion applications do.
#ifndef DDP_PORT_RUN_LOAD_H
#define DDP_PORT_RUN_LOAD_H

#include <stdint.h>

#include <rte_cycles.h>

// A longer time is no work: the thread was preempted or did something else.
#define DDP_LOAD_MAX_CYCLES (rte_get_tsc_hz() / 256)

// Written by the burst call.
struct ddp_queue_load {
	uint64_t packets, cycles; // of all bursts whose time is known
	uint64_t since;           // when the last burst was returned
	uint32_t got;             // packets of that burst
};

static inline void ddp_queue_load_begin(struct ddp_queue_load *load, uint64_t now) {
	const uint64_t cycles = now - load->since;

	if (load->got == 0 || cycles > DDP_LOAD_MAX_CYCLES)
		return;
	__atomic_store_n(&load->packets, load->packets + load->got, __ATOMIC_RELAXED);
	__atomic_store_n(&load->cycles, load->cycles + cycles, __ATOMIC_RELAXED);
}

static inline void ddp_queue_load_end(struct ddp_queue_load *load, uint64_t now, uint32_t got) {
	load->got = got;
	load->since = now;
}

#endif
