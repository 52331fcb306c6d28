/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/order.c and plugin/port/balance.c. One thread polls all queues, so each
// step of a wait is seen by itself.
#include "harness.h"

#include <string.h>

#include <rte_alarm.h>
#include <rte_cycles.h>

#include "rss/rss.h"

#define FLOW 7
#define OTHER 4 // a flow of another entry
#define N_DESC 64

static uint32_t next_seq;

static void feed(unsigned int flow, unsigned int n) {
	flow_feed(0, flow, next_seq, n);
	next_seq += n;
}

// Poll a queue for at most n packets. They must be of a flow, with consecutive numbers from *seq.
static unsigned int poll(uint16_t port, uint16_t queue, unsigned int n, uint32_t *seq) {
	struct rte_mbuf *mbufs[64];
	unsigned int got;

	assert_true(n <= RTE_DIM(mbufs));
	got = rte_eth_rx_burst(port, queue, mbufs, n);
	for (unsigned int i = 0; i < got; i++)
		assert_int_equal(packet_seq(mbufs[i]), (*seq)++);
	rte_pktmbuf_free_bulk(mbufs, got);
	return got;
}

static unsigned int entry_of(uint16_t port, unsigned int flow) {
	struct rte_mbuf *mbuf = packet(flow, 0);
	unsigned int entry = DDP_RETA_SIZE, n_rxq = 2;

	testsrc_feed(0, 0, &mbuf, 1);
	for (unsigned int i = 0; i < 4; i++)
		for (unsigned int q = 0; q < n_rxq; q++)
			if (rte_eth_rx_burst(port, q, &mbuf, 1) == 1) {
				entry = mbuf->hash.rss % DDP_RETA_SIZE;
				rte_pktmbuf_free(mbuf);
			}
	assert_true(entry < DDP_RETA_SIZE);
	return entry;
}

static void entry_move(uint16_t port, unsigned int entry, uint16_t queue) {
	struct rte_eth_rss_reta_entry64 reta[DDP_RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE] = {0};

	reta[entry / 64].mask = UINT64_C(1) << entry % 64;
	reta[entry / 64].reta[entry % 64] = queue;
	assert_int_equal(rte_eth_dev_rss_reta_update(port, reta, DDP_RETA_SIZE), 0);
}

// A port whose flow FLOW is on queue 0. Its entry is returned.
static uint16_t port_begin(const char *devargs, unsigned int *entry) {
	uint16_t port = ddp_start(devargs, 2, 1, N_DESC);

	next_seq = 0;
	*entry = entry_of(port, FLOW);
	entry_move(port, *entry, 0);
	poll_to_end(port, 2, 0, NULL);
	return port;
}

PORT_TEST(packets_wait_until_the_old_queue_is_done) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	uint32_t seq = 0;

	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0); // puts them on queue 0's ring
	entry_move(port, entry, 1);
	feed(FLOW, 10);
	assert_int_equal(poll(port, 1, 32, &seq), 0); // the older ones are still on queue 0
	assert_int_equal(xstat(port, "order_parked"), 10);
	assert_int_equal(poll(port, 0, 16, &seq), 16);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	assert_int_equal(poll(port, 0, 16, &seq), 4);
	assert_int_equal(poll(port, 1, 32, &seq), 0); // the last burst may not be done
	assert_int_equal(poll(port, 0, 16, &seq), 0);
	assert_int_equal(poll(port, 1, 32, &seq), 10);
	assert_sum_holds(port);
	feed(FLOW, 5);
	assert_int_equal(poll(port, 1, 32, &seq), 5); // as without any change
	assert_int_equal(xstat(port, "order_parked"), 10);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	ddp_end(port);
}

// A core that has more to do than it can would else take all packets from those parked from then
// on, and load-aware RSS would decide nothing more.
PORT_TEST(a_full_queue_does_not_park_packets_forever) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0),overflow=wait", &entry);
	uint64_t parked = 0;
	uint32_t seq = 0;

	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	entry_move(port, entry, 1);
	feed(FLOW, 400);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(poll(port, 1, 32, &seq), 0);
	assert_int_equal(poll(port, 0, 32, &seq), 20);
	assert_int_equal(poll(port, 0, 32, &seq), 0);
	for (unsigned int i = 0; i < 300; i++) {
		if (i == 100)
			parked = xstat(port, "order_parked");
		feed(FLOW, 8);
		assert_int_equal(poll(port, 0, 32, &seq), 0); // reads a burst of the lower queue
		assert_int_equal(poll(port, 1, 8, &seq), 8);
	}
	assert_in_range(parked, 6 * 32, 420);
	assert_int_equal(xstat(port, "order_parked"), parked);
	poll_to_end(port, 2, 0, NULL);
	ddp_end(port);
}

