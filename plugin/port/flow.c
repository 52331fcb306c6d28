/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow on a port: the list of rules, and what the data path makes of it.
//
// Hash rules (RSS with types) say how packets are hashed. Of those that match a packet the newest
// decides. Steering rules (everything else) say what becomes of packets; the smallest number of a
// priority decides, then the newest. The list is compiled as a whole at each change and exchanged like
// every other part of the steering.
#include "flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

/* Compiling */

// What is compiled: rules in the order of their precedence, last the one that wins, each with its
// variants behind it.
struct ranked {
	unsigned int n;
	struct rte_flow **flows;
	unsigned int n_rules;
	const struct ddp_flow **rules;
	unsigned int *flow_of;  // index in flows, by rule
	struct ddp_flow **made; // rules of raw patterns, and variants: for this compilation only
	unsigned int n_made;
};

static int why_set(char *why, size_t size, int ret, const char *reason) {
	if (why != NULL)
		snprintf(why, size, "%s", reason);
	return ret;
}

static int flow_compare(const void *a, const void *b) {
	const struct rte_flow *x = *(struct rte_flow *const *)a, *y = *(struct rte_flow *const *)b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? 1 : -1;
	return x->number < y->number ? -1 : 1;
}

static void ranked_free(struct ranked *ranked) {
	for (unsigned int i = 0; i < ranked->n_made; i++)
		free(ranked->made[i]);
	free(ranked->made);
	free(ranked->flows);
	free(ranked->rules);
	free(ranked->flow_of);
}

static int ranked_make(const struct ddp_port *port, struct ranked *ranked) {
	struct rte_flow *flow;
	size_t n = 1;

	TAILQ_FOREACH(flow, &port->rules, entry)
		n++;
	ranked->flows = calloc(n, sizeof(*ranked->flows));
	n *= 1 + DDP_FLOW_VARIANTS;
	ranked->rules = calloc(n, sizeof(*ranked->rules));
	ranked->made = calloc(n, sizeof(*ranked->made));
	ranked->flow_of = calloc(n, sizeof(*ranked->flow_of));
	if (ranked->flows == NULL || ranked->rules == NULL || ranked->made == NULL ||
	    ranked->flow_of == NULL)
		return -ENOMEM;
	TAILQ_FOREACH(flow, &port->rules, entry)
		if (!flow->dead && !flow->leaving)
			ranked->flows[ranked->n++] = flow;
	qsort(ranked->flows, ranked->n, sizeof(*ranked->flows), flow_compare);
	return 0;
}

static int queues_check(const struct rte_flow *flow, uint16_t n_rxqs, char *why, size_t size) {
	for (unsigned int i = 0; i < flow->action.n_queues; i++) {
		if (flow->action.queues[i] < n_rxqs)
			continue;
		if (why != NULL)
			snprintf(why, size, "a flow rule sends packets to Rx queue %u",
				 flow->action.queues[i]);
		return -EINVAL;
	}
	return 0;
}

static void rule_add(struct ranked *ranked, unsigned int flow, const struct ddp_flow *rule) {
	ranked->rules[ranked->n_rules] = rule;
	ranked->flow_of[ranked->n_rules++] = flow;
}

// A copy of a rule. NULL: no memory.
static struct ddp_flow *rule_make(struct ranked *ranked, const struct ddp_flow *rule) {
	struct ddp_flow *made = malloc(sizeof(*made));

	if (made == NULL)
		return NULL;
	*made = *rule;
	ranked->made[ranked->n_made++] = made;
	return made;
}

static int raw_resolve(const struct ddp_personality *personality, struct ranked *ranked,
		       unsigned int i, char *why, size_t size) {
	const struct rte_flow *flow = ranked->flows[i];
	struct ddp_flow *rule = rule_make(ranked, &flow->rule);
	char ignored[200];

	if (rule == NULL)
		return why_set(why, size, -ENOMEM, "out of memory");
	rule_add(ranked, i, rule);
	return ddp_flow_raw_rule(personality->profile, personality->program, flow->raw.spec,
				 flow->raw.mask, flow->raw.n, rule, why != NULL ? why : ignored,
				 why != NULL ? size : sizeof(ignored));
}

