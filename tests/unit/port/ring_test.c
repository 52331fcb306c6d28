/* SPDX-License-Identifier: BSD-3-Clause */
// If the ring were wrong, packets would be lost, come twice or out of order, or the queue's bytes
// would be miscounted, above all after 2^32 packets or bytes.
#include "port/run/burst.h"
#include "port/run/ring.h"
#include "unit.h"

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

TEST(packets_come_in_order_also_when_numbers_or_bytes_wrap) {
	all_come_in_order(0);
	all_come_in_order(UINT32_MAX - 1000);
	all_come_in_order((uint64_t)(UINT32_MAX - 100000) << 32);
	all_come_in_order(UINT64_MAX - 1000);
}

// A burst that is taken for alike and is not would go to the application with the wrong packet
// types or hashes; bytes that are miscounted show in its statistics.
#define BURST 32
#define PORT 0x1234

typedef uint32_t scan_fn(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n);

static struct rte_mbuf burst_scan_pool[BURST];
static struct rte_mbuf *mbufs[BURST];

static uint64_t seed = 1;

// Packets of one type with a hash, and all else at random. Returns their bytes.
static uint32_t burst_make(unsigned int n) {
	uint32_t rte_ptype = random_next(&seed), bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = &burst_scan_pool[(i * 7) % BURST];

		for (unsigned int k = 0; k < sizeof(*mbuf) / 8; k++)
			((uint64_t *)mbuf)[k] = random_next(&seed);
		mbuf->packet_type = rte_ptype;
		mbuf->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
		mbuf->pkt_len = 1 + random_below(&seed, 65536);
		bytes += mbuf->pkt_len;
		mbufs[i] = mbuf;
	}
	return bytes;
}

static void scan(scan_fn *fn, unsigned int n, uint32_t expected) {
	struct rte_mbuf before[BURST];

	memcpy(before, burst_scan_pool, sizeof(burst_scan_pool));
	assert_int_equal(fn(PORT, mbufs, n), expected);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(mbufs[i]->port, PORT);
		before[mbufs[i] - burst_scan_pool].port = PORT;
	}
	assert_memory_equal(before, burst_scan_pool, sizeof(burst_scan_pool));
}

// All alike; one of another type by each bit; one without a hash, whose field may hold anything;
// and empty ones.
static void all(scan_fn *fn) {
	uint32_t bytes;

	for (unsigned int n = 1; n <= BURST; n++)
		for (unsigned int i = 0; i < n; i++) {
			bytes = burst_make(n);
			scan(fn, n, bytes);
			mbufs[i]->ol_flags &= ~RTE_MBUF_F_RX_RSS_HASH;
			scan(fn, n, 0);
			for (unsigned int bit = 0; bit < 32 && n > 1; bit++) {
				burst_make(n);
				mbufs[i]->packet_type ^= UINT32_C(1) << bit;
				scan(fn, n, 0);
			}
		}
	burst_make(BURST);
	for (unsigned int i = 0; i < BURST; i++)
		mbufs[i]->pkt_len = 0;
	scan(fn, BURST, 0);
}

TEST(bursts_that_are_alike_are_found) {
	all(ddp_burst_scan_words); // portable
	all(ddp_burst_scan);       // as it is used
}
