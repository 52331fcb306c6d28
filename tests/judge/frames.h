/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that others are made from: samples of the corpora whole and joined, captures, and packets
// along a profile's own parse graph.
#ifndef JUDGE_FRAMES_H
#define JUDGE_FRAMES_H

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

// Add the corpora's packets, and n that are joined from several, or have a header again and again.
void frames_corpora_add(struct frames *frames, unsigned int n, uint64_t seed);
// Add at most so many packets of a capture, or of each in a folder. Returns their number.
unsigned int frames_capture_add(struct frames *frames, const char *path, unsigned int most);
unsigned int frames_captures_add(struct frames *frames, const char *dir, unsigned int most);
// Add n packets of small numbers, which decide more than large ones in profiles nobody wrote.
void frames_small_add(struct frames *frames, unsigned int n, uint64_t seed);
// Search for the fields of all.
void frames_spots_find(struct frames *frames, const struct ddp_profile *profile,
		       const struct ddp_program *program);

// Change len bytes of a packet made from frame in one place. Returns its new length.
uint32_t frame_mutate(const struct frame *frame, uint8_t bytes[PACKET_MAX], uint32_t len,
		      uint64_t *seed);
// Change a packet here and there, in at most PACKET_MAX bytes. Returns its new length.
uint32_t mutate(uint8_t bytes[PACKET_MAX], uint32_t len, uint64_t *seed);

#endif