static int flow_resolve(const struct ddp_personality *personality, struct ranked *ranked,
			unsigned int i, char *why, size_t size) {
	const struct rte_flow *flow = ranked->flows[i];
	struct ddp_flow variants[DDP_FLOW_VARIANTS];
	unsigned int n;

	if (flow->raw.n > 0)
		return raw_resolve(personality, ranked, i, why, size);
	rule_add(ranked, i, &flow->rule);
	n = ddp_flow_gre_variants(&flow->rule, variants);
	for (unsigned int v = 0; v < n; v++) {
		const struct ddp_flow *variant = rule_make(ranked, &variants[v]);

		if (variant == NULL)
			return why_set(why, size, -ENOMEM, "out of memory");
		rule_add(ranked, i, variant);
	}
	return 0;
}

static int rules_resolve(const struct ddp_personality *personality, struct ranked *ranked,
			 uint16_t n_rxqs, char *why, size_t size) {
	int ret = 0;

	for (unsigned int i = 0; i < ranked->n && ret == 0; i++) {
		ret = queues_check(ranked->flows[i], n_rxqs, why, size);
		if (ret == 0)
			ret = flow_resolve(personality, ranked, i, why, size);
	}
	return ret;
}

static struct ddp_flows *flows_alloc(unsigned int n) {
	struct ddp_flows *flows = calloc(1, sizeof(*flows) + n * sizeof(flows->actions[0]));

	if (flows == NULL)
		return NULL;
	flows->n = n;
	flows->hashings = calloc(n > 0 ? n : 1, sizeof(*flows->hashings));
	if (flows->hashings == NULL) {
		free(flows);
		return NULL;
	}
	return flows;
}

static int flows_make(const struct ddp_personality *personality, const struct ranked *ranked,
		      struct ddp_flows **flows, char *why, size_t size) {
	struct ddp_diag diag;

	*flows = flows_alloc(ranked->n_rules);
	if (*flows == NULL)
		return why_set(why, size, -ENOMEM, "out of memory");
	ddp_diag_init(&diag);
	(*flows)->set = ddp_flow_set_build(personality->profile, personality->program,
					   ranked->rules, ranked->n_rules, &diag);
	for (unsigned int i = 0; i < ranked->n_rules; i++) {
		(*flows)->hashings[i] = ranked->flows[ranked->flow_of[i]]->hashing;
		(*flows)->actions[i] = ranked->flows[ranked->flow_of[i]]->action;
	}
	if ((*flows)->set == NULL) {
		const char *first = ddp_diag_first(&diag);

		why_set(why, size, 0, strncmp(first, "error: ", 7) == 0 ? first + 7 : first);
		ddp_flows_destroy(*flows);
		*flows = NULL;
	}
	ddp_diag_fini(&diag);
	return *flows != NULL ? 0 : -EINVAL;
}

int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *why, size_t size) {
	struct ranked ranked = {0};
	int ret = ranked_make(port, &ranked);

	if (ret < 0)
		why_set(why, size, ret, "out of memory");
	else
		ret = rules_resolve(personality, &ranked, n_rxqs, why, size);
	if (ret == 0)
		ret = flows_make(personality, &ranked, flows, why, size);
	ranked_free(&ranked);
	return ret;
}

// Append to text of size bytes, as far as there is room.
static void append(char *text, size_t size, const char *more) {
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s", more);
}

static void pattern_append(const struct rte_flow *flow, char *text, size_t size) {
	if (flow->raw.n > 0)
		append(text, size, "raw");
	for (unsigned int i = 0; i < flow->rule.n_items; i++) {
		if (i > 0)
			append(text, size, " / ");
		append(text, size, flow->rule.items[i]);
	}
}

static bool is_served(const struct ddp_personality *personality, struct rte_flow *flow) {
	const struct ddp_flow *rules[1 + DDP_FLOW_VARIANTS];
	struct ddp_flow *made[1 + DDP_FLOW_VARIANTS];
	unsigned int flow_of[1 + DDP_FLOW_VARIANTS];
	struct ranked one = {
		.n = 1,
		.flows = &flow,
		.rules = rules,
		.flow_of = flow_of,
		.made = made,
	};
	struct ddp_flows *flows = NULL;
	int ret = flow_resolve(personality, &one, 0, NULL, 0);

	if (ret == 0)
		ret = flows_make(personality, &one, &flows, NULL, 0);
	ddp_flows_destroy(flows);
	while (one.n_made > 0)
		free(made[--one.n_made]);
	return ret == 0;
}

void ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
			char *text, size_t size) {
	struct rte_flow *flow;

	*text = '\0';
	TAILQ_FOREACH(flow, &port->rules, entry) {
		if (flow->dead || is_served(personality, flow))
			continue;
		if (*text != '\0')
			append(text, size, "; ");
		pattern_append(flow, text, size);
	}
}

