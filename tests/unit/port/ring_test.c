/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/ring.h: if it were wrong, packets would be lost, come twice or out of
// order, or the queue's bytes would be miscounted, above all after 2^32 packets or bytes.
#include "unit.h"

#include "port/run/ring.h"

#define SIZE 40 // of a ring with 64 slots
#define ROUNDS 20000

static struct rte_mbuf pool[512];

static struct ddp_ring *ring_make(uint64_t mark) {
	struct ddp_ring *ring = aligned_alloc(
		RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(ddp_ring_memsize(SIZE), RTE_CACHE_LINE_SIZE));

	assert_non_null(ring);
	ddp_ring_init(ring, SIZE);
	ring->next = ring->tail = ring->head = mark;
	ring->limit = (uint32_t)mark + SIZE;
	return ring;
}

static struct rte_mbuf *packet(uint32_t n) {
	struct rte_mbuf *mbuf = &pool[n % COUNT(pool)];

	mbuf->pkt_len = n % 7 == 0 ? 65536 + n % 1000 : 60 + n % 9000;
	return mbuf;
}

// Packets are put and taken, up to as many as there is room for, all at once or some.
static void all_come_in_order(uint64_t mark) {
	struct ddp_ring *ring = ring_make(mark);
	uint32_t n_put = 0, n_published = 0, n_got = 0;
	struct rte_mbuf *got[SIZE];

	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int to_put = random() % (SIZE + 1), to_take = random() % (SIZE + 1), n;
		uint64_t bytes = 1, expected = 1;

		for (; to_put > 0 && ddp_ring_has_room(ring); to_put--)
			ddp_ring_put(ring, packet(n_put++));
		assert_true(to_put == 0 || n_put - n_got == SIZE);
		assert_int_equal(ddp_ring_count(ring), n_published - n_got);
		if (random() % 4 > 0) {
			ddp_ring_publish(ring);
			n_published = n_put;
		}
		n = ddp_ring_take(ring, got, to_take, &bytes);
		assert_int_equal(n, RTE_MIN(to_take, n_published - n_got));
		for (unsigned int i = 0; i < n; i++, n_got++) {
			assert_ptr_equal(got[i], &pool[n_got % COUNT(pool)]);
			expected += got[i]->pkt_len;
		}
		assert_int_equal(bytes, expected);
		assert_int_equal(ddp_ring_count(ring), n_published - n_got);
	}
	assert_true(n_got > ROUNDS);
	free(ring);
}

TEST(packets_come_in_order) {
	all_come_in_order(0);
}

TEST(packets_come_in_order_when_their_number_wraps) {
	all_come_in_order(UINT32_MAX - 1000);
}

TEST(bytes_are_right_when_they_wrap) {
	all_come_in_order((uint64_t)(UINT32_MAX - 100000) << 32);
	all_come_in_order(UINT64_MAX - 1000);
}
