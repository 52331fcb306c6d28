/* SPDX-License-Identifier: BSD-3-Clause */
// Buckets: entries that are compared at once. The hint of an entry is the few bytes that
// distinguish it from those behind it; one search over all entries lets few bytes serve many.

#include "cache_set.h"

#define BLOCK_SIZE 16 // bytes of the packet

// By slot: the slots behind it that a byte distinguishes it from, as bits.
struct distinct {
	uint16_t slots[CACHE_BUCKET];
};

struct bucket_draft {
	const struct cache_entry *entries[CACHE_BUCKET];
	unsigned int n;
	unsigned int reach; // of all entries
	bool anywhere;      // hints need no pool

	// from here on all is 0 at first
	uint16_t todo[CACHE_BUCKET];             // slots that each is not yet distinguished from
	uint16_t before[CACHE_BUCKET];           // slots that must be before each
	uint8_t hints[CACHE_BUCKET][CACHE_HINT]; // bytes of the packet
	uint8_t n_hints[CACHE_BUCKET];
	uint8_t low[CACHE_BLOCKS], high[CACHE_BLOCKS], n_blocks; // bytes of the packet
	uint8_t pool[BLOCK_SIZE];                                // bytes of the packet
	uint8_t n_pool;
	bool is_candidate[TRACE_REACH];
	uint8_t candidates[TRACE_REACH]; // bytes that distinguish entries
	unsigned int n_candidates;
	struct distinct distinct[TRACE_REACH];
};

