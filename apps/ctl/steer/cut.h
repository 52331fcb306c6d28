/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that the capture cut short. Such a packet is as long as it was on the wire, and what was
// cut off has no bytes: a header that begins in what was captured is there if the bytes that decide
// on it, and those to hash, were captured. If one of them was not, the packet is unknown: it is
// classified as if it ended where the capture does, and counted.
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
	bool unknown;    // a byte that was not captured decides
	uint32_t needed; // bytes that would have to be captured to know more; 0: not unknown
};

// ddp_classify().
void cut_classify(struct cut *cut, const struct ddp_program *program, struct ddp_class *class);

// ddp_answer(), with rules unless policy is NULL. Returns the rule that steers it, NULL for none.
const struct ddp_flow_entry *cut_answer(struct cut *cut, const struct ddp_program *program,
					const struct steer *steer, const struct ddp_policy *policy,
					struct ddp_answer *answer);

static inline bool is_cut(const struct capture_packet *packet) {
	return packet->wire_len > packet->len;
}

// How many packets are unknown.
struct cut_count {
	uint64_t packets;
	uint32_t needed; // the most
};

void cut_count_add(struct cut_count *count, const struct cut *cut);

// The snapshot length to advise, where packets need so many bytes at least.
unsigned int cut_snaplen(uint32_t needed);

// One line without its end: what share of the packets was cut, what is not known because of that,
// such as "packet type or hash of 48.0 %", and which snapshot length would do.
void cut_warning_write(FILE *to, const struct capture *capture, const char *unknown,
		       uint32_t needed);
// As cut_warning_write(), to the output, and an empty line.
void cut_warning_print(const struct capture *capture, const char *unknown, uint32_t needed,
		       struct output *out);

#endif
