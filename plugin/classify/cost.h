/* SPDX-License-Identifier: BSD-3-Clause */
// What a packet can cost at most, in steps: a value compared, an operation of an expression, a
// header looked at in the search for an earlier one. That is what the interpreter does for packets
// whose path no path cache knows, which a sender can always send.
#ifndef DDP_CLASSIFY_COST_H
#define DDP_CLASSIFY_COST_H

#include "classify.h"

#define DDP_COST_MAX 50000 // `ddpctl check` warns above it: at up to 2 ns a step, 100 us a packet

struct ddp_cost {
	uint32_t steps;        // of a packet; UINT32_MAX: or more
	uint8_t header;        // the node that takes most,
	uint32_t header_steps; // once, after as many headers as there can be
};

// Of a profile's program. -ENOMEM.
int ddp_program_cost(const struct ddp_program *program, struct ddp_cost *cost);

#endif
