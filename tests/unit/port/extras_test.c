/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/cksum.c and decap.c: headers split over segments anywhere give what they
// give in one piece, no mbuf is lost, and nobody's shared data is changed.
#include "harness.h"

#include <string.h>

#include <rte_ip.h>
#include <rte_udp.h>

#include "packet.h"
#include "port/run/cksum.h"
#include "port/run/decap.h"

#define OUTER_L3 14
#define INNER_L3 50
#define INNER_L4 70
#define RX_ALL DDP_RX_CHECKSUMS
#define GOOD                                                         \
	(RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD | \
	 RTE_MBUF_F_RX_OUTER_L4_CKSUM_GOOD)

static const struct ddp_verdict tunnelled = {.l3_off = OUTER_L3, .inner_l3_off = INNER_L3};

// A UDP packet in GTP-U, without checksums.
static struct rte_mbuf *gtpu_make(void) {
	struct rte_mbuf *mbuf = gtpu_packet();
	const uint32_t len = mbuf->pkt_len;
	struct rte_ipv4_hdr *outer, *inner;
	struct rte_udp_hdr *outer_udp, *inner_udp;

	outer = rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv4_hdr *, OUTER_L3);
	outer_udp = (void *)(outer + 1);
	inner = rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv4_hdr *, INNER_L3);
	inner_udp = (void *)(inner + 1);
	outer->total_length = rte_cpu_to_be_16(len - OUTER_L3);
	outer_udp->dgram_len = rte_cpu_to_be_16(len - OUTER_L3 - sizeof(*outer));
	inner->total_length = rte_cpu_to_be_16(len - INNER_L3);
	inner_udp->dgram_len = rte_cpu_to_be_16(len - INNER_L3 - sizeof(*inner));
	return mbuf;
}

// The same with checksums by DPDK's own functions.
static struct rte_mbuf *gtpu_summed(void) {
	struct rte_mbuf *mbuf = gtpu_make();
	static const unsigned int offs[] = {INNER_L3, OUTER_L3};

	for (unsigned int i = 0; i < RTE_DIM(offs); i++) {
		struct rte_ipv4_hdr *ip =
			rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv4_hdr *, offs[i]);
		struct rte_udp_hdr *udp = (void *)(ip + 1);

		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
		udp->dgram_cksum = 0;
		udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
	}
	return mbuf;
}

// A copy whose first segment has so many bytes.
static struct rte_mbuf *split(const struct rte_mbuf *from, unsigned int at) {
	struct rte_mbuf *first = rte_pktmbuf_copy(from, pool, 0, at);
	struct rte_mbuf *rest = rte_pktmbuf_copy(from, pool, at, UINT32_MAX);

	assert_non_null(first);
	assert_non_null(rest);
	assert_int_equal(rte_pktmbuf_chain(first, rest), 0);
	return first;
}

