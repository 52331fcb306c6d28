/* SPDX-License-Identifier: BSD-3-Clause */
#include "shard.h"

#include <rte_mbuf_core.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_WORDS (DDP_HASH_HEAD / 4)
#define DROPPED UINT16_MAX // the queue of a packet that a rule drops

void shard_destroy(struct shard *shard) {
	free(shard->cache);
	free(shard->type_queues);
	free(shard->unhashed);
	free(shard->entries);
	free(shard);
}

void *shard_alloc(size_t size) {
	size_t aligned = (size + DDP_CACHE_ALIGN - 1) / DDP_CACHE_ALIGN * DDP_CACHE_ALIGN;
	void *memory = aligned_alloc(DDP_CACHE_ALIGN, aligned);

	if (memory == NULL)
		no_memory_exit();
	return memory;
}

struct shard *shard_create(struct spread *spread) {
	const struct steer_config *config = &spread->steer->config;
	struct shard *shard = shard_alloc(sizeof(*shard));

	memset(shard, 0, sizeof(*shard));
	shard->spread = spread;
	shard->cache = shard_alloc(ddp_cache_size());
	shard->type_queues =
		calloc_or_exit((size_t)spread->n_ids * config->n_queues, sizeof(uint64_t));
	shard->unhashed = calloc_or_exit(spread->n_ids, sizeof(uint64_t));
	shard->entries = calloc_or_exit(config->reta_size, sizeof(uint64_t));
	shard->isa = ddp_isa_best(512);
	ddp_cache_init(shard->cache, shard->isa);
	return shard;
}

// What became of a packet.
struct fate {
	uint16_t id; // packet type
	bool hashed;
	uint32_t hash;
	uint32_t rule_hash;                // by the rule's key, if it has one
	const struct ddp_flow_entry *rule; // that steers it, NULL for none
};

// A rule puts it on a queue, where all of the rule's packets stay together unless their hash parts
// them.
static bool rule_apply(const struct fate *fate, uint16_t *queue, uint64_t *group) {
	const uint16_t *queues;
	unsigned int n_queues;
	enum rule_fate action = rule_fate(fate->rule, &queues, &n_queues);
	int to;

	if (action == RULE_PASS)
		return false;
	if (action != RULE_RSS || !fate->hashed)
		*group = shard_key(0) | UINT64_C(1) << 32 | fate->rule->number;
	else if (rule_key(fate->rule) != NULL)
		*group = shard_key(fate->rule_hash);
	to = rule_queue(fate->rule, fate->hashed, fate->rule_hash, *queue);
	*queue = to == RULE_DROPPED ? DROPPED : to;
	return true;
}

static void groups_count(struct shard *shard, struct shard_groups *groups) {
	for (unsigned int i = 0; i < groups->n; i++)
		flows_count(&shard->spread->groups, groups->keys[i]);
	groups->n = 0;
}

static inline void group_add(struct shard *shard, uint64_t group) {
	struct shard_groups *groups = &shard->groups[shard->now];

	groups->keys[groups->n++] = group;
}

// The burst has been looked at: its groups are fetched, those of the one before are counted.
static void groups_go_on(struct shard *shard) {
	const struct shard_groups *last = &shard->groups[shard->now];
	const struct flows *flows = &shard->spread->groups;

	flows_prefetch_slots(flows, last->keys, last->n);
	shard->now ^= 1;
	groups_count(shard, &shard->groups[shard->now]);
	flows_prefetch_entries(flows, last->keys, last->n);
}

void shard_batch_end(struct shard *shard) {
	groups_count(shard, &shard->groups[shard->now ^ 1]);
}

// Packet i of the burst.
static inline void packet_count(struct shard *shard, unsigned int i, const struct fate *fate,
				const struct capture_packet *packet) {
	const struct steer *steer = shard->spread->steer;
	struct windows *windows = &shard->spread->windows;
	uint32_t entry = fate->hash & (steer->config.reta_size - 1);
	uint16_t queue = fate->hashed ? steer->reta[entry] : 0;
	uint64_t group = fate->hashed ? shard_key(fate->hash) : 0;
	bool ruled = fate->rule != NULL && rule_apply(fate, &queue, &group);

	shard->types[i] = fate->id;
	shard->keys[i] = fate->hashed ? shard_key(fate->hash) : 0;
	shard->places[i] = queue == DROPPED       ? STEER_PLACE_NONE :
			   fate->hashed && !ruled ? entry :
						    steer->config.reta_size + queue;
	if (queue == DROPPED) {
		shard->dropped++;
		if (windows->length_ns != 0 && windows_pass(windows, packet->time_ns) < 0)
			shard->failed = true;
		return;
	}
	if (ruled)
		shard->ruled[queue]++;
	else if (fate->hashed)
		shard->entries[entry]++;
	else
		shard->unhashed[fate->id]++;
	if (group != 0 && shard->spread->second == NULL)
		group_add(shard, group);
	shard->type_queues[(size_t)fate->id * steer->config.n_queues + queue]++;
	shard->queue_bytes[queue] += packet->wire_len;
	if (windows->length_ns != 0 && windows_count(windows, packet->time_ns, queue) < 0)
		shard->failed = true;
}

