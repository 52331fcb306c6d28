/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing packets with entries of the path cache: what the kernels of all levels share.
//
// No branch depends on what is in a packet. What is the same for all is a constant where it decides
// how much is compared: each combination is a loop of its own.
#pragma once

#ifdef __SSE4_2__
#include <immintrin.h>
#endif

#include "cache_set.h"

/* Vectors: portable, SSE4.2, AVX2, as the including file is compiled */

#ifdef __AVX2__
#define VECTOR 32 // bytes of a register
#else
#define VECTOR 16 // bytes
#endif

typedef uint64_t vector_t __attribute__((vector_size(VECTOR), may_alias));
typedef vector_t unaligned_t __attribute__((aligned(1), may_alias));
typedef uint64_t row_t __attribute__((vector_size(16), may_alias)); // a block of a row

// 32 bytes.
typedef struct {
	vector_t of[32 / VECTOR];
} wide_t;

INLINE wide_t wide_load(const uint8_t *bytes) {
	const unaligned_t *from = (const void *)bytes;
	wide_t wide;

	for (unsigned int i = 0; i < 32 / VECTOR; i++)
		wide.of[i] = from[i];
	return wide;
}

INLINE uint32_t vector_any(vector_t v) {
#if defined(__AVX2__)
	return _mm256_testz_si256((__m256i)v, (__m256i)v) ^ 1;
#elif defined(__SSE4_2__)
	return _mm_testz_si128((__m128i)v, (__m128i)v) ^ 1;
#else
	return (v[0] | v[1]) != 0;
#endif
}

/* Windows, and pairs of pieces */

typedef struct {
	wide_t mask, value;
} window_t;

INLINE window_t window_load(const struct cache_bits *bits) {
	return (window_t){wide_load(bits->mask), wide_load(bits->value)};
}

// The bits of bytes that differ from the window, with those that differed before.
INLINE vector_t window_differs(vector_t differs, window_t window, wide_t bytes) {
	for (unsigned int i = 0; i < 32 / VECTOR; i++)
		differs |= (bytes.of[i] & window.mask.of[i]) ^ window.value.of[i];
	return differs;
}

INLINE vector_t pair_differs(vector_t differs, const struct cache_entry *entry, unsigned int p,
			     const uint8_t *bytes) {
	const uint8_t *first = bytes + entry->pieces[p][0], *second = bytes + entry->pieces[p][1];
#ifdef __AVX2__
	const wide_t both = {
		{(vector_t)_mm256_loadu2_m128i((const void *)second, (const void *)first)}};
#else
	const wide_t both = {{*(const unaligned_t *)(const void *)first,
			      *(const unaligned_t *)(const void *)second}};
#endif

	return window_differs(differs, window_load(&entry->pairs[p]), both);
}

/* Blocks of a row */

INLINE void row_put(uint8_t *to, row_t block) {
	memcpy(to, &block, sizeof(block));
}

#ifdef __SSE4_2__
typedef struct {
	__m128i from;
	unsigned int byte;
} from_t;

INLINE from_t from_load(const struct cache_gather *gather) {
	return (from_t){_mm_loadu_si128((const void *)gather->from), gather->byte};
}

INLINE row_t gather(from_t from, const uint8_t *bytes) {
	return (row_t)_mm_shuffle_epi8(_mm_loadu_si128((const void *)(bytes + from.byte)),
				       from.from);
}
#else
typedef const struct cache_gather *from_t;

INLINE from_t from_load(const struct cache_gather *gather) {
	return gather;
}

// Not inline: a copy in each loop is twice the code, 3 times the compiler's time, some % of CPU.
static __attribute__((noinline)) row_t gather(from_t from, const uint8_t *bytes) {
	uint64_t halves[2] = {0, 0}; // not byte by byte in memory, which would be waited for

#pragma GCC unroll 16
	for (unsigned int i = 0; i < 16; i++)
		if (from->from[i] < 16)
			halves[i / 8] |= (uint64_t)bytes[from->byte + from->from[i]] << i % 8 * 8;
	return (row_t){htole64(halves[0]), htole64(halves[1])};
}
#endif

/* Exclusions, and buckets */

