/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_draw.h"

#include "naive_flow.h"
#include "unit.h"

static const struct ddp_header *header_of(const struct naive *n, unsigned int index) {
	return &n->profile->headers[n->headers[index].node];
}

// The first headers of a packet; some of those that a rule need not name are left out.
static void items_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	static const char *const often_left_out[] = {"vlan", "ipv6_ext", "gtpu_ext"};
	unsigned int most = random_below(seed, n->n_headers + 1);

	for (unsigned int i = 0; i < most && rule->n_items < DDP_FLOW_ITEMS; i++) {
		bool left_out = header_of(n, i)->hidden;

		for (unsigned int j = 0; j < COUNT(often_left_out) && !rule->exact; j++)
			if (strcmp(header_of(n, i)->name, often_left_out[j]) == 0)
				left_out |= random_below(seed, 3) > 0;
		if (!left_out)
			rule->items[rule->n_items++] = header_of(n, i)->name;
	}
}

// What may not follow eth, vlan and ipv6, as rte_flow has it.
static void without_draw(struct ddp_flow *rule, uint64_t *seed) {
	for (unsigned int i = 0; i < rule->n_items && !rule->exact; i++) {
		const bool is_ipv6 = strcmp(rule->items[i], "ipv6") == 0;

		if ((is_ipv6 || strcmp(rule->items[i], "eth") == 0 ||
		     strcmp(rule->items[i], "vlan") == 0) &&
		    random_below(seed, 4) == 0)
			rule->without[i] = is_ipv6 ? "ipv6_frag" : "vlan";
	}
}

static struct ddp_flow_field place_draw(const struct naive *n, const struct ddp_flow *rule,
					uint64_t *seed) {
	struct ddp_flow_field at = {.item = random_below(seed, rule->n_items)};
	const struct ddp_header *header = NULL;
	const struct ddp_field *field;

	for (unsigned int i = 0; i < n->profile->n_headers; i++)
		if (strcmp(n->profile->headers[i].name, rule->items[at.item]) == 0)
			header = &n->profile->headers[i];
	field = &header->fields[random_below(seed, header->n_fields)];
	if (field->name != NULL && random_below(seed, 3) > 0) {
		at.field = field->name;
		if (random_below(seed, 4) == 0)
			at.width = 1 + random_below(seed, field->width);
	} else {
		at.bit = random_below(seed, 100);
		if (random_below(seed, 8) == 0)
			at.bit |= DDP_FLOW_PAYLOAD;
		at.width = 1 + random_below(seed, 64);
	}
	return at;
}

// Mostly a value that the packet has, as far as a mask goes.
static void value_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	struct ddp_flow_value *value = &rule->values[rule->n_values++];
	struct ddp_flow one = *rule;
	uint8_t bytes[DDP_MAX_INPUT_SIZE];
	unsigned int len;

	*value = (struct ddp_flow_value){.at = place_draw(n, rule, seed)};
	one.n_inputs = 1;
	one.inputs[0] = value->at;
	len = naive_flow_input(n, &one, false, bytes);
	for (unsigned int i = 0; i < len; i++) {
		value->pattern.value_hi =
			value->pattern.value_hi << 8 | value->pattern.value_lo >> 56;
		value->pattern.value_lo = value->pattern.value_lo << 8 | bytes[i];
	}
	switch (random_below(seed, 5)) {
	case 0:
		break; // only that it is there
	case 1:
		value->pattern.mask_hi = random_next(seed);
		value->pattern.mask_lo = random_next(seed);
		break;
	default:
		value->pattern.mask_hi = UINT64_MAX;
		value->pattern.mask_lo = UINT64_MAX;
	}
	value->negate = random_below(seed, 10) == 0;
	if (random_below(seed, 10) == 0)
		value->pattern.value_lo ^= 1;
}

static bool is_hashed(const struct ddp_flow *rule, const struct ddp_flow_field *at) {
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		if (rule->inputs[i].item == at->item && rule->inputs[i].field != NULL &&
		    at->field != NULL && strcmp(rule->inputs[i].field, at->field) == 0)
			return true;
	return false;
}

// At most 16 bytes each, and none twice.
static void inputs_draw(const struct naive *n, struct ddp_flow *rule, uint64_t *seed) {
	for (unsigned int i = random_below(seed, 4); i > 0; i--) {
		struct ddp_flow_field at = place_draw(n, rule, seed);

		if (!is_hashed(rule, &at))
			rule->inputs[rule->n_inputs++] = at;
	}
}

struct ddp_flow flow_draw(const struct naive *n, uint64_t *seed) {
	struct ddp_flow rule = {
		.stage = random_below(seed, DDP_FLOW_STAGES),
		.exact = random_below(seed, 4) == 0,
		.ends = random_below(seed, 4) == 0,
	};

	items_draw(n, &rule, seed);
	without_draw(&rule, seed);
	if (rule.n_items == 0)
		return rule;
	for (unsigned int i = random_below(seed, 4); i > 0; i--)
		value_draw(n, &rule, seed);
	inputs_draw(n, &rule, seed);
	return rule;
}
