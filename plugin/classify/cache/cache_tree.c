/* SPDX-License-Identifier: BSD-3-Clause */
// The tree that names the one entry which may match a packet. Each node reads some bits of one
// byte. An entry without a condition on these bits is behind all children, so the byte is chosen
// that distinguishes most entries; if only the more special of two has a condition, it comes first.
//
// A leaf may be a bucket: entries that are compared at once. The hint of an entry is the few bytes
// that distinguish it from those behind it; one search over all entries lets few bytes serve many.
#include "cache_set.h"

#define PAIRS_MAX 3 // pairs that are compared for all packets
#define ENOUGH 16   // packets: work that one of so many needs is done for all

/* Buckets: entries that are compared at once */

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

// A bucket of n entries, the most special first: its index; -1: too alike, unless must. Not
// inlined: its draft would be in each frame of node_build().
static __attribute__((noinline)) int bucket_make(struct ddp_cache *cache, const uint16_t *set,
						 unsigned int n, bool must) {
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

/* The tree */

struct tree_builder {
	struct ddp_cache *cache;
	uint8_t mask[TRACE_REACH];  // bits looked at on the way here,
	uint8_t value[TRACE_REACH]; // and what they are
	unsigned int end;           // of the bytes in which any entry has a say
	unsigned int depth, deepest;
	unsigned int specials; // nodes on the way here that only split off the first of a set
};

struct choice {
	uint16_t byte;
	uint8_t shift, bits;
};

static unsigned int specificity(const struct cache_entry *entry) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < TRACE_REACH; i += 8)
		n += __builtin_popcountll(word_at(entry->cond.mask + i));
	return n;
}

// Bits not yet looked at, by byte: in which entries of the set differ, or only some have a say.
struct differing {
	uint8_t bits[TRACE_REACH], some[TRACE_REACH];
};

static void differing_find(const struct tree_builder *b, const uint16_t *set, unsigned int n,
			   struct differing *d) {
	uint8_t zeros[TRACE_REACH] = {0}, ones[TRACE_REACH] = {0}, all[TRACE_REACH];

	memset(all, 0xff, sizeof(all));
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = &b->cache->entries[set[i]];

		for (unsigned int at = 0; at < b->end; at++) {
			zeros[at] |= entry->cond.mask[at] & ~entry->cond.value[at];
			ones[at] |= entry->cond.value[at];
			all[at] &= entry->cond.mask[at];
		}
	}
	for (unsigned int at = 0; at < b->end; at++) {
		d->bits[at] = zeros[at] & ones[at] & ~b->mask[at];
		d->some[at] = (zeros[at] | ones[at]) & ~all[at] & ~b->mask[at];
	}
}

// Entries with a condition on all of these bits, and the number of their values.
struct value_spread {
	unsigned int n_say, n_values;
};

static struct value_spread spread_count(const struct tree_builder *b, const uint16_t *set,
					unsigned int n, unsigned int at, uint8_t bits) {
	struct value_spread spread = {0, 0};
	uint64_t seen[4] = {0};

	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = &b->cache->entries[set[i]];
		uint8_t value = entry->cond.value[at] & bits;

		if ((entry->cond.mask[at] & bits) != bits)
			continue;
		spread.n_say++;
		if ((seen[value / 64] >> value % 64 & 1) != 0)
			continue;
		seen[value / 64] |= UINT64_C(1) << value % 64;
		spread.n_values++;
	}
	return spread;
}

// If all entries define these bits, keep as few as distinguish them as well: a small table.
static uint8_t bits_reduce(const struct tree_builder *b, const uint16_t *set, unsigned int n,
			   unsigned int at, uint8_t bits) {
	struct value_spread all = spread_count(b, set, n, at, bits);

	if (all.n_say < n)
		return bits;
	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t fewer = bits & ~(1u << bit);

		if (fewer != bits && fewer != 0 &&
		    spread_count(b, set, n, at, fewer).n_values == all.n_values)
			bits = fewer;
	}
	return bits;
}

static struct choice choice_make(unsigned int at, uint8_t bits) {
	unsigned int shift = __builtin_ctz(bits);

