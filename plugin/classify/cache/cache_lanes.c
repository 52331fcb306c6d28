/* SPDX-License-Identifier: BSD-3-Clause */
// Groups of entries that are compared at once. The hint of an entry is the few bytes that
// distinguish it from those behind it; one search over all entries lets few bytes serve many.

#include "cache_set.h"

#define PLACE_SIZE 16

// By slot: the slots behind it that a byte distinguishes it from, as bits.
struct distinct {
	uint16_t lanes[CACHE_LANES];
};

struct grouper {
	const struct cache_entry *entries[CACHE_LANES];
	unsigned int n;
	unsigned int reach; // of all entries
	bool anywhere;      // hints need no pool

	// from here on all is 0 at first
	uint16_t todo[CACHE_LANES];             // slots that each is not yet distinguished from
	uint16_t before[CACHE_LANES];           // slots that must be before each
	uint8_t hints[CACHE_LANES][CACHE_HINT]; // bytes of the packet
	uint8_t n_hints[CACHE_LANES];
	uint8_t low[CACHE_PLACES], high[CACHE_PLACES], n_places; // bytes of the packet
	uint8_t pool[PLACE_SIZE];                                // bytes of the packet
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
static bool differences_note(struct grouper *g, unsigned int lane, unsigned int other) {
	const struct cache_entry *a = g->entries[lane], *b = g->entries[other];
	bool found = false;

	for (unsigned int at = 0; at < g->reach; at += 8) {
		uint64_t word = (word_at(a->asked.value + at) ^ word_at(b->asked.value + at)) &
				word_at(a->asked.mask + at) & word_at(b->asked.mask + at);

		for (found |= word != 0; word != 0;) {
			unsigned int byte = __builtin_ctzll(word) / 8;

			if (!g->is_candidate[at + byte])
				g->candidates[g->n_candidates++] = at + byte;
			g->is_candidate[at + byte] = true;
			g->distinct[at + byte].lanes[lane] |= 1u << other;
			word &= ~(UINT64_C(0xff) << 8 * byte);
		}
	}
	return found;
}

static bool place_add(struct grouper *g, unsigned int at) {
	for (unsigned int p = 0; p < g->n_places; p++) {
		unsigned int low = at < g->low[p] ? at : g->low[p];
		unsigned int high = at > g->high[p] ? at : g->high[p];

		if (high - low >= PLACE_SIZE)
			continue;
		g->low[p] = low;
		g->high[p] = high;
		return true;
	}
	if (g->n_places == CACHE_PLACES)
		return false;
	g->low[g->n_places] = g->high[g->n_places] = at;
	g->n_places++;
	return true;
}

// Make a byte of the packet one of those at hand.
static bool pool_add(struct grouper *g, unsigned int at) {
	if (g->anywhere)
		return at < CACHE_ANYWHERE;
	for (unsigned int i = 0; i < g->n_pool; i++)
		if (g->pool[i] == at)
			return true;
	if (g->n_pool == sizeof(g->pool) || !place_add(g, at))
		return false;
	g->pool[g->n_pool++] = at;
	return true;
}

static bool hint_add(struct grouper *g, unsigned int lane, unsigned int at) {
	for (unsigned int i = 0; i < g->n_hints[lane]; i++)
		if (g->hints[lane][i] == at)
			return true;
	if (g->n_hints[lane] == CACHE_HINT || !pool_add(g, at))
		return false;
	g->hints[lane][g->n_hints[lane]++] = at;
	return true;
}

// The other entry forbids a word that this one requires.
static bool list_note(struct grouper *g, unsigned int lane, unsigned int other) {
	const struct cache_entry *a = g->entries[lane], *b = g->entries[other];

	for (unsigned int l = 0; l < b->asked.n_lists; l++) {
		unsigned int byte = b->asked.list_bytes[l];
		uint16_t word;

		memcpy(&word, a->asked.value + byte, sizeof(word));
		if (a->asked.mask[byte] != 0xff || a->asked.mask[byte + 1] != 0xff)
			continue;
		for (unsigned int v = 0; v < TRACE_LIST; v++)
			if (b->asked.lists[l][v] == word)
				return hint_add(g, lane, byte) && hint_add(g, lane, byte + 1);
	}
	return false;
}

static int candidate_best(const struct grouper *g) {
	struct distinct todo = {{0}};
	unsigned int most = 0;
	int best = -1;

	for (unsigned int i = 0; i + 1 < g->n; i++)
		todo.lanes[i] = g->n_hints[i] < CACHE_HINT ? g->todo[i] : 0;
	for (unsigned int c = 0; c < g->n_candidates; c++) {
		const struct distinct *distinct = &g->distinct[g->candidates[c]];
		unsigned int gain = 0; // slots that it distinguishes from those behind them

		for (unsigned int i = 0; i < CACHE_LANES; i += 4)
			gain += __builtin_popcountll(word_at(&distinct->lanes[i]) &
						     word_at(&todo.lanes[i]));
		if (gain <= most)
			continue;
		most = gain;
		best = c;
	}
	return best;
}

// Take the bytes that distinguish most, one after the other. Returns whether these suffice.
static bool hints_choose(struct grouper *g) {
	for (unsigned int i = 0; i + 1 < g->n; i++)
		for (unsigned int h = 0; h < g->n_hints[i]; h++) // bytes of lists
			g->todo[i] &= ~g->distinct[g->hints[i][h]].lanes[i];
	for (int best; (best = candidate_best(g)) >= 0;) {
		unsigned int at = g->candidates[best];

		g->candidates[best] = g->candidates[--g->n_candidates];
		if (!pool_add(g, at))
			continue;
		for (unsigned int i = 0; i + 1 < g->n; i++)
			if ((g->todo[i] & g->distinct[at].lanes[i]) != 0 && hint_add(g, i, at))
				g->todo[i] &= ~g->distinct[at].lanes[i];
	}
	for (unsigned int i = 0; i < g->n; i++)
		if (g->todo[i] != 0)
			return false;
	return true;
}

// Reverse the order: entries with few conditions first, unless ones with more must come before.
static void entries_turn(struct grouper *g) {
	const struct cache_entry *turned[CACHE_LANES];
	uint16_t left = (1u << g->n) - 1;

	for (unsigned int n = 0; n < g->n; n++) {
		unsigned int i = g->n - 1;

		while ((left >> i & 1) == 0 || (g->before[i] & left) != 0)
			i--; // nothing is before the first one that is left
		turned[n] = g->entries[i];
		left &= ~(1u << i);
	}
	memcpy(g->entries, turned, g->n * sizeof(turned[0]));
}

static bool entries_distinguish(struct grouper *g) {
	const size_t first = offsetof(struct grouper, todo);
	uint16_t special[CACHE_LANES] = {0};
	bool all;

	memset((char *)g + first, 0, sizeof(*g) - first);
	for (unsigned int i = 0; i + 1 < g->n; i++)
		for (unsigned int j = i + 1; j < g->n; j++)
			if (differences_note(g, i, j)) {
				g->todo[i] |= 1u << j;
			} else {
				g->before[j] |= 1u << i;
				if (!list_note(g, i, j))
					special[i] |= 1u << j;
			}
	all = hints_choose(g);
	for (unsigned int i = 0; i + 1 < g->n; i++) // otherwise this one has more conditions
		for (; special[i] != 0; special[i] &= special[i] - 1) {
			const uint8_t *more = g->entries[i]->asked.mask;
			const uint8_t *less = g->entries[__builtin_ctz(special[i])]->asked.mask;
			bool found = false;

			for (unsigned int at = 0; at < g->reach; at++)
				found |= (more[at] & ~less[at]) != 0 && hint_add(g, i, at);
			all &= found;
		}
	return all;
}

static void pools_put(const struct grouper *g, struct cache_lanes *lanes) {
	memset(lanes->pools, 0x80, sizeof(lanes->pools));
	for (unsigned int p = 0; p < CACHE_PLACES; p++) {
		unsigned int low = p < g->n_places ? g->low[p] : 0;

		lanes->places[p] = low < g->reach - PLACE_SIZE ? low : g->reach - PLACE_SIZE;
	}
	for (unsigned int i = 0; i < g->n_pool; i++) {
		unsigned int p = 0;

		while (g->pool[i] < g->low[p] || g->pool[i] > g->high[p])
			p++;
		lanes->pools[p][i] = g->pool[i] - lanes->places[p];
	}
}

static void lanes_put(const struct ddp_cache *cache, const struct grouper *g, const uint16_t *set,
		      struct cache_lanes *lanes) {
	memset(lanes, 0, sizeof(*lanes));
	memset(lanes->hints.from, 0x80, sizeof(lanes->hints.from));
	for (unsigned int i = 0; i < CACHE_LANES; i++) // unused slots match nothing
		lanes->entries[i] = &cache->entries[0].verdict;
	for (unsigned int i = 0; i < g->n; i++) {
		RTE_ASSERT(set[i] < cache->n_entries);
		lanes->indexes[i] = set[i];
		lanes->entries[i] = &g->entries[i]->verdict;
		for (unsigned int h = 0; h < g->n_hints[i]; h++) {
			const unsigned int at = g->hints[i][h], to = CACHE_HINT * i + h;
			unsigned int p = 0;

			while (!g->anywhere && g->pool[p] != at)
				p++;
			lanes->hints.from[to] = g->anywhere ? at : p;
			lanes->hints.mask[to] = g->entries[i]->asked.mask[at];
			lanes->hints.value[to] = g->entries[i]->asked.value[at];
		}
	}
	pools_put(g, lanes);
}

static int lanes_find(const struct ddp_cache *cache, const uint16_t *set, unsigned int n) {
	uint16_t indexes[CACHE_LANES] = {0};

	memcpy(indexes, set, n * sizeof(*set));
	for (unsigned int i = 0; i < cache->n_lanes; i++)
		if (memcmp(cache->lanes[i].indexes, indexes, sizeof(indexes)) == 0)
			return i;
	return -1;
}

int cache_lanes_make(struct ddp_cache *cache, const uint16_t *set, unsigned int n, bool must) {
	struct grouper g;
	int found;

	g.n = n < CACHE_LANES ? n : CACHE_LANES;
	found = lanes_find(cache, set, g.n);
	if (found >= 0)
		return found;
	if (cache->n_lanes == CACHE_NODES)
		return must ? 0 : -1;
	g.reach = cache->reach;
	g.anywhere = cache_has_picks(cache->isa);
	for (unsigned int i = 0; i < g.n; i++)
		g.entries[i] = &cache->entries[set[i]];
	cache->tree_work += 8 * n * n; // estimated reads of an entry's byte
	if (!entries_distinguish(&g)) {
		entries_turn(&g);
		if (!entries_distinguish(&g) && !must)
			return -1;
	}
	lanes_put(cache, &g, set, &cache->lanes[cache->n_lanes]);
	if (n > CACHE_LANES / 2)
		cache->wide = true;
	return cache->n_lanes++;
}
