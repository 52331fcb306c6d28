/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_counter.h"

#include <string.h>

/* A new flow: what is known of it */

struct telling {
	unsigned int n_fields;
	const char *names[LAYOUT_FIELDS];
	uint8_t widths[LAYOUT_FIELDS], starts[LAYOUT_FIELDS];
	unsigned int len, end; // bytes told, of those that are hashed
};

static void field_tell(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct telling *telling = arg;
	unsigned int n = telling->n_fields;

	(void)value;
	if (telling->len >= telling->end || n == LAYOUT_FIELDS)
		return; // extracted fields come behind
	telling->names[n] = name;
	telling->widths[n] = width;
	telling->starts[n] = telling->len;
	telling->len += (width + 7) / 8;
	telling->n_fields++;
}

static int layout_find(struct layouts *layouts, const struct telling *telling, uint16_t type) {
	size_t names_size = telling->n_fields * sizeof(telling->names[0]);
	struct layout *layout;
	unsigned int i;

	pthread_mutex_lock(&layouts->lock);
	for (i = 0; i < layouts->n; i++) {
		layout = &layouts->list[i];
		if (layout->type == type && layout->n_fields == telling->n_fields &&
		    memcmp(layout->names, telling->names, names_size) == 0)
			break;
	}
	if (i == layouts->n && i < LAYOUTS_MAX) {
		layout = &layouts->list[layouts->n++];
		layout->type = type;
		layout->n_fields = telling->n_fields;
		memcpy(layout->names, telling->names, names_size);
		memcpy(layout->widths, telling->widths, telling->n_fields);
	}
	pthread_mutex_unlock(&layouts->lock);
	return i < LAYOUTS_MAX ? (int)i : LAYOUTS_MAX - 1;
}

// "ipv4.src" and "ipv4.dst", "udp.sport" and "udp.dport": what is behind the last '.' begins
// otherwise.
static bool is_counterpart(const char *a, const char *b) {
	static const char *const pairs[][2] = {{"src", "dst"}, {"sport", "dport"}};
	const char *end_a = strrchr(a, '.'), *end_b = strrchr(b, '.');

	if (end_a == NULL || end_b == NULL || end_a - a != end_b - b ||
	    memcmp(a, b, end_a - a) != 0)
		return false;
	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int way = 0; way < 2; way++) {
			size_t len_a = strlen(pairs[i][way]), len_b = strlen(pairs[i][!way]);

			if (strncmp(end_a + 1, pairs[i][way], len_a) == 0 &&
			    strncmp(end_b + 1, pairs[i][!way], len_b) == 0 &&
			    strcmp(end_a + 1 + len_a, end_b + 1 + len_b) == 0)
				return true;
		}
	return false;
}

// Two hashes with different keys: among many flows some share one.
static uint64_t key_of(uint32_t first, uint32_t second) {
	return (uint64_t)first << 32 | second | UINT64_C(1) << 63;
}

static uint64_t reverse_key(const struct spread *pair, const struct telling *telling,
			    const uint8_t *input, unsigned int len) {
	uint8_t reverse[FLOW_INPUT_SIZE];

	memcpy(reverse, input, len);
	for (unsigned int a = 0; a < telling->n_fields; a++)
		for (unsigned int b = 0; b < telling->n_fields; b++)
			if (telling->widths[a] == telling->widths[b] &&
			    is_counterpart(telling->names[a], telling->names[b]))
				memcpy(reverse + telling->starts[a], input + telling->starts[b],
				       (telling->widths[a] + 7) / 8);
	return key_of(ddp_hash_compute(&pair[0].steer->hash, reverse, len),
		      ddp_hash_compute(&pair[1].steer->hash, reverse, len));
}

static void flow_describe(const struct flow_counter *counter, const struct spread *spread,
			  const struct capture_packet *packet, struct flow_detail *detail) {
	struct telling telling = {0};
	struct steered steered;
	struct ddp_class class;
	struct cut cut;

	cut_begin(&cut, packet);
	cut_steer(&cut, spread->program, spread->steer, NULL, &class, &steered);
	if (steered.input_len == 0 || steered.input_len > FLOW_INPUT_SIZE)
		return; // it has a hash: this does not happen
	telling.end = steered.input_len;
	ddp_fields_each(spread->program, &cut.packet, &class, spread->policy.rss_hf, field_tell,
			&telling);
	detail->type = class.type;
	detail->layout = layout_find(counter->layouts, &telling, class.type);
	detail->input_len = steered.input_len;
	memcpy(detail->input, steered.input, steered.input_len);
	detail->ends = key_of(steered.hash, ddp_hash_compute(&spread[1].steer->hash, steered.input,
							     steered.input_len));
	detail->reverse = reverse_key(spread, &telling, steered.input, steered.input_len);
}

/* Counting */

// A flow in a tunnel is another one than the same outside: packets of both are told apart. A UE's
// are not.
static inline uint64_t packet_key(const struct spread_totals *wanted, struct shard *const *shards,
				  int by, unsigned int i) {
	uint64_t key = key_of(shards[by]->keys[i], shards[by + 1]->keys[i]);

	return by == wanted->flow_spread ? key ^ (uint64_t)shards[by]->types[i] << 16 : key;
}

static void count(struct flow_counter *counter, struct flows *flows, int by,
		  struct shard *const *shards, unsigned int i, const struct capture_packet *packet,
		  uint64_t number) {
	struct flow_detail *detail;
	struct flow *flow;

	if (shards[by]->keys[i] == 0)
		return;
	flow = flows_count(flows, packet_key(counter->wanted, shards, by, i));
	if (flow == NULL)
		return;
	detail = flow_detail(flow);
	if (flow->packets == 1)
		flow_describe(counter, shards[by]->spread, packet, detail);
	detail->bytes += packet->wire_len;
	for (unsigned int p = 0; p < flows->n_places; p++)
		if (shards[p]->queues[i] != SHARD_DROPPED) {
			flow_place_begin(&detail->places[p], number, shards[p]->places[i]);
			flow_place_add(&detail->places[p], number, shards[p]->queues[i]);
		}
}

static void all_count(struct flow_counter *counter, struct flows *flows, int by,
		      struct shard *const *shards, const struct capture_packet *const *packets,
		      const uint64_t *numbers, unsigned int n) {
	if (by < 0)
		return;
	for (unsigned int i = 0; i < n; i++)
		flows_prefetch(flows, packet_key(counter->wanted, shards, by, i));
	for (unsigned int i = 0; i < n; i++)
		count(counter, flows, by, shards, i, packets[i], numbers[i]);
}

void flow_counter_count(struct flow_counter *counter, struct shard *const *shards,
			const struct capture_packet *const *packets, const uint64_t *numbers,
			unsigned int n) {
	all_count(counter, &counter->flows, counter->wanted->flow_spread, shards, packets, numbers,
		  n);
	all_count(counter, &counter->ues, counter->wanted->ue_spread, shards, packets, numbers, n);
}

void flow_counter_init(struct flow_counter *counter, const struct spread_totals *wanted,
		       struct layouts *layouts) {
	memset(counter, 0, sizeof(*counter));
	counter->wanted = wanted;
	counter->layouts = layouts;
	flows_init(&counter->flows, true, wanted->n_places);
	flows_init(&counter->ues, true, wanted->n_places);
}

void flow_counter_fini(struct flow_counter *counter) {
	flows_fini(&counter->flows);
	flows_fini(&counter->ues);
}
