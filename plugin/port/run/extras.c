/* SPDX-License-Identifier: BSD-3-Clause */
// Checksums of IPv4 (RFC 791), UDP (RFC 768, RFC 8200) and TCP (RFC 9293); tunnels removed.
#include "port/run/extras.h"

#include <netinet/in.h>

#include <rte_ip.h>
#include <rte_mbuf_ptype.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#define IPV6_EXTENSIONS 8 // extension headers that are read of one packet
#define IPV6_OPTIONS 16   // options that are read of one header
#define HOME_ADDRESS 201
#define IPV4_FRAGMENT RTE_BE16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)

enum checksum {
	UNKNOWN,
	GOOD,
	BAD,
};

// A transport header and its data, and the sums of the pseudo header's addresses.
struct l4 {
	uint8_t proto;
	uint32_t off, len;
	uint64_t src, dst;
};

typedef uint64_t words __attribute__((vector_size(16)));

// For sum_fold(), which makes of it what rte_raw_cksum() returns (RFC 1071: words of any size, in
// any byte order). Two vectors a step, because their additions do not wait for each other.
static inline uint64_t bytes_sum(const void *from, uint32_t len) {
	const uint8_t *bytes = from;
	words all[2] = {0}, high[2] = {0}, word;
	uint64_t sum;

	for (; len >= sizeof(all); len -= sizeof(all))
		for (unsigned int i = 0; i < RTE_DIM(all); i++, bytes += sizeof(word)) {
			memcpy(&word, bytes, sizeof(word));
			all[i] += word;
			high[i] += word >> 32;
		}
	for (; len >= sizeof(word); len -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		all[0] += word;
		high[0] += word >> 32;
	}
	high[0] += high[1];
	all[0] += all[1] + high[0] - (high[0] << 32); // all - (high << 32): lower halves
	sum = all[0][0] + all[0][1];
#pragma GCC unroll 4
	for (unsigned int n = sizeof(sum); n > 0; n /= 2)
		if ((len & n) != 0) {
			uint64_t part = 0;

			memcpy(&part, bytes, n);
			sum += (part >> 32) + (uint32_t)part;
			bytes += n;
		}
	return sum;
}

// Each line adds two halves; the upper half of the result has the carry of the lower one.
static uint16_t sum_fold(uint64_t sum) {
	const uint32_t half = (sum + (sum << 32 | sum >> 32)) >> 32;

	return (half + (half << 16 | half >> 16)) >> 16;
}

// Add len bytes of a packet; false: the packet is shorter. (DPDK's rte_raw_cksum_mbuf() loses a
// carry where a segment begins at an odd byte.)
static bool packet_sum(const struct rte_mbuf *mbuf, uint32_t off, uint32_t len, uint64_t *sum) {
	uint32_t done = 0;

	if (off + len > mbuf->pkt_len)
		return false;
	if (likely(off + len <= mbuf->data_len)) { // mbuf->next is in another cache line
		*sum += bytes_sum(rte_pktmbuf_mtod_offset(mbuf, const void *, off), len);
		return true;
	}
	for (; mbuf != NULL && done < len; mbuf = mbuf->next) {
		uint32_t n;
		uint16_t part;

		if (off >= mbuf->data_len) {
			off -= mbuf->data_len;
			continue;
		}
		n = RTE_MIN(len - done, mbuf->data_len - off);
		part = sum_fold(bytes_sum(rte_pktmbuf_mtod_offset(mbuf, const void *, off), n));
		*sum += done % 2 == 0 ? part : rte_bswap16(part);
		done += n;
		off = 0;
	}
	return done == len;
}

/* Verification */

static enum checksum ipv4_verify(const struct rte_mbuf *mbuf, uint32_t off) {
	uint8_t buf[60];
	const struct rte_ipv4_hdr *ip = rte_pktmbuf_read(mbuf, off, sizeof(*ip), buf);
	unsigned int len;

	if (ip == NULL || ip->version_ihl >> 4 != 4)
		return UNKNOWN;
	len = rte_ipv4_hdr_len(ip);
	if (likely(len == sizeof(*ip))) // needs no loop
		return sum_fold(bytes_sum(ip, sizeof(*ip))) == 0xffff ? GOOD : BAD;
	ip = len < sizeof(*ip) ? NULL : rte_pktmbuf_read(mbuf, off, len, buf);
	if (ip == NULL)
		return UNKNOWN;
	return sum_fold(bytes_sum(ip, len)) == 0xffff ? GOOD : BAD;
}

