/* SPDX-License-Identifier: BSD-3-Clause */
// The rules of a port: which compete, what shapes they have, and their place in the shapes' tables.
#include "rules.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Rules by the application's handle, and by their pattern */

#define BUCKETS_FIRST 64

static struct ddp_flow_node **bucket_of(const struct ddp_flow_index *index, uint64_t hash) {
	return &index->buckets[hash & (index->n_buckets - 1)];
}

static void index_insert(struct ddp_flow_index *index, struct ddp_flow_node *node) {
	struct ddp_flow_node **bucket = bucket_of(index, node->hash);

	node->next = *bucket;
	*bucket = node;
	index->n++;
}

// Room for one more, or -ENOMEM.
static int index_reserve(struct ddp_flow_index *index) {
	struct ddp_flow_index larger = {
		.n_buckets = index->n_buckets > 0 ? 2 * index->n_buckets : BUCKETS_FIRST,
	};

	if (index->n < index->n_buckets)
		return 0;
	larger.buckets = calloc(larger.n_buckets, sizeof(*larger.buckets));
	if (larger.buckets == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < index->n_buckets; i++)
		while (index->buckets[i] != NULL) {
			struct ddp_flow_node *node = index->buckets[i];

			index->buckets[i] = node->next;
			index_insert(&larger, node);
		}
	free(index->buckets);
	*index = larger;
	return 0;
}

static void index_remove(struct ddp_flow_index *index, struct ddp_flow_node *node) {
	struct ddp_flow_node **place = bucket_of(index, node->hash);

	while (*place != node)
		place = &(*place)->next;
	*place = node->next;
	index->n--;
}

// The first node with this hash behind another (NULL: of all). NULL: there are no more.
static struct ddp_flow_node *index_next(const struct ddp_flow_index *index, uint64_t hash,
					const struct ddp_flow_node *behind) {
	struct ddp_flow_node *node = NULL;

	if (behind != NULL)
		node = behind->next;
	else if (index->n_buckets > 0)
		node = *bucket_of(index, hash);
	while (node != NULL && node->hash != hash)
		node = node->next;
	return node;
}

/* Patterns */

// The first key from i on. What a rule asks for beside its keys comes of its RSS types.
static unsigned int key_next(const struct ddp_flow *rule, unsigned int i) {
	while (i < rule->n_values && !ddp_flow_is_key(&rule->values[i]))
		i++;
	return i;
}

static bool keys_same(const struct ddp_flow *a, const struct ddp_flow *b) {
	unsigned int i = key_next(a, 0), j = key_next(b, 0);

	while (i < a->n_values && j < b->n_values &&
	       ddp_flow_value_same(&a->values[i], &b->values[j])) {
		i = key_next(a, i + 1);
		j = key_next(b, j + 1);
	}
	return i == a->n_values && j == b->n_values;
}

static bool item_same(const struct ddp_flow *a, const struct ddp_flow *b, unsigned int i) {
	if (a->without[i] != b->without[i])
		return false;
	return strcmp(a->items[i], b->items[i]) == 0 ||
	       (ddp_flow_gre_either(a, i) && ddp_flow_gre_either(b, i));
}

static bool raw_same(const struct ddp_flow_raw *a, const struct ddp_flow_raw *b) {
	if (a == NULL || b == NULL)
		return a == b;
	return a->n == b->n && memcmp(a->spec, b->spec, a->n) == 0;
}

static const struct ddp_flow_raw *raw_of(const struct ddp_flow_shape *shape) {
	const struct rte_flow *flow = shape->owner;

	return flow != NULL ? flow->raw : NULL;
}

// Have these rules one pattern, but for the values it asks for?
static bool pattern_same(const struct ddp_flow_shape *x, const struct ddp_flow_shape *y) {
	const struct ddp_flow *a = &x->rule, *b = &y->rule;

	if (!raw_same(raw_of(x), raw_of(y)) || a->n_items != b->n_items)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (!item_same(a, b, i))
			return false;
	return keys_same(a, b);
}

static unsigned int n_values(const struct rte_flow *flow) {
	return flow->entries[0] == NULL ? 0 : 2 * ddp_flow_n_keys(&flow->shapes[0]->rule);
}

