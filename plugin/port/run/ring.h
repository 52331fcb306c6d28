/* SPDX-License-Identifier: BSD-3-Clause */
// A ring of packets from one writer to one reader, which may be on different cores.
//
// A burst is spread over many rings, a few packets each. So the writer puts packets one by one,
// which costs two stores, and publishes each ring once per burst: unseen until then.
//
// A mark is a position on a ring: the number of packets before it and, in its upper half, their
// bytes, both modulo 2^32. The difference of two marks is exact, so all packets of a ring are
// counted and taken without reading their mbufs, which another core wrote.
//
// Writer and reader each have a cache line that only they write. The writer reads the reader's line
// only when it has used all slots that were free at the last read.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_common.h>
#include <rte_debug.h>
#include <rte_mbuf.h>

struct ddp_ring {
	// the writer's cache line
	struct rte_mbuf **mbufs; // index: position & mask
	uint64_t next;           // mark of the next packet
	uint32_t limit;          // first position that is not free, as last read
	uint32_t mask;
	uint32_t size; // its capacity in packets

	// written by the writer: mark behind the published packets
	uint64_t tail __rte_cache_aligned;

	// written by the reader: mark behind the packets taken
	uint64_t head __rte_cache_aligned;
} __rte_cache_aligned;

// Memory size of a ring for size packets.
static inline size_t ddp_ring_memsize(uint32_t size) {
	return sizeof(struct ddp_ring) + rte_align32pow2(size) * sizeof(struct rte_mbuf *);
}

static inline void ddp_ring_init(struct ddp_ring *ring, uint32_t size) {
	uint32_t n = rte_align32pow2(size);

	RTE_ASSERT(size > 0);
	*ring = (struct ddp_ring){.mask = n - 1, .size = size, .limit = size};
	ring->mbufs = (struct rte_mbuf **)(ring + 1);
}

/* The writer */

// Is there room for a packet?
static inline bool ddp_ring_has_room(struct ddp_ring *ring) {
	if (likely((uint32_t)ring->next != ring->limit))
		return true;
	ring->limit = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) + ring->size;
	return (uint32_t)ring->next != ring->limit;
}

// Put a packet on the ring, which has room.
static inline void ddp_ring_put(struct ddp_ring *ring, struct rte_mbuf *mbuf) {
	const uint64_t next = ring->next;

	RTE_ASSERT((uint32_t)next != ring->limit);
	ring->mbufs[(uint32_t)next & ring->mask] = mbuf;
	ring->next = next + ((uint64_t)rte_pktmbuf_pkt_len(mbuf) << 32) + 1;
}

static inline void ddp_ring_publish(struct ddp_ring *ring) {
	__atomic_store_n(&ring->tail, ring->next, __ATOMIC_RELEASE);
}

/* The reader; any thread may call the first function */

static inline uint32_t ddp_ring_count(const struct ddp_ring *ring) {
	return __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
}

// Take up to n packets. Returns how many; adds their lengths to bytes.
static inline unsigned int ddp_ring_take(struct ddp_ring *ring, struct rte_mbuf **mbufs,
					 unsigned int n, uint64_t *bytes) {
	const uint64_t head = ring->head;
	const uint32_t first = (uint32_t)head & ring->mask;
	uint64_t end = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	const uint32_t count = end - head, n_taken = RTE_MIN(n, count);
	const uint32_t side = RTE_MIN(n_taken, ring->mask + 1 - first);

	if (n_taken == 0)
		return 0;
	memcpy(mbufs, &ring->mbufs[first], side * sizeof(*mbufs));
	if (unlikely(side < n_taken))
		memcpy(mbufs + side, ring->mbufs, (n_taken - side) * sizeof(*mbufs));
	if (n_taken < count) {
		end = head + n_taken;
		for (unsigned int i = 0; i < n_taken; i++)
			end += (uint64_t)rte_pktmbuf_pkt_len(mbufs[i]) << 32;
	}
	__atomic_store_n(&ring->head, end, __ATOMIC_RELEASE);
	*bytes += (end - head) >> 32;
	return n_taken;
}
