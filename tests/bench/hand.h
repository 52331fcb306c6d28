/* SPDX-License-Identifier: BSD-3-Clause */
// A parser as applications have it, written well: rte_net_get_ptype() for the outer headers, and
// from where it stops a parser of the tunnels: VLAN tags, MPLS, PPPoE, GTP-U with its extension
// headers, VXLAN, Geneve, L2TPv2; GRE is in rte_net_get_ptype(). It finds the last addresses and
// ports. Packets of several segments it does not do.
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include <netinet/in.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_net.h>

#include "base/dpdk_compat.h"
#include "methods.h"

#define HAND_EXTS_MAX 16 // extension headers of one packet, tags, labels

// Offsets of addresses and ports.
struct hand_flow {
	uint16_t l3_off;   // 0: no IP
	uint16_t l4_off;   // 0: no ports
	uint16_t gre_off;  // 0: no GRE behind these addresses
	uint16_t teid_off; // 0: no GTP-U without an IP packet behind these ports
	bool ipv6, udp;
};

struct hand_packet {
	const uint8_t *data;
	uint32_t len;
};

static inline uint16_t hand_be16(const struct hand_packet *packet, uint32_t off) {
	uint16_t value;

	memcpy(&value, packet->data + off, sizeof(value));
	return rte_be_to_cpu_16(value);
}

static inline bool hand_has(const struct hand_packet *packet, uint32_t off, uint32_t len) {
	return off + len <= packet->len;
}

static inline void hand_l4(const struct hand_packet *packet, uint32_t off, uint8_t protocol,
			   struct hand_flow *flow) {
	if (protocol == IPPROTO_GRE)
		flow->gre_off = off;
	if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP && protocol != IPPROTO_SCTP)
		return;
	flow->udp = protocol == IPPROTO_UDP;
	if (hand_has(packet, off, protocol == IPPROTO_TCP ? 20 : protocol == IPPROTO_UDP ? 8 : 12))
		flow->l4_off = off;
}

static inline void hand_ipv4(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	const uint8_t *ip = packet->data + off;

	if (!hand_has(packet, off, 20))
		return;
	*flow = (struct hand_flow){.l3_off = off};
	if ((hand_be16(packet, off + 6) & 0x3fff) == 0) // no fragment
		hand_l4(packet, off + 4 * (ip[0] & 15), ip[9], flow);
}

static inline void hand_ipv6(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	uint32_t at = off + 40;
	uint8_t protocol;

	if (!hand_has(packet, off, 40))
		return;
	*flow = (struct hand_flow){.l3_off = off, .ipv6 = true};
	protocol = packet->data[off + 6];
	for (unsigned int i = 0; i < HAND_EXTS_MAX; i++) {
		if (protocol != 0 && protocol != 43 && protocol != IPPROTO_DSTOPTS)
			break;
		if (!hand_has(packet, at, 8))
			return;
		protocol = packet->data[at];
		at += 8 * (packet->data[at + 1] + 1);
	}
	hand_l4(packet, at, protocol, flow);
}

// By the first four bits.
static inline void hand_ip(const struct hand_packet *packet, uint32_t off, struct hand_flow *flow) {
	if (!hand_has(packet, off, 1))
		return;
	if (packet->data[off] >> 4 == 4)
		hand_ipv4(packet, off, flow);
	else if (packet->data[off] >> 4 == 6)
		hand_ipv6(packet, off, flow);
}

// Tunnels behind labels are not looked into, as profile mpls does.
static inline void hand_mpls(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	for (unsigned int i = 0; i < HAND_EXTS_MAX && hand_has(packet, off, 4); i++, off += 4)
		if (packet->data[off + 2] & 1) {
			hand_ip(packet, off + 4, flow);
			flow->udp = false;
			flow->gre_off = 0;
			return;
		}
}

// A PPP packet from its protocol on.
static inline void hand_ppp(const struct hand_packet *packet, uint32_t off,
			    struct hand_flow *flow) {
	uint16_t protocol;

	if (!hand_has(packet, off, 2))
		return;
	protocol = hand_be16(packet, off);
	if (protocol == 0x21)
		hand_ipv4(packet, off + 2, flow);
	else if (protocol == 0x57)
		hand_ipv6(packet, off + 2, flow);
}

