/* SPDX-License-Identifier: BSD-3-Clause */
// Comparing packets with entries, for any instruction set: the file that includes this has defined KERNEL (a
// name), and
//
//	WINDOW                 bytes of a window
//	window_t               mask and value of a window, in registers
//	window_load(entry, w)  the wth of an entry
//	differs_t              what differs so far; differs_none, differs_add(d, window_t, bytes),
//	                       differs_list(d, list_t, byte_pair), differs_any(d): 0 or 1
//	list_t                 list_load(words): words that must not be there
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

INLINE void first_fill(const struct cache_entry *entry, bool has_second, const uint8_t *bytes,
		       uint8_t *row) {
	gather_t all = gather(from_load(&entry->gather), bytes);

	if (has_second)
		all = gather_or(all, gather(from_load(&entry->second), bytes));
	gather_store(row, all);
}

INLINE void rest_fill(const struct cache_entry *entry, const uint8_t *bytes, uint8_t *row) {
	gather_store(row + 16, gather(from_load(&entry->blocks[0]), bytes));
	gather_store(row + 32, gather(from_load(&entry->blocks[1]), bytes));
}

// What an entry asks for beside one shuffle a block.
static void one_more(const struct cache_entry *entry, const uint8_t *bytes, uint8_t *row) {
	if (entry->odd) {
		odd_fill(entry, bytes, row);
		return;
	}
	first_fill(entry, entry->has_second, bytes, row);
	if (entry->verdict.input_len > 16)
		rest_fill(entry, bytes, row);
}

