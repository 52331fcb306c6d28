/* SPDX-License-Identifier: BSD-3-Clause */
// What all methods work with, and what all of them do to a packet whose type and hash are known.
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "classify/classify.h"
#include "packets/packets.h"
#include "rss/rss.h"

#define N_QUEUES 8

struct work {
	const struct ddp_program *program; // what the kinds need
	const struct ddp_program *all;     // the whole library
	struct ddp_hash hash;
	uint16_t reta[DDP_RETA_SIZE];
	uint16_t queues[BURST]; // of the last burst: what a method is for
};

extern struct work work;

// Load the profiles.
void work_init(void);
void work_fini(void);

// Write what is known of packet i of a burst where the application looks for it.
static inline void packet_hashed(struct rte_mbuf *mbuf, unsigned int i, uint32_t packet_type,
				 uint32_t hash) {
	mbuf->packet_type = packet_type;
	mbuf->hash.rss = hash;
	mbuf->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
	work.queues[i] = work.reta[hash & (DDP_RETA_SIZE - 1)];
}

static inline void packet_unhashed(struct rte_mbuf *mbuf, unsigned int i, uint32_t packet_type) {
	mbuf->packet_type = packet_type;
	mbuf->ol_flags &= ~RTE_MBUF_F_RX_RSS_HASH;
	work.queues[i] = 0;
}

// The headers of a packet of the next burst, in so many lines. Its mbuf is not looked at: all
// packets begin at the same place.
static inline void headers_prefetch(const struct rte_mbuf *mbuf, unsigned int n_lines) {
	const char *data = (const char *)mbuf + sizeof(*mbuf) + RTE_PKTMBUF_HEADROOM;

	for (unsigned int i = 0; i < n_lines; i++)
		rte_prefetch0(data + RTE_CACHE_LINE_SIZE * i);
}

#endif
