/* SPDX-License-Identifier: BSD-3-Clause */
// Headers split over segments anywhere give what they give in one piece, no mbuf is lost, and
// nobody's shared data is changed.
#include <netinet/in.h>
#include <rte_ip.h>

#include "packet.h"
#include "port/run/extras.h"
#include "port_rules.h"

#define OUTER_L3 14
#define INNER_L3 50
#define INNER_L4 70
#define GOOD                                                         \
	(RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD | \
	 RTE_MBUF_F_RX_OUTER_L4_CKSUM_GOOD)
#define BAD \
	(RTE_MBUF_F_RX_IP_CKSUM_BAD | RTE_MBUF_F_RX_L4_CKSUM_BAD | RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD)

static const struct ddp_verdict tunnelled = {.l3_off = OUTER_L3, .inner_l3_off = INNER_L3};

// n: bytes of the second segment.
static struct rte_mbuf *split(const struct rte_mbuf *from, unsigned int at, uint32_t n) {
	struct rte_mbuf *first = rte_pktmbuf_copy(from, pool, 0, at);

	assert_int_equal(rte_pktmbuf_chain(first, rte_pktmbuf_copy(from, pool, at, n)), 0);
	if (n < from->pkt_len - at)
		assert_int_equal(
			rte_pktmbuf_chain(first, rte_pktmbuf_copy(from, pool, at + n, UINT32_MAX)),
			0);
	return first;
}

// Into segments of so many bytes.
static struct rte_mbuf *split_evenly(const struct rte_mbuf *from, uint32_t size) {
	struct rte_mbuf *first = rte_pktmbuf_copy(from, pool, 0, size);

	for (uint32_t off = size; off < from->pkt_len; off += size)
		assert_int_equal(rte_pktmbuf_chain(first, rte_pktmbuf_copy(from, pool, off, size)),
				 0);
	return first;
}

#define ODD_DATA PIECE(0xee, 0xff, 0x12, 0x34, 0x56)
#define IN_IPV6 ETH(0x86dd), IPV6(17, GNB6, UPF6), UDP(2152, 2152), GTPU(0x30, 255)
#define IN_IPV4 ETH(0x0800), IPV4(17, GNB, UPF), UDP(2152, 2152), GTPU(0x30, 255)

// The IP header whose checksums are computed is ip_len bytes long, with its extensions. outer_len:
// of the IP header before it.
static const struct shape {
	unsigned int outer_len, ip_off, ip_len;
	uint8_t proto;
	struct piece pieces[9];
} shapes[] = {
	{20, 50, 20, 17, {IN_IPV4, IPV4(17, UE, NET), UDP(1024, 53), DATA, END}}, // gtpu_summed()
	{20, 50, 20, 6, {IN_IPV4, IPV4(6, UE, NET), TCP(1024, 80), ODD_DATA, END}},
	{20, 50, 40, 17, {IN_IPV4, IPV6(17, UE6, NET6), UDP(1024, 53), DATA, END}},
	{40, 70, 20, 17, {IN_IPV6, IPV4(17, UE, NET), UDP(1024, 53), ODD_DATA, END}},
	{40, 70, 40, 6, {IN_IPV6, IPV6(6, UE6, NET6), TCP(1024, 80), ODD_DATA, END}},
	{0, 14, 20, 17, {ETH(0x0800), IPV4(17, UE, NET), UDP(1024, 53), ODD_DATA, END}},
	{0, 14, 20, 6, {ETH(0x0800), IPV4(6, UE, NET), TCP(1024, 80), END}},
	{0, 14, 28, 6, {ETH(0x0800), IPV4_OPTIONS(6, UE, NET), TCP(1, 80), ODD_DATA, END}},
	{0, 18, 20, 17, {ETH(0x8100), VLAN(7, 0x0800), IPV4(17, UE, NET), UDP(1, 53), DATA, END}},
	{0, 14, 40, 17, {ETH(0x86dd), IPV6(17, UE6, NET6), UDP(1024, 53), ODD_DATA, END}},
	{0, 14, 40, 6, {ETH(0x86dd), IPV6(6, UE6, NET6), TCP(1024, 80), END}},
	{0, 14, 64, 6, {ETH(0x86dd), IPV6(60, UE6, NET6), EXT16(60), EXT8(6), TCP(1, 80), END}},
};

