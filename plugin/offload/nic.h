/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: what is known of a kind of NIC.
#ifndef DDP_OFFLOAD_NIC_H
#define DDP_OFFLOAD_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rss_hf.h"
#include "offload.h"

#define HF(name) DDP_RSS_HF(name)

// What may be between the outer and the inner packet.
enum encap {
	ENCAP_NONE,
	ENCAP_GENEVE,
	ENCAP_GRE,
	ENCAP_GTPU,      // without a PDU session container
	ENCAP_GTPU_DOWN, // with one
	ENCAP_GTPU_UP,
	ENCAP_IPIP,
	ENCAP_NVGRE,
	ENCAP_PPPOE, // no outer packet
	ENCAP_VXLAN,
	N_ENCAPS,
};
#define ENCAP(name) (1U << ENCAP_##name)
#define ENCAPS_GTPU (ENCAP(GTPU) | ENCAP(GTPU_DOWN) | ENCAP(GTPU_UP))
#define ENCAPS_UDP (ENCAPS_GTPU | ENCAP(GENEVE) | ENCAP(VXLAN))
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

// A pattern that the driver accepts and the types it may have. "ip" stands for ipv4 or ipv6,
// types_v6 are those for a pattern whose last is ipv6.
struct nic_pattern {
	const char *items;
	uint64_t types_v4, types_v6;
};

// Does the hash of a pattern that ends in UDP, TCP or SCTP have the IP protocol, too?
enum nic_protocol {
	PROTOCOL_NEVER,
	PROTOCOL_FIRST, // before the addresses, in a word of its own
	PROTOCOL_LAST,  // behind all else in a tunnel
};

struct ddp_nic {
	const char *name;
	const char *title;
	const char *const *drivers; // NULL-terminated
	uint32_t encaps;            // that it parses and reports
	uint32_t l4s;               // the same
	bool ipv6;                  // extension headers do not change what it hashes
	bool any_ipv4;              // IPv4 is reported in any of three ways
	bool grenat;                // tunnels are reported as one kind
	bool reports_outer_l4;      // UDP before a tunnel in it is reported, too
	bool reports_nonfrag;       // a packet without a known L4 header is reported as that
	bool by_source;             // tunnels are known by their UDP source port, too
	bool ipsec;                 // ESP, AH and L2TPv3 are no unknown protocols
	bool deep;                  // and inside of tunnels
	bool gtpu_sctp;             // SCTP in GTP-U is reported as such
	uint16_t key_size;
	const uint16_t *udp_ports; // of tunnels it parses, 0 at the end, besides declared ones
	bool declares_vxlan;       // its UDP port can be declared
	uint64_t rss_hf;           // types that hash addresses and ports as Microsoft wrote it down
	const struct nic_pattern *patterns; // items NULL at the end
	enum nic_protocol protocol;
	bool fragments;   // a pattern that ends in IP is for fragments, too
	bool raw;         // raw patterns
	bool raw_exact;   // they are for packets with just these headers, else for a packet type
	const char *note; // about packets that it does not tell from others; NULL: nothing
};

extern const struct ddp_nic nic_generic, nic_i40e, nic_iavf, nic_ice_comms, nic_ice_os, nic_mlx5,
	nic_net_ddp, nic_none;

#endif
