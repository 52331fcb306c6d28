/* SPDX-License-Identifier: BSD-3-Clause */
// Packets of a kind in mbufs, and the order in which they are visited.
#ifndef BENCH_PACKETS_H
#define BENCH_PACKETS_H

#include <rte_mbuf.h>

#include "kinds.h"

#define BURST 32
#define VISITS 65536        // of a round over hot packets
#define LESSONS 8           // so many visits before what learns is measured
#define POOL_PACKETS 200000 // in the pool, at least

struct packets {
	unsigned int n, n_visits, next_visit;
	struct rte_mbuf **mbufs;
	struct rte_mbuf **visits; // n_visits of them, a multiple of BURST
};

// The pool that all packets are from.
struct rte_mempool *packets_pool(void);
// n packets. As many visits as packets visit each once, others choose at random. Exits where memory
// lacks.
void packets_make(struct packets *packets, const struct kind *kind, unsigned int n,
		  unsigned int n_visits);
void packets_free(struct packets *packets);
// Give an mbuf that is nobody else's a frame.
void packet_fill(struct rte_mbuf *mbuf, const struct frame *frame);

#endif
