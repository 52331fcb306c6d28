/* SPDX-License-Identifier: BSD-3-Clause */
// Ways to find out what a packet is and where it goes. All of them write packet_type, hash.rss and
// ol_flags to the mbuf and look the queue up, but for those that say that they do less.
#ifndef BENCH_METHODS_H
#define BENCH_METHODS_H

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "classify/classify.h"
#include "packets.h"
#include "rss/rss.h"

#define N_QUEUES 8
#define METHODS_MAX 32

// All methods work with these.
struct work {
	struct ddp_program *program;
	struct ddp_hash hash;
	uint16_t reta[DDP_RETA_SIZE];
	uint16_t queues[BURST]; // of the last burst: what a method is for
};

extern struct work work;

// Write what is known of packet i of a burst where the application reads it.
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

// The headers of a packet of the next burst, in so many lines. Its mbuf is not read: all packets
// begin at the same place.
static inline void headers_prefetch(const struct rte_mbuf *mbuf, unsigned int n_lines) {
	const char *data = (const char *)mbuf + sizeof(*mbuf) + RTE_PKTMBUF_HEADROOM;

	for (unsigned int i = 0; i < n_lines; i++)
		rte_prefetch0(data + RTE_CACHE_LINE_SIZE * i);
}

struct method {
	char id[24];
	char title[48];
	// n is at most BURST. NULL: there is nothing to measure in packets that are at hand.
	void (*run)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n);
	// As run; and prefetch the headers of the next BURST packets, between the work on these.
	// NULL: this CPU does not run it.
	void (*run_ahead)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n,
			  struct rte_mbuf *const *next);
	// Forget what was learned; may be NULL.
	void (*reset)(void *arg);
	void *arg;
};

// Both functions of a method over one inline body, whose argument next is NULL in the first.
#define METHOD_FUNCTIONS(name)                                                                 \
	static void name##_run(void *arg, struct rte_mbuf *const *mbufs, unsigned int n) {     \
		name(arg, mbufs, n, NULL);                                                     \
	}                                                                                      \
	static void name##_run_ahead(void *arg, struct rte_mbuf *const *mbufs, unsigned int n, \
				     struct rte_mbuf *const *next) {                           \
		name(arg, mbufs, n, next);                                                     \
	}

extern struct method methods[METHODS_MAX];
extern unsigned int n_methods;

// NULL: there is none.
const struct method *method_find(const char *id);
// The one that others are compared with.
#define METHOD_BASE "ptype"
// Our best one, and the one that runs unless an option of EAL changes it.
const struct method *method_ours(void);
const struct method *method_usual(void);

// Load the profiles, and make a list of all methods that this machine runs.
void methods_init(void);
void methods_fini(void);

// GFNI and AVX-512, as rte_thash_gfni() needs them.
bool machine_has_gfni(void);

// Of gfni.c; NULL where the compiler does not know these instructions.
extern const struct gfni_functions {
	void (*init)(void);
	// Hash n rows of len bytes each, at most BURST.
	void (*hash_bulk)(const uint8_t *rows, unsigned int row_size, unsigned int len,
			  unsigned int n, uint32_t *hashes);
	void (*run)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n);
	void (*run_ahead)(void *arg, struct rte_mbuf *const *mbufs, unsigned int n,
			  struct rte_mbuf *const *next);
} gfni_functions;

#endif
