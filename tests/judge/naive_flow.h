/* SPDX-License-Identifier: BSD-3-Clause */
// A slow, obvious second reading of flow rules: one rule after the other, straight from struct
// ddp_flow, over the headers that naive_classify() found. What ddp_flow_match() and
// ddp_flow_gather() must agree with.
#ifndef CLASSIFY_NAIVE_FLOW_H
#define CLASSIFY_NAIVE_FLOW_H

#include "classify/flow/flow.h"
#include "naive.h"

struct naive_hit {
	int32_t rules[DDP_FLOW_STAGES]; // -1: none
};

// Of the rules that match the last one. A rule that is NULL matches nothing.
void naive_flow_match(const struct naive *n, const struct ddp_flow *const *rules,
		      unsigned int n_rules, struct naive_hit *hit);

// As ddp_flow_gather().
unsigned int naive_flow_input(const struct naive *n, const struct ddp_flow *rule,
			      enum ddp_hash_function function, uint8_t input[DDP_MAX_INPUT_SIZE]);

#endif