static uint16_t sum_slowly(const uint8_t *bytes, unsigned int n, uint32_t sum) {
	for (unsigned int i = 0; i < n; i++)
		sum += i % 2 == 0 ? bytes[i] << 8 : bytes[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void be16_put(uint8_t *bytes, uint16_t value) {
	bytes[0] = value >> 8;
	bytes[1] = value;
}

// len: from the IP header on.
static void lengths_put(uint8_t *ip, unsigned int ip_len, uint8_t proto, unsigned int len) {
	if (ip[0] >> 4 == 4)
		be16_put(ip + 2, len);
	else
		be16_put(ip + 4, len - 40);
	if (proto == IPPROTO_UDP)
		be16_put(ip + ip_len + 4, len - ip_len);
}

static void sums_put(uint8_t *ip, unsigned int ip_len, uint8_t proto, unsigned int len, bool l4) {
	const bool v4 = ip[0] >> 4 == 4;
	const uint32_t pseudo =
		(uint16_t)~sum_slowly(v4 ? ip + 12 : ip + 8, v4 ? 8 : 32, proto + len - ip_len);

	if (v4) {
		be16_put(ip + 10, 0);
		be16_put(ip + 10, sum_slowly(ip, ip_len, 0));
	}
	if (l4)
		be16_put(ip + ip_len + (proto == IPPROTO_UDP ? 6 : 16),
			 sum_slowly(ip + ip_len, len - ip_len, pseudo));
}

static struct rte_mbuf *shape_make(const struct shape *shape, bool summed) {
	struct rte_mbuf *mbuf = packet_of(shape->pieces);
	uint8_t *outer = rte_pktmbuf_mtod_offset(mbuf, uint8_t *, OUTER_L3);
	uint8_t *ip = rte_pktmbuf_mtod_offset(mbuf, uint8_t *, shape->ip_off);
	const unsigned int len = mbuf->pkt_len - shape->ip_off;

	lengths_put(ip, shape->ip_len, shape->proto, len);
	if (summed)
		sums_put(ip, shape->ip_len, shape->proto, len, true);
	if (shape->outer_len > 0)
		lengths_put(outer, shape->outer_len, IPPROTO_UDP, mbuf->pkt_len - OUTER_L3);
	if (summed && shape->outer_len > 0)
		sums_put(outer, shape->outer_len, IPPROTO_UDP, mbuf->pkt_len - OUTER_L3, false);
	return mbuf;
}

static struct rte_mbuf *gtpu_summed(void) {
	struct rte_mbuf *mbuf = shape_make(&shapes[0], true);

	sums_put(rte_pktmbuf_mtod_offset(mbuf, uint8_t *, OUTER_L3), 20, IPPROTO_UDP,
		 mbuf->pkt_len - OUTER_L3, true);
	return mbuf;
}

// Each byte that a checksum covers: a change of it is noticed by that one.
TEST(each_damaged_byte_is_noticed) {
	struct rte_mbuf *mbuf = gtpu_summed();
	uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);

	for (unsigned int at = OUTER_L3 + 12; at < mbuf->pkt_len; at++) {
		uint64_t flags;

		bytes[at] ^= 0x5a;
		flags = ddp_cksum_verify(&tunnelled, DDP_RX_CHECKSUMS, mbuf);
		bytes[at] ^= 0x5a;
		if (at < OUTER_L3 + 20)
			assert_true((flags & RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD) != 0);
		if (at >= 42) // behind the outer UDP header
			assert_true((flags & RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD) != 0);
		if (at >= INNER_L3 + 12 && at < INNER_L4)
			assert_true((flags & RTE_MBUF_F_RX_IP_CKSUM_BAD) != 0);
		if (at >= INNER_L4 + 8)
			assert_true((flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) ==
				    RTE_MBUF_F_RX_L4_CKSUM_BAD);
	}
	rte_pktmbuf_free(mbuf);
}

// Cut anywhere, a packet has no verdict on what is not whole, and nothing behind it is read.
TEST(cut_packets_have_no_verdict) {
	struct rte_mbuf *whole = gtpu_summed();

	for (unsigned int len = OUTER_L3; len < whole->pkt_len; len++) {
		struct rte_mbuf *mbuf = rte_pktmbuf_copy(whole, pool, 0, len);
		uint64_t flags;

		assert_non_null(mbuf);
		flags = ddp_cksum_verify(&tunnelled, DDP_RX_CHECKSUMS, mbuf);
		assert_int_equal(flags & ~RTE_MBUF_F_RX_IP_CKSUM_GOOD, 0);
		assert_true((flags != 0) == (len >= INNER_L4));
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(whole);
}

static void checksums_request(const struct shape *shape, bool v4, struct rte_mbuf *mbuf) {
	mbuf->outer_l2_len = shape->outer_len > 0 ? OUTER_L3 : 0;
	mbuf->outer_l3_len = shape->outer_len;
	mbuf->l2_len = shape->ip_off - mbuf->outer_l2_len - shape->outer_len;
	mbuf->l3_len = shape->ip_len;
	mbuf->ol_flags = v4 ? RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM : RTE_MBUF_F_TX_IPV6;
	mbuf->ol_flags |=
		shape->proto == IPPROTO_UDP ? RTE_MBUF_F_TX_UDP_CKSUM : RTE_MBUF_F_TX_TCP_CKSUM;
	if (shape->outer_len == 20)
		mbuf->ol_flags |= RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IP_CKSUM;
	if (shape->outer_len == 40)
		mbuf->ol_flags |= RTE_MBUF_F_TX_OUTER_IPV6;
}

// Compute the checksums of a packet, however it is split, and verify them. Frees it.
static void shape_check(const struct shape *shape, struct rte_mbuf *mbuf,
			const struct rte_mbuf *expected) {
	const bool v4 = (*rte_pktmbuf_mtod_offset(expected, uint8_t *, shape->ip_off) >> 4) == 4;
	const struct ddp_verdict verdict = {
		.l3_off = shape->outer_len > 0 ? OUTER_L3 : shape->ip_off,
		.inner_l3_off = shape->outer_len > 0 ? shape->ip_off : UINT16_MAX,
	};
	const uint64_t good = (v4 ? RTE_MBUF_F_RX_IP_CKSUM_GOOD : 0) | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	uint8_t buf[PACKET_MAX];

	checksums_request(shape, v4, mbuf);
	for (unsigned int i = 0; i < 2; i++) { // sent again after a full queue
		ddp_cksum_compute(DDP_TX_CHECKSUMS, mbuf);
		assert_memory_equal(rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, buf),
				    rte_pktmbuf_mtod(expected, void *), expected->pkt_len);
	}
	assert_int_equal(ddp_cksum_verify(&verdict, DDP_RX_CHECKSUMS, mbuf), good);
	rte_pktmbuf_free(mbuf);
}

TEST(each_header_may_be_split_anywhere) {
	for (unsigned int s = 0; s < RTE_DIM(shapes); s++) {
		struct rte_mbuf *expected = shape_make(&shapes[s], true);
		struct rte_mbuf *plain = shape_make(&shapes[s], false);

		for (unsigned int at = 1; at < plain->pkt_len; at++) {
			const unsigned int rest = plain->pkt_len - at;

			shape_check(&shapes[s], split(plain, at, rest), expected);
			for (unsigned int n = 0; n < RTE_MIN(rest, 4U); n++)
				shape_check(&shapes[s], split(plain, at, n), expected);
		}
		for (unsigned int size = 1; size < 20; size++)
			shape_check(&shapes[s], split_evenly(plain, size), expected);
		shape_check(&shapes[s], plain, expected);
		rte_pktmbuf_free(expected);
	}
}

// The IP header says so, whether the frame ends there or goes on. In memory of the frame's size, as
// below, for sanitizers.
TEST(an_ip_packet_shorter_than_its_transport_header_has_no_checksum) {
	const uint64_t tx = RTE_ETH_TX_OFFLOAD_UDP_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	const uint64_t rx = RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM;

	for (const struct shape *shape = shapes; shape < shapes + RTE_DIM(shapes); shape++) {
		const unsigned int header = shape->proto == IPPROTO_UDP ? 8 : 20;
		const struct ddp_verdict at = {.l3_off = shape->ip_off, .inner_l3_off = UINT16_MAX};
		struct rte_mbuf *whole = shape_make(shape, true);
		uint8_t *from = rte_pktmbuf_mtod(whole, uint8_t *), *ip = from + shape->ip_off;

		for (unsigned int n = 0; n < 2 * header; n++) {
			const unsigned int len = shape->ip_len + n % header;
			struct rte_mbuf mbuf = *whole;

			mbuf.pkt_len = n < header ? shape->ip_off + len : whole->pkt_len;
			mbuf.data_len = mbuf.pkt_len;
			mbuf.data_off = 0;
			mbuf.buf_addr = malloc(mbuf.pkt_len);
			lengths_put(ip, 0, IPPROTO_TCP, len);
			memcpy(mbuf.buf_addr, from, mbuf.pkt_len);
			checksums_request(shape, ip[0] >> 4 == 4, &mbuf);
			ddp_cksum_compute(tx, &mbuf);
			assert_memory_equal(mbuf.buf_addr, from, mbuf.pkt_len);
			assert_int_equal(ddp_cksum_verify(&at, rx, &mbuf), 0);
			free(mbuf.buf_addr);
		}
		rte_pktmbuf_free(whole);
	}
}

// Of random bytes and of ones, which carry most. Then a word of data makes the checksum 0, which
// UDP sends as 0xffff (RFC 768).
TEST(checksums_are_those_of_dpdk_at_each_length_and_alignment) {
	const struct ddp_verdict verdict = {.l3_off = 0, .inner_l3_off = UINT16_MAX};
	const unsigned int most = 0xfefc - 20; // TCP of ones: the halves of its sum carry

	for (unsigned int i = 0; i < 64; i++)
		for (unsigned int n = 2; n <= most; n = n < 100 || n == most ? n + 1 : most) {
			const bool udp = i % 2 == 1, ones = i / 2 % 2 == 1;
			const unsigned int header = udp ? 8 : 20, len = 20 + header + n;
			uint8_t *bytes = malloc(i / 4 + len), *l4 = bytes + i / 4 + 20;
			struct rte_ipv4_hdr *ip = (void *)(bytes + i / 4);
			struct rte_mbuf mbuf = {.buf_addr = ip, .data_len = len, .pkt_len = len};

			assert_non_null(bytes);
			for (unsigned int at = 0; at < i / 4 + len; at++)
				bytes[at] = ones ? 0xff : rand();
			ip->version_ihl = 0x45;
			ip->fragment_offset = 0;
			ip->next_proto_id = udp ? IPPROTO_UDP : IPPROTO_TCP;
			lengths_put((void *)ip, 20, ip->next_proto_id, len);
			memset(l4 + header, 0, 2);
			mbuf.l3_len = 20;
			mbuf.ol_flags = RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM |
					(udp ? RTE_MBUF_F_TX_UDP_CKSUM : RTE_MBUF_F_TX_TCP_CKSUM);
			for (unsigned int zero = 0; zero < 2; zero++) {
				uint8_t *at = l4 + (udp ? 6 : 16);
				uint16_t sum;

				ddp_cksum_compute(DDP_TX_CHECKSUMS, &mbuf);
				assert_int_equal(
					ddp_cksum_verify(&verdict, DDP_RX_CHECKSUMS, &mbuf),
					RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD);
				memcpy(&sum, at, 2);
				if (zero == 1)
					assert_int_equal(sum, udp ? 0xffff : 0);
				memset(at, 0, 2);
				assert_int_equal(sum, rte_ipv4_udptcp_cksum(ip, l4));
				memcpy(l4 + header, &sum, 2);
			}
			free(bytes);
		}
}

TEST(checksums_are_verified_and_a_tunnel_is_removed_however_a_packet_is_split) {
	struct rte_mbuf *whole = gtpu_summed();
	uint8_t expected[PACKET_MAX], buf[PACKET_MAX];
	const uint32_t len = whole->pkt_len - INNER_L3 + 14;

	memcpy(expected, rte_pktmbuf_mtod(whole, void *), 12);
	memcpy(expected + 12, "\x08\x00", 2);
	memcpy(expected + 14, rte_pktmbuf_mtod_offset(whole, void *, INNER_L3),
	       whole->pkt_len - INNER_L3);
	for (unsigned int at = 1; at < whole->pkt_len + 20; at++) {
		struct rte_mbuf *mbuf = at < whole->pkt_len ?
						split(whole, at, UINT32_MAX) :
						split_evenly(whole, 1 + at - whole->pkt_len);

		assert_int_equal(ddp_cksum_verify(&tunnelled, DDP_RX_CHECKSUMS, mbuf), GOOD);
		assert_true(ddp_decap(mbuf, INNER_L3));
		assert_int_equal(mbuf->pkt_len, len);
		assert_memory_equal(rte_pktmbuf_read(mbuf, 0, len, buf), expected, len);
		rte_mbuf_sanity_check(mbuf, 1);
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(whole);
}

TEST(shared_data_and_lies_stay) {
	struct rte_mbuf *mbuf = gtpu_summed(), *clone = rte_pktmbuf_clone(mbuf, pool);
	uint8_t before[PACKET_MAX];

	assert_non_null(clone);
	memcpy(before, rte_pktmbuf_mtod(mbuf, void *), mbuf->pkt_len);
	assert_false(ddp_decap(mbuf, INNER_L3));
	assert_false(ddp_decap(clone, INNER_L3));
	assert_memory_equal(rte_pktmbuf_mtod(mbuf, void *), before, mbuf->pkt_len);
	rte_pktmbuf_free(clone);
	assert_false(ddp_decap(mbuf, mbuf->pkt_len)); // no IP header there
	assert_false(ddp_decap(mbuf, OUTER_L3 + 20)); // nor there
	assert_true(ddp_decap(mbuf, INNER_L3));
	rte_pktmbuf_free(mbuf);
}

// In segments of 20 bytes the second one is taken off and the third one is cut; the last one stays.
TEST(later_segments_that_others_hold_stay) {
	struct rte_mbuf *whole = gtpu_summed();
	const uint32_t len = whole->pkt_len;

	for (unsigned int which = 1; which <= 3; which++)
		for (unsigned int indirect = 0; indirect < 2; indirect++) {
			struct rte_mbuf *mbuf = split_evenly(whole, 20), *from = mbuf;
			struct rte_mbuf *shared, *rest;
			uint8_t buf[PACKET_MAX];

			for (unsigned int i = 1; i < which; i++)
				from = from->next;
			shared = from->next;
			rest = shared->next;
			if (indirect) { // in its place
				shared->next = NULL;
				from->next = rte_pktmbuf_clone(shared, pool);
				from->next->next = rest;
			} else {
				rte_mbuf_refcnt_update(shared, 1);
			}
			assert_int_equal(ddp_decap(mbuf, INNER_L3), which == 3);
			if (which < 3) {
				assert_int_equal(mbuf->pkt_len, len);
				assert_int_equal(mbuf->nb_segs, 5);
				assert_memory_equal(rte_pktmbuf_read(mbuf, 0, len, buf),
						    rte_pktmbuf_mtod(whole, void *), len);
			}
			rte_mbuf_sanity_check(mbuf, 1);
			rte_pktmbuf_free(mbuf);
			rte_pktmbuf_free_seg(shared);
		}
	rte_pktmbuf_free(whole);
}

TEST(packet_types_are_those_of_what_is_left) {
	assert_int_equal(ddp_decap_ptype(RTE_PTYPE_L2_ETHER_VLAN | RTE_PTYPE_L3_IPV4 |
					 RTE_PTYPE_L4_UDP | RTE_PTYPE_TUNNEL_GTPU |
					 RTE_PTYPE_INNER_L3_IPV6_EXT | RTE_PTYPE_INNER_L4_TCP),
			 RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV6_EXT | RTE_PTYPE_L4_TCP);
	assert_int_equal(ddp_decap_ptype(0x80000007), 0x80000007); // an application's own
	assert_int_equal(ddp_decap_ptype(0), 0);
}

// The layers that the application asks for are those of what is left, here a packet without a
// transport header that is known, in one with UDP.
TEST(a_mask_of_packet_types_is_for_what_is_left) {
	const uint32_t layers = RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK;
	uint16_t port = ddp_start("dev(net_testsrc0),profile=gtpu,decap=on", 1, 1, 512);
	struct rte_mbuf *mbufs[] = {gtpu_packet(), packet(0, 0)};

	rte_pktmbuf_mtod_offset(mbufs[0], struct rte_ipv4_hdr *, INNER_L3)->next_proto_id = 99;
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_true(rte_eth_dev_set_ptypes(port, layers, NULL, 0) >= 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	testsrc_feed(0, 0, mbufs, RTE_DIM(mbufs));
	assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, RTE_DIM(mbufs)), RTE_DIM(mbufs));
	assert_int_equal(mbufs[0]->packet_type, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN);
	assert_int_equal(mbufs[1]->packet_type, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP);
	rte_pktmbuf_free_bulk(mbufs, RTE_DIM(mbufs));
}

#define PPPOE(ppp) PIECE(0x11, 0, 0, 5, 0, 60, BE16(ppp))
#define MPLS PIECE(0, 1, 1, 64)
#define USER IPV4(6, UE, NET), TCP(1024, 80), DATA
#define USER6 IPV6(6, UE6, NET6), TCP(1024, 80)
#define LEFT RTE_PTYPE_L2_ETHER | RTE_PTYPE_L4_TCP
#define LEFT4 LEFT | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN
#define LEFT6 LEFT | RTE_PTYPE_L3_IPV6_EXT_UNKNOWN

// ip_off: of the IP header that follows the Ethernet header in what is left; 0: all is left.
static const struct {
	unsigned int ip_off;
	uint32_t packet_type;
	struct piece pieces[9];
} removed[] = {
	{22, LEFT4, {ETH(0x8864), PPPOE(0x21), USER, END}},
	{22, LEFT6, {ETH(0x8864), PPPOE(0x57), USER6, END}},
	{26, LEFT4, {ETH(0x8100), VLAN(7, 0x8864), PPPOE(0x21), USER, END}},
	{0, RTE_PTYPE_L2_ETHER_PPPOE, {ETH(0x8864), PPPOE(0xc021), DATA, END}},
	{18, LEFT4, {ETH(0x8847), MPLS, USER, END}},
	{18, LEFT6, {ETH(0x8847), MPLS, USER6, END}},
	{22, LEFT4, {ETH(0x8100), VLAN(7, 0x8847), MPLS, USER, END}},
	{32, LEFT4, {ETH(0x8847), MPLS, ETH(0x0800), USER, END}}, // a pseudowire
	{0, LEFT4, {ETH(0x0800), USER, END}},
	{0, LEFT4, {ETH(0x8100), VLAN(7, 0x0800), USER, END}},
	{0, LEFT4, {ETH(0x88a8), VLAN(7, 0x8100), VLAN(8, 0x0800), USER, END}},
	{0, LEFT6, {ETH(0x8100), VLAN(7, 0x86dd), USER6, END}},
};

TEST(all_before_the_innermost_ip_header_is_removed) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=pppoe+mpls,decap=on", 1, 1, 512);
	unsigned int n_removed = 0;

	for (unsigned int i = 0; i < RTE_DIM(removed); i++)
		for (unsigned int size = 10; size <= 200; size += 190) {
			struct rte_mbuf *whole = packet_of(removed[i].pieces), *mbuf;
			const unsigned int off = removed[i].ip_off, cut = off == 0 ? 0 : off - 14;
			uint8_t *bytes = rte_pktmbuf_mtod(whole, uint8_t *), buf[PACKET_MAX];

			packet_feed(0, split_evenly(whole, size));
			assert_int_equal(rte_eth_rx_burst(port, 0, &mbuf, 1), 1);
			if (off > 0) {
				memmove(bytes + cut, bytes, 12);
				be16_put(bytes + off - 2, bytes[off] >> 4 == 4 ? 0x0800 : 0x86dd);
			}
			assert_int_equal(mbuf->pkt_len, whole->pkt_len - cut);
			assert_memory_equal(rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, buf),
					    bytes + cut, mbuf->pkt_len);
			assert_int_equal(mbuf->packet_type, removed[i].packet_type);
			n_removed += off > 0;
			rte_pktmbuf_free(mbuf);
			rte_pktmbuf_free(whole);
		}
	assert_int_equal(xstat(port, "rx_decapped_packets"), n_removed);
	assert_int_equal(xstat(port, "rx_not_decapped_packets"), 2 * RTE_DIM(removed) - n_removed);
}

