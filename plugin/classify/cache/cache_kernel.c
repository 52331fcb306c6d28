/* SPDX-License-Identifier: BSD-3-Clause */
// A kernel of the path cache: the build defines KERNEL, its name, and chooses the instruction set.
#include "cache_kernel.h"

/* Packets of one entry */

// Compare what an entry needs beyond few windows and one shuffle a block. Without a function gcc 12
// makes a slower loop: 5.5 in place of 5.0 ns for VXLAN with SSE4.2.
static uint32_t one_more(const struct cache_entry *entry, const uint8_t *bytes,
			 struct ddp_rows *rows, unsigned int row) {
	uint32_t fails = odd_fails(entry, bytes, rows, row);

	if (!entry->odd && entry->verdict.input_len > 16)
		rest_fill(entry, bytes, rows, row);
	return fails;
}

typedef struct {
	window_t windows[CACHE_WINDOWS];
	exclusion_t exclusions[TRACE_WORDS];
	unsigned int offs[CACHE_WINDOWS], exclusion_offs[TRACE_WORDS];
} whole_t;

INLINE whole_t whole_load(const struct cache_entry *entry, const unsigned int n_windows,
			  const unsigned int n_exclusions) {
	whole_t whole;

	for (unsigned int w = 0; w < n_windows; w++) {
		whole.windows[w] = window_load(&entry->windows[w]);
		whole.offs[w] = entry->offs[w];
	}
	for (unsigned int b = 0; b < n_exclusions; b++) {
		whole.exclusions[b] = exclusion_load(&entry->exclusions[b]);
		whole.exclusion_offs[b] = entry->exclusion_bytes[b];
	}
	return whole;
}

INLINE vector_t exclusions_add(vector_t differs, const whole_t *whole,
			       const unsigned int n_exclusions, const uint8_t *bytes) {
	for (unsigned int b = 0; b < n_exclusions; b++)
		differs = exclusion_differs(differs, whole->exclusions[b],
					    bytes + whole->exclusion_offs[b]);
	return differs;
}

INLINE uint32_t whole_differs(const whole_t *whole, const unsigned int n_windows,
			      const unsigned int n_exclusions, const uint8_t *bytes) {
	vector_t differs = exclusions_add((vector_t){0}, whole, n_exclusions, bytes);

	for (unsigned int w = 0; w < n_windows; w++)
		differs = window_differs(differs, whole->windows[w],
					 wide_load(bytes + whole->offs[w]));
	return vector_any(differs);
}

// The bits of windows in which packets differ. Masks are the same for all, so applied at the end.
typedef struct {
	wide_t windows[CACHE_WINDOWS];
	vector_t exclusions;
} sweep_t;

// gcc 16 warns that windows beyond n_windows are copied without a value. They are never read.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
INLINE sweep_t sweep_none(const unsigned int n_windows) {
	sweep_t sweep;

	sweep.exclusions = (vector_t){0};
	for (unsigned int w = 0; w < n_windows; w++)
		sweep.windows[w] = (wide_t){0};
	return sweep;
}
#pragma GCC diagnostic pop

INLINE sweep_t sweep_add(sweep_t sweep, const whole_t *whole, const unsigned int n_windows,
			 const unsigned int n_exclusions, const uint8_t *bytes) {
	for (unsigned int w = 0; w < n_windows; w++) {
		const wide_t wide = wide_load(bytes + whole->offs[w]);

		for (unsigned int i = 0; i < 32 / VECTOR; i++)
			sweep.windows[w].of[i] |= wide.of[i] ^ whole->windows[w].value.of[i];
	}
	sweep.exclusions = exclusions_add(sweep.exclusions, whole, n_exclusions, bytes);
	return sweep;
}

INLINE uint32_t sweep_any(sweep_t sweep, const whole_t *whole, const unsigned int n_windows) {
	for (unsigned int w = 0; w < n_windows; w++)
		for (unsigned int i = 0; i < 32 / VECTOR; i++)
			sweep.exclusions |= sweep.windows[w].of[i] & whole->windows[w].mask.of[i];
	return vector_any(sweep.exclusions);
}

// Are all packets of the entry? Rows are filled if so. Reads only what such packets have.
INLINE bool one_sweep(const struct cache_entry *entry, const unsigned int n_windows,
		      const unsigned int n_exclusions, const unsigned int n_blocks,
		      struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst) {
	const uint32_t min_len = entry->min_len;
	const whole_t whole = whole_load(entry, n_windows, n_exclusions);
	sweep_t sweep = sweep_none(n_windows);
	from_t from[3];

	from[0] = from_load(&entry->gather);
	for (unsigned int b = 1; b < n_blocks; b++)
		from[b] = from_load(&entry->blocks[b - 1]);
	// The first rows are hashed first: what was just stored cannot be loaded several at once.
	for (unsigned int i = 0; i < n; i++) {
		const struct rte_mbuf *mbuf = mbufs[i];
		const uint8_t *bytes = cache_bytes(mbuf);

		if (__builtin_expect_with_probability(mbuf->data_len < min_len, 0, 0.9))
			return false;
		sweep = sweep_add(sweep, &whole, n_windows, n_exclusions, bytes);
		row_put(burst->rows.heads[i], gather(from[0], bytes));
		for (unsigned int b = 1; b < n_blocks; b++)
			row_put(burst->rows.tails[i] + 16 * (b - 1), gather(from[b], bytes));
	}
	return sweep_any(sweep, &whole, n_windows) == 0;
}

