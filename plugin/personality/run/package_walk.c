/* SPDX-License-Identifier: BSD-3-Clause */
// Walk of a packet by the model of the NIC's parser. The result has the same form as that of any
// other program, headers and a packet type, so the code behind it sees no difference.

#include "classify/run/walk.h"
#include "personality/package_model.h"

const uint8_t package_protocols[DDP_OFFSETS] = {32, 33, 40, 41, 49, 53, 96};

static void seen_fill(const struct package_model *model, const struct e810_result *result,
		      const uint8_t *data, uint32_t len, struct ddp_class *class,
		      struct e810_trace *looked) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n =
		e810_result_chain(model->parser, result, data, len, chain, offsets, looked);

	RTE_ASSERT(class->n_seen + n <= DDP_MAX_HEADERS);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int at = package_token_slot(chain[i]);

		while (model->tokens[at].name != NULL &&
		       strcmp(model->tokens[at].name, chain[i]) != 0)
			at = (at + 1) % PACKAGE_TOKENS;
		if (model->tokens[at].name != NULL) // else no header of the library
			class->seen[class->n_seen++] = (struct ddp_seen){
				.node = model->tokens[at].node, .off = offsets[i]};
	}
}

enum ddp_status package_walk(const struct model *of, const struct ddp_packet *packet,
			     struct ddp_class *class, struct trace *trace) {
	const struct package_model *model = (const struct package_model *)of;
	uint32_t there = packet->len < E810_WINDOW ? packet->len : E810_WINDOW; // in one piece
	uint8_t buf[E810_WINDOW];
	const uint8_t *data = packet_at(packet, 0, there, buf);
	struct e810_word words[E810_WORDS];
	struct e810_result result;
	struct e810_trace looked;

	if (trace != NULL)
		e810_parse_watched(model->parser, data, packet->len, &result, &looked, NULL, NULL);
	else
		e810_parse(model->parser, data, packet->len, &result);
	if (data == packet->data)
		there = packet->first_len < packet->len ? packet->first_len : packet->len;
	memset(class->offsets, 0xff, sizeof(class->offsets));
	for (unsigned int p = 0; p < result.n_protocols; p++)
		for (unsigned int i = 0; i < DDP_OFFSETS; i++)
			if (package_protocols[i] == result.protocols[p].id)
				class->offsets[i] = result.protocols[p].offset;
	if (result.ptype < E810_N_PTYPES)
		class->type = model->types[result.ptype];
	class->unhashed = result.rss_flags != 0 &&
			  e810_rss_words(model->rss, result.ptype, result.rss_flags, words) == 0;
	seen_fill(model, &result, data, there, class, trace != NULL ? &looked : NULL);
	if (trace != NULL) {
		trace->lost |= looked.lost;
		trace_need(trace, looked.min_len);
		for (unsigned int i = 0; i < TRACE_REACH; i++)
			trace->mask[i] |= looked.mask[i];
		for (unsigned int i = TRACE_REACH; i < sizeof(looked.mask); i++)
			trace->lost |= looked.mask[i] != 0;
	}
	return result.status == E810_OK   ? DDP_STATUS_OK :
	       result.status == E810_LOOP ? DDP_STATUS_TOO_DEEP :
					    DDP_STATUS_MALFORMED;
}
