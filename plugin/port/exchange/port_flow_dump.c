/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules as text for rte_flow_dev_dump():
//
//	priority 1: eth / ipv4 dst=192.0.2.0/24 / udp: queues 2 3, mark 7; 12 packets, 720 bytes
//	priority 0: eth / ipv4 / udp: hash toeplitz ipv4.src udp.sport ipv4.protocol
#include "port/exchange/exchange.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include <rte_ether.h>

/* Values */

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

// Bit `bit` of a number of width bits; the most significant is bit 0.
static bool bit_get(uint64_t hi, uint64_t lo, unsigned int width, unsigned int bit) {
	unsigned int shift = width - 1 - bit;

	return (shift < 64 ? lo >> shift : hi >> (shift - 64)) & 1;
}

static void hex_print(FILE *out, const uint8_t *bytes, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, "%02x", bytes[i]);
}

// bits: the field's bits, left-aligned.
static void number_print(FILE *out, const struct ddp_field *field, const uint8_t *bits) {
	bool is_end = strcmp(field->name, "src") == 0 || strcmp(field->name, "dst") == 0;
	char text[INET6_ADDRSTRLEN];
	uint64_t number = 0;

	if (field->width == 128) {
		fprintf(out, "%s", inet_ntop(AF_INET6, bits, text, sizeof(text)));
	} else if (field->width == 48 && is_end) {
		fprintf(out, RTE_ETHER_ADDR_PRT_FMT, bits[0], bits[1], bits[2], bits[3], bits[4],
			bits[5]);
	} else if (field->width == 32 && is_end) {
		fprintf(out, "%s", inet_ntop(AF_INET, bits, text, sizeof(text)));
	} else {
		for (unsigned int i = 0; i < field->width; i++)
			number = number << 1 | (bits[i / 8] >> (7 - i % 8) & 1);
		fprintf(out, field->width > 32 ? "0x%" PRIx64 : "%" PRIu64, number);
	}
}

// Print the mask unless it covers the whole field: a prefix length, or hexadecimal.
static void mask_print(FILE *out, const uint8_t *mask, unsigned int width) {
	unsigned int n_set = 0, n_leading = 0;

	for (unsigned int i = 0; i < width; i++) {
		bool set = mask[i / 8] >> (7 - i % 8) & 1;

		n_leading += set && n_leading == i;
		n_set += set;
	}
	if (n_leading == width)
		return;
	if (n_leading == n_set) {
		fprintf(out, "/%u", n_leading);
		return;
	}
	fprintf(out, "/0x");
	hex_print(out, mask, (width + 7) / 8);
}

// Print the part of a field that is in a value of width bits from bit `first` of the header on.
static void field_print(FILE *out, const struct ddp_field *field, const struct ddp_pattern *pattern,
			unsigned int first, unsigned int width) {
	uint8_t value[16] = {0}, mask[16] = {0};

	for (unsigned int i = 0; i < field->width; i++) {
		unsigned int bit = field->bit_off + i - first; // wraps around if before

		if (bit >= width)
			continue;
		if (bit_get(pattern->value_hi, pattern->value_lo, width, bit))
			value[i / 8] |= 0x80 >> i % 8;
		if (bit_get(pattern->mask_hi, pattern->mask_lo, width, bit))
			mask[i / 8] |= 0x80 >> i % 8;
	}
	fprintf(out, " %s=", field->name);
	number_print(out, field, value);
	mask_print(out, mask, field->width);
}

// Print the fields of a run of bits. Bits of no field, or of a field at a variable offset, are
// printed by their first bit; behind the header, by its distance from the header's end.
static void run_print(FILE *out, const struct ddp_header *header,
		      const struct ddp_flow_value *value) {
	const struct ddp_pattern *pattern = &value->pattern;
	const bool behind = (value->at.bit & DDP_FLOW_PAYLOAD) != 0; // the header
	unsigned int first = value->at.bit & ~DDP_FLOW_PAYLOAD, end = first + value->at.width;
	unsigned int bit = first;

	while (bit < end) {
		const struct ddp_field *field = behind ? NULL : field_at(header, bit);
		struct ddp_field unnamed = {.bit_off = bit};
		char name[16];

		if (!bit_get(pattern->mask_hi, pattern->mask_lo, end - first, bit - first)) {
			bit++;
			continue;
		}
		if (field == NULL) {
			snprintf(name, sizeof(name), behind ? "behind%u" : "bit%u", bit);
			unnamed.name = name;
			while (bit < end && unnamed.width < 64 &&
			       (behind || field_at(header, bit) == NULL)) {
				unnamed.width++;
				bit++;
			}
			field = &unnamed;
		}
		field_print(out, field, pattern, first, end - first);
		bit = field->bit_off + field->width;
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
		field_print(out, &header->fields[field], &value->pattern,
			    header->fields[field].bit_off, header->fields[field].width);
}

/* Rules */

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

static void fate_print(FILE *out, const struct rte_flow *flow) {
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

void ddp_flow_print(const struct ddp_port *port, const struct rte_flow *flow,
		    const struct ddp_flow_count *count, FILE *out) {
	fprintf(out, "priority %" PRIu32 ": ", flow->priority);
	pattern_print(out, port->personality->profile, flow);
	fprintf(out, ": ");
	if (ddp_flow_rule(flow)->stage == DDP_FLOW_HASH)
		hash_print(out, flow);
	else
		fate_print(out, flow);
	if (flow->action.counts != NULL)
		fprintf(out, "; %" PRIu64 " packets, %" PRIu64 " bytes", count->packets,
			count->bytes);
	fprintf(out, "\n");
}
