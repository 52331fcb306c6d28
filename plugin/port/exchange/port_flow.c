/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow operations of a port; plugin/rules reads the rules. Only a rule of a new shape is
// compiled, together with the other shapes, and exchanged with the steering. Any other rule is
// inserted into a table that the data path is using, or removed from it: see rules.h.
#include "port/exchange/exchange.h"
#include "port/state/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_MAX 64   // removed rules that wait to be freed
#define SHAPES_MAX 32 // without a warning: see net_ddp(7)

int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *reason, size_t size) {
	return ddp_flow_list_compile(&port->rules, personality->profile, personality->program,
				     n_rxqs, flows, reason, size);
}

static void pattern_append(const struct ddp_flow_shape *shape, char *text, size_t size) {
	if (shape->owner != NULL)
		ddp_append(text, size, "raw");
	for (unsigned int i = 0; i < shape->rule.n_items; i++) {
		if (i > 0)
			ddp_append(text, size, " / ");
		ddp_append(text, size, shape->rule.items[i]);
	}
}

int ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
		       char *text, size_t size) {
	const struct ddp_flow_shape *shape;

	*text = '\0';
	TAILQ_FOREACH(shape, &port->rules.shapes, entry) {
		int ret = shape->n_rules == 0 ?
				  0 :
				  ddp_flow_serve_check(personality->profile, personality->program,
						       shape, NULL, 0);

		if (ret == -ENOMEM)
			return ret;
		if (ret == 0)
			continue;
		if (*text != '\0')
			ddp_append(text, size, "; ");
		pattern_append(shape, text, size);
	}
	return 0;
}

/* Rules */

// Of the rules without a pattern one at most is in force: a newer one takes the place of another.
enum ddp_hash_function ddp_flows_function(const struct ddp_port *port) {
	const struct ddp_flow_shape *shape;

	TAILQ_FOREACH(shape, &port->rules.shapes, entry)
		if (shape->rule.stage == DDP_FLOW_HASH && shape->n_rules > 0 &&
		    !shape->rule.hashing.own_inputs)
			return shape->rule.hashing.function;
	return port->rss.function;
}

static int refused(struct rte_flow_error *error, int ret, const char *reason) {
	return rte_flow_error_set(error, -ret, RTE_FLOW_ERROR_TYPE_ITEM, NULL, reason);
}

static int flows_apply(struct ddp_port *port, struct ddp_flows *flows,
		       struct rte_flow_error *error) {
	const struct ddp_change change = {.flows = flows};
	int ret = ddp_change_apply(port, &change);

	assert(flows != NULL);
	if (ret == 0)
		return 0;
	ddp_flows_destroy(flows);
	return refused(error, ret, "out of memory");
}

// Make a rule and add it to the list; it is not in force yet. *flows: what is to be applied first;
// NULL: nothing. On failure the list is unchanged, and there is no rule.
static int flow_add(struct ddp_port *port, const struct rte_flow_attr *attr,
		    const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		    struct rte_flow **flow, struct ddp_flows **flows,
		    struct rte_flow_error *error) {
	static __thread char reason[500]; // the error's message outlives the call
	const struct ddp_flow_config config = {
		.n_rxqs = port->data->nb_rx_queues,
		.n_counts = port->lower.n_rxq_max,
		.rss_hf = port->rss.rss_hf,
		.dialect = ddp_flow_dialect_of(port->personality->profile),
		.key = port->rss.key,
		.memory = &ddp_port_memory,
	};
	bool compile;
	int ret;

	*flows = NULL;
	*flow = ddp_flow_create(&config, attr, pattern, actions, error, &ret);
	if (*flow == NULL)
		return ret;
	ret = ddp_flow_list_add(&port->rules, *flow, &compile, error);
	if (ret < 0) {
		ddp_flow_destroy(*flow);
		return ret;
	}
	if (!compile)
		return 0;
	ret = ddp_flows_compile(port, port->personality, DDP_PORT_QUEUES, flows, reason,
				sizeof(reason));
	if (ret == 0)
		return 0;
	*flows = NULL;
	ddp_flow_profile_suggest(port->personality->profile, ddp_flow_rule(*flow), reason,
				 sizeof(reason));
	ddp_flow_list_take_back(&port->rules, *flow);
	return refused(error, ret, reason);
}

