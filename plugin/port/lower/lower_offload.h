/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: what the lower device is asked to do for the personality.
//
// A plan (plugin/offload) says which of the lower device's packet types it can hash as the
// personality does. The plan's rules are created on the lower port, all or none of them. Then
// packets of these types bypass classification (hw_ptypes.h). A change of the personality takes
// three steps:
//
//	ddp_offload_replan()  no packet bypasses classification; the old rules are destroyed, new
// ones created 	(the personality is exchanged) 	ddp_offload_renew()   packets bypass again,
// once the lower queues are drained of packets hashed before
//
// Files from top to bottom, none calls one above it: lower_offload.c (plan, start, stop);
// lower_rules.c, lower_reta.c and lower_package.c (parts of a plan on the lower port); hw_ptypes.c;
// lower.c.
#ifndef DDP_PORT_LOWER_OFFLOAD_H
#define DDP_PORT_LOWER_OFFLOAD_H

#include "offload/offload.h"

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
#define DDP_OFFLOAD_QUEUES 256 // DDP_PORT_QUEUES

// What a lower queue of another net_ddp below had when the lower device was last changed.
struct ddp_kept {
	uint64_t taken;    // packets, ever
	bool held, parked; // some of them still are
};

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
	bool recovered;   // since they were created. Set by any thread, so atomic.
	char reason[256]; // nothing is programmed
	struct ddp_suspect suspects[DDP_OFFLOAD_MISMATCHES];
	unsigned int n_mismatched; // of these
	unsigned int n_unlogged;   // mismatches since the last log line
	uint64_t log_at;           // the next one, by TSC
	uint32_t kept_us; // packets hashed before are kept below: until the next look; 0: none are
	struct ddp_kept kept[DDP_OFFLOAD_QUEUES];
	struct ddp_package *package; // of the argument `package`, for a 700-series NIC; NULL: none
	struct ddp_i40e_port *i40e;  // the NIC with this package; NULL: it has it not
};

// Should the lower device have as many Rx queues as we? If it can hash for us and has a redirection
// table.
bool ddp_offload_spreads(const struct ddp_port *port);
// Call this before the lower port starts: a 700-series NIC takes a package only then. -ENOTSUP or
// -ENOMEM if the offload is required but fails (logged).
int ddp_offload_prepare(struct ddp_port *port);
// Call this after the lower port started. -ENOTSUP or -ENOMEM if the offload is required but fails
// (logged).
int ddp_offload_start(struct ddp_port *port);
// Call this before the lower port stops, or after its removal.
void ddp_offload_stop(struct ddp_port *port);
// Call this after the lower port stopped: undoes ddp_offload_prepare().
void ddp_offload_release(struct ddp_port *port);
// Program the lower port for a personality that the port is about to get. If that is required but
// fails, or without memory, -errno with one line in error, and the lower port is as before, but no
// packet bypasses classification until ddp_offload_renew(). error must not be the port's own `why`.
int ddp_offload_replan(struct ddp_port *port, const struct ddp_personality *personality,
		       char *error, size_t error_size);
// Call this after each change of the steering.
void ddp_offload_renew(struct ddp_port *port);
// The lower device of a port has recovered from an error, and may have lost rules and tunnels.
// Program it again soon. From any thread, also one inside its driver.
void ddp_offload_recovered(struct ddp_port *port);

// lower_rules.c: the rte_flow rules and tunnels of a plan on the lower port.

// A ddp_plan_ask.accepts; ctx is the port.
bool ddp_lower_rule_is_accepted(void *ctx, const struct ddp_offload_rule *rule);
// -errno with the reason in error: some may have been created, to be undone by the next function.
int ddp_lower_rules_create(struct ddp_port *port, const struct ddp_plan *plan, char *error,
			   size_t size);
void ddp_lower_rules_destroy(struct ddp_port *port);
int ddp_lower_tunnels_add(struct ddp_port *port, const struct ddp_plan *plan, char *error,
			  size_t size);
void ddp_lower_tunnels_del(struct ddp_port *port);

// lower_package.c: the package of a lower device.

// The kind of an 800-series NIC by the package that its driver was told to load. NULL: the driver
// was told none, or the file is not known (logged). At probe.
const struct ddp_nic *ddp_package_nic(const struct ddp_port *port);

// The package of a 700-series NIC. Is the lower device such a NIC?
bool ddp_package_is_possible(const struct ddp_port *port);
// Open the package of the argument `package`; NULL: there is none. 0, or -errno (logged). At probe.
int ddp_package_open_given(struct ddp_port *port, const char *file);
// That package if it covers a personality. NULL: none is needed, or it does not (logged).
const struct ddp_package *ddp_package_for(const struct ddp_port *port,
					  const struct ddp_personality *personality);
// Write a plan's package to the stopped NIC. -ENOTSUP or -ENOMEM with the reason in `reason`, and
// the NIC as before.
int ddp_package_load(struct ddp_port *port, const struct ddp_plan *plan, char *reason, size_t size);
// Remove it from the stopped NIC; does nothing if there is none.
void ddp_package_unload(struct ddp_port *port);
// The package that the NIC has; NULL: none.
const struct ddp_package *ddp_package_of(const struct ddp_port *port);
// The bits of rss_hf that select the flow types which the package adds.
uint64_t ddp_package_rss_hf(const struct ddp_port *port);
// Write the plan's input sets. -ENOTSUP or -ENOMEM with the reason in why.
int ddp_package_hash(struct ddp_port *port, const struct ddp_plan *plan, char *reason, size_t size);

// lower_reta.c

// Write our redirection table to the lower device if it has as many queues as we and its table can
// express ours: then packets need not be moved between queues.
void ddp_lower_reta_follow(struct ddp_port *port);
// Restore its own table.
void ddp_lower_reta_undo(struct ddp_port *port);

#endif
