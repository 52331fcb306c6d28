/* SPDX-License-Identifier: BSD-3-Clause */
// Bursts of packets that take a few paths again and again, so that a cache has them, and leave them
// at every bit and at every byte, so that it must notice.
#ifndef JUDGE_DRAW_H
#define JUDGE_DRAW_H

#include "frames.h"
#include "mbufs.h"

#define DRAW_FRAMES 400

// What a run of bursts is made of.
enum draw_kind {
	DRAW_MIX,    // packets of the set, some changed
	DRAW_REPEAT, // one packet, some changed
	DRAW_WILD,   // any packet there is, much changed
	DRAW_FLIPS,  // one packet with each of its early bits flipped
	DRAW_CUTS,   // one packet cut at each of its bytes
	DRAW_EACH,   // packets that are to come up surely
};

struct draw {
	const struct frames *frames;
	uint64_t seed;
	unsigned int set[DRAW_FRAMES]; // of frames, now in use
	unsigned int n;
	enum draw_kind kind;
	unsigned int left; // bursts or, of a sweep, packets of this kind
	unsigned int at;   // of a sweep
	unsigned int frame;
	unsigned int rare; // of so many repeated packets one is changed
};

// Take n packets from first on, each once.
void draw_each(struct draw *draw, unsigned int first, unsigned int n);
// Take other packets from now on.
void draw_renew(struct draw *draw);
// The next burst, laid out.
void draw_burst(struct draw *draw, struct burst *burst);

#endif