// From an EtherType on.
static inline void hand_ethertype(const struct hand_packet *packet, uint32_t off,
				  struct hand_flow *flow) {
	uint16_t type = 0;

	for (unsigned int i = 0; i < HAND_EXTS_MAX && hand_has(packet, off, 2); i++, off += 4) {
		type = hand_be16(packet, off);
		if (type != RTE_ETHER_TYPE_VLAN && type != RTE_ETHER_TYPE_QINQ)
			break;
	}
	if (type == RTE_ETHER_TYPE_IPV4)
		hand_ipv4(packet, off + 2, flow);
	else if (type == RTE_ETHER_TYPE_IPV6)
		hand_ipv6(packet, off + 2, flow);
	else if (type == RTE_ETHER_TYPE_PPPOE_SESSION)
		hand_ppp(packet, off + 2 + 6, flow);
	else if (type == RTE_ETHER_TYPE_MPLS)
		hand_mpls(packet, off + 2, flow);
}

static inline void hand_gtpu(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	const uint8_t *gtpu = packet->data + off;
	uint8_t next;

	if (hand_has(packet, off, 8) && gtpu[0] >> 4 == 3)
		flow->teid_off = off + 4;
	if (!hand_has(packet, off, 12) || gtpu[0] >> 4 != 3 || gtpu[1] != 255)
		return;
	if ((gtpu[0] & 7) == 0) {
		hand_ip(packet, off + 8, flow);
		return;
	}
	next = gtpu[0] & 4 ? gtpu[11] : 0;
	off += 12;
	for (unsigned int i = 0; i < HAND_EXTS_MAX && next != 0; i++) {
		uint32_t size;

		if (!hand_has(packet, off, 4))
			return;
		size = 4 * packet->data[off];
		if (size == 0 || !hand_has(packet, off, size))
			return;
		off += size;
		next = packet->data[off - 1];
	}
	hand_ip(packet, off, flow);
}

// Classify the content of a tunnel, which is of this type.
static inline void hand_typed(const struct hand_packet *packet, uint32_t off, uint16_t type,
			      struct hand_flow *flow) {
	if (type == RTE_ETHER_TYPE_TEB)
		hand_ethertype(packet, off + 12, flow);
	else if (type == RTE_ETHER_TYPE_IPV4)
		hand_ipv4(packet, off, flow);
	else if (type == RTE_ETHER_TYPE_IPV6)
		hand_ipv6(packet, off, flow);
}

static inline void hand_geneve(const struct hand_packet *packet, uint32_t off,
			       struct hand_flow *flow) {
	uint16_t type;

	if (!hand_has(packet, off, 8))
		return;
	type = hand_be16(packet, off + 2);
	off += 8 + 4 * (packet->data[off] & 63);
	hand_typed(packet, off, type, flow);
}

