/* SPDX-License-Identifier: BSD-3-Clause */
// RTE_ETH_RSS_* bits by the names that testpmd gives them ("ipv4-udp", "ip", "all").
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers of the bits (a test compares them with rte_ethdev.h), and their names in testpmd.
#define DDP_RSS_HF_NAMED(X)               \
	X(IPV4, 2, "ipv4")                \
	X(IPV4_FRAG, 3, "ipv4-frag")      \
	X(IPV4_TCP, 4, "ipv4-tcp")        \
	X(IPV4_UDP, 5, "ipv4-udp")        \
	X(IPV4_SCTP, 6, "ipv4-sctp")      \
	X(IPV4_OTHER, 7, "ipv4-other")    \
	X(IPV6, 8, "ipv6")                \
	X(IPV6_FRAG, 9, "ipv6-frag")      \
	X(IPV6_TCP, 10, "ipv6-tcp")       \
	X(IPV6_UDP, 11, "ipv6-udp")       \
	X(IPV6_SCTP, 12, "ipv6-sctp")     \
	X(IPV6_OTHER, 13, "ipv6-other")   \
	X(L2_PAYLOAD, 14, "l2-payload")   \
	X(IPV6_EX, 15, "ipv6-ex")         \
	X(IPV6_TCP_EX, 16, "ipv6-tcp-ex") \
	X(IPV6_UDP_EX, 17, "ipv6-udp-ex") \
	X(PORT, 18, "port")               \
	X(VXLAN, 19, "vxlan")             \
	X(GENEVE, 20, "geneve")           \
	X(NVGRE, 21, "nvgre")             \
	X(GTPU, 23, "gtpu")               \
	X(ETH, 24, "eth")                 \
	X(S_VLAN, 25, "s-vlan")           \
	X(C_VLAN, 26, "c-vlan")           \
	X(ESP, 27, "esp")                 \
	X(AH, 28, "ah")                   \
	X(L2TPV3, 29, "l2tpv3")           \
	X(PFCP, 30, "pfcp")               \
	X(PPPOE, 31, "pppoe")             \
	X(ECPRI, 32, "ecpri")             \
	X(MPLS, 33, "mpls")               \
	X(IPV4_CHKSUM, 34, "ipv4-chksum") \
	X(L4_CHKSUM, 35, "l4-chksum")     \
	X(L2TPV2, 36, "l2tpv2")
// Attributes of types, by their names in testpmd's flow rules; ddp_rss_hf_parse() takes none.
#define DDP_RSS_HF_ATTRIBUTES(X)          \
	X(L3_PRE96, 52, "l3-pre96")       \
	X(L3_PRE64, 53, "l3-pre64")       \
	X(L3_PRE56, 54, "l3-pre56")       \
	X(L3_PRE48, 55, "l3-pre48")       \
	X(L3_PRE40, 56, "l3-pre40")       \
	X(L3_PRE32, 57, "l3-pre32")       \
	X(L2_DST_ONLY, 58, "l2-dst-only") \
	X(L2_SRC_ONLY, 59, "l2-src-only") \
	X(L4_DST_ONLY, 60, "l4-dst-only") \
	X(L4_SRC_ONLY, 61, "l4-src-only") \
	X(L3_DST_ONLY, 62, "l3-dst-only") \
	X(L3_SRC_ONLY, 63, "l3-src-only")
#define DDP_RSS_HF_ENUM(name, bit, testpmd) DDP_RSS_HF_##name = bit,
enum {
	DDP_RSS_HF_NAMED(DDP_RSS_HF_ENUM) DDP_RSS_HF_ATTRIBUTES(DDP_RSS_HF_ENUM)
};

#define DDP_RSS_HF(name) (UINT64_C(1) << DDP_RSS_HF_##name)

// Bits 50 and 51 (RTE_ETH_RSS_LEVEL_MASK): which headers of a tunnel are hashed; both: no level.
#define DDP_RSS_LEVELS (UINT64_C(3) << 50)
#define DDP_RSS_LEVEL_OUTERMOST (UINT64_C(1) << 50)
#define DDP_RSS_LEVEL_INNERMOST (UINT64_C(2) << 50)

static inline bool ddp_rss_hf_is_outermost(uint64_t rss_hf) {
	return (rss_hf & DDP_RSS_LEVELS) == DDP_RSS_LEVEL_OUTERMOST;
}

// Every type but ipv4-chksum and l4-chksum, as testpmd's "all".
#define DDP_RSS_HF_ALL (~(DDP_RSS_HF(IPV4_CHKSUM) | DDP_RSS_HF(L4_CHKSUM)))

// Parse names joined by '+'. 0, or -EINVAL with the unknown name (a part of list) in unknown.
int ddp_rss_hf_parse(const char *list, uint64_t *rss_hf, const char **unknown, size_t *unknown_len);

// The name of one bit, "?" for a bit that has none.
const char *ddp_rss_hf_name(unsigned int bit);
