/* SPDX-License-Identifier: BSD-3-Clause */
// With AVX2: all that is looked at and written of an mbuf lies within 32 bytes.
#include "look.h"

#include <assert.h>
#include <stddef.h>

#include <immintrin.h>

#define PIECE offsetof(struct rte_mbuf, data_off)
#define PORT 3  // 16-bit word of the piece
#define FLAGS 1 // 64-bit word
#define TYPE 4  // 32-bit words
#define LEN 5

static_assert(offsetof(struct rte_mbuf, port) == PIECE + 2 * PORT, "PORT");
static_assert(offsetof(struct rte_mbuf, ol_flags) == PIECE + 8 * FLAGS, "FLAGS");
static_assert(offsetof(struct rte_mbuf, packet_type) == PIECE + 4 * TYPE, "TYPE");
static_assert(offsetof(struct rte_mbuf, pkt_len) == PIECE + 4 * LEN, "LEN");

uint64_t ddp_look_v3(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n) {
	__m256i every = _mm256_set1_epi32(-1), any = _mm256_setzero_si256(), sum = any;
	const __m128i ports = _mm_set1_epi16((int16_t)port);

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		void *piece = &mbufs[i]->data_off;
		__m256i word = _mm256_loadu_si256(piece);

		every = _mm256_and_si256(every, word);
		any = _mm256_or_si256(any, word);
		sum = _mm256_add_epi32(sum, word);
		// A store of 16 bytes takes less time than one of two.
		_mm_storeu_si128(piece,
				 _mm_blend_epi16(_mm256_castsi256_si128(word), ports, 1 << PORT));
	}
	if ((_mm256_extract_epi64(every, FLAGS) & RTE_MBUF_F_RX_RSS_HASH) == 0 ||
	    _mm256_extract_epi32(_mm256_xor_si256(every, any), TYPE) != 0)
		return 0;
	return (uint32_t)_mm256_extract_epi32(sum, LEN);
}
