/* SPDX-License-Identifier: BSD-3-Clause */
// Shapes, and the values of their rules: a hash table that is changed while it is read.
//
// A bucket's tags and entries are written one by one. A reader takes the tag for a hint, and an
// entry for one after it compared all of its values, so whatever mixture it sees is one that it
// could have seen before or after the change. Entries never move within an array of buckets: a
// larger array is filled aside. A reader takes array and seed together.
#include <errno.h>
#include <stdlib.h>

#include "flow_set.h"

#define CHUNK_FIRST 4  // entries
#define CHUNK_MAX 1024 // entries
#define ENTRY_ALIGN 64 // bytes: a packet reads one cache line of most entries
#define FILL 4         // entries of a bucket, on average, until the table grows

// Zeroed, from the beginning of a cache line on; where it really begins is said before it.
static void *lines_alloc(const struct ddp_memory *memory, size_t size) {
	uint8_t *data = ddp_memory_alloc(memory, sizeof(void *) + ENTRY_ALIGN - 1 + size);
	void *lines;

	if (data == NULL)
		return NULL;
	lines = (void *)(((uintptr_t)data + sizeof(void *) + ENTRY_ALIGN - 1) &
			 -(uintptr_t)ENTRY_ALIGN);
	((void **)lines)[-1] = data;
	return lines;
}

static void lines_free(const struct ddp_memory *memory, void *lines) {
	ddp_memory_free(memory, ((void **)lines)[-1]);
}

/* Buckets */

static struct flow_buckets *buckets_create(const struct ddp_memory *memory, uint32_t n) {
	struct flow_buckets *buckets =
		lines_alloc(memory, sizeof(struct flow_buckets) + n * sizeof(struct flow_bucket));

	if (buckets == NULL)
		return NULL;
	ddp_seed_draw(&buckets->seed);
	buckets->mask = n - 1;
	return buckets;
}

static void buckets_destroy(const struct ddp_memory *memory, struct flow_buckets *buckets) {
	while (buckets != NULL) {
		struct flow_buckets *outgrown = buckets->outgrown;

		lines_free(memory, buckets);
		buckets = outgrown;
	}
}

static int free_place(const struct flow_bucket *bucket) {
	for (unsigned int i = 0; i < FLOW_BUCKET; i++)
		if (bucket->entries[i] == NULL)
			return i;
	return -1;
}

// false: the next free slot would be too far away.
static bool has_room(const struct flow_buckets *buckets, uint64_t hash) {
	uint32_t at = (uint32_t)hash & buckets->mask;

	for (unsigned int tried = 0; tried < FLOW_RUN_MAX; tried++, at = (at + 1) & buckets->mask)
		if (free_place(&buckets->buckets[at]) >= 0)
			return true;
	return false;
}

// There must be a bucket. Returns how many others have overflowed by this.
static unsigned int entry_place(struct flow_buckets *buckets, uint64_t hash,
				struct ddp_flow_entry *entry) {
	uint32_t at = (uint32_t)hash & buckets->mask;
	unsigned int n_overflowed = 0;
	int place;

	while ((place = free_place(&buckets->buckets[at])) < 0) {
		n_overflowed += buckets->buckets[at].more == 0;
		__atomic_store_n(&buckets->buckets[at].more, 1, __ATOMIC_RELEASE);
		at = (at + 1) & buckets->mask;
	}
	__atomic_store_n(&buckets->buckets[at].tags[place], flow_hash_tag(hash), __ATOMIC_RELAXED);
	__atomic_store_n(&buckets->buckets[at].entries[place], entry, __ATOMIC_RELEASE);
	return n_overflowed;
}

static struct ddp_flow_entry **place_of(struct flow_buckets *buckets, uint64_t hash,
					const struct ddp_flow_entry *entry) {
	assert(entry != NULL);
	for (uint32_t at = (uint32_t)hash;; at++)
		for (unsigned int i = 0; i < FLOW_BUCKET; i++)
			if (buckets->buckets[at & buckets->mask].entries[i] == entry)
				return &buckets->buckets[at & buckets->mask].entries[i];
}

