/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing in the path cache with AVX-512 and VBMI: what is looked at of a packet is picked, byte
// by byte, from its first lines, which lie in registers. One pick is compared with all that an
// entry asks for; another one with what tells up to 16 entries from each other. The file that
// includes this has defined KERNEL, and
//
//	BLOCK                        packets whose lines stay in registers
//	pick_t                       64 bytes:
//	pick_load(aligned bytes)
//	pick_first(pick)             the first 16
//	lines_t                      the first lines of a packet:
//	lines_load(bytes, n_lines)
//	lines_pick(lines, n_lines, from)
//	right_words(a, value, mask)  bit i: word i of a has the value, under the mask
//	right_dwords(a, value, mask) the same of dwords
//	tested(numbers, bits)        bit i: number i of TESTED aligned ones has any of the bits
#include "cache_set.h"

#define PICKS

#include "cache_kernel.h"

/* A pick */

typedef struct {
	pick_t from, value, mask;
	uint32_t expect, min_len;
} whole_t;

INLINE whole_t whole_load(const struct cache_entry *entry) {
	return (whole_t){
		pick_load(entry->pick.from),
		pick_load(entry->pick.value),
		pick_load(entry->pick.mask),
		entry->expect,
		entry->min_len,
	};
}

// Which words are not as expected; so is the first one of a packet that is too short. Fills the
// row's first block.
INLINE uint32_t whole_differs(whole_t whole, lines_t lines, const unsigned int n_lines,
			      const struct rte_mbuf *mbuf, uint8_t *head) {
	pick_t picked = lines_pick(lines, n_lines, whole.from);

	_mm_store_si128((void *)head, _mm_and_si128(pick_first(picked), pick_first(whole.value)));
	return (right_words(picked, whole.value, whole.mask) ^ whole.expect) |
	       (mbuf->data_len - whole.min_len) >> 31;
}

// What differs, packet by packet.
struct differing {
	uint32_t of[DDP_BURST_MAX];
} __attribute__((aligned(64)));

INLINE uint64_t differing_in(const struct differing *differing, uint32_t bits, unsigned int n) {
	uint64_t which = 0;

	for (unsigned int i = 0; i < n; i += TESTED)
		which |= (uint64_t)tested(&differing->of[i], bits) << i;
	return which & UINT64_MAX >> (64 - n);
}

// The packet's bytes, or zeros where its buffer is too short: then it is noted.
INLINE const uint8_t *bytes_or_zeros(const struct rte_mbuf *mbuf, unsigned int reach, uint64_t bit,
				     uint64_t *too_short) {
	if (__builtin_expect_with_probability(buffer_left(mbuf, reach) < 0, 0, 0.9)) {
		*too_short |= bit;
		return cache_zeros;
	}
	return cache_bytes(mbuf);
}

/* A group of entries */

typedef struct {
	pick_t from, value, mask;
} lanes_t;

INLINE lanes_t lanes_load(const struct cache_lanes *group) {
	return (lanes_t){
		pick_load(group->from),
		pick_load(group->value),
		pick_load(group->mask),
	};
}

INLINE uint64_t lanes_find(lanes_t lanes, lines_t lines, const unsigned int n_lines) {
	pick_t picked = lines_pick(lines, n_lines < 2 ? 1 : 2, lanes.from);

	return _tzcnt_u64((uint64_t)right_dwords(picked, lanes.value, lanes.mask) |
			  UINT64_C(1) << CACHE_LANES);
}

// The entry of each packet, and all that most need. near: there is only one group of entries.
INLINE uint64_t block_look_up(const struct ddp_cache *cache, const unsigned int n_lines,
			      const bool near, const lanes_t *lanes, const bool ahead,
			      const unsigned int n, struct rte_mbuf *const *mbufs,
			      unsigned int first, struct ddp_burst *burst, uint32_t *differing) {
	const struct cache_lanes *const only = &cache->lanes[near ? cache->root : 0];
	const struct ddp_verdict **verdicts = burst->verdicts + first;
	uint8_t(*const heads)[DDP_HASH_HEAD] = &burst->rows.heads[first];
	const unsigned int reach = cache->reach;
	const uint8_t *bytes[BLOCK];
	uint16_t groups[BLOCK];
	uint64_t too_short = 0;
	lines_t lines[BLOCK];

#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++)
		bytes[i] = bytes_or_zeros(mbufs[i], reach, 1u << i, &too_short);
	if (!near)
		tree_walk(cache, cache->depth, n, bytes, groups);
#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_lanes *group = near ? only : &cache->lanes[groups[i]];

		lines[i] = lines_load(bytes[i], n_lines);
		verdicts[i] = group->entries[lanes_find(near ? *lanes : lanes_load(group), lines[i],
							n_lines)];
	}
