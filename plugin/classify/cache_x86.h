/* SPDX-License-Identifier: BSD-3-Clause */
// Rows of the path cache on x86: a shuffle of 16 bytes.
#ifndef DDP_CLASSIFY_CACHE_X86_H
#define DDP_CLASSIFY_CACHE_X86_H

#include <immintrin.h>

#include "cache_set.h"

typedef __m128i gather_t;
typedef struct {
	__m128i from;
	unsigned int byte;
} from_t;

static inline from_t from_load(const struct cache_gather *gather) {
	return (from_t){_mm_loadu_si128((const void *)gather->from), gather->byte};
}

static inline gather_t gather(from_t from, const uint8_t *bytes) {
	return _mm_shuffle_epi8(_mm_loadu_si128((const void *)(bytes + from.byte)), from.from);
}

static inline gather_t gather_or(gather_t a, gather_t b) {
	return _mm_or_si128(a, b);
}

static inline void gather_store(uint8_t *row, gather_t g) {
	_mm_store_si128((void *)row, g);
}

#ifdef __AVX2__
typedef struct {
	__m256i from, words;
} ban_t;

static inline ban_t ban_load(const struct cache_ban *ban) {
	return (ban_t){
		_mm256_load_si256((const void *)ban->from),
		_mm256_load_si256((const void *)ban->words),
	};
}

static inline __m256i ban_fits(ban_t ban, const uint8_t *bytes) {
	__m256i all = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)bytes));

	return _mm256_cmpeq_epi16(_mm256_shuffle_epi8(all, ban.from), ban.words);
}
#endif

#endif