// Let a rule come or go, in tables that the data path is using.
static void rule_exchange(struct ddp_port *port, struct rte_flow *flow,
			  void (*exchange)(struct ddp_flow_list *list, struct rte_flow *flow)) {
	const bool learned = ddp_flow_is_learned(flow);

	if (learned)
		ddp_steering_relearn_begin(port);
	exchange(&port->rules, flow);
	if (learned)
		ddp_steering_relearn_end(port);
}

// Each shape may cost a packet a look-up. An application that makes a shape of each rule does not
// notice it otherwise.
static void shapes_warn(struct ddp_port *port) {
	if (port->flows->n <= SHAPES_MAX || port->shapes_warned)
		return;
	port->shapes_warned = true;
	PORT_LOG(WARNING, port->name,
		 "the flow rules have more than %u shapes, each of which costs packets a look-up; "
		 "give the rules the same headers, fields and masks",
		 SHAPES_MAX);
}

static int flow_create(struct ddp_port *port, const struct rte_flow_attr *attr,
		       const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
		       struct rte_flow **flow, struct rte_flow_error *error) {
	struct ddp_flows *flows;
	int ret = flow_add(port, attr, pattern, actions, flow, &flows, error);

	if (ret < 0)
		return ret;
	if (flows != NULL) {
		ret = flows_apply(port, flows, error);
		if (ret < 0) {
			ddp_flow_list_take_back(&port->rules, *flow);
			return ret;
		}
		shapes_warn(port);
	}
	rule_exchange(port, *flow, ddp_flow_list_commit);
	return 0;
}

static int flow_validate(struct ddp_port *port, const struct rte_flow_attr *attr,
			 const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
			 struct rte_flow_error *error) {
	struct rte_flow *flow;
	struct ddp_flows *flows;
	int ret = flow_add(port, attr, pattern, actions, &flow, &flows, error);

	if (ret == 0) {
		ddp_flows_destroy(flows);
		ddp_flow_list_take_back(&port->rules, flow);
	}
	return ret;
}

static int flow_check(const struct ddp_port *port, const struct rte_flow *flow,
		      struct rte_flow_error *error) {
	if (ddp_flow_list_has(&port->rules, flow))
		return 0;
	return rte_flow_error_set(error, ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, flow,
				  "the port has no such rule");
}

// Free the rules that were removed.
static void left_reclaim(struct ddp_port *port) {
	ddp_steering_wait(port);
	ddp_flow_list_reclaim(&port->rules);
}

// Apply what is left once some rules have left. -ENOMEM, with the reason in error.
static int rest_apply(struct ddp_port *port, struct rte_flow_error *error) {
	struct ddp_flows *flows;
	int ret = ddp_flows_compile(port, port->personality, DDP_PORT_QUEUES, &flows, NULL, 0);

	return ret < 0 ? refused(error, ret, "out of memory") : flows_apply(port, flows, error);
}

static int flow_remove(struct ddp_port *port, struct rte_flow *flow, struct rte_flow_error *error) {
	int ret = flow_check(port, flow, error);
	bool compile;

	if (ret < 0)
		return ret;
	compile = ddp_flow_leave(flow);
	ret = compile ? rest_apply(port, error) : 0;
	if (ret < 0) {
		ddp_flow_stay(flow);
		return ret;
	}
	rule_exchange(port, flow, ddp_flow_list_remove);
	if (compile || port->rules.n_left >= LEFT_MAX)
		left_reclaim(port);
	return 0;
}

static int flows_remove(struct ddp_port *port, struct rte_flow_error *error) {
	struct rte_flow *flow;
	int ret;

	TAILQ_FOREACH(flow, &port->rules.flows, entry)
		ddp_flow_leave(flow);
	ret = rest_apply(port, error);
	if (ret < 0) {
		TAILQ_FOREACH(flow, &port->rules.flows, entry)
			ddp_flow_stay(flow);
		return ret;
	}
	while ((flow = TAILQ_FIRST(&port->rules.flows)) != NULL)
		ddp_flow_list_remove(&port->rules, flow);
	left_reclaim(port);
	return 0;
}

/* Reading */

// The counts since the last reset; zeros if the rule does not count.
static struct ddp_flow_count counts_read(const struct ddp_port *port, const struct rte_flow *flow) {
	struct ddp_flow_count sum = {0};

	if (flow->action.counts == NULL)
		return sum;
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		sum.packets += counter_read(&flow->action.counts[i].packets);
		sum.bytes += counter_read(&flow->action.counts[i].bytes);
	}
	sum.packets -= flow->base.packets;
	sum.bytes -= flow->base.bytes;
	return sum;
}

