/* SPDX-License-Identifier: BSD-3-Clause */
// Walk of a packet by the model of the NIC's parser. The result has the same form as that of any
// other program, headers and a packet type, so code that hashes, steers or caches packets sees no
// difference.
#include <string.h>

#include "classify/run/walk.h"
#include "e810/e810_rss.h"
#include "personality/package_model.h"

const uint8_t package_places[DDP_PLACES] = {32, 33, 40, 41, 49, 53, 96};

static int token_node(const struct package_model *model, const char *name) {
	unsigned int at = package_token_slot(name);

	for (; model->tokens[at].name != NULL; at = (at + 1) % PACKAGE_TOKENS)
		if (strcmp(model->tokens[at].name, name) == 0)
			return model->tokens[at].node;
	return -1;
}

static void seen_fill(const struct package_model *model, const struct e810_result *result,
		      const uint8_t *data, uint32_t len, struct ddp_class *class,
		      struct e810_trace *looked) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n =
		e810_result_chain(model->parser, result, data, len, chain, offsets, looked);

	for (unsigned int i = 0; i < n; i++) {
		int node = token_node(model, chain[i]);

		if (node >= 0) // else no header of the library
			class->seen[class->n_seen++] =
				(struct ddp_seen){.node = node, .off = offsets[i]};
	}
}

static void places_fill(const struct e810_result *result, struct ddp_class *class) {
	for (unsigned int i = 0; i < DDP_PLACES; i++)
		class->places[i] = UINT16_MAX;
	for (unsigned int p = 0; p < result->n_protocols; p++)
		for (unsigned int i = 0; i < DDP_PLACES; i++)
			if (package_places[i] == result->protocols[p].id)
				class->places[i] = result->protocols[p].offset;
}

static bool is_unhashed(const struct package_model *model, const struct e810_result *result) {
	struct e810_word words[E810_WORDS];

	return result->rss_flags != 0 &&
	       e810_rss_words(model->rss, result->ptype, result->rss_flags, words) == 0;
}

static void trace_add(struct trace *trace, const struct e810_trace *looked) {
	if (looked->lost)
		trace->lost = true;
	trace_need(trace, looked->min_len);
	for (unsigned int i = 0; i < TRACE_REACH; i++)
		trace->mask[i] |= looked->mask[i];
	for (unsigned int i = TRACE_REACH; i < sizeof(looked->mask); i++)
		if (looked->mask[i] != 0)
			trace->lost = true;
}

static enum ddp_status status_of(enum e810_status status) {
	switch (status) {
	case E810_OK:
		return DDP_STATUS_OK;
	case E810_LOOP:
		return DDP_STATUS_TOO_DEEP;
	default:
		return DDP_STATUS_MALFORMED;
	}
}

enum ddp_status package_walk(const struct model *of, const struct ddp_packet *packet,
			     struct ddp_class *class, struct trace *trace) {
	const struct package_model *model = (const struct package_model *)of;
	uint32_t there = packet->len < E810_WINDOW ? packet->len : E810_WINDOW; // in one piece
	uint8_t buf[E810_WINDOW];
	const uint8_t *data = packet_at(packet, 0, there, buf);
	struct e810_result result;
	struct e810_trace looked;

	if (trace != NULL)
		e810_parse_watched(model->parser, data, packet->len, &result, &looked, NULL, NULL);
	else
		e810_parse(model->parser, data, packet->len, &result);
	if (data == packet->data)
		there = packet->first_len < packet->len ? packet->first_len : packet->len;
	places_fill(&result, class);
	if (result.ptype < E810_N_PTYPES)
		class->type = model->types[result.ptype];
	class->unhashed = is_unhashed(model, &result);
	seen_fill(model, &result, data, there, class, trace != NULL ? &looked : NULL);
	if (trace != NULL)
		trace_add(trace, &looked);
	return status_of(result.status);
}
