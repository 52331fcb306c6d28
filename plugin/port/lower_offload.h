/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: what the lower device is asked to do of the personality.
//
// A plan (plugin/offload) says which of the lower device's packet types it can hash as the personality promises. Its
// rules are made on the lower port, all or none of them; then the data path lets packets of these types
// through by the hash they come with. What changes is taken down before and put up again after:
//
//	ddp_offload_replan()  nothing passes; the old rules go, the new ones come
//	(the personality is exchanged)
//	ddp_offload_renew()   packets pass again, once the lower queues are empty of those hashed before
#ifndef DDP_PORT_LOWER_OFFLOAD_H
#define DDP_PORT_LOWER_OFFLOAD_H

#include "offload/offload.h"

struct ddp_i40e_lower;
struct ddp_personality;
struct ddp_port;
struct rte_eth_conf;
struct rte_flow;

enum ddp_offload_mode {
	DDP_OFFLOAD_AUTO, // as far as the lower device can
	DDP_OFFLOAD_OFF,
	DDP_OFFLOAD_REQUIRE, // or the port does not start
};

// Packets that come with the hash they are to have. A driver may accept a rule that does nothing, so the first
// ones are hashed here, too, and later ones now and then: what was wrong once never passes again.
struct ddp_hw_ptype {
	uint32_t rte_ptype;   // of the lower device; 0: no such packets
	uint32_t packet_type; // they get
	uint16_t type_id;
	// counted by all lower queues, atomic but for the order
	uint32_t checked; // packets
	uint32_t wrong;   // of them
};

#define DDP_PROOF_PACKETS 64  // that are checked before any passes
#define DDP_PROOF_STRIDE 1024 // then those of one burst in so many

static inline uint32_t ddp_hw_ptype_read(const uint32_t *counter) {
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline bool ddp_hw_ptype_is_proven(const struct ddp_hw_ptype *hw_ptype) {
	return ddp_hw_ptype_read(&hw_ptype->checked) >= DDP_PROOF_PACKETS &&
	       ddp_hw_ptype_read(&hw_ptype->wrong) == 0;
}

// All of them, by rte_ptype. But for what is counted nothing changes once it is built.
struct ddp_hw_ptypes {
	uint32_t shift; // 32 - log2 of the number of slots
	uint32_t mask;
	bool bypass;        // those of lower queue i are for Rx queue i, by its redirection table
	uint32_t misrouted; // those that were checked and are not
	struct ddp_hw_ptype slots[]; // open addressing; one or more are empty
};

static inline struct ddp_hw_ptype *ddp_hw_ptypes_find(struct ddp_hw_ptypes *hw_ptypes,
						      uint32_t rte_ptype) {
	uint32_t at = rte_ptype * UINT32_C(0x9e3779b1) >> hw_ptypes->shift;

	while (hw_ptypes->slots[at].rte_ptype != rte_ptype) {
		if (hw_ptypes->slots[at].rte_ptype == 0)
			return NULL;
		at = (at + 1) & hw_ptypes->mask;
	}
	return rte_ptype != 0 ? &hw_ptypes->slots[at] : NULL;
}

// NULL: nothing passes.
static inline bool ddp_hw_ptypes_bypass(const struct ddp_hw_ptypes *hw_ptypes) {
	return hw_ptypes != NULL && hw_ptypes->bypass &&
	       ddp_hw_ptype_read(&hw_ptypes->misrouted) == 0;
}

#define DDP_OFFLOAD_MISMATCHES 64

// Control only.
struct ddp_offload {
	enum ddp_offload_mode mode;
	const struct ddp_nic *asked; // for a kind of NIC; NULL: what the driver's name says
	bool on;                     // the lower device runs, and can be asked
	bool drain;                  // it may still hold packets that were hashed otherwise
	const struct ddp_nic *nic;
	struct ddp_plan *plan; // as programmed; NULL: nothing is
	uint64_t rss_hf;       // of ours that it is made for
	uint8_t key[52];       // that the lower device has
	uint16_t *reta_was;    // its redirection table before we changed it; NULL: we did not
	uint16_t reta_size;    // of that
	bool bypass;           // the table is as ours
	bool misrouted;        // but the lower device does not go by it
	struct rte_flow **flows;
	unsigned int n_flows, n_tunnels;
	char why[256];                               // nothing is programmed
	uint32_t mismatched[DDP_OFFLOAD_MISMATCHES]; // packet types of the plan that were hashed wrong
	unsigned int n_mismatched;
	bool watched;                // somebody looks for more of them, and tells
	struct ddp_i40e_lower *i40e; // the package of a 700-series NIC; NULL: none
};

// Can the lower device be told how to spread what it hashes over its queues? Then it had better have as many as we.
bool ddp_offload_spreads(const struct ddp_port *port);
// Let the lower port be configured so that it can be asked.
void ddp_offload_conf(const struct ddp_port *port, struct rte_eth_conf *conf);
// The lower port is about to be started: a 700-series NIC takes a package only before. -ENOTSUP or -ENOMEM where it is
// required but fails (logged).
int ddp_offload_prepare(struct ddp_port *port);
// The lower port was started. -ENOTSUP or -ENOMEM where it is required to do what it cannot (logged).
int ddp_offload_start(struct ddp_port *port);
// The lower port is about to be stopped, or is gone.
void ddp_offload_stop(struct ddp_port *port);
// The lower port was stopped, or is gone: it is to be as it was before ddp_offload_prepare().
void ddp_offload_release(struct ddp_port *port);
// Program the lower port for a personality that is about to be the port's. Where that is required but
// fails, or for want of memory, -errno with one line in error, and all is as it was but that nothing passes
// until the renewal. error is not the port's own `why`.
int ddp_offload_replan(struct ddp_port *port, const struct ddp_personality *personality,
		       char *error, size_t error_size);
// After any change of the steering, which lets nothing pass.
void ddp_offload_renew(struct ddp_port *port);

struct ddp_package;

// package.c: the package of a 700-series NIC. Is the lower device one?
bool ddp_package_is_possible(const struct ddp_port *port);
// The package that covers a personality, to be closed; NULL with a line in the log where one is wanted.
struct ddp_package *ddp_package_find(const struct ddp_port *port,
				     const struct ddp_personality *personality);
// Give it to the stopped NIC, for a plan. It is the port's from then on, or closed. -ENOTSUP or -ENOMEM with the
// reason in why, and the NIC as it was.
int ddp_package_load(struct ddp_port *port, struct ddp_package *package,
		     const struct ddp_plan *plan, char *why, size_t size);
// Take it back from the stopped NIC; nothing where there is none.
void ddp_package_unload(struct ddp_port *port);
// For the plan: the package that the NIC has (NULL: none), the types of rss_hf that ask for what it teaches, and the
// plan's input sets (-ENOTSUP or -ENOMEM with the reason in why).
const struct ddp_package *ddp_package_of(const struct ddp_port *port);
uint64_t ddp_package_rss_hf(const struct ddp_port *port);
int ddp_package_hash(struct ddp_port *port, const struct ddp_plan *plan, char *why, size_t size);

// Tell of packet types that were hashed wrong, each once.
void ddp_offload_watch(struct ddp_port *port);

// lower_reta.c
// Let the lower device spread what it hashes over its queues as we do over ours, where it has as many and can:
// then packets that pass need not be moved.
void ddp_lower_reta_follow(struct ddp_port *port);
// Its table is as it was.
void ddp_lower_reta_undo(struct ddp_port *port);

#endif
