/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include <math.h>
#include <rte_common.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/output.h"

#define FIRST_SLOTS 1024
#define SLOT_BYTES 16     // of an entry, on average
#define HEAVY_LEAST 8     // packets of a key that leaves the sample, to be counted further
#define HEAVY_TOLD 4      // packets after which it is worth knowing what a heavy key is
#define PRUNE_COUNTS 4096 // counts up to here are told apart when the smaller half is to go
#define HEAVY_EVERY 8     // packets of keys outside of the sample, of which one begins a count
#define HEAVY_UNHELD 64   // packets before that at most, but for one key in 5000
#define LARGE_LEAST 64    // packets, where the smaller half was forgotten
#define LEVEL_MAX 40
#define INDEX_AHEAD 16   // entries whose slots are prefetched
#define LARGE (8U << 20) // bytes of a list

// Which keys are counted: without a seed, for output must not differ from run to run. Keys are
// hashes already, but not evenly spread over all 64 bits.
static inline uint64_t mix(uint64_t key) {
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return key ^ key >> 32;
}

static inline struct flow *entry_at(const struct flows *flows, const struct flow_table *table,
				    uint32_t i) {
	return (struct flow *)(uintptr_t)(table->entries + (size_t)i * flows->stride);
}

static inline struct flow_detail *detail_at(const struct flows *flows,
					    const struct flow_table *table, uint32_t i) {
	return (struct flow_detail *)(uintptr_t)(table->details + (size_t)i * flows->detail_stride);
}

/* A table */

// Memory for all that may come: what is not used costs nothing, and what is used never moves, which
// costs a fault for each page on some virtual machines. So large pages are asked for, too, where a
// part of one that is not used is little.
static void *memory_reserve(size_t size) {
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		no_memory_exit();
	if (size >= LARGE)
		madvise(memory, size, MADV_HUGEPAGE);
	return memory;
}

static bool is_in(const struct flows *flows, const struct flow_table *table,
		  const struct flow *flow) {
	const uint8_t *at = (const uint8_t *)flow;

	return table->n > 0 && at >= table->entries &&
	       at < table->entries + (size_t)table->n * flows->stride;
}

// Where a key is. A sender that knew it could have one slot searched for all of its flows.
static inline uint64_t slot_hash(const struct flows *flows, uint64_t key) {
	return ddp_seed_hash(&flows->seed, key);
}

static inline uint64_t slot_make(uint64_t hash, uint32_t at) {
	return (hash & ~(uint64_t)UINT32_MAX) | (at + 1);
}

// The slot of a key, or the free one where it would be.
static inline uint64_t *slot_find(const struct flows *flows, const struct flow_table *table,
				  uint64_t key) {
	const uint64_t hash = slot_hash(flows, key);
	uint32_t i = hash & table->mask;

	while (table->slots[i] != 0) {
		if (table->slots[i] >> 32 == hash >> 32 &&
		    entry_at(flows, table, (uint32_t)table->slots[i] - 1)->key == key)
			break;
		i = (i + 1) & table->mask;
	}
	return &table->slots[i];
}

static inline struct flow *table_find(const struct flows *flows, const struct flow_table *table,
				      uint64_t key) {
	uint64_t slot = *slot_find(flows, table, key);

	return slot != 0 ? entry_at(flows, table, (uint32_t)slot - 1) : NULL;
}

// An index is three quarters full at most.
static inline bool index_is_full(uint32_t n, uint32_t mask) {
	return n >= mask / 4 * 3;
}

// Bytes of slots for so many entries.
static size_t slots_size(uint32_t room) {
	uint32_t n = FIRST_SLOTS;

	while (index_is_full(room, n - 1))
		n *= 2;
	return n * sizeof(uint64_t);
}

static void table_init(const struct flows *flows, struct flow_table *table, uint32_t room) {
	table->n = 0;
	table->room = room;
	table->mask = FIRST_SLOTS - 1;
	table->slots = memory_reserve(slots_size(room));
	table->entries = memory_reserve((size_t)room * flows->stride);
	if (flows->detailed)
		table->details = memory_reserve((size_t)room * flows->detail_stride);
}

static void table_fini(const struct flows *flows, struct flow_table *table) {
	if (table->slots == NULL)
		return;
	munmap(table->slots, slots_size(table->room));
	munmap(table->entries, (size_t)table->room * flows->stride);
	if (flows->detailed)
		munmap(table->details, (size_t)table->room * flows->detail_stride);
	*table = (struct flow_table){0};
}

