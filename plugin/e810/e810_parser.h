/* SPDX-License-Identifier: BSD-3-Clause */
// Model of the 800 series' receive parser, by the tables of a package.
//
//	parser = e810_parser_create(package, &config, &diag);
//	e810_parse(parser, data, len, &result);
//
// The tables, and the rules by which a software parser uses them, are exact. ddp-packages(7) lists
// the unknown rest: the model was not compared with a NIC.
#pragma once

#include "e810.h"

struct e810_parser;

#define E810_NO_PTYPE UINT16_MAX
#define E810_PORTS_MAX 16  // ports
#define E810_N_PTYPES 1024 // packet types
#define E810_N_MARKERS 72  // markers
#define E810_N_NODES 2048  // nodes of the parse graph
#define E810_WINDOW 504    // bytes: the parser reads no more of a packet

enum e810_tunnel {
	E810_VXLAN,
	E810_GENEVE,
	E810_ECPRI,
	E810_N_TUNNELS,
};

// Run-time settings of a driver. Ports in host order.
struct e810_config {
	struct e810_ports {
		uint16_t ports[E810_PORTS_MAX];
		unsigned int n;
	} tunnels[E810_N_TUNNELS];
	bool double_vlan;
};

enum e810_status {
	E810_OK,
	E810_ERROR, // no entry of the parse graph matches; the result is that of the steps before
	E810_LOOP,  // the walk makes no progress
};

struct e810_protocol {
	uint8_t id;
	uint16_t offset;
};

struct e810_result {
	enum e810_status status;
	uint16_t ptype; // E810_NO_PTYPE: no entry matches, or E810_LOOP
	uint64_t parser_flags, packet_flags;
	uint16_t rss_flags, fd_flags, sw_flags;
	unsigned int n_steps;
	uint16_t end;  // last header offset
	uint16_t node; // last node
	unsigned int n_protocols;
	struct e810_protocol protocols[255]; // ascending ids
};

// Create a parser. It copies the tables, but uses the labels of the package, which must outlive it.
// NULL with errors in diag: a table refers to an entry that is missing, or has no entry for a
// tunnel port (eCPRI in both public packages).
struct e810_parser *e810_parser_create(const struct ddp_package *package,
				       const struct e810_config *config, struct ddp_diag *diag);
void e810_parser_destroy(struct e810_parser *parser);

// Parse at most E810_WINDOW of the len bytes of a packet. Never allocates, never reads beyond
// data[len - 1], always ends: after at most 64 steps for each byte, usually after fewer than 10
// steps. Any number of threads. Only n_protocols elements of result->protocols are written.
void e810_parse(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
		struct e810_result *result);

// The bits that decide a walk, for caches of results (the path cache of net_ddp). All packets of at
// least min_len bytes that equal this one in the bits of mask have the same status, ptype,
// protocols, rss_flags, tunnel type (packet flags 38 to 40), n_steps and node. The other flags and
// the end may differ (TCP flags, a UDP checksum of zero, the length of a last header). mask has no
// bits at or beyond min_len.
struct e810_trace {
	bool lost;        // no such set of packets: the end of this one decided
	uint32_t min_len; // bytes
	uint8_t mask[512];
};

// An entry of the parse graph.
struct e810_edge {
	uint16_t node;
	uint8_t boost;     // index of the matching boost TCAM entry, 0 for none
	bool no_match;     // of the no-match CAM, for any next protocol
	uint32_t protocol; // the next protocol
	uint16_t index;    // in the CAM and its spill

	uint16_t next_node;
	uint16_t ho_add; // to the header offset, modulo 65536
	uint8_t next_pc;
	bool last; // parsing ends
	uint64_t markers;
	uint8_t markers_high; // from 64 on
	uint8_t n_protocols;
	struct e810_protocol protocols[8]; // offset: added to that of the step
};

