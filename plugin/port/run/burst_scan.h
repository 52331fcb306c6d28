/* SPDX-License-Identifier: BSD-3-Clause */
// What the mbufs of a burst say, at a glance. Without dynamic fields that, and to write the port, is all there is to do
// with packets that a NIC hashed and that go straight.
#ifndef DDP_PORT_BURST_SCAN_H
#define DDP_PORT_BURST_SCAN_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

// Packet type and length of a packet lie side by side: where they are in a word.
#define SCAN_TYPE_SHIFT (RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN ? 0 : 32)
#define SCAN_LEN_SHIFT (32 - SCAN_TYPE_SHIFT)

static_assert(offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, packet_type) + 4,
	      "packet type and length are one word");

// ddp_look() in portable C.
static inline uint32_t ddp_burst_scan_words(uint16_t port, struct rte_mbuf *const *mbufs,
					    unsigned int n) {
	const uint32_t rte_ptype = mbufs[0]->packet_type;
	uint64_t flags = RTE_MBUF_F_RX_RSS_HASH, every = UINT64_MAX, any = 0, sum = 0;

#pragma GCC unroll 4
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];
		uint64_t word;

		memcpy(&word, &mbuf->packet_type, sizeof(word));
		every &= word;
		any |= word;
		sum += word;
		flags &= mbuf->ol_flags;
		mbuf->port = port;
	}
	if (unlikely(flags == 0 || (uint32_t)((every ^ any) >> SCAN_TYPE_SHIFT) != 0))
		return 0;
	return (sum - ((uint64_t)rte_ptype * n << SCAN_TYPE_SHIFT)) >> SCAN_LEN_SHIFT;
}

#ifdef RTE_ARCH_X86
// From nb_segs on there are, in 16 bytes, the port, flags and the packet type. The reference counter lies before: others
// may change it at any time.
#define SCAN_OFF offsetof(struct rte_mbuf, nb_segs)

static_assert(offsetof(struct rte_mbuf, refcnt) < SCAN_OFF, "it is not written");
static_assert(offsetof(struct rte_mbuf, port) == SCAN_OFF + 2, "word 1");
static_assert(offsetof(struct rte_mbuf, ol_flags) == SCAN_OFF + 4, "double word 1");
static_assert(offsetof(struct rte_mbuf, packet_type) == SCAN_OFF + 12, "double word 3");

// What is written is nb_segs, as it was, and the port: four aligned bytes. In a loop of its own on Zen 3 that takes 0.1 to
// 0.2 ns less than two bytes, and 0.05 to 0.3 less than the whole piece, which lies across a boundary of 32 bytes.
static inline uint32_t ddp_burst_scan_sse(uint16_t port, struct rte_mbuf *const *mbufs,
					  unsigned int n) {
	__m128i every = _mm_set1_epi32(-1), any = _mm_setzero_si128();
	const __m128i ports = _mm_set1_epi16((int16_t)port);
	uint32_t bytes = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		void *piece = &mbufs[i]->nb_segs;
		__m128i word = _mm_loadu_si128(piece);
		int segs_port;

		every = _mm_and_si128(every, word);
		any = _mm_or_si128(any, word);
		bytes += mbufs[i]->pkt_len;
		segs_port = _mm_cvtsi128_si32(_mm_blend_epi16(word, ports, 1 << 1));
		memcpy(piece, &segs_port, sizeof(segs_port));
	}
	if (unlikely((_mm_extract_epi32(every, 1) & RTE_MBUF_F_RX_RSS_HASH) == 0 ||
		     _mm_extract_epi32(_mm_xor_si128(every, any), 3) != 0))
		return 0;
	return bytes;
}
#endif

// Do all of n packets (1 to DDP_PORT_BURST) have an RSS hash, and the packet type of the first one? Returns their bytes
// (below 4 GiB), 0 for no, also if all are empty. Their mbufs get the port meanwhile, in any case.
static inline uint32_t ddp_burst_scan(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n) {
#ifdef RTE_ARCH_X86
	return ddp_burst_scan_sse(port, mbufs, n);
#else
	return ddp_burst_scan_words(port, mbufs, n);
#endif
}

#endif