	return (struct choice){at, shift, (0xff >> (__builtin_clz(bits) - 24)) >> shift};
}

// The byte to read next; special: no two entries differ, only the first can be distinguished.
static bool choose(const struct tree_builder *b, const uint16_t *set, unsigned int n,
		   struct choice *choice, bool *special) {
	const struct cache_entry *first = &b->cache->entries[set[0]];
	unsigned int best = UINT32_MAX;
	struct differing d;

	b->cache->tree_work += 16 * n; // estimated reads of an entry's byte
	differing_find(b, set, n, &d);
	for (unsigned int at = 0; at < b->end; at++) {
		unsigned int cost = 64 * n;
		struct value_spread s;

		if (d.bits[at] == 0)
			continue;
		// The mean number of entries left: those without a condition are in all children.
		s = spread_count(b, set, n, at, d.bits[at]);
		if (s.n_values > 0)
			cost = (64 * s.n_say / s.n_values * s.n_say + 64 * (n - s.n_say) * n) / n;
		if (cost >= best)
			continue;
		best = cost;
		*choice = choice_make(at, d.bits[at]);
	}
	*special = best == UINT32_MAX;
	if (!*special)
		*choice = choice_make(choice->byte,
				      bits_reduce(b, set, n, choice->byte, d.bits[choice->byte]));
	for (unsigned int at = 0; at < TRACE_REACH && best == UINT32_MAX; at++) {
		if ((d.some[at] & first->cond.mask[at]) == 0)
			continue;
		*choice = choice_make(at, d.some[at] & first->cond.mask[at]);
		return true;
	}
	return best != UINT32_MAX;
}

// May the entry's words be as on the way here, now that the byte at is known?
static bool words_possible(const struct tree_builder *b, const struct cache_cond *cond,
			   unsigned int at) {
	uint16_t word;

	for (unsigned int byte = at == 0 ? 0 : at - 1; byte <= at && byte < TRACE_REACH - 1;
	     byte++) {
		if (b->mask[byte] != 0xff || b->mask[byte + 1] != 0xff)
			continue;
		memcpy(&word, b->value + byte, sizeof(word));
		for (unsigned int i = 0; i < cond->n_lists; i++)
			for (unsigned int v = 0; v < TRACE_LIST; v++)
				if (cond->list_bytes[i] == byte && cond->lists[i][v] == word)
					return false;
		word = be16toh(word);
		for (unsigned int i = 0; i < cond->n_words; i++)
			if (cond->words[i].byte == byte &&
			    (cond->words[i].holds[word / 64] >> word % 64 & 1) !=
				    cond->words[i].expect)
				return false;
	}
	return true;
}

static cache_node leaf_of(struct ddp_cache *cache, const uint16_t *set, unsigned int n) {
	if (cache_has_buckets(cache))
		return bucket_make(cache, set, n, true);
	return n == 0 ? 0 : set[0];
}

// The node that separates the entries of a set, the most special first; room has n_room indexes.
static cache_node node_build(struct tree_builder *b, const uint16_t *set, unsigned int n,
			     uint16_t *room, unsigned int n_room);

// Which entries may match a packet that came this way, now that the byte at is known.
static unsigned int possible_find(const struct tree_builder *b, const uint16_t *set, unsigned int n,
				  unsigned int at, uint16_t *left) {
	unsigned int n_left = 0;

	b->cache->tree_work += n;
	for (unsigned int i = 0; i < n; i++) {
		const struct cache_entry *entry = &b->cache->entries[set[i]];
		const uint8_t differs = entry->cond.value[at] ^ b->value[at];

		if ((differs & entry->cond.mask[at] & b->mask[at]) == 0 &&
		    words_possible(b, &entry->cond, at))
			left[n_left++] = set[i];
	}
	return n_left;
}