static bool ipv4_l4_find(const struct rte_mbuf *mbuf, uint32_t off, struct l4 *l4) {
	struct rte_ipv4_hdr buf;
	const struct rte_ipv4_hdr *ip = rte_pktmbuf_read(mbuf, off, sizeof(buf), &buf);
	unsigned int header, total;

	if (ip == NULL)
		return false;
	header = rte_ipv4_hdr_len(ip);
	total = rte_be_to_cpu_16(ip->total_length);
	if (header < sizeof(*ip) || total < header || off + total > mbuf->pkt_len ||
	    (ip->fragment_offset & IPV4_FRAGMENT) != 0)
		return false;
	*l4 = (struct l4){
		.proto = ip->next_proto_id,
		.off = off + header,
		.len = total - header,
		.src = ip->src_addr,
		.dst = ip->dst_addr,
	};
	return true;
}

static bool address_sum(const struct rte_mbuf *mbuf, uint32_t off, uint64_t *sum) {
	uint8_t buf[16];
	const void *address = rte_pktmbuf_read(mbuf, off, sizeof(buf), buf);

	if (address != NULL)
		*sum = bytes_sum(address, sizeof(buf));
	return address != NULL;
}

// The pseudo header has a mobile node's home address (RFC 6275) as its source.
static bool options_apply(const struct rte_mbuf *mbuf, uint32_t len, struct l4 *l4) {
	uint32_t at = l4->off + 2, end = l4->off + len;

	for (unsigned int i = 0; i < IPV6_OPTIONS && at < end; i++) {
		uint8_t buf[2];
		const uint8_t *option = rte_pktmbuf_read(mbuf, at, at + 1 < end ? 2 : 1, buf);

		if (option == NULL)
			return false;
		if (option[0] == 0) { // Pad1
			at++;
			continue;
		}
		if (at + 2 > end || at + 2 + option[1] > end)
			return false;
		if (option[0] == HOME_ADDRESS &&
		    (option[1] != 16 || !address_sum(mbuf, at + 2, &l4->src)))
			return false;
		at += 2 + option[1];
	}
	return at == end;
}

static bool ipv6_extension_skip(const struct rte_mbuf *mbuf, struct l4 *l4) {
	uint8_t buf[8];
	const uint8_t *ext = rte_pktmbuf_read(mbuf, l4->off, sizeof(buf), buf);
	const uint32_t len = ext == NULL || l4->proto == IPPROTO_FRAGMENT ? 8 : 8 * (ext[1] + 1);

	if (ext == NULL || len > l4->len)
		return false;
	if (l4->proto == IPPROTO_FRAGMENT && (ext[2] | (ext[3] & 0xf9)) != 0) // offset and M
		return false;
	// With segments left the pseudo header has the last destination: of a segment routing
	// header (type 4, RFC 8754) the first address, of others the last one.
	if (l4->proto == IPPROTO_ROUTING && ext[3] != 0 &&
	    (len < 24 || !address_sum(mbuf, l4->off + (ext[2] == 4 ? 8 : len - 16), &l4->dst)))
		return false;
	if (l4->proto == IPPROTO_DSTOPTS && !options_apply(mbuf, len, l4))
		return false;
	l4->proto = ext[0];
	l4->off += len;
	l4->len -= len;
	return true;
}

static bool ipv6_l4_find(const struct rte_mbuf *mbuf, uint32_t off, struct l4 *l4) {
	struct rte_ipv6_hdr buf;
	const struct rte_ipv6_hdr *ip = rte_pktmbuf_read(mbuf, off, sizeof(buf), &buf);
	unsigned int len;

	if (ip == NULL)
		return false;
	len = rte_be_to_cpu_16(ip->payload_len);
	if (len == 0 || off + sizeof(*ip) + len > mbuf->pkt_len) // 0: a jumbogram, or nothing
		return false;
	*l4 = (struct l4){
		.proto = ip->proto,
		.off = off + sizeof(*ip),
		.len = len,
		.src = bytes_sum(&ip->src_addr, sizeof(ip->src_addr)),
		.dst = bytes_sum(&ip->dst_addr, sizeof(ip->dst_addr)),
	};
	for (unsigned int i = 0; l4->proto == IPPROTO_HOPOPTS || l4->proto == IPPROTO_ROUTING ||
				 l4->proto == IPPROTO_DSTOPTS || l4->proto == IPPROTO_FRAGMENT;
	     i++)
		if (i == IPV6_EXTENSIONS || !ipv6_extension_skip(mbuf, l4))
			return false;
	return true;
}

// The bytes that a UDP checksum covers, or 0.
static uint32_t udp_covered(const struct rte_mbuf *mbuf, const struct l4 *l4) {
	struct rte_udp_hdr buf;
	const struct rte_udp_hdr *udp = rte_pktmbuf_read(mbuf, l4->off, sizeof(buf), &buf);
	uint32_t len;

	if (udp == NULL || udp->dgram_cksum == 0) // 0: none, which IPv6 allows to tunnels only
		return 0;
	len = rte_be_to_cpu_16(udp->dgram_len);
	return len >= sizeof(*udp) && len <= l4->len ? len : 0;
}

