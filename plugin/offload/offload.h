/* SPDX-License-Identifier: BSD-3-Clause */
// A profile on real NICs: the part of it that each NIC can do, and the rules for it.
//
// A kind of NIC (struct ddp_nic) has the packets that its parser distinguishes, the rules that its
// driver accepts, and the bytes that each rule hashes. A plan compares them with a profile:
//
//	packet class   packets that the NIC distinguishes from others and reports with one packet
//	               type (RTE_PTYPE_*): headers, and which of their bits the NIC reads
//	expected hash  the bits of such a packet that the profile hashes, in order
//	rule           a request to the driver: an rte_flow RSS rule, or bits of rss_hf
//
// A packet type of the NIC is offloaded if all of its packet classes are one packet type of the
// profile, and for each class either the last matching rule hashes exactly the expected bits, so
// that hash and queue equal those of software, or no rule matches, so that the mbuf has no RSS
// flag. If a profile reads more of a packet than the NIC does, there is no expected hash. All other
// packets are hashed in software.
//
// The model excludes packets whose headers are truncated or contradict themselves (a TCP header of
// less than 20 bytes): NICs differ, and some report them like complete ones. All facts about NICs
// are from their drivers, not from tests with hardware.
//
//	plan = ddp_plan_build(ddp_nic_find("ice-comms"), profile, program, NULL);
#pragma once

#include "classify/classify.h"

#define DDP_OFFLOAD_ITEMS 12     // items of a pattern
#define DDP_OFFLOAD_RAW_SIZE 192 // maximum size of a raw pattern in bytes
#define DDP_OFFLOAD_TUNNELS 8    // tunnel ports
#define DDP_OFFLOAD_FIELDS 64    // words of 2 bytes in the field vector of a 700-series NIC
#define DDP_OFFLOAD_WORDS 24     // maximum number of hashed words of the vector
#define DDP_OFFLOAD_INSETS 12

struct ddp_nic;
struct ddp_package;

// All kinds, sorted by name.
extern const struct ddp_nic *const ddp_nics[];
extern const unsigned int ddp_n_nics;

// A kind by its name ("ice-comms") or its alias ("e810"); NULL for none.
const struct ddp_nic *ddp_nic_find(const char *name);
// The least capable kind that a driver ("net_iavf") drives; of an unknown one "generic".
const struct ddp_nic *ddp_nic_of_driver(const char *driver);
// The kind of an 800-series NIC with this package; NULL: no such kind is known.
const struct ddp_nic *ddp_nic_of_package(const struct ddp_package *package);
const char *ddp_nic_name(const struct ddp_nic *nic);
const char *ddp_nic_alias(const struct ddp_nic *nic); // NULL: it has none
const char *ddp_nic_title(const struct ddp_nic *nic); // printable

enum ddp_offload_class {
	DDP_OFFLOAD_HARDWARE,
	DDP_OFFLOAD_PARTLY,   // some of its packets
	DDP_OFFLOAD_SOFTWARE, // net_ddp hashes it
	DDP_OFFLOAD_NONE,     // not hashed: the profile has no input set for it
};
const char *ddp_offload_class_name(enum ddp_offload_class class);

// An RSS rule. It has no key, and uses the hash function of the port.
struct ddp_offload_rule {
	unsigned int n_items;                 // 0: a raw rule
	const char *items[DDP_OFFLOAD_ITEMS]; // as testpmd names them
	int pdu_type;                         // of gtp_psc; -1: both
	uint64_t types;                       // RTE_ETH_RSS_*
	unsigned int level;                   // 2: the inner packet is hashed; 0: as the NIC does
	unsigned int n_queues;                // of a rule of level 2, which must list them; else 0
	unsigned int size;                    // of a raw rule in bytes
	uint8_t spec[DDP_OFFLOAD_RAW_SIZE], mask[DDP_OFFLOAD_RAW_SIZE];
};

// The part of a plan for a packet type of the profile.
struct ddp_offload_type {
	enum ddp_offload_class class;
	char reason[384]; // one sentence without its full stop
	const char *note; // common end of several reasons, printed after ": "; NULL: none
};

// A packet type of the NIC that the NIC hashes if the mbuf has the RSS flag.
struct ddp_offload_ptype {
	uint32_t rte_ptype;
	uint32_t found; // RTE_PTYPE_* that net_ddp gives such a packet
	uint16_t type;  // index in the program
	// for the port: packets with another hash, as last seen; how often the proof doubled
	uint8_t level;
	uint32_t checked, wrong;
};

// The words that a 700-series NIC hashes for a pctype of a package.
struct ddp_offload_inset {
	uint8_t pctype;
	uint8_t n;
	uint8_t words[DDP_OFFLOAD_WORDS]; // of the field vector, in its order
};

