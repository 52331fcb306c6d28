/* SPDX-License-Identifier: BSD-3-Clause */
// Model of the 800 series' receive parser: for a packet, what the NIC's own tables make of it.
//
//	parser = e810_parser_create(package, &config, &diag);
//	e810_parse(parser, data, len, &result);
//
// The package's tables, and the rules by which a software parser follows them, are exact. README.md
// lists the rest, which is not known as no silicon was at hand.
#ifndef DDP_E810_E810_PARSER_H
#define DDP_E810_E810_PARSER_H

#include "e810.h"

struct e810_parser;

#define E810_NO_PTYPE UINT16_MAX
#define E810_PORTS_MAX 16
#define E810_N_PTYPES 1024
#define E810_N_MARKERS 72
#define E810_N_NODES 2048
#define E810_WINDOW 504 // bytes of a packet that the parser sees

enum e810_tunnel {
	E810_VXLAN,
	E810_GENEVE,
	E810_ECPRI,
	E810_N_TUNNELS,
};

// Settings that a driver makes at run time. Ports in host order.
struct e810_config {
	struct e810_ports {
		uint16_t ports[E810_PORTS_MAX];
		unsigned int n;
	} tunnels[E810_N_TUNNELS];
	bool double_vlan;
};

enum e810_status {
	E810_OK,
	E810_ERROR, // no entry of the parse graph: what was gathered before
	E810_LOOP,  // the walk makes no progress
};

struct e810_protocol {
	uint8_t id;
	uint16_t offset;
};

struct e810_result {
	enum e810_status status;
	uint16_t ptype; // E810_NO_PTYPE where no entry matches, and for E810_LOOP
	uint64_t parser_flags, packet_flags;
	uint16_t rss_flags, fd_flags, sw_flags;
	unsigned int n_steps;
	uint16_t end;  // header offset where the walk ended
	uint16_t node; // and at which node
	unsigned int n_protocols;
	struct e810_protocol protocols[255]; // ascending ids
};

// NULL with errors in diag: a table refers to what is not there, no place for a tunnel port (eCPRI
// in both public packages). Copies what it needs of the package's tables but keeps the package for
// its labels: package must outlive the parser.
struct e810_parser *e810_parser_create(const struct ddp_package *package,
				       const struct e810_config *config, struct ddp_diag *diag);
void e810_parser_destroy(struct e810_parser *parser);

// Parse len bytes of a packet, of which at most E810_WINDOW are looked at. Never allocates, never
// reads beyond data[len - 1], always ends: after at most 64 steps a byte, usually after fewer than
// 10 in all. Any number of threads. Of result->protocols only n_protocols are written.
void e810_parse(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
		struct e810_result *result);

// The bits that decided a walk, for caches of results (the path cache of net_ddp): all packets of
// at least min_len bytes that have the bits of mask in common with this one have the same status,
// ptype, protocols, rss_flags, tunnel type (packet flags 38 to 40), n_steps and node. The other
// flags and the end may differ (TCP flags, a UDP checksum of zero, the length of a last header).
// mask has no bits at or beyond min_len.
struct e810_trace {
	bool lost;        // there is no such set of packets: where this one ends decided
	uint32_t min_len; // bytes
	uint8_t mask[512];
};

// An entry of the parse graph.
struct e810_edge {
	uint16_t node;
	uint8_t boost; // index of the entry of the boost TCAM that matches, 0 for none
	bool no_match; // any next protocol: of the no-match CAM (1024 entries), not the CAM (2048)
	uint32_t protocol; // the next protocol
	uint16_t index;    // in the CAM, which its spill follows

	uint16_t next_node;
	uint16_t ho_add; // to the header offset, modulo 65536
	uint8_t next_pc;
	bool last; // parsing ends
	uint64_t markers;
	uint8_t markers_high; // from 64 on
	uint8_t n_protocols;
	struct e810_protocol protocols[8]; // offset: what is added to that of the step
};

