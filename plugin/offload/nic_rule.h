/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: which packets rules match, and which bits they hash.
#ifndef DDP_OFFLOAD_NIC_RULE_H
#define DDP_OFFLOAD_NIC_RULE_H

#include "expected_hash.h"

struct rule {
	struct ddp_offload_rule rule;
	const struct packet_class *of; // for which the rule was found
	const struct hashed *hashed;   // of a raw rule: the bits that are hashed
};

// Find a rule of the NIC that hashes exactly these bits of a class, the widest first: fn is called
// for one after the other until it returns true, which rule_find() then returns.
typedef bool (*rule_fn)(void *arg, const struct rule *rule);
bool rule_find(const struct ddp_nic *nic, const struct packet_class *class,
	       const struct hashed *hashed, rule_fn fn, void *arg);

// Find a rule that hashes these bits in any order, perhaps with the IP protocol: packets of the
// class that differ in these bits come apart, and all others stay together.
bool rule_find_spreading(const struct ddp_nic *nic, const struct packet_class *class,
			 const struct hashed *hashed, rule_fn fn, void *arg);
// A rule of level 2 that hashes the inner packet of the class. false: none, or fn refused it.
bool rule_find_level2(const struct ddp_nic *nic, const struct packet_class *class, rule_fn fn,
		      void *arg);

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

// The same for packets of any tunnel, known or not: addresses and ports of the packet that the NIC
// parses. false: none.
bool plain_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		  struct hashed *hashed);

// The order of creation: the wider rule first.
int rule_compare(const struct rule *a, const struct rule *b);

#endif
