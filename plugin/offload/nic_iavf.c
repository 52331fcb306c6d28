/* SPDX-License-Identifier: BSD-3-Clause */
// 800 series, virtual function (DPDK 22.11, net_iavf): the physical function's driver and package decide what
// is parsed, here the Comms package. It has no rules for PPPoE, and declares no UDP ports.
#include "nic.h"

#define V4 (HF(IPV4))
#define V6 (HF(IPV6))
#define L2 (HF(ETH))
#define V4_OUTER (V4 | L2 | HF(IPV4_FRAG) | HF(IPV4_CHKSUM))
#define V6_OUTER (V6 | L2)
#define CHKSUM (HF(L4_CHKSUM))
#define GTPU (HF(GTPU))

static const struct nic_pattern patterns[] = {
	{"eth ip", V4_OUTER, V6_OUTER},
	{"eth ip udp", V4_OUTER | HF(IPV4_UDP) | CHKSUM, V6_OUTER | HF(IPV6_UDP) | CHKSUM},
	{"eth ip tcp", V4_OUTER | HF(IPV4_TCP) | CHKSUM, V6_OUTER | HF(IPV6_TCP) | CHKSUM},
	{"eth ip sctp", V4_OUTER | HF(IPV4_SCTP) | CHKSUM, V6_OUTER | HF(IPV6_SCTP) | CHKSUM},
	{"eth ip gre ip", V4, V6},
	{"eth ip gre ip udp", V4 | HF(IPV4_UDP), V6 | HF(IPV6_UDP)},
	{"eth ip gre ip tcp", V4 | HF(IPV4_TCP), V6 | HF(IPV6_TCP)},
	{"eth ip udp gtpu ip", V4 | GTPU, V6 | GTPU},
	{"eth ip udp gtpu ip udp", V4 | GTPU | HF(IPV4_UDP), V6 | GTPU | HF(IPV6_UDP)},
	{"eth ip udp gtpu ip tcp", V4 | GTPU | HF(IPV4_TCP), V6 | GTPU | HF(IPV6_TCP)},
	{"eth ip udp gtpu gtp_psc ip", V4 | GTPU, V6 | GTPU},
	{"eth ip udp gtpu gtp_psc ip udp", V4 | GTPU | HF(IPV4_UDP), V6 | GTPU | HF(IPV6_UDP)},
	{"eth ip udp gtpu gtp_psc ip tcp", V4 | GTPU | HF(IPV4_TCP), V6 | GTPU | HF(IPV6_TCP)},
	{NULL, 0, 0},
};

static const uint16_t ports[] = {2123, 2152, 4500, 8805, 0};
static const char *const drivers[] = {"net_iavf", NULL};

const struct ddp_nic nic_iavf = {
	.name = "iavf",
	.title = "Intel 800 series, virtual function (Comms package)",
	.drivers = drivers,
	.encaps = ENCAP(GRE) | ENCAP(IPIP) | ENCAP(NVGRE) | ENCAPS_GTPU,
	.l4s = L4(FRAGMENT) | L4(OTHER) | L4(UDP) | L4(TCP) | L4(SCTP) | L4(ICMP),
	.ipv6 = true,
	.grenat = true,
	.says_nonfrag = true,
	.key_size = 52,
	.udp_ports = ports,
	.ipsec = true,
	.rss_hf = HF(IPV4) | HF(IPV4_OTHER) | HF(IPV4_TCP) | HF(IPV4_UDP) | HF(IPV4_SCTP) |
		  HF(IPV6) | HF(IPV6_OTHER) | HF(IPV6_TCP) | HF(IPV6_UDP) | HF(IPV6_SCTP),
	.patterns = patterns,
	.protocol = PROTOCOL_FIRST,
	.raw = true,
};
