/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing packets with entries, for any instruction set: the file that includes this has defined KERNEL (a
// name), and
//
//	WINDOW                 bytes of a window
//	window_t               mask and value of a window, in registers
//	window_load(entry, w)  the wth of an entry
//	differs_t              what differs so far; differs_none, differs_add(d, window_t, bytes),
//	                       differs_list(d, list_t, bytes), differs_any(d): 0 or 1
//	list_t                 list_load(list): words that must not be there
//	from_t                 from_load(gather): where the bytes of a block of the row are,
//	gather_t               gather(from_t, bytes): 16 bytes of a row; gather_or(a, b), gather_store(row, a)
//
// No branch depends on what is in a packet. What is the same for all packets is a constant where it decides
// how much is compared: each combination is a loop of its own, with everything in registers.
#ifndef KERNEL
#error "define KERNEL"
#endif

#include <endian.h>
#include <string.h>

// An entry has no more windows than its room for them.
#define WINDOWS_MAX (32 * CACHE_WINDOWS / WINDOW)

#define INLINE static inline __attribute__((always_inline))

// The packet's bytes, or zeros where its buffer is too short to read so many; bad has bit 31 set then.
INLINE const uint8_t *bytes_of(const struct rte_mbuf *mbuf, unsigned int reach, uint32_t *bad) {
	const uint8_t *bytes = (const uint8_t *)mbuf->buf_addr + mbuf->data_off;

	*bad = (uint32_t)mbuf->buf_len - mbuf->data_off - reach;
	return __builtin_expect_with_probability((int32_t)*bad < 0, 0, 0.9) ? cache_zeros : bytes;
}

INLINE uint32_t words_fail(const struct cache_entry *entry, unsigned int n, const uint8_t *bytes) {
	uint32_t fail = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint16_t word;

		memcpy(&word, bytes + entry->words[i].byte, sizeof(word));
		word = be16toh(word);
		fail |= (entry->words[i].holds[word / 64] >> word % 64 & 1) ^ entry->words[i].expect;
	}
	return fail;
}

INLINE void block_fill(const struct cache_entry *entry, unsigned int block, unsigned int n_second,
		       const uint8_t *bytes, uint8_t *row) {
	gather_t all = gather(from_load(&entry->gathers[block][0]), bytes);

	if (n_second > 0)
		all = gather_or(all, gather(from_load(&entry->gathers[block][1]), bytes));
	gather_store(row + 16 * block, all);
}

static void odd_fill(const struct cache_entry *entry, const uint8_t *bytes, uint8_t *row) {
	for (unsigned int i = 0; i < entry->verdict.input_len; i++) {
		const struct cache_byte *b = &entry->bytes[i];
		uint8_t sum = 0;

		for (unsigned int s = 0; s < 2; s++) {
			const uint8_t *at = bytes + b->sources[s].byte;

			sum ^= (at[0] << 8 | at[1]) >> b->sources[s].shift & b->sources[s].mask;
		}
		row[i] = sum;
	}
	memset(row + entry->verdict.input_len, 0, DDP_HASH_ROW - entry->verdict.input_len);
}

// What an entry asks for beside one shuffle.
INLINE void one_more(const struct cache_entry *entry, const uint8_t *bytes, uint8_t *row) {
	if (entry->odd) {
		odd_fill(entry, bytes, row);
		return;
	}
	block_fill(entry, 0, entry->n_second, bytes, row);
	if (entry->verdict.input_len > 16)
		block_fill(entry, 1, 0, bytes, row);
	if (entry->verdict.input_len > 32)
		block_fill(entry, 2, 0, bytes, row);
}

