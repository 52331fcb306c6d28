/* SPDX-License-Identifier: BSD-3-Clause */
// Work of software beside classification: checksums that applications require, decap=on.
#pragma once

#include <rte_ethdev.h>
#include <rte_ether.h>
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
// are for the innermost IP header and the data behind it; the outer ones, for the first IP header
// of a tunnelled packet. Fragments, cut packets and UDP without a checksum have no flag.
uint64_t ddp_cksum_verify(const struct ddp_verdict *verdict, uint64_t checksums,
			  const struct rte_mbuf *mbuf);

// Compute the checksums that the flags of a packet to send request, as rte_mbuf_core.h describes;
// only those in checksums. l2_len and l3_len (outer_*) locate the headers, in any number of
// segments; in a packet that is shorter than these, the checksum stays.
void ddp_cksum_compute(uint64_t checksums, struct rte_mbuf *mbuf);

/* decap=on: packets reach the application as if they had come without their tunnel */

// The packet type without the tunnel: inner layers become outer ones. Applications' own stay.
uint32_t ddp_decap_ptype(uint32_t ptype) __attribute__((const));

// Can a segment be changed, because no other mbuf shares it or its data?
static inline bool ddp_mbuf_is_exclusive(const struct rte_mbuf *mbuf) {
	return RTE_MBUF_DIRECT(mbuf) && rte_mbuf_refcnt_read(mbuf) == 1;
}

// ddp_decap() of packets whose inner IP header is not in the first segment.
bool ddp_decap_segments(struct rte_mbuf *mbuf, uint16_t inner_l3_off);

// The EtherType of an IP header's first byte, 0: it is none.
static inline uint16_t ddp_decap_ether_type(uint8_t first) {
	return first >> 4 == 4 ? RTE_BE16(RTE_ETHER_TYPE_IPV4) :
	       first >> 4 == 6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6) :
				 0;
}

// Remove the bytes between the Ethernet addresses and the IP header at inner_l3_off: the packet
// begins with the outer addresses and the EtherType of its inner IP version. Returns whether it
// did; else the packet is unchanged: no IP header is there, a segment that would change is shared
// with others, or the first one has no room for an Ethernet header.
static inline bool ddp_decap(struct rte_mbuf *mbuf, uint16_t inner_l3_off) {
	const uint16_t cut = inner_l3_off - RTE_ETHER_HDR_LEN;
	uint8_t *data;
	uint64_t first; // of the addresses' 12 bytes; in registers, so that nothing waits for a
			// store
	uint32_t last;
	uint16_t ether_type;

	if (unlikely(!ddp_mbuf_is_exclusive(mbuf)))
		return false;
	if (unlikely(inner_l3_off >= mbuf->data_len))
		return ddp_decap_segments(mbuf, inner_l3_off);
	data = rte_pktmbuf_mtod(mbuf, uint8_t *);
	ether_type = ddp_decap_ether_type(data[inner_l3_off]);
	if (unlikely(ether_type == 0))
		return false;
	memcpy(&first, data, sizeof(first));
	memcpy(&last, data + sizeof(first), sizeof(last));
	memcpy(data + cut, &first, sizeof(first));
	memcpy(data + cut + sizeof(first), &last, sizeof(last));
	memcpy(data + cut + sizeof(first) + sizeof(last), &ether_type, sizeof(ether_type));
	mbuf->data_off += cut;
	mbuf->data_len -= cut;
	mbuf->pkt_len -= cut;
	return true;
}
