/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what rules match, and what they hash.
#ifndef DDP_OFFLOAD_NIC_RULE_H
#define DDP_OFFLOAD_NIC_RULE_H

#include "expected_hash.h"

struct rule {
	struct ddp_offload_rule rule;
	struct packet_class of; // a raw one: its packet
	struct hashed hashed;   // and what of it is hashed
};

// A rule of the NIC that hashes just these bits of a shape, the widest there is: fn is called with
// one after the other until it returns true, which rule_find() then returns.
typedef bool (*rule_fn)(void *arg, const struct rule *rule);
bool rule_find(const struct ddp_nic *nic, const struct packet_class *class,
	       const struct hashed *hashed, rule_fn fn, void *arg);

// Would a rule hash the same fields, but with the IP protocol, so that the value is another?
bool rule_spreads(const struct ddp_nic *nic, const struct packet_class *class,
		  const struct hashed *hashed);

enum rule_match {
	RULE_NEVER,
	RULE_MAYBE, // for some packets of the shape
	RULE_ALWAYS,
};
enum rule_match rule_matches(const struct ddp_nic *nic, const struct rule *rule,
			     const struct packet_class *class);

// What a rule that always matches hashes of a shape. false: that is not known.
bool rule_hashes(const struct ddp_nic *nic, const struct rule *rule,
		 const struct packet_class *class, struct hashed *hashed);

// What the NIC hashes without a rule, asked for all types of rss_hf that it has.
bool rss_hf_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		   struct hashed *hashed);

// Which of two is to be made first: the wider.
int rule_compare(const struct rule *a, const struct rule *b);

#endif