static uint64_t pattern_hash(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	const unsigned int n = n_values(flow);
	const struct ddp_seed *seed = &list->seed;
	uint64_t hash =
		ddp_seed_add(seed, seed->start, flow->shapes[0]->rule.stage, flow->priority);

	for (unsigned int i = 0; i < n; i += 2)
		hash = ddp_seed_add(seed, hash, flow->entries[0]->values[i],
				    flow->entries[0]->values[i + 1]);
	return ddp_seed_end(hash);
}

static bool competes(const struct rte_flow *a, const struct rte_flow *b) {
	return a->shapes[0]->rule.stage == b->shapes[0]->rule.stage && a->priority == b->priority &&
	       pattern_same(a->shapes[0], b->shapes[0]) &&
	       (a->entries[0] == NULL ||
		memcmp(a->entries[0]->values, b->entries[0]->values,
		       n_values(a) * sizeof(a->entries[0]->values[0])) == 0);
}

#define FLOW_OF(node, member) \
	((struct rte_flow *)((char *)(node)-offsetof(struct rte_flow, member)))

// The rule in force that has the same pattern and priority. NULL: there is none.
static struct rte_flow *rival_find(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	struct ddp_flow_node *node = NULL;

	do
		node = index_next(&list->by_pattern, flow->by_pattern.hash, node);
	while (node != NULL && !competes(FLOW_OF(node, by_pattern), flow));
	return node != NULL ? FLOW_OF(node, by_pattern) : NULL;
}

/* Keys */

static int key_get(struct ddp_flow_list *list, struct rte_flow *flow,
		   struct rte_flow_error *error) {
	struct ddp_flow_key *key = list->keys;

	if (flow->key_bytes == NULL)
		return 0;
	while (key != NULL && memcmp(key->hash.key, flow->key_bytes, DDP_KEY_SIZE) != 0)
		key = key->next;
	if (key == NULL && list->n_keys == DDP_FLOW_KEYS_MAX)
		return ddp_flow_error(error, ENOSPC, RTE_FLOW_ERROR_TYPE_ACTION_CONF, NULL,
				      "the rules have as many different RSS keys as they may have");
	if (key == NULL) {
		key = ddp_memory_alloc(list->memory, sizeof(*key));
		if (key == NULL)
			return ddp_flow_no_memory(error);
		ddp_hash_init(&key->hash, DDP_HASH_TOEPLITZ, flow->key_bytes);
		key->next = list->keys;
		list->keys = key;
		list->n_keys++;
	}
	key->n_users++;
	flow->key = key;
	flow->action.spread->hash = &key->hash;
	return 0;
}

static void key_put(struct ddp_flow_list *list, struct rte_flow *flow) {
	struct ddp_flow_key **place = &list->keys;

	if (flow->key == NULL || --flow->key->n_users > 0)
		return;
	while (*place != flow->key)
		place = &(*place)->next;
	*place = flow->key->next;
	list->n_keys--;
	ddp_memory_free(list->memory, flow->key);
}

/* Shapes and entries of a rule */

static void parts_put(struct ddp_flow_list *list, struct rte_flow *flow) {
	for (unsigned int i = 0; i < flow->n_entries; i++) {
		if (flow->entries[i] != NULL)
			ddp_flow_entry_destroy(flow->shapes[i]->table, flow->entries[i]);
		ddp_flow_shape_put(&list->shapes, flow->shapes[i]);
	}
	flow->n_entries = 0;
	key_put(list, flow);
	flow->key = NULL;
}

static int entry_get(struct rte_flow *flow, unsigned int i, const struct ddp_flow *rule) {
	struct ddp_flow_table *table = flow->shapes[i]->table;
	struct ddp_flow_entry *entry = ddp_flow_entry_create(table, rule);

	if (entry == NULL)
		return -ENOMEM;
	if (ddp_flow_table_reserve(table, entry) < 0) {
		ddp_flow_entry_destroy(table, entry);
		return -ENOMEM;
	}
	((struct ddp_flow_action *)entry)[-1] = flow->action;
	flow->entries[i] = entry;
	return 0;
}

