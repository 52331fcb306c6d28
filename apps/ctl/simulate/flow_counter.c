/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_counter.h"

#include <string.h>

// The packets of a burst, and of whom they are counted.
struct counting {
	struct flow_counter *counter;
	struct flows *flows;
	struct flow_parts_known *known;
	struct shard *const *shards;
	const struct shard *by; // that has the keys
	bool is_paired;         // flows, of both directions
	const struct capture_packet *const *packets;
	const uint64_t *numbers;
	const uint64_t *keys;
};

// Two hashes with different keys: among many flows some share one. A flow in a tunnel is another
// one than the same outside: packets of both are told apart. A UE's are not.
static void keys_make(const struct shard *by, bool is_flow, unsigned int n,
		      uint64_t keys[DDP_BURST_MAX]) {
	for (unsigned int i = 0; i < n; i++) {
		keys[i] = by->keys[i] << 32 | by->seconds[i] | UINT64_C(1) << 63;
		if (is_flow)
			keys[i] ^= (uint64_t)by->types[i] << 16;
	}
}

void flow_counter_begin(struct flow_counter *counter, struct shard *const *shards, unsigned int n) {
	const struct spread_totals *wanted = counter->wanted;

	if (wanted->flow_spread >= 0) {
		keys_make(shards[wanted->flow_spread], true, n, counter->flow_keys);
		flows_prefetch_slots(&counter->flows, counter->flow_keys, n);
	}
	if (wanted->ue_spread >= 0) {
		keys_make(shards[wanted->ue_spread], false, n, counter->ue_keys);
		flows_prefetch_slots(&counter->ues, counter->ue_keys, n);
	}
}

// What is not known yet of the flow of packet i, or NULL: the flow is new.
static struct flow *flow_tell(struct counting *c, unsigned int i, struct flow *flow) {
	const struct flow_parts *parts =
		flow_parts_find(c->known, c->by, i, c->packets[i], c->counter->layouts);
	const unsigned int len = c->by->input_lens[i];
	uint8_t input[FLOW_INPUT_SIZE], direction = 0;
	uint64_t pair = c->keys[i];
	struct flow_detail *detail;

	ddp_rows_get(&c->by->burst.rows, i, input);
	memset(input + len, 0, sizeof(input) - len);
	if (c->is_paired)
		pair = flow_pair_key(parts, input, len, &direction);
	if (flow == NULL)
		flow = flows_count_new(c->flows, c->keys[i], pair);
	if (flow == NULL || !flows_wants_detail(c->flows, flow))
		return flow;
	detail = flow_detail(flow);
	detail->type = parts->type;
	detail->layout = parts->layout;
	detail->input_len = len;
	detail->direction = direction;
	memcpy(detail->input, input, sizeof(input));
	return flow;
}

static void packet_count(struct counting *c, unsigned int i) {
	struct flow *flow = flows_count_known(c->flows, c->keys[i]);
	struct flow_detail *detail;

	if (flow == NULL || flows_wants_detail(c->flows, flow))
		flow = flow_tell(c, i, flow);
	if (flow == NULL)
		return;
	detail = flow_detail(flow);
	detail->bytes += c->packets[i]->wire_len;
	for (unsigned int p = 0; p < c->flows->n_places; p++)
		if (c->shards[p]->queues[i] != SHARD_DROPPED) {
			flow_place_begin(&detail->places[p], c->numbers[i],
					 c->shards[p]->places[i]);
			flow_place_add(&detail->places[p], c->numbers[i], c->shards[p]->queues[i]);
		}
}

static void all_count(struct counting *c, unsigned int n) {
	flows_prefetch_entries(c->flows, c->keys, n);
	for (unsigned int i = 0; i < n; i++)
		if (c->by->keys[i] != 0)
			packet_count(c, i);
}

void flow_counter_count(struct flow_counter *counter, struct shard *const *shards,
			const struct capture_packet *const *packets, const uint64_t *numbers,
			unsigned int n) {
	struct counting c = {
		.counter = counter, .shards = shards, .packets = packets, .numbers = numbers};

	if (counter->wanted->flow_spread >= 0) {
		c.by = shards[counter->wanted->flow_spread];
		c.flows = &counter->flows;
		c.known = &counter->flow_parts;
		c.keys = counter->flow_keys;
		c.is_paired = true;
		all_count(&c, n);
	}
	if (counter->wanted->ue_spread >= 0) {
		c.by = shards[counter->wanted->ue_spread];
		c.flows = &counter->ues;
		c.known = &counter->ue_parts;
		c.keys = counter->ue_keys;
		c.is_paired = false;
		all_count(&c, n);
	}
}

void flow_counter_init(struct flow_counter *counter, const struct spread_totals *wanted,
		       struct layouts *layouts, size_t flows_size, size_t ues_size) {
	memset(counter, 0, sizeof(*counter));
	counter->wanted = wanted;
	counter->layouts = layouts;
	flows_init(&counter->flows, true, wanted->n_places);
	flows_init(&counter->ues, true, wanted->n_places);
	flows_limit(&counter->flows, flows_size);
	flows_limit(&counter->ues, ues_size);
}

void flow_counter_fini(struct flow_counter *counter) {
	flows_fini(&counter->flows);
	flows_fini(&counter->ues);
}
