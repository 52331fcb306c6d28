/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types as chains of header names, by which profiles are compared. A chain is a path through
// the parse graph, "eth ipv4 udp gtpu ipv4 tcp". Each side has chains for its packet types, and
// returns the type of the other side's chains.
#ifndef DDPCTL_DIFF_CHAINS_H
#define DDPCTL_DIFF_CHAINS_H

#include "ctl/profile/profile_load.h"

#define CHAIN_MAX 24   // headers
#define CHAINS_MAX 200 // chains of a packet type: the shortest

struct chain {
	unsigned int n;
	const char *headers[CHAIN_MAX];
};

struct chains {
	unsigned int n;
	struct chain chains[CHAINS_MAX];
};

// The chains of a packet type, shortest first, with each optional header present or not, and
// repeated headers at most once; without impossible chains and those of another type.
void chains_of_type(const struct ddp_profile *profile, unsigned int type, struct chains *chains);

// The packet type of a packet with this chain (-1: none), and the number of headers in its path. If
// conditions on fields decide between types, the type called name is preferred.
struct chain_answer {
	unsigned int n_matched;
	int type;
};
struct chain_answer chain_ask(const struct ddp_profile *profile, const struct chain *chain,
			      const char *name);

#endif
