/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"

#define FIRST_ENTRIES 1024
#define REGISTER_BITS 12
#define PRUNE_COUNTS 4096 // counts up to here are told apart when the smaller half is to go

_Static_assert(FLOWS_REGISTERS == 1 << REGISTER_BITS, "a register by so many bits");

// Keys are hashes already, but not evenly spread over all 64 bits.
static inline uint64_t mix(uint64_t key) {
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return key ^ key >> 32;
}

static inline struct flow *entry_at(const struct flows *flows, uint32_t i) {
	return (struct flow *)(uintptr_t)(flows->entries + (size_t)i * flows->stride);
}

// The key's entry, or the free one where it would be.
static inline struct flow *entry_find(const struct flows *flows, uint64_t key) {
	uint32_t i = mix(key) & flows->mask;

	while (entry_at(flows, i)->key != 0 && entry_at(flows, i)->key != key)
		i = (i + 1) & flows->mask;
	return entry_at(flows, i);
}

void flows_init(struct flows *flows, bool detailed, unsigned int n_places) {
	memset(flows, 0, sizeof(*flows));
	flows->detailed = detailed;
	flows->n_places = n_places;
	flows->stride = sizeof(struct flow);
	if (detailed)
		flows->stride += sizeof(struct flow_detail) + n_places * sizeof(struct flow_place);
	flows->n_max = FLOWS_MAX;
	flows->mask = FIRST_ENTRIES - 1;
	flows->entries = calloc_or_exit(FIRST_ENTRIES, flows->stride);
	flows->registers = calloc_or_exit(FLOWS_REGISTERS, 1);
}

void flows_fini(struct flows *flows) {
	free(flows->entries);
	free(flows->registers);
	flows->entries = NULL;
	flows->registers = NULL;
}

// Move the entries with more than `least` packets to a table for n.
static int rebuild(struct flows *flows, uint32_t n, uint64_t least) {
	uint8_t *old = flows->entries;
	uint32_t old_mask = flows->mask;
	uint8_t *entries = calloc(n, flows->stride);

	if (entries == NULL)
		return -ENOMEM;
	flows->entries = entries;
	flows->mask = n - 1;
	flows->n = 0;
	for (uint64_t i = 0; i <= old_mask; i++) {
		const struct flow *flow = (const struct flow *)(old + i * flows->stride);

		if (flow->key == 0 || flow->packets <= least)
			continue;
		memcpy(entry_find(flows, flow->key), flow, flows->stride);
		flows->n++;
	}
	free(old);
	return 0;
}

// The count that at least half of the entries do not exceed.
static uint64_t median(const struct flows *flows) {
	uint32_t counts[PRUNE_COUNTS] = {0}, sum = 0;

	for (uint64_t i = 0; i <= flows->mask; i++) {
		uint64_t packets = entry_at(flows, i)->packets;

		if (packets > 0 && packets < PRUNE_COUNTS)
			counts[packets]++;
	}
	for (unsigned int i = 0; i < PRUNE_COUNTS; i++) {
		sum += counts[i];
		if (sum >= flows->n / 2)
			return i;
	}
	return PRUNE_COUNTS;
}

// Room for one more. Tables are at most half full.
static int room_make(struct flows *flows) {
	uint32_t size = flows->mask + 1;
	uint64_t least;

	if (flows->n < size / 2)
		return 0;
	if (flows->n < flows->n_max)
		return rebuild(flows, 2 * size, 0);
	least = median(flows);
	if (rebuild(flows, size, least) < 0)
		return -ENOMEM;
	flows->error += least;
	return flows->n < size / 2 ? 0 : -ENOMEM;
}

static void register_set(uint8_t *registers, uint64_t key) {
	uint64_t bits = mix(key ^ UINT64_C(0x9e3779b97f4a7c15)); // others than choose the entry
	unsigned int rank = __builtin_clzll(bits << REGISTER_BITS | 1U << (REGISTER_BITS - 1)) + 1;
	uint8_t *at = &registers[bits >> (64 - REGISTER_BITS)];

	if (*at < rank)
		*at = rank;
}

static struct flow *flow_add(struct flows *flows, uint64_t key) {
	struct flow *flow;

