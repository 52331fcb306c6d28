/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the description of a kind of NIC.
#ifndef DDP_OFFLOAD_NIC_H
#define DDP_OFFLOAD_NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rss_hf.h"
#include "offload.h"

#define HF(name) DDP_RSS_HF(name)

// Headers between the outer and the inner packet.
enum encap {
	ENCAP_NONE,
	ENCAP_GENEVE,
	ENCAP_GRE,
	ENCAP_GTPU,      // without a PDU session container
	ENCAP_GTPU_DOWN, // with one, by direction
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

// A pattern of a tunnel whose inner packet an RSS rule of level 2 hashes: addresses, and the ports
// of TCP and UDP.
struct nic_level2 {
	nic_pattern items;
	uint32_t encaps;
	const char *setup; // what the NIC needs for it; NULL: nothing
};

#define NIC_DRIVERS 2

struct ddp_nic {
	const char *name;
	const char *alias; // what people call it; NULL: nothing else
	const char *title;
	const char *drivers[NIC_DRIVERS];
	uint32_t encaps; // that it parses and reports
	uint32_t l4s;    // that it parses and reports
	bool ipv6;       // extension headers do not change what it hashes
	bool any_ipv4;   // drivers report IPv4 as one of three packet types
	bool ipsec;      // ESP, AH and L2TPv3 are known protocols
	uint16_t key_size;
	const uint16_t *udp_ports; // of tunnels, besides declared ones of VXLAN; 0-terminated
	uint64_t rss_hf;           // types that hash addresses and ports as Microsoft specifies
	// Patterns that the driver accepts with the RSS types of their headers, terminated
	// by an empty one; NULL: none.
	const nic_pattern *patterns;
	const struct nic_level2 *level2; // terminated by encaps 0; NULL: none
	uint32_t inner_ports; // tunnels whose inner ports are hashed without a rule, with outer
			      // addresses
	bool labels;   // IP behind MPLS labels is hashed without a rule
	bool protocol; // a pattern that ends in UDP, TCP or SCTP also hashes the IP protocol,
		       // before the addresses, in a word of its own
	bool raw;         // it accepts raw patterns
	const char *note; // a note on packets that it does not distinguish; NULL: none
};

static inline bool nic_parses(const struct ddp_nic *nic, enum encap encap) {
	return encap == ENCAP_NONE || (nic->encaps & 1U << encap) != 0;
}

#endif