static void checksums_are_verified_however_a_packet_is_split(void **state) {
	struct rte_mbuf *whole = gtpu_summed();

	RTE_SET_USED(state);
	assert_int_equal(ddp_cksum_verify(&tunnelled, RX_ALL, whole), GOOD);
	for (unsigned int at = 1; at < whole->pkt_len; at++) {
		struct rte_mbuf *mbuf = split(whole, at);

		assert_int_equal(ddp_cksum_verify(&tunnelled, RX_ALL, mbuf), GOOD);
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(whole);
}

// Each byte that a checksum covers: a change of it is noticed by that one.
static void each_damaged_byte_is_noticed(void **state) {
	struct rte_mbuf *mbuf = gtpu_summed();
	uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);

	RTE_SET_USED(state);
	for (unsigned int at = OUTER_L3 + 12; at < mbuf->pkt_len; at++) {
		uint64_t flags;

		bytes[at] ^= 0x5a;
		flags = ddp_cksum_verify(&tunnelled, RX_ALL, mbuf);
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

static void only_what_is_asked_for_is_verified(void **state) {
	struct rte_mbuf *mbuf = gtpu_summed();

	RTE_SET_USED(state);
	assert_int_equal(ddp_cksum_verify(&tunnelled, 0, mbuf), 0);
	assert_int_equal(ddp_cksum_verify(&tunnelled, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM, mbuf),
			 RTE_MBUF_F_RX_IP_CKSUM_GOOD);
	assert_int_equal(ddp_cksum_verify(&tunnelled, RTE_ETH_RX_OFFLOAD_TCP_CKSUM, mbuf), 0);
	assert_int_equal(ddp_cksum_verify(&tunnelled, RTE_ETH_RX_OFFLOAD_UDP_CKSUM, mbuf),
			 RTE_MBUF_F_RX_L4_CKSUM_GOOD);
	rte_pktmbuf_free(mbuf);
}

// Cut anywhere, a packet has no verdict on what is not whole, and nothing behind it is read.
static void cut_packets_have_no_verdict(void **state) {
	struct rte_mbuf *whole = gtpu_summed();

	RTE_SET_USED(state);
	for (unsigned int len = OUTER_L3; len < whole->pkt_len; len++) {
		struct rte_mbuf *mbuf = rte_pktmbuf_copy(whole, pool, 0, len);
		uint64_t flags;

		assert_non_null(mbuf);
		flags = ddp_cksum_verify(&tunnelled, RX_ALL, mbuf);
		assert_int_equal(flags & ~RTE_MBUF_F_RX_IP_CKSUM_GOOD, 0);
		assert_true((flags != 0) == (len >= INNER_L4));
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(whole);
}

static void sums_compute(struct rte_mbuf *mbuf) {
	mbuf->outer_l2_len = OUTER_L3;
	mbuf->outer_l3_len = 20;
	mbuf->l2_len = INNER_L3 - OUTER_L3 - 20;
	mbuf->l3_len = 20;
	mbuf->ol_flags = RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IP_CKSUM |
			 RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_UDP_CKSUM;
	ddp_cksum_compute(DDP_TX_CHECKSUMS, mbuf);
	ddp_cksum_compute(DDP_TX_CHECKSUMS, mbuf); // sent again after a full queue
}

static void computed_checksums_are_dpdks(void **state) {
	struct rte_mbuf *expected = gtpu_summed(), *plain = gtpu_make();
	const uint8_t *bytes = rte_pktmbuf_mtod(expected, uint8_t *);
	uint8_t buf[PACKET_MAX];

	RTE_SET_USED(state);
	// The outer UDP checksum is not asked for.
	rte_pktmbuf_mtod_offset(expected, struct rte_udp_hdr *, OUTER_L3 + 20)->dgram_cksum =
		rte_pktmbuf_mtod_offset(plain, struct rte_udp_hdr *, OUTER_L3 + 20)->dgram_cksum;
	for (unsigned int at = INNER_L4 + 8; at <= plain->pkt_len; at++) {
		struct rte_mbuf *mbuf = at < plain->pkt_len ?
						split(plain, at) :
						rte_pktmbuf_copy(plain, pool, 0, UINT32_MAX);

		sums_compute(mbuf);
		assert_memory_equal(rte_pktmbuf_read(mbuf, 0, mbuf->pkt_len, buf), bytes,
				    expected->pkt_len);
		rte_pktmbuf_free(mbuf);
	}
	for (unsigned int at = 1; at < INNER_L4 + 8; at++) { // a header that is not in one piece
		struct rte_mbuf *mbuf = split(plain, at);

		sums_compute(mbuf);
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(expected);
	rte_pktmbuf_free(plain);
}

static void a_tunnel_is_removed_however_a_packet_is_split(void **state) {
	struct rte_mbuf *whole = gtpu_summed();
	uint8_t expected[PACKET_MAX], buf[PACKET_MAX];
	const uint32_t len = whole->pkt_len - INNER_L3 + 14;

	RTE_SET_USED(state);
	memcpy(expected, rte_pktmbuf_mtod(whole, void *), 12);
	memcpy(expected + 12, "\x08\x00", 2);
	memcpy(expected + 14, rte_pktmbuf_mtod_offset(whole, void *, INNER_L3),
	       whole->pkt_len - INNER_L3);
	for (unsigned int at = 1; at < whole->pkt_len; at++) {
		struct rte_mbuf *mbuf = split(whole, at);

		assert_true(ddp_decap(mbuf, INNER_L3));
		assert_int_equal(mbuf->pkt_len, len);
		assert_memory_equal(rte_pktmbuf_read(mbuf, 0, len, buf), expected, len);
		rte_mbuf_sanity_check(mbuf, 1);
		rte_pktmbuf_free(mbuf);
	}
	rte_pktmbuf_free(whole);
}

static void many_small_segments_are_taken_off(void **state) {
	for (unsigned int size = 1; size < 20; size++) {
		struct rte_mbuf *mbuf = packet_split(gtpu_summed(), size);
		const uint32_t len = mbuf->pkt_len - INNER_L3 + 14;

		assert_true(ddp_decap(mbuf, INNER_L3));
		assert_int_equal(mbuf->pkt_len, len);
		rte_mbuf_sanity_check(mbuf, 1);
		rte_pktmbuf_free(mbuf);
	}
	RTE_SET_USED(state);
}

static void shared_data_and_lies_stay(void **state) {
	struct rte_mbuf *mbuf = gtpu_summed(), *clone = rte_pktmbuf_clone(mbuf, pool);
	uint8_t before[PACKET_MAX];

	RTE_SET_USED(state);
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

static void packet_types_are_those_of_what_is_left(void **state) {
	RTE_SET_USED(state);
	assert_int_equal(ddp_decap_ptype(RTE_PTYPE_L2_ETHER_VLAN | RTE_PTYPE_L3_IPV4 |
					 RTE_PTYPE_L4_UDP | RTE_PTYPE_TUNNEL_GTPU |
					 RTE_PTYPE_INNER_L3_IPV6_EXT | RTE_PTYPE_INNER_L4_TCP),
			 RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV6_EXT | RTE_PTYPE_L4_TCP);
	assert_int_equal(ddp_decap_ptype(0x80000007), 0x80000007); // an application's own
}

// The layers that the application asks for are those of what is left, here a packet without a
// transport header that is known, in one with UDP.
static void a_mask_of_packet_types_is_for_what_is_left(void **state) {
	const uint32_t layers = RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK;
	uint16_t port = ddp_start("dev(net_testsrc0),profile=gtpu,decap=on", 1, 1, 512);
	struct rte_mbuf *mbufs[] = {gtpu_packet(), packet(0, 0)};

	RTE_SET_USED(state);
	rte_pktmbuf_mtod_offset(mbufs[0], struct rte_ipv4_hdr *, INNER_L3)->next_proto_id = 99;
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_true(rte_eth_dev_set_ptypes(port, layers, NULL, 0) >= 0);
	assert_int_equal(rte_eth_dev_start(port), 0);
	testsrc_feed(0, 0, mbufs, RTE_DIM(mbufs));
	assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, RTE_DIM(mbufs)), RTE_DIM(mbufs));
	assert_int_equal(mbufs[0]->packet_type, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN);
	assert_int_equal(mbufs[1]->packet_type, RTE_PTYPE_L3_IPV4_EXT_UNKNOWN | RTE_PTYPE_L4_UDP);
	rte_pktmbuf_free_bulk(mbufs, RTE_DIM(mbufs));
	assert_int_equal(xstat(port, "rx_decapped_packets"), 1);
	assert_int_equal(xstat(port, "rx_not_decapped_packets"), 1);
	ddp_end(port);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		port_test(checksums_are_verified_however_a_packet_is_split),
		port_test(each_damaged_byte_is_noticed),
		port_test(only_what_is_asked_for_is_verified),
		port_test(cut_packets_have_no_verdict),
		port_test(computed_checksums_are_dpdks),
		port_test(a_tunnel_is_removed_however_a_packet_is_split),
		port_test(many_small_segments_are_taken_off),
		port_test(shared_data_and_lies_stay),
		port_test(packet_types_are_those_of_what_is_left),
		port_test(a_mask_of_packet_types_is_for_what_is_left),
	};

	eal_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