TEST(rules_see_and_count_the_packet_as_it_came) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=gtpu,decap=on", 1, 1, 512);
	const struct rte_flow_action action = ACTION(COUNT);
	struct rte_flow *flow = rule_create(port, udp_items, ACTIONS(ACTION(COUNT)));
	struct rte_mbuf *mbufs[] = {gtpu_packet(), packet(0, 0), gtpu_packet()};
	const uint32_t bytes = mbufs[0]->pkt_len + mbufs[1]->pkt_len + mbufs[2]->pkt_len;
	struct rte_flow_query_count count = {0};

	rte_mbuf_refcnt_update(mbufs[2], 1);
	testsrc_feed(0, 0, mbufs, 3);
	assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, 3), 3);
	assert_int_equal(rte_flow_query(port, flow, &action, &count, NULL), 0);
	assert_int_equal(count.hits, 3);
	assert_int_equal(count.bytes, bytes);
	assert_int_equal(mbufs[0]->pkt_len, mbufs[2]->pkt_len - (INNER_L3 - 14));
	assert_int_equal(xstat(port, "rx_decapped_packets"), 1);
	assert_int_equal(xstat(port, "rx_not_decapped_packets"), 2);
	rte_pktmbuf_free(mbufs[2]);
	rte_pktmbuf_free_bulk(mbufs, 3);
	rule_destroy(port, flow);

	rule_create(port, udp_items, ACTIONS(ACTION(COUNT), ACTION(DROP)));
	packet_feed(0, gtpu_packet());
	assert_int_equal(poll_to_end(port, 1, 0, NULL), 0);
	assert_int_equal(xstat(port, "rx_decapped_packets"), 1); // delivered ones
}