void ddp_flows_destroy(struct ddp_flows *flows) {
	if (flows == NULL)
		return;
	ddp_flow_set_destroy(flows->set);
	free(flows->hashings);
	free(flows);
}

/* Rules */

static void flow_free(struct rte_flow *flow) {
	if (flow == NULL)
		return;
	free(flow->action.queues);
	free(flow->action.counts);
	free(flow);
}

unsigned int ddp_flows_count(const struct ddp_port *port) {
	const struct rte_flow *flow;
	unsigned int n = 0;

	TAILQ_FOREACH(flow, &port->rules, entry)
		n++;
	return n;
}

enum ddp_hash_function ddp_flows_function(const struct ddp_port *port) {
	enum ddp_hash_function function = DDP_HASH_TOEPLITZ;
	const struct rte_flow *flow;

	TAILQ_FOREACH(flow, &port->rules, entry)
		if (flow->rule.stage == DDP_FLOW_HASH && !flow->dead && !flow->hashing.own_inputs)
			function = flow->hashing.function;
	return function;
}

void ddp_flow_rules_free(struct ddp_port *port) {
	struct rte_flow *flow;

	while ((flow = TAILQ_FIRST(&port->rules)) != NULL) {
		TAILQ_REMOVE(&port->rules, flow, entry);
		flow_free(flow);
	}
}

static int attr_check(const struct rte_flow_attr *attr, struct rte_flow_error *error) {
	if (attr == NULL || !attr->ingress || attr->egress || attr->transfer)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, attr,
					  "only ingress rules are supported");
	if (attr->group != 0)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, attr,
					  "groups are not supported");
	return 0;
}

static int raw_read(const struct rte_flow_item *pattern, struct ddp_flow_raw *raw,
		    struct rte_flow_error *error) {
	const struct rte_flow_item *item = pattern;

	while (item->type == RTE_FLOW_ITEM_TYPE_VOID)
		item++;
	if (item[1].type != RTE_FLOW_ITEM_TYPE_END)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, &item[1],
					  "a raw pattern stands alone");
	return ddp_flow_raw_parse(item, raw, error);
}

// A hash rule for UDP is not for tunnels in it, as on these NICs.
static void hash_narrow(struct ddp_flow *rule) {
	const char *last = rule->n_items > 0 ? rule->items[rule->n_items - 1] : "";

	rule->ends = rule->stage == DDP_FLOW_HASH && strcmp(last, "udp") == 0;
}