static void count_query(const struct ddp_port *port, struct rte_flow *flow,
			struct rte_flow_query_count *count) {
	struct ddp_flow_count sum = counts_read(port, flow);

	count->hits_set = 1;
	count->bytes_set = 1;
	count->hits = sum.packets;
	count->bytes = sum.bytes;
	if (count->reset) {
		flow->base.packets += sum.packets;
		flow->base.bytes += sum.bytes;
	}
}

static void rss_query(const struct rte_flow *flow, struct rte_flow_action_rss *rss) {
	*rss = (struct rte_flow_action_rss){
		.func = ddp_flow_function(ddp_flow_rule(flow)->hashing.function),
		.level = flow->rss_level,
		.types = flow->rss_types,
		.key_len = flow->key_len,
		.key = flow->key_bytes, // valid as long as the rule,
		.queue_num = flow->action.n_queues,
		.queue = ddp_flow_queues(&flow->action), // and so is this
	};
}

static int flow_query(const struct ddp_port *port, struct rte_flow *flow,
		      const struct rte_flow_action *action, void *data,
		      struct rte_flow_error *error) {
	int ret = flow_check(port, flow, error);

	if (ret < 0)
		return ret;
	if (action == NULL || data == NULL)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, action,
					  "nothing to ask for");
	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT && flow->action.counts != NULL)
		count_query(port, flow, data);
	else if (action->type == RTE_FLOW_ACTION_TYPE_RSS &&
		 (ddp_flow_rule(flow)->stage == DDP_FLOW_HASH || flow->action.n_queues > 0))
		rss_query(flow, data);
	else
		return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, action,
					  "the rule has no such action that can be queried");
	return 0;
}

static int flows_dump(const struct ddp_port *port, const struct rte_flow *flow, FILE *file,
		      struct rte_flow_error *error) {
	int ret = flow != NULL ? flow_check(port, flow, error) : 0;
	const struct rte_flow *each;

	if (ret < 0)
		return ret;
	TAILQ_FOREACH(each, &port->rules.flows, entry)
		if (flow == NULL || each == flow) {
			const struct ddp_flow_count count = counts_read(port, each);

			ddp_flow_print(port, each, &count, file);
		}
	return 0;
}

/* Operations */

// The result of a call, which returns none of these two errors, or the reason why it was not made.
// Applications read rte_errno too.
static int answer(int ret, struct rte_flow_error *error) {
	// The operations are not called for a port that is closed, except while another thread
	// closes it.
	if (ret == -ENODEV)
		return rte_flow_error_set(error, ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
					  "the port is closed");
	if (ret == -EBUSY)
		return rte_flow_error_set(error, EBUSY, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
					  "the port is being changed by the caller of this");
	if (ret < 0)
		rte_errno = -ret;
	return ret;
}

#define READ(dev, error, call) answer(DDP_PORT_READ(ddp_port_id(dev), port, call), error)
#define CHANGE(dev, error, call) answer(DDP_PORT_CHANGE(ddp_port_id(dev), port, call), error)

static int validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
		    const struct rte_flow_item pattern[], const struct rte_flow_action actions[],
		    struct rte_flow_error *error) {
	return CHANGE(dev, error, flow_validate(port, attr, pattern, actions, error));
}

static struct rte_flow *create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
			       const struct rte_flow_item pattern[],
			       const struct rte_flow_action actions[],
			       struct rte_flow_error *error) {
	struct rte_flow *flow = NULL;
	int ret = CHANGE(dev, error, flow_create(port, attr, pattern, actions, &flow, error));

	return ret == 0 ? flow : NULL;
}

static int destroy(struct rte_eth_dev *dev, struct rte_flow *flow, struct rte_flow_error *error) {
	return CHANGE(dev, error, flow_remove(port, flow, error));
}

static int flush(struct rte_eth_dev *dev, struct rte_flow_error *error) {
	return CHANGE(dev, error, flows_remove(port, error));
}

static int query(struct rte_eth_dev *dev, struct rte_flow *flow,
		 const struct rte_flow_action *action, void *data, struct rte_flow_error *error) {
	return READ(dev, error, flow_query(port, flow, action, data, error));
}

// Write one rule, or all (NULL), the oldest first.
static int dump(struct rte_eth_dev *dev, struct rte_flow *flow, FILE *file,
		struct rte_flow_error *error) {
	return READ(dev, error, flows_dump(port, flow, file, error));
}

const struct rte_flow_ops ddp_flow_ops = {
	.validate = validate,
	.create = create,
	.destroy = destroy,
	.flush = flush,
	.query = query,
	.dev_dump = dump,
};
