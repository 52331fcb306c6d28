/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that several tests go through, and what one of a test must be classified as.
#ifndef CLASSIFY_CORPUS_H
#define CLASSIFY_CORPUS_H

#include "packet.h"

struct ddp_class;
struct ddp_packet;
struct ddp_profile;
struct ddp_program;

struct sample {
	const char *name; // of the test
	struct piece packet[20];
	const char *chain;  // "eth@0 ipv4@14"
	const char *type;   // name of the packet type, "UNKNOWN" for none
	const char *status; // NULL for "ok"
	const char *ptype;  // words of rte_ptype.h
	uint32_t inner_l3;  // offset, 0 for none
	uint32_t value;
	const char *input; // hash input, in hex
};

// A profile and packets for it.
struct corpus {
	const char *spec;
	const struct piece (*packets)[20];
	unsigned int n_packets;
};

extern const struct corpus corpora[2]; // base, gtpu

// A profile, compiled.
struct loaded {
	struct ddp_profile *profile;
	struct ddp_program *program;
};

// Load and compile spec without an error or warning, until the test ends.
struct loaded load_good(const char *spec);

// A copy that AddressSanitizer watches the end of.
uint8_t *copy_of(const uint8_t *bytes, uint32_t len);

// Classify len bytes, which end where a block of memory does.
void classify_bytes(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		    struct ddp_class *class);

// The hash input of len bytes with this class, in hex. The text is valid until the next call.
const char *input_text(const struct ddp_program *program, const uint8_t *bytes, uint32_t len,
		       const struct ddp_class *class);

// "eth@0 ipv4@14"; the text stays until the next call.
const char *chain_text(const struct ddp_program *program, const struct ddp_class *class);
const char *status_text(unsigned int status);

// The program and the naive reference agree on a packet.
void assert_agree(const struct loaded *loaded, const uint8_t *bytes, uint32_t len);
void assert_sample(const struct ddp_program *program, const struct sample *sample);

#endif
