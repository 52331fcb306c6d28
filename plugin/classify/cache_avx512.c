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

static inline differs_t differs_pair(differs_t d, const struct cache_entry *entry, unsigned int p,
				     const uint8_t *bytes) {
	return _mm512_or_si512(d, _mm512_zextsi256_si512(pair_differs(entry, p, bytes)));
}

static inline differs_t differs_ban(differs_t d, ban_t ban, const uint8_t *bytes) {
	return _mm512_or_si512(d, _mm512_zextsi256_si512(ban_fits(ban, bytes)));
}

static inline uint32_t differs_any(differs_t d) {
	return _mm512_test_epi64_mask(d, d) != 0;
}

typedef struct {
	pool_t pool;
	__m512i from, mask, value;
} lanes_t;

static inline lanes_t lanes_load(const struct cache_lanes *group, bool wide) {
	(void)wide;
	return (lanes_t){
		pool_load(group),
		_mm512_load_si512(group->from),
		_mm512_load_si512(group->mask),
		_mm512_load_si512(group->value),
	};
}

static inline unsigned int lanes_find(lanes_t lanes, bool wide, const uint8_t *bytes) {
	__m512i hints = _mm512_broadcast_i32x4(pool_gather(lanes.pool, bytes));

	(void)wide;
	hints = _mm512_shuffle_epi8(hints, lanes.from);
	// (hints ^ value) & mask
	hints = _mm512_ternarylogic_epi64(hints, lanes.value, lanes.mask, 0x28);
	return __builtin_ctz(_mm512_testn_epi32_mask(hints, hints) | 1u << CACHE_LANES);
}

#define KERNEL cache_kernel_avx512
#include "cache_kernel.h"
