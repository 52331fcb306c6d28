/* SPDX-License-Identifier: BSD-3-Clause */
// The rules of a port: which compete, their shapes, and their entries in the shapes' tables.
#include "rules.h"

#include <search.h>
#include <stdlib.h>

/* Patterns */

// The first key from i on. The RSS types of a rule add the values beside its keys.
static unsigned int key_next(const struct ddp_flow *rule, unsigned int i) {
	while (i < rule->n_values && !ddp_flow_is_key(&rule->values[i]))
		i++;
	return i;
}

// Have rules of these shapes one pattern, but for its values?
static bool pattern_same(const struct ddp_flow_shape *x, const struct ddp_flow_shape *y) {
	const struct rte_flow *raw = x->owner, *other = y->owner;
	const struct ddp_flow *a = &x->rule, *b = &y->rule;
	unsigned int v = key_next(a, 0), w = key_next(b, 0);

	if (raw != NULL && other != NULL)
		return raw->raw->n == other->raw->n &&
		       memcmp(raw->raw->spec, other->raw->spec, raw->raw->n) == 0;
	if (raw != other || a->n_items != b->n_items)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (a->without[i] != b->without[i] ||
		    (strcmp(a->items[i], b->items[i]) != 0 &&
		     !(ddp_flow_gre_either(a, i) && ddp_flow_gre_either(b, i))))
			return false;
	while (v < a->n_values && w < b->n_values &&
	       ddp_flow_value_same(&a->values[v], &b->values[w])) {
		v = key_next(a, v + 1);
		w = key_next(b, w + 1);
	}
	return v == a->n_values && w == b->n_values;
}

