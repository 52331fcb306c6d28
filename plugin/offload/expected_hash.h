/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what a profile hashes of a shape.
#ifndef DDP_OFFLOAD_EXPECTED_HASH_H
#define DDP_OFFLOAD_EXPECTED_HASH_H

#include "classify/classify.h"
#include "packet_class.h"

#define HASH_BITS (8 * DDP_MAX_INPUT_SIZE)
#define BIT_ZERO (-1) // no bit of the packet

// Bits of a packet that are hashed, in order.
struct hashed {
	unsigned int n;
	int16_t bits[HASH_BITS];
};

struct expected_hash {
	bool exact;         // all packets of the shape have these bits
	bool whole;         // the profile finds all headers that the NIC does
	uint16_t type;      // of the program, of the packet that stands for the shape
	bool mixed_types;   // others have other types
	uint32_t rte_ptype; // that net_ddp gives it
	struct hashed hashed;
	char why[160]; // it is not sound
};

void expected_hash_make(const struct ddp_profile *profile, const struct ddp_program *program,
			const struct packet_classes *classes, const struct packet_class *class,
			uint64_t rss_hf, struct expected_hash *expected);

static inline void hashed_add(struct hashed *hashed, unsigned int bit, unsigned int width) {
	for (unsigned int i = 0; i < width && hashed->n < HASH_BITS; i++)
		hashed->bits[hashed->n++] = bit + i;
}

static inline void hashed_zeros(struct hashed *hashed, unsigned int n) {
	while (n-- > 0 && hashed->n < HASH_BITS)
		hashed->bits[hashed->n++] = BIT_ZERO;
}

bool hashed_same(const struct hashed *a, const struct hashed *b);

#endif
