/* SPDX-License-Identifier: BSD-3-Clause */
// State of a walk, for the walk itself and its trace. Data path.
#pragma once

#include <endian.h>
#include <string.h>

#include "e810/e810_model.h"

#define MAX_STALLED 64 // steps in a row that do not move forward in the packet
#define MAX_PENDING 5  // register writes of a step: one of each ALU, two of the parse graph

struct e810_walk {
	const struct e810_parser *parser;
	const uint8_t *data;
	uint32_t len, window; // window: bytes of data that the parser sees

	uint8_t regs[2 * N_REGS_READ];
	uint8_t head[E810_HEAD]; // the packet from the header offset on; zeros beyond the window
	uint16_t po;
	uint64_t markers;
	uint8_t markers_high;
	uint64_t seen[4]; // protocols
	uint16_t offsets[256];

	unsigned int n_pending;
	struct {
		uint8_t reg;
		uint16_t value;
	} pending[MAX_PENDING];
	uint64_t pending_flags, pending_values;
};

static inline uint16_t reg_get(const struct e810_walk *w, unsigned int reg) {
	uint16_t value;

	memcpy(&value, &w->regs[2 * reg], sizeof(value));
	return le16toh(value);
}

static inline void reg_set(struct e810_walk *w, unsigned int reg, uint16_t value) {
	value = htole16(value);
	memcpy(&w->regs[2 * reg], &value, sizeof(value));
}

static inline uint64_t flags_get(const struct e810_walk *w) {
	uint64_t flags;

	memcpy(&flags, &w->regs[2 * REG_FLAGS], sizeof(flags));
	return le64toh(flags);
}

static inline void flags_set(struct e810_walk *w, uint64_t flags) {
	flags = htole64(flags);
	memcpy(&w->regs[2 * REG_FLAGS], &flags, sizeof(flags));
}

// Bits of the register file as a number, most significant bit first.
static inline uint32_t bits_get(const struct e810_walk *w, struct bits bits) {
	uint64_t word;

	if (bits.len == 0)
		return 0;
	RTE_ASSERT(bits.start / 8 + sizeof(word) <= sizeof(w->regs));
	memcpy(&word, &w->regs[bits.start / 8], sizeof(word));
	return be64toh(word) << bits.start % 8 >> (64 - bits.len);
}

// e810_trace.c: note the bits that the walk reads, before the writes of the step.
//
// The entries of a bucket that do not match, and the matching one (NULL: none).
void e810_trace_boost(struct e810_trace *trace, const struct e810_walk *w,
		      const struct boost_bucket *bucket, const struct instruction *hit);
// The key of the parse graph. found: an entry has its next-protocol part.
void e810_trace_key(struct e810_trace *trace, const struct e810_walk *w,
		    const struct key_builder *key, graph_state state, uint32_t next, bool found);
// last: the end of the walk does not matter.
void e810_trace_alu(struct e810_trace *trace, const struct e810_walk *w, const struct alu *alu,
		    bool last);