#define ALL_FLAGS (GOOD | BAD | RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD)

// Of what another port, or a NIC of the outer headers, has said before nothing is left.
TEST(flags_are_set_and_not_added) {
	static const struct {
		const char *decap;
		uint64_t offloads, good, bad;
	} cases[] = {
		{"off", DDP_RX_CHECKSUMS, GOOD, BAD},
		{"on", DDP_RX_CHECKSUMS, GOOD, BAD},
		{"off", RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM,
		 RTE_MBUF_F_RX_IP_CKSUM_GOOD, RTE_MBUF_F_RX_IP_CKSUM_BAD},
		{"off", RTE_ETH_RX_OFFLOAD_UDP_CKSUM, RTE_MBUF_F_RX_L4_CKSUM_GOOD,
		 RTE_MBUF_F_RX_L4_CKSUM_BAD},
		{"on", 0, 0, 0},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const struct rte_eth_conf conf = {.rxmode.offloads = cases[i].offloads};
		struct rte_mbuf *mbufs[] = {gtpu_summed(), gtpu_summed()};
		char devargs[64];
		uint16_t port;

		snprintf(devargs, sizeof(devargs), "dev(net_testsrc0),profile=gtpu,decap=%s",
			 cases[i].decap);
		port = ddp_probe(devargs);
		ddp_configure_by(port, 1, 1, 512, &conf);
		assert_int_equal(rte_eth_dev_start(port), 0);
		for (unsigned int bad = 0; bad < 2; bad++) {
			mbufs[bad]->ol_flags |= ALL_FLAGS;
			*rte_pktmbuf_mtod_offset(mbufs[bad], uint8_t *, INNER_L3 + 8) ^= bad; // TTL
			*rte_pktmbuf_mtod_offset(mbufs[bad], uint8_t *, INNER_L4 + 8) ^= 2 * bad;
		}
		testsrc_feed(0, 0, mbufs, 2);
		assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, 2), 2);
		assert_int_equal(mbufs[0]->ol_flags & ALL_FLAGS, cases[i].good);
		assert_int_equal(mbufs[1]->ol_flags & ALL_FLAGS, cases[i].bad);
		rte_pktmbuf_free_bulk(mbufs, 2);
		ddp_end(port);
	}
}

PORT_TESTS(leak_setup)
