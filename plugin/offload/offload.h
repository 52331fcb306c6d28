/* SPDX-License-Identifier: BSD-3-Clause */
// A profile on real NICs: what each can do of it, and how.
//
// A kind of NIC (struct ddp_nic, one file each) says which packets its parser tells apart, which
// rules its driver accepts, and which bytes such a rule hashes. A plan compares that with a
// profile:
//
//	shape    a kind of packet that the NIC tells from others, and reports with a packet type
//	         (RTE_PTYPE_*): headers, and which of their bits the NIC looked at
//	promise  the bits of such a packet that the profile hashes, in order
//	rule     what the driver is asked for: an rte_flow RSS rule, or bits of rss_hf
//
// A packet type of the NIC is the NIC's to hash if for every shape that it stands for the last rule
// that matches hashes exactly what was promised, so that queue and hash are those of software, or
// no rule matches, so that the mbuf has no RSS flag; and if all of them are one packet type to the
// profile. A profile that looks at more of a packet than the NIC does promises nothing that the NIC
// could keep. All else stays in software, packet by packet.
//
// Not in the model, as no NIC tells: packets whose headers contradict themselves (a TCP header of
// less than 20 bytes). It knows the NICs from their drivers, not from silicon.
//
//	plan = ddp_plan_build(ddp_nic_find("ice-comms"), profile, program, NULL);
#ifndef DDP_OFFLOAD_OFFLOAD_H
#define DDP_OFFLOAD_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "classify/classify.h"
#include "profile/profile.h"

#define DDP_OFFLOAD_ITEMS 12
#define DDP_OFFLOAD_RAW_SIZE 192 // bytes of a raw pattern
#define DDP_OFFLOAD_TUNNELS 8
#define DDP_OFFLOAD_FIELDS 64 // words of a 700-series NIC's field vector, of 2 bytes each
#define DDP_OFFLOAD_WORDS 24  // of them that can be hashed
#define DDP_OFFLOAD_INSETS 12

struct ddp_nic;
struct ddp_package;

// All kinds, sorted by name.
extern const struct ddp_nic *const ddp_nics[];
extern const unsigned int ddp_n_nics;

// A kind by its name ("ice-comms"); NULL for none.
const struct ddp_nic *ddp_nic_find(const char *name);
// The kind that a driver ("net_iavf") drives; for one that has several the least able. Never NULL:
// any driver that nobody wrote down is of the kind "generic".
const struct ddp_nic *ddp_nic_of_driver(const char *driver);
const char *ddp_nic_name(const struct ddp_nic *nic);
const char *ddp_nic_title(const struct ddp_nic *nic); // for people

enum ddp_offload_class {
	DDP_OFFLOAD_HARDWARE,
	DDP_OFFLOAD_PARTLY,   // some of its packets
	DDP_OFFLOAD_SOFTWARE, // net_ddp hashes it
	DDP_OFFLOAD_NONE,     // nobody does: the profile has no input set for it
};
const char *ddp_offload_class_name(enum ddp_offload_class class);

// An RSS rule: no queues, no key, the port's hash function.
struct ddp_offload_rule {
	unsigned int n_items;                 // 0: a raw one
	const char *items[DDP_OFFLOAD_ITEMS]; // as testpmd names them
	int pdu_type;                         // of gtp_psc; -1: both
	uint64_t types;                       // RTE_ETH_RSS_*
	unsigned int size;                    // of a raw one
	uint8_t spec[DDP_OFFLOAD_RAW_SIZE], mask[DDP_OFFLOAD_RAW_SIZE];
};

// What becomes of a packet type of the profile.
struct ddp_offload_type {
	enum ddp_offload_class class;
	char reason[384]; // one sentence without its full stop
};

// A packet type of the NIC that is the NIC's to hash, if the mbuf has the RSS flag.
struct ddp_offload_ptype {
	uint32_t rte_ptype;
	uint32_t found; // RTE_PTYPE_* that net_ddp would give such a packet
	uint16_t type;  // of the program
};

struct ddp_offload_tunnel {
	const char *header; // "vxlan"
	uint16_t port;
};

// What a 700-series NIC hashes of the packets of a package's pctype.
struct ddp_offload_inset {
	uint8_t pctype;
	uint8_t n;
	uint8_t words[DDP_OFFLOAD_WORDS]; // of the field vector, in its order
};

struct ddp_plan {
	const struct ddp_nic *nic;
	const struct ddp_package *package; // that the NIC is to have; NULL: none
	struct ddp_offload_inset insets[DDP_OFFLOAD_INSETS];
	unsigned int n_insets;                                  // 0 without a package
	uint64_t rss_hf;                                        // to be asked for
	struct ddp_offload_tunnel tunnels[DDP_OFFLOAD_TUNNELS]; // to be declared
	unsigned int n_tunnels;
	struct ddp_offload_rule *rules; // in the order in which they are to be made
	unsigned int n_rules;
	struct ddp_offload_type *types; // as in the program
	unsigned int n_types;
	struct ddp_offload_ptype *ptypes; // sorted by rte_ptype
	unsigned int n_ptypes;
};

// What is asked of a plan beyond the profile.
struct ddp_plan_ask {
	uint64_t rss_hf;       // that a profile sees whose fields are chosen by it
	unsigned int key_size; // of the NIC, 0: what its kind has
	// The NIC spreads packets over queues of its own: what no rule is for must go on to be
	// hashed. (Kinds that have no rss_hf to rely on do without.)
	bool spreads;
	// That a 700-series NIC has, or would be given; NULL: none. It must outlive the plan.
	const struct ddp_package *package;
	// May a rule be part of the plan? (A driver may refuse what others of its kind accept.)
	bool (*accepts)(void *ctx, const struct ddp_offload_rule *rule);
	void *ctx;
};

// NULL with errno ENOMEM. ask may be NULL: all of rss_hf, every rule. The program is the profile's,
// with which it must outlive the plan.
struct ddp_plan *ddp_plan_build(const struct ddp_nic *nic, const struct ddp_profile *profile,
				const struct ddp_program *program, const struct ddp_plan_ask *ask);
void ddp_plan_destroy(struct ddp_plan *plan);

// The rule as `flow create` of testpmd has it, from "pattern" on.
void ddp_offload_rule_print(const struct ddp_offload_rule *rule, FILE *to);

// The commands that do the same by hand, one call of fn each.
typedef void (*ddp_command_fn)(void *arg, const char *command);
// Returns how many rules are left out, since testpmd's lines are too short for them; -ENOMEM.
int ddp_plan_testpmd(const struct ddp_plan *plan, ddp_command_fn fn, void *arg);
// Of Linux's driver; what it has no words for is left out. Returns whether that is nothing.
bool ddp_plan_ethtool(const struct ddp_plan *plan, ddp_command_fn fn, void *arg);

#endif
