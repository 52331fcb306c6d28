/* SPDX-License-Identifier: BSD-3-Clause */
// Mbufs by hand, without EAL, in memory whose end a reader cannot miss: each buffer ends right
// before, or begins right behind, a page that cannot be read; AddressSanitizer watches the rest of
// its page, too.
#ifndef JUDGE_MBUFS_H
#define JUDGE_MBUFS_H

#include <rte_mbuf.h>

#include "packet.h"

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

#endif
