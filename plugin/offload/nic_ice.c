/* SPDX-License-Identifier: BSD-3-Clause */
// 800 series: patterns and types that its drivers accept (DPDK 22.11: net_ice for the physical
// function, net_iavf for virtual ones). The package decides which of them have an effect: the OS
// default package parses VXLAN, GRE and NVGRE, the Comms package also GTP-U and PPPoE. ESP, AH,
// PFCP and L2TP have rules, but no packet type in the driver's table (ice_get_default_pkt_type), so
// that net_ddp could not recognize their packets. net_iavf has no rules for PPPoE and VLAN tags,
// and declares no UDP ports.
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

// clang-format off
#define IP_PATTERNS \
	{"eth ip", V4_OUTER, V6_OUTER}, \
	{"eth ip udp", V4_OUTER | HF(IPV4_UDP) | CHKSUM, V6_OUTER | HF(IPV6_UDP) | CHKSUM}, \
	{"eth ip tcp", V4_OUTER | HF(IPV4_TCP) | CHKSUM, V6_OUTER | HF(IPV6_TCP) | CHKSUM}, \
	{"eth ip sctp", V4_OUTER | HF(IPV4_SCTP) | CHKSUM, V6_OUTER | HF(IPV6_SCTP) | CHKSUM}

// types: in addition to those of the IP version.
#define TUNNEL_PATTERNS(tunnel, types) \
	{tunnel " ip", V4 | (types), V6 | (types)}, \
	{tunnel " ip udp", V4 | (types) | HF(IPV4_UDP), V6 | (types) | HF(IPV6_UDP)}, \
	{tunnel " ip tcp", V4 | (types) | HF(IPV4_TCP), V6 | (types) | HF(IPV6_TCP)}
// clang-format on

static const struct nic_pattern ice_patterns[] = {
	IP_PATTERNS,
	{"eth vlan ip", V4 | TAGS | HF(IPV4_FRAG), V6 | TAGS},
	{"eth vlan ip udp", V4 | TAGS | HF(IPV4_UDP), V6 | TAGS | HF(IPV6_UDP)},
	{"eth vlan ip tcp", V4 | TAGS | HF(IPV4_TCP), V6 | TAGS | HF(IPV6_TCP)},
	{"eth vlan ip sctp", V4 | TAGS | HF(IPV4_SCTP), V6 | TAGS | HF(IPV6_SCTP)},
	TUNNEL_PATTERNS("eth ip udp gtpu", GTPU),
	TUNNEL_PATTERNS("eth ip udp gtpu gtp_psc", GTPU),
	TUNNEL_PATTERNS("eth pppoes", PPPOE),
	{NULL, 0, 0},
};

static const struct nic_pattern iavf_patterns[] = {
	IP_PATTERNS,
	TUNNEL_PATTERNS("eth ip gre", 0),
	TUNNEL_PATTERNS("eth ip udp gtpu", GTPU),
	TUNNEL_PATTERNS("eth ip udp gtpu gtp_psc", GTPU),
	{NULL, 0, 0},
};

static const uint16_t comms_ports[] = {2123, 2152, 4500, 8805, 0};
static const char *const ice_drivers[] = {"net_ice", NULL};
static const char *const iavf_drivers[] = {"net_iavf", NULL};

// The driver's default RSS. (Whether IPv4 addresses of fragments are hashed depends on the
// package. In the model of the NIC with Intel's packages it hashes the outer addresses of each
// tunnel that it parses, and the inner ports; VXLAN only at declared ports.)
#define RSS_HF                                                                                \
	(HF(IPV4) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) | HF(IPV6) | \
	 HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP))

#define E800                                                                                     \
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP), .ipv6 = true, \
	.key_size = 52, .rss_hf = RSS_HF, .protocol = true, .raw = true, .labels = true,         \
	.inner_ports = ENCAPS_GTPU | ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE)
#define ICE E800, .patterns = ice_patterns

const struct ddp_nic nic_ice_comms = {
	.name = "ice-comms",
	.alias = "e810",
	.title = "Intel 800 series with the Comms package",
	.encaps =
		ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(PPPOE) | ENCAP(VXLAN) | ENCAPS_GTPU,
	.udp_ports = comms_ports,
	.ipsec = true,
	ICE,
};

// The default for ports of net_ice: the driver does not tell which package it has.
const struct ddp_nic nic_ice_os = {
	.name = "ice-os",
	.alias = "e810-os",
	.title = "Intel 800 series with the OS default package",
	.drivers = ice_drivers,
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(VXLAN),
	.note = "the Comms package parses more",
	ICE,
};

// The driver of the physical function and its package decide what is parsed; this is the Comms
// package.
const struct ddp_nic nic_iavf = {
	.name = "iavf",
	.title = "Intel 800 series, virtual function (Comms package)",
	.drivers = iavf_drivers,
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAPS_GTPU,
	.udp_ports = comms_ports,
	.ipsec = true,
	.patterns = iavf_patterns,
	E800,
};
