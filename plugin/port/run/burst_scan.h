/* SPDX-License-Identifier: BSD-3-Clause */
// One loop over the mbufs of a burst that checks their hash flags and packet types, adds up their
// lengths and writes their port. It is all that packets need that bypass the rings without meta.
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_vect.h>

// Packet type and length are read as one word; their positions in it.
#define SCAN_TYPE_SHIFT (RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN ? 0 : 32)
#define SCAN_LEN_SHIFT (32 - SCAN_TYPE_SHIFT)

static_assert(offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, packet_type) + 4,
	      "packet type and length are one word");

// ddp_burst_scan() in portable C.
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
// The 16 bytes from nb_segs on, behind the reference counter: port, flags and packet type.
#define SCAN_OFF offsetof(struct rte_mbuf, nb_segs)

static_assert(offsetof(struct rte_mbuf, refcnt) < SCAN_OFF, "it is not written");
static_assert(offsetof(struct rte_mbuf, port) == SCAN_OFF + 2, "word 1");
static_assert(offsetof(struct rte_mbuf, ol_flags) == SCAN_OFF + 4, "double word 1");
static_assert(offsetof(struct rte_mbuf, packet_type) == SCAN_OFF + 12, "double word 3");

// Write nb_segs, unchanged, and port: four aligned bytes. In a loop of its own on Zen 3 this takes
// 0.1 to 0.2 ns less than writing two bytes, and 0.05 to 0.3 ns less than writing all 16 bytes.
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

// Do all of n packets (1 to DDP_PORT_BURST) have an RSS hash and the packet type of the first one?
// Returns their bytes (below 4 GiB); 0: no, or all are empty. Writes the mbufs' port anyway.
static inline uint32_t ddp_burst_scan(uint16_t port, struct rte_mbuf *const *mbufs,
				      unsigned int n) {
#ifdef RTE_ARCH_X86
	return ddp_burst_scan_sse(port, mbufs, n);
#else
	return ddp_burst_scan_words(port, mbufs, n);
#endif
}
