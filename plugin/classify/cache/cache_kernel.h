/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing packets with entries, for any instruction set: the file that includes this has defined
// KERNEL (a name), and
//
//	window_t                          mask and value of a window, in registers
//	window_load(entry, w)             the wth of an entry
//	differs_t                         what differs so far:
//	differs_none
//	differs_add(d, window_t, bytes)
//	differs_exclusion(d, exclusion_t, bytes)
//	differs_any(d)                    0 or 1
//	differs_pair(d, entry, p, packet) the pth pair of pieces of an entry
//	raw_t                             what differs from a window in one packet or more, also
//	                                  where its mask does not ask:
//	raw_none()
//	raw_add(raw_t, window_t, bytes)
//	raw_differs(d, raw_t, window_t)
//	exclusion_t                       words that must not be there
//	exclusion_load(exclusion)
//	lanes_t                           a group of entries; without LANES the tree leads to
//	                                  entries
//	lanes_load(lanes, wide)           without wide: its first half
//	lanes_find(lanes_t, wide, bytes)  which one
//	PICKS                             compare entries as picks: instead of windows and lanes it
//	                                  has functions of its own, many_begin() and many_end(), and
//	                                  no one()
//	from_t                            where the bytes of a block of the row are
//	from_load(gather)
//	gather_t                          16 bytes of a row:
//	gather(from_t, bytes)
//	gather_or(a, b)
//	gather_store(row, a)
//
// No branch depends on what is in a packet. What is the same for all packets is a constant where it
// decides how much is compared: each combination is a loop of its own, with everything in
// registers.
#ifndef KERNEL
#error "define KERNEL"
#endif

#include <endian.h>
#include <string.h>

// Bytes of the packet's buffer beyond the first so many; negative: it has fewer.
INLINE int32_t buffer_left(const struct rte_mbuf *mbuf, uint32_t reach) {
	return (uint32_t)mbuf->buf_len - mbuf->data_off - reach;
}

// The packet's bytes, or zeros where its buffer is too short to read so many; bad has bit 31 set
// then.
INLINE const uint8_t *bytes_of(const struct rte_mbuf *mbuf, unsigned int reach, uint32_t *bad) {
	const uint8_t *bytes = cache_bytes(mbuf);

	*bad = buffer_left(mbuf, reach);
	return __builtin_expect_with_probability((int32_t)*bad < 0, 0, 0.9) ? cache_zeros : bytes;
}

INLINE uint32_t words_fail(const struct cache_entry *entry, unsigned int n, const uint8_t *bytes) {
	uint32_t fail = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint16_t word;

		memcpy(&word, bytes + entry->words[i].byte, sizeof(word));
		word = be16toh(word);
		fail |= (entry->words[i].holds[word / 64] >> word % 64 & 1) ^
			entry->words[i].expect;
	}
	return fail;
}

static void odd_fill(const struct cache_entry *entry, const uint8_t *bytes, struct ddp_rows *rows,
		     unsigned int row) {
	uint8_t input[DDP_HASH_INPUT_MAX] = {0};

	for (unsigned int i = 0; i < entry->verdict.input_len; i++) {
		const struct cache_byte *b = &entry->bytes[i];
		uint8_t sum = 0;

		for (unsigned int s = 0; s < 2; s++) {
			const uint8_t *at = bytes + b->sources[s].byte;

			sum ^= (at[0] << 8 | at[1]) >> b->sources[s].shift & b->sources[s].mask;
		}
		input[i] = sum;
	}
	ddp_rows_put(rows, row, input);
}

INLINE void first_fill(const struct cache_entry *entry, bool has_second, const uint8_t *bytes,
		       struct ddp_rows *rows, unsigned int row) {
	gather_t all = gather(from_load(&entry->gather), bytes);

	if (has_second)
		all = gather_or(all, gather(from_load(&entry->second), bytes));
	gather_store(rows->heads[row], all);
}

