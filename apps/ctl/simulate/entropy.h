/* SPDX-License-Identifier: BSD-3-Clause */
// How much each field that could be hashed says: its entropy over a sample of packets, by packet
// type.
#ifndef DDPCTL_SIMULATE_ENTROPY_H
#define DDPCTL_SIMULATE_ENTROPY_H

#include <stdint.h>

#include "candidates.h"
#include "ctl/capture/sample.h"

struct ddp_arena;

struct field_entropy {
	const char *type;  // packet type, as the profile "all" has it
	uint64_t of_type;  // its packets of the sample
	const char *field; // as profiles write it
	uint64_t packets;  // of the sample that have the field
	uint64_t values;   // different ones
	double bits;       // Shannon's entropy of the value
	double hottest;    // share of the most frequent value, 0 to 1
};

struct entropies {
	unsigned int
		n; // packet types with most packets first; of each, fields with most entropy first
	struct field_entropy *fields;
};

// Of each field that an input set of the candidates hashes or extracts. Candidates must look at
// flows. The arena owns the result.
void entropies_measure(struct entropies *entropies, const struct candidates *candidates,
		       const struct sample *sample, struct ddp_arena *arena);

#endif
