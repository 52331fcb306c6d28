/* SPDX-License-Identifier: BSD-3-Clause */
#include "shard.h"

#include <errno.h>
#include <rte_mbuf_core.h>
#include <stdlib.h>
#include <string.h>

void lane_destroy(struct lane *lane) {
	if (lane == NULL)
		return;
	windows_fini(&lane->windows);
	flows_fini(&lane->groups);
	free(lane->cache);
	free(lane->type_queues);
	free(lane->unhashed);
	free(lane->entries);
	free(lane);
}

struct lane *lane_create(struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	struct lane *lane = aligned_alloc(DDP_CACHE_ALIGN, lane_aligned(sizeof(*lane)));

	if (lane == NULL)
		return NULL;
	memset(lane, 0, sizeof(*lane));
	lane->spread = spread;
	lane->cache = aligned_alloc(DDP_CACHE_ALIGN, lane_aligned(ddp_cache_size()));
	lane->type_queues = calloc((size_t)spread->n_ids * config->n_queues, sizeof(uint64_t));
	lane->unhashed = calloc(spread->n_ids, sizeof(uint64_t));
	lane->entries = calloc(config->reta_size, sizeof(uint64_t));
	if (flows_init(&lane->groups, false, 0) < 0 || lane->cache == NULL ||
	    lane->type_queues == NULL || lane->unhashed == NULL || lane->entries == NULL) {
		lane_destroy(lane);
		return NULL;
	}
	ddp_cache_init(lane->cache, ddp_isa_best(512));
	return lane;
}

// What became of a packet.
struct fate {
	uint16_t id; // packet type
	bool hashed;
	uint32_t hash;
	int32_t rule; // that steers it, -1 for none
};

// A rule puts it on a queue, where all of the rule's packets stay together unless their hash parts them.
static bool rule_apply(struct lane *lane, const struct fate *fate, uint16_t *queue, uint64_t *group) {
	const struct rule_set *rules = &lane->spread->rules;
	const uint16_t *queues;
	unsigned int n_queues;
	enum rule_fate action = rule_set_fate(rules, fate->rule, &queues, &n_queues);
	int to;

	if (action == RULE_PASS)
		return false;
	if (action != RULE_RSS || !fate->hashed)
		*group = lane_key(0) | UINT64_C(1) << 32 | fate->rule;
	to = rule_set_queue(rules, fate->rule, fate->hashed, fate->hash, *queue);
	*queue = to == RULE_DROPPED ? LANE_DROPPED : to;
	return true;
}

// Packet i of the burst.
static inline void packet_count(struct lane *lane, unsigned int i, const struct fate *fate,
				uint32_t len, uint64_t time_ns) {
	const struct steer *steer = lane->spread->steer;
	uint32_t entry = fate->hash & (steer->config.reta_size - 1);
	uint16_t queue = fate->hashed ? steer->reta[entry] : 0;
	uint64_t group = fate->hashed ? lane_key(fate->hash) : 0;
	bool ruled = fate->rule >= 0 && rule_apply(lane, fate, &queue, &group);

	lane->types[i] = fate->id;
	lane->keys[i] = fate->hashed ? lane_key(fate->hash) : 0;
	lane->queues[i] = queue;
	if (queue == LANE_DROPPED) {
		lane->dropped++;
		if (lane->windows.length_ns != 0 && windows_pass(&lane->windows, time_ns) < 0)
			lane->failed = true;
		return;
	}
	if (ruled)
		lane->ruled[queue]++;
	else if (fate->hashed)
		lane->entries[entry]++;
	else
		lane->unhashed[fate->id]++;
	if (group != 0)
		flows_count(&lane->groups, group);
	lane->type_queues[(size_t)fate->id * steer->config.n_queues + queue]++;
	lane->queue_bytes[queue] += len;
	if (lane->windows.length_ns != 0 && windows_count(&lane->windows, time_ns, queue) < 0)
		lane->failed = true;
}

void lane_burst(struct lane *lane, const struct lane_packets *packets) {
	struct ddp_burst *burst = &lane->burst;
	const bool rules = lane->spread->policy.flows != NULL;

	ddp_cache_run(lane->cache, &lane->spread->policy, &lane->spread->steer->hash,
		      packets->mbufs, packets->n, burst);
	for (unsigned int i = 0; i < packets->n; i++)
		flows_prefetch(&lane->groups, lane_key(burst->hashes[i]));
	for (unsigned int i = 0; i < packets->n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(burst, i);
		const struct fate fate = {
			.id = verdict->type_id,
			.hashed = verdict->input_len > 0,
			.hash = burst->hashes[i],
			.rule = rules ? burst->steer[i] : -1,
		};

		packet_count(lane, i, &fate, packets->mbufs[i]->pkt_len, packets->times[i]);
	}
}

void lane_long(struct lane *lane, const struct capture_packet *packet) {
	const struct spread *spread = lane->spread;
	const struct ddp_packet bytes = {packet->data, packet->len, packet->len, NULL, NULL};
	struct steered steered;
	struct ddp_class class;
	struct fate fate = {.rule = -1};

	ddp_classify(spread->program, &bytes, &class);
	if (spread->has_rules)
		fate.rule = rule_set_steer(&spread->rules, &spread->policy, spread->steer, &bytes,
					   &class, &steered);
	else
		steer_packet(spread->steer, spread->program, &bytes, &class, &steered);
	fate.id = class.type_id;
	fate.hashed = steered.input_len > 0;
	fate.hash = steered.hash;
	packet_count(lane, 0, &fate, packet->len, packet->time_ns);
}

static void type_sum_up(const struct lane *lane, uint16_t id, struct spread_type *type) {
	struct spread *spread = lane->spread;
	unsigned int n_queues = spread->steer->config.n_queues;

	for (unsigned int q = 0; q < n_queues; q++) {
		uint64_t packets = lane->type_queues[(size_t)id * n_queues + q];

		type->packets += packets;
		type->queue_packets[q] += packets;
		spread->packets += packets;
		spread->queue_packets[q] += packets;
	}
	type->unhashed += lane->unhashed[id];
	spread->unhashed += lane->unhashed[id];
}

int lane_sum_up(struct lane *lane) {
	struct spread *spread = lane->spread;
	const struct steer_config *config = &spread->steer->config;

	for (unsigned int i = 0; i < spread->n_types - 1; i++)
		type_sum_up(lane, ddp_program_type(spread->program, i)->id, &spread->types[i]);
	type_sum_up(lane, 0, &spread->types[spread->n_types - 1]);
	for (unsigned int q = 0; q < config->n_queues; q++) {
		spread->queue_bytes[q] += lane->queue_bytes[q];
		spread->ruled[q] += lane->ruled[q];
	}
	spread->dropped += lane->dropped;
	for (unsigned int i = 0; i < config->reta_size; i++)
		spread->entry_packets[i] += lane->entries[i];
	if (lane->failed || flows_merge(&spread->groups, &lane->groups) < 0)
		return -ENOMEM;
	if (lane->windows.length_ns == 0)
		return 0;
	if (spread->windows.length_ns == 0) { // the first lane's
		spread->windows = lane->windows;
		lane->windows = (struct windows){0};
		return 0;
	}
	return windows_merge(&spread->windows, &lane->windows);
}
