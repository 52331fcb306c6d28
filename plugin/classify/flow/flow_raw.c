/* SPDX-License-Identifier: BSD-3-Clause */
// A packet and a mask -> a rule: protocol-agnostic flow offloading, with our own parser.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "classify/run/walk.h"
#include "flow.h"

struct raw {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	struct ddp_packet packet;
	struct ddp_class class;
	struct ddp_flow *rule;
	bool bits[8 * DDP_FLOW_RAW_SIZE]; // to be hashed, and not yet in the rule
	uint8_t items[DDP_FLOW_ITEMS];    // index in class.seen
	char *error;
	size_t error_size;
};

static int refuse(const struct raw *raw, const char *reason) {
	snprintf(raw->error, raw->error_size, "%s", reason);
	return -EINVAL;
}

static int items_add(struct raw *raw) {
	struct ddp_flow *rule = raw->rule;

	for (unsigned int i = 0; i < raw->class.n_seen; i++) {
		const struct ddp_header *header = &raw->profile->headers[raw->class.seen[i].node];

		if (header->hidden)
			continue;
		if (rule->n_items == DDP_FLOW_ITEMS)
			return refuse(raw, "the raw pattern has too many headers");
		raw->items[rule->n_items] = i;
		rule->items[rule->n_items++] = header->name;
		if (raw->class.seen[i].fragment) // what follows is data to a rule
			break;
	}
	return 0;
}

static bool bits_take(struct raw *raw, uint32_t first, unsigned int width) {
	if (first + width > 8 * raw->packet.len)
		return false;
	for (unsigned int i = 0; i < width; i++)
		if (!raw->bits[first + i])
			return false;
	memset(&raw->bits[first], 0, width * sizeof(*raw->bits));
	return true;
}

static int input_add(struct raw *raw, const struct ddp_flow_field *at) {
	if (raw->rule->n_inputs == DDP_MAX_INPUT_SIZE)
		return refuse(raw, "the mask of the raw pattern chooses too many places");
	raw->rule->inputs[raw->rule->n_inputs++] = *at;
	return 0;
}

// Whole fields by name, so that a symmetric hash finds the other one of a pair.
static int fields_add(struct raw *raw, unsigned int item) {
	uint8_t node = raw->class.seen[raw->items[item]].node;
	const struct ddp_header *header = &raw->profile->headers[node];
	int ret = 0;

	for (unsigned int i = 0; i < header->n_fields && ret == 0; i++) {
		const struct ddp_field *field = &header->fields[i];
		const struct ddp_flow_field at = {.item = item, .field = field->name};
		const struct prog_ref ref = {
			.field = raw->program->nodes[node].first_field + i,
			.node = node,
			.which = DDP_WHICH_NTH_SEEN,
			.nth = ddp_flow_nth(raw->rule, item),
			.bits = field->width,
		};
		uint32_t bit;

		if (field->name != NULL && field->anchor != DDP_AHEAD &&
		    field_locate(raw->program, &raw->class, &ref, &bit) &&
		    bits_take(raw, bit, field->width))
			ret = input_add(raw, &at);
	}
	return ret;
}

// Add the rest of the mask from `from` to `to`, counted from there (payload: as behind the header).
static int rest_add(struct raw *raw, unsigned int item, uint32_t from, uint32_t to, bool payload) {
	int ret = 0;

	for (uint32_t bit = from; bit < to && ret == 0; bit++) {
		struct ddp_flow_field at = {.item = item, .bit = bit - from};

		if (!raw->bits[bit])
			continue;
		while (bit < to && raw->bits[bit] && at.width < 128) {
			raw->bits[bit++] = false;
			at.width++;
		}
		bit--;
		if (payload)
			at.bit |= DDP_FLOW_PAYLOAD;
		ret = input_add(raw, &at);
	}
	return ret;
}

static int inputs_add(struct raw *raw) {
	unsigned int n_items = raw->rule->n_items;
	uint32_t end = 0;
	int ret = 0;

	for (unsigned int i = 0; i < n_items && ret == 0; i++) {
		const struct ddp_seen *seen = &raw->class.seen[raw->items[i]];

		end = 8u * (seen->off + seen->len);
		ret = fields_add(raw, i);
		if (ret == 0)
			ret = rest_add(raw, i, 8u * seen->off, end, false);
	}
	if (ret == 0)
		ret = rest_add(raw, n_items - 1, end, 8 * raw->packet.len, true);
	return ret;
}

// Uplink and downlink are not alike (3GPP TS 38.415).
static void direction_add(struct raw *raw) {
	for (unsigned int i = 0; i < raw->rule->n_items; i++) {
		const struct ddp_seen *seen = &raw->class.seen[raw->items[i]];
		struct ddp_flow_value value = {
			.at = {.item = i, .bit = 8, .width = 4},
			.pattern = {.mask_lo = 0xf},
		};

		if (!ddp_flow_names(raw->rule, i, "gtpu_psc"))
			continue;
		value.pattern.value_lo = raw->packet.data[seen->off + 1] >> 4;
		raw->rule->values[raw->rule->n_values++] = value;
		return;
	}
}

int ddp_flow_raw_rule(const struct ddp_profile *profile, const struct ddp_program *program,
		      const uint8_t *packet, const uint8_t *mask, unsigned int n,
		      struct ddp_flow *rule, char *error, size_t error_size) {
	struct raw raw = {
		.profile = profile,
		.program = program,
		.packet = {.data = packet, .first_len = n, .len = n},
		.rule = rule,
		.error = error,
		.error_size = error_size,
	};
	int ret;

	for (unsigned int i = 0; i < 8 * n; i++)
		raw.bits[i] = mask[i / 8] >> (7 - i % 8) & 1;
	ddp_classify(program, &raw.packet, &raw.class);
	if (raw.class.type == DDP_TYPE_NONE)
		return refuse(&raw, "the loaded profiles know no packet type for the raw pattern");
	rule->exact = true;
	rule->ends = true;
	ret = items_add(&raw);
	if (ret == 0)
		ret = inputs_add(&raw);
	if (ret == 0)
		direction_add(&raw);
	return ret;
}
