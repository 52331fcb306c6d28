/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing in the path cache with AVX-512 and VBMI: the packet's bytes are selected, one by one,
// from its first lines, which lie in registers. One selection is compared with all conditions of an
// entry; another one with the hints of up to 16 entries.
#include "cache_kernel.h"

#define BLOCK 8   // packets whose lines stay in registers
#define TESTED 16 // packets whose results are tested at once

typedef __m512i selection_t;

INLINE selection_t selection_load(const uint8_t *bytes) {
	return _mm512_load_si512(bytes);
}

typedef struct {
	__m512i of[TRACE_REACH / 64];
} lines_t;

INLINE lines_t lines_load(const uint8_t *bytes, const unsigned int n_lines) {
	lines_t lines;

	for (unsigned int l = 0; l < n_lines; l++)
		lines.of[l] = _mm512_loadu_si512(bytes + 64 * l);
	return lines;
}

// Bit 7 of an offset selects the two lines.
INLINE selection_t lines_select(lines_t lines, const unsigned int n_lines, selection_t from) {
	__m512i far, near;

	if (n_lines == 1)
		return _mm512_permutexvar_epi8(from, lines.of[0]);
	near = _mm512_permutex2var_epi8(lines.of[0], from, lines.of[1]);
	if (n_lines == 2)
		return near;
	far = n_lines == 3 ? _mm512_permutexvar_epi8(from, lines.of[2]) :
			     _mm512_permutex2var_epi8(lines.of[2], from, lines.of[3]);
	return _mm512_mask_mov_epi8(near, _mm512_movepi8_mask(from), far);
}

// (a ^ value) & mask
INLINE __m512i wrong_bits(__m512i a, __m512i value, __m512i mask) {
	return _mm512_ternarylogic_epi64(a, value, mask, 0x28);
}

INLINE uint32_t right_words(selection_t a, selection_t value, selection_t mask) {
	__m512i wrong = wrong_bits(a, value, mask);

	return _mm512_testn_epi16_mask(wrong, wrong);
}

INLINE uint32_t right_dwords(selection_t a, selection_t value, selection_t mask) {
	__m512i wrong = wrong_bits(a, value, mask);

	return _mm512_testn_epi32_mask(wrong, wrong);
}

INLINE uint32_t tested(const uint32_t *numbers, uint32_t bits) {
	return _mm512_test_epi32_mask(_mm512_load_si512(numbers), _mm512_set1_epi32(bits));
}

typedef struct {
	selection_t from, value, mask;
} whole_t;

INLINE whole_t whole_load(const struct cache_selection *selection) {
	return (whole_t){selection_load(selection->from), selection_load(selection->value),
			 selection_load(selection->mask)};
}

// Which words are not as expected, or the first of a short packet. Fills the row's first block.
INLINE uint32_t entry_differs(const struct cache_entry *entry, lines_t lines,
			      const unsigned int n_lines, const struct rte_mbuf *mbuf,
			      uint8_t *head) {
	const whole_t whole = whole_load(&entry->selection);
	const uint32_t expect = entry->expect, min_len = entry->min_len;
	selection_t selected = lines_select(lines, n_lines, whole.from);

	row_put(head, (row_t)_mm512_castsi512_si128(_mm512_and_si512(selected, whole.value)));
	return (right_words(selected, whole.value, whole.mask) ^ expect) |
	       (mbuf->data_len - min_len) >> 31;
}

/* A bucket */

INLINE uint64_t bucket_find(whole_t hints, lines_t lines, const unsigned int n_lines) {
	selection_t selected = lines_select(lines, n_lines < 2 ? 1 : 2, hints.from);

	return _tzcnt_u32(right_dwords(selected, hints.value, hints.mask));
}

// Equal for all blocks of a burst: the packets from first on, and the arrays for the results.
struct stretch {
	const struct ddp_cache *cache;
	const struct cache_bucket *only; // bucket, if near
	whole_t hints;                   // hints of a bucket
	unsigned int reach;
	struct rte_mbuf *const *mbufs;
	const struct ddp_verdict **verdicts;
	uint8_t (*heads)[DDP_HASH_HEAD];
	struct ddp_burst *burst;
};

// Of n packets: the entry of each, and all that most need. near: all entries are in one bucket.
INLINE void block_look_up(struct stretch s, const unsigned int n_lines, const bool near, size_t at,
			  const unsigned int n) {
	struct rte_mbuf *const *mbufs = s.mbufs + at;
	const struct cache_entry *entries[BLOCK];
	const uint8_t *bytes[BLOCK];
	uint16_t buckets[BLOCK];
	lines_t lines[BLOCK];
	int32_t left = 0;

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		bytes[i] = cache_bytes(mbufs[i]);
		left |= buffer_left(mbufs[i], s.reach);
	}
	if (__builtin_expect_with_probability(left < 0, 0, 0.9))
		for (unsigned int i = 0; i < n; i++) {
			uint32_t bad;

			bytes[i] = bytes_of(mbufs[i], s.reach, &bad);
			s.burst->too_short |= (uint64_t)(bad >> 31) << (at + i);
		}
	if (!near)
		tree_walk(s.cache, s.cache->depth, n, bytes, buckets);