// All entries, of which no two are alike.
static void table_index(const struct flows *flows, struct flow_table *table, uint32_t n_slots) {
	memset(table->slots, 0, n_slots * sizeof(*table->slots));
	table->mask = n_slots - 1;
	for (uint32_t at = 0; at < table->n; at++) {
		const uint64_t hash = slot_hash(flows, entry_at(flows, table, at)->key);
		uint32_t i = hash & table->mask;

		if (at + INDEX_AHEAD < table->n) {
			const struct flow *ahead = entry_at(flows, table, at + INDEX_AHEAD);

			__builtin_prefetch(
				&table->slots[slot_hash(flows, ahead->key) & table->mask], 1);
		}
		while (table->slots[i] != 0)
			i = (i + 1) & table->mask;
		table->slots[i] = slot_make(hash, at);
	}
}

// There is room.
static struct flow *table_add(const struct flows *flows, struct flow_table *table, uint64_t key) {
	struct flow *flow;

	if (index_is_full(table->n, table->mask))
		table_index(flows, table, 2 * (table->mask + 1));
	*slot_find(flows, table, key) = slot_make(slot_hash(flows, key), table->n);
	flow = entry_at(flows, table, table->n);
	memset(flow, 0, flows->stride);
	flow->key = key;
	if (flows->detailed) {
		memset(detail_at(flows, table, table->n), 0, flows->detail_stride);
		memset(flow->seen, UINT8_MAX, flows->n_places * sizeof(flow->seen[0]));
	}
	table->n++;
	return flow;
}

// An entry that stays, when others go.
static void entry_keep(const struct flows *flows, struct flow_table *table, uint32_t to,
		       uint32_t from) {
	memmove(entry_at(flows, table, to), entry_at(flows, table, from), flows->stride);
	if (flows->detailed)
		memmove(detail_at(flows, table, to), detail_at(flows, table, from),
			flows->detail_stride);
}

static void entry_merge(const struct flows *flows, struct flow *to, const struct flow *from) {
	struct flow_detail *known, *more;

	to->packets += from->packets;
	if (!flows->detailed)
		return;
	to->bytes += from->bytes;
	known = flow_detail(flows, to);
	more = flow_detail(flows, from);
	if (!to->is_told)
		memcpy(known, more, offsetof(struct flow_detail, places));
	to->is_told |= from->is_told;
	flow_places_merge(known->places, more->places, flows->n_places);
}

/* Those with most packets */

// The count that at least half of the entries do not exceed.
static uint64_t median(const struct flows *flows, const struct flow_table *table) {
	uint32_t counts[PRUNE_COUNTS] = {0}, sum = 0;

	for (uint32_t i = 0; i < table->n; i++) {
		uint64_t packets = entry_at(flows, table, i)->packets;

		if (packets < PRUNE_COUNTS)
			counts[packets]++;
	}
	for (unsigned int i = 0; i < PRUNE_COUNTS; i++) {
		sum += counts[i];
		if (sum >= table->n / 2)
			return i;
	}
	return PRUNE_COUNTS;
}

static uint32_t n_above(const struct flows *flows, const struct flow_table *table, uint64_t least) {
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->n; i++)
		n += entry_at(flows, table, i)->packets > least;
	return n;
}

static void heavy_prune(struct flows *flows) {
	struct flow_table *table = &flows->heavy;
	uint64_t least = median(flows, table);
	uint32_t n = 0;

	while (n_above(flows, table, least) > table->n / 2)
		least *= 2;
	for (uint32_t i = 0; i < table->n; i++)
		if (entry_at(flows, table, i)->packets > least)
			entry_keep(flows, table, n++, i);
	table->n = n;
	flows->error += least;
	table_index(flows, table, table->mask + 1);
}

static struct flow *heavy_entry(struct flows *flows, uint64_t key) {
	struct flow *flow;

	if (flows->heavy.slots == NULL)
		table_init(flows, &flows->heavy, HEAVY_MAX);
	flow = table_find(flows, &flows->heavy, key);
	if (flow != NULL)
		return flow;
	if (flows->heavy.n == HEAVY_MAX)
		heavy_prune(flows);
	return table_add(flows, &flows->heavy, key);
}

/* The sample */

static inline bool is_sampled(const struct flows *flows, uint64_t by) {
	uint64_t bits = mix(by ^ UINT64_C(0x9e3779b97f4a7c15));

	return flows->level == 0 || bits >> (64 - flows->level) == 0;
}

static void sample_drop(struct flows *flows) {
	struct flow_table *table = &flows->kept;
	uint32_t n = 0;

	for (uint32_t i = 0; i < table->n; i++) {
		const struct flow *flow = entry_at(flows, table, i);

		if (is_sampled(flows,
			       flows->detailed ? detail_at(flows, table, i)->pair : flow->key))
			entry_keep(flows, table, n++, i);
		else if (flow->packets >= HEAVY_LEAST)
			entry_merge(flows, heavy_entry(flows, flow->key), flow);
	}
	table->n = n;
}

