/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that others are made from: of the tests' corpora, of captures, and along the profile's
// own parse graph.
#ifndef EXACT_FRAME_H
#define EXACT_FRAME_H

#include "classify/classify.h"
#include "packet.h"
#include "profile/profile.h"

#define FRAME_SPOTS 96

// Bits of a packet that are a field of one of its headers.
struct spot {
	uint16_t bit;
	uint8_t width;
};

struct frame {
	uint16_t len;
	uint8_t n_spots;
	struct spot spots[FRAME_SPOTS];
	uint8_t bytes[PACKET_MAX]; // random behind len
};

struct frames {
	struct frame *list;
	unsigned int n, room;
};

void frame_add(struct frames *frames, const uint8_t *bytes, uint32_t len);

// Add those of the corpora.
void frames_corpora_add(struct frames *frames);
// Add n along the parse graph, each packet type in turn.
void frames_graph_add(struct frames *frames, const struct ddp_profile *profile,
		      const struct ddp_program *program, unsigned int n, uint64_t seed);
// Look for the fields of all.
void frames_spots_find(struct frames *frames, const struct ddp_profile *profile,
		       const struct ddp_program *program);

// Change len bytes of a packet made from frame in one place. Returns its new length.
uint32_t frame_mutate(const struct frame *frame, uint8_t bytes[PACKET_MAX], uint32_t len,
		      uint64_t *seed);

#endif