static uint64_t word_at(const void *bytes) {
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

// Bytes for which both entries require different values.
static bool differences_note(struct bucket_draft *d, unsigned int slot, unsigned int other) {
	const struct cache_entry *a = d->entries[slot], *b = d->entries[other];
	bool found = false;

	for (unsigned int at = 0; at < d->reach; at += 8) {
		uint64_t word = (word_at(a->cond.value + at) ^ word_at(b->cond.value + at)) &
				word_at(a->cond.mask + at) & word_at(b->cond.mask + at);

		for (found |= word != 0; word != 0;) {
			unsigned int byte = __builtin_ctzll(word) / 8;

			if (!d->is_candidate[at + byte])
				d->candidates[d->n_candidates++] = at + byte;
			d->is_candidate[at + byte] = true;
			d->distinct[at + byte].slots[slot] |= 1u << other;
			word &= ~(UINT64_C(0xff) << 8 * byte);
		}
	}
	return found;
}

static bool block_add(struct bucket_draft *d, unsigned int at) {
	for (unsigned int p = 0; p < d->n_blocks; p++) {
		unsigned int low = at < d->low[p] ? at : d->low[p];
		unsigned int high = at > d->high[p] ? at : d->high[p];

		if (high - low >= BLOCK_SIZE)
			continue;
		d->low[p] = low;
		d->high[p] = high;
		return true;
	}
	if (d->n_blocks == CACHE_BLOCKS)
		return false;
	d->low[d->n_blocks] = d->high[d->n_blocks] = at;
	d->n_blocks++;
	return true;
}

// Make a byte of the packet one of those at hand.
static bool pool_add(struct bucket_draft *d, unsigned int at) {
	if (d->anywhere)
		return at < CACHE_ANYWHERE;
	for (unsigned int i = 0; i < d->n_pool; i++)
		if (d->pool[i] == at)
			return true;
	if (d->n_pool == sizeof(d->pool) || !block_add(d, at))
		return false;
	d->pool[d->n_pool++] = at;
	return true;
}

static bool hint_add(struct bucket_draft *d, unsigned int slot, unsigned int at) {
	for (unsigned int i = 0; i < d->n_hints[slot]; i++)
		if (d->hints[slot][i] == at)
			return true;
	if (d->n_hints[slot] == CACHE_HINT || !pool_add(d, at))
		return false;
	d->hints[slot][d->n_hints[slot]++] = at;
	return true;
}

// The other entry forbids a word that this one requires.
static bool list_note(struct bucket_draft *d, unsigned int slot, unsigned int other) {
	const struct cache_entry *a = d->entries[slot], *b = d->entries[other];

	for (unsigned int l = 0; l < b->cond.n_lists; l++) {
		unsigned int byte = b->cond.list_bytes[l];
		uint16_t word;

		memcpy(&word, a->cond.value + byte, sizeof(word));
		if (a->cond.mask[byte] != 0xff || a->cond.mask[byte + 1] != 0xff)
			continue;
		for (unsigned int v = 0; v < TRACE_LIST; v++)
			if (b->cond.lists[l][v] == word)
				return hint_add(d, slot, byte) && hint_add(d, slot, byte + 1);
	}
	return false;
}

static int candidate_best(const struct bucket_draft *d) {
	struct distinct todo = {{0}};
	unsigned int most = 0;
	int best = -1;

	for (unsigned int i = 0; i + 1 < d->n; i++)
		todo.slots[i] = d->n_hints[i] < CACHE_HINT ? d->todo[i] : 0;
	for (unsigned int c = 0; c < d->n_candidates; c++) {
		const struct distinct *distinct = &d->distinct[d->candidates[c]];
		unsigned int gain = 0; // slots that it distinguishes from those behind them

		for (unsigned int i = 0; i < CACHE_BUCKET; i += 4)
			gain += __builtin_popcountll(word_at(&distinct->slots[i]) &
						     word_at(&todo.slots[i]));
		if (gain <= most)
			continue;
		most = gain;
		best = c;
	}
	return best;
}

// Take the bytes that distinguish most, one after the other. Returns whether these suffice.
static bool hints_choose(struct bucket_draft *d) {
	for (unsigned int i = 0; i + 1 < d->n; i++)
		for (unsigned int h = 0; h < d->n_hints[i]; h++) // bytes of lists
			d->todo[i] &= ~d->distinct[d->hints[i][h]].slots[i];
	for (int best; (best = candidate_best(d)) >= 0;) {
		unsigned int at = d->candidates[best];

		d->candidates[best] = d->candidates[--d->n_candidates];
		if (!pool_add(d, at))
			continue;
		for (unsigned int i = 0; i + 1 < d->n; i++)
			if ((d->todo[i] & d->distinct[at].slots[i]) != 0 && hint_add(d, i, at))
				d->todo[i] &= ~d->distinct[at].slots[i];
	}
	for (unsigned int i = 0; i < d->n; i++)
		if (d->todo[i] != 0)
			return false;
	return true;
}

// Reverse the order: entries with few conditions first, unless ones with more must come before.
static void entries_turn(struct bucket_draft *d) {
	const struct cache_entry *turned[CACHE_BUCKET];
	uint16_t left = (1u << d->n) - 1;

	for (unsigned int n = 0; n < d->n; n++) {
		unsigned int i = d->n - 1;

		while ((left >> i & 1) == 0 || (d->before[i] & left) != 0)
			i--; // nothing is before the first one that is left
		turned[n] = d->entries[i];
		left &= ~(1u << i);
	}
	memcpy(d->entries, turned, d->n * sizeof(turned[0]));
}

static bool entries_distinguish(struct bucket_draft *d) {
	const size_t first = offsetof(struct bucket_draft, todo);
	uint16_t special[CACHE_BUCKET] = {0};
	bool all;

	memset((char *)d + first, 0, sizeof(*d) - first);
	for (unsigned int i = 0; i + 1 < d->n; i++)
		for (unsigned int j = i + 1; j < d->n; j++)
			if (differences_note(d, i, j)) {
				d->todo[i] |= 1u << j;
			} else {
				d->before[j] |= 1u << i;
				if (!list_note(d, i, j))
					special[i] |= 1u << j;
			}
	all = hints_choose(d);
	for (unsigned int i = 0; i + 1 < d->n; i++) // otherwise this one has more conditions
		for (; special[i] != 0; special[i] &= special[i] - 1) {
			const uint8_t *more = d->entries[i]->cond.mask;
			const uint8_t *less = d->entries[__builtin_ctz(special[i])]->cond.mask;
			bool found = false;

			for (unsigned int at = 0; at < d->reach; at++)
				found |= (more[at] & ~less[at]) != 0 && hint_add(d, i, at);
			all &= found;
		}
	return all;
}

static void pools_put(const struct bucket_draft *d, struct cache_bucket *bucket) {
	memset(bucket->pools, 0x80, sizeof(bucket->pools));
	for (unsigned int p = 0; p < CACHE_BLOCKS; p++) {
		unsigned int low = p < d->n_blocks ? d->low[p] : 0;

		bucket->offs[p] = low < d->reach - BLOCK_SIZE ? low : d->reach - BLOCK_SIZE;
	}
	for (unsigned int i = 0; i < d->n_pool; i++) {
		unsigned int p = 0;

		while (d->pool[i] < d->low[p] || d->pool[i] > d->high[p])
			p++;
		bucket->pools[p][i] = d->pool[i] - bucket->offs[p];
	}
}

static void bucket_put(const struct ddp_cache *cache, const struct bucket_draft *d,
		       const uint16_t *set, struct cache_bucket *bucket) {
	memset(bucket, 0, sizeof(*bucket));
	memset(bucket->hints.from, 0x80, sizeof(bucket->hints.from));
	for (unsigned int i = 0; i < CACHE_BUCKET; i++) // unused slots match nothing
		bucket->entries[i] = &cache->entries[0].verdict;
	for (unsigned int i = 0; i < d->n; i++) {
		RTE_ASSERT(set[i] < cache->n_entries);
		bucket->indexes[i] = set[i];
		bucket->entries[i] = &d->entries[i]->verdict;
		for (unsigned int h = 0; h < d->n_hints[i]; h++) {
			const unsigned int at = d->hints[i][h], to = CACHE_HINT * i + h;
			unsigned int p = 0;

			while (!d->anywhere && d->pool[p] != at)
				p++;
			bucket->hints.from[to] = d->anywhere ? at : p;
			bucket->hints.mask[to] = d->entries[i]->cond.mask[at];
			bucket->hints.value[to] = d->entries[i]->cond.value[at];
		}
	}
	pools_put(d, bucket);
}

static int bucket_find(const struct ddp_cache *cache, const uint16_t *set, unsigned int n) {
	uint16_t indexes[CACHE_BUCKET] = {0};

	memcpy(indexes, set, n * sizeof(*set));
	for (unsigned int i = 0; i < cache->n_buckets; i++)
		if (memcmp(cache->buckets[i].indexes, indexes, sizeof(indexes)) == 0)
			return i;
	return -1;
}

int cache_bucket_make(struct ddp_cache *cache, const uint16_t *set, unsigned int n, bool must) {
	struct bucket_draft d;
	int found;

	d.n = n < CACHE_BUCKET ? n : CACHE_BUCKET;
	found = bucket_find(cache, set, d.n);
	if (found >= 0)
		return found;
	if (cache->n_buckets == CACHE_BUCKETS)
		return must ? 0 : -1;
	d.reach = cache->reach;
	d.anywhere = cache_has_selections(cache->isa);
	for (unsigned int i = 0; i < d.n; i++)
		d.entries[i] = &cache->entries[set[i]];
	cache->tree_work += 8 * n * n; // estimated reads of an entry's byte
	if (!entries_distinguish(&d)) {
		entries_turn(&d);
		if (!entries_distinguish(&d) && !must)
			return -1;
	}
	bucket_put(cache, &d, set, &cache->buckets[cache->n_buckets]);
	if (n > CACHE_BUCKET / 2)
		cache->wide = true;
	return cache->n_buckets++;
}
