/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the hash that a profile expects for a packet class.
#ifndef DDP_OFFLOAD_EXPECTED_HASH_H
#define DDP_OFFLOAD_EXPECTED_HASH_H

#include "classify/classify.h"
#include "packet_class.h"

#define HASH_BITS (8 * DDP_MAX_INPUT_SIZE)
#define BIT_ZERO (-1) // not a bit of the packet

// The hashed bits of a packet, in order.
struct hashed {
	unsigned int n;
	int16_t bits[HASH_BITS];
};

struct expected_hash {
	bool exact;         // all packets of the class hash these bits
	bool complete;      // the profile finds all headers that the NIC finds
	uint16_t type;      // index in the program, for the packet that represents the class
	bool mixed_types;   // other packets of the class have other types
	bool depends;       // which bits are hashed depends on values that the NIC does not read
	uint32_t rte_ptype; // that net_ddp reports
	struct hashed hashed;
	char reason[160]; // why it is not exact
};

void expected_hash_make(const struct ddp_profile *profile, const struct ddp_program *program,
			const struct packet_classes *classes, const struct packet_class *class,
			uint64_t rss_hf, struct expected_hash *expected);

static inline void hashed_add(struct hashed *hashed, unsigned int bit, unsigned int width) {
	const unsigned int left = HASH_BITS - hashed->n, n = width < left ? width : left;
	int16_t *bits = hashed->bits + hashed->n;

	for (unsigned int i = 0; i < n; i++)
		bits[i] = bit + i;
	hashed->n += n;
}

static inline void hashed_zeros(struct hashed *hashed, unsigned int n) {
	while (n-- > 0 && hashed->n < HASH_BITS)
		hashed->bits[hashed->n++] = BIT_ZERO;
}

bool hashed_same(const struct hashed *a, const struct hashed *b);

#endif
