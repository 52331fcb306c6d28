/* SPDX-License-Identifier: BSD-3-Clause */
// RTE_ETH_RSS_* bits by the names that testpmd gives them ("ipv4-udp", "ip", "all").
#ifndef DDP_BASE_RSS_HF_H
#define DDP_BASE_RSS_HF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers of the bits (DPDK 22.11, lib/ethdev); a test compares them with rte_ethdev.h.
#define DDP_RSS_HF_BITS(X) \
	X(IPV4, 2)         \
	X(IPV4_FRAG, 3)    \
	X(IPV4_TCP, 4)     \
	X(IPV4_UDP, 5)     \
	X(IPV4_SCTP, 6)    \
	X(IPV4_OTHER, 7)   \
	X(IPV6, 8)         \
	X(IPV6_FRAG, 9)    \
	X(IPV6_TCP, 10)    \
	X(IPV6_UDP, 11)    \
	X(IPV6_SCTP, 12)   \
	X(IPV6_OTHER, 13)  \
	X(L2_PAYLOAD, 14)  \
	X(IPV6_EX, 15)     \
	X(IPV6_TCP_EX, 16) \
	X(IPV6_UDP_EX, 17) \
	X(VXLAN, 19)       \
	X(GENEVE, 20)      \
	X(NVGRE, 21)       \
	X(GTPU, 23)        \
	X(ETH, 24)         \
	X(S_VLAN, 25)      \
	X(C_VLAN, 26)      \
	X(ESP, 27)         \
	X(AH, 28)          \
	X(L2TPV3, 29)      \
	X(PFCP, 30)        \
	X(PPPOE, 31)       \
	X(ECPRI, 32)       \
	X(MPLS, 33)        \
	X(IPV4_CHKSUM, 34) \
	X(L4_CHKSUM, 35)   \
	X(L2TPV2, 36)      \
	X(L3_PRE96, 52)    \
	X(L3_PRE64, 53)    \
	X(L3_PRE56, 54)    \
	X(L3_PRE48, 55)    \
	X(L3_PRE40, 56)    \
	X(L3_PRE32, 57)    \
	X(L2_DST_ONLY, 58) \
	X(L2_SRC_ONLY, 59) \
	X(L4_DST_ONLY, 60) \
	X(L4_SRC_ONLY, 61) \
	X(L3_DST_ONLY, 62) \
	X(L3_SRC_ONLY, 63)
#define DDP_RSS_HF_ENUM(name, bit) DDP_RSS_HF_##name = bit,
enum {
	DDP_RSS_HF_BITS(DDP_RSS_HF_ENUM)
};

#define DDP_RSS_HF(name) (UINT64_C(1) << DDP_RSS_HF_##name)

// Bits 50 and 51 (RTE_ETH_RSS_LEVEL_MASK) say which headers of a tunnel are hashed. An application
// that sets all bits means no level.
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

#endif