// Entries that are in use, into other buckets. false: one does not fit.
static bool buckets_fill(struct flow_buckets *buckets, const struct ddp_flow_table *table,
			 unsigned int *n_overflowed) {
	const struct flow_buckets *old = table->buckets;

	*n_overflowed = 0;
	for (uint32_t at = 0; at <= old->mask; at++)
		for (unsigned int i = 0; i < FLOW_BUCKET; i++) {
			struct ddp_flow_entry *entry = old->buckets[at].entries[i];
			uint64_t hash;

			if (entry == NULL)
				continue;
			hash = flow_values_hash(buckets, entry->values, table->n_keys);
			if (!has_room(buckets, hash))
				return false;
			*n_overflowed += entry_place(buckets, hash, entry);
		}
	return true;
}

// Other buckets, n or more, with another seed and room for the entry.
static int buckets_renew(struct ddp_flow_table *table, uint32_t n,
			 const struct ddp_flow_entry *entry) {
	struct flow_buckets *buckets;

	for (;; n *= 2) {
		buckets = buckets_create(table->memory, n);
		if (buckets == NULL)
			return -ENOMEM;
		if (buckets_fill(buckets, table, &table->n_overflowed) &&
		    has_room(buckets, flow_values_hash(buckets, entry->values, table->n_keys)))
			break;
		lines_free(table->memory, buckets);
	}
	table->n_removed = 0;
	buckets->outgrown = table->buckets;
	__atomic_store_n(&table->buckets, buckets, __ATOMIC_RELEASE);
	return 0;
}

/* Entries */

static int chunk_add(struct ddp_flow_table *table) {
	unsigned int n = table->n_new;
	uint8_t *chunk = lines_alloc(table->memory, ENTRY_ALIGN + n * table->entry_size);

	if (chunk == NULL)
		return -ENOMEM;
	*(void **)chunk = table->chunks;
	table->chunks = chunk;
	while (n > 0) { // so that they are used from the first on
		uint8_t *entry = chunk + ENTRY_ALIGN + --n * table->entry_size;

		*(void **)entry = table->free;
		table->free = entry;
	}
	if (table->n_new < CHUNK_MAX)
		table->n_new *= 2;
	return 0;
}

struct ddp_flow_entry *ddp_flow_entry_create(struct ddp_flow_table *table,
					     const struct ddp_flow *rule) {
	struct ddp_flow_entry *entry;
	unsigned int n = 0;
	uint8_t *begin;

	if (table->free == NULL && chunk_add(table) < 0)
		return NULL;
	begin = table->free;
	table->free = *(void **)begin;
	memset(begin, 0, table->entry_size);
	entry = (struct ddp_flow_entry *)(begin + table->data_size);
	for (unsigned int i = 0; i < rule->n_values; i++) {
		const struct ddp_pattern *pattern = &rule->values[i].pattern;

		if (!ddp_flow_is_key(&rule->values[i]))
			continue;
		entry->values[n++] = pattern->value_hi & pattern->mask_hi;
		entry->values[n++] = pattern->value_lo & pattern->mask_lo;
	}
	assert(n == 2 * table->n_keys);
	return entry;
}

void ddp_flow_entry_destroy(struct ddp_flow_table *table, struct ddp_flow_entry *entry) {
	uint8_t *begin = (uint8_t *)entry - table->data_size;

	*(void **)begin = table->free;
	table->free = begin;
}

/* Tables */

