/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that the capture cut short. Such a packet is classified with its length on the wire, if
// all bytes that decide on its headers, and all hashed bytes, were captured. Else the packet is
// unknown: it is classified as if it ended with the captured bytes, and counted.
//
//	struct cut cut = {.captured = captured};
//	cut_answer(&cut, program, &steer, NULL, &answer);
//	n_unknown += cut.unknown;
#ifndef DDPCTL_STEER_CUT_H
#define DDPCTL_STEER_CUT_H

#include <stdio.h>

#include "common/output.h"
#include "ctl/capture/capture.h"
#include "steer.h"

struct ddp_flow_entry;
struct ddp_policy;

struct cut {
	struct ddp_packet packet; // as it was classified
	const struct capture_packet *captured;
	bool unknown;    // a byte that was not captured matters
	uint32_t needed; // bytes that the capture needs; 0: enough were captured
};

// ddp_classify().
void cut_classify(struct cut *cut, const struct ddp_program *program, struct ddp_class *class);

// ddp_answer() with rules unless policy is NULL. Returns the rule that steers, NULL: none.
const struct ddp_flow_entry *cut_answer(struct cut *cut, const struct ddp_program *program,
					const struct steer *steer, const struct ddp_policy *policy,
					struct ddp_answer *answer);

static inline bool is_cut(const struct capture_packet *packet) {
	return packet->wire_len > packet->len;
}

// The number of unknown packets.
struct cut_count {
	uint64_t packets;
	uint32_t needed; // bytes, the largest of a packet
};

void cut_count_add(struct cut_count *count, const struct cut *cut);

// The recommended snapshot length for packets that need so many bytes.
unsigned int cut_snaplen(uint32_t needed);

// Write a line without newline: the share of cut packets, the unknown results, such as "packet type
// or hash of 48.0 %", and the snapshot length needed.
void cut_warning_write(FILE *to, const struct capture *capture, const char *unknown,
		       uint32_t needed);

#endif
