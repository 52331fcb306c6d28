/* SPDX-License-Identifier: BSD-3-Clause */
// What a packet must get: packet type, fields, hash and rule, by the naive reference. Of a package,
// which no profile describes, by the model of the NIC's parser: the front ends must agree on it.
#ifndef JUDGE_VERDICT_H
#define JUDGE_VERDICT_H

#include "naive.h"
#include "subject.h"

struct verdict {
	struct naive naive; // profile is NULL for a package
	uint32_t packet_type;
	uint16_t type_id, l3_off, inner_l3_off;
	uint8_t input_len, function;
	bool encapsulated;
	uint8_t input[DDP_HASH_INPUT_MAX];
	uint32_t hash; // where input_len is not 0
	uint32_t value;
	int32_t steer; // number of the rule, -1: none
};

void verdict_find(struct verdict *verdict, const struct way *way, const struct ddp_hash *hash,
		  const uint8_t *bytes, uint32_t len);

// What the answer front end says otherwise of a packet; NULL: nothing.
const char *answer_difference(struct verdict *verdict, const struct way *way,
			      const struct ddp_hash *hash, const struct ddp_packet *packet);

// What a profile's program says otherwise of a packet than the naive reference of its profile;
// NULL: nothing.
const char *class_difference(const struct ddp_program *program, const struct ddp_packet *packet,
			     struct naive *naive, uint64_t rss_hf);

#endif
