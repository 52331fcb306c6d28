/* SPDX-License-Identifier: BSD-3-Clause */
// A ring of packets from one writer to one reader, which may be on different cores.
//
// A burst is spread over many rings, a few packets each. So the writer puts packets one by one,
// which costs one or two stores, and publishes each ring once per burst; until then the reader sees
// none of them. A slot has the packet's length, so that counting bytes does not read mbufs that
// another core wrote.
//
// Writer and reader each have a cache line that only they write. The writer reads the reader's line
// only when it has used all slots that were free at the last read.
#ifndef DDP_PORT_RING_H
#define DDP_PORT_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_common.h>
#include <rte_debug.h>
#include <rte_mbuf.h>

struct ddp_slot {
	struct rte_mbuf *mbuf;
	uint64_t len;
};

struct ddp_ring {
	// the writer's
	struct ddp_slot *slots; // index: position & mask
	uint32_t mask;
	uint32_t size;  // its capacity in packets
	uint32_t next;  // position of the next packet
	uint32_t limit; // first position that is not free, as last read

	// written by the writer: end of the published packets
	uint32_t tail __rte_cache_aligned;

	// written by the reader: end of the packets taken
	uint32_t head __rte_cache_aligned;
} __rte_cache_aligned;

// Memory size of a ring for size packets.
static inline size_t ddp_ring_memsize(uint32_t size) {
	return sizeof(struct ddp_ring) + rte_align32pow2(size) * sizeof(struct ddp_slot);
}

static inline void ddp_ring_init(struct ddp_ring *ring, uint32_t size) {
	uint32_t n = rte_align32pow2(size);

	RTE_ASSERT(size > 0);
	*ring = (struct ddp_ring){.mask = n - 1, .size = size, .limit = size};
	ring->slots = (struct ddp_slot *)(ring + 1);
}

/* The writer */

// Whether there is room for a packet.
static inline bool ddp_ring_has_room(struct ddp_ring *ring) {
	if (likely(ring->next != ring->limit))
		return true;
	ring->limit = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) + ring->size;
	return ring->next != ring->limit;
}

// Put a packet on the ring, which has room.
static inline void ddp_ring_put(struct ddp_ring *ring, struct rte_mbuf *mbuf) {
	struct ddp_slot *slot = &ring->slots[ring->next++ & ring->mask];

	RTE_ASSERT(ring->next != ring->limit);
	slot->mbuf = mbuf;
	slot->len = rte_pktmbuf_pkt_len(mbuf);
}

static inline void ddp_ring_publish(struct ddp_ring *ring) {
	__atomic_store_n(&ring->tail, ring->next, __ATOMIC_RELEASE);
}

/* The reader, but for the first: anyone */

static inline uint32_t ddp_ring_count(const struct ddp_ring *ring) {
	return __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) -
	       __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
}

// Take n packets from consecutive slots. Adds their lengths to bytes.
static inline void ddp_ring_copy(const struct ddp_ring *ring, uint32_t from,
				 struct rte_mbuf **mbufs, unsigned int n, uint64_t *bytes) {
	const struct ddp_slot *slots = &ring->slots[from];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		mbufs[i] = slots[i].mbuf;
		sum += slots[i].len;
	}
	*bytes += sum;
}

// Take up to n packets. Returns how many; adds their lengths to bytes.
static inline unsigned int ddp_ring_take(struct ddp_ring *ring, struct rte_mbuf **mbufs,
					 unsigned int n, uint64_t *bytes) {
	uint32_t head = ring->head, first = head & ring->mask, side;

	n = RTE_MIN(n, ddp_ring_count(ring));
	if (n == 0)
		return 0;
	side = RTE_MIN(n, ring->mask + 1 - first);
	ddp_ring_copy(ring, first, mbufs, side, bytes);
	if (unlikely(side < n))
		ddp_ring_copy(ring, 0, mbufs + side, n - side, bytes);
	__atomic_store_n(&ring->head, head + n, __ATOMIC_RELEASE);
	return n;
}

#endif
