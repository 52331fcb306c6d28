/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: a plan while it is made. Each packet class is one item. It has two
// verdicts: whether the NIC hashes the bits that the profile hashes, and, in a spread plan, whether
// it hashes the same fields.
#ifndef DDP_OFFLOAD_DRAFT_H
#define DDP_OFFLOAD_DRAFT_H

#include "expected_hash.h"

struct draft;

/* Rules of DPDK's drivers (nic_rule.c): which packets they match, and which bits they hash */

struct rule {
	struct ddp_offload_rule rule;
	const struct packet_class *of; // for which the rule was found
	const struct hashed *hashed;   // of a raw rule: the bits that are hashed
};

// Add to the draft a rule of the NIC that hashes exactly these bits of a class, the widest that the
// driver accepts. spreads: in any order, perhaps with the IP protocol: packets of the class that
// differ in these bits come apart, and all others stay together. false: there is none.
bool rule_find(struct draft *d, const struct packet_class *class, const struct hashed *hashed,
	       bool spreads);
// A rule of level 2 that hashes the inner packet of the class.
bool rule_find_level2(struct draft *d, const struct packet_class *class);

// How the bits that two hashes use relate to each other, if the order and the IP protocol are
// ignored: all packets of a class have the same protocol, except packets without an L4 header.
enum hashed_relation {
	HASHED_EQUAL,
	HASHED_LESS, // b has all bits of a, and more
	HASHED_OTHER,
};
enum hashed_relation hashed_compare(const struct packet_class *class, const struct hashed *a,
				    const struct hashed *b);

// Would a rule hash the same fields and the IP protocol, which gives another hash value?
bool rule_spreads(const struct ddp_nic *nic, const struct packet_class *class,
		  const struct hashed *hashed);

enum rule_match {
	RULE_NEVER,
	RULE_MAYBE, // some packets of the class
	RULE_ALWAYS,
};
enum rule_match rule_matches(const struct ddp_nic *nic, const struct rule *rule,
			     const struct packet_class *class);

// The bits of a class that a matching rule hashes. false: not known.
bool rule_hashes(const struct ddp_nic *nic, const struct rule *rule,
		 const struct packet_class *class, struct hashed *hashed);

// The bits that the NIC hashes without a rule if all its types of rss_hf are enabled. false: none.
bool rss_hf_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		   struct hashed *hashed);

// Likewise for packets of any tunnel, known or not: addresses and ports of the packet that the NIC
// parses. false: none.
bool plain_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		  struct hashed *hashed);

// The order of creation: the wider rule first.
int rule_compare(const struct rule *a, const struct rule *b);

/* The rules of a plan, in the order of creation (rule_list.c) */

struct rule_list {
	struct rule *rules;
	unsigned int n, room;
	bool failed; // no memory
};

void rule_list_fini(struct rule_list *list);
bool rule_list_has(const struct rule_list *list, const struct rule *rule);
// Insert a rule after all wider and equally wide ones. false: no memory.
bool rule_list_insert(struct rule_list *list, const struct rule *rule);
void rule_list_remove(struct rule_list *list, unsigned int at);
// Join a rule for uplink and an equal one for downlink.
void rule_list_join(struct rule_list *list);
// A copy of the rules for a plan; NULL: no memory.
struct ddp_offload_rule *rule_list_copy(const struct rule_list *list);

/* Hashed bits as fields (spread_fields.c) */

enum {
	FIELD_SRC = 1 << 0,
	FIELD_DST = 1 << 1,
	FIELD_SPORT = 1 << 2,
	FIELD_DPORT = 1 << 3,
	FIELD_PART = 1 << 4, // not all bits of these four
	FIELDS_ADDRESSES = FIELD_SRC | FIELD_DST,
	FIELDS_PORTS = FIELD_SPORT | FIELD_DPORT,
	// of the outer packet; the others are of the inner one or there is no tunnel
	FIELDS_OUTER_SHIFT = 8,
	FIELD_TEID = 1 << 16,
	FIELD_REST = 1 << 17,
	FIELDS_TUNNEL = 1 << 18, // there is an outer packet
};

// The IP protocol is left out.
uint32_t fields_of(const struct packet_class *class, const struct hashed *hashed);
void fields_print(uint32_t fields, char *text, size_t size);

/* The plan (plan.c, spread.c) */

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

// The hash of a class by a rule or an input set.
struct nic_hash {
	enum rule_match match; // RULE_NEVER: neither is for it
	int rule;              // -1: none
	bool known;
	struct hashed hashed;
};
void draft_hash(const struct draft *d, const struct packet_class *class, struct nic_hash *hash);

// Add a rule. false: the driver does not accept it.
bool draft_rule_add(struct draft *d, const struct rule *rule);

// The spread plan of a draft whose plan is made; the draft's rules are lost. NULL: no memory.
struct ddp_spread_plan *spread_make(struct draft *d);
void spread_free(struct ddp_spread_plan *spread);

#endif
