/* SPDX-License-Identifier: BSD-3-Clause */
// Mbufs by hand, without EAL, in memory whose end a reader cannot miss: each buffer ends right
// before, or begins right behind, a page that cannot be read; AddressSanitizer watches the rest of
// its page, too.
#ifndef JUDGE_BURSTS_H
#define JUDGE_BURSTS_H

#include <rte_mbuf.h>

#include "frames.h"

#define BURST_MAX 64
#define BURST_SEGMENTS 4 // of one packet, at most

// A packet without an mbuf: len bytes, and more of which nothing may depend.
struct bytes {
	uint32_t len;
	uint8_t data[PACKET_MAX];
};

struct burst {
	unsigned int n;
	struct bytes packets[BURST_MAX];
	struct rte_mbuf *mbufs[BURST_MAX];
	// private
	uint8_t *slots;
	struct rte_mbuf *segments, *before;
};

// False: no memory.
bool burst_init(struct burst *burst);
void burst_fini(struct burst *burst);

// Put a packet into an mbuf, at random: alignment, room before and behind; several segments for one
// in `whole`.
void burst_lay(struct burst *burst, unsigned int i, unsigned int whole, uint64_t *seed);

// The packet in or beside whose buffers an address is, -1: none.
int burst_find(const struct burst *burst, const void *address);

// Remember the mbufs; is anything in them other than it was then?
void burst_keep(struct burst *burst);
bool burst_changed(const struct burst *burst);

// Bursts of packets that take a few paths again and again, so that a cache has them, and leave them
// at every bit and at every byte, so that it must notice.

#define DRAW_FRAMES 400

// Content of a run of bursts.
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