#ifdef __SSE4_2__
typedef uint16_t words_t __attribute__((vector_size(VECTOR)));
typedef uint32_t dwords_t __attribute__((vector_size(VECTOR)));

// Of 16 bytes those at from, 0 where its bit 7 is set.
INLINE vector_t shuffle(__m128i bytes, vector_t from) {
#ifdef __AVX2__
	return (vector_t)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), (__m256i)from);
#else
	return (vector_t)_mm_shuffle_epi8(bytes, (__m128i)from);
#endif
}

typedef struct {
	wide_t from, words;
} exclusion_t;

INLINE exclusion_t exclusion_load(const struct cache_exclusion *exclusion) {
	return (exclusion_t){wide_load(exclusion->from),
			     wide_load((const uint8_t *)exclusion->words)};
}

INLINE vector_t exclusion_differs(vector_t differs, exclusion_t exclusion, const uint8_t *bytes) {
	const __m128i all = _mm_loadu_si128((const void *)bytes);

	for (unsigned int i = 0; i < 32 / VECTOR; i++)
		differs |= (vector_t)((words_t)shuffle(all, exclusion.from.of[i]) ==
				      (words_t)exclusion.words.of[i]);
	return differs;
}

#define HAS_BUCKETS

// Without wide only the first half is there.
typedef struct {
	__m128i shuffles[CACHE_BLOCKS];
	unsigned int offs[CACHE_BLOCKS];
	vector_t from[64 / VECTOR], mask[64 / VECTOR], value[64 / VECTOR];
} hints_t;

INLINE hints_t hints_load(const struct cache_bucket *bucket, bool wide) {
	hints_t hints;

	for (unsigned int p = 0; p < CACHE_BLOCKS; p++) {
		hints.shuffles[p] = _mm_loadu_si128((const void *)bucket->pools[p]);
		hints.offs[p] = bucket->offs[p];
	}
	for (unsigned int i = 0; i < (wide ? 64 : 32) / VECTOR; i++) {
		hints.from[i] = ((const vector_t *)bucket->hints.from)[i];
		hints.mask[i] = ((const vector_t *)bucket->hints.mask)[i];
		hints.value[i] = ((const vector_t *)bucket->hints.value)[i];
	}
	return hints;
}

// Bit i: hint i of a part of the slots fits.
INLINE unsigned int hints_fit(const hints_t *hints, unsigned int part, __m128i pool) {
	const vector_t found = shuffle(pool, hints->from[part]) & hints->mask[part];
	const vector_t fit = (vector_t)((dwords_t)found == (dwords_t)hints->value[part]);

#ifdef __AVX2__
	return _mm256_movemask_ps((__m256)fit);
#else
	return _mm_movemask_ps((__m128)fit);
#endif
}

INLINE unsigned int hints_find(hints_t hints, bool wide, const uint8_t *bytes) {
	__m128i pool = _mm_setzero_si128();
	unsigned int fits = 0;

	for (unsigned int p = 0; p < CACHE_BLOCKS; p++)
		pool = _mm_or_si128(
			pool,
			_mm_shuffle_epi8(_mm_loadu_si128((const void *)(bytes + hints.offs[p])),
					 hints.shuffles[p]));
	for (unsigned int i = 0; i < (wide ? 64 : 32) / VECTOR; i++)
		fits |= hints_fit(&hints, i, pool) << VECTOR / 4 * i;
	return __builtin_ctz(fits);
}
#else
typedef const struct cache_exclusion *exclusion_t;

INLINE exclusion_t exclusion_load(const struct cache_exclusion *exclusion) {
	return exclusion;
}

INLINE vector_t exclusion_differs(vector_t differs, exclusion_t exclusion, const uint8_t *bytes) {
	uint64_t same = 0;

	for (unsigned int i = 0; i < 16 && exclusion->from[2 * i] < 16; i++) {
		uint16_t word;

		memcpy(&word, bytes + exclusion->from[2 * i], sizeof(word));
		same |= word == exclusion->words[i];
	}
	return differs | (vector_t){same};
}
#endif

/* Packets, and the entries they are compared with */

