/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that follow a profile's own parse graph at random, made from struct ddp_profile: every
// header and packet type of any profile comes up, without anybody writing packets for it.
#ifndef CLASSIFY_GRAPH_H
#define CLASSIFY_GRAPH_H

#include "classify/classify.h"
#include "packet.h"
#include "profile/profile.h"

// About 60 KB.
struct graph {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	uint64_t seed;
	unsigned int
		n_drawn[DDP_MAX_NODES]; // how often each header came up: rare ones are preferred
	bool leads[DDP_MAX_NODES][DDP_MAX_NODES]; // from one to another, through hidden ones if any
	unsigned int next_type;                   // of most packets: all in turn
};

void graph_init(struct graph *graph, const struct ddp_profile *profile,
		const struct ddp_program *program, uint64_t seed);

// Draw a packet; behind its end bytes is random. Returns its length. Most packets are whole, some
// end inside a header or contradict themselves.
uint32_t graph_draw(struct graph *graph, uint8_t bytes[PACKET_MAX]);

#endif
