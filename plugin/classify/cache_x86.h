/* SPDX-License-Identifier: BSD-3-Clause */
// Rows of the path cache on x86: a shuffle of 16 bytes.
#ifndef DDP_CLASSIFY_CACHE_X86_H
#define DDP_CLASSIFY_CACHE_X86_H

#include <immintrin.h>

#include "cache_set.h"

typedef __m128i gather_t;

static inline gather_t gather_load(const struct cache_gather *gather, const uint8_t *bytes) {
	return _mm_shuffle_epi8(_mm_loadu_si128((const void *)(bytes + gather->byte)),
				_mm_loadu_si128((const void *)gather->from));
}

static inline gather_t gather_or(gather_t a, gather_t b) {
	return _mm_or_si128(a, b);
}

static inline void gather_store(uint8_t *row, gather_t g) {
	_mm_store_si128((void *)row, g);
}

#endif