INLINE void rest_fill(const struct cache_entry *entry, const uint8_t *bytes, struct ddp_rows *rows,
		      unsigned int row) {
	gather_store(rows->tails[row], gather(from_load(&entry->blocks[0]), bytes));
	gather_store(rows->tails[row] + 16, gather(from_load(&entry->blocks[1]), bytes));
}

static uint32_t pieces_fail(const struct cache_entry *entry, unsigned int n_pairs,
			    const uint8_t *bytes) {
	differs_t d = differs_none();

	for (unsigned int p = n_pairs; p < entry->n_pairs; p++)
		d = differs_pair(d, entry, p, bytes);
	return differs_any(d);
}

static uint32_t odd_fails(const struct cache_entry *entry, const uint8_t *bytes,
			  struct ddp_rows *rows, unsigned int row) {
	differs_t d = differs_none();

	for (unsigned int b = 0; b < entry->n_exclusions; b++)
		d = differs_exclusion(d, exclusion_load(&entry->exclusions[b]),
				      bytes + entry->exclusion_bytes[b]);
	if (entry->odd)
		odd_fill(entry, bytes, rows, row);
	else
		first_fill(entry, entry->has_second, bytes, rows, row);
	return differs_any(d) | words_fail(entry, entry->n_words, bytes);
}

#ifndef PICKS
// Compare what an entry needs beyond few windows and one shuffle a block.
static uint32_t one_more(const struct cache_entry *entry, const uint8_t *bytes,
			 struct ddp_rows *rows, unsigned int row) {
	uint32_t fails = odd_fails(entry, bytes, rows, row);

	if (!entry->odd && entry->verdict.input_len > 16)
		rest_fill(entry, bytes, rows, row);
	return fails;
}

// All of an entry, in registers.
typedef struct {
	window_t windows[CACHE_WINDOWS];
	exclusion_t exclusions[TRACE_WORDS];
	unsigned int offs[CACHE_WINDOWS], exclusion_offs[TRACE_WORDS];
} whole_t;

INLINE whole_t whole_load(const struct cache_entry *entry, const unsigned int n_windows,
			  const unsigned int n_exclusions) {
	whole_t whole;

	for (unsigned int w = 0; w < n_windows; w++) {
		whole.windows[w] = window_load(entry, w);
		whole.offs[w] = entry->windows[w];
	}
	for (unsigned int b = 0; b < n_exclusions; b++) {
		whole.exclusions[b] = exclusion_load(&entry->exclusions[b]);
		whole.exclusion_offs[b] = entry->exclusion_bytes[b];
	}
	return whole;
}

INLINE differs_t exclusions_add(differs_t d, const whole_t *whole, const unsigned int n_exclusions,
				const uint8_t *bytes) {
	for (unsigned int b = 0; b < n_exclusions; b++)
		d = differs_exclusion(d, whole->exclusions[b], bytes + whole->exclusion_offs[b]);
	return d;
}

INLINE uint32_t whole_differs(const whole_t *whole, const unsigned int n_windows,
			      const unsigned int n_exclusions, const uint8_t *bytes) {
	differs_t d = exclusions_add(differs_none(), whole, n_exclusions, bytes);

	for (unsigned int w = 0; w < n_windows; w++)
		d = differs_add(d, whole->windows[w], bytes + whole->offs[w]);
	return differs_any(d);
}

// Masks are the same for all packets: they are applied at the end.
typedef struct {
	raw_t windows[CACHE_WINDOWS];
	differs_t exclusions;
} sweep_t;

// gcc 16 warns that the windows beyond n_windows are copied without a value. Nobody looks at them,
// and to set them costs time.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
INLINE sweep_t sweep_none(const unsigned int n_windows) {
	sweep_t sweep;

	sweep.exclusions = differs_none();
	for (unsigned int w = 0; w < n_windows; w++)
		sweep.windows[w] = raw_none();
	return sweep;
}
#pragma GCC diagnostic pop

