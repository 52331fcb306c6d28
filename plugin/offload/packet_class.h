/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the packets that a NIC distinguishes.
//
// A packet class is one packet, with headers in their usual form, and a mask of the bits that the
// NIC reads to distinguish it from others. Headers of variable size are represented by several
// sizes.
#ifndef DDP_OFFLOAD_PACKET_CLASS_H
#define DDP_OFFLOAD_PACKET_CLASS_H

#include "nic.h"

#define PACKET_CLASS_SIZE 320
#define PACKET_CLASS_HEADERS 14

// Headers: id, name in the profile library, item of NICs' RSS rules ("": rules pass over the
// header, NULL: no driver has one).
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
	uint8_t data[PACKET_CLASS_SIZE], known[PACKET_CLASS_SIZE];
	uint16_t len;
	struct class_header headers[PACKET_CLASS_HEADERS];
	unsigned int n_headers;
	// As a rule's pattern: which headers are its items.
	uint8_t items[PACKET_CLASS_HEADERS], item_ids[PACKET_CLASS_HEADERS];
	unsigned int n_items;
	bool complete; // no header is left out but those that rules pass over
	uint16_t udp;  // offset of a UDP header that precedes no tunnel; 0: none
	// Of GTP-U, where the NIC takes a user's packet for IP, and the class has what is IP:
	// offsets of lengths that are right, and of a frame's EtherType, which is none; 0: nowhere.
	uint16_t lengths[2], no_type;
	uint16_t other;  // offset of a protocol number that the NIC does not know; 0: none
	int first_inner; // index of the inner packet's first header; 0: no tunnel
	uint32_t ptype;
	int pctype;                             // defined by a package; -1: a built-in one
	const struct i40e_published *published; // of the pctype
	enum encap encap;
	enum l4 l4;
	unsigned int outer, inner; // 4, 6; without a tunnel both are equal
	bool usual;                // no tag except VLAN, no option, no extension header
	bool tagged;
	bool parsed; // the NIC distinguishes it
};

struct packet_classes {
	struct packet_class *classes;
	unsigned int n;
	unsigned int room;
	const struct ddp_nic *nic;
	bool has_package; // Intel's for GTP
	const struct ddp_offload_tunnel *tunnels;
	unsigned int n_tunnels;
	uint32_t headers; // of all classes that the NIC distinguishes: bits 1 << id
	bool wide;
	bool failed;
};

// Make all packet classes of a NIC, with Intel's GTP package or without, and these tunnels. wide:
// and also usual ones without a tag that the NIC does not distinguish. false: out of memory.
bool packet_classes_make(struct packet_classes *classes, const struct ddp_nic *nic,
			 bool has_package, const struct ddp_offload_tunnel *tunnels,
			 unsigned int n_tunnels, bool wide);
void packet_classes_free(struct packet_classes *classes);

// Does the NIC recognize a tunnel by this port of a class's last UDP header?
bool packet_classes_port_is_tunnel(const struct packet_classes *classes,
				   const struct packet_class *class, uint16_t port, bool source);

// Can a packet of a class with an unknown protocol have this protocol number?
bool packet_class_protocol_is_other(const struct packet_classes *classes,
				    const struct packet_class *class, uint8_t protocol);

// Print the headers: "eth ipv4 udp gtpu ipv4 tcp"; size bytes.
void packet_class_print(const struct packet_class *class, char *text, size_t size);

// The index of the last header of this kind; -1: none.
int packet_class_header(const struct packet_class *class, enum class_header_id id);

static inline bool class_has_ports(const struct packet_class *class) {
	return class->l4 == L4_UDP || class->l4 == L4_TCP || class->l4 == L4_SCTP;
}

static inline bool header_is_ip(enum class_header_id id) {
	return id == HEADER_IPV4 || id == HEADER_IPV6;
}

static inline bool header_is_l4(enum class_header_id id) {
	return id >= HEADER_UDP && id <= HEADER_SCTP;
}

#endif
