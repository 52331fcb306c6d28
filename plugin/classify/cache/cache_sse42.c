/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with SSE4.2.
#include "cache_x86.h"

typedef struct {
	__m128i mask[2], value[2];
} window_t;
typedef __m128i differs_t;

INLINE window_t window_load(const struct cache_entry *entry, unsigned int w) {
	const uint8_t *mask = entry->packed + 2 * w * CACHE_WINDOW;
	const uint8_t *value = entry->packed + 2 * w * CACHE_WINDOW + CACHE_WINDOW;
	window_t window;

	for (unsigned int i = 0; i < 2; i++) {
		window.mask[i] = _mm_load_si128((const void *)(mask + 16 * i));
		window.value[i] = _mm_load_si128((const void *)(value + 16 * i));
	}
	return window;
}

INLINE differs_t differs_none(void) {
	return _mm_setzero_si128();
}

INLINE differs_t differs_add(differs_t d, window_t w, const uint8_t *bytes) {
	for (unsigned int i = 0; i < 2; i++) {
		__m128i part = _mm_loadu_si128((const void *)(bytes + 16 * i));

		d = _mm_or_si128(d, _mm_xor_si128(_mm_and_si128(part, w.mask[i]), w.value[i]));
	}
	return d;
}

typedef struct {
	__m128i of[2];
} raw_t;

INLINE raw_t raw_none(void) {
	return (raw_t){{_mm_setzero_si128(), _mm_setzero_si128()}};
}

INLINE raw_t raw_add(raw_t raw, window_t w, const uint8_t *bytes) {
	for (unsigned int i = 0; i < 2; i++) {
		__m128i part = _mm_loadu_si128((const void *)(bytes + 16 * i));

		raw.of[i] = _mm_or_si128(raw.of[i], _mm_xor_si128(part, w.value[i]));
	}
	return raw;
}

INLINE differs_t raw_differs(differs_t d, raw_t raw, window_t w) {
	for (unsigned int i = 0; i < 2; i++)
		d = _mm_or_si128(d, _mm_and_si128(raw.of[i], w.mask[i]));
	return d;
}

INLINE differs_t differs_pair(differs_t d, const struct cache_entry *entry, unsigned int p,
			      const uint8_t *bytes) {
	const struct cache_pair *pair = &entry->pairs[p];

	for (unsigned int i = 0; i < 2; i++) {
		__m128i piece = piece_load(entry, p, i, bytes);

		piece = _mm_and_si128(piece, _mm_load_si128((const void *)(pair->mask + 16 * i)));
		piece = _mm_xor_si128(piece, _mm_load_si128((const void *)(pair->value + 16 * i)));
		d = _mm_or_si128(d, piece);
	}
	return d;
}

typedef struct {
	__m128i from[2], words[2];
} exclusion_t;

INLINE exclusion_t exclusion_load(const struct cache_exclusion *exclusion) {
	return (exclusion_t){
		{
			_mm_load_si128((const void *)exclusion->from),
			_mm_load_si128((const void *)(exclusion->from + 16)),
		},
		{
			_mm_load_si128((const void *)exclusion->words),
			_mm_load_si128((const void *)(exclusion->words + 8)),
		},
	};
}

INLINE differs_t differs_exclusion(differs_t d, exclusion_t exclusion, const uint8_t *bytes) {
	__m128i all = _mm_loadu_si128((const void *)bytes);

	for (unsigned int i = 0; i < 2; i++)
		d = _mm_or_si128(d, _mm_cmpeq_epi16(_mm_shuffle_epi8(all, exclusion.from[i]),
						    exclusion.words[i]));
	return d;
}

INLINE uint32_t differs_any(differs_t d) {
	return _mm_testz_si128(d, d) ^ 1;
}

typedef struct {
	pool_t pool;
	__m128i from[4], mask[4], value[4];
} lanes_t;

INLINE lanes_t lanes_load(const struct cache_lanes *group, bool wide) {
	lanes_t lanes = {.pool = pool_load(group)};

	for (unsigned int q = 0; q < (wide ? 4 : 2); q++) {
		lanes.from[q] = _mm_load_si128((const void *)(group->from + 16 * q));
		lanes.mask[q] = _mm_load_si128((const void *)(group->mask + 16 * q));
		lanes.value[q] = _mm_load_si128((const void *)(group->value + 16 * q));
	}
	return lanes;
}

// Bit i: hint i of a quarter fits.
INLINE unsigned int hints_fit(lanes_t lanes, unsigned int q, __m128i pool) {
	__m128i hints = _mm_shuffle_epi8(pool, lanes.from[q]);

	hints = _mm_cmpeq_epi32(_mm_and_si128(hints, lanes.mask[q]), lanes.value[q]);
	return _mm_movemask_ps(_mm_castsi128_ps(hints));
}

INLINE unsigned int lanes_find(lanes_t lanes, bool wide, const uint8_t *bytes) {
	__m128i pool = pool_gather(lanes.pool, bytes);
	unsigned int fits = 0;

	for (unsigned int q = 0; q < (wide ? 4 : 2); q++)
		fits |= hints_fit(lanes, q, pool) << 4 * q;
	return __builtin_ctz(fits);
}

#define KERNEL cache_kernel_v2
#include "cache_kernel.h"
