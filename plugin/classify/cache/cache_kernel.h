/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing packets with entries of the path cache: what the kernels of all levels share.
//
// No branch depends on what is in a packet. What is the same for all is a constant where it decides
// how much is compared: each combination is a loop of its own.
#pragma once

#include "cache_vector.h"

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