INLINE uint64_t one_run(const struct cache_entry *entry, const unsigned int n_windows,
			const unsigned int n_lists, const unsigned int n_blocks, const bool more,
			struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst,
			unsigned int first) {
	const uint32_t reach = entry->reach, min_len = entry->min_len;
	const unsigned int n_words = more ? entry->n_words : 0;
	from_t from[3];
	window_t windows[CACHE_WINDOWS];
	unsigned int offs[CACHE_WINDOWS];
	list_t lists[TRACE_WORDS];
	uint64_t misses = 0;

	for (unsigned int w = 0; w < n_windows; w++) {
		windows[w] = window_load(entry, w);
		offs[w] = entry->windows[w];
	}
	for (unsigned int l = 0; l < n_lists; l++)
		lists[l] = list_load(&entry->lists[l]);
	for (unsigned int b = 0; b < n_blocks; b++)
		from[b] = from_load(&entry->gathers[b][0]);
	for (unsigned int i = n; i-- > 0;) {
		uint8_t *row = burst->rows[first + i];
		const struct rte_mbuf *mbuf = mbufs[i];
		uint32_t bad, fail;
		const uint8_t *bytes = bytes_of(mbuf, reach, &bad);
		differs_t d = differs_none();

		for (unsigned int w = 0; w < n_windows; w++)
			d = differs_add(d, windows[w], bytes + offs[w]);
		for (unsigned int l = 0; l < n_lists; l++)
			d = differs_list(d, lists[l], bytes);
		bad |= (uint32_t)mbuf->data_len - min_len;
		fail = differs_any(d) | bad >> 31;
		if (more) {
			fail |= words_fail(entry, n_words, bytes);
			one_more(entry, bytes, row);
		}
		for (unsigned int b = 0; b < n_blocks; b++)
			gather_store(row + 16 * b, gather(from[b], bytes));
		misses = misses << 1 | fail;
	}
	return misses;
}

INLINE uint64_t one_lists(const struct cache_entry *entry, const unsigned int n_windows,
			  struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst,
			  unsigned int first) {
	if (entry->n_words > 0 || entry->odd || entry->n_second > 0)
		return one_run(entry, n_windows, TRACE_WORDS, 0, true, mbufs, n, burst, first);
	if (entry->verdict.input_len > 16)
		return one_run(entry, n_windows, TRACE_WORDS, 3, false, mbufs, n, burst, first);
	switch (entry->n_lists) {
	case 0:
		return one_run(entry, n_windows, 0, 1, false, mbufs, n, burst, first);
	case 1:
	case 2:
		return one_run(entry, n_windows, 2, 1, false, mbufs, n, burst, first);
	default:
		return one_run(entry, n_windows, TRACE_WORDS, 1, false, mbufs, n, burst, first);
	}
}

static uint64_t one(const struct ddp_cache *cache, const struct cache_entry *entry,
		    struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
		    struct ddp_burst *burst) {
	(void)cache;
	mbufs += first;
	switch (entry->n_windows) {
	case 1:
		return one_lists(entry, 1, mbufs, n, burst, first);
	case 2:
		return one_lists(entry, 2, mbufs, n, burst, first);
	case 3:
		return one_lists(entry, 3, mbufs, n, burst, first);
	case 4:
		return one_lists(entry, 4, mbufs, n, burst, first);
	default:
		return one_lists(entry, WINDOWS_MAX, mbufs, n, burst, first);
	}
}

// Walk the tree with several packets at a time, so that one's loads do not wait for another's.
#define ABREAST 8

INLINE void tree_walk(const struct ddp_cache *cache, const uint8_t *const *bytes, unsigned int n,
		      uint16_t *entries) {
	unsigned int depth = cache->depth;
	uint32_t at[ABREAST];

	for (unsigned int j = 0; j < n; j++)
		at[j] = cache->root;
	for (unsigned int level = 0; level < depth; level++)
		for (unsigned int j = 0; j < n; j++) {
			const struct cache_node *node = &cache->nodes[at[j]];

			at[j] = cache->children[node->children +
						(bytes[j][node->byte] >> node->shift & node->mask)];
		}
	for (unsigned int j = 0; j < n; j++)
		entries[j] = at[j];
}

