/* SPDX-License-Identifier: BSD-3-Clause */
// A rule as an application gives it.
#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int attr_check(const struct rte_flow_attr *attr, struct rte_flow_error *error) {
	if (attr == NULL || !attr->ingress || attr->egress || attr->transfer)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, attr,
				      "only ingress rules are supported");
	if (attr->group != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
				      "groups are not supported");
	return 0;
}

// A hash rule for UDP is not for tunnels in it, as on these NICs, unless a raw item names its
// bytes.
static void hash_narrow(struct ddp_flow *rule) {
	rule->ends = rule->stage == DDP_FLOW_HASH && ddp_flow_names(rule, rule->n_items - 1, "udp");
	for (unsigned int i = 0; i < rule->n_values; i++)
		rule->ends &= (rule->values[i].at.bit & DDP_FLOW_PAYLOAD) == 0;
}

static int flow_parse(const struct ddp_flow_config *config, const struct rte_flow_attr *attr,
		      const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		      struct rte_flow *flow, struct rte_flow_error *error) {
	int ret = attr_check(attr, error);

	if (ret == 0)
		ret = ddp_flow_pattern_parse(pattern, flow, error);
	if (ret == 0)
		ret = ddp_flow_actions_parse(config, actions, flow, error);
	if (ret < 0)
		return ret;
	flow->priority = attr->priority;
	if (flow->rule->stage == DDP_FLOW_HASH && attr->priority != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr,
				      "of hash rules the newest decides: they have no priority");
	hash_narrow(flow->rule);
	return 0;
}

enum ddp_flow_dialect ddp_flow_dialect_of(const struct ddp_profile *profile) {
	for (unsigned int i = 0; i < profile->n_parts; i++)
		if (strcmp(profile->parts[i].name, "i40e-default") == 0)
			return DDP_FLOW_I40E;
	return DDP_FLOW_ICE;
}

struct rte_flow *ddp_flow_create(const struct ddp_flow_config *config,
				 const struct rte_flow_attr *attr,
				 const struct rte_flow_item *pattern,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error, int *ret) {
	struct rte_flow *flow = calloc(1, sizeof(*flow));

	if (flow != NULL)
		flow->rule = calloc(1, sizeof(*flow->rule));
	if (flow == NULL || flow->rule == NULL) {
		*ret = ddp_flow_no_memory(error);
		free(flow);
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
	if (flow->action.fate == DDP_FLOW_SPREAD)
		ddp_memory_free(flow->memory, flow->action.spread);
	ddp_memory_free(flow->memory, flow->action.counts);
	free(flow->key_bytes);
	free(flow->raw);
	free(flow->rule);
	free(flow);
}

const struct ddp_flow *ddp_flow_rule(const struct rte_flow *flow) {
	return flow->rule != NULL ? flow->rule : &flow->shapes[0]->rule;
}

void ddp_flow_rule_get(const struct rte_flow *flow, struct ddp_flow *rule) {
	*rule = *ddp_flow_rule(flow);
	if (flow->entries[0] != NULL)
		ddp_flow_entry_read(flow->entries[0], rule);
}