#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_bucket *bucket = near ? s.only : &s.cache->buckets[buckets[i]];
		uint64_t slot;

		lines[i] = lines_load(bytes[i], n_lines);
		slot = bucket_find(near ? s.hints : whole_load(&bucket->hints), lines[i], n_lines);
		s.verdicts[at + i] = bucket->entries[slot];
		entries[i] = cache_entry_of(s.verdicts[at + i]);
	}
#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++)
		s.burst->differing[at + i] =
			entry_differs(entries[i], lines[i], n_lines, mbufs[i], s.heads[at + i]);
}

INLINE void blocks_look_up(const struct ddp_cache *cache, const unsigned int n_lines,
			   const bool near, struct rte_mbuf *const *mbufs, unsigned int first,
			   size_t n, struct ddp_burst *burst) {
	const struct cache_bucket *only = &cache->buckets[near ? cache->root : 0];
	const struct stretch s = {
		.cache = cache,
		.only = only,
		.hints = whole_load(&only->hints),
		.reach = cache->reach,
		.mbufs = mbufs + first,
		.verdicts = burst->verdicts + first,
		.heads = burst->rows.heads + first,
		.burst = burst,
	};
	size_t i = 0;

	for (; i + BLOCK <= n; i += BLOCK)
		block_look_up(s, n_lines, near, i, BLOCK);
	for (; i < n; i++)
		block_look_up(s, n_lines, near, i, 1);
}

INLINE void many_of_lines(const struct ddp_cache *cache, const unsigned int n_lines,
			  struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
			  struct ddp_burst *burst) {
	if (cache->depth > 0)
		blocks_look_up(cache, n_lines, false, mbufs, first, n, burst);
	else
		blocks_look_up(cache, n_lines, true, mbufs, first, n, burst);
}

static void many_begin(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		       unsigned int first, unsigned int n, struct ddp_burst *burst) {
	burst->too_short = 0;
	switch (cache->n_lines) {
	case 1:
		many_of_lines(cache, 1, mbufs, first, n, burst);
		break;
	case 2:
		many_of_lines(cache, 2, mbufs, first, n, burst);
		break;
	case 3:
		many_of_lines(cache, 3, mbufs, first, n, burst);
		break;
	default:
		many_of_lines(cache, CACHE_LINES, mbufs, first, n, burst);
		break;
	}
}

// Packets whose entries select from more lines than were loaded. Returns fails with their results.
static uint64_t far_compare(struct rte_mbuf *const *mbufs, unsigned int first, uint64_t more,
			    uint64_t fails, struct ddp_burst *burst) {
	burst->heads_changed = true;
	for (; more != 0; more &= more - 1) {
		const unsigned int bit = __builtin_ctzll(more), i = first + bit;
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[i]);
		const uint8_t *bytes = cache_bytes(mbufs[bit]);
		uint32_t differs;

		if ((entry->extra & CACHE_FAR) == 0)
			continue;
		differs = entry_differs(entry, lines_load(bytes, CACHE_LINES), CACHE_LINES,
					mbufs[bit], burst->rows.heads[i]);
		fails &= ~(UINT64_C(1) << bit);
		fails |= (uint64_t)((differs & ~(1u << CACHE_SELECT_MORE)) != 0) << bit;
	}
	return fails;
}

static uint64_t many_end(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst) {
	const uint64_t looked_up = UINT64_MAX >> (64 - n) & ~burst->too_short;
	uint64_t fails = 0, more = 0;
	uint32_t extra;

	for (unsigned int i = 0; i < n; i += TESTED) {
		fails |= (uint64_t)tested(&burst->differing[i], ~(1u << CACHE_SELECT_MORE)) << i;
		more |= (uint64_t)tested(&burst->differing[i], 1u << CACHE_SELECT_MORE) << i;
	}
	fails = (fails & looked_up) | burst->too_short;
	more &= looked_up;
	burst->n_longer = 0;
	if (cache->extra == 0)
		return fails;
	mbufs += first;
	extra = cache->rare ? cache->extra | CACHE_RARE : longer_fill(mbufs, first, more, burst);
	if ((extra & CACHE_FAR) != 0)
		fails = far_compare(mbufs, first, more, fails, burst);
	if ((extra & CACHE_RARE) != 0)
		fails |= rare_do(cache, mbufs, first, more & ~fails, burst);
	return fails;
}

const struct cache_kernel cache_kernel_avx512 = {.many_begin = many_begin, .many_end = many_end};