static struct ddp_flow_table *table_create(const struct ddp_memory *memory, unsigned int n_keys,
					   size_t data_size) {
	const size_t size =
		data_size + sizeof(struct ddp_flow_entry) + 2 * n_keys * sizeof(uint64_t);
	struct ddp_flow_table *table = ddp_memory_alloc(memory, sizeof(*table));

	assert(data_size % _Alignof(struct ddp_flow_entry) == 0);
	if (table == NULL)
		return NULL;
	table->buckets = buckets_create(memory, 1);
	if (table->buckets == NULL) {
		ddp_memory_free(memory, table);
		return NULL;
	}
	table->memory = memory;
	table->n_keys = n_keys;
	table->priority = UINT32_MAX;
	table->data_size = data_size;
	table->entry_size = (size + ENTRY_ALIGN - 1) / ENTRY_ALIGN * ENTRY_ALIGN;
	table->n_new = CHUNK_FIRST;
	return table;
}

int ddp_flow_table_reserve(struct ddp_flow_table *table, const struct ddp_flow_entry *entry) {
	const uint64_t hash = flow_values_hash(table->buckets, entry->values, table->n_keys);
	const uint32_t n = table->buckets->mask + 1;
	const bool is_full = table->n_used + 1 > FILL * n;
	// Many marks may be of entries that are gone.
	const bool is_worn = table->n_removed > table->n_used && table->n_overflowed > n / 4;
	int ret = 0;

	assert(!table->reserved);
	if (is_full || is_worn || !has_room(table->buckets, hash))
		ret = buckets_renew(table, is_full ? 2 * n : n, entry);
	table->reserved = ret == 0;
	return ret;
}

void ddp_flow_table_unreserve(struct ddp_flow_table *table) {
	table->reserved = false;
}

const struct ddp_flow_entry *ddp_flow_table_find(const struct ddp_flow_table *table,
						 const uint64_t *values) {
	const uint64_t hash = flow_values_hash(table->buckets, values, table->n_keys);

	return flow_buckets_find(table->buckets, values, hash, table->n_keys);
}

void ddp_flow_table_insert(struct ddp_flow_table *table, struct ddp_flow_entry *entry) {
	const uint64_t hash = flow_values_hash(table->buckets, entry->values, table->n_keys);
	const struct ddp_flow_entry *first = ddp_flow_table_find(table, entry->values);
	struct ddp_flow_entry **place;

	assert(table->reserved);
	table->reserved = false;
	if (table->newest < entry->number) // before the entry can be found
		__atomic_store_n(&table->newest, entry->number, __ATOMIC_RELAXED);
	if (table->priority > entry->priority)
		__atomic_store_n(&table->priority, entry->priority, __ATOMIC_RELAXED);
	if (first == NULL) {
		entry->next = NULL;
		table->n_used++;
		table->n_overflowed += entry_place(table->buckets, hash, entry);
		return;
	}
	place = place_of(table->buckets, hash, first);
	while (*place != NULL && ddp_flow_is_preferred(*place, entry))
		place = &(*place)->next;
	entry->next = *place;
	__atomic_store_n(place, entry, __ATOMIC_RELEASE);
}

void ddp_flow_table_remove(struct ddp_flow_table *table, struct ddp_flow_entry *entry) {
	const uint64_t hash = flow_values_hash(table->buckets, entry->values, table->n_keys);
	struct ddp_flow_entry **first, **place;
	struct flow_bucket *bucket;

	first = place = place_of(table->buckets, hash, ddp_flow_table_find(table, entry->values));
	while (*place != entry)
		place = &(*place)->next;
	__atomic_store_n(place, entry->next, __ATOMIC_RELEASE);
	if (*first != NULL)
		return;
	bucket = (void *)((uintptr_t)first & -(uintptr_t)sizeof(*bucket));
	__atomic_store_n(&bucket->tags[first - bucket->entries], 0, __ATOMIC_RELAXED);
	table->n_used--;
	table->n_removed++;
}

void ddp_flow_table_reclaim(struct ddp_flow_table *table) {
	buckets_destroy(table->memory, table->buckets->outgrown);
	table->buckets->outgrown = NULL;
}

/* Shapes */

unsigned int ddp_flow_n_keys(const struct ddp_flow *rule) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n_values; i++)
		n += ddp_flow_is_key(&rule->values[i]);
	return n;
}

