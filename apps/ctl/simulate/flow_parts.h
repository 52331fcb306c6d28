/* SPDX-License-Identifier: BSD-3-Clause */
// What the bytes of a packet's input to hash are: the fields they come from, and where each of them
// is in the input of a packet of the other direction. The interpreter tells; all packets of an
// entry of the path cache are alike, so it is asked once for each of these.
#ifndef DDPCTL_SIMULATE_FLOW_PARTS_H
#define DDPCTL_SIMULATE_FLOW_PARTS_H

#include "shard.h"

#define FLOW_PARTS_KNOWN 256

struct flow_parts {
	uint16_t type;
	uint8_t layout;
	uint8_t opposite[FLOW_INPUT_SIZE];
};

// Of one thread and one spread. To begin with it is all zero.
struct flow_parts_known {
	uint64_t learned; // of the cache, as long as
	uint32_t entries; // what follows is right
	const struct ddp_verdict *verdicts[FLOW_PARTS_KNOWN];
	struct flow_parts parts[FLOW_PARTS_KNOWN];
	struct flow_parts one;
};

// Of packet i of the burst that the shard, whose spread has a second key, has just seen; it has a
// hash. The result is valid until the next call.
const struct flow_parts *flow_parts_find(struct flow_parts_known *known, const struct shard *shard,
					 unsigned int i, const struct capture_packet *packet,
					 struct layouts *layouts);

// Of a flow and the other direction of it, which are told apart by direction, 0 and 1; if there is
// no other it is 0. Bytes behind the input are 0.
uint64_t flow_pair_key(const struct flow_parts *parts, const uint8_t input[FLOW_INPUT_SIZE],
		       unsigned int len, uint8_t *direction);

#endif
