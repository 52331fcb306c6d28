/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/run/decap.h"

#include <rte_mbuf_ptype.h>

uint32_t ddp_decap_ptype(uint32_t ptype) {
	static const uint32_t l3[16] = {
		[RTE_PTYPE_INNER_L3_IPV4 >> 20] = RTE_PTYPE_L3_IPV4,
		[RTE_PTYPE_INNER_L3_IPV4_EXT >> 20] = RTE_PTYPE_L3_IPV4_EXT,
		[RTE_PTYPE_INNER_L3_IPV6 >> 20] = RTE_PTYPE_L3_IPV6,
		[RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN >> 20] = RTE_PTYPE_L3_IPV4_EXT_UNKNOWN,
		[RTE_PTYPE_INNER_L3_IPV6_EXT >> 20] = RTE_PTYPE_L3_IPV6_EXT,
		[RTE_PTYPE_INNER_L3_IPV6_EXT_UNKNOWN >> 20] = RTE_PTYPE_L3_IPV6_EXT_UNKNOWN,
	};

	if ((ptype & ~RTE_PTYPE_ALL_MASK) != 0)
		return ptype;
	if ((ptype & RTE_PTYPE_INNER_L3_MASK) == 0) // no tunnel but, say, PPPoE or MPLS
		return (ptype & RTE_PTYPE_L2_MASK) == 0 ?
			       ptype :
			       (ptype & ~RTE_PTYPE_L2_MASK) | RTE_PTYPE_L2_ETHER;
	return RTE_PTYPE_L2_ETHER | l3[(ptype & RTE_PTYPE_INNER_L3_MASK) >> 20] |
	       (ptype & RTE_PTYPE_INNER_L4_MASK) >> 16; // L4 and inner L4 have the same values
}

// May n bytes be removed from the segments behind the first one?
static bool later_may_be_cut(const struct rte_mbuf *mbuf, uint32_t n) {
	const struct rte_mbuf *next = mbuf->next;

	for (; n > 0 && ddp_mbuf_is_exclusive(next) && n >= next->data_len; next = next->next)
		n -= next->data_len;
	return n == 0 || ddp_mbuf_is_exclusive(next);
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

bool ddp_decap_segments(struct rte_mbuf *mbuf, uint16_t inner_l3_off) {
	struct rte_ether_hdr header;
	uint8_t buf;
	const uint8_t *inner = rte_pktmbuf_read(mbuf, inner_l3_off, sizeof(buf), &buf);
	const void *outer = rte_pktmbuf_read(mbuf, 0, sizeof(header), &header);

	if (inner == NULL || outer == NULL || mbuf->buf_len - mbuf->data_off < RTE_ETHER_HDR_LEN)
		return false;
	if (outer != &header)
		memcpy(&header, outer, sizeof(header));
	header.ether_type = ddp_decap_ether_type(*inner);
	if (header.ether_type == 0 || !later_may_be_cut(mbuf, inner_l3_off - mbuf->data_len))
		return false;
	later_cut(mbuf, inner_l3_off - mbuf->data_len);
	mbuf->data_len = sizeof(header);
	mbuf->pkt_len -= inner_l3_off - sizeof(header);
	memcpy(rte_pktmbuf_mtod(mbuf, void *), &header, sizeof(header));
	return true;
}