static int part_get(struct ddp_flow_list *list, struct rte_flow *flow,
		    const struct ddp_flow *rule) {
	const unsigned int i = flow->n_entries;

	flow->entries[i] = NULL;
	if (flow->raw != NULL)
		flow->shapes[i] = ddp_flow_shape_create(&list->shapes, list->memory, rule, 0);
	else
		flow->shapes[i] =
			ddp_flow_shape_get(&list->shapes, list->memory, rule, sizeof(flow->action));
	if (flow->shapes[i] == NULL)
		return -ENOMEM;
	flow->n_entries++;
	if (flow->raw == NULL)
		return entry_get(flow, i, rule);
	flow->shapes[i]->owner = flow;
	return 0;
}

static int parts_get(struct ddp_flow_list *list, struct rte_flow *flow) {
	struct ddp_flow variants[DDP_FLOW_VARIANTS];
	unsigned int n = 0;
	int ret = part_get(list, flow, flow->rule);

	if (flow->raw == NULL)
		n = ddp_flow_gre_variants(flow->rule, variants);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		ret = part_get(list, flow, &variants[i]);
	return ret;
}

// Give back the room that the rule was to take in the tables.
static void parts_unreserve(struct rte_flow *flow) {
	for (unsigned int i = 0; i < flow->n_entries; i++)
		if (flow->entries[i] != NULL)
			ddp_flow_table_unreserve(flow->shapes[i]->table);
}

static void parts_move(struct rte_flow *flow,
		       void (*move)(struct ddp_flow_table *table, struct ddp_flow_entry *entry)) {
	for (unsigned int i = 0; i < flow->n_entries; i++)
		if (flow->entries[i] != NULL)
			move(flow->shapes[i]->table, flow->entries[i]);
}

// Let the rule (1) count among those of its shapes, or (-1) no longer. Returns whether there is
// something else to compile.
static bool parts_count(struct rte_flow *flow, int by) {
	bool changed = flow->raw != NULL;

	for (unsigned int i = 0; i < flow->n_entries; i++) {
		struct ddp_flow_shape *shape = flow->shapes[i];

		changed |= shape->n_rules == 0;
		shape->n_rules += by;
		changed |= shape->n_rules == 0;
	}
	return changed;
}

/* Lists */

void ddp_flow_list_init(struct ddp_flow_list *list, const struct ddp_memory *memory) {
	memset(list, 0, sizeof(*list));
	list->memory = memory;
	ddp_seed_draw(&list->seed);
	TAILQ_INIT(&list->flows);
	TAILQ_INIT(&list->left);
	TAILQ_INIT(&list->shapes);
}

static void flow_free(struct ddp_flow_list *list, struct rte_flow *flow) {
	parts_put(list, flow);
	ddp_flow_destroy(flow);
}

static void queue_free(struct ddp_flow_list *list, struct ddp_flow_queue *queue) {
	struct rte_flow *flow;

	while ((flow = TAILQ_FIRST(queue)) != NULL) {
		TAILQ_REMOVE(queue, flow, entry);
		flow_free(list, flow);
	}
}

void ddp_flow_list_fini(struct ddp_flow_list *list) {
	queue_free(list, &list->left);
	queue_free(list, &list->flows);
	free(list->by_address.buckets);
	free(list->by_pattern.buckets);
	ddp_flow_list_init(list, list->memory);
}

static uint64_t address_hash(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	return ddp_seed_hash(&list->seed, (uintptr_t)flow);
}

bool ddp_flow_list_has(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	const struct ddp_flow_node *node = NULL;

	do
		node = index_next(&list->by_address, address_hash(list, flow), node);
	while (node != NULL && FLOW_OF(node, by_address) != flow);
	return node != NULL;
}

// Which of two steering rules with one pattern and priority is meant, nobody could tell. A hash
// rule takes the place of an older one of the same pattern, for good.
static int rival_check(struct ddp_flow_list *list, struct rte_flow *flow,
		       struct rte_flow_error *error) {
	flow->by_pattern.hash = pattern_hash(list, flow);
	flow->replaces = rival_find(list, flow);
	if (flow->replaces == NULL || flow->shapes[0]->rule.stage == DDP_FLOW_HASH)
		return 0;
	return ddp_flow_error(error, EEXIST, RTE_FLOW_ERROR_TYPE_ITEM, NULL,
			      "the port has a rule of this pattern and priority");
}

