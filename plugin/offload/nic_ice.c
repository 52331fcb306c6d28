/* SPDX-License-Identifier: BSD-3-Clause */
// 800 series, physical function: patterns and types that its driver accepts (DPDK 22.11, net_ice). Which of
// them do something depends on the package: the OS default one parses VXLAN, GRE and NVGRE, the Comms
// package GTP-U and PPPoE, too. ESP, AH, PFCP and L2TP have rules, but no packet type in the driver's table
// (ice_get_default_pkt_type), so that net_ddp could not tell their packets.
#include "nic.h"

#define V4 (HF(IPV4))
#define V6 (HF(IPV6))
#define L2 (HF(ETH))
#define PPPOE (HF(ETH) | HF(PPPOE))
#define TAGS (HF(S_VLAN) | HF(C_VLAN))
#define V4_OUTER (V4 | L2 | HF(IPV4_FRAG) | HF(IPV4_CHKSUM))
#define V6_OUTER (V6 | L2)
#define CHKSUM (HF(L4_CHKSUM))
#define GTPU (HF(GTPU))

static const struct nic_pattern patterns[] = {
	{"eth ip", V4_OUTER, V6_OUTER},
	{"eth ip udp", V4_OUTER | HF(IPV4_UDP) | CHKSUM, V6_OUTER | HF(IPV6_UDP) | CHKSUM},
	{"eth ip tcp", V4_OUTER | HF(IPV4_TCP) | CHKSUM, V6_OUTER | HF(IPV6_TCP) | CHKSUM},
	{"eth ip sctp", V4_OUTER | HF(IPV4_SCTP) | CHKSUM, V6_OUTER | HF(IPV6_SCTP) | CHKSUM},
	{"eth vlan ip", V4 | TAGS | HF(IPV4_FRAG), V6 | TAGS},
	{"eth vlan ip udp", V4 | TAGS | HF(IPV4_UDP), V6 | TAGS | HF(IPV6_UDP)},
	{"eth vlan ip tcp", V4 | TAGS | HF(IPV4_TCP), V6 | TAGS | HF(IPV6_TCP)},
	{"eth vlan ip sctp", V4 | TAGS | HF(IPV4_SCTP), V6 | TAGS | HF(IPV6_SCTP)},
	{"eth ip udp gtpu ip", V4 | GTPU, V6 | GTPU},
	{"eth ip udp gtpu ip udp", V4 | GTPU | HF(IPV4_UDP), V6 | GTPU | HF(IPV6_UDP)},
	{"eth ip udp gtpu ip tcp", V4 | GTPU | HF(IPV4_TCP), V6 | GTPU | HF(IPV6_TCP)},
	{"eth ip udp gtpu gtp_psc ip", V4 | GTPU, V6 | GTPU},
	{"eth ip udp gtpu gtp_psc ip udp", V4 | GTPU | HF(IPV4_UDP), V6 | GTPU | HF(IPV6_UDP)},
	{"eth ip udp gtpu gtp_psc ip tcp", V4 | GTPU | HF(IPV4_TCP), V6 | GTPU | HF(IPV6_TCP)},
	{"eth pppoes ip", V4 | PPPOE, V6 | PPPOE},
	{"eth pppoes ip udp", V4 | PPPOE | HF(IPV4_UDP), V6 | PPPOE | HF(IPV6_UDP)},
	{"eth pppoes ip tcp", V4 | PPPOE | HF(IPV4_TCP), V6 | PPPOE | HF(IPV6_TCP)},
	{NULL, 0, 0},
};

static const uint16_t comms_ports[] = {2123, 2152, 4500, 8805, 0};
static const char *const drivers[] = {"net_ice", NULL};

// The driver's default RSS. (IPv4 addresses of fragments are hashed or not as the package groups them.)
#define RSS_HF                                                                                \
	(HF(IPV4) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) | HF(IPV6) | \
	 HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP))

#define ICE                                                                                      \
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP), .ipv6 = true, \
	.grenat = true, .says_nonfrag = true, .key_size = 52, .declares_vxlan = true,            \
	.rss_hf = RSS_HF, .patterns = patterns, .protocol = PROTOCOL_FIRST, .raw = true

const struct ddp_nic nic_ice_comms = {
	.name = "ice-comms",
	.title = "Intel 800 series with the Comms package",
	.encaps =
		ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(PPPOE) | ENCAP(VXLAN) | ENCAPS_GTPU,
	.udp_ports = comms_ports,
	.ipsec = true,
	ICE,
};

// What a port of net_ice gets by itself: which package it has, its driver does not tell.
const struct ddp_nic nic_ice_os = {
	.name = "ice-os",
	.title = "Intel 800 series with the OS default package",
	.drivers = drivers,
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(VXLAN),
	.more = "the Comms package parses more",
	ICE,
};
