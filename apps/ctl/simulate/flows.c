/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include <math.h>
#include <rte_common.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/output.h"

#define FIRST_SLOTS 1024
#define SLOT_BYTES 16    // of an entry, on average
#define LARGE (8U << 20) // bytes of an array

// Memory for all that may come: what is not used costs nothing, and entries never move. Large pages
// save a fault for each small one, which some virtual machines make expensive.
static void *memory_reserve(size_t size) {
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		no_memory_exit();
	if (size >= LARGE)
		madvise(memory, size, MADV_HUGEPAGE);
	return memory;
}

// Slots are three quarters full at most.
static bool slots_are_full(uint32_t n, uint32_t mask) {
	return n >= mask / 4 * 3;
}

static size_t slots_size(const struct flows *flows) {
	size_t n = FIRST_SLOTS;

	while (slots_are_full(flows->n_max, n - 1))
		n *= 2;
	return n * sizeof(*flows->slots);
}

void flows_init(struct flows *flows, bool detailed, unsigned int n_places, size_t size) {
	size_t detail_size = 0, n;

	*flows = (struct flows){.mask = FIRST_SLOTS - 1, .stride = offsetof(struct flow, bytes)};
	if (detailed) {
		flows->stride = sizeof(struct flow) + n_places * sizeof(struct flow_place);
		flows->stride = RTE_MAX(flows->stride, (uint32_t)RTE_CACHE_LINE_MIN_SIZE);
		detail_size = sizeof(struct flow_detail);
	}
	n = size / (flows->stride + detail_size + SLOT_BYTES);
	flows->n_max = RTE_MAX(RTE_MIN(n, (size_t)UINT32_MAX / 4), (size_t)FLOWS_LEAST);
	flows->slots = memory_reserve(slots_size(flows));
	flows->entries = memory_reserve((size_t)flows->n_max * flows->stride);
	if (detailed)
		flows->details = memory_reserve(flows->n_max * detail_size);
	ddp_seed_draw(&flows->seed);
}

void flows_fini(struct flows *flows) {
	if (flows->slots == NULL)
		return;
	munmap(flows->slots, slots_size(flows));
	munmap(flows->entries, (size_t)flows->n_max * flows->stride);
	if (flows->details != NULL)
		munmap(flows->details, flows->n_max * sizeof(*flows->details));
	flows->slots = NULL;
}

// The slot of a key, or the free one where it would be.
static inline uint64_t *slot_find(const struct flows *flows, uint64_t key, uint64_t hash) {
	uint32_t i = hash & flows->mask;

	while (flows->slots[i] != 0) {
		if (flows->slots[i] >> 32 == hash >> 32 &&
		    flows_at(flows, (uint32_t)flows->slots[i] - 1)->key == key)
			break;
		i = (i + 1) & flows->mask;
	}
	return &flows->slots[i];
}

static void slots_grow(struct flows *flows) {
	flows->mask = 2 * flows->mask + 1;
	memset(flows->slots, 0, ((size_t)flows->mask + 1) * sizeof(*flows->slots));
	for (uint32_t at = 0; at < flows->n; at++) {
		const uint64_t hash = ddp_seed_hash(&flows->seed, flows_at(flows, at)->key);
		uint32_t i = hash & flows->mask;

		while (flows->slots[i] != 0)
			i = (i + 1) & flows->mask;
		flows->slots[i] = (hash & ~(uint64_t)UINT32_MAX) | (at + 1);
	}
}

struct flow *flows_count(struct flows *flows, uint64_t key) {
	const uint64_t hash = ddp_seed_hash(&flows->seed, key);
	uint64_t *slot = slot_find(flows, key, hash);
	struct flow *flow;

	if (*slot != 0) {
		flow = flows_at(flows, (uint32_t)*slot - 1);
	} else if (flows->n == flows->n_max) {
		flows->n_beyond++;
		return NULL;
	} else {
		flow = flows_at(flows, flows->n);
		flow->key = key;
		if (flows->details != NULL)
			flow->detail = &flows->details[flows->n];
		flows->n++;
		*slot = (hash & ~(uint64_t)UINT32_MAX) | flows->n;
		if (slots_are_full(flows->n, flows->mask))
			slots_grow(flows);
	}
	flows->packets++;
	flow->packets++;
	return flow;
}

void flows_prefetch(const struct flows *flows, const uint64_t *keys, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		__builtin_prefetch(
			&flows->slots[ddp_seed_hash(&flows->seed, keys[i]) & flows->mask]);
	for (unsigned int i = 0; i < n; i++) {
		const uint64_t hash = ddp_seed_hash(&flows->seed, keys[i]);
		const uint64_t slot = flows->slots[hash & flows->mask];
		const char *entry;

		if (slot == 0 || slot >> 32 != hash >> 32)
			continue;
		entry = (const char *)flows_at(flows, (uint32_t)slot - 1);
		__builtin_prefetch(entry, 1);
		__builtin_prefetch(entry + flows->stride - 1, 1);
	}
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

unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n) {
	unsigned int n_top = 0;

	for (uint32_t i = 0; i < flows->n; i++) {
		const struct flow *flow = flows_at(flows, i);
		unsigned int at = n_top;

		if (n_top == n && flow->packets <= top[n - 1]->packets)
			continue;
		if (n_top < n)
			n_top++;
		else
			at--;
		for (; at > 0 && flow->packets > top[at - 1]->packets; at--)
			top[at] = top[at - 1];
		top[at] = flow;
	}
	return n_top;
}

double flows_entropy(const struct flows *flows) {
	double sum = 0;

	for (uint32_t i = 0; i < flows->n; i++) {
		double packets = flows_at(flows, i)->packets;

		sum -= packets * log2(packets / flows->packets);
	}
	return sum > 0 ? sum / flows->packets : 0; // and no -0
}
