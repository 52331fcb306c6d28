/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_counter.h"

#include <string.h>

// Two hashes with different keys: among many flows some share one. A flow in a tunnel is another
// one than the same outside: packets of both are told apart. A UE's are not.
static void keys_make(struct flow_counter *counter, unsigned int n) {
	const struct shard *by = counter->by;

	for (unsigned int i = 0; i < n; i++) {
		counter->keys[i] = by->keys[i] << 32 | by->seconds[i] | UINT64_C(1) << 63;
		if (counter->is_flow)
			counter->keys[i] ^= (uint64_t)by->types[i] << 16;
	}
}

// The end points of the tunnel, if the packet has an IP header around the innermost one.
static void outer_tell(const struct ddp_verdict *verdict, const struct capture_packet *packet,
		       struct flow_detail *detail) {
	const uint8_t *ip = packet->data + verdict->l3_off;
	bool is_v6;

	if (verdict->inner_l3_off == UINT16_MAX || verdict->inner_l3_off > packet->len)
		return;
	is_v6 = ip[0] >> 4 == 6;
	detail->outer_len = is_v6 ? 32 : 8;
	memcpy(detail->outer, ip + (is_v6 ? 8 : 12), detail->outer_len);
}

// What is not known yet of the flow of packet i, or NULL: the flow is new.
static struct flow *flow_tell(struct flow_counter *counter, unsigned int i,
			      const struct capture_packet *packet, struct flow *flow) {
	const struct shard *by = counter->by;
	const struct flow_parts *parts =
		flow_parts_find(&counter->known, by, i, packet, &counter->totals->layouts);
	const unsigned int len = by->input_lens[i];
	uint8_t input[FLOW_INPUT_SIZE], direction = 0;
	uint64_t pair = counter->keys[i];
	struct flow_detail *detail;

	ddp_rows_get(&by->burst.rows, i, input);
	memset(input + len, 0, sizeof(input) - len);
	if (counter->is_flow)
		pair = flow_pair_key(parts, input, len, &direction);
	if (flow == NULL)
		flow = flows_count_new(counter->flows, counter->keys[i], pair);
	if (flow == NULL || !flows_wants_detail(counter->flows, flow))
		return flow;
	flow->is_told = true;
	detail = flow_detail(counter->flows, flow);
	detail->type = parts->type;
	detail->layout = parts->layout;
	detail->input_len = len;
	detail->direction = direction;
	memcpy(detail->input, input, sizeof(input));
	outer_tell(ddp_burst_verdict(&by->burst, i), packet, detail);
	return flow;
}

static uint16_t queue_of(const struct steer *steer, uint16_t place) {
	return place < steer->config.reta_size ? steer->reta[place] :
						 place - steer->config.reta_size;
}

static void packet_count(struct flow_counter *counter, unsigned int i,
			 const struct shard_packets *packets, const uint16_t *const *places) {
	struct flow *flow = flows_count_known(counter->flows, counter->keys[i]);

	if (flow == NULL || flows_wants_detail(counter->flows, flow))
		flow = flow_tell(counter, i, packets->captured[i], flow);
	if (flow == NULL)
		return;
	flow->bytes += packets->captured[i]->wire_len;
	for (unsigned int p = 0; p < counter->flows->n_places; p++) {
		const uint16_t place = places[p][i];

		if (flow_is_elsewhere(flow, p, place))
			flow_put(counter->flows, flow, p, packets->numbers[i], place,
				 queue_of(counter->spreads[p].steer, place));
	}
}

void flow_counter_count(struct flow_counter *counter, const struct shard_packets *packets,
			const uint16_t *const *places) {
	keys_make(counter, packets->n);
	flows_prefetch_slots(counter->flows, counter->keys, packets->n);
	flows_prefetch_entries(counter->flows, counter->keys, packets->n);
	for (unsigned int i = 0; i < packets->n; i++)
		if (counter->by->keys[i] != 0)
			packet_count(counter, i, packets, places);
}

void flow_counter_init(struct flow_counter *counter, struct shard *by, bool is_flow,
		       struct spread_totals *totals, const struct spread *spreads) {
	memset(counter, 0, sizeof(*counter));
	counter->by = by;
	counter->is_flow = is_flow;
	counter->totals = totals;
	counter->flows = is_flow ? &totals->flows : &totals->ues;
	counter->spreads = spreads;
}