PORT_TEST(other_entries_do_not_wait) {
	unsigned int entry, other;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	struct rte_mbuf *mbufs[32];
	uint32_t seq = 0;

	other = entry_of(port, OTHER);
	assert_int_not_equal(other, entry);
	entry_move(port, other, 1);
	poll_to_end(port, 2, 0, NULL);
	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	entry_move(port, entry, 1);
	feed(OTHER, 3);
	assert_int_equal(rte_eth_rx_burst(port, 1, mbufs, 32), 3);
	rte_pktmbuf_free_bulk(mbufs, 3);
	assert_int_equal(xstat(port, "order_parked"), 0);
	poll_to_end(port, 2, 0, NULL);
	ddp_end(port);
}

PORT_TEST(with_another_key_all_packets_wait) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	uint8_t key[DDP_KEY_SHORT];
	struct rte_eth_rss_conf conf = {
		.rss_key = key,
		.rss_key_len = sizeof(key),
		.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
	};
	uint32_t seq = 0;
	unsigned int n;

	for (unsigned int round = 0; round < 40; round++) {
		unsigned int first = round % 2; // to poll: the flow may be on either queue

		memset(key, round, sizeof(key));
		key[0] = 1;
		feed(FLOW, 10);
		poll(port, first, 1, &seq); // one of them at most is handed out
		assert_int_equal(rte_eth_dev_rss_hash_update(port, &conf), 0);
		feed(FLOW, 10);
		for (n = 0; seq != next_seq && n < 20; n++) // poll() asserts the order
			poll(port, (first + n) % 2, 8, &seq);
		assert_int_equal(seq, next_seq);
	}
	assert_true(xstat(port, "order_parked") > 0);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
	ddp_end(port);
}

PORT_TEST(changes_meanwhile_wait_for_each_other) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0),overflow=wait", &entry);
	uint32_t seq = 0;

	for (unsigned int i = 0; i < 200; i++) {
		feed(FLOW, 7);
		poll(port, i / 3 % 2, 1 + i % 5, &seq);
		entry_move(port, entry, i % 2);
	}
	for (unsigned int i = 0; seq != next_seq && i < 2000; i++)
		poll(port, i % 2, 32, &seq);
	assert_int_equal(seq, next_seq);
	assert_sum_holds(port);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
	ddp_end(port);
}

PORT_TEST(a_queue_that_is_not_polled_is_given_up) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	struct rte_mbuf *mbufs[32];
	uint64_t end;
	uint32_t seq = 0;
	unsigned int n = 0;

	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	entry_move(port, entry, 1);
	feed(FLOW, 10);
	end = rte_rdtsc() + 10 * rte_get_tsc_hz();
	while (n == 0 && rte_rdtsc() < end)
		n = rte_eth_rx_burst(port, 1, mbufs, 32);
	assert_int_equal(n, 10);
	assert_int_equal(packet_seq(mbufs[0]), 20);
	rte_pktmbuf_free_bulk(mbufs, n);
	assert_int_equal(xstat(port, "balance_given_up"), 1);
	entry_move(port, entry, 0); // nobody waits for it again until it is polled
	entry_move(port, entry, 1);
	feed(FLOW, 3);
	seq = 30;
	poll(port, 1, 32, &seq);
	poll(port, 1, 32, &seq);
	assert_int_equal(seq, 33);
	seq = 0;
	assert_int_equal(poll(port, 0, 32, &seq), 20);
	ddp_end(port);
}

PORT_TEST(parked_packets_are_dropped_at_stop) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	uint32_t seq = 0;

	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	entry_move(port, entry, 1);
	feed(FLOW, 10);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "rx_dropped_at_stop"), 30);
	assert_sum_holds(port);
	assert_int_equal(rte_eth_dev_start(port), 0);
	seq = next_seq;
	feed(FLOW, 4);
	poll(port, 1, 32, &seq);
	assert_int_equal(seq, next_seq);
	ddp_end(port);
}

PORT_TEST(nobody_waits_for_a_stopped_queue) {
	unsigned int entry;
	uint16_t port = port_begin("dev(net_testsrc0)", &entry);
	uint32_t seq = 0;

	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	entry_move(port, entry, 1);
	feed(FLOW, 10);
	assert_int_equal(poll(port, 1, 32, &seq), 0);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	seq = 20;
	assert_int_equal(poll(port, 1, 32, &seq), 10);
	assert_int_equal(xstat(port, "rx_missed_packets"), 20);
	assert_sum_holds(port);
	ddp_end(port);
}

/* Load-aware RSS */

