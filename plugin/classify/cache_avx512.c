/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX-512: windows of 64 bytes.
#include "cache_x86.h"

#define WINDOW 64

typedef struct {
	__m512i mask, value;
} window_t;
typedef __m512i differs_t;

static inline window_t window_load(const struct cache_entry *entry, unsigned int w) {
	return (window_t){
		_mm512_load_si512(entry->packed + 2 * w * WINDOW),
		_mm512_load_si512(entry->packed + 2 * w * WINDOW + WINDOW),
	};
}

static inline differs_t differs_none(void) {
	return _mm512_setzero_si512();
}

static inline differs_t differs_add(differs_t d, window_t w, const uint8_t *bytes) {
	__m512i part = _mm512_loadu_si512(bytes);

	part = _mm512_and_si512(part, w.mask);
	return _mm512_ternarylogic_epi64(d, part, w.value, 0xf6); // d | (part ^ value)
}

static inline differs_t differs_ban(differs_t d, ban_t ban, const uint8_t *bytes) {
	return _mm512_or_si512(d, _mm512_zextsi256_si512(ban_fits(ban, bytes)));
}

static inline uint32_t differs_any(differs_t d) {
	return _mm512_test_epi64_mask(d, d) != 0;
}

#define KERNEL cache_kernel_avx512
#include "cache_kernel.h"