// A value of the byte that leads to the same entries as one before shares its node: most values do.
static void children_build(struct tree_builder *b, const struct choice *choice,
			   cache_node *children, const uint16_t *set, unsigned int n,
			   uint16_t *room, unsigned int n_room) {
	uint8_t *mask = &b->mask[choice->byte], *value = &b->value[choice->byte];
	const uint8_t mask_before = *mask, value_before = *value;
	unsigned int starts[257], n_distinct = 0;
	cache_node nodes[256];

	*mask |= choice->bits << choice->shift;
	starts[0] = 0;
	for (unsigned int c = 0; c <= choice->bits; c++) {
		uint16_t *left = room + starts[n_distinct];
		unsigned int n_left, same = 0;

		*value = (value_before & ~(choice->bits << choice->shift)) | c << choice->shift;
		if (starts[n_distinct] + n > n_room) {
			children[c] = leaf_of(b->cache, set, n);
			continue;
		}
		n_left = possible_find(b, set, n, choice->byte, left);
		while (same < n_distinct &&
		       (starts[same + 1] - starts[same] != n_left ||
			memcmp(room + starts[same], left, n_left * sizeof(*left)) != 0))
			same++;
		if (same == n_distinct) {
			starts[++n_distinct] = left + n_left - room;
			nodes[same] = node_build(b, left, n_left, left + n_left,
						 n_room - starts[n_distinct]);
		}
		children[c] = nodes[same];
	}
	*mask = mask_before;
	*value = value_before;
}

static cache_node node_build(struct tree_builder *b, const uint16_t *set, unsigned int n,
			     uint16_t *room, unsigned int n_room) {
	struct ddp_cache *cache = b->cache;
	uint32_t first = cache->n_slots;
	struct choice choice;
	bool special;
	int bucket;

	RTE_ASSERT(b->depth <= CACHE_DEPTH);
	if (n <= 1)
		return leaf_of(cache, set, n);
	if (n <= CACHE_BUCKET && cache_has_buckets(cache)) {
		bucket = bucket_make(cache, set, n, false);
		if (bucket >= 0)
			return bucket;
	}
	if (b->depth == CACHE_DEPTH || !choose(b, set, n, &choice, &special) ||
	    (special && b->specials == CACHE_SPECIALS) || first + choice.bits + 1 > CACHE_SLOTS)
		return leaf_of(cache, set, n);
	cache->n_slots += choice.bits + 1;
	b->depth++;
	if (b->deepest < b->depth)
		b->deepest = b->depth;
	b->specials += special;
	children_build(b, &choice, &cache->slots[first], set, n, room, n_room);
	b->specials -= special;
	b->depth--;
	return cache_node_make(first, choice.byte, choice.shift, __builtin_popcount(choice.bits));
}

// Pairs that are compared, or lines that are loaded, of all packets.
static uint8_t common_choose(const struct ddp_cache *cache, const uint32_t counts[CACHE_NEED + 1]) {
	const uint32_t far = counts[3] + counts[4], all = counts[1] + counts[2] + far;
	unsigned int costs[PAIRS_MAX] = {0}, best = 0;

	static_assert(CACHE_NEAR == 2 && CACHE_LINES == 4 && CACHE_NEED == 4,
		      "lines 3 and 4 are far");
	// Far lines are not prefetched: loading them for all packets pays off if many need them.
	if (cache_has_selections(cache->isa))
		return ENOUGH * far > all ? CACHE_LINES : CACHE_NEAR;
	for (unsigned int n = 1; n <= PAIRS_MAX; n++) // further ones take about as long as three
		for (unsigned int need = 1; need <= CACHE_NEED; need++)
			costs[n - 1] += counts[need] * (need > n ? need + 2 : n);
	for (unsigned int n = 1; n < PAIRS_MAX; n++)
		if (costs[n] < costs[best])
			best = n;
	return best + 1;
}

static uint8_t extra_of(const struct cache_entry *entry, bool selects, unsigned int common) {
	uint8_t extra = 0;

	if (selects ? entry->partial : entry->n_pairs > common)
		extra |= CACHE_PIECES;
	if (selects && entry->n_lines > common)
		extra |= CACHE_FAR;
	if (entry->partial || entry->cond.n_words > 0 || entry->has_second || entry->odd)
		extra |= CACHE_ODD;
	if (!selects && entry->n_exclusions > 1)
		extra |= CACHE_ODD;
	if (selects && !entry->has_row)
		extra |= CACHE_APART;
	if (entry->verdict.input_len > 16)
		extra |= CACHE_LONGER;
	return extra != 0 ? extra | CACHE_MORE : 0;
}

