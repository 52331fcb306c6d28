/* SPDX-License-Identifier: BSD-3-Clause */
// What becomes of the packets that come back: how old they are, and whether they kept the order of
// their flow. One thread for each Tx queue; flows are shared.
#ifndef PACED_SINK_H
#define PACED_SINK_H

#include <stdatomic.h>

#include "arrivals.h"
#include "fwd/latency.h"

struct paced_sink {
	counter sent, bytes;
	counter measured;  // packets that arrived after the warm-up
	counter overtaken; // those behind a later packet of their flow
	counter unknown;   // packets that are not ours
	struct latency latency;
} __rte_cache_aligned;

// The last packet of a flow: life and number.
typedef _Atomic uint64_t paced_last;

static inline bool sink_is_overtaken(paced_last *last, const struct paced_stamp *stamp) {
	uint64_t before = atomic_load_explicit(last, memory_order_relaxed);
	uint64_t now = (uint64_t)stamp->life << 32 | stamp->seq;

	if (now > before) {
		atomic_store_explicit(last, now, memory_order_relaxed);
		return false;
	}
	return before >> 32 == stamp->life; // else a flow that ended
}

static inline void sink_take(struct paced_sink *sink, paced_last *flows,
			     const struct rte_mbuf *mbuf, uint64_t now, uint64_t warm_up) {
	struct paced_stamp copy;
	const struct paced_stamp *stamp = arrivals_stamp(mbuf, &copy);

	counter_add(&sink->sent, 1);
	counter_add(&sink->bytes, mbuf->pkt_len);
	if (stamp == NULL) {
		counter_add(&sink->unknown, 1);
		return;
	}
	if (sink_is_overtaken(&flows[stamp->flow], stamp))
		counter_add(&sink->overtaken, 1);
	if (stamp->arrival < warm_up)
		return;
	counter_add(&sink->measured, 1);
	latency_record(&sink->latency, now > stamp->arrival ? now - stamp->arrival : 0);
}

#endif