static inline bool e810_edge_marks(const struct e810_edge *edge, unsigned int marker) {
	return marker < 64 ? edge->markers >> marker & 1 : edge->markers_high >> (marker - 64) & 1;
}

// All entries in the order of the tables. Returns the first node.
uint16_t e810_edges(const struct e810_parser *parser, const struct e810_edge **edges,
		    unsigned int *n);

// One step of a walk, for text output.
struct e810_step {
	uint16_t node, pc, offset; // before the step
	uint8_t key[20];           // of the boost TCAM
	int boost;                 // address of the entry that matched, -1 for none
	uint8_t boost_index;
	uint32_t next_protocol;
	const struct e810_edge *edge; // the match; NULL: none, and later members are not set
	uint16_t next_node, next_pc, next_offset;
	uint16_t protocol_offset; // added to offsets of the edge's protocols
};
typedef void (*e810_step_fn)(void *arg, const struct e810_step *step);

// Parse with a trace and a callback for each step; both may be NULL.
void e810_parse_watched(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
			struct e810_result *result, struct e810_trace *trace, e810_step_fn fn,
			void *arg);

// Text output: find the entry of the packet type TCAM that matches these markers, else the first
// one with the fewest markers that differ. Returns how many differ; UINT_MAX: there is no entry.
struct e810_ptype_entry {
	uint16_t address, ptype;
	bool differs[E810_N_MARKERS];
};
unsigned int e810_ptype_nearest(const struct e810_parser *parser,
				const bool markers[E810_N_MARKERS],
				struct e810_ptype_entry *nearest);

// Names for users, from labels of the package and from recorded protocols. Packet type: such as
// "MAC_IPV4_GTPU_IPV4_UDP_PAY"; "PTYPE_417" without a label, "NONE" for E810_NO_PTYPE. Never NULL.
const char *e810_ptype_name(const struct e810_parser *parser, uint16_t ptype);
// Does an entry of the marker TCAM have this ptype?
bool e810_ptype_used(const struct e810_parser *parser, uint16_t ptype);

#define E810_CHAIN_MAX 16 // headers

// Protocol sequence of a packet type, outermost first, as header names of the profile library
// ("eth", "ipv4", "udp", "gtpu", ...). Other names are "tunnel" for GRE, VXLAN, VXLAN-GPE and
// GENEVE, which packet types do not distinguish, "lldp", "ptp" and "mac_control". VLAN tags, MPLS
// labels and extension headers are not part of packet types. Returns the number of headers.
unsigned int e810_ptype_chain(const struct e810_parser *parser, uint16_t ptype,
			      const char *chain[E810_CHAIN_MAX]);
// The headers of a parsed packet that are wholly captured, with offsets: those that the parser
// recorded, and those that it parsed without recording (MPLS labels, IPv6 and GTP-U extension
// headers, the tunnel's header), read from the packet. Of too many recorded ones go first. trace
// (or NULL) gets the bits read and the ends of headers, so that its packets have this chain.
unsigned int e810_result_chain(const struct e810_parser *parser, const struct e810_result *result,
			       const uint8_t *data, uint32_t len, const char *chain[E810_CHAIN_MAX],
			       uint16_t offsets[E810_CHAIN_MAX], struct e810_trace *trace);
// A hardware protocol id: "ipv4 (outer or only)", ... Never NULL.
const char *e810_protocol_name(const struct e810_parser *parser, uint8_t id);
// The meaning of a packet flag; some labels of public packages are wrong. NULL: unknown.
const char *e810_packet_flag_name(unsigned int flag);
// The packet flag that sets a bit, 0 to 14, of the flags of the RSS block. 64: none.
unsigned int e810_rss_flag_source(const struct ddp_package *package, unsigned int bit);
// The mbuf's packet_type for a ptype (RTE_PTYPE_*), as DPDK's ice driver sets it; 0: unknown.
uint32_t e810_ptype_rte(uint16_t ptype);