static void sums_make(struct ddp_cache *cache) {
	const bool selects = cache_has_selections(cache->isa);
	uint32_t counts[CACHE_NEED + 1] = {0};
	uint8_t common = cache->common;

	for (unsigned int i = 1; i < cache->n_entries; i++)
		counts[cache->entries[i].n_needed]++;
	if (common == 0) // before there is a sample
		common = common_choose(cache, counts);
	cache->reach = 64;
	cache->head_words = cache->most_words = cache->extra = 0;
	cache->any_xor = cache->any_symmetric = false;
	cache->n_lines = 1;
	cache->n_pairs = selects ? 0 : common;
	for (unsigned int i = 1; i < cache->n_entries; i++) {
		struct cache_entry *e = &cache->entries[i];
		unsigned int words = (e->verdict.input_len + 3) / 4;

		RTE_ASSERT(e->n_needed <= CACHE_NEED);
		e->extra = extra_of(e, selects, common);
		cache->extra |= e->extra;
		e->expect &= ~(1u << CACHE_SELECT_MORE);
		e->expect |= (uint32_t)(e->extra == 0) << CACHE_SELECT_MORE;
		if (cache->reach < e->reach)
			cache->reach = e->reach;
		if (cache->n_lines < e->n_lines)
			cache->n_lines = e->n_lines;
		cache->any_xor |= e->verdict.function == DDP_HASH_SIMPLE_XOR;
		cache->any_symmetric |= e->n_sides > 0;
		if (cache->most_words < words)
			cache->most_words = words;
		if (words > 4) // the others rarely have the fourth: it is hashed with the rest
			words = 3;
		if (cache->head_words < words)
			cache->head_words = words;
	}
	if (selects && cache->n_lines > common) {
		cache->n_lines = common;
		cache->reach = 64 * CACHE_LINES;
	}
	if (selects && cache->reach < 64 * cache->n_lines)
		cache->reach = 64 * cache->n_lines;
}

void cache_common_renew(struct ddp_cache *cache) {
	const uint8_t before = cache->common;
	uint32_t sample = 0;

	for (unsigned int need = 1; need <= CACHE_NEED; need++)
		sample += cache->sampled[need];
	if (sample == 0)
		return;
	cache->common = common_choose(cache, cache->sampled);
	cache->rare = ENOUGH * cache->sampled_rare > sample;
	memset(cache->sampled, 0, sizeof(cache->sampled));
	cache->sampled_rare = 0;
	if (cache->common != before)
		sums_make(cache);
}

void cache_tree_build(struct ddp_cache *cache) {
	struct tree_builder b = {.cache = cache};
	uint16_t *set = cache->scratch;
	uint16_t order[CACHE_ENTRIES];
	unsigned int n = 0;

	sums_make(cache);
	for (unsigned int i = 1; i < cache->n_entries; i++)
		order[i] = specificity(&cache->entries[i]);
	for (unsigned int i = 1; i < cache->n_entries; i++) { // insertion sort: mostly in order
		unsigned int at = n++;

		for (; at > 0 && order[set[at - 1]] < order[i]; at--)
			set[at] = set[at - 1];
		set[at] = i;
	}
	b.end = cache->reach < TRACE_REACH ? cache->reach : TRACE_REACH;
	cache->tree_work = 0;
	cache->n_slots = CACHE_ENTRIES;
	cache->n_buckets = 0;
	cache->wide = false;
	for (unsigned int i = 0; i < CACHE_ENTRIES; i++)
		cache->slots[i] = i;
	cache->root = node_build(&b, set, n, set + n,
				 sizeof(cache->scratch) / sizeof(*cache->scratch) - n);
	RTE_ASSERT(cache->n_slots <= CACHE_SLOTS && b.depth == 0);
	cache->depth = b.deepest;
	cache->n_treed = cache->n_entries;
}