static int flow_parse(const struct ddp_port *port, const struct rte_flow_attr *attr,
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
		ret = ddp_flow_actions_parse(port, actions, flow, error);
	if (ret < 0)
		return ret;
	flow->priority = attr->priority;
	if (flow->rule.stage == DDP_FLOW_HASH && attr->priority != 0)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, attr,
					  "of hash rules the newest decides: they have no priority");
	hash_narrow(&flow->rule);
	return 0;
}

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
static void older_mark(struct ddp_port *port, const struct rte_flow *flow, bool dead) {
	struct rte_flow *older;

	TAILQ_FOREACH(older, &port->rules, entry) {
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
static int repeat_check(const struct ddp_port *port, const struct rte_flow *flow,
			struct rte_flow_error *error) {
	const struct rte_flow *other;

	TAILQ_FOREACH(other, &port->rules, entry)
		if (other->rule.stage == DDP_FLOW_STEER && flow->rule.stage == DDP_FLOW_STEER &&
		    other->priority == flow->priority && pattern_same(other, flow))
			return rte_flow_error_set(error, EEXIST, RTE_FLOW_ERROR_TYPE_ITEM, NULL,
						  "the port has a rule of this pattern and priority");
	return 0;
}

static int refused(struct rte_flow_error *error, int ret, const char *why) {
	return rte_flow_error_set(error, -ret, RTE_FLOW_ERROR_TYPE_ITEM, NULL, why);
}

static bool is_parsed(const struct ddp_port *port, const char *header) {
	const struct ddp_profile *profile = port->personality->profile;

	for (unsigned int i = 0; i < profile->n_headers; i++)
		if (strcmp(profile->headers[i].name, header) == 0)
			return true;
	return false;
}

// Where a rule failed for a header that is not parsed: which profile to load.
static void profile_suggest(const struct ddp_port *port, const struct ddp_flow *rule, char *why,
			    size_t size) {
	char more[100], *name;
	unsigned int i = 0;

	while (i < rule->n_items && is_parsed(port, rule->items[i]))
		i++;
	name = i < rule->n_items ? ddp_profile_defining(rule->items[i]) : NULL;
	if (name == NULL)
		return;
	snprintf(more, sizeof(more), ": profile %s does", name);
	append(why, size, more);
	free(name);
}

// Add a rule to the list and compile all. On failure the list is as it was.
static int flow_add(struct ddp_port *port, struct rte_flow *flow, struct ddp_flows **flows,
		    struct rte_flow_error *error) {
	static __thread char why[500]; // the error's message outlives the call
	int ret = repeat_check(port, flow, error);

	if (ret < 0)
		return ret;
	flow->number = port->n_flows_made++;
	TAILQ_INSERT_TAIL(&port->rules, flow, entry);
	older_mark(port, flow, true);
	ret = ddp_flows_compile(port, port->personality, DDP_PORT_QUEUES, flows, why, sizeof(why));
	if (ret == 0)
		return 0;
	older_mark(port, flow, false);
	TAILQ_REMOVE(&port->rules, flow, entry);
	profile_suggest(port, &flow->rule, why, sizeof(why));
	return refused(error, ret, why);
}

static void flow_take_back(struct ddp_port *port, struct rte_flow *flow) {
	older_mark(port, flow, false);
	TAILQ_REMOVE(&port->rules, flow, entry);
}

static struct rte_flow *flow_make(const struct ddp_port *port, const struct rte_flow_attr *attr,
				  const struct rte_flow_item *pattern,
				  const struct rte_flow_action *actions,
				  struct rte_flow_error *error) {
	struct rte_flow *flow = calloc(1, sizeof(*flow));

	if (flow == NULL) {
		rte_flow_error_set(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
				   "no memory for a rule");
		return NULL;
	}
	if (flow_parse(port, attr, pattern, actions, flow, error) == 0)
		return flow;
	flow_free(flow);
	return NULL;
}

static int flows_apply(struct ddp_port *port, struct ddp_flows *flows, struct rte_flow_error *error) {
	const struct ddp_change change = {.flows = flows};
	int ret = ddp_steering_apply(port, &change);

	if (ret == 0)
		return 0;
	ddp_flows_destroy(flows);
	return refused(error, ret, "no memory for a rule");
}

static struct rte_flow *create_locked(struct ddp_port *port, const struct rte_flow_attr *attr,
				      const struct rte_flow_item *pattern,
				      const struct rte_flow_action *actions,
				      struct rte_flow_error *error) {
	struct rte_flow *flow = flow_make(port, attr, pattern, actions, error);
	struct ddp_flows *flows;

	if (flow == NULL)
		return NULL;
	if (flow_add(port, flow, &flows, error) < 0) {
		flow_free(flow);
		return NULL;
	}
	if (flows_apply(port, flows, error) == 0)
		return flow;
	flow_take_back(port, flow);
	flow_free(flow);
	return NULL;
}

static int validate_locked(struct ddp_port *port, const struct rte_flow_attr *attr,
			   const struct rte_flow_item *pattern,
			   const struct rte_flow_action *actions, struct rte_flow_error *error) {
	struct rte_flow *flow = flow_make(port, attr, pattern, actions, error);
	struct ddp_flows *flows;
	int ret;

	if (flow == NULL)
		return -rte_errno;
	ret = flow_add(port, flow, &flows, error);
	if (ret == 0) {
		flow_take_back(port, flow);
		ddp_flows_destroy(flows);
	}
	flow_free(flow);
	return ret;
}

static bool is_listed(const struct ddp_port *port, const struct rte_flow *flow) {
	const struct rte_flow *other;

	TAILQ_FOREACH(other, &port->rules, entry)
		if (other == flow)
			return true;
	return false;
}

// Take the rules marked as leaving off the port. -ENOMEM leaves them.
static int leaving_remove(struct ddp_port *port, struct rte_flow_error *error) {
	struct rte_flow *flow, *next, *other;
	struct ddp_flows *flows;
	int ret = ddp_flows_compile(port, port->personality, DDP_PORT_QUEUES, &flows, NULL, 0);

	if (ret == 0)
		ret = flows_apply(port, flows, error);
	else
		refused(error, ret, "no memory to remove a rule");
	for (flow = TAILQ_FIRST(&port->rules); flow != NULL; flow = next) {
		next = TAILQ_NEXT(flow, entry);
		if (flow->leaving && ret == 0) {
			TAILQ_REMOVE(&port->rules, flow, entry);
			TAILQ_FOREACH(other, &port->rules, entry)
				if (other->replaced_by == flow)
					other->replaced_by = NULL;
			flow_free(flow);
		} else {
			flow->leaving = false;
		}
	}
	return ret;
}

/* Operations */

static struct ddp_port *port_lock(struct rte_eth_dev *dev) {
	struct ddp_port *port = dev->data->dev_private;

	pthread_mutex_lock(&port->mutex);
	return port;
}

static int validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
		    const struct rte_flow_item pattern[], const struct rte_flow_action actions[],
		    struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	int ret = validate_locked(port, attr, pattern, actions, error);

	pthread_mutex_unlock(&port->mutex);
	return ret;
}

static struct rte_flow *create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
			       const struct rte_flow_item pattern[],
			       const struct rte_flow_action actions[], struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	struct rte_flow *flow = create_locked(port, attr, pattern, actions, error);

	pthread_mutex_unlock(&port->mutex);
	return flow;
}

