/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types as chains of header names: what two sides can be asked about each other.
//
// A chain is a way through the parse graph that a packet may take, "eth ipv4 udp gtpu ipv4 tcp". A
// side tells which chains make up each of its packet types, and what it would say of a packet with
// another's chain.
#ifndef DDPCTL_DIFF_CHAINS_H
#define DDPCTL_DIFF_CHAINS_H

#include "ctl/profile/profile_load.h"

#define CHAIN_MAX 24
#define CHAINS_MAX 200 // of one packet type: the shortest

struct chain {
	unsigned int n;
	const char *headers[CHAIN_MAX];
};

struct chains {
	unsigned int n;
	struct chain chains[CHAINS_MAX];
};

// The chains of a profile's packet type, the shortest first: what may be there once or not is there
// or not, what may be repeated is there once at most. Those that no packet can have, or that
// another type gets, are left out, so there may be none.
void chains_of_type(const struct ddp_profile *profile, unsigned int type, struct chains *chains);

// What a profile says of a packet with this chain: the packet type (-1 for none) and how many of
// the headers make that up. Where conditions on fields choose among several
// types, one that is named like this is preferred.
struct chain_answer {
	unsigned int n_matched;
	int type;
};
struct chain_answer chain_ask(const struct ddp_profile *profile, const struct chain *chain,
			      const char *name);

#endif
