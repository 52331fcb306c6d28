/* SPDX-License-Identifier: BSD-3-Clause */
// A rule as an application gives it. Patterns: pattern.c.
#include "rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_mbuf_core.h>

#include "base/dpdk_compat.h"
#include "base/rss_hf.h"

struct actions {
	const struct ddp_flow_config *config;
	struct rte_flow *flow;
	struct rte_flow_error *error;
	const struct rte_flow_action *action; // being read
	const struct rte_flow_action_rss *hash;
	bool has_fate, has_mark, has_count;
};

static int refuse(const struct actions *a, const char *reason) {
	return ddp_flow_error(a->error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, a->action, reason);
}

static int fate_set(struct actions *a, enum ddp_flow_fate fate) {
	if (a->has_fate)
		return refuse(a, "a packet can have one target only");
	a->has_fate = true;
	a->flow->action.fate = fate;
	return 0;
}

static int queues_set(struct actions *a, const uint16_t *queues, unsigned int n, bool several) {
	struct ddp_flow_action *action = &a->flow->action;
	struct ddp_flow_spread *spread;
	int ret = fate_set(a, DDP_FLOW_QUEUE);

	if (ret < 0)
		return ret;
	if (n > DDP_FLOW_QUEUES_MAX)
		return refuse(a, "too many queues");
	for (unsigned int i = 0; i < n; i++)
		if (queues[i] >= a->config->n_rxqs)
			return refuse(a, "the port has no such Rx queue");
	action->n_queues = n;
	action->queue = queues[0];
	if (!several)
		return 0;
	spread = ddp_memory_alloc(a->config->memory, sizeof(*spread) + n * sizeof(*queues));
	if (spread == NULL)
		return ddp_flow_no_memory(a->error);
	memcpy(spread->queues, queues, n * sizeof(*queues));
	action->fate = DDP_FLOW_SPREAD;
	action->spread = spread;
	return 0;
}

static int mark_set(struct actions *a, enum ddp_flow_tag tag, uint32_t mark) {
	if (a->has_mark)
		return refuse(a, "a packet can have one mark only");
	a->has_mark = true;
	a->flow->action.tag = tag;
	a->flow->action.mark = mark;
	return 0;
}

static int count_set(struct actions *a) {
	struct ddp_flow_action *action = &a->flow->action;

	if (a->has_count)
		return refuse(a, "a rule counts once");
	a->has_count = true;
	action->counts =
		ddp_memory_alloc(a->config->memory, a->config->n_counts * sizeof(*action->counts));
	return action->counts != NULL ? 0 : ddp_flow_no_memory(a->error);
}

/* RSS */

#define HF(name) DDP_RSS_HF(name)
#define IPV4_TYPES \
	(HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) | HF(IPV4_OTHER))
#define IPV6_TYPES                                                                                 \
	(HF(IPV6) | HF(IPV6_FRAG) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP) | HF(IPV6_OTHER) | \
	 HF(IPV6_EX) | HF(IPV6_TCP_EX) | HF(IPV6_UDP_EX))
#define ALL_OF_IP                                                                                \
	(HF(IPV4) | HF(IPV4_FRAG) | HF(IPV4_OTHER) | HF(IPV6) | HF(IPV6_FRAG) | HF(IPV6_OTHER) | \
	 HF(IPV6_EX))

// Does the action leave to the port what is hashed? Applications that have no types of their own
// give none, the port's, or all of IP (RTE_ETH_RSS_IP) with or without ports: testpmd, Open
// vSwitch.
static bool types_are_default(const struct actions *a, const struct rte_flow_action_rss *rss) {
	if (rss->level != 0)
		return false;
	return rss->types == 0 || rss->types == a->config->rss_hf ||
	       ((rss->types & ~(IPV4_TYPES | IPV6_TYPES)) == 0 &&
		(rss->types & ALL_OF_IP) == ALL_OF_IP);
}

static int key_set(struct actions *a, const uint8_t key[DDP_KEY_SIZE], uint32_t len) {
	if (len == 0)
		return 0;
	a->flow->key_bytes = malloc(DDP_KEY_SIZE);
	if (a->flow->key_bytes == NULL)
		return ddp_flow_no_memory(a->error);
	memcpy(a->flow->key_bytes, key, DDP_KEY_SIZE);
	a->flow->key_len = len;
	return 0;
}

