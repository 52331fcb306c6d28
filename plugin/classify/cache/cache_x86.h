/* SPDX-License-Identifier: BSD-3-Clause */
// Rows of the path cache on x86: a shuffle of 16 bytes.
#ifndef DDP_CLASSIFY_CACHE_CACHE_X86_H
#define DDP_CLASSIFY_CACHE_CACHE_X86_H

#include <immintrin.h>

#include "cache_set.h"

INLINE __m128i piece_load(const struct cache_entry *entry, unsigned int p, unsigned int i,
			  const uint8_t *bytes) {
	return _mm_loadu_si128((const void *)(bytes + entry->pieces[p][i]));
}

typedef __m128i gather_t;
typedef struct {
	__m128i from;
	unsigned int byte;
} from_t;

INLINE from_t from_load(const struct cache_gather *gather) {
	return (from_t){_mm_loadu_si128((const void *)gather->from), gather->byte};
}

INLINE gather_t gather(from_t from, const uint8_t *bytes) {
	return _mm_shuffle_epi8(_mm_loadu_si128((const void *)(bytes + from.byte)), from.from);
}

INLINE gather_t gather_or(gather_t a, gather_t b) {
	return _mm_or_si128(a, b);
}

INLINE void gather_store(uint8_t *row, gather_t g) {
	_mm_store_si128((void *)row, g);
}

// The places of the bytes that distinguish the entries of a group.
typedef struct {
	__m128i shuffles[CACHE_PLACES];
	unsigned int places[CACHE_PLACES];
} pool_t;

INLINE pool_t pool_load(const struct cache_lanes *group) {
	pool_t pool;

	for (unsigned int p = 0; p < CACHE_PLACES; p++) {
		pool.shuffles[p] = _mm_loadu_si128((const void *)group->pools[p]);
		pool.places[p] = group->places[p];
	}
	return pool;
}

INLINE __m128i pool_gather(pool_t pool, const uint8_t *bytes) {
	__m128i all = _mm_setzero_si128();

	for (unsigned int p = 0; p < CACHE_PLACES; p++) {
		__m128i place = _mm_loadu_si128((const void *)(bytes + pool.places[p]));

		all = _mm_or_si128(all, _mm_shuffle_epi8(place, pool.shuffles[p]));
	}
	return all;
}

#define LANES

#ifdef __AVX2__
// The bits of a pair that differ from the entry's.
INLINE __m256i pair_differs(const struct cache_entry *entry, unsigned int p, const uint8_t *bytes) {
	const struct cache_pair *pair = &entry->pairs[p];
	__m256i both =
		_mm256_inserti128_si256(_mm256_castsi128_si256(piece_load(entry, p, 0, bytes)),
					piece_load(entry, p, 1, bytes), 1);

	both = _mm256_and_si256(both, _mm256_load_si256((const void *)pair->mask));
	return _mm256_xor_si256(both, _mm256_load_si256((const void *)pair->value));
}

typedef struct {
	__m256i from, words;
} exclusion_t;

INLINE exclusion_t exclusion_load(const struct cache_exclusion *exclusion) {
	return (exclusion_t){
		_mm256_load_si256((const void *)exclusion->from),
		_mm256_load_si256((const void *)exclusion->words),
	};
}

INLINE __m256i exclusion_fits(exclusion_t exclusion, const uint8_t *bytes) {
	__m256i all = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)bytes));

	return _mm256_cmpeq_epi16(_mm256_shuffle_epi8(all, exclusion.from), exclusion.words);
}

typedef __m256i differs_t;

INLINE differs_t differs_none(void) {
	return _mm256_setzero_si256();
}

INLINE differs_t differs_pair(differs_t d, const struct cache_entry *entry, unsigned int p,
			      const uint8_t *bytes) {
	return _mm256_or_si256(d, pair_differs(entry, p, bytes));
}

INLINE differs_t differs_exclusion(differs_t d, exclusion_t exclusion, const uint8_t *bytes) {
	return _mm256_or_si256(d, exclusion_fits(exclusion, bytes));
}

INLINE uint32_t differs_any(differs_t d) {
	return _mm256_testz_si256(d, d) ^ 1;
}
#endif

#endif
