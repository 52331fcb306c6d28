/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/burst_scan.h: a burst that is taken for alike and is not would go to the
// application with the wrong packet types or hashes; bytes that are miscounted show in its
// statistics.
#include "port/run/burst_scan.h"
#include "unit.h"

#define BURST 32
#define PORT 0x1234
#define ROUNDS 2000

typedef uint32_t scan_fn(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n);

static struct rte_mbuf pool[BURST];
static struct rte_mbuf *mbufs[BURST];

static uint64_t seed = 1;

static uint32_t random_32(void) {
	return random_next(&seed);
}

// Packets of one type with a hash, and all else at random. Returns their bytes.
static uint32_t burst_make(unsigned int n) {
	uint32_t rte_ptype = random_32();
	uint32_t bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = &pool[(i * 7) % BURST];

		for (unsigned int k = 0; k < sizeof(*mbuf) / 8; k++)
			((uint64_t *)mbuf)[k] = random_next(&seed);
		mbuf->packet_type = rte_ptype;
		mbuf->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
		mbuf->pkt_len = 1 + random_32() % 65536;
		bytes += mbuf->pkt_len;
		mbufs[i] = mbuf;
	}
	return bytes;
}

static void scan(scan_fn *fn, unsigned int n, uint32_t expected) {
	struct rte_mbuf before[BURST];

	memcpy(before, pool, sizeof(pool));
	assert_int_equal(fn(PORT, mbufs, n), expected);
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(mbufs[i]->port, PORT);
		before[mbufs[i] - pool].port = PORT;
	}
	assert_memory_equal(before, pool, sizeof(pool));
}

static void alike(scan_fn *fn) {
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int n = 1 + round % BURST;
		uint32_t bytes = burst_make(n);

		scan(fn, n, bytes);
	}
}

static void one_differs(scan_fn *fn) {
	for (unsigned int n = 2; n <= BURST; n++)
		for (unsigned int i = 0; i < n; i++)
			for (unsigned int bit = 0; bit < 32; bit++) {
				burst_make(n);
				mbufs[i]->packet_type ^= UINT32_C(1) << bit;
				scan(fn, n, 0);
			}
}

// Whatever the hash field holds.
static void one_has_no_hash(scan_fn *fn) {
	for (unsigned int n = 1; n <= BURST; n++)
		for (unsigned int i = 0; i < n; i++) {
			burst_make(n);
			mbufs[i]->ol_flags &= ~RTE_MBUF_F_RX_RSS_HASH;
			scan(fn, n, 0);
		}
}

static void all_are_empty(scan_fn *fn) {
	burst_make(BURST);
	for (unsigned int i = 0; i < BURST; i++)
		mbufs[i]->pkt_len = 0;
	scan(fn, BURST, 0);
}

static void all(scan_fn *fn) {
	alike(fn);
	one_differs(fn);
	one_has_no_hash(fn);
	all_are_empty(fn);
}

TEST(portable) {
	all(ddp_burst_scan_words);
}

TEST(as_it_is_used) {
	all(ddp_burst_scan);
}
