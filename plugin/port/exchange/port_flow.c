/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow operations of a port; plugin/rules reads the rules. Only a rule of a new shape is
// compiled, together with the other shapes, and exchanged with the steering. Any other rule is
// inserted into a table that the data path is using, or removed from it: see rules.h.
#include "port/exchange/exchange.h"
#include "port/state/control.h"

#include <arpa/inet.h>
#include <inttypes.h>

#include <rte_ether.h>

#define LEFT_MAX 64   // rules: so many removed ones are freed at once
#define SHAPES_MAX 32 // shapes: above, a warning is logged; see net_ddp(7)

int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *reason, size_t size) {
	return ddp_flow_list_compile(&port->rules, personality->profile, personality->program,
				     n_rxqs, flows, reason, size);
}

int ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
		       char *error) {
	const struct ddp_flow_shape *shape;
	int n = 0, ret;

	snprintf(error, DDP_ERROR_SIZE, "needed by flow rules: ");
	TAILQ_FOREACH(shape, &port->rules.shapes, entry) {
		if (shape->n_rules == 0)
			continue;
		ret = ddp_flow_serve_check(personality->profile, personality->program, shape, NULL,
					   0);
		if (ret == -ENOMEM)
			return ret;
		if (ret == 0)
			continue;
		if (n++ > 0)
			ddp_append(error, "; ");
		if (shape->owner != NULL)
			ddp_append(error, "raw");
		for (unsigned int i = 0; i < shape->rule.n_items; i++) {
			ddp_append(error, i > 0 ? " / " : "");
			ddp_append(error, shape->rule.items[i]);
		}
	}
	return n;
}

/* Rules */

// At most one rule without a pattern is in force: the newest.
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

static void rule_exchange(struct ddp_port *port, struct rte_flow *flow,
			  void (*exchange)(struct ddp_flow_list *list, struct rte_flow *flow)) {
	const bool learned = ddp_flow_is_learned(flow);

	if (learned)
		ddp_steering_relearn_begin(port);
	exchange(&port->rules, flow);
	if (learned)
		ddp_steering_relearn_end(port);
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
	}
	// Otherwise an application that makes a shape of each rule would not notice it.
	if (flows != NULL && flows->n > SHAPES_MAX && !port->shapes_warned) {
		port->shapes_warned = true;
		PORT_LOG(
			WARNING, port->name,
			"the flow rules have more than %u shapes, each of which costs packets a look-up; "
			"give the rules the same headers, fields and masks",
			SHAPES_MAX);
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

// Apply the remaining rules after some were removed. -ENOMEM, with the reason in error.
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
	if (compile || port->rules.n_left >= LEFT_MAX) {
		ddp_steering_wait(port);
		ddp_flow_list_reclaim(&port->rules);
	}
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
	ddp_steering_wait(port);
	ddp_flow_list_reclaim(&port->rules);
	return 0;
}

/* Reading */

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
		*(struct rte_flow_action_rss *)data = (struct rte_flow_action_rss){
			.func = ddp_flow_function(ddp_flow_rule(flow)->hashing.function),
			.level = flow->rss_level,
			.types = flow->rss_types,
			.key_len = flow->key_len,
			.key = flow->key_bytes, // valid as long as the rule, as the queues
			.queue_num = flow->action.n_queues,
			.queue = ddp_flow_queues(&flow->action),
		};
	else
		return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, action,
					  "the rule has no such action that can be queried");
	return 0;
}

/* Text of rules:
 *
 *	priority 1: eth / ipv4 dst=192.0.2.0/24 / udp: queues 2 3, mark 7; 12 packets, 720 bytes
 *	priority 0: eth / ipv4 / udp: hash toeplitz ipv4.src udp.sport ipv4.protocol
 */

// The field that contains this bit of the header.
static const struct ddp_field *field_at(const struct ddp_header *header, unsigned int bit) {
	for (unsigned int i = 0; i < header->n_fields; i++) {
		const struct ddp_field *field = &header->fields[i];

		if (field->anchor == DDP_FROM_START && field->n_before == 0 &&
		    bit >= field->bit_off && bit < field->bit_off + field->width)
			return field;
	}
	return NULL;
}

