/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: a plan while it is made. Each packet class is one item. Its verdicts:
// does the NIC hash the bits that the profile hashes, and, in a spread plan, the same fields?
#pragma once

#include "base/arena.h"
#include "offload.h"

struct draft;

/* Kinds of NIC (nics.c) */

#define HF(name) DDP_RSS_HF(name)

// Headers between the outer and the inner packet.
enum encap {
	ENCAP_NONE,
	ENCAP_GENEVE,
	ENCAP_GRE,
	ENCAP_GTPU,      // without a PDU session container
	ENCAP_GTPU_DOWN, // with a PDU session container, by direction
	ENCAP_GTPU_UP,
	ENCAP_IPIP,
	ENCAP_NVGRE,
	ENCAP_PPPOE, // no outer packet
	ENCAP_VXLAN,
	N_ENCAPS,
};
#define ENCAP(name) (1U << ENCAP_##name)
#define ENCAPS_GTPU (ENCAP(GTPU) | ENCAP(GTPU_DOWN) | ENCAP(GTPU_UP))
#define ENCAPS_FRAME (ENCAP(GENEVE) | ENCAP(NVGRE) | ENCAP(VXLAN))

enum l4 {
	L4_FRAGMENT,
	L4_OTHER,
	L4_UDP,
	L4_TCP,
	L4_SCTP,
	L4_ICMP,
	N_L4S,
};
#define L4(name) (1U << L4_##name)

// Items of a pattern, NULL-terminated; "ip" stands for ipv4 or ipv6.
typedef const char *nic_pattern[8];

// A tunnel pattern for RSS rules of level 2: they hash inner addresses, and ports of TCP and UDP.
struct nic_level2 {
	nic_pattern items;
	uint32_t encaps;
	const char *setup; // requirement of the NIC for users; NULL: none
};

#define NIC_DRIVERS 2 // drivers

struct ddp_nic {
	const char *name;
	const char *alias; // the product name; NULL: none
	const char *title;
	const char *drivers[NIC_DRIVERS];
	uint32_t encaps; // tunnels that it parses and reports
	uint32_t l4s;    // L4 headers that it parses and reports
	bool ipv6;       // extension headers do not change the hashed fields
	bool any_ipv4;   // drivers report IPv4 as one of three packet types
	bool ipsec;      // ESP, AH and L2TPv3 are known protocols
	uint16_t key_size;
	const uint16_t *udp_ports; // of tunnels but VXLAN, 0-terminated
	uint64_t rss_hf;           // types that hash addresses and ports as Microsoft specifies
	// Patterns that the driver accepts with the RSS types of their headers, terminated by an
	// empty one; NULL: none.
	const nic_pattern *patterns;
	const struct nic_level2 *level2; // terminated by encaps 0; NULL: none
	uint32_t inner_ports; // tunnels that hash outer addresses and inner ports without a rule
	bool labels;          // IP behind MPLS labels is hashed without a rule
	bool protocol;        // with UDP, TCP and SCTP, a word with the IP protocol is hashed first
	bool raw;             // it accepts raw patterns
	const char *note;     // on packets that it does not distinguish; NULL: none
};

static inline bool nic_parses(const struct ddp_nic *nic, enum encap encap) {
	return encap == ENCAP_NONE || (nic->encaps & 1U << encap) != 0;
}

/* Packet classes (packet_class.c) */

// A packet class is one packet with headers in their usual form, and a mask of the bits by which
// the NIC distinguishes it from others. Several classes represent a header of variable size.

#define PACKET_CLASS_SIZE 320
#define PACKET_CLASS_HEADERS 14 // headers

// Headers: id, name in the profile library, item of RSS rules ("": ignored, NULL: none).
#define CLASS_HEADERS(X)                   \
	X(ETH, "eth", "eth")               \
	X(VLAN, "vlan", "")                \
	X(IPV4, "ipv4", "ipv4")            \
	X(IPV6, "ipv6", "ipv6")            \
	X(IPV6_EXT, "ipv6_ext", "")        \
	X(IPV6_FRAG, "ipv6_frag", "")      \
	X(UDP, "udp", "udp")               \
	X(TCP, "tcp", "tcp")               \
	X(SCTP, "sctp", "sctp")            \
	X(ICMP, "icmp", "")                \
	X(ICMP6, "icmp6", "")              \
	X(GTPU, "gtpu", "gtpu")            \
	X(GTPU_PSC, "gtpu_psc", "gtp_psc") \
	X(VXLAN, "vxlan", NULL)            \
	X(GENEVE, "geneve", NULL)          \
	X(GRE, "gre", "gre")               \
	X(PPPOE, "pppoe", "pppoes")        \
	X(PPP, "ppp", "")