static void flow_append(struct ddp_flow_list *list, struct rte_flow *flow) {
	const unsigned int n = flow->action.n_queues;

	flow->number = ++list->last_number;
	for (unsigned int i = 0; i < flow->n_entries; i++)
		if (flow->entries[i] != NULL) {
			flow->entries[i]->number = flow->number;
			flow->entries[i]->priority = flow->priority;
		}
	flow->by_address.hash = address_hash(list, flow);
	index_insert(&list->by_address, &flow->by_address);
	index_insert(&list->by_pattern, &flow->by_pattern);
	TAILQ_INSERT_TAIL(&list->flows, flow, entry);
	list->n++;
	for (unsigned int i = 0; i < n; i++)
		if (list->queue_max < ddp_flow_queues(&flow->action)[i])
			list->queue_max = ddp_flow_queues(&flow->action)[i];
	free(flow->rule);
	flow->rule = NULL;
}

int ddp_flow_list_add(struct ddp_flow_list *list, struct rte_flow *flow, bool *compile,
		      struct rte_flow_error *error) {
	int ret = key_get(list, flow, error);

	if (ret < 0)
		return ret;
	if (parts_get(list, flow) < 0 || index_reserve(&list->by_address) < 0 ||
	    index_reserve(&list->by_pattern) < 0)
		ret = ddp_flow_no_memory(error);
	if (ret == 0)
		ret = rival_check(list, flow, error);
	if (ret < 0) {
		parts_unreserve(flow);
		parts_put(list, flow);
		return ret;
	}
	flow_append(list, flow);
	*compile = parts_count(flow, 1);
	if (flow->replaces != NULL) {
		flow->replaces->dead = true;
		*compile |= parts_count(flow->replaces, -1);
	}
	return 0;
}

static void flow_unlist(struct ddp_flow_list *list, struct rte_flow *flow) {
	index_remove(&list->by_address, &flow->by_address);
	if (!flow->dead)
		index_remove(&list->by_pattern, &flow->by_pattern);
	TAILQ_REMOVE(&list->flows, flow, entry);
	list->n--;
}

void ddp_flow_list_take_back(struct ddp_flow_list *list, struct rte_flow *flow) {
	if (flow->replaces != NULL) {
		flow->replaces->dead = false;
		parts_count(flow->replaces, 1);
	}
	parts_count(flow, -1);
	parts_unreserve(flow);
	flow_unlist(list, flow);
	flow_free(list, flow);
}

bool ddp_flow_is_learned(const struct rte_flow *flow) {
	return !flow->dead &&
	       (flow->shapes[0]->rule.stage != DDP_FLOW_STEER || n_values(flow) == 0);
}

void ddp_flow_list_commit(struct ddp_flow_list *list, struct rte_flow *flow) {
	parts_move(flow, ddp_flow_table_insert);
	if (flow->replaces != NULL) {
		parts_move(flow->replaces, ddp_flow_table_remove);
		index_remove(&list->by_pattern, &flow->replaces->by_pattern);
		flow->replaces = NULL;
	}
}

bool ddp_flow_leave(struct rte_flow *flow) {
	return !flow->dead && parts_count(flow, -1);
}

void ddp_flow_stay(struct rte_flow *flow) {
	if (!flow->dead)
		parts_count(flow, 1);
}

void ddp_flow_list_remove(struct ddp_flow_list *list, struct rte_flow *flow) {
	if (!flow->dead)
		parts_move(flow, ddp_flow_table_remove);
	flow_unlist(list, flow);
	TAILQ_INSERT_TAIL(&list->left, flow, entry);
	list->n_left++;
}

void ddp_flow_list_reclaim(struct ddp_flow_list *list) {
	struct ddp_flow_shape *shape;

	queue_free(list, &list->left);
	list->n_left = 0;
	TAILQ_FOREACH(shape, &list->shapes, entry)
		ddp_flow_table_reclaim(shape->table);
}
