/* SPDX-License-Identifier: BSD-3-Clause */
// decap=on: packets reach the application as if they had come without their tunnel.
#ifndef DDP_PORT_RUN_DECAP_H
#define DDP_PORT_RUN_DECAP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>
#include <rte_mbuf.h>

// The packet type of what is left: inner layers become outer ones. Values of an application's own
// stay.
uint32_t ddp_decap_ptype(uint32_t ptype) __attribute__((const));

// May a segment be changed, since nobody else has it or its data?
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

// Remove what is between the Ethernet addresses and the IP header at inner_l3_off: the packet
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

#endif