static int rss_set(struct actions *a, const struct rte_flow_action_rss *rss) {
	uint8_t key[DDP_KEY_SIZE] = {0};
	int ret;

	a->flow->rss_types = rss->types;
	a->flow->rss_level = rss->level;
	if (rss->level > 2)
		return refuse(a, "the RSS level is 0, 1 (outermost) or 2 (innermost)");
	if (rss->key_len != 0 && rss->key == NULL)
		return refuse(a, "the length of a key without a key");
	if (rss->key_len != 0 && ddp_key_read(key, rss->key, rss->key_len) < 0)
		return refuse(a, "a key has 40 or 52 bytes");
	if (rss->queue_num == 0) {
		if (a->hash != NULL)
			return refuse(a, "a packet has one hash only");
		if (rss->key_len != 0 && memcmp(key, a->config->key, sizeof(key)) != 0)
			return refuse(a, "a rule without queues hashes by the port's key "
					 "(rte_eth_dev_rss_hash_update)");
		a->hash = rss;
		return 0;
	}
	if (rss->queue == NULL)
		return refuse(a, "a number of queues without queues");
	if (!types_are_default(a, rss))
		return refuse(a,
			      "types or queues: what is hashed, and where packets go, are rules of "
			      "their own");
	if (rss->func != RTE_ETH_HASH_FUNCTION_DEFAULT &&
	    rss->func != RTE_ETH_HASH_FUNCTION_TOEPLITZ)
		return refuse(a, "a hash function belongs to a rule without queues");
	ret = queues_set(a, rss->queue, rss->queue_num, rss->queue_num > 1 || rss->key_len != 0);
	return ret < 0 ? ret : key_set(a, key, rss->key_len);
}