// Bytes of the packet's buffer beyond the first so many; negative: it has fewer.
INLINE int32_t buffer_left(const struct rte_mbuf *mbuf, uint32_t reach) {
	return (uint32_t)mbuf->buf_len - mbuf->data_off - reach;
}

// The packet's bytes; zeros, and bit 31 of bad, where its buffer is too short to read so many.
INLINE const uint8_t *bytes_of(const struct rte_mbuf *mbuf, unsigned int reach, uint32_t *bad) {
	const uint8_t *bytes = cache_bytes(mbuf);

	*bad = buffer_left(mbuf, reach);
	return __builtin_expect_with_probability((int32_t)*bad < 0, 0, 0.9) ? cache_zeros : bytes;
}

INLINE uint32_t words_fail(const struct cache_entry *entry, unsigned int n, const uint8_t *bytes) {
	uint32_t fail = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint16_t word;

		memcpy(&word, bytes + entry->cond.words[i].byte, sizeof(word));
		word = be16toh(word);
		fail |= (entry->cond.words[i].holds[word / 64] >> word % 64 & 1) ^
			entry->cond.words[i].expect;
	}
	return fail;
}

static void odd_fill(const struct cache_entry *entry, const uint8_t *bytes, struct ddp_rows *rows,
		     unsigned int row) {
	uint8_t input[DDP_HASH_INPUT_MAX] = {0};

	for (unsigned int i = 0; i < entry->verdict.input_len; i++) {
		const uint8_t *at = bytes + entry->bytes[i].byte;

		input[i] = (at[0] << 8 | at[1]) >> entry->bytes[i].shift & entry->bytes[i].mask;
	}
	ddp_rows_put(rows, row, input);
}

INLINE void first_fill(const struct cache_entry *entry, bool has_second, const uint8_t *bytes,
		       struct ddp_rows *rows, unsigned int row) {
	row_t all = gather(from_load(&entry->gather), bytes);

	if (has_second)
		all |= gather(from_load(&entry->second), bytes);
	row_put(rows->heads[row], all);
}

INLINE void rest_fill(const struct cache_entry *entry, const uint8_t *bytes, struct ddp_rows *rows,
		      unsigned int row) {
	row_put(rows->tails[row], gather(from_load(&entry->blocks[0]), bytes));
	row_put(rows->tails[row] + 16, gather(from_load(&entry->blocks[1]), bytes));
}

static uint32_t odd_fails(const struct cache_entry *entry, const uint8_t *bytes,
			  struct ddp_rows *rows, unsigned int row) {
	vector_t differs = {0};

	for (unsigned int b = 0; b < entry->n_exclusions; b++)
		differs = exclusion_differs(differs, exclusion_load(&entry->exclusions[b]),
					    bytes + entry->exclusion_bytes[b]);
	if (entry->odd)
		odd_fill(entry, bytes, rows, row);
	else
		first_fill(entry, entry->has_second, bytes, rows, row);
	return vector_any(differs) | words_fail(entry, entry->cond.n_words, bytes);
}

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

// The packets of these bits need more work than most; mbufs are those from first on. Most of them
// have only longer rows: fill in their second and third block. Those of the others get zeros, or
// values that are replaced later. Their number differs in each burst, so no branch depends on it:
// the last packet fills up DDP_HASH_FEW. Returns the extra work of all of them.
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

// The extra work of these packets, if some need more than longer rows. Returns those that fail.
static uint64_t rare_do(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
			unsigned int first, uint64_t more, struct ddp_burst *burst) {
	unsigned int n_longer = 0;
	uint64_t fails = 0;

	burst->heads_changed = true;
	for (; more != 0; more &= more - 1) {
		const unsigned int bit = __builtin_ctzll(more), i = first + bit;
		const struct cache_entry *entry = cache_entry_of(burst->verdicts[i]);
		const uint8_t *bytes = cache_bytes(mbufs[bit]);
		vector_t differs = {0};
		uint32_t fail;

		if ((entry->extra & CACHE_PIECES) != 0)
			for (unsigned int p = cache->n_pairs; p < entry->n_pairs; p++)
				differs = pair_differs(differs, entry, p, bytes);
		fail = vector_any(differs);
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