// Most of what goes the first time goes at once: all threads wait for this one soon.
static void sample_shrink(struct flows *flows) {
	if (flows->level == 0) {
		flows->error += HEAVY_UNHELD;
		if (flows->n_max > SAMPLE_MAX)
			flows->n_max = SAMPLE_MAX;
	}
	while (flows->kept.n >= flows->n_max && flows->level < LEVEL_MAX) {
		for (uint32_t n = flows->kept.n; n >= flows->n_max; n /= 2)
			flows->level++;
		sample_drop(flows);
	}
	table_index(flows, &flows->kept, flows->kept.mask + 1);
}

// One packet in HEAVY_EVERY, by chance.
static bool is_held(struct flows *flows) {
	return mix(flows->n_outside++ * UINT64_C(0x9e3779b97f4a7c15)) % HEAVY_EVERY == 0;
}

// Where a packet of a key without an entry is counted.
static struct flow *entry_new(struct flows *flows, uint64_t key, uint64_t pair) {
	struct flow *flow;

	if (flows->kept.n >= flows->n_max && flows->level < LEVEL_MAX && is_sampled(flows, pair))
		sample_shrink(flows);
	if (is_sampled(flows, pair) && flows->kept.n < flows->n_max)
		flow = table_add(flows, &flows->kept, key);
	else if (is_held(flows))
		flow = heavy_entry(flows, key);
	else
		return NULL;
	if (flows->detailed)
		flow_detail(flows, flow)->pair = pair;
	return flow;
}

void flows_init(struct flows *flows, bool detailed, unsigned int n_places) {
	*flows = (struct flows){
		.detailed = detailed,
		.n_places = n_places,
		.stride = offsetof(struct flow, bytes),
		.n_max = FLOWS_MAX,
	};
	if (detailed) {
		flows->stride =
			RTE_ALIGN_CEIL(offsetof(struct flow, seen) + n_places * sizeof(uint16_t),
				       sizeof(uint64_t));
		flows->detail_stride =
			sizeof(struct flow_detail) + n_places * sizeof(struct flow_place);
	}
	ddp_seed_draw(&flows->seed);
	table_init(flows, &flows->kept, flows->n_max);
}

void flows_fini(struct flows *flows) {
	table_fini(flows, &flows->kept);
	table_fini(flows, &flows->heavy);
}

void flows_limit(struct flows *flows, size_t size) {
	size_t n = size / (flows->stride + flows->detail_stride + SLOT_BYTES);

	flows->n_max = RTE_MAX(RTE_MIN(n, (size_t)UINT32_MAX / 4), (size_t)FLOWS_LEAST);
	table_fini(flows, &flows->kept);
	table_init(flows, &flows->kept, flows->n_max);
}

// Whether a key is outside of the sample for sure: of what has details the pair decides.
static inline bool is_outside(const struct flows *flows, uint64_t key) {
	return flows->level > 0 && !flows->detailed && !is_sampled(flows, key);
}

static inline struct flow *entry_known(const struct flows *flows, uint64_t key) {
	struct flow *flow = is_outside(flows, key) ? NULL : table_find(flows, &flows->kept, key);

	if (flow == NULL && flows->heavy.n > 0)
		flow = table_find(flows, &flows->heavy, key);
	return flow;
}

struct flow *flows_count_known(struct flows *flows, uint64_t key) {
	struct flow *flow = entry_known(flows, key);

	if (flow == NULL)
		return NULL;
	flows->packets++;
	flow->packets++;
	return flow;
}

struct flow *flows_count_new(struct flows *flows, uint64_t key, uint64_t pair) {
	struct flow *flow = entry_new(flows, key, pair);

	flows->packets++;
	if (flow != NULL)
		flow->packets++;
	return flow;
}

struct flow *flows_count(struct flows *flows, uint64_t key) {
	struct flow *flow = flows_count_known(flows, key);

	return flow != NULL ? flow : flows_count_new(flows, key, key);
}

bool flows_wants_detail(const struct flows *flows, const struct flow *flow) {
	return !flow->is_told && (flow->packets >= HEAVY_TOLD || is_in(flows, &flows->kept, flow));
}

void flows_prefetch_slots(const struct flows *flows, const uint64_t *keys, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		const struct flow_table *table = is_outside(flows, keys[i]) && flows->heavy.n > 0 ?
							 &flows->heavy :
							 &flows->kept;

		__builtin_prefetch(&table->slots[slot_hash(flows, keys[i]) & table->mask]);
	}
}

