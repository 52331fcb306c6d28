/* SPDX-License-Identifier: BSD-3-Clause */
// Another net_ddp port, with the profile e810-comms, as lower device.
#include "nic.h"

#define V4 (HF(IPV4))
#define V6 (HF(IPV6))
#define GTPU (HF(GTPU))

static const struct nic_pattern patterns[] = {
	{"eth ip", V4, V6},
	{"eth ip udp", V4 | HF(IPV4_UDP), V6 | HF(IPV6_UDP)},
	{"eth ip tcp", V4 | HF(IPV4_TCP), V6 | HF(IPV6_TCP)},
	{"eth ip sctp", V4 | HF(IPV4_SCTP), V6 | HF(IPV6_SCTP)},
	{"eth ip udp gtpu ip", V4 | GTPU, V6 | GTPU},
	{"eth ip udp gtpu gtp_psc ip", V4 | GTPU, V6 | GTPU},
	{NULL, 0, 0},
};

// 2123 GTP-C, 2152 GTP-U, 4500 ESP, 4789 VXLAN, 4790 VXLAN-GPE, 6081 GENEVE, 1701 L2TP, 8805 PFCP
static const uint16_t ports[] = {1701, 2123, 2152, 4500, 4789, 4790, 6081, 8805, 0};

const struct ddp_nic nic_net_ddp = {
	.name = "net_ddp",
	.title = "net_ddp with the profile e810-comms",
	.encaps = ENCAP(GENEVE) | ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAP(PPPOE) |
		  ENCAP(VXLAN) | ENCAPS_GTPU,
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP),
	.ipv6 = true,
	.key_size = 52,
	.udp_ports = ports,
	.ipsec = true,
	.reports_outer_l4 = true,
	.by_source = true,
	.in_tunnels = true,
	.gtpu_sctp = true,
	.patterns = patterns,
	.protocol = PROTOCOL_LAST,
	.fragments = true,
	.inner_ports = ENCAPS_GTPU,
	.raw = true,
	.raw_exact = true,
};