// The rule in force that has the same pattern and priority. NULL: there is none.
static struct rte_flow *rival_find(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	const struct ddp_flow_shape *own = flow->shapes[0], *shape;
	struct rte_flow *rival;

	TAILQ_FOREACH(shape, &list->shapes, entry) {
		const struct ddp_flow_entry *found;

		if (shape->n_rules == 0 || shape->rule.optional ||
		    shape->rule.stage != own->rule.stage || !pattern_same(shape, own))
			continue;
		if (shape->owner != NULL)
			return shape->owner;
		found = ddp_flow_table_find(shape->table, flow->entries[0]->values);
		while (found != NULL && found->priority != flow->priority)
			found = found->next;
		if (found == NULL) // mostly: the list may be long
			continue;
		TAILQ_FOREACH(rival, &list->flows, entry)
			if (rival->entries[0] == found)
				return rival;
	}
	return NULL;
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
	assert(list->n_keys > 0);
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

static int part_get(struct ddp_flow_list *list, struct rte_flow *flow,
		    const struct ddp_flow *rule) {
	const unsigned int i = flow->n_entries;
	struct ddp_flow_entry *entry;
	struct ddp_flow_table *table;

	assert(i < DDP_FLOW_ENTRIES);
	flow->entries[i] = NULL;
	if (flow->raw != NULL)
		flow->shapes[i] = ddp_flow_shape_create(&list->shapes, list->memory, rule, 0);
	else
		flow->shapes[i] =
			ddp_flow_shape_get(&list->shapes, list->memory, rule, sizeof(flow->action));
	if (flow->shapes[i] == NULL)
		return -ENOMEM;
	flow->n_entries++;
	if (flow->raw != NULL) {
		flow->shapes[i]->owner = flow;
		return 0;
	}
	table = flow->shapes[i]->table;
	entry = ddp_flow_entry_create(table, rule);
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

// Let the rule count (1) among its shapes', or no longer (-1). Returns whether to compile again.
static bool parts_count(struct rte_flow *flow, int by) {
	bool changed = flow->raw != NULL;

	for (unsigned int i = 0; i < flow->n_entries; i++) {
		struct ddp_flow_shape *shape = flow->shapes[i];

		assert(by > 0 || shape->n_rules > 0);
		changed |= shape->n_rules == 0;
		shape->n_rules += by;
		changed |= shape->n_rules == 0;
	}
	return changed;
}

/* Lists */

static int address_compare(const void *a, const void *b) {
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

bool ddp_flow_list_has(const struct ddp_flow_list *list, const struct rte_flow *flow) {
	return tfind(flow, &list->by_address, address_compare) != NULL;
}

static void flow_append(struct ddp_flow_list *list, struct rte_flow *flow) {
	flow->number = ++list->last_number;
	for (unsigned int i = 0; i < flow->n_entries; i++)
		if (flow->entries[i] != NULL) {
			flow->entries[i]->number = flow->number;
			flow->entries[i]->priority = flow->priority;
		}
	TAILQ_INSERT_TAIL(&list->flows, flow, entry);
	list->n++;
	for (unsigned int i = 0; i < flow->action.n_queues; i++)
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
	ret = parts_get(list, flow) < 0 ? ddp_flow_no_memory(error) : 0;
	if (ret == 0)
		flow->replaces = rival_find(list, flow);
	// A hash rule replaces one of its pattern for good; two steering rules would be ambiguous.
	if (flow->replaces != NULL && flow->shapes[0]->rule.stage == DDP_FLOW_STEER)
		ret = ddp_flow_error(error, EEXIST, RTE_FLOW_ERROR_TYPE_ITEM, NULL,
				     "the port has a rule of this pattern and priority");
	if (ret == 0 && tsearch(flow, &list->by_address, address_compare) == NULL)
		ret = ddp_flow_no_memory(error);
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
	tdelete(flow, &list->by_address, address_compare);
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
	parts_put(list, flow);
	ddp_flow_destroy(flow);
}

bool ddp_flow_is_learned(const struct rte_flow *flow) {
	return !flow->dead && (flow->shapes[0]->rule.stage != DDP_FLOW_STEER ||
			       ddp_flow_n_keys(&flow->shapes[0]->rule) == 0);
}

void ddp_flow_list_commit(struct ddp_flow_list *list, struct rte_flow *flow) {
	(void)list; // as ddp_flow_list_remove() has it
	assert(flow->rule == NULL);
	parts_move(flow, ddp_flow_table_insert);
	if (flow->replaces != NULL)
		parts_move(flow->replaces, ddp_flow_table_remove);
	flow->replaces = NULL;
}

bool ddp_flow_leave(struct rte_flow *flow) {
	return !flow->dead && parts_count(flow, -1);
}

void ddp_flow_stay(struct rte_flow *flow) {
	if (!flow->dead)
		parts_count(flow, 1);
}

void ddp_flow_list_remove(struct ddp_flow_list *list, struct rte_flow *flow) {
	assert(ddp_flow_list_has(list, flow));
	if (!flow->dead)
		parts_move(flow, ddp_flow_table_remove);
	flow_unlist(list, flow);
	TAILQ_INSERT_TAIL(&list->left, flow, entry);
	list->n_left++;
}

void ddp_flow_list_reclaim(struct ddp_flow_list *list) {
	struct ddp_flow_shape *shape;
	struct rte_flow *flow;

	while ((flow = TAILQ_FIRST(&list->left)) != NULL) {
		TAILQ_REMOVE(&list->left, flow, entry);
		parts_put(list, flow);
		ddp_flow_destroy(flow);
	}
	list->n_left = 0;
	TAILQ_FOREACH(shape, &list->shapes, entry)
		ddp_flow_table_reclaim(shape->table);
}

void ddp_flow_list_init(struct ddp_flow_list *list, const struct ddp_memory *memory) {
	memset(list, 0, sizeof(*list));
	list->memory = memory;
	TAILQ_INIT(&list->flows);
	TAILQ_INIT(&list->left);
	TAILQ_INIT(&list->shapes);
}

void ddp_flow_list_fini(struct ddp_flow_list *list) {
	while (!TAILQ_EMPTY(&list->flows))
		ddp_flow_list_remove(list, TAILQ_FIRST(&list->flows));
	ddp_flow_list_reclaim(list);
	ddp_flow_list_init(list, list->memory);
}

/* Compilation */

// Shapes to compile, and their target.
struct compilation {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct ddp_flow_shape **shapes;
	struct ddp_flows *flows;
	char *reason;
	size_t size;
};

static int no_memory(const struct compilation *c) {
	snprintf(c->reason, c->size, "out of memory");
	return -ENOMEM;
}

// Any entry of rules in force may be in use, so check the rules if one could be wrong.
static int queues_check(const struct ddp_flow_list *list, unsigned int n_rxqs, char *reason,
			size_t size) {
	const struct rte_flow *flow;

	if (list->queue_max < n_rxqs)
		return 0;
	TAILQ_FOREACH(flow, &list->flows, entry)
		for (unsigned int i = 0; i < flow->action.n_queues; i++) {
			const uint16_t queue = ddp_flow_queues(&flow->action)[i];

			if (queue < n_rxqs)
				continue;
			snprintf(reason, size, "a flow rule sends packets to Rx queue %u", queue);
			return -EINVAL;
		}
	return 0;
}

static int raw_add(struct compilation *c, const struct rte_flow *flow) {
	const struct ddp_flow_raw *raw = flow->raw;
	struct ddp_flow rule = flow->shapes[0]->rule;
	struct ddp_flow_entry *entry;
	struct ddp_flow_shape *shape;
	int ret = ddp_flow_raw_rule(c->profile, c->program, raw->spec, raw->mask, raw->n, &rule,
				    c->reason, c->size);

	if (ret < 0)
		return ret;
	shape = ddp_flow_shape_create(&c->flows->raws, ddp_program_memory(c->program), &rule,
				      sizeof(flow->action));
	entry = shape == NULL ? NULL : ddp_flow_entry_create(shape->table, &rule);
	if (entry == NULL || ddp_flow_table_reserve(shape->table, entry) < 0)
		return no_memory(c);
	entry->number = flow->number;
	ddp_flow_table_insert(shape->table, entry);
	c->shapes[c->flows->n++] = shape;
	return 0;
}

static int set_build(struct compilation *c) {
	struct ddp_diag diag;
	int ret = 0;

	ddp_diag_init(&diag);
	c->flows->set = ddp_flow_set_build(c->profile, c->program, c->shapes, c->flows->n, &diag);
	if (c->flows->set == NULL) {
		snprintf(c->reason, c->size, "%s", ddp_diag_reason(&diag));
		ret = diag.no_memory ? -ENOMEM : -EINVAL;
	}
	ddp_diag_fini(&diag);
	return ret;
}

// A shape that is given, or it and those behind it of which there are rules.
static int shapes_compile(struct compilation *c, const struct ddp_flow_shape *shape, bool all,
			  struct ddp_flows **flows) {
	unsigned int n = 0;
	int ret = 0;

	for (const struct ddp_flow_shape *s = shape; s != NULL; s = TAILQ_NEXT(s, entry))
		n++;
	c->shapes = calloc(n + 1, sizeof(*c->shapes));
	c->flows = calloc(1, sizeof(*c->flows));
	if (c->flows != NULL)
		TAILQ_INIT(&c->flows->raws);
	if (c->shapes == NULL || c->flows == NULL)
		ret = no_memory(c);
	for (; shape != NULL && ret == 0; shape = all ? TAILQ_NEXT(shape, entry) : NULL) {
		if (shape->owner != NULL && (shape->n_rules > 0 || !all))
			ret = raw_add(c, shape->owner);
		else if (shape->n_rules > 0 || !all)
			c->shapes[c->flows->n++] = shape;
	}
	if (ret == 0)
		ret = set_build(c);
	free(c->shapes);
	if (ret == 0)
		*flows = c->flows;
	else
		ddp_flows_destroy(c->flows);
	return ret;
}

int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	int ret = queues_check(list, n_rxqs, reason, size);

	return ret < 0 ? ret : shapes_compile(&c, TAILQ_FIRST(&list->shapes), true, flows);
}

int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 const struct ddp_flow_shape *shape, char *reason, size_t size) {
	struct compilation c = {profile, program, NULL, NULL, reason, size};
	struct ddp_flows *flows = NULL;
	int ret = shapes_compile(&c, shape, false, &flows);

	ddp_flows_destroy(flows);
	return ret;
}

void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size) {
	const size_t len = strlen(reason);
	unsigned int i = 0;
	char *name;

	while (i < rule->n_items && ddp_header_find(profile, rule->items[i]) >= 0)
		i++;
	name = i < rule->n_items ? ddp_profile_defining(rule->items[i]) : NULL;
	if (name == NULL)
		return;
	snprintf(reason + len, size - len, ": profile %s does", name);
	free(name);
}

void ddp_flows_destroy(struct ddp_flows *flows) {
	struct ddp_flow_shape *shape;

	if (flows == NULL)
		return;
	ddp_flow_set_destroy(flows->set);
	while ((shape = TAILQ_FIRST(&flows->raws)) != NULL)
		ddp_flow_shape_put(&flows->raws, shape);
	free(flows);
}