void flows_prefetch_entries(const struct flows *flows, const uint64_t *keys, unsigned int n) {
	const struct flow_table *table = &flows->kept;

	for (unsigned int i = 0; i < n; i++) {
		const uint64_t hash = slot_hash(flows, keys[i]);
		const char *entry;
		uint64_t slot;

		if (is_outside(flows, keys[i]))
			continue;
		slot = table->slots[hash & table->mask];
		if (slot == 0 || slot >> 32 != hash >> 32)
			continue;
		entry = (const char *)entry_at(flows, table, (uint32_t)slot - 1);
		__builtin_prefetch(entry, 1);
		__builtin_prefetch(entry + flows->stride - 1, 1);
	}
}

const struct flow *flows_find(const struct flows *flows, uint64_t key) {
	return entry_known(flows, key);
}

struct flow_detail *flow_detail(const struct flows *flows, const struct flow *flow) {
	const struct flow_table *table =
		is_in(flows, &flows->kept, flow) ? &flows->kept : &flows->heavy;

	return detail_at(flows, table, ((const uint8_t *)flow - table->entries) / flows->stride);
}

void flow_place_add(struct flow_place *place, uint64_t n, uint16_t at, uint16_t queue) {
	if (n == 0)
		return;
	if (place->n[0] == 0 || n < place->n[0]) {
		if (place->n[0] != 0 && place->queue[0] != queue) {
			place->n[1] = place->n[0];
			place->queue[1] = place->queue[0];
		}
		place->n[0] = n;
		place->queue[0] = queue;
		place->place = at;
	} else if (queue != place->queue[0] && (place->n[1] == 0 || n < place->n[1])) {
		place->n[1] = n;
		place->queue[1] = queue;
	}
}

void flow_places_merge(struct flow_place *to, const struct flow_place *from, unsigned int n) {
	for (unsigned int p = 0; p < n; p++)
		for (unsigned int i = 0; i < 2; i++)
			flow_place_add(&to[p], from[p].n[i], from[p].place, from[p].queue[i]);
}

void flow_put(const struct flows *flows, struct flow *flow, unsigned int p, uint64_t n,
	      uint16_t place, uint16_t queue) {
	struct flow_place *to = &flow_detail(flows, flow)->places[p];

	flow_place_add(to, n, place, queue);
	flow->seen[p] = to->n[1] != 0 ? FLOW_SEEN_ALL : place;
}

static const struct flow *table_next(const struct flows *flows, const struct flow_table *table,
				     const struct flow *flow) {
	const uint8_t *next = table->entries;

	if (table->n == 0)
		return NULL;
	if (flow != NULL)
		next = (const uint8_t *)flow + flows->stride;
	return next < table->entries + (size_t)table->n * flows->stride ?
		       (const struct flow *)next :
		       NULL;
}

const struct flow *flows_next(const struct flows *flows, const struct flow *flow) {
	const struct flow *next = NULL;

	if (flow == NULL || is_in(flows, &flows->kept, flow)) {
		next = table_next(flows, &flows->kept, flow);
		flow = NULL;
	}
	return next != NULL ? next : table_next(flows, &flows->heavy, flow);
}

static bool comes_before(const struct flow *a, const struct flow *b) {
	return a->packets != b->packets ? a->packets > b->packets : a->key < b->key;
}

unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n) {
	unsigned int n_top = 0;

	for (const struct flow *flow = flows_next(flows, NULL); flow != NULL;
	     flow = flows_next(flows, flow)) {
		unsigned int at = n_top;

		if (n_top == n && !comes_before(flow, top[n - 1]))
			continue;
		if (flows->detailed && !flow->is_told)
			continue;
		if (n_top < n)
			n_top++;
		else
			at--;
		for (; at > 0 && comes_before(flow, top[at - 1]); at--)
			top[at] = top[at - 1];
		top[at] = flow;
	}
	return n_top;
}

// Keys that heavy is sure to know count for themselves, smaller ones of the sample for others, too.
double flows_entropy(const struct flows *flows) {
	const uint64_t large = flows->level == 0 ? 0 : LARGE_LEAST + 2 * flows->error;
	double sum = 0, all = 0;

	for (const struct flow *flow = flows_next(flows, NULL); flow != NULL;
	     flow = flows_next(flows, flow)) {
		double packets = flow->packets;

		if (flow->packets <= large)
			packets =
				is_in(flows, &flows->kept, flow) ? ldexp(packets, flows->level) : 0;
		if (packets > 0)
			sum -= packets * log2(flow->packets / (double)flows->packets);
		all += packets;
	}
	return sum > 0 ? sum / all : 0; // and no -0
}
