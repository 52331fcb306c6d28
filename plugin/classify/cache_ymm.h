/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing in the path cache on 256-bit registers; with AVX-512 it is one instruction less.
#ifndef DDP_CLASSIFY_CACHE_YMM_H
#define DDP_CLASSIFY_CACHE_YMM_H

#include "cache_x86.h"

#define WINDOW 32

typedef struct {
	__m256i mask, value;
} window_t;
typedef __m256i differs_t;

static inline window_t window_load(const struct cache_entry *entry, unsigned int w) {
	return (window_t){
		_mm256_load_si256((const void *)(entry->packed + 2 * w * WINDOW)),
		_mm256_load_si256((const void *)(entry->packed + 2 * w * WINDOW + WINDOW)),
	};
}

static inline differs_t differs_none(void) {
	return _mm256_setzero_si256();
}

static inline differs_t differs_add(differs_t d, window_t w, const uint8_t *bytes) {
	__m256i part = _mm256_loadu_si256((const void *)bytes);

	part = _mm256_and_si256(part, w.mask);
#ifdef __AVX512VL__
	return _mm256_ternarylogic_epi64(d, part, w.value, 0xf6); // d | (part ^ value)
#else
	return _mm256_or_si256(d, _mm256_xor_si256(part, w.value));
#endif
}

static inline differs_t differs_ban(differs_t d, ban_t ban, const uint8_t *bytes) {
	return _mm256_or_si256(d, ban_fits(ban, bytes));
}

static inline uint32_t differs_any(differs_t d) {
	return !_mm256_testz_si256(d, d);
}

#endif