INLINE sweep_t sweep_add(sweep_t sweep, const whole_t *whole, const unsigned int n_windows,
			 const unsigned int n_exclusions, const uint8_t *bytes) {
	for (unsigned int w = 0; w < n_windows; w++)
		sweep.windows[w] =
			raw_add(sweep.windows[w], whole->windows[w], bytes + whole->offs[w]);
	sweep.exclusions = exclusions_add(sweep.exclusions, whole, n_exclusions, bytes);
	return sweep;
}

INLINE uint32_t sweep_any(sweep_t sweep, const whole_t *whole, const unsigned int n_windows) {
	for (unsigned int w = 0; w < n_windows; w++)
		sweep.exclusions =
			raw_differs(sweep.exclusions, sweep.windows[w], whole->windows[w]);
	return differs_any(sweep.exclusions);
}

// Are all packets of the entry? Who expects it need not note which are not. Rows are filled if so.
// Nothing is read that a packet of the entry might not have.
INLINE bool one_sweep(const struct cache_entry *entry, const unsigned int n_windows,
		      const unsigned int n_exclusions, const unsigned int n_blocks,
		      const bool ahead, struct rte_mbuf *const *mbufs, unsigned int n,
		      struct ddp_burst *burst) {
	const uint32_t min_len = entry->min_len, reach = entry->reach;
	const whole_t whole = whole_load(entry, n_windows, n_exclusions);
	sweep_t sweep = sweep_none(n_windows);
	from_t from[3];

	from[0] = from_load(&entry->gather);
	for (unsigned int b = 1; b < n_blocks; b++)
		from[b] = from_load(&entry->blocks[b - 1]);
	// The rows that are hashed first are the first: what was just stored cannot yet be loaded
	// several rows at once.
	for (unsigned int i = 0; i < n; i++) {
		const struct rte_mbuf *mbuf = mbufs[i];
		const uint8_t *bytes = cache_bytes(mbuf);

		if (ahead)
			cache_prefetch_next(burst, i, reach);
		if (__builtin_expect_with_probability(mbuf->data_len < min_len, 0, 0.9))
			return false;
		sweep = sweep_add(sweep, &whole, n_windows, n_exclusions, bytes);
		gather_store(burst->rows.heads[i], gather(from[0], bytes));
		for (unsigned int b = 1; b < n_blocks; b++)
			gather_store(burst->rows.tails[i] + 16 * (b - 1), gather(from[b], bytes));
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

		cache_prefetch_next(burst, i, reach);
		bad |= (uint32_t)mbuf->data_len - min_len;
		fail = whole_differs(&whole, n_windows, n_exclusions, bytes) | bad >> 31;
		if (more)
			fail |= one_more(entry, bytes, &burst->rows, i);
		if (n_blocks > 0)
			gather_store(burst->rows.heads[i], gather(from[0], bytes));
		for (unsigned int b = 1; b < n_blocks; b++)
			gather_store(burst->rows.tails[i] + 16 * (b - 1), gather(from[b], bytes));
		misses = misses << 1 | fail;
	}
	return misses;
}

