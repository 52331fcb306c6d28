/* SPDX-License-Identifier: BSD-3-Clause */
// Expected results of a packet: packet type, fields, hash and rule, by the naive reference.
// Packages, which no profile describes, use the model of the NIC's parser: the front ends must
// agree on it.
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include <assert.h>

#include "naive.h"
#include "subject.h"

// Results that a path cache finds, too. Without padding: two are compared as memory.
struct found {
	uint32_t packet_type, value, hash; // hash, function: 0 where input_len is 0
	int32_t steer;                     // number of the rule, -1: none
	uint32_t encapsulated;
	uint16_t type_id, l3_off, inner_l3_off;
	uint8_t input_len, function;
};

static_assert(sizeof(struct found) == 28, "there is padding");

struct verdict {
	struct naive naive; // profile is NULL for a package
	struct found found;
	uint8_t function; // also where nothing is hashed
	uint8_t input[DDP_HASH_INPUT_MAX];
};

void verdict_find(struct verdict *verdict, const struct way *way, const struct ddp_hash *hash,
		  const uint8_t *bytes, uint32_t len);

// The difference of the answer front end for a packet; NULL: none.
const char *answer_difference(struct verdict *verdict, const struct way *way,
			      const struct ddp_hash *hash, const struct ddp_packet *packet);

// The difference between a profile's program and the naive reference of its profile; NULL: none.
const char *class_difference(const struct ddp_program *program, const struct ddp_packet *packet,
			     struct naive *naive, uint64_t rss_hf);

#endif