#define CLASS_HEADER_ID(id, name, item) HEADER_##id,
enum class_header_id {
	CLASS_HEADERS(CLASS_HEADER_ID) N_CLASS_HEADERS
};
extern const char *const class_header_names[N_CLASS_HEADERS], *const class_header_items[];

struct class_header {
	enum class_header_id id;
	uint16_t off, len;
};

struct packet_class {
	unsigned int outer, inner; // 4, 6; equal unless there are an outer and an inner packet
	enum encap encap;
	enum l4 l4;
	unsigned int n_vlans;
	bool options; // IPv4 options, IPv6 extension headers, TCP options, GTP-U sequence numbers
	unsigned int extension; // size of the IPv6 extension header, with options
	bool keyless;           // Ethernet in GRE without a key, which NICs treat as NVGRE
	bool later;             // not the first fragment

	uint8_t data[PACKET_CLASS_SIZE], known[PACKET_CLASS_SIZE];
	uint16_t len;
	struct class_header headers[PACKET_CLASS_HEADERS];
	unsigned int n_headers;
	// Indexes and ids of the headers that are items of a rule's pattern.
	uint8_t items[PACKET_CLASS_HEADERS], item_ids[PACKET_CLASS_HEADERS];
	unsigned int n_items;
	bool complete; // the items have all headers but those that rules ignore
	uint16_t udp;  // offset of a UDP header that precedes no tunnel; 0: none
	// In GTP-U classes, of IP only: offsets of correct lengths, and of no EtherType; or 0.
	uint16_t lengths[2], no_type;
	uint16_t other;  // offset of a protocol number that the NIC does not know; 0: none
	int first_inner; // index of the inner packet's first header; 0: no tunnel
	uint32_t ptype;
	int pctype;  // of the package; -1: a built-in one
	bool parsed; // the NIC distinguishes it
};

// Make all packet classes of the draft's NIC and tunnels. A spread plan also has classes without
// VLAN tags and options that the NIC does not distinguish.
void packet_classes_make(struct draft *d);

// Does the NIC recognize a tunnel by this port of a class's last UDP header?
bool packet_class_port_is_tunnel(const struct draft *d, const struct packet_class *class,
				 uint16_t port, bool source);

// Can a packet of a class with an unknown protocol have this protocol number?
bool packet_class_protocol_is_other(const struct draft *d, const struct packet_class *class,
				    uint8_t protocol);

// Print the headers: "eth ipv4 udp gtpu ipv4 tcp"; size bytes.
void packet_class_print(const struct packet_class *class, char *text, size_t size);

// The index of the last header of this kind; -1: none.
int packet_class_header(const struct packet_class *class, enum class_header_id id);
// The index of the header with this bit; behind the headers, that of the last one.
unsigned int packet_class_header_at(const struct packet_class *class, unsigned int bit);

static inline bool class_is_usual(const struct packet_class *class) {
	return !class->options && !class->later && !class->keyless;
}

static inline bool class_has_outer(const struct packet_class *class) {
	return class->encap != ENCAP_NONE && class->encap != ENCAP_PPPOE;
}

static inline bool class_has_ports(const struct packet_class *class) {
	return class->l4 == L4_UDP || class->l4 == L4_TCP || class->l4 == L4_SCTP;
}

static inline bool header_is_ip(enum class_header_id id) {
	return id == HEADER_IPV4 || id == HEADER_IPV6;
}

static inline bool header_is_l4(enum class_header_id id) {
	return id >= HEADER_UDP && id <= HEADER_SCTP;
}

/* Expected hashes (expected_hash.c) */

#define HASH_BITS (8 * DDP_MAX_INPUT_SIZE)
#define BIT_ZERO (-1) // a hashed bit that is always 0

// Offsets of the hashed bits of a packet, in order.
struct hashed {
	unsigned int n;
	int16_t bits[HASH_BITS];
};

struct expected_hash {
	bool exact;         // all packets of the class hash these bits
	bool complete;      // the profile finds all headers that the NIC finds
	uint16_t type;      // index in the program, for the packet that represents the class
	bool mixed_types;   // other packets of the class have other types
	bool depends;       // the hashed bits depend on values that the NIC does not read
	uint32_t rte_ptype; // RTE_PTYPE_* that net_ddp reports
	struct hashed hashed;
	char reason[160]; // the reason, unless it is exact
};

void expected_hash_make(const struct draft *d, const struct packet_class *class,
			struct expected_hash *expected);

static inline void hashed_add(struct hashed *hashed, unsigned int bit, unsigned int width) {
	const unsigned int left = HASH_BITS - hashed->n, n = width < left ? width : left;
	int16_t *bits = hashed->bits + hashed->n;

	for (unsigned int i = 0; i < n; i++)
		bits[i] = bit + i;
	hashed->n += n;
}

