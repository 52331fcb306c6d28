/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX2.
#include "cache_x86.h"

typedef struct {
	__m256i mask, value;
} window_t;

INLINE window_t window_load(const struct cache_entry *entry, unsigned int w) {
	return (window_t){
		_mm256_load_si256((const void *)(entry->packed + 2 * w * CACHE_WINDOW)),
		_mm256_load_si256(
			(const void *)(entry->packed + 2 * w * CACHE_WINDOW + CACHE_WINDOW)),
	};
}

INLINE differs_t differs_add(differs_t d, window_t w, const uint8_t *bytes) {
	__m256i part = _mm256_loadu_si256((const void *)bytes);

	part = _mm256_and_si256(part, w.mask);
	return _mm256_or_si256(d, _mm256_xor_si256(part, w.value));
}

typedef __m256i raw_t;

INLINE raw_t raw_none(void) {
	return _mm256_setzero_si256();
}

INLINE raw_t raw_add(raw_t raw, window_t w, const uint8_t *bytes) {
	__m256i all = _mm256_loadu_si256((const void *)bytes);

	return _mm256_or_si256(raw, _mm256_xor_si256(all, w.value));
}

INLINE differs_t raw_differs(differs_t d, raw_t raw, window_t w) {
	return _mm256_or_si256(d, _mm256_and_si256(raw, w.mask));
}

typedef struct {
	pool_t pool;
	__m256i from[2], mask[2], value[2];
} lanes_t;

INLINE lanes_t lanes_load(const struct cache_lanes *group, bool wide) {
	lanes_t lanes = {.pool = pool_load(group)};

	for (unsigned int h = 0; h < 1u + wide; h++) {
		lanes.from[h] = _mm256_load_si256((const void *)(group->from + 32 * h));
		lanes.mask[h] = _mm256_load_si256((const void *)(group->mask + 32 * h));
		lanes.value[h] = _mm256_load_si256((const void *)(group->value + 32 * h));
	}
	return lanes;
}

// Bit i: hint i of a half fits.
INLINE unsigned int hints_fit(lanes_t lanes, unsigned int h, __m256i pool) {
	__m256i hints = _mm256_shuffle_epi8(pool, lanes.from[h]);

	hints = _mm256_cmpeq_epi32(_mm256_and_si256(hints, lanes.mask[h]), lanes.value[h]);
	return _mm256_movemask_ps(_mm256_castsi256_ps(hints));
}

INLINE unsigned int lanes_find(lanes_t lanes, bool wide, const uint8_t *bytes) {
	__m256i pool = _mm256_broadcastsi128_si256(pool_gather(lanes.pool, bytes));
	unsigned int fits = hints_fit(lanes, 0, pool);

	if (wide)
		fits |= hints_fit(lanes, 1, pool) << 8;
	return __builtin_ctz(fits);
}

#define KERNEL cache_kernel_v3
#include "cache_kernel.h"
