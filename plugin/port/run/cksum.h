/* SPDX-License-Identifier: BSD-3-Clause */
// Checksums in software, for applications that insist on a NIC that has them.
#ifndef DDP_PORT_RUN_CKSUM_H
#define DDP_PORT_RUN_CKSUM_H

#include <stdint.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "classify/cache/cache.h"

// RTE_ETH_RX_OFFLOAD_* and RTE_ETH_TX_OFFLOAD_* that software can do.
#define DDP_RX_CHECKSUMS                                                      \
	(RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM |       \
	 RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_OUTER_IPV4_CKSUM | \
	 RTE_ETH_RX_OFFLOAD_OUTER_UDP_CKSUM)
#define DDP_TX_CHECKSUMS                                                \
	(RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | \
	 RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM)

// Verify the checksums of a received packet. Returns the RTE_MBUF_F_RX_* flags. Those of IP and L4
// are for the innermost IP header and what follows it; the outer ones, for the first IP header of a
// tunnelled packet. What cannot be verified (fragments, packets that were cut, UDP without a
// checksum) has no flag.
uint64_t ddp_cksum_verify(const struct ddp_verdict *verdict, uint64_t checksums,
			  const struct rte_mbuf *mbuf);

// Compute the checksums that the flags of a packet to send ask for, as rte_mbuf_core.h describes;
// only those in checksums. Headers are where l2_len and l3_len (outer_*) say, in any number of
// segments; a checksum is left as it is if the packet is shorter than they say.
void ddp_cksum_compute(uint64_t checksums, struct rte_mbuf *mbuf);

#endif