INLINE uint64_t many_compare(const struct ddp_cache *cache, const unsigned int n_windows,
			     const unsigned int n_lists, const uint8_t *const *all_bytes,
			     const uint32_t *bads, struct rte_mbuf *const *mbufs,
			     unsigned int first, unsigned int n, struct ddp_burst *burst) {
	const unsigned int n_words = cache->n_words, n_second = cache->n_second;
	uint64_t misses = 0;

	for (unsigned int i = n; i-- > 0;) {
		const struct cache_entry *entry = &cache->entries[burst->entries[first + i]];
		const uint8_t *bytes = all_bytes[i];
		differs_t d = differs_none();
		uint32_t bad, fail;

		for (unsigned int w = 0; w < n_windows; w++)
			d = differs_add(d, window_load(entry, w), bytes + entry->windows[w]);
		for (unsigned int l = 0; l < n_lists; l++)
			d = differs_list(d, list_load(&entry->lists[l]), bytes);
		bad = bads[i] | ((uint32_t)mbufs[first + i]->data_len - entry->min_len);
		fail = differs_any(d) | bad >> 31 | words_fail(entry, n_words, bytes);
		misses = misses << 1 | fail;
		block_fill(entry, 0, n_second, bytes, burst->rows[first + i]);
		burst->verdicts[first + i] = &entry->verdict;
	}
	return misses;
}

INLINE uint64_t many_lists(const struct ddp_cache *cache, const unsigned int n_windows,
			   const uint8_t *const *bytes, const uint32_t *bads,
			   struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
			   struct ddp_burst *burst) {
	switch (cache->n_lists) {
	case 0:
		return many_compare(cache, n_windows, 0, bytes, bads, mbufs, first, n, burst);
	case 1:
	case 2:
		return many_compare(cache, n_windows, 2, bytes, bads, mbufs, first, n, burst);
	default:
		return many_compare(cache, n_windows, TRACE_WORDS, bytes, bads, mbufs, first, n,
				    burst);
	}
}

// What only some packets need.
static void many_more(const struct ddp_cache *cache, const uint8_t *const *bytes,
		      unsigned int first, unsigned int n, struct ddp_burst *burst) {
	uint8_t longer[DDP_BURST_MAX];
	unsigned int n_longer = 0;

	for (unsigned int i = 0; i < n; i++) {
		longer[n_longer] = i;
		n_longer += burst->verdicts[first + i]->input_len > 16;
	}
	for (unsigned int j = 0; j < n_longer; j++) {
		const struct cache_entry *entry = &cache->entries[burst->entries[first + longer[j]]];
		uint8_t *row = burst->rows[first + longer[j]];

		block_fill(entry, 1, 0, bytes[longer[j]], row);
		block_fill(entry, 2, 0, bytes[longer[j]], row);
	}
	for (unsigned int i = 0; cache->any_odd && i < n; i++) {
		const struct cache_entry *entry = &cache->entries[burst->entries[first + i]];

		if (entry->odd)
			odd_fill(entry, bytes[i], burst->rows[first + i]);
	}
}

static uint64_t many(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		     unsigned int first, unsigned int n, struct ddp_burst *burst) {
	const uint8_t *bytes[DDP_BURST_MAX];
	uint32_t bads[DDP_BURST_MAX];
	uint64_t misses;
	unsigned int i;

	for (i = 0; i < n; i++)
		bytes[i] = bytes_of(mbufs[first + i], cache->reach, &bads[i]);
	for (i = 0; i + ABREAST <= n; i += ABREAST)
		tree_walk(cache, bytes + i, ABREAST, burst->entries + first + i);
	for (; i < n; i++)
		tree_walk(cache, bytes + i, 1, burst->entries + first + i);
	switch (cache->n_windows) {
	case 1:
		misses = many_lists(cache, 1, bytes, bads, mbufs, first, n, burst);
		break;
	case 2:
		misses = many_lists(cache, 2, bytes, bads, mbufs, first, n, burst);
		break;
	case 3:
		misses = many_lists(cache, 3, bytes, bads, mbufs, first, n, burst);
		break;
	case 4:
		misses = many_lists(cache, 4, bytes, bads, mbufs, first, n, burst);
		break;
	default:
		misses = many_lists(cache, WINDOWS_MAX, bytes, bads, mbufs, first, n, burst);
		break;
	}
	if (cache->any_long || cache->any_odd)
		many_more(cache, bytes, first, n, burst);
	return misses;
}

const struct cache_kernel KERNEL = {.one = one, .many = many};