INLINE uint64_t one_swept(const struct cache_entry *entry, const unsigned int n_windows,
			  const unsigned int n_exclusions, const unsigned int n_blocks, bool clean,
			  struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst) {
	bool swept = false;

	clean &= entry->reach <= entry->min_len;
	if (clean && burst->next == NULL)
		swept = one_sweep(entry, n_windows, n_exclusions, n_blocks, false, mbufs, n, burst);
	else if (clean)
		swept = one_sweep(entry, n_windows, n_exclusions, n_blocks, true, mbufs, n, burst);
	return swept ? 0 :
		       one_run(entry, n_windows, n_exclusions, n_blocks, false, mbufs, n, burst);
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
	if (entry->n_words > 0 || entry->odd || entry->has_second || entry->n_exclusions > 2)
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
#endif

// Walk the tree with several packets abreast, so that one's loads do not wait for another's.
#define ABREAST 8

INLINE void tree_walk(const struct ddp_cache *cache, unsigned int depth, const unsigned int n,
		      const uint8_t *const *bytes, uint16_t *entries) {
	const cache_node *slots = cache->slots;
	cache_node nodes[ABREAST];

#pragma GCC unroll 8
	for (unsigned int j = 0; j < n; j++)
		nodes[j] = cache->root;
	for (; depth > 0; depth--)
#pragma GCC unroll 8
		for (unsigned int j = 0; j < n; j++)
			nodes[j] = slots[cache_node_child(nodes[j], bytes[j])];
#pragma GCC unroll 8
	for (unsigned int j = 0; j < n; j++)
		entries[j] = nodes[j];
}

// The packets of these bits ask for more than most do; mbufs are those from first on. Most of them
// have only longer rows: fill in their second and third block. Those of the others get zeros, or
// what is replaced later. How many packets these are is different in each burst, so no branch asks
// how many of DDP_HASH_FEW: the last one stands in for those that are missing. Returns all that any
// of them asks for.
static uint32_t longer_fill(struct rte_mbuf *const *mbufs, unsigned int first, uint64_t more,
			    struct ddp_burst *burst) {
	const unsigned int n = __builtin_popcountll(more);
	const uint64_t last = n == 0 ? 0 : UINT64_C(1) << (63 - __builtin_clzll(more));
	uint32_t extra = 0;

	for (unsigned int done = 0; done < n; done += DDP_HASH_FEW)
#pragma GCC unroll 4
		for (unsigned int j = 0; j < DDP_HASH_FEW; j++) {
			const unsigned int bit = __builtin_ctzll(more | last), i = first + bit;
			const struct cache_entry *entry = cache_entry_of(burst->verdicts[i]);

			rest_fill(entry, cache_bytes(mbufs[bit]), &burst->rows, i);
			burst->longer[done + j] = i;
			extra |= entry->extra;
			more &= more - 1;
		}
	burst->n_longer = n;
	return extra;
}

// All that these packets ask for, where some ask for more than that. Returns which of them fail in
// it.
static uint64_t rare_do(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			unsigned int first, uint64_t more, struct ddp_burst *burst) {
	unsigned int n_longer = 0;
	uint64_t fails = 0;

	burst->heads_changed = true;
	for (; more != 0; more &= more - 1) {
		const unsigned int bit = __builtin_ctzll(more), i = first + bit;
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[i]);
		const uint8_t *bytes = cache_bytes(mbufs[bit]);
		uint32_t fail = 0;

		if ((entry->extra & CACHE_PIECES) != 0)
			fail |= pieces_fail(entry, cache->n_pairs, bytes);
		if ((entry->extra & CACHE_ODD) != 0)
			fail |= odd_fails(entry, bytes, &burst->rows, i);
		else if ((entry->extra & CACHE_APART) != 0)
			first_fill(entry, false, bytes, &burst->rows, i);
		fails |= (uint64_t)fail << bit;
		if ((entry->extra & CACHE_LONGER) == 0)
			continue;
		if (!entry->odd)
			rest_fill(entry, bytes, &burst->rows, i);
		burst->longer[n_longer++] = i;
	}
	burst->n_longer = n_longer;
	ddp_rows_index_end(burst->longer, n_longer);
	return fails;
}

#ifndef PICKS
// Bytes of which one bit is asked for, as bits. A sum kept from packet to packet would wait for
// each of them.
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

// The entry that a leaf of the tree stands for.
INLINE const struct cache_entry *place_entry(const struct ddp_cache *cache, unsigned int place,
					     const uint8_t *bytes) {
#ifdef LANES
	const struct cache_lanes *group = &cache->lanes[place];
	unsigned int lane = lanes_find(lanes_load(group, true), true, bytes);

	return cache_entry_of(group->entries[lane]);
#else
	(void)bytes;
	return &cache->entries[place];
#endif
}

