/* SPDX-License-Identifier: BSD-3-Clause */
#include "decap.h"

#include <rte_ether.h>
#include <rte_mbuf_ptype.h>

// The inner layers, as if they were the only ones. Values of an application's own stay.
static uint32_t ptype_decapped(uint32_t ptype) {
	static const uint32_t l3[16] = {
		[RTE_PTYPE_INNER_L3_IPV4 >> 20] = RTE_PTYPE_L3_IPV4,
		[RTE_PTYPE_INNER_L3_IPV4_EXT >> 20] = RTE_PTYPE_L3_IPV4_EXT,
		[RTE_PTYPE_INNER_L3_IPV6 >> 20] = RTE_PTYPE_L3_IPV6,
		[RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN >> 20] = RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
		[RTE_PTYPE_INNER_L3_IPV6_EXT >> 20] = RTE_PTYPE_L3_IPV6_EXT,
		[RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN >> 20] = RTE_PTYPE_L3_IPV6_EXT_UNKNOWN,
	};

	if ((ptype & ~RTE_PTYPE_ALL_MASK) != 0 || (ptype & RTE_PTYPE_INNER_L3_MASK) == 0)
		return ptype;
	return RTE_PTYPE_L2_ETHER | l3[(ptype & RTE_PTYPE_INNER_L3_MASK) >> 20] |
	       (ptype & RTE_PTYPE_INNER_L4_MASK) >> 16; // L4 and inner L4 have the same values
}

static bool is_own(const struct rte_mbuf *mbuf) {
	return RTE_MBUF_DIRECT(mbuf) && rte_mbuf_refcnt_read(mbuf) == 1;
}

// The EtherType of the IP header at off, 0: there is none.
static uint16_t ether_type_of(const struct rte_mbuf *mbuf, uint16_t off) {
	uint8_t buf;
	const uint8_t *version = rte_pktmbuf_read(mbuf, off, sizeof(buf), &buf);

	if (version == NULL)
		return 0;
	return *version >> 4 == 4 ? RTE_BE16(RTE_ETHER_TYPE_IPV4) :
	       *version >> 4 == 6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6) :
				    0;
}

// Remove n bytes from the segments behind the first one.
static void later_cut(struct rte_mbuf *mbuf, uint32_t n) {
	while (n > 0) {
		struct rte_mbuf *next = mbuf->next;

		if (n < next->data_len) {
			next->data_off += n;
			next->data_len -= n;
			return;
		}
		n -= next->data_len;
		mbuf->next = next->next;
		mbuf->nb_segs--;
		next->next = NULL;
		next->nb_segs = 1;
		rte_pktmbuf_free_seg(next);
	}
}

// Make the inner IP header follow the first 14 bytes of the first segment.
static void tunnel_cut(struct rte_mbuf *mbuf, uint16_t inner_l3_off) {
	const uint32_t cut = inner_l3_off - RTE_ETHER_HDR_LEN;

	if (inner_l3_off < mbuf->data_len) {
		rte_pktmbuf_adj(mbuf, cut);
		return;
	}
	later_cut(mbuf, inner_l3_off - mbuf->data_len);
	mbuf->data_len = RTE_ETHER_HDR_LEN;
	mbuf->pkt_len -= cut;
}

bool ddp_decap(struct rte_mbuf *mbuf, uint16_t inner_l3_off) {
	const uint16_t ether_type = ether_type_of(mbuf, inner_l3_off);
	struct rte_ether_addr addrs[2]; // destination, source
	const void *outer = rte_pktmbuf_read(mbuf, 0, sizeof(addrs), addrs);

	if (ether_type == 0 || !is_own(mbuf) || mbuf->buf_len - mbuf->data_off < RTE_ETHER_HDR_LEN)
		return false;
	if (outer != addrs)
		memcpy(addrs, outer, sizeof(addrs));
	tunnel_cut(mbuf, inner_l3_off);
	memcpy(rte_pktmbuf_mtod(mbuf, void *), addrs, sizeof(addrs));
	memcpy(rte_pktmbuf_mtod_offset(mbuf, void *, sizeof(addrs)), &ether_type,
	       sizeof(ether_type));
	mbuf->packet_type = ptype_decapped(mbuf->packet_type);
	return true;
}