static inline bool e810_edge_marks(const struct e810_edge *edge, unsigned int marker) {
	return marker < 64 ? edge->markers >> marker & 1 : edge->markers_high >> (marker - 64) & 1;
}

// All entries in the order of the tables. Returns the node where parsing begins.
uint16_t e810_edges(const struct e810_parser *parser, const struct e810_edge **edges,
		    unsigned int *n);

// For people: one step of a walk.
struct e810_step {
	uint16_t node, pc, offset; // before the step
	uint8_t key[20];           // searched in the boost TCAM
	int boost;                 // address of the entry that matched, -1 for none
	uint8_t boost_index;
	uint32_t next_protocol;
	const struct e810_edge *edge; // that matched; NULL: none, and what follows is not set
	uint16_t next_node, next_pc, next_offset;
	uint16_t protocol_offset; // to which those of the edge's protocols are added
};
typedef void (*e810_step_fn)(void *arg, const struct e810_step *step);

// Parse with a trace, or steps; each may be NULL.
void e810_parse_watched(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
			struct e810_result *result, struct e810_trace *trace, e810_step_fn fn,
			void *arg);

// For people: the entry of the packet type TCAM that matches these markers, or of those that do not
// the first one with the fewest markers that differ. Returns how many differ; UINT_MAX: there is no
// entry.
struct e810_ptype_entry {
	uint16_t address, ptype;
	bool differs[E810_N_MARKERS];
};
unsigned int e810_ptype_nearest(const struct e810_parser *parser,
				const bool markers[E810_N_MARKERS],
				struct e810_ptype_entry *nearest);

// Names for users, derived from the package's labels and what the parser records.
// Packet type: such as "MAC_IPV4_GTPU_IPV4_UDP_PAY"; "PTYPE_417" where it has no label, "NONE" for
// E810_NO_PTYPE. Never NULL.
const char *e810_ptype_name(const struct e810_parser *parser, uint16_t ptype);
// Whether an entry of the marker TCAM can lead to the ptype.
bool e810_ptype_used(const struct e810_parser *parser, uint16_t ptype);

#define E810_CHAIN_MAX 16

// Protocol sequence of a packet type, outermost first, as header names of the profile library
// ("eth", "ipv4", "udp", "gtpu", ...), and "tunnel" for one of GRE, VXLAN, VXLAN-GPE and GENEVE,
// which packet types do not tell apart, "lldp", "ptp" and "mac_control", which the library has not.
// VLAN tags, MPLS labels and extension headers are not part of packet types. Returns how many.
unsigned int e810_ptype_chain(const struct e810_parser *parser, uint16_t ptype,
			      const char *chain[E810_CHAIN_MAX]);
// The headers of a parsed packet, with offsets: those that the parser recorded, and between them
// those that it walked without recording (MPLS labels, IPv6 and GTP-U extension headers, the
// tunnel's header), read from the packet. Only headers that are wholly captured; where there are
// too many, the recorded ones first. What it looked at is added to the trace of the walk, which
// then stands for packets that have the same chain, too: it reads what the parser does not, and
// where headers end. trace may be NULL.
unsigned int e810_result_chain(const struct e810_parser *parser, const struct e810_result *result,
			       const uint8_t *data, uint32_t len, const char *chain[E810_CHAIN_MAX],
			       uint16_t offsets[E810_CHAIN_MAX], struct e810_trace *trace);
// A hardware protocol id: "ipv4 (outer or only)", ... Never NULL.
const char *e810_protocol_name(const struct e810_parser *parser, uint8_t id);
// The meaning of a packet flag: labels of public packages are wrong about some. NULL: not known.
const char *e810_packet_flag_name(unsigned int flag);
// The packet flag that sets a bit, 0 to 14, of the flags of the RSS block. 64: none.
unsigned int e810_rss_flag_source(const struct ddp_package *package, unsigned int bit);
// rte_mbuf packet_type of a ptype, as DPDK's ice driver would report it (RTE_PTYPE_*), 0 for
// unknown.
uint32_t e810_ptype_rte(uint16_t ptype);

#endif
