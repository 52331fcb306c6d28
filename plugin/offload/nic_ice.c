/* SPDX-License-Identifier: BSD-3-Clause */
// 800 series: patterns that its drivers accept (DPDK 22.11: net_ice for the physical
// function, net_iavf for virtual ones). The package decides which of them have an effect: the OS
// default package parses VXLAN, GRE and NVGRE, the Comms package also GTP-U and PPPoE. ESP, AH,
// PFCP and L2TP have rules, but no packet type in the driver's table (ice_get_default_pkt_type), so
// that net_ddp could not recognize their packets. net_iavf has no rules for PPPoE and VLAN tags,
// and declares no UDP ports.
#include "nic.h"

// clang-format off
#define IP_PATTERNS "eth ip", "eth ip udp", "eth ip tcp", "eth ip sctp"
#define TUNNEL_PATTERNS(tunnel) tunnel " ip", tunnel " ip udp", tunnel " ip tcp"
// clang-format on

static const char *const ice_patterns[] = {
	IP_PATTERNS,
	TUNNEL_PATTERNS("eth ip udp gtpu"),
	TUNNEL_PATTERNS("eth ip udp gtpu gtp_psc"),
	TUNNEL_PATTERNS("eth pppoes"),
	NULL,
};

static const char *const iavf_patterns[] = {
	IP_PATTERNS,
	TUNNEL_PATTERNS("eth ip gre"),
	TUNNEL_PATTERNS("eth ip udp gtpu"),
	TUNNEL_PATTERNS("eth ip udp gtpu gtp_psc"),
	NULL,
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