static enum checksum l4_verify(const struct rte_mbuf *mbuf, uint32_t l3_off, bool udp, bool tcp) {
	uint8_t buf;
	const uint8_t *first = rte_pktmbuf_read(mbuf, l3_off, sizeof(buf), &buf);
	const unsigned int version = first != NULL ? *first >> 4 : 0;
	struct l4 l4;
	uint32_t len = 0;
	uint64_t sum;

	if (!(version == 4 ? ipv4_l4_find(mbuf, l3_off, &l4) :
			     version == 6 && ipv6_l4_find(mbuf, l3_off, &l4)))
		return UNKNOWN;
	if (l4.proto == IPPROTO_UDP && udp)
		len = udp_covered(mbuf, &l4);
	else if (l4.proto == IPPROTO_TCP && tcp && l4.len >= sizeof(struct rte_tcp_hdr))
		len = l4.len;
	sum = l4.src + l4.dst + rte_cpu_to_be_16(l4.proto) + rte_cpu_to_be_16(len);
	if (len == 0 || !packet_sum(mbuf, l4.off, len, &sum))
		return UNKNOWN;
	return sum_fold(sum) == 0xffff ? GOOD : BAD;
}

static uint64_t flag_of(enum checksum outcome, uint64_t good, uint64_t bad) {
	return outcome == GOOD ? good : outcome == BAD ? bad : 0;
}