// Flows 0 to 3 have n packets each, flow 4 to 63 one, in each round of a millisecond.
static void skewed_feed(unsigned int n) {
	for (unsigned int flow = 0; flow < 64; flow++)
		feed(flow, flow < 4 ? n : 1);
}

static void flows_move(uint16_t port, uint16_t queue) {
	for (unsigned int flow = 0; flow < 4; flow++)
		entry_move(port, entry_of(port, flow), queue);
}

PORT_TEST(loaded_entries_move) {
	uint16_t port = ddp_start("dev(net_testsrc0),balance=10", 2, 1, 1024);
	struct rte_pmd_ddp_balance balance;
	uint64_t counts[2];
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();

	flows_move(port, 0);
	do {
		memset(counts, 0, sizeof(counts));
		skewed_feed(100);
		poll_to_end(port, 2, 0, counts);
		rte_delay_us_sleep(500);
	} while (counts[0] > 280 && rte_rdtsc() < end);
	assert_in_range(counts[0], 180, 280); // 460 packets
	assert_int_equal(rte_pmd_ddp_balance_get(port, &balance), 0);
	assert_int_equal(balance.interval_ms, 10);
	assert_true(balance.moves > 0 && balance.rounds > 0);
	assert_int_equal(xstat(port, "balance_moves"), balance.moves);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	assert_sum_holds(port);
	ddp_end(port);
}

// An interval may end between the packets of a round.
static bool is_elephant(const struct rte_pmd_ddp_balance *balance) {
	return balance->bound_flow[0] != '\0' && balance->bound_share > 0.8 &&
	       balance->bound_share < 0.95;
}

PORT_TEST(an_elephant_is_told) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 4, 1, 1024);
	struct rte_pmd_ddp_balance balance = {.bound_entry = RTE_PMD_DDP_NO_ENTRY};
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();
	unsigned int entry = entry_of(port, 0);

	assert_int_equal(rte_pmd_ddp_balance_set(port, 10), 0);
	while (!is_elephant(&balance) && rte_rdtsc() < end) {
		feed(0, 300);
		feed(1, 20);
		feed(2, 20);
		poll_to_end(port, 4, 0, NULL);
		rte_delay_us_sleep(200);
		assert_int_equal(rte_pmd_ddp_balance_get(port, &balance), 0);
	}
	assert_int_equal(balance.bound_entry, entry);
	assert_true(is_elephant(&balance));
	assert_non_null(strstr(balance.bound_flow, " > 192.168.0.1:53 UDP"));
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	ddp_end(port);
}

// A move is given up if its old queue is not polled for ten intervals: its packets stay in order,
// on the old queue.
PORT_TEST(a_move_from_a_queue_that_is_not_polled_is_given_up) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 1, 4096);
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();
	unsigned int entries[4];
	struct rte_mbuf *mbufs[32];
	uint64_t missed, n[2] = {0};
	uint16_t got;

	for (unsigned int i = 0; i < 4; i++)
		entries[i] = entry_of(port, i);
	flows_move(port, 0);
	poll_to_end(port, 2, 0, NULL);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 20), 0);
	// Queue 0 is polled for one packet a time: its ring is never empty.
	while (xstat(port, "balance_moves") == 0 && rte_rdtsc() < end) {
		skewed_feed(20);
		for (unsigned int i = 0; i < 8; i++) {
			got = rte_eth_rx_burst(port, 1, mbufs, 32);
			rte_pktmbuf_free_bulk(mbufs, got);
			n[1] += got;
		}
		got = rte_eth_rx_burst(port, 0, mbufs, 1);
		rte_pktmbuf_free_bulk(mbufs, got);
		n[0] += got;
		rte_delay_us_sleep(2000);
	}
	assert_true(xstat(port, "balance_moves") > 0);
	missed = xstat(port, "rx_missed_packets");
	// Now it is not polled at all.
	while (xstat(port, "balance_given_up") == 0 && rte_rdtsc() < end) {
		feed(0, 1);
		feed(1, 1);
		feed(2, 1);
		feed(3, 1);
		got = rte_eth_rx_burst(port, 1, mbufs, 32);
		rte_pktmbuf_free_bulk(mbufs, got);
		rte_delay_us_sleep(1000);
	}
	assert_true(xstat(port, "balance_given_up") > 0);
	assert_int_equal(xstat(port, "rx_missed_packets"), missed);
	rte_delay_us_sleep(100000);
	for (unsigned int i = 0; i < 4; i++) // the table says so, too
		if (reta_get(port, entries[i]) != 0)
			assert_true(xstat(port, "balance_moves") > xstat(port, "balance_given_up"));
	assert_sum_holds(port);
	poll_to_end(port, 2, 0, NULL);
	ddp_end(port);
}

PORT_TESTS(order)