INLINE uint64_t one_run(const struct cache_entry *entry, const unsigned int n_windows,
			const unsigned int n_exclusions, const unsigned int n_blocks,
			const bool more, struct rte_mbuf *const *mbufs, unsigned int n,
			struct ddp_burst *burst) {
	const uint32_t reach = entry->reach, min_len = entry->min_len;
	const whole_t whole = whole_load(entry, n_windows, n_exclusions);
	from_t from[3];
	uint64_t misses = 0;

	from[0] = from_load(&entry->gather);
	for (unsigned int b = 1; b < n_blocks; b++)
		from[b] = from_load(&entry->blocks[b - 1]);
	for (unsigned int i = n; i-- > 0;) {
		const struct rte_mbuf *mbuf = mbufs[i];
		uint32_t bad, fail;
		const uint8_t *bytes = bytes_of(mbuf, reach, &bad);

		bad |= (uint32_t)mbuf->data_len - min_len;
		fail = whole_differs(&whole, n_windows, n_exclusions, bytes) | bad >> 31;
		if (more)
			fail |= one_more(entry, bytes, &burst->rows, i);
		if (n_blocks > 0)
			row_put(burst->rows.heads[i], gather(from[0], bytes));
		for (unsigned int b = 1; b < n_blocks; b++)
			row_put(burst->rows.tails[i] + 16 * (b - 1), gather(from[b], bytes));
		misses = misses << 1 | fail;
	}
	return misses;
}

INLINE uint64_t one_swept(const struct cache_entry *entry, const unsigned int n_windows,
			  const unsigned int n_exclusions, const unsigned int n_blocks, bool clean,
			  struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst) {
	if (clean && entry->reach <= entry->min_len &&
	    one_sweep(entry, n_windows, n_exclusions, n_blocks, mbufs, n, burst))
		return 0;
	return one_run(entry, n_windows, n_exclusions, n_blocks, false, mbufs, n, burst);
}

INLINE uint64_t one_blocks(const struct cache_entry *entry, const unsigned int n_windows,
			   const unsigned int n_exclusions, bool clean,
			   struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst) {
	if (entry->verdict.input_len > 16)
		return one_swept(entry, n_windows, n_exclusions, 3, clean, mbufs, n, burst);
	return one_swept(entry, n_windows, n_exclusions, 1, clean, mbufs, n, burst);
}

INLINE uint64_t one_exclusions(const struct cache_entry *entry, const unsigned int n_windows,
			       bool clean, struct rte_mbuf *const *mbufs, unsigned int n,
			       struct ddp_burst *burst) {
	if (entry->cond.n_words > 0 || entry->odd || entry->has_second || entry->n_exclusions > 2)
		return one_run(entry, n_windows, 0, 0, true, mbufs, n, burst);
	if (entry->n_exclusions == 0)
		return one_blocks(entry, n_windows, 0, clean, mbufs, n, burst);
	if (entry->n_exclusions == 1)
		return one_blocks(entry, n_windows, 1, clean, mbufs, n, burst);
	return one_blocks(entry, n_windows, 2, clean, mbufs, n, burst);
}

static uint64_t one(const struct ddp_cache *cache, const struct cache_entry *entry,
		    struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst) {
	const bool clean = cache->clean;

	switch (entry->n_windows) {
	case 1:
		return one_exclusions(entry, 1, clean, mbufs, n, burst);
	case 2:
		return one_exclusions(entry, 2, clean, mbufs, n, burst);
	case 3:
		return one_exclusions(entry, 3, clean, mbufs, n, burst);
	case 4:
		return one_exclusions(entry, 4, clean, mbufs, n, burst);
	default:
		return one_exclusions(entry, CACHE_WINDOWS, clean, mbufs, n, burst);
	}
}

/* Packets of several entries */

// One bit of each byte, as bits. A sum from packet to packet would wait for each of them.
INLINE uint64_t bits_of(const uint8_t *flags, uint8_t flag, unsigned int n) {
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t bits = 0;

	for (unsigned int i = 0; i < n; i += 8) {
		uint64_t word;

		memcpy(&word, flags + i, sizeof(word));
		word = (le64toh(word) & ones * flag) / flag;
		bits |= (word * UINT64_C(0x0102040810204080)) >> 56 << i;
	}
	return bits & UINT64_MAX >> (64 - n);
}