static int destroy(struct rte_eth_dev *dev, struct rte_flow *flow, struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	int ret;

	if (is_listed(port, flow)) {
		flow->leaving = true;
		ret = leaving_remove(port, error);
	} else {
		ret = rte_flow_error_set(error, ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, flow,
					 "the port has no such rule");
	}
	pthread_mutex_unlock(&port->mutex);
	return ret;
}

static int flush(struct rte_eth_dev *dev, struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	struct rte_flow *flow;
	int ret;

	TAILQ_FOREACH(flow, &port->rules, entry)
		flow->leaving = true;
	ret = leaving_remove(port, error);
	pthread_mutex_unlock(&port->mutex);
	return ret;
}

struct ddp_flow_count ddp_flow_count(const struct ddp_port *port, const struct rte_flow *flow) {
	struct ddp_flow_count sum = {0};

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
	struct ddp_flow_count sum = ddp_flow_count(port, flow);

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
	static const enum rte_eth_hash_function functions[] = {
		[DDP_HASH_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_TOEPLITZ,
		[DDP_HASH_SYMMETRIC_TOEPLITZ] = RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ,
		[DDP_HASH_SIMPLE_XOR] = RTE_ETH_HASH_FUNCTION_SIMPLE_XOR,
	};

	*rss = (struct rte_flow_action_rss){
		.func = functions[flow->hashing.function],
		.types = flow->rss_types,
		.queue_num = flow->action.n_queues,
		.queue = flow->action.queues, // lives as long as the rule
	};
}

static int query_locked(const struct ddp_port *port, struct rte_flow *flow,
			const struct rte_flow_action *action, void *data,
			struct rte_flow_error *error) {
	if (!is_listed(port, flow))
		return rte_flow_error_set(error, ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, flow,
					  "the port has no such rule");
	if (action == NULL || data == NULL)
		return rte_flow_error_set(error, EINVAL, RTE_FLOW_ERROR_TYPE_ACTION, action,
					  "nothing to ask for");
	if (action->type == RTE_FLOW_ACTION_TYPE_COUNT && flow->action.counts != NULL)
		count_query(port, flow, data);
	else if (action->type == RTE_FLOW_ACTION_TYPE_RSS &&
		 (flow->rule.stage == DDP_FLOW_HASH || flow->action.n_queues > 0))
		rss_query(flow, data);
	else
		return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, action,
					  "the rule has no such action that can be queried");
	return 0;
}

static int query(struct rte_eth_dev *dev, struct rte_flow *flow,
		 const struct rte_flow_action *action, void *data, struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	int ret = query_locked(port, flow, action, data, error);

	pthread_mutex_unlock(&port->mutex);
	return ret;
}

static int dump_locked(const struct ddp_port *port, const struct rte_flow *flow, FILE *file,
		       struct rte_flow_error *error) {
	const struct rte_flow *each;

	if (flow != NULL && !is_listed(port, flow))
		return rte_flow_error_set(error, ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, flow,
					  "the port has no such rule");
	TAILQ_FOREACH(each, &port->rules, entry)
		if (flow == NULL || each == flow)
			ddp_flow_print(port, each, file);
	return 0;
}

// One rule, or with NULL all of them, oldest first.
static int dump(struct rte_eth_dev *dev, struct rte_flow *flow, FILE *file,
		struct rte_flow_error *error) {
	struct ddp_port *port = port_lock(dev);
	int ret = dump_locked(port, flow, file, error);

	pthread_mutex_unlock(&port->mutex);
	return ret;
}

const struct rte_flow_ops ddp_flow_ops = {
	.validate = validate,
	.create = create,
	.destroy = destroy,
	.flush = flush,
	.query = query,
	.dev_dump = dump,
};