// The entries by the tree.
INLINE uint32_t guess_far(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			  unsigned int first, unsigned int end, struct ddp_burst *burst) {
	const unsigned int depth = cache->depth, reach = cache->reach;
	uint32_t bad, any_bad = 0;
	uint16_t places[DDP_BURST_MAX];
	unsigned int i;

	for (i = first; i < end; i++) {
		burst->bytes[i] = bytes_of(mbufs[i], reach, &bad);
		any_bad |= bad;
		__builtin_prefetch(burst->bytes[i]);
		__builtin_prefetch(burst->bytes[i] + 64);
	}
	for (i = first; i + ABREAST <= end; i += ABREAST)
		tree_walk(cache, depth, ABREAST, &burst->bytes[i], &places[i]);
	for (; i < end; i++)
		tree_walk(cache, depth, 1, &burst->bytes[i], &places[i]);
	for (i = first; i < end; i++) {
		const struct cache_entry *entry = place_entry(cache, places[i], burst->bytes[i]);

		burst->verdicts[i] = &entry->verdict;
	}
	return any_bad;
}

#ifdef LANES
// The entries where all of them are in one group.
INLINE uint32_t guess_near(const struct ddp_cache *cache, const bool wide,
			   struct rte_mbuf *const *mbufs, unsigned int first, unsigned int end,
			   struct ddp_burst *burst) {
	const struct cache_lanes *group = &cache->lanes[cache->root];
	const lanes_t lanes = lanes_load(group, wide);
	const unsigned int reach = cache->reach;
	uint32_t bad, any_bad = 0;

	for (unsigned int i = first; i < end; i++) {
		const uint8_t *bytes = bytes_of(mbufs[i], reach, &bad);

		any_bad |= bad;
		__builtin_prefetch(bytes + 64);
		burst->bytes[i] = bytes;
		burst->verdicts[i] = group->entries[lanes_find(lanes, wide, bytes)];
	}
	return any_bad;
}
#endif

static void guess(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs, unsigned int first,
		  unsigned int end, struct ddp_burst *burst) {
	uint32_t bad;

#ifdef LANES
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
INLINE void many_compare(const struct ddp_cache *cache, const unsigned int n_pairs,
			 struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
			 struct ddp_burst *burst) {
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[first + i]);
		const uint8_t *bytes = burst->bytes[first + i];
		differs_t d = differs_none();
		uint32_t bad;

		cache_prefetch_next(burst, first + i, cache->reach);
		for (unsigned int p = 0; p < n_pairs; p++)
			d = differs_pair(d, entry, p, bytes);
		d = differs_exclusion(d, exclusion_load(&cache->exclusions[entry->exclusion]),
				      bytes + entry->exclusion_byte);
		bad = (uint32_t)mbufs[first + i]->data_len - entry->min_len;
		burst->flags[i] = differs_any(d) | bad >> 31 | entry->extra;
		first_fill(entry, false, bytes, &burst->rows, first + i);
	}
}

static void many_begin(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		       unsigned int first, unsigned int n, struct ddp_burst *burst) {
	guess(cache, mbufs, first, first + n, burst);
	switch (cache->n_pairs) {
	case 1:
		many_compare(cache, 1, mbufs, first, n, burst);
		break;
	case 2:
		many_compare(cache, 2, mbufs, first, n, burst);
		break;
	default:
		many_compare(cache, 3, mbufs, first, n, burst);
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
#else
static void many_begin(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		       unsigned int first, unsigned int n, struct ddp_burst *burst);
static uint64_t many_end(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst);

const struct cache_kernel KERNEL = {.many_begin = many_begin, .many_end = many_end};
#endif