INLINE const struct cache_entry *leaf_entry(const struct ddp_cache *cache, unsigned int leaf,
					    const uint8_t *bytes) {
#ifdef HAS_BUCKETS
	const struct cache_bucket *bucket = &cache->buckets[leaf];
	unsigned int slot = hints_find(hints_load(bucket, true), true, bytes);

	return cache_entry_of(bucket->entries[slot]);
#else
	(void)bytes;
	return &cache->entries[leaf];
#endif
}

INLINE uint32_t guess_far(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			  unsigned int first, unsigned int end, struct ddp_burst *burst) {
	const unsigned int depth = cache->depth, reach = cache->reach;
	uint32_t bad, any_bad = 0;
	uint16_t leaves[DDP_BURST_MAX];
	unsigned int i;

	for (i = first; i < end; i++) {
		burst->bytes[i] = bytes_of(mbufs[i], reach, &bad);
		any_bad |= bad;
		__builtin_prefetch(burst->bytes[i]);
		__builtin_prefetch(burst->bytes[i] + 64);
	}
	for (i = first; i + ABREAST <= end; i += ABREAST)
		tree_walk(cache, depth, ABREAST, &burst->bytes[i], &leaves[i]);
	for (; i < end; i++)
		tree_walk(cache, depth, 1, &burst->bytes[i], &leaves[i]);
	for (i = first; i < end; i++) {
		const struct cache_entry *entry = leaf_entry(cache, leaves[i], burst->bytes[i]);

		burst->verdicts[i] = &entry->verdict;
	}
	return any_bad;
}

#ifdef HAS_BUCKETS
// The entries where all of them are in one bucket.
INLINE uint32_t guess_near(const struct ddp_cache *cache, const bool wide,
			   struct rte_mbuf *const *mbufs, unsigned int first, unsigned int end,
			   struct ddp_burst *burst) {
	const struct cache_bucket *bucket = &cache->buckets[cache->root];
	const hints_t hints = hints_load(bucket, wide);
	const unsigned int reach = cache->reach;
	uint32_t bad, any_bad = 0;

	for (unsigned int i = first; i < end; i++) {
		const uint8_t *bytes = bytes_of(mbufs[i], reach, &bad);

		any_bad |= bad;
		__builtin_prefetch(bytes + 64);
		burst->bytes[i] = bytes;
		burst->verdicts[i] = bucket->entries[hints_find(hints, wide, bytes)];
	}
	return any_bad;
}
#endif

static void guess(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs, unsigned int first,
		  unsigned int end, struct ddp_burst *burst) {
	uint32_t bad;

#ifdef HAS_BUCKETS
	if (cache->depth == 0 && cache->wide)
		bad = guess_near(cache, true, mbufs, first, end, burst);
	else if (cache->depth == 0)
		bad = guess_near(cache, false, mbufs, first, end, burst);
	else
#endif
		bad = guess_far(cache, mbufs, first, end, burst);
	for (unsigned int i = first; (int32_t)bad < 0 && i < end; i++)
		if (burst->bytes[i] == cache_zeros)
			burst->verdicts[i] = &cache->entries[0].verdict; // which matches nothing
}

// The comparison that all packets need; burst->flags has those that need more, or fail.
INLINE void many_compare(const unsigned int n_pairs, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst) {
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[first + i]);
		const uint8_t *bytes = burst->bytes[first + i];
		vector_t differs = {0};
		uint32_t bad;

		for (unsigned int p = 0; p < n_pairs; p++)
			differs = pair_differs(differs, entry, p, bytes);
		differs = exclusion_differs(differs, exclusion_load(&entry->exclusions[0]),
					    bytes + entry->exclusion_byte);
		bad = (uint32_t)mbufs[first + i]->data_len - entry->min_len;
		burst->flags[i] = vector_any(differs) | bad >> 31 | entry->extra;
		first_fill(entry, false, bytes, &burst->rows, first + i);
	}
}

static void many_begin(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		       unsigned int first, unsigned int n, struct ddp_burst *burst) {
	guess(cache, mbufs, first, first + n, burst);
	switch (cache->n_pairs) {
	case 1:
		many_compare(1, mbufs, first, n, burst);
		break;
	case 2:
		many_compare(2, mbufs, first, n, burst);
		break;
	default:
		many_compare(3, mbufs, first, n, burst);
		break;
	}
}

static uint64_t many_end(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst) {
	uint64_t fails = bits_of(burst->flags, CACHE_FAIL, n), more;

	burst->n_longer = 0;
	if (cache->extra == 0)
		return fails;
	more = bits_of(burst->flags, CACHE_MORE, n) & ~fails;
	if (cache->rare || (longer_fill(mbufs + first, first, more, burst) & CACHE_RARE) != 0)
		fails |= rare_do(cache, mbufs + first, first, more, burst);
	return fails;
}

const struct cache_kernel KERNEL = {.one = one, .many_begin = many_begin, .many_end = many_end};
