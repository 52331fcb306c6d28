/* SPDX-License-Identifier: BSD-3-Clause */
// Another library has taken the place between the two dynamic fields of net_ddp: an application
// would read wrong packet types and latencies, or find its own field overwritten.
#include "harness.h"

#include <netinet/in.h>

#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>

#define TAKEN_OFF 104 // of net_ddp's second field
#define TAKEN UINT64_C(0x7a6b5c4d3e2f1a0b)
#define N_QUEUES 4
#define N_ROUNDS 40

static bool is_icmp(const struct rte_mbuf *mbuf) {
	return rte_pktmbuf_mtod(mbuf, const uint8_t *)[RTE_ETHER_HDR_LEN + 9] == IPPROTO_ICMP;
}

// A burst whose last packets are of another kind if mixed says so.
static void burst_feed(bool nic, bool mixed) {
	for (unsigned int i = 0; i < 32; i++) {
		struct rte_mbuf *mbuf = packet(i, i);

		if (mixed && i >= 28)
			rte_pktmbuf_mtod(mbuf, uint8_t *)[RTE_ETHER_HDR_LEN + 9] = IPPROTO_ICMP;
		*RTE_MBUF_DYNFIELD(mbuf, TAKEN_OFF, uint64_t *) = TAKEN;
		if (nic)
			packet_arrive(mbuf);
		else
			packet_feed(0, mbuf);
	}
}

static void packet_check(uint16_t port, uint16_t queue, const struct rte_mbuf *mbuf,
			 uint64_t before) {
	const int tsc_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_RX_TSC_DYNFIELD, NULL);
	const struct rte_pmd_ddp_meta *meta = meta_of(mbuf);
	const bool hashed = (mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0;
	char name[64];

	assert_ptr_not_equal(meta, RTE_MBUF_DYNFIELD(mbuf, tsc_off + 8, void *));
	assert_int_equal(*RTE_MBUF_DYNFIELD(mbuf, TAKEN_OFF, const uint64_t *), TAKEN);
	assert_in_range(*RTE_MBUF_DYNFIELD(mbuf, tsc_off, const uint64_t *), before, rte_rdtsc());
	assert_true(rte_pmd_ddp_ptype_name(port, meta->ptype_id, name, sizeof(name)) > 0);
	assert_int_equal(strcmp(name, "IPV4_UDP") != 0, is_icmp(mbuf));
	if (rte_pmd_ddp_meta_is_parsed(meta))
		assert_int_equal(meta->inner_l3_off, RTE_PMD_DDP_NO_INNER_L3);
	assert_true(rte_pmd_ddp_meta_is_parsed(meta) || hashed);
	assert_true(!hashed || queue == reta_get(port, mbuf->hash.rss % 512));
}

static const struct row {
	const char *name, *devargs;
	bool nic;
} rows[] = {
	{"classified", "dev(net_testsrc0)", false},
	{"hashed_by_a_nic", "dev(net_testsrc0,nic=1,rxq=1),offload=auto:ice-os", true},
	{"bypass", "dev(net_testsrc0,nic=1,rxq=4),offload=auto:ice-os", true},
};

ROWS_TEST(fields_are_right_beside_another_librarys, rows) {
	const struct row *row = *state;
	uint16_t port = ddp_start(row->devargs, N_QUEUES, 1, 64);
	unsigned int n_seen = 0;

	for (unsigned int round = 0; round < N_ROUNDS; round++) {
		uint64_t before = rte_rdtsc();

		burst_feed(row->nic, round % 4 == 3);
		for (unsigned int i = 0; i < 16 * N_QUEUES; i++) { // packets may wait on rings
			uint16_t n = rx(port, i % N_QUEUES);

			for (uint16_t k = 0; k < n; k++)
				packet_check(port, i % N_QUEUES, mbufs[k], before);
			rte_pktmbuf_free_bulk(mbufs, n);
			n_seen += n;
		}
	}
	assert_int_equal(n_seen, 32 * N_ROUNDS);
	assert_int_equal(xstat(port, "rx_offloaded") > 0, row->nic);
}

static int taken_setup(void **state) {
	const struct rte_mbuf_dynfield taken = {
		.name = "test_taken", .size = sizeof(uint64_t), .align = sizeof(uint64_t)};

	eal_begin();
	if (rte_mbuf_dynfield_register_offset(&taken, TAKEN_OFF) != TAKEN_OFF)
		return -1;
	ports_first();
	return 0;
}

GROUP(taken_setup, NULL)
EACH(leak_setup, leak_teardown)
