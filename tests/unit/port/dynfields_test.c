/* SPDX-License-Identifier: BSD-3-Clause */
// Answers dynfields_write() of plugin/port/rxtx.c where another library has taken the place between net_ddp's two
// dynamic fields: an application would read wrong packet types and latencies, or find its own field overwritten.
#include "harness.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>

#define TAKEN_OFF 104 // where net_ddp's second field would lie
#define TAKEN UINT64_C(0x7a6b5c4d3e2f1a0b)
#define N_QUEUES 64 // more than packets of a burst
#define N_ROUNDS 40

static uint16_t reta_entry(uint16_t port, uint32_t hash) {
	struct rte_eth_rss_reta_entry64 reta[RTE_ETH_RSS_RETA_SIZE_512 / RTE_ETH_RETA_GROUP_SIZE];
	unsigned int i = hash % RTE_ETH_RSS_RETA_SIZE_512;

	memset(reta, 0xff, sizeof(reta));
	assert_int_equal(rte_eth_dev_rss_reta_query(port, reta, RTE_ETH_RSS_RETA_SIZE_512), 0);
	return reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE];
}

// A burst whose last packets are of another kind if mixed says so.
static void burst_feed(bool mixed) {
	struct rte_mbuf *mbufs[32];

	for (unsigned int i = 0; i < RTE_DIM(mbufs); i++) {
		mbufs[i] = packet(i, i);
		if (mixed && i >= 28) // ICMP
			rte_pktmbuf_mtod(mbufs[i], uint8_t *)[RTE_ETHER_HDR_LEN + 9] = 1;
		*RTE_MBUF_DYNFIELD(mbufs[i], TAKEN_OFF, uint64_t *) = TAKEN;
	}
	testsrc_feed(0, 0, mbufs, RTE_DIM(mbufs));
}

static void packet_check(uint16_t port, uint16_t queue, const struct rte_mbuf *mbuf,
			 uint64_t before) {
	int meta_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL);
	int tsc_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_RX_TSC_DYNFIELD, NULL);
	bool icmp = rte_pktmbuf_mtod(mbuf, const uint8_t *)[RTE_ETHER_HDR_LEN + 9] == 1;
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, meta_off, const struct rte_pmd_ddp_meta *);
	char name[64];

	assert_int_not_equal(meta_off, tsc_off + 8);
	assert_int_equal(*RTE_MBUF_DYNFIELD(mbuf, TAKEN_OFF, const uint64_t *), TAKEN);
	assert_in_range(*RTE_MBUF_DYNFIELD(mbuf, tsc_off, const uint64_t *), before, rte_rdtsc());
	assert_true(rte_pmd_ddp_ptype_name(port, meta->ptype_id, name, sizeof(name)) > 0);
	assert_string_equal(name, icmp ? "IPV4_ICMP" : "IPV4_UDP");
	assert_int_equal(meta->inner_l3_off, RTE_PMD_DDP_NO_INNER_L3);
	assert_int_equal(queue, reta_entry(port, mbuf->hash.rss));
}

static void fields_that_do_not_lie_side_by_side(void **state) {
	uint16_t port = ddp_start("dev(net_testsrc0),profile=e810-comms", N_QUEUES, 1, 64);
	unsigned int n_seen = 0;

	RTE_SET_USED(state);
	for (unsigned int round = 0; round < N_ROUNDS; round++) {
		uint64_t before = rte_rdtsc();

		burst_feed(round % 4 == 3);
		for (unsigned int i = 0; i < 2 * N_QUEUES;
		     i++) { // what was read by a later queue's call is on rings
			struct rte_mbuf *mbufs[32];
			uint16_t n = rte_eth_rx_burst(port, i % N_QUEUES, mbufs, 32);

			for (uint16_t k = 0; k < n; k++)
				packet_check(port, i % N_QUEUES, mbufs[k], before);
			rte_pktmbuf_free_bulk(mbufs, n);
			n_seen += n;
		}
	}
	assert_int_equal(n_seen, 32 * N_ROUNDS);
	ddp_end(port);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		port_test(fields_that_do_not_lie_side_by_side),
	};
	const struct rte_mbuf_dynfield taken = {
		.name = "test_taken", .size = sizeof(uint64_t), .align = sizeof(uint64_t)};

	eal_begin();
	if (rte_mbuf_dynfield_register_offset(&taken, TAKEN_OFF) != TAKEN_OFF)
		return EXIT_FAILURE;
	ports_first();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
