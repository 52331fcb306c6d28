/* SPDX-License-Identifier: BSD-3-Clause */
// Words of `ptype:` and the DPDK packet type bits they stand for (RTE_PTYPE_* of
// rte_mbuf_ptype.h, 22.11; a test compares them). A profile needs no DPDK to be read.
#pragma once

#define DDP_RTE_PTYPES(X)                        \
	X(L2_ETHER, 0x00000001)                  \
	X(L2_ETHER_TIMESYNC, 0x00000002)         \
	X(L2_ETHER_ARP, 0x00000003)              \
	X(L2_ETHER_LLDP, 0x00000004)             \
	X(L2_ETHER_NSH, 0x00000005)              \
	X(L2_ETHER_VLAN, 0x00000006)             \
	X(L2_ETHER_QINQ, 0x00000007)             \
	X(L2_ETHER_PPPOE, 0x00000008)            \
	X(L2_ETHER_FCOE, 0x00000009)             \
	X(L2_ETHER_MPLS, 0x0000000a)             \
	X(L3_IPV4, 0x00000010)                   \
	X(L3_IPV4_EXT, 0x00000030)               \
	X(L3_IPV4_EXT_UNKNOWN, 0x00000090)       \
	X(L3_IPV6, 0x00000040)                   \
	X(L3_IPV6_EXT, 0x000000c0)               \
	X(L3_IPV6_EXT_UNKNOWN, 0x000000e0)       \
	X(L4_TCP, 0x00000100)                    \
	X(L4_UDP, 0x00000200)                    \
	X(L4_FRAG, 0x00000300)                   \
	X(L4_SCTP, 0x00000400)                   \
	X(L4_ICMP, 0x00000500)                   \
	X(L4_NONFRAG, 0x00000600)                \
	X(L4_IGMP, 0x00000700)                   \
	X(TUNNEL_IP, 0x00001000)                 \
	X(TUNNEL_GRE, 0x00002000)                \
	X(TUNNEL_VXLAN, 0x00003000)              \
	X(TUNNEL_NVGRE, 0x00004000)              \
	X(TUNNEL_GENEVE, 0x00005000)             \
	X(TUNNEL_GRENAT, 0x00006000)             \
	X(TUNNEL_GTPC, 0x00007000)               \
	X(TUNNEL_GTPU, 0x00008000)               \
	X(TUNNEL_ESP, 0x00009000)                \
	X(TUNNEL_L2TP, 0x0000a000)               \
	X(TUNNEL_VXLAN_GPE, 0x0000b000)          \
	X(TUNNEL_MPLS_IN_GRE, 0x0000c000)        \
	X(TUNNEL_MPLS_IN_UDP, 0x0000d000)        \
	X(INNER_L2_ETHER, 0x00010000)            \
	X(INNER_L2_ETHER_VLAN, 0x00020000)       \
	X(INNER_L2_ETHER_QINQ, 0x00030000)       \
	X(INNER_L3_IPV4, 0x00100000)             \
	X(INNER_L3_IPV4_EXT, 0x00200000)         \
	X(INNER_L3_IPV6, 0x00300000)             \
	X(INNER_L3_IPV4_EXT_UNKNOWN, 0x00400000) \
	X(INNER_L3_IPV6_EXT, 0x00500000)         \
	X(INNER_L3_IPV6_EXT_UNKNOWN, 0x00600000) \
	X(INNER_L4_TCP, 0x01000000)              \
	X(INNER_L4_UDP, 0x02000000)              \
	X(INNER_L4_FRAG, 0x03000000)             \
	X(INNER_L4_SCTP, 0x04000000)             \
	X(INNER_L4_ICMP, 0x05000000)             \
	X(INNER_L4_NONFRAG, 0x06000000)

#define DDP_RTE_PTYPE_L2_MASK 0x0000000f
#define DDP_RTE_PTYPE_L3_MASK 0x000000f0
#define DDP_RTE_PTYPE_L4_MASK 0x00000f00
#define DDP_RTE_PTYPE_TUNNEL_MASK 0x0000f000
#define DDP_RTE_PTYPE_OUTER_MASK 0x0000ffff
#define DDP_RTE_PTYPE_INNER_L2_MASK 0x000f0000
#define DDP_RTE_PTYPE_INNER_L3_MASK 0x00f00000
#define DDP_RTE_PTYPE_INNER_L4_MASK 0x0f000000
#define DDP_RTE_PTYPE_INNER_MASK 0x0fff0000
#define DDP_RTE_PTYPE_L4_FRAG 0x00000300
#define DDP_RTE_PTYPE_TUNNEL_IP 0x00001000 // IP in IP