uint64_t ddp_cksum_verify(const struct ddp_verdict *verdict, uint64_t checksums,
			  const struct rte_mbuf *mbuf) {
	const bool tunnelled = verdict->inner_l3_off != UINT16_MAX;
	const uint16_t off = tunnelled ? verdict->inner_l3_off : verdict->l3_off;
	const bool udp = (checksums & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) != 0;
	const bool tcp = (checksums & RTE_ETH_RX_OFFLOAD_TCP_CKSUM) != 0;
	uint64_t flags = 0;

	if (off == UINT16_MAX)
		return 0;
	if ((checksums & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0)
		flags |= flag_of(ipv4_verify(mbuf, off), RTE_MBUF_F_RX_IP_CKSUM_GOOD,
				 RTE_MBUF_F_RX_IP_CKSUM_BAD);
	if (udp || tcp)
		flags |= flag_of(l4_verify(mbuf, off, udp, tcp), RTE_MBUF_F_RX_L4_CKSUM_GOOD,
				 RTE_MBUF_F_RX_L4_CKSUM_BAD);
	if (tunnelled && (checksums & RTE_ETH_RX_OFFLOAD_OUTER_IPV4_CKSUM) != 0)
		flags |= flag_of(ipv4_verify(mbuf, verdict->l3_off), 0,
				 RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD);
	if (tunnelled && (checksums & RTE_ETH_RX_OFFLOAD_OUTER_UDP_CKSUM) != 0)
		flags |= flag_of(l4_verify(mbuf, verdict->l3_off, true, false),
				 RTE_MBUF_F_RX_OUTER_L4_CKSUM_GOOD,
				 RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD);
	return flags;
}

/* Computation */

// Write a checksum that may lie in two segments; else in one store, for other holders' sake.
static void cksum_store(struct rte_mbuf *mbuf, uint32_t off, uint16_t cksum) {
	uint8_t bytes[2];

	for (; off >= mbuf->data_len; mbuf = mbuf->next)
		off -= mbuf->data_len;
	if (likely(off + sizeof(cksum) <= mbuf->data_len)) {
		memcpy(rte_pktmbuf_mtod_offset(mbuf, void *, off), &cksum, sizeof(cksum));
		return;
	}
	memcpy(bytes, &cksum, sizeof(bytes));
	*rte_pktmbuf_mtod_offset(mbuf, uint8_t *, off) = bytes[0];
	do
		mbuf = mbuf->next;
	while (mbuf->data_len == 0);
	*rte_pktmbuf_mtod(mbuf, uint8_t *) = bytes[1];
}

static void ipv4_compute(struct rte_mbuf *mbuf, uint32_t off, uint32_t len) {
	uint8_t buf[60];
	const struct rte_ipv4_hdr *ip = len < sizeof(*ip) || len > sizeof(buf) ?
						NULL :
						rte_pktmbuf_read(mbuf, off, len, buf);

	if (ip != NULL)
		cksum_store(mbuf, off + offsetof(struct rte_ipv4_hdr, hdr_checksum),
			    ~sum_fold(bytes_sum(ip, len) + (uint16_t)~ip->hdr_checksum));
}

// The sum of the pseudo header's addresses, and the bytes from the IP header to the packet's end.
static bool ip_read(const struct rte_mbuf *mbuf, uint32_t off, uint64_t *sum, uint32_t *len) {
	const bool v6 = (mbuf->ol_flags & RTE_MBUF_F_TX_IPV6) != 0;
	struct rte_ipv6_hdr buf;
	const void *ip =
		rte_pktmbuf_read(mbuf, off, v6 ? sizeof(buf) : sizeof(struct rte_ipv4_hdr), &buf);
	const struct rte_ipv4_hdr *ipv4 = ip;
	const struct rte_ipv6_hdr *ipv6 = ip;

	if (ip == NULL)
		return false;
	if (v6) {
		*sum = bytes_sum(&ipv6->src_addr, 2 * sizeof(ipv6->src_addr));
		*len = sizeof(*ipv6) + rte_be_to_cpu_16(ipv6->payload_len);
	} else {
		*sum = bytes_sum(&ipv4->src_addr, 2 * sizeof(ipv4->src_addr));
		*len = rte_be_to_cpu_16(ipv4->total_length);
	}
	return true;
}

static void l4_compute(struct rte_mbuf *mbuf, uint32_t l3_off, uint8_t proto, size_t cksum_off,
		       size_t header_len) {
	const uint32_t l4_off = l3_off + mbuf->l3_len, at = l4_off + cksum_off;
	uint16_t buf, old, cksum;
	uint64_t sum;
	uint32_t len;

	if (!ip_read(mbuf, l3_off, &sum, &len) || len < mbuf->l3_len + header_len)
		return;
	len -= mbuf->l3_len;
	if (!packet_sum(mbuf, l4_off, len, &sum))
		return;
	memcpy(&old, rte_pktmbuf_read(mbuf, at, sizeof(buf), &buf), sizeof(old));
	cksum = ~sum_fold(sum + rte_cpu_to_be_16(proto) + rte_cpu_to_be_16(len) + (uint16_t)~old);
	if (cksum == 0 && proto == IPPROTO_UDP) // 0 means none
		cksum = 0xffff;
	cksum_store(mbuf, at, cksum);
}

void ddp_cksum_compute(uint64_t checksums, struct rte_mbuf *mbuf) {
	const uint64_t flags = mbuf->ol_flags, l4 = flags & RTE_MBUF_F_TX_L4_MASK;
	const bool tunnelled = (flags & (RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IPV6 |
					 RTE_MBUF_F_TX_OUTER_IP_CKSUM)) != 0;
	const uint32_t outer = tunnelled ? mbuf->outer_l2_len + mbuf->outer_l3_len : 0;
	const uint32_t l3_off = outer + mbuf->l2_len;

	// From the inside out: an outer checksum may cover inner ones.
	if (l4 == RTE_MBUF_F_TX_UDP_CKSUM && (checksums & RTE_ETH_TX_OFFLOAD_UDP_CKSUM) != 0)
		l4_compute(mbuf, l3_off, IPPROTO_UDP, offsetof(struct rte_udp_hdr, dgram_cksum),
			   sizeof(struct rte_udp_hdr));
	if (l4 == RTE_MBUF_F_TX_TCP_CKSUM && (checksums & RTE_ETH_TX_OFFLOAD_TCP_CKSUM) != 0)
		l4_compute(mbuf, l3_off, IPPROTO_TCP, offsetof(struct rte_tcp_hdr, cksum),
			   sizeof(struct rte_tcp_hdr));
	if ((flags & RTE_MBUF_F_TX_IP_CKSUM) != 0 &&
	    (checksums & RTE_ETH_TX_OFFLOAD_IPV4_CKSUM) != 0)
		ipv4_compute(mbuf, l3_off, mbuf->l3_len);
	if ((flags & RTE_MBUF_F_TX_OUTER_IP_CKSUM) != 0 &&
	    (checksums & RTE_ETH_TX_OFFLOAD_OUTER_IPV4_CKSUM) != 0)
		ipv4_compute(mbuf, mbuf->outer_l2_len, mbuf->outer_l3_len);
}

/* decap=on */

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

// Can n bytes be removed from the segments behind the first one?
static bool later_may_be_cut(const struct rte_mbuf *mbuf, uint32_t n) {
	const struct rte_mbuf *next = mbuf->next;

	for (; n > 0 && ddp_mbuf_is_exclusive(next) && n >= next->data_len; next = next->next)
		n -= next->data_len;
	return n == 0 || ddp_mbuf_is_exclusive(next);
}

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