	register_set(flows->registers, key);
	if (flows->full || room_make(flows) < 0) {
		flows->full = true;
		return NULL;
	}
	flow = entry_find(flows, key);
	flow->key = key;
	flows->n++;
	return flow;
}

struct flow *flows_count(struct flows *flows, uint64_t key) {
	struct flow *flow = entry_find(flows, key);

	if (flow->key == 0)
		flow = flow_add(flows, key);
	if (flow != NULL)
		flow->packets++;
	return flow;
}

void flows_prefetch(const struct flows *flows, uint64_t key) {
	const char *entry = (const char *)entry_at(flows, mix(key) & flows->mask);

	__builtin_prefetch(entry, 1);
	if (flows->n_places > 0)
		__builtin_prefetch(entry + sizeof(struct flow) + sizeof(struct flow_detail), 1);
}

const struct flow *flows_find(const struct flows *flows, uint64_t key) {
	const struct flow *flow = entry_find(flows, key);

	return flow->key != 0 ? flow : NULL;
}

void flow_place_change(struct flow_place *place, uint64_t n, uint16_t queue) {
	if (n == 0)
		return;
	if (place->n[0] == 0 || n < place->n[0]) {
		if (place->n[0] != 0 && place->queue[0] != queue) {
			place->n[1] = place->n[0];
			place->queue[1] = place->queue[0];
		}
		place->n[0] = n;
		place->queue[0] = queue;
	} else if (queue != place->queue[0] && (place->n[1] == 0 || n < place->n[1])) {
		place->n[1] = n;
		place->queue[1] = queue;
	}
}

static void entry_merge(const struct flows *flows, struct flow *to, const struct flow *from) {
	const struct flow_detail *new = flow_detail(from);
	struct flow_detail *old = flow_detail(to);

	if (to->packets == 0) {
		memcpy(to, from, flows->stride);
		return;
	}
	to->packets += from->packets;
	if (!flows->detailed)
		return;
	old->bytes += new->bytes;
	for (unsigned int p = 0; p < flows->n_places; p++) {
		flow_place_begin(&old->places[p], new->places[p].n[0], new->places[p].place);
		for (unsigned int i = 0; i < 2; i++)
			flow_place_add(&old->places[p], new->places[p].n[i],
				       new->places[p].queue[i]);
	}
}

void flows_add(struct flows *flows, uint64_t key, const struct flow *from) {
	struct flow *flow = entry_find(flows, key);

	flows->n_max = UINT32_MAX / 4; // all of what was kept
	if (flow->key == 0)
		flow = flow_add(flows, key);
	if (flow == NULL)
		no_memory_exit();
	entry_merge(flows, flow, from);
	flow->key = key;
}

void flows_merge(struct flows *flows, const struct flows *from) {
	for (const struct flow *flow = flows_next(from, NULL); flow != NULL;
	     flow = flows_next(from, flow))
		flows_add(flows, flow->key, flow);
	flows->error += from->error;
	flows->full |= from->full;
	for (unsigned int i = 0; i < FLOWS_REGISTERS; i++)
		if (flows->registers[i] < from->registers[i])
			flows->registers[i] = from->registers[i];
}

// Flajolet et al., HyperLogLog (2007).
static uint64_t estimate(const uint8_t *registers) {
	const double m = FLOWS_REGISTERS;
	double sum = 0;

	for (unsigned int i = 0; i < FLOWS_REGISTERS; i++)
		sum += 1.0 / (UINT64_C(1) << registers[i]);
	return 0.7213 / (1 + 1.079 / m) * m * m / sum + 0.5;
}

uint64_t flows_number(const struct flows *flows) {
	return flows->error == 0 && !flows->full ? flows->n : estimate(flows->registers);
}

const struct flow *flows_next(const struct flows *flows, const struct flow *flow) {
	uint64_t i = 0;

	if (flow != NULL)
		i = ((const uint8_t *)flow - flows->entries) / flows->stride + 1;
	for (; i <= flows->mask; i++)
		if (entry_at(flows, i)->key != 0)
			return entry_at(flows, i);
	return NULL;
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