#pragma GCC unroll 8
	for (unsigned int i = 0; i < n; i++) {
		if (ahead)
			cache_prefetch_next(burst, first + i, 64 * n_lines);
		differing[i] = whole_differs(whole_load(cache_entry_of(verdicts[i])), lines[i],
					     n_lines, mbufs[i], heads[i]);
	}
	return too_short;
}

INLINE uint64_t blocks_look_up(const struct ddp_cache *cache, const unsigned int n_lines,
			       const bool near, const bool ahead, struct rte_mbuf *const *mbufs,
			       unsigned int first, unsigned int n, struct ddp_burst *burst,
			       uint32_t *differing) {
	const lanes_t lanes = lanes_load(&cache->lanes[near ? cache->root : 0]);
	uint64_t too_short = 0;
	unsigned int i = 0;

	for (; i + BLOCK <= n; i += BLOCK)
		too_short |= block_look_up(cache, n_lines, near, &lanes, ahead, BLOCK, mbufs + i,
					   first + i, burst, differing + i)
			     << i;
	for (; i < n; i++)
		too_short |= block_look_up(cache, n_lines, near, &lanes, ahead, 1, mbufs + i,
					   first + i, burst, differing + i)
			     << i;
	return too_short;
}

INLINE uint64_t many_of_lines(const struct ddp_cache *cache, const unsigned int n_lines,
			      struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
			      struct ddp_burst *burst, uint32_t *differing) {
	const bool ahead = burst->next != NULL;

	if (cache->depth > 0)
		return blocks_look_up(cache, n_lines, false, true, mbufs, first, n, burst,
				      differing);
	if (ahead)
		return blocks_look_up(cache, n_lines, true, true, mbufs, first, n, burst,
				      differing);
	return blocks_look_up(cache, n_lines, true, false, mbufs, first, n, burst, differing);
}

// Packets whose entries pick from more lines than were loaded. Returns fails with what is true of
// them.
static uint64_t far_compare(struct rte_mbuf *const *mbufs, unsigned int first, uint64_t more,
			    uint64_t fails, struct ddp_burst *burst) {
	for (; more != 0; more &= more - 1) {
		const unsigned int bit = __builtin_ctzll(more), i = first + bit;
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[i]);
		const uint8_t *bytes = cache_bytes(mbufs[bit]);
		uint32_t differs;

		if ((entry->extra & CACHE_FAR) == 0)
			continue;
		differs = whole_differs(whole_load(entry), lines_load(bytes, CACHE_LINES),
					CACHE_LINES, mbufs[bit], burst->rows.heads[i]);
		fails &= ~(UINT64_C(1) << bit);
		fails |= (uint64_t)((differs & ~(1u << CACHE_PICK_MORE)) != 0) << bit;
	}
	return fails;
}

#define CASE_LINES(n_lines)                                                                      \
	case n_lines:                                                                            \
		too_short = many_of_lines(cache, n_lines, mbufs, first, n, burst, differing.of); \
		break

static uint64_t many(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		     unsigned int first, unsigned int n, struct ddp_burst *burst) {
	struct differing differing;
	uint64_t too_short = 0, fails, more;
	uint32_t extra;

	mbufs += first;
	switch (cache->n_lines) {
		CASE_LINES(1);
		CASE_LINES(2);
		CASE_LINES(3);
		CASE_LINES(CACHE_LINES);
	}
	fails = differing_in(&differing, ~(1u << CACHE_PICK_MORE), n) | too_short;
	burst->n_longer = 0;
	if (cache->extra == 0)
		return fails;
	more = differing_in(&differing, 1u << CACHE_PICK_MORE, n) & ~too_short;
	extra = cache->rare ? cache->extra | CACHE_RARE : longer_fill(mbufs, first, more, burst);
	if ((extra & CACHE_FAR) != 0)
		fails = far_compare(mbufs, first, more, fails, burst);
	if ((extra & CACHE_RARE) != 0)
		fails |= rare_do(cache, mbufs, first, more & ~fails, burst);
	return fails;
}