// The interpreter's way.
static void packet_interpret(struct shard *shard, unsigned int i,
			     const struct capture_packet *packet) {
	const struct spread *spread = shard->spread;
	struct ddp_answer answer;
	struct fate fate;
	struct cut cut;

	cut_begin(&cut, packet);
	fate.rule = cut_answer(&cut, spread->program, spread->steer,
			       spread->has_rules ? &spread->policy : NULL, &answer);
	cut_count_add(&shard->cut, &cut);
	fate.id = answer.class.type_id;
	fate.hashed = answer.input_len > 0;
	fate.hash = answer.port_hash;
	fate.rule_hash = answer.hash;
	packet_count(shard, i, &fate, packet);
	if (spread->second != NULL && fate.hashed) {
		ddp_rows_put(&shard->burst.rows, i, answer.input);
		shard->seconds[i] =
			ddp_hash_compute(spread->second, answer.input, answer.input_len);
		shard->input_lens[i] = answer.input_len;
	}
}

// The same inputs by another key. Those of a length are hashed together.
static void seconds_hash(struct shard *shard, unsigned int n) {
	const struct ddp_hash *hash = shard->spread->second;
	const struct ddp_burst *burst = &shard->burst;
	const enum ddp_isa isa = shard->isa;
	uint8_t index[DDP_BURST_MAX];

	for (unsigned int i = 0; i < n; i++)
		shard->input_lens[i] = ddp_burst_verdict(burst, i)->input_len;
	ddp_hash_rows(hash, isa, HEAD_WORDS, &burst->rows, 0, n, shard->seconds);
	for (unsigned int words = HEAD_WORDS + 1; words <= DDP_HASH_INPUT_MAX / 4; words++) {
		unsigned int n_rows = 0;

		for (unsigned int i = 0; i < n; i++)
			if ((shard->input_lens[i] + 3u) / 4 == words)
				index[n_rows++] = i;
		ddp_rows_index_end(index, n_rows);
		ddp_hash_rows_rest(hash, isa, HEAD_WORDS, words, &burst->rows, index, n_rows,
				   shard->seconds);
	}
}

void shard_classify(struct shard *shard, const struct shard_packets *packets) {
	ddp_cache_run(shard->cache, &shard->spread->policy, &shard->spread->steer->hash,
		      packets->mbufs, packets->n, &shard->burst);
	if (shard->spread->second != NULL)
		seconds_hash(shard, packets->n);
}

void shard_count(struct shard *shard, const struct shard_packets *packets) {
	const bool rules = shard->spread->policy.flows != NULL;
	struct ddp_burst *burst = &shard->burst;

	for (unsigned int i = 0; i < packets->n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(burst, i);
		struct fate fate = {
			.id = verdict->type_id,
			.hashed = verdict->input_len > 0,
			.hash = burst->hashes[i],
			.rule_hash = burst->hashes[i],
			.rule = rules ? burst->steer[i] : NULL,
		};
		const struct ddp_hash *key = rule_key(fate.rule);

		// A path that the cache knows is the same in every longer packet. What is hashed of
		// one that it does not know is not kept.
		if (verdict->own &&
		    (is_cut(packets->captured[i]) || shard->spread->second != NULL)) {
			packet_interpret(shard, i, packets->captured[i]);
			continue;
		}
		if (key != NULL && fate.hashed)
			fate.rule_hash = ddp_burst_hash(burst, i, key);
		packet_count(shard, i, &fate, packets->captured[i]);
	}
	groups_go_on(shard);
}

void shard_long(struct shard *shard, const struct capture_packet *packet) {
	packet_interpret(shard, 0, packet);
	groups_go_on(shard);
}

static void type_sum_up(const struct shard *shard, uint16_t id, struct spread_type *type) {
	struct spread *spread = shard->spread;
	unsigned int n_queues = spread->steer->config.n_queues;

	for (unsigned int q = 0; q < n_queues; q++) {
		uint64_t packets = shard->type_queues[(size_t)id * n_queues + q];

		type->packets += packets;
		type->queue_packets[q] += packets;
		spread->packets += packets;
		spread->queue_packets[q] += packets;
	}
	type->unhashed += shard->unhashed[id];
	spread->unhashed += shard->unhashed[id];
}

void shard_sum_up(struct shard *shard) {
	struct spread *spread = shard->spread;
	const struct steer_config *config = &spread->steer->config;

	for (unsigned int i = 0; i < spread->n_types - 1; i++)
		type_sum_up(shard, ddp_program_type(spread->program, i)->id, &spread->types[i]);
	type_sum_up(shard, 0, &spread->types[spread->n_types - 1]);
	for (unsigned int q = 0; q < config->n_queues; q++) {
		spread->queue_bytes[q] += shard->queue_bytes[q];
		spread->ruled[q] += shard->ruled[q];
	}
	spread->dropped += shard->dropped;
	cut_count_merge(&spread->cut, &shard->cut);
	for (unsigned int i = 0; i < config->reta_size; i++)
		spread->entry_packets[i] += shard->entries[i];
	if (shard->failed)
		no_memory_exit();
}
