/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: a plan while it is made. Each packet class is one item. It has two
// verdicts: whether the NIC hashes the bits that the profile hashes, and, in a spread plan, whether
// it hashes the same fields.
#ifndef DDP_OFFLOAD_DRAFT_H
#define DDP_OFFLOAD_DRAFT_H

#include "expected_hash.h"
#include "rule_list.h"

enum outcome {
	OUTCOME_UNHASHED, // the mbuf has no RSS flag: net_ddp hashes it
	OUTCOME_RIGHT,
	OUTCOME_WRONG,
};

struct item {
	const struct packet_class *class;
	struct expected_hash expected;
	// Equal hashes
	enum outcome outcome;
	bool offloaded;             // its packet type is offloaded
	int rule;                   // that decides; -1: rss_hf or none
	const struct item *blocker; // class of the same NIC packet type that prevents the offload
	bool blocked_by_type;       // because it is another packet type of the profile
	// Spread
	enum ddp_spread spread;
	uint32_t fields, asked; // that the NIC and the profile hash
};

struct draft {
	const struct ddp_nic *nic;
	struct ddp_nic package_nic; // nic with what the package adds
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct ddp_plan_ask *ask;
	struct ddp_offload_tunnel tunnels[DDP_OFFLOAD_TUNNELS];
	unsigned int n_tunnels;
	struct packet_classes classes;
	struct item *items;   // sorted by ptype; those that the NIC does not distinguish are last
	unsigned int n_items; // that the NIC distinguishes
	unsigned int n_all;
	bool by_package; // the NIC has the package
	bool by_rss_hf;
	struct ddp_offload_inset insets[DDP_OFFLOAD_INSETS]; // one per pctype at most
	unsigned int n_insets;
	struct rule_list list;
};

// What the NIC hashes of a class by a rule or an input set.
struct nic_hash {
	enum rule_match match; // RULE_NEVER: neither is for it
	int rule;              // -1: none
	bool known;
	struct hashed hashed;
};
void draft_hash(const struct draft *d, const struct packet_class *class, struct nic_hash *hash);

// A rule_fn: add a rule that the driver accepts.
bool draft_rule_add(void *arg, const struct rule *rule);

// The spread plan of a draft whose plan is made; the draft's rules are lost. NULL: no memory.
struct ddp_spread_plan *spread_make(struct draft *d);
void spread_free(struct ddp_spread_plan *spread);

#endif