static const enum rte_eth_hash_function functions[] = {
	[DDP_HASH_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
	[DDP_HASH_SYMMETRIC_TOEPLITZ_SORT] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ_SORT,
	[DDP_HASH_SIMPLE_XOR] = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR,
};

enum rte_eth_hash_function ddp_flow_function(enum ddp_hash_function function) {
	return functions[function];
}

int ddp_flow_function_read(enum rte_eth_hash_function from, enum ddp_hash_function *function) {
	if (from == RTE_ETH_HASH_FUNCTION_DEFAULT)
		from = RTE_ETH_HASH_FUNCTION_TOEPLITZ;
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (functions[i] == from) {
			*function = i;
			return 0;
		}
	return -EINVAL;
}

static int types_set(struct actions *a) {
	static const uint64_t levels[] = {0, DDP_RSS_LEVEL_OUTERMOST, DDP_RSS_LEVEL_INNERMOST};
	static __thread char reason[200]; // the error's message outlives the call
	bool symmetric = ddp_hash_is_symmetric(a->flow->rule->hashing.function);
	uint64_t types = a->hash->types; // with the level, which is in the types or apart

	a->flow->rule->hashing.own_inputs = true;
	if (a->flow->rule->hashing.function == DDP_HASH_SIMPLE_XOR)
		return refuse(a, "simple_xor is for the whole port: 'pattern end'");
	if (a->flow->raw != NULL) // its mask says what is hashed
		return 0;
	if (a->hash->level != 0)
		types = (types & ~DDP_RSS_LEVELS) | levels[a->hash->level];
	if (ddp_flow_rss_apply(a->flow->rule, types, a->config->dialect, symmetric, reason,
			       sizeof(reason)) < 0)
		return refuse(a, reason);
	return 0;
}

static int hash_finish(struct actions *a) {
	if (a->has_fate || a->has_mark || a->has_count)
		return refuse(a, "a rule that says how to hash has no other action");
	a->flow->rule->stage = DDP_FLOW_HASH;
	if (ddp_flow_function_read(a->hash->func, &a->flow->rule->hashing.function) < 0)
		return refuse(a, "no such hash function");
	if (a->flow->rule->n_items > 0 || a->flow->raw != NULL)
		return types_set(a);
	// A rule without headers is for the whole port: it changes the function, not what is
	// hashed.
	if (a->config->dialect == DDP_FLOW_I40E &&
	    ddp_hash_is_symmetric(a->flow->rule->hashing.function))
		return refuse(
			a, "a 700-series NIC has a symmetric hash for packets of a pattern only");
	if (!types_are_default(a, a->hash))
		return refuse(a, "RSS types of a pattern without headers: use the port's rss_hf");
	return 0;
}

static int action_read(struct actions *a) {
	const struct rte_flow_action *action = a->action;
	const struct rte_flow_action_queue *queue = action->conf;
	const struct rte_flow_action_mark *mark = action->conf;

	switch (action->type) {
	case RTE_FLOW_ACTION_TYPE_VOID:
		return 0;
	case RTE_FLOW_ACTION_TYPE_PASSTHRU:
		return fate_set(a, DDP_FLOW_PASS);
	case RTE_FLOW_ACTION_TYPE_DROP:
		return fate_set(a, DDP_FLOW_DROP);
	case RTE_FLOW_ACTION_TYPE_FLAG:
		return mark_set(a, DDP_FLOW_FLAGGED, 0);
	case RTE_FLOW_ACTION_TYPE_COUNT:
		return count_set(a);
	case RTE_FLOW_ACTION_TYPE_QUEUE:
		return queue == NULL ? refuse(a, "no queue") :
				       queues_set(a, &queue->index, 1, false);
	case RTE_FLOW_ACTION_TYPE_MARK:
		return mark == NULL ? refuse(a, "no mark") : mark_set(a, DDP_FLOW_MARKED, mark->id);
	case RTE_FLOW_ACTION_TYPE_RSS:
		return action->conf == NULL ? refuse(a, "no RSS") : rss_set(a, action->conf);
	default:
		return refuse(
			a, "only RSS, QUEUE, DROP, PASSTHRU, MARK, FLAG and COUNT are supported");
	}
}

static int actions_parse(const struct ddp_flow_config *config,
			 const struct rte_flow_action *actions, struct rte_flow *flow,
			 struct rte_flow_error *error) {
	struct actions a = {.config = config, .flow = flow, .error = error, .action = actions};
	int ret = 0;

	flow->rule->stage = DDP_FLOW_STEER;
	if (actions == NULL)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_NUM, NULL,
				      "no actions");
	for (; a.action->type != RTE_FLOW_ACTION_TYPE_END && ret == 0; a.action++)
		ret = action_read(&a);
	if (ret < 0)
		return ret;
	if (a.hash != NULL)
		return hash_finish(&a);
	if (!a.has_fate && !a.has_mark && !a.has_count)
		return refuse(&a, "a rule without an action");
	if (flow->raw != NULL)
		return refuse(&a, "a raw pattern says what is hashed: it has no other action");
	return 0;
}

static int flow_parse(const struct ddp_flow_config *config, const struct rte_flow_attr *attr,
		      const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		      struct rte_flow *flow, struct rte_flow_error *error) {
	struct ddp_flow *rule = flow->rule;
	int ret;

	if (attr == NULL || !attr->ingress || attr->egress || attr->transfer)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, attr,
				      "only ingress rules are supported");
	if (attr->group != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
				      "groups are not supported");
	ret = ddp_flow_pattern_parse(pattern, flow, error);
	if (ret == 0)
		ret = actions_parse(config, actions, flow, error);
	if (ret < 0)
		return ret;
	flow->priority = attr->priority;
	if (rule->stage == DDP_FLOW_HASH && attr->priority != 0)
		return ddp_flow_error(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr,
				      "of hash rules the newest decides: they have no priority");
	// A hash rule for UDP is not for tunnels in it, as on these NICs, unless a raw item names
	// its bytes.
	rule->ends = rule->stage == DDP_FLOW_HASH && ddp_flow_names(rule, rule->n_items - 1, "udp");
	for (unsigned int i = 0; i < rule->n_values; i++)
		rule->ends &= (rule->values[i].at.bit & DDP_FLOW_PAYLOAD) == 0;
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
