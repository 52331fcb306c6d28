/* SPDX-License-Identifier: BSD-3-Clause */
// How one candidate counts packets. All of its packets are counted by one thread, in the order of
// the capture.
#ifndef DDPCTL_SIMULATE_SHARD_H
#define DDPCTL_SIMULATE_SHARD_H

#include "spread.h"

// Keys of spread->groups that are still to be counted.
struct shard_groups {
	unsigned int n;
	uint64_t keys[DDP_BURST_MAX];
};

struct shard {
	struct spread *spread;
	struct ddp_cache *cache;
	enum ddp_isa isa;
	bool failed;           // no memory: counts are incomplete
	uint64_t *type_queues; // packets, by packet type's id and queue
	uint64_t *unhashed;    // packets, by packet type's id
	uint64_t dropped;
	struct cut_count cut;
	uint64_t ruled[STEER_QUEUES_MAX]; // packets that rules put on a queue
	uint64_t *entries;                // packets, by entry of the redirection table
	uint64_t queue_bytes[STEER_QUEUES_MAX];
	struct ddp_burst burst;
	// Of the last burst, and of the one that is being counted: groups[now].
	struct shard_groups groups[2];
	unsigned int now;

	// of the last burst
	uint16_t types[DDP_BURST_MAX];
	uint16_t places[DDP_BURST_MAX]; // see steer.h
	uint64_t keys[DDP_BURST_MAX];   // that stand for what was hashed; 0: nothing was
	// with spread->second: the hash by that key, and what was hashed is in burst.rows
	uint32_t seconds[DDP_BURST_MAX];
	uint8_t input_lens[DDP_BURST_MAX];
};

struct shard_packets {
	unsigned int n;
	struct rte_mbuf *mbufs[DDP_BURST_MAX];
	uint64_t numbers[DDP_BURST_MAX]; // in the capture, from 1
	const struct capture_packet *captured[DDP_BURST_MAX];
};

// Memory aligned as the path cache is. Here and below, without memory the process ends.
void *shard_alloc(size_t size);

// The key of packets of a hash; never 0.
static inline uint64_t shard_key(uint32_t hash) {
	return hash | UINT64_C(1) << 63;
}

struct shard *shard_create(struct spread *spread);
void shard_destroy(struct shard *shard);

// A burst: first classify, then count.
void shard_classify(struct shard *shard, const struct shard_packets *packets);
void shard_count(struct shard *shard, const struct shard_packets *packets);
// A packet longer than an mbuf's segment can be, alone.
void shard_long(struct shard *shard, const struct capture_packet *packet);
// Groups are counted a burst late, so that memory has time to bring them. Count the rest, before
// the packets' memory is used for others.
void shard_batch_end(struct shard *shard);

// All packets are counted: make the spread's sums of them.
void shard_sum_up(struct shard *shard);

#endif
