/* SPDX-License-Identifier: BSD-3-Clause */
// NICs as they are: without an RSS rule, and with all types of rss_hf that they offer. The profile
// that knows most packets is loaded, and changed to hash what the NIC hashes.
#ifndef DDPCTL_SIMULATE_NIC_NOW_H
#define DDPCTL_SIMULATE_NIC_NOW_H

#include <stdio.h>

#include "offload/offload.h"

struct ddp_personality;
struct simulation;
struct spread;

#define NICS_NOW 16

struct nic_now {
	const struct ddp_nic *nic;
	struct ddp_spread_plan *plan; // without a rule
};

// Of the kinds that there are, those whose users ask what they do: real NICs with RSS.
bool nic_is_common(const struct ddp_nic *nic);

// Load a profile, changed to what the NIC hashes as its plan says. Returns the exit status; what is
// wrong goes to stderr.
int nic_profile_load(struct ddp_personality *loaded, const char *spec,
		     const struct ddp_spread_plan *plan);

// The same for a NIC as it is. The program of loaded has the packet types of the plan, in its
// order.
int nic_now_load(struct nic_now *now, const struct ddp_nic *nic, struct ddp_personality *loaded);
void nic_now_fini(struct nic_now *now);

/* After a run */

// Of the capture's packets, those that the NIC hashes alike.
struct nic_share {
	const char *by;  // "outer addresses and ports"; "nothing"
	bool inner_lost; // the NIC does not parse the headers that follow
	uint64_t packets;
};

#define NIC_SHARES 8

// Most packets first. Returns their number.
unsigned int nic_now_shares(const struct nic_now *now, const struct spread *spread,
			    struct nic_share shares[NIC_SHARES]);

// In words: which fields of how many packets, and what stays together because of that.
void nic_shares_write(const struct nic_share *shares, unsigned int n, uint64_t n_packets, FILE *to);

#endif
