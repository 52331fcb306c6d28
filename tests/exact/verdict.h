/* SPDX-License-Identifier: BSD-3-Clause */
// What the interpreter, the matcher of flow rules and the hash say of a packet one after the other,
// as written for people to understand: what the cache must say, too.
#ifndef EXACT_VERDICT_H
#define EXACT_VERDICT_H

#include "classify/cache/cache.h"

struct verdict {
	uint32_t packet_type;
	uint16_t type_id, l3_off, inner_l3_off;
	uint8_t input_len, function;
	bool encapsulated;
	uint32_t hash; // where input_len is not 0
	uint32_t value;
	const struct ddp_flow_entry *steer; // NULL without rules
};

void verdict_find(struct verdict *verdict, const struct ddp_policy *policy,
		  const struct ddp_hash *hash, const uint8_t *bytes, uint32_t len);

// What is different about packet i of a burst, NULL for nothing.
const char *verdict_difference(const struct verdict *verdict, const struct ddp_policy *policy,
			       const struct ddp_burst *burst, const uint8_t *bytes, unsigned int i);

// Print both.
void verdict_print(const struct verdict *verdict, const struct ddp_policy *policy,
		   const struct ddp_burst *burst, const uint8_t *bytes, unsigned int i);

#endif