static bool text_same(const char *a, const char *b) {
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool field_same(const struct ddp_flow_field *a, const struct ddp_flow_field *b) {
	return a->item == b->item && a->bit == b->bit && a->width == b->width &&
	       a->spare == b->spare && text_same(a->field, b->field);
}

bool ddp_flow_value_same(const struct ddp_flow_value *a, const struct ddp_flow_value *b) {
	const struct ddp_pattern *x = &a->pattern, *y = &b->pattern;

	return field_same(&a->at, &b->at) && a->negate == b->negate && x->mask_hi == y->mask_hi &&
	       x->mask_lo == y->mask_lo &&
	       (ddp_flow_is_key(a) || (((x->value_hi ^ y->value_hi) & x->mask_hi) |
				       ((x->value_lo ^ y->value_lo) & x->mask_lo)) == 0);
}

static bool shape_same(const struct ddp_flow *a, const struct ddp_flow *b) {
	if (a->stage != b->stage || a->hashing.function != b->hashing.function ||
	    a->hashing.own_inputs != b->hashing.own_inputs || a->exact != b->exact ||
	    a->ends != b->ends || a->optional != b->optional || a->n_items != b->n_items ||
	    a->n_values != b->n_values || a->n_inputs != b->n_inputs)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (!text_same(a->items[i], b->items[i]) ||
		    !text_same(a->without[i], b->without[i]))
			return false;
	for (unsigned int i = 0; i < a->n_values; i++)
		if (!ddp_flow_value_same(&a->values[i], &b->values[i]))
			return false;
	for (unsigned int i = 0; i < a->n_inputs; i++)
		if (!field_same(&a->inputs[i], &b->inputs[i]))
			return false;
	return true;
}

struct ddp_flow_shape *ddp_flow_shape_create(struct ddp_flow_shapes *shapes,
					     const struct ddp_memory *memory,
					     const struct ddp_flow *rule, size_t data_size) {
	struct ddp_flow_shape *shape = calloc(1, sizeof(*shape));

	if (shape == NULL)
		return NULL;
	shape->table = table_create(memory, ddp_flow_n_keys(rule), data_size);
	if (shape->table == NULL) {
		free(shape);
		return NULL;
	}
	shape->rule = *rule;
	for (unsigned int i = 0; i < rule->n_values; i++)
		if (ddp_flow_is_key(&rule->values[i]))
			shape->rule.values[i].pattern.value_hi =
				shape->rule.values[i].pattern.value_lo = 0;
	shape->n_users = 1;
	TAILQ_INSERT_TAIL(shapes, shape, entry);
	return shape;
}

struct ddp_flow_shape *ddp_flow_shape_get(struct ddp_flow_shapes *shapes,
					  const struct ddp_memory *memory,
					  const struct ddp_flow *rule, size_t data_size) {
	struct ddp_flow_shape *shape;

	TAILQ_FOREACH(shape, shapes, entry)
		if (shape->owner == NULL && shape_same(&shape->rule, rule)) {
			shape->n_users++;
			return shape;
		}
	return ddp_flow_shape_create(shapes, memory, rule, data_size);
}

void ddp_flow_shape_put(struct ddp_flow_shapes *shapes, struct ddp_flow_shape *shape) {
	struct ddp_flow_table *table = shape->table;

	assert(shape->n_users > 0);
	if (--shape->n_users > 0)
		return;
	TAILQ_REMOVE(shapes, shape, entry);
	while (table->chunks != NULL) {
		void *chunk = table->chunks;

		table->chunks = *(void **)chunk;
		lines_free(table->memory, chunk);
	}
	buckets_destroy(table->memory, table->buckets);
	ddp_memory_free(table->memory, table);
	free(shape);
}

void ddp_flow_entry_read(const struct ddp_flow_entry *entry, struct ddp_flow *rule) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n_values; i++) {
		if (!ddp_flow_is_key(&rule->values[i]))
			continue;
		rule->values[i].pattern.value_hi = entry->values[n++];
		rule->values[i].pattern.value_lo = entry->values[n++];
	}
}