struct ddp_plan {
	struct ddp_arena *arena; // owns the plan
	const struct ddp_nic *nic;
	const struct ddp_package *package;                   // required on the NIC; NULL: none
	struct ddp_offload_inset insets[DDP_OFFLOAD_INSETS]; // one per pctype at most
	unsigned int n_insets;                               // 0 without a package
	uint64_t rss_hf;                                     // RTE_ETH_RSS_* to enable
	uint16_t vxlan_ports[DDP_OFFLOAD_TUNNELS];           // to declare, in host order
	unsigned int n_tunnels;
	struct ddp_offload_rule *rules; // in the order of creation
	unsigned int n_rules;
	struct ddp_offload_type *types; // as in the program
	unsigned int n_types;
	struct ddp_offload_ptype *ptypes; // sorted by rte_ptype
	unsigned int n_ptypes;
	struct ddp_spread_plan *spread; // NULL: not requested, or a package as profile
};

// Parameters of a plan besides the profile.
struct ddp_plan_request {
	uint64_t rss_hf;       // for profiles whose fields are selected by it
	unsigned int key_size; // of the NIC; 0: that of its kind
	unsigned int n_queues; // of the NIC, for rules of a spread plan that list them
	// The NIC spreads packets over its own queues, so that it must also hash packets without a
	// rule. Ignored for kinds without a reliable rss_hf.
	bool spreads;
	bool spread; // also make a spread plan
	// The package of a 700-series NIC, accepted by ddp_i40e_package_covers(), or NULL. It must
	// outlive the plan.
	const struct ddp_package *package;
	// Does the driver accept a rule? (It may refuse a rule that other drivers of its kind
	// accept.) NULL: yes.
	bool (*accepts)(void *ctx, const struct ddp_offload_rule *rule);
	void *ctx;
};

// Make the plan of a profile and its program. request NULL: all of rss_hf, and every rule. Returns
// NULL if memory is short.
struct ddp_plan *ddp_plan_build(const struct ddp_nic *nic, const struct ddp_profile *profile,
				const struct ddp_program *program,
				const struct ddp_plan_request *request);
void ddp_plan_destroy(struct ddp_plan *plan);

// Print the rule as an argument of testpmd's `flow create`, from "pattern" on.
void ddp_offload_rule_print(const struct ddp_offload_rule *rule, FILE *to);

// Commands that set up a plan. fn is called for each.
typedef void (*ddp_command_fn)(void *arg, const char *command);
// For testpmd. Returns how many rules are too long for its lines, and omitted, or -ENOMEM.
int ddp_plan_testpmd(const struct ddp_plan *plan, ddp_command_fn fn, void *arg);
// For Linux's driver, as far as ethtool has settings. Returns whether they are complete.
bool ddp_plan_ethtool(const struct ddp_plan *plan, ddp_command_fn fn, void *arg);

/* Spread plans */

// A plan needs equal hash values, because net_ddp and the NIC share the work. A spread plan is for
// the NIC alone: it has the fields by which the NIC can spread the packets of a profile, whether or
// not the hash values are equal. It considers packets in their usual form, without tunnels in
// tunnels, tunnels at other ports and fragments inside of tunnels.

// The fields by which the NIC spreads packets of a packet type.
enum ddp_spread {
	DDP_SPREAD_SAME,     // by the fields that the profile hashes
	DDP_SPREAD_FEWER,    // by some of them
	DDP_SPREAD_OTHERS,   // by more fields, or by others of the inner packet
	DDP_SPREAD_OUTER,    // by headers outside of the tunnel
	DDP_SPREAD_NONE,     // not at all
	DDP_SPREAD_UNWANTED, // the profile has no input set for it
};

struct ddp_spread_type {
	enum ddp_spread spread; // the worst of its packets
	bool partly;            // other packets of the type are spread by the same fields
	bool wanted;            // it counts for the verdict
	char by[80];            // fields that the NIC hashes: "inner addresses and ports"
	char hashed[80];        // fields that the profile hashes; "" if it hashes the same
	uint32_t fields;        // bits of `by` for the worst packets
};

enum ddp_spread_verdict {
	DDP_SPREAD_HARDWARE, // the NIC spreads all packet types that matter
	DDP_SPREAD_BOTH,     // some of them; net_ddp has to hash the others
	DDP_SPREAD_SOFTWARE, // none of them
};

struct ddp_spread_plan {
	enum ddp_spread_verdict verdict;
	bool tunnels;                   // packet types of tunnels matter; else all that are hashed
	unsigned int n_wanted;          // packet types that matter
	unsigned int n_spread;          // of n_wanted: all packets are spread
	unsigned int n_partly;          // of n_wanted: some packets are spread
	unsigned int n_same;            // of n_spread: spread by the fields that the profile hashes
	const char *setup;              // requirement of the rules for users; NULL: none
	struct ddp_offload_rule *rules; // in the order of creation
	unsigned int n_rules;
	struct ddp_spread_type *types; // as in the program
	unsigned int n_types;
};

const char *ddp_spread_name(enum ddp_spread spread);
const char *ddp_spread_verdict_name(enum ddp_spread_verdict verdict);
// The commands for testpmd. Returns how many rules are too long for it, or fn's below 0.
int ddp_spread_testpmd(const struct ddp_spread_plan *spread, ddp_command_fn fn, void *arg);

// Change the input sets of a loaded profile to the fields that the NIC hashes, so that a program of
// this profile spreads packets as the NIC does with these rules. false: no memory.
bool ddp_spread_apply(const struct ddp_spread_plan *spread, struct ddp_profile *profile);
