/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: what the lower device is asked to do for the personality.
//
// A plan (plugin/offload) says which of the lower device's packet types it can hash as the
// personality does. The plan's rules are created on the lower port, all or none of them. Then
// packets of these types bypass classification (run/hw_ptypes.h). A change of the personality takes
// three steps:
//
//   - ddp_offload_replan(): no packet bypasses classification; the old rules are destroyed, and
//     new ones are created.
//   - The personality is exchanged.
//   - ddp_offload_renew(): packets bypass again, once the lower queues are drained of packets
//     hashed before.
//
// Files of lower/ from top to bottom, none calls one above it: attach.c; lower_offload.c (plan,
// start, stop); lower_rules.c, lower_reta.c and lower_package.c (parts of a plan on the lower
// port); lower_ptypes.c; lower.c.
#ifndef DDP_PORT_STATE_OFFLOAD_H
#define DDP_PORT_STATE_OFFLOAD_H

#include "offload/offload.h"
#include "port/state/queues.h"

struct ddp_i40e_port;
struct ddp_package;
struct ddp_personality;
struct ddp_port;
struct rte_flow;

enum ddp_offload_mode {
	DDP_OFFLOAD_AUTO, // as far as the lower device can
	DDP_OFFLOAD_OFF,
	DDP_OFFLOAD_REQUIRE, // or the port does not start
};

#define DDP_OFFLOAD_MISMATCHES 64
#define DDP_IDLE_LOOKS 100 // in 10 s of traffic

// A packet type of the plan that had packets with another hash.
struct ddp_suspect {
	uint32_t rte_ptype;
	uint32_t checked, wrong; // packets, as last seen
	uint8_t level;           // its proof was doubled so often
};

// Control path only.
struct ddp_offload {
	enum ddp_offload_mode mode;
	const struct ddp_nic *asked; // kind of NIC from devargs; NULL: known, or
	const struct ddp_nic
		*known; // from the package in the driver's arguments; NULL: by its name
	bool on;        // the lower device runs and can be programmed
	bool drain;     // the lower queues may hold packets that were hashed with other rules
	const struct ddp_nic *nic;
	struct ddp_plan *plan; // as programmed; NULL: none
	uint64_t rss_hf;       // of ours that the plan was made for
	uint8_t key[52];       // that the lower device has
	uint16_t *reta_was;    // its redirection table before we changed it; NULL: unchanged
	uint16_t reta_size;    // of that
	bool bypass;           // its redirection table equals ours
	bool misrouted;        // but its packets were on other queues
	struct rte_flow **flows;
	unsigned int n_flows, n_tunnels;
	bool recovered;            // since they were created. Set by any thread, so atomic.
	char reason[256];          // nothing is programmed
	const char *off;           // why nothing is used of what is programmed; NULL: it is used
	uint64_t taken, offloaded; // packets when we looked last
	unsigned int idle_looks;   // at which others had come since, but none that it had hashed
	struct ddp_suspect suspects[DDP_OFFLOAD_MISMATCHES];
	unsigned int n_mismatched;   // of these
	unsigned int n_unlogged;     // mismatches since the last log line
	uint64_t log_at;             // the next one, by TSC
	struct ddp_package *package; // of the argument `package`, for a 700-series NIC; NULL: none
	struct ddp_i40e_port *i40e;  // the NIC with this package; NULL: it has it not
};

#endif
