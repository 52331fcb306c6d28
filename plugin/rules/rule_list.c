/* SPDX-License-Identifier: BSD-3-Clause */
// A rule read, and its place among others.
#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reading */

static int attr_check(const struct rte_flow_attr *attr, struct rte_flow_error *error) {
	if (attr == NULL || !attr->ingress || attr->egress || attr->transfer)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, attr,
				      "only ingress rules are supported");
	if (attr->group != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
				      "groups are not supported");
	return 0;
}

static int raw_read(const struct rte_flow_item *pattern, struct ddp_flow_raw *raw,
		    struct rte_flow_error *error) {
	const struct rte_flow_item *item = pattern;

	while (item->type == RTE_FLOW_ITEM_TYPE_VOID)
		item++;
	if (item[1].type != RTE_FLOW_ITEM_TYPE_END)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, &item[1],
				      "a raw pattern stands alone");
	return ddp_flow_raw_parse(item, raw, error);
}

// A hash rule for UDP is not for tunnels in it, as on these NICs.
static void hash_narrow(struct ddp_flow *rule) {
	const char *last = rule->n_items > 0 ? rule->items[rule->n_items - 1] : "";

	rule->ends = rule->stage == DDP_FLOW_HASH && strcmp(last, "udp") == 0;
}

static int flow_parse(const struct ddp_flow_config *config, const struct rte_flow_attr *attr,
		      const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		      struct rte_flow *flow, struct rte_flow_error *error) {
	int ret = attr_check(attr, error);

	if (ret < 0)
		return ret;
	if (ddp_flow_is_raw(pattern))
		ret = raw_read(pattern, &flow->raw, error);
	else
		ret = ddp_flow_pattern_parse(pattern, &flow->rule, error);
	flow->n_values = flow->rule.n_values;
	if (ret == 0)
		ret = ddp_flow_actions_parse(config, actions, flow, error);
	if (ret < 0)
		return ret;
	flow->priority = attr->priority;
	if (flow->rule.stage == DDP_FLOW_HASH && attr->priority != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr,
				      "of hash rules the newest decides: they have no priority");
	hash_narrow(&flow->rule);
	return 0;
}

struct rte_flow *ddp_flow_create(const struct ddp_flow_config *config,
				 const struct rte_flow_attr *attr,
				 const struct rte_flow_item *pattern,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error, int *ret) {
	struct rte_flow *flow = calloc(1, sizeof(*flow));

	if (flow == NULL) {
		*ret = ddp_flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
				      "out of memory");
		return NULL;
	}
	flow->memory = config->memory;
	*ret = flow_parse(config, attr, pattern, actions, flow, error);
	if (*ret == 0)
		return flow;
	ddp_flow_destroy(flow);
	return NULL;
}

void ddp_flow_destroy(struct rte_flow *flow) {
	if (flow == NULL)
		return;
	ddp_memory_free(flow->memory, flow->action.queues);
	ddp_memory_free(flow->memory, flow->action.counts);
	free(flow);
}

/* Lists */

static bool value_same(const struct ddp_flow_value *a, const struct ddp_flow_value *b) {
	return a->at.item == b->at.item && a->at.bit == b->at.bit && a->at.width == b->at.width &&
	       a->negate == b->negate && (a->at.field == NULL) == (b->at.field == NULL) &&
	       (a->at.field == NULL || strcmp(a->at.field, b->at.field) == 0) &&
	       memcmp(&a->pattern, &b->pattern, sizeof(a->pattern)) == 0;
}

static bool item_same(const struct ddp_flow *a, const struct ddp_flow *b, unsigned int i) {
	return strcmp(a->items[i], b->items[i]) == 0 ||
	       (ddp_flow_gre_either(a, i) && ddp_flow_gre_either(b, i));
}

static bool pattern_same(const struct rte_flow *a, const struct rte_flow *b) {
	if (a->raw.n != b->raw.n || memcmp(a->raw.spec, b->raw.spec, a->raw.n) != 0)
		return false;
	if (a->rule.n_items != b->rule.n_items || a->n_values != b->n_values)
		return false;
	for (unsigned int i = 0; i < a->rule.n_items; i++)
		if (!item_same(&a->rule, &b->rule, i))
			return false;
	for (unsigned int i = 0; i < a->n_values; i++)
		if (!value_same(&a->rule.values[i], &b->rule.values[i]))
			return false;
	return true;
}

// A hash rule takes the place of an older one of the same pattern, for good.
static void older_mark(struct ddp_flow_list *list, const struct rte_flow *flow, bool dead) {
	struct rte_flow *older;

	TAILQ_FOREACH(older, list, entry) {
		if (older == flow || older->rule.stage != DDP_FLOW_HASH ||
		    flow->rule.stage != DDP_FLOW_HASH || !pattern_same(older, flow))
			continue;
		if (dead && !older->dead)
			older->replaced_by = flow;
		if (older->replaced_by == flow)
			older->dead = dead;
		if (!older->dead)
			older->replaced_by = NULL;
	}
}

// Which of two steering rules with one pattern and priority is meant, nobody could tell.
static int repeat_check(const struct ddp_flow_list *list, const struct rte_flow *flow,
			struct rte_flow_error *error) {
	const struct rte_flow *other;

	TAILQ_FOREACH(other, list, entry)
		if (other->rule.stage == DDP_FLOW_STEER && flow->rule.stage == DDP_FLOW_STEER &&
		    other->priority == flow->priority && pattern_same(other, flow))
			return ddp_flow_error(error, EEXIST, RTE_FLOW_ERROR_TYPE_ITEM, NULL,
					      "the port has a rule of this pattern and priority");
	return 0;
}

int ddp_flow_list_add(struct ddp_flow_list *list, struct rte_flow *flow,
		      struct rte_flow_error *error) {
	const struct rte_flow *last = TAILQ_LAST(list, ddp_flow_list);
	int ret = repeat_check(list, flow, error);

	if (ret < 0)
		return ret;
	flow->number = last == NULL ? 0 : last->number + 1;
	TAILQ_INSERT_TAIL(list, flow, entry);
	older_mark(list, flow, true);
	return 0;
}

void ddp_flow_list_take_back(struct ddp_flow_list *list, struct rte_flow *flow) {
	older_mark(list, flow, false);
	TAILQ_REMOVE(list, flow, entry);
}

void ddp_flow_list_destroy(struct ddp_flow_list *list) {
	struct rte_flow *flow;

	while ((flow = TAILQ_FIRST(list)) != NULL) {
		TAILQ_REMOVE(list, flow, entry);
		ddp_flow_destroy(flow);
	}
}
