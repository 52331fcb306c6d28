/* SPDX-License-Identifier: BSD-3-Clause */
// The reference: a slow, obvious second reading of what a profile says of a packet, straight from
// struct ddp_profile. It calls nothing of plugin/classify and plugin/rss, has no program, no
// automaton and no offsets worked out before; it reads one bit at a time and asserts what the
// checker claims to have proved.
#ifndef CLASSIFY_NAIVE_H
#define CLASSIFY_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "classify/classify.h"
#include "profile/profile.h"
#include "rss/rss.h"

typedef unsigned __int128 number;

struct naive_header {
	unsigned int node;
	uint32_t off, len;
	uint32_t groups; // those that are there, as bits
	bool fragment;
};

struct naive {
	const struct ddp_profile *profile;
	const uint8_t *bytes;
	uint32_t len;

	struct naive_header headers[DDP_MAX_STEPS + 1];
	unsigned int n_headers; // hidden ones too
	enum ddp_status status;
	bool beyond; // a requested field lies behind the packet's end

	const struct ddp_packet_type *type; // NULL for none
	unsigned int n_matched;             // headers that make it up
	uint32_t l3_off, inner_l3_off;      // UINT16_MAX for none
	bool encapsulated;
	uint32_t rte_ptype;
	uint32_t value;
};

static inline const struct ddp_header *header_of(const struct naive *n, unsigned int index) {
	return &n->profile->headers[n->headers[index].node];
}

// The first bit of a field in a packet whose header has this place, size, and groups. False: it has
// no such field.
bool field_place(const struct ddp_header *header, uint32_t off, uint32_t len, uint32_t groups,
		 const struct ddp_field *field, uint32_t *bit);
// A number in a packet.
number naive_bits(const struct naive *n, uint32_t bit, unsigned int width);

void naive_classify(const struct ddp_profile *profile, const uint8_t *bytes, uint32_t len,
		    struct naive *n);

// The hashed value of a field of a pair; first: it comes first in the input.
number naive_paired(enum ddp_hash_function function, number value, number other, bool first);

// As ddp_input_gather().
unsigned int naive_input(struct naive *n, uint64_t rss_hf, enum ddp_hash_function function,
			 uint8_t input[DDP_MAX_INPUT_SIZE]);

// As ddp_hash_compute_by().
uint32_t naive_hash(enum ddp_hash_function function, const uint8_t key[DDP_KEY_SIZE],
		    const uint8_t *input, unsigned int len);

#endif