INLINE uint64_t one_run(const struct cache_entry *entry, const unsigned int n_windows,
			const unsigned int n_lists, const unsigned int n_blocks, const bool more,
			struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst,
			unsigned int first) {
	const uint32_t reach = entry->reach, min_len = entry->min_len;
	const unsigned int n_words = more ? entry->n_words : 0;
	from_t from[3];
	window_t windows[CACHE_WINDOWS];
	unsigned int offs[CACHE_WINDOWS], list_offs[TRACE_WORDS];
	list_t lists[TRACE_WORDS];
	uint64_t misses = 0;

	for (unsigned int w = 0; w < n_windows; w++) {
		windows[w] = window_load(entry, w);
		offs[w] = entry->windows[w];
	}
	for (unsigned int l = 0; l < n_lists; l++) {
		lists[l] = list_load(entry->lists[l]);
		list_offs[l] = entry->list_bytes[l];
	}
	from[0] = from_load(&entry->gather);
	for (unsigned int b = 1; b < n_blocks; b++)
		from[b] = from_load(&entry->blocks[b - 1]);
	for (unsigned int i = n; i-- > 0;) {
		uint8_t *row = burst->rows[first + i];
		const struct rte_mbuf *mbuf = mbufs[i];
		uint32_t bad, fail;
		const uint8_t *bytes = bytes_of(mbuf, reach, &bad);
		differs_t d = differs_none();

		cache_prefetch_next(burst, first + i);
		for (unsigned int w = 0; w < n_windows; w++)
			d = differs_add(d, windows[w], bytes + offs[w]);
		for (unsigned int l = 0; l < n_lists; l++)
			d = differs_list(d, lists[l], bytes + list_offs[l]);
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

INLINE uint64_t one_blocks(const struct cache_entry *entry, const unsigned int n_windows,
			   const unsigned int n_lists, struct rte_mbuf *const *mbufs,
			   unsigned int n, struct ddp_burst *burst, unsigned int first) {
	if (entry->verdict.input_len > 16)
		return one_run(entry, n_windows, n_lists, 3, false, mbufs, n, burst, first);
	return one_run(entry, n_windows, n_lists, 1, false, mbufs, n, burst, first);
}

INLINE uint64_t one_lists(const struct cache_entry *entry, const unsigned int n_windows,
			  struct rte_mbuf *const *mbufs, unsigned int n, struct ddp_burst *burst,
			  unsigned int first) {
	if (entry->n_words > 0 || entry->odd || entry->has_second)
		return one_run(entry, n_windows, TRACE_WORDS, 0, true, mbufs, n, burst, first);
	switch (entry->n_lists) {
	case 0:
		return one_blocks(entry, n_windows, 0, mbufs, n, burst, first);
	case 1:
	case 2:
		return one_blocks(entry, n_windows, 2, mbufs, n, burst, first);
	default:
		return one_blocks(entry, n_windows, TRACE_WORDS, mbufs, n, burst, first);
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

// Bytes of 0 or 1 as bits. A sum kept from packet to packet would wait for each of them.
INLINE uint64_t bits_of(const uint8_t *flags, unsigned int n) {
	uint64_t bits = 0;

	for (unsigned int i = 0; i < n; i += 8) {
		uint64_t word;

		memcpy(&word, flags + i, sizeof(word));
		bits |= (le64toh(word) * UINT64_C(0x0102040810204080)) >> 56 << i;
	}
	return bits & UINT64_MAX >> (64 - n);
}

INLINE void many_compare(const struct ddp_cache *cache, const unsigned int n_windows,
			 const unsigned int n_lists, const bool more, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct ddp_burst *burst,
			 uint8_t *fails) {
	const unsigned int n_words = more ? cache->n_words : 0;
	const bool any_second = more && cache->any_second;
	unsigned int n_longer = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = &cache->entries[burst->entries[first + i]];
		const uint8_t *bytes = burst->bytes[first + i];
		differs_t d = differs_none();
		uint32_t bad, fail;

		cache_prefetch_next(burst, first + i);
		for (unsigned int w = 0; w < n_windows; w++)
			d = differs_add(d, window_load(entry, w), bytes + entry->windows[w]);
		for (unsigned int l = 0; l < n_lists; l++)
			d = differs_list(d, list_load(entry->lists[l]),
					 bytes + entry->list_bytes[l]);
		bad = (uint32_t)mbufs[first + i]->data_len - entry->min_len;
		fail = differs_any(d) | bad >> 31;
		if (more)
			fail |= words_fail(entry, n_words, bytes);
		fails[i] = fail;
		first_fill(entry, any_second, bytes, burst->rows[first + i]);
		burst->verdicts[first + i] = &entry->verdict;
		burst->longer[n_longer] = first + i;
		n_longer += entry->verdict.input_len > 16;
	}
	burst->n_longer = n_longer;
}

INLINE void many_lists(const struct ddp_cache *cache, const unsigned int n_windows,
		       struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
		       struct ddp_burst *burst, uint8_t *fails) {
	if (cache->n_words > 0 || cache->any_second || cache->n_lists > 2)
		many_compare(cache, n_windows, TRACE_WORDS, true, mbufs, first, n, burst, fails);
	else
		many_compare(cache, n_windows, 2, false, mbufs, first, n, burst, fails);
}

static uint64_t many(const struct ddp_cache *cache, struct rte_mbuf *const *mbufs,
		     unsigned int first, unsigned int n, struct ddp_burst *burst) {
	const unsigned int depth = cache->depth, reach = cache->reach, end = first + n;
	unsigned int i;
	uint8_t fails[DDP_BURST_MAX] = {0};
	uint32_t bad, any_bad = 0;

	for (i = first; i < end; i++) {
		burst->bytes[i] = bytes_of(mbufs[i], reach, &bad);
		any_bad |= bad;
		__builtin_prefetch(burst->bytes[i]);
		__builtin_prefetch(burst->bytes[i] + 64);
	}
	for (i = first; i + ABREAST <= end; i += ABREAST)
		tree_walk(cache, depth, ABREAST, &burst->bytes[i], &burst->entries[i]);
	for (; i < end; i++)
		tree_walk(cache, depth, 1, &burst->bytes[i], &burst->entries[i]);
	for (i = first; (int32_t)any_bad < 0 && i < end; i++)
		if (burst->bytes[i] == cache_zeros)
			burst->entries[i] = 0; // which matches nothing
	switch (cache->n_windows) {
	case 1:
	case 2:
		many_lists(cache, 2, mbufs, first, n, burst, fails);
		break;
	case 3:
		many_lists(cache, 3, mbufs, first, n, burst, fails);
		break;
	case 4:
		many_lists(cache, 4, mbufs, first, n, burst, fails);
		break;
	default:
		many_lists(cache, WINDOWS_MAX, mbufs, first, n, burst, fails);
		break;
	}
	for (unsigned int j = 0; j < burst->n_longer; j++) {
		i = burst->longer[j];
		rest_fill(&cache->entries[burst->entries[i]], burst->bytes[i], burst->rows[i]);
	}
	for (i = first; cache->any_odd && i < end; i++)
		if (cache->entries[burst->entries[i]].odd)
			odd_fill(&cache->entries[burst->entries[i]], burst->bytes[i],
				 burst->rows[i]);
	return bits_of(fails, n);
}

const struct cache_kernel KERNEL = {.one = one, .many = many};