static void hex_print(FILE *out, const uint8_t *bytes, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%02x", bytes[i]);
}

static void bytes_fill(uint8_t bytes[16], unsigned __int128 number, unsigned int width) {
	number <<= 128 - width;
	for (unsigned int i = 0; i < 16; i++)
		bytes[i] = number >> (120 - 8 * i);
}

static void number_print(FILE *out, const char *name, unsigned int width,
			 unsigned __int128 number) {
	bool is_end = strcmp(name, "src") == 0 || strcmp(name, "dst") == 0;
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	bytes_fill(bytes, number, width);
	if (width == 128)
		fprintf(out, "%s", inet_ntop(AF_INET6, bytes, text, sizeof(text)));
	else if (width == 48 && is_end)
		fprintf(out, RTE_ETHER_ADDR_PRT_FMT, bytes[0], bytes[1], bytes[2], bytes[3],
			bytes[4], bytes[5]);
	else if (width == 32 && is_end)
		fprintf(out, "%s", inet_ntop(AF_INET, bytes, text, sizeof(text)));
	else
		fprintf(out, width > 32 ? "0x%" PRIx64 : "%" PRIu64, (uint64_t)number);
}

static void mask_print(FILE *out, unsigned int width, unsigned __int128 mask) {
	const unsigned __int128 rest = mask ^ (~(unsigned __int128)0 >> (128 - width));
	uint8_t bytes[16];

	bytes_fill(bytes, mask, width);
	if (rest == 0)
		return;
	if ((rest & (rest + 1)) == 0) {
		fprintf(out, "/%u", __builtin_popcountll(mask) + __builtin_popcountll(mask >> 64));
		return;
	}
	fprintf(out, "/0x");
	hex_print(out, bytes, (width + 7) / 8);
}

static void part_print(FILE *out, const char *name, unsigned int off, unsigned int width,
		       const struct ddp_pattern *pattern, unsigned int end) {
	unsigned __int128 value = (unsigned __int128)pattern->value_hi << 64 | pattern->value_lo;
	unsigned __int128 mask = (unsigned __int128)pattern->mask_hi << 64 | pattern->mask_lo;
	const unsigned __int128 all = ~(unsigned __int128)0 >> (128 - width);
	const int shift = end - (off + width); // the value ends at bit `end`

	value = (shift < 0 ? value << -shift : value >> shift) & all;
	mask = (shift < 0 ? mask << -shift : mask >> shift) & all;
	fprintf(out, " %s=", name);
	number_print(out, name, width, value);
	mask_print(out, width, mask);
}

// Print the fields of a run of bits. Bits of no field, or of a field at a variable offset, are
// printed by their first bit; behind the header, by its distance from the header's end.
static void run_print(FILE *out, const struct ddp_header *header,
		      const struct ddp_flow_value *value) {
	const struct ddp_pattern *pattern = &value->pattern;
	const bool behind = (value->at.bit & DDP_FLOW_PAYLOAD) != 0; // the header
	unsigned int bit = value->at.bit & ~DDP_FLOW_PAYLOAD, end = bit + value->at.width;

	while (bit < end) {
		const struct ddp_field *field = behind ? NULL : field_at(header, bit);
		const unsigned int first = bit, left = end - 1 - bit;
		char name[16];

		if (((left < 64 ? pattern->mask_lo >> left : pattern->mask_hi >> (left - 64)) &
		     1) == 0) {
			bit++;
		} else if (field != NULL) {
			part_print(out, field->name, field->bit_off, field->width, pattern, end);
			bit = field->bit_off + field->width;
		} else {
			do
				bit++;
			while (bit < end && bit - first < 64 &&
			       (behind || field_at(header, bit) == NULL));
			snprintf(name, sizeof(name), behind ? "behind%u" : "bit%u", first);
			part_print(out, name, first, bit - first, pattern, end);
		}
	}
}

static void value_print(FILE *out, const struct ddp_profile *profile, const struct ddp_flow *rule,
			const struct ddp_flow_value *value) {
	const int node = ddp_header_find(profile, rule->items[value->at.item]);
	const struct ddp_header *header;
	int field;

	if (node < 0)
		return;
	header = &profile->headers[node];
	if (value->at.field == NULL) {
		run_print(out, header, value);
		return;
	}
	field = ddp_field_find(header, value->at.field);
	if (field >= 0)
		part_print(out, value->at.field, 0, header->fields[field].width, &value->pattern,
			   header->fields[field].width);
}

