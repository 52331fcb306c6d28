/* SPDX-License-Identifier: BSD-3-Clause */
#include "look.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <rte_branch_prediction.h>

// Packet type and length of a packet lie side by side: where they are in a word.
#define TYPE_SHIFT (RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN ? 0 : 32)
#define LEN_SHIFT (32 - TYPE_SHIFT)

uint64_t ddp_look_words(uint16_t port, struct rte_mbuf *const *mbufs, unsigned int n) {
	const uint32_t rte_ptype = mbufs[0]->packet_type;
	uint64_t flags = RTE_MBUF_F_RX_RSS_HASH, every = UINT64_MAX, any = 0, sum = 0;

#pragma GCC unroll 4
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = mbufs[i];
		uint64_t word;

		memcpy(&word, &mbuf->packet_type, sizeof(word));
		every &= word;
		any |= word;
		sum += word;
		flags &= mbuf->ol_flags;
		mbuf->port = port;
	}
	if (unlikely(flags == 0 || (uint32_t)((every ^ any) >> TYPE_SHIFT) != 0))
		return 0;
	return (sum - ((uint64_t)rte_ptype * n << TYPE_SHIFT)) >> LEN_SHIFT;
}
static_assert(offsetof(struct rte_mbuf, pkt_len) == offsetof(struct rte_mbuf, packet_type) + 4,
	      "packet type and length are one word");

ddp_look_fn *ddp_look_choose(enum ddp_isa isa) {
#ifdef RTE_ARCH_X86_64
	if (isa >= DDP_ISA_V3)
		return ddp_look_v3;
#else
	RTE_SET_USED(isa);
#endif
	return ddp_look_words;
}