static inline void hand_gre(const struct hand_packet *packet, uint32_t off,
			    struct hand_flow *flow) {
	uint16_t flags, type;

	if (!hand_has(packet, off, 4))
		return;
	flags = hand_be16(packet, off);
	type = hand_be16(packet, off + 2);
	if ((flags & 0x4007) != 0) // routing, or another version
		return;
	off += 4 + (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
	hand_typed(packet, off, type, flow);
}

static inline void hand_l2tp(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	uint16_t flags;

	if (!hand_has(packet, off, 18))
		return;
	flags = hand_be16(packet, off);
	if ((flags & 0x800f) != 2) // version 2, a data message
		return;
	off += 6 + (flags & 0x4000 ? 2 : 0) + (flags & 0x0800 ? 4 : 0);
	if (flags & 0x0200)
		off += 2 + (hand_has(packet, off, 2) ? hand_be16(packet, off) : 0);
	if (hand_has(packet, off, 2) && hand_be16(packet, off) == 0xff03)
		off += 2;
	hand_ppp(packet, off, flow);
}

// The content of a UDP packet; flow stays as it is if that is no tunnel, or no IP is in it.
static inline void hand_udp(const struct hand_packet *packet, uint32_t off,
			    struct hand_flow *flow) {
	if (!hand_has(packet, off, 8))
		return;
	switch (hand_be16(packet, off + 2)) {
	case 2152:
		hand_gtpu(packet, off + 8, flow);
		break;
	case 4789:
		hand_ethertype(packet, off + 8 + 8 + 12, flow);
		break;
	case 6081:
		hand_geneve(packet, off + 8, flow);
		break;
	case 1701:
		hand_l2tp(packet, off + 8, flow);
		break;
	}
}

// Headers that rte_net_get_ptype() does not know: more tags, labels, PPPoE. From an
// EtherType on.
static inline void hand_link(const struct hand_packet *packet, uint32_t off,
			     struct hand_flow *flow) {
	hand_ethertype(packet, off, flow);
	if (flow->udp && flow->l4_off != 0)
		hand_udp(packet, flow->l4_off, flow);
	else if (flow->gre_off != 0)
		hand_gre(packet, flow->gre_off, flow);
}

// Of the headers that rte_net_get_ptype() went over.
static inline void hand_outer(uint32_t ptype, const struct rte_net_hdr_lens *lens,
			      struct hand_flow *flow) {
	uint32_t l4 = ptype & RTE_PTYPE_L4_MASK, inner_l4 = ptype & RTE_PTYPE_INNER_L4_MASK;
	// Since DPDK 25.03 it also goes into tunnels over UDP.
	bool inner = (ptype & RTE_PTYPE_INNER_L3_MASK) != 0 && l4 != RTE_PTYPE_L4_UDP;

	flow->l3_off = lens->l2_len;
	flow->ipv6 = RTE_ETH_IS_IPV6_HDR(ptype);
	if (inner) {
		flow->l3_off += lens->l3_len + lens->inner_l2_len;
		if (!DPDK_SINCE(25, 11)) // since then a tunnel's header is part of inner_l2_len
			flow->l3_off += lens->tunnel_len;
		flow->ipv6 = (ptype & RTE_PTYPE_INNER_L3_MASK) == RTE_PTYPE_INNER_L3_IPV6 ||
			     (ptype & RTE_PTYPE_INNER_L3_MASK) == RTE_PTYPE_INNER_L3_IPV6_EXT;
		if (inner_l4 == RTE_PTYPE_INNER_L4_UDP || inner_l4 == RTE_PTYPE_INNER_L4_TCP ||
		    inner_l4 == RTE_PTYPE_INNER_L4_SCTP)
			flow->l4_off = flow->l3_off + lens->inner_l3_len;
	} else if (l4 == RTE_PTYPE_L4_UDP || l4 == RTE_PTYPE_L4_TCP || l4 == RTE_PTYPE_L4_SCTP) {
		flow->l4_off = flow->l3_off + lens->l3_len;
	}
}

// Returns the packet type.
static inline uint32_t hand_find(const struct rte_mbuf *mbuf, struct hand_flow *flow) {
	const struct hand_packet packet = {
		.data = rte_pktmbuf_mtod(mbuf, const uint8_t *),
		.len = rte_pktmbuf_data_len(mbuf),
	};
	struct rte_net_hdr_lens lens;
	uint32_t ptype = rte_net_get_ptype(mbuf, &lens, RTE_PTYPE_ALL_MASK);

	*flow = (struct hand_flow){0};
	if ((ptype & RTE_PTYPE_L3_MASK) == 0) {
		if (ptype != 0)
			hand_link(&packet, lens.l2_len - 2, flow);
		return ptype;
	}
	hand_outer(ptype, &lens, flow);
	if ((ptype & RTE_PTYPE_L4_MASK) == RTE_PTYPE_L4_UDP)
		hand_udp(&packet, flow->l4_off, flow);
	return ptype;
}

// Its addresses and ports as they are in the packet. Returns how many words.
static inline unsigned int hand_tuple(const struct rte_mbuf *mbuf, const struct hand_flow *flow,
				      uint32_t tuple[10]) {
	const uint8_t *data = rte_pktmbuf_mtod(mbuf, const uint8_t *);
	unsigned int n = 2;

	if (flow->l3_off == 0)
		return 0;
	if (flow->ipv6) {
		memcpy(tuple, data + flow->l3_off + 8, 32);
		n = 8;
	} else {
		memcpy(tuple, data + flow->l3_off + 12, 8);
	}
	if (flow->l4_off == 0)
		return n;
	memcpy(&tuple[n++], data + flow->l4_off, 4);
	if (flow->teid_off != 0)
		memcpy(&tuple[n++], data + flow->teid_off, 4);
	return n;
}

// All of a burst; hash is of n words in wire order.
static inline __attribute__((always_inline)) void
hand_burst(struct rte_mbuf *const *mbufs, unsigned int n, struct rte_mbuf *const *next,
	   uint32_t (*hash)(uint32_t *tuple, unsigned int n)) {
	for (unsigned int i = 0; i < n; i++) {
		struct hand_flow flow;
		uint32_t tuple[10], type, n_words;

		if (next != NULL)
			headers_prefetch(next[i], 2);
		type = hand_find(mbufs[i], &flow);
		n_words = hand_tuple(mbufs[i], &flow, tuple);
		if (n_words > 0)
			packet_hashed(mbufs[i], i, type, hash(tuple, n_words));
		else
			packet_unhashed(mbufs[i], i, type);
	}
}

#endif
