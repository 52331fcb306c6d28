/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane.h"

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

// Packet i of the burst.
static inline void packet_count(struct lane *lane, unsigned int i, uint16_t id, bool hashed,
				uint32_t hash, uint32_t len, uint64_t time_ns) {
	const struct steer *steer = lane->spread->steer;
	uint32_t entry = hash & (steer->config.reta_size - 1);
	uint16_t queue = 0;

	lane->types[i] = id;
	lane->keys[i] = 0;
	if (hashed) {
		queue = steer->reta[entry];
		lane->keys[i] = lane_key(hash);
		lane->entries[entry]++;
		flows_count(&lane->groups, lane->keys[i]);
	} else {
		lane->unhashed[id]++;
	}
	lane->queues[i] = queue;
	lane->type_queues[(size_t)id * steer->config.n_queues + queue]++;
	lane->queue_bytes[queue] += len;
	if (lane->windows.length_ns != 0 && windows_count(&lane->windows, time_ns, queue) < 0)
		lane->failed = true;
}

void lane_burst(struct lane *lane, const struct lane_packets *packets) {
	struct ddp_burst *burst = &lane->burst;

	ddp_cache_run(lane->cache, &lane->spread->policy, &lane->spread->steer->hash,
		      packets->mbufs, packets->n, burst);
	for (unsigned int i = 0; i < packets->n; i++)
		flows_prefetch(&lane->groups, lane_key(burst->hashes[i]));
	for (unsigned int i = 0; i < packets->n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(burst, i);

		packet_count(lane, i, verdict->type_id, verdict->input_len > 0, burst->hashes[i],
			     packets->mbufs[i]->pkt_len, packets->times[i]);
	}
}

void lane_long(struct lane *lane, const struct capture_packet *packet) {
	const struct spread *spread = lane->spread;
	const struct ddp_packet bytes = {packet->data, packet->len, packet->len, NULL, NULL};
	struct steered steered;
	struct ddp_class class;

	ddp_classify(spread->program, &bytes, &class);
	steer_packet(spread->steer, spread->program, &bytes, &class, &steered);
	packet_count(lane, 0, class.type_id, steered.input_len > 0, steered.hash, packet->len,
		     packet->time_ns);
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
	for (unsigned int q = 0; q < config->n_queues; q++)
		spread->queue_bytes[q] += lane->queue_bytes[q];
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