static inline void hashed_zeros(struct hashed *hashed, unsigned int n) {
	while (n-- > 0 && hashed->n < HASH_BITS)
		hashed->bits[hashed->n++] = BIT_ZERO;
}

bool hashed_same(const struct hashed *a, const struct hashed *b);

/* Intel's GTP package on a 700-series NIC (i40e_port.c) */

// The NIC finds the pctype and ptype of a packet. A pctype has an input set, the hashed words of
// the field vector in their order. A package names the protocols of its pctypes and ptypes, but not
// the packet fields of the words, which undocumented registers select. Intel documents them for its
// GTP package only, so a plan can predict the hash with no other package.

// The input set of the class's pctype that hashes exactly these bits. false: there is none.
bool i40e_inset_find(const struct packet_class *class, const struct hashed *hashed,
		     struct ddp_offload_inset *inset);

// The bits of a packet class that an input set of its pctype hashes. false: unknown.
bool i40e_inset_hashes(const struct ddp_offload_inset *inset, const struct packet_class *class,
		       struct hashed *hashed);

/* RSS rules of DPDK's drivers (nic_rule.c) */

struct rule {
	struct ddp_offload_rule rule;
	const struct packet_class *of; // the class for which the rule was found
	const struct hashed *hashed;   // hashed bits of a raw rule
};

// Add to the draft the widest accepted rule that hashes exactly these bits of a class. If spreads,
// the order of bits does not matter and the IP protocol may be hashed, too: packets that differ in
// these bits are spread, and all others stay together. false: there is no such rule.
bool rule_find(struct draft *d, const struct packet_class *class, const struct hashed *hashed,
	       bool spreads);
// A rule of level 2 that hashes the inner packet of the class.
bool rule_find_level2(struct draft *d, const struct packet_class *class);

// The relation of the bits of two hashes, without order and IP protocol, which a class shares.
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

// The bits of a class that a matching rule hashes. false: unknown.
bool rule_hashes(const struct ddp_nic *nic, const struct rule *rule,
		 const struct packet_class *class, struct hashed *hashed);

// The bits that the NIC hashes without a rule if all its types of rss_hf are enabled. false: none.
bool rss_hf_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		   struct hashed *hashed);

// Likewise for all tunnels: addresses and ports of the packet that the NIC parses. false: none.
bool plain_hashes(const struct ddp_nic *nic, const struct packet_class *class,
		  struct hashed *hashed);

void draft_rule_remove(struct draft *d, unsigned int at);
// Replace equal rules for uplink and downlink by one for both.
void draft_rules_join(struct draft *d);
struct ddp_offload_rule *draft_rules_copy(const struct draft *d);

/* The plan (plan.c, spread.c) */

enum hash_outcome {
	OUTCOME_UNHASHED, // the mbuf has no RSS flag: net_ddp hashes it
	OUTCOME_RIGHT,
	OUTCOME_WRONG,
};

struct item {
	const struct packet_class *class;
	struct expected_hash expected;
	// Equal hashes
	enum hash_outcome outcome;
	bool offloaded;             // its packet type is offloaded
	int rule;                   // the deciding one; -1: rss_hf or none
	const struct item *blocker; // item with this NIC packet type that prevents the offload
	bool blocked_by_type;       // the blocker is another packet type of the profile
	// Spread
	enum ddp_spread spread;
	uint32_t fields, hashed; // hashed by the NIC, and by the profile
};

struct draft {
	struct ddp_arena *arena; // freed with the draft
	struct ddp_arena *plan_arena;
	struct ddp_plan *plan; // its tunnels and input sets are made here
	const struct ddp_nic *nic;
	struct ddp_nic package_nic; // nic with the package
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct ddp_plan_request *request;
	struct packet_class *classes;
	unsigned int n_classes;
	uint32_t headers;   // of all classes that the NIC distinguishes: 1 << id
	struct item *items; // sorted by ptype, followed by those that the NIC does not distinguish
	unsigned int n_items; // without those that the NIC does not distinguish
	bool by_package;      // the NIC has the package
	bool by_rss_hf;
	struct rule *rules; // in the order of creation: wider ones first
	unsigned int n_rules;
};

// The hash of a class by a rule or an input set.
struct nic_hash {
	enum rule_match match; // RULE_NEVER: neither matches the class
	int rule;              // -1: none
	bool known;
	struct hashed hashed;
};
void draft_hash(const struct draft *d, const struct packet_class *class, struct nic_hash *hash);

// Make the spread plan of a draft whose plan is made; the draft's rules are lost.
void spread_make(struct draft *d);