static void pattern_print(FILE *out, const struct ddp_profile *profile,
			  const struct rte_flow *flow) {
	struct ddp_flow rule;

	ddp_flow_rule_get(flow, &rule);
	if (flow->raw != NULL) {
		fprintf(out, "raw spec=");
		hex_print(out, flow->raw->spec, flow->raw->n);
		fprintf(out, " mask=");
		hex_print(out, flow->raw->mask, flow->raw->n);
	} else if (rule.n_items == 0) {
		fprintf(out, "any packet");
	}
	for (unsigned int i = 0; i < rule.n_items; i++) {
		fprintf(out, "%s%s", i > 0 ? " / " : "", rule.items[i]);
		for (unsigned int j = 0; j < rule.n_values; j++)
			if (rule.values[j].at.item == i && ddp_flow_is_key(&rule.values[j]))
				value_print(out, profile, &rule, &rule.values[j]);
		if (rule.without[i] != NULL)
			fprintf(out, " without %s", rule.without[i]);
	}
}

static void hash_print(FILE *out, const struct rte_flow *flow) {
	const struct ddp_flow *rule = ddp_flow_rule(flow);

	fprintf(out, "hash %s", ddp_hash_function_name(rule->hashing.function));
	if (flow->raw != NULL)
		fprintf(out, " by mask");
	else if (!rule->hashing.own_inputs)
		fprintf(out, " by rss_hf");
	for (unsigned int i = 0; i < rule->n_inputs; i++) {
		const struct ddp_flow_field *at = &rule->inputs[i];

		fprintf(out, " %s.%s", rule->items[at->item],
			at->field != NULL ? at->field : "bits");
		if (at->width > 0)
			fprintf(out, "/%u", at->width);
	}
	if (flow->dead)
		fprintf(out, "; replaced by a newer rule");
}

static void action_print(FILE *out, const struct rte_flow *flow) {
	const struct ddp_flow_action *action = &flow->action;

	if (action->fate == DDP_FLOW_DROP)
		fprintf(out, "drop");
	else
		fprintf(out, action->n_queues > 0 ? "queues" : "pass");
	for (unsigned int i = 0; i < action->n_queues; i++)
		fprintf(out, " %u", ddp_flow_queues(action)[i]);
	if (flow->key_len > 0) {
		fprintf(out, " by key ");
		hex_print(out, flow->key_bytes, flow->key_len);
	}
	if (action->tag == DDP_FLOW_MARKED)
		fprintf(out, ", mark %" PRIu32, action->mark);
	else if (action->tag == DDP_FLOW_FLAGGED)
		fprintf(out, ", flag");
}

static void flow_print(const struct ddp_port *port, const struct rte_flow *flow, FILE *out) {
	const struct ddp_flow_count count = counts_read(port, flow);

	fprintf(out, "priority %" PRIu32 ": ", flow->priority);
	pattern_print(out, port->personality->profile, flow);
	fprintf(out, ": ");
	if (ddp_flow_rule(flow)->stage == DDP_FLOW_HASH)
		hash_print(out, flow);
	else
		action_print(out, flow);
	if (flow->action.counts != NULL)
		fprintf(out, "; %" PRIu64 " packets, %" PRIu64 " bytes", count.packets,
			count.bytes);
	fprintf(out, "\n");
}

static int flows_dump(const struct ddp_port *port, const struct rte_flow *flow, FILE *file,
		      struct rte_flow_error *error) {
	int ret = flow != NULL ? flow_check(port, flow, error) : 0;
	const struct rte_flow *each;

	if (ret < 0)
		return ret;
	TAILQ_FOREACH(each, &port->rules.flows, entry)
		if (flow == NULL || each == flow)
			flow_print(port, each, file);
	return 0;
}

/* Operations */

// The result of a call, which is none of these two, or why it was not made. Also in rte_errno.
static int answer(int ret, struct rte_flow_error *error) {
	// Operations are not called for a closed port, except while another thread closes it.
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
