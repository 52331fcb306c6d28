/* SPDX-License-Identifier: BSD-3-Clause */
// One thread polls all queues, so each step of a wait is seen by itself.
#include "port_rules.h"

#include "port/exchange/exchange.h"
#include "port/state/control.h"
#include "rss/rss.h"

#define FLOW 7
#define OTHER 4 // a flow of another entry
#define THIRD 1 // and of a third
#define N_DESC 64

// Numbers of the next packet of FLOW that is fed, and that is handed out.
static uint32_t next_seq, seq;

static void feed(unsigned int flow, unsigned int n) {
	flow_feed(0, flow, next_seq, n);
	next_seq += n;
}

static unsigned int poll(uint16_t port, uint16_t queue, unsigned int n) {
	struct rte_mbuf *mbufs[64];
	unsigned int got;

	assert_true(n <= RTE_DIM(mbufs));
	got = rte_eth_rx_burst(port, queue, mbufs, n);
	for (unsigned int i = 0; i < got; i++)
		assert_int_equal(packet_seq(mbufs[i]), seq++);
	rte_pktmbuf_free_bulk(mbufs, got);
	return got;
}

static unsigned int entry_of(unsigned int flow) {
	return hash_of(flow) % DDP_RETA_SIZE;
}

static void entry_move(uint16_t port, unsigned int entry, uint16_t queue) {
	struct rte_eth_rss_reta_entry64 reta[DDP_RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE] = {0};

	reta[entry / 64].mask = UINT64_C(1) << entry % 64;
	reta[entry / 64].reta[entry % 64] = queue;
	assert_int_equal(rte_eth_dev_rss_reta_update(port, reta, DDP_RETA_SIZE), 0);
}

static uint16_t port_begin(const char *devargs) {
	uint16_t port = ddp_start(devargs, 2, 1, N_DESC);

	next_seq = seq = 0;
	entry_move(port, entry_of(FLOW), 0);
	poll_to_end(port, 2, 0, NULL);
	return port;
}

static void ring_fill(uint16_t port) {
	feed(FLOW, 20);
	assert_int_equal(poll(port, 1, 32), 0);
}

// The first 20 of FLOW are on queue 0's ring, and the next 10 wait for them: their queue is 1.
static void move_begin(uint16_t port) {
	ring_fill(port);
	entry_move(port, entry_of(FLOW), 1);
	feed(FLOW, 10);
	assert_int_equal(poll(port, 1, 32), 0);
}

TEST(packets_wait_until_the_old_queue_is_done) {
	uint16_t port = port_begin("dev(net_testsrc0)");

	move_begin(port);
	assert_int_equal(xstat(port, "order_parked"), 10);
	assert_int_equal(poll(port, 0, 16), 16);
	assert_int_equal(poll(port, 1, 32), 0);
	assert_int_equal(poll(port, 0, 16), 4);
	assert_int_equal(poll(port, 1, 32), 0); // the last burst may not be done
	assert_int_equal(poll(port, 0, 16), 0);
	assert_int_equal(poll(port, 1, 32), 10);
	assert_sum_holds(port);
	feed(FLOW, 5);
	assert_int_equal(poll(port, 1, 32), 5); // as without any change
	assert_int_equal(xstat(port, "order_parked"), 10);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
}

// A core that has more to do than it can would else take all packets from those parked from then
// on, and load-aware RSS would decide nothing more.
TEST(a_full_queue_does_not_park_packets_forever) {
	uint16_t port = port_begin("dev(net_testsrc0),overflow=wait");
	uint64_t parked = 0;

	move_begin(port);
	feed(FLOW, 390);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(poll(port, 1, 32), 0);
	assert_int_equal(poll(port, 0, 32), 20);
	assert_int_equal(poll(port, 0, 32), 0);
	for (unsigned int i = 0; i < 300; i++) {
		if (i == 100)
			parked = xstat(port, "order_parked");
		feed(FLOW, 8);
		assert_int_equal(poll(port, 0, 32), 0); // reads a burst of the lower queue
		assert_int_equal(poll(port, 1, 8), 8);
	}
	assert_in_range(parked, 6 * 32, 420);
	assert_int_equal(xstat(port, "order_parked"), parked);
	poll_to_end(port, 2, 0, NULL);
}

TEST(other_entries_do_not_wait) {
	const unsigned int other = entry_of(OTHER);
	uint16_t port = port_begin("dev(net_testsrc0)");

	assert_int_not_equal(other, entry_of(FLOW));
	entry_move(port, other, 1);
	poll_to_end(port, 2, 0, NULL);
	move_begin(port);
	feed(OTHER, 3);
	assert_int_equal(rx_free(port, 1), 3);
	assert_int_equal(xstat(port, "order_parked"), 10);
	poll_to_end(port, 2, 0, NULL);
}

TEST(with_another_key_all_packets_wait) {
	uint16_t port = port_begin("dev(net_testsrc0)");
	uint8_t key[DDP_KEY_SHORT];

	for (unsigned int round = 0; round < 40; round++) {
		memset(key, round, sizeof(key));
		key[0] = 1;
		feed(FLOW, 10);
		poll(port, round % 2, 1); // one of them at most is handed out
		rss_key_set(port, key, sizeof(key));
		feed(FLOW, 10);
		for (unsigned int n = 0; seq != next_seq && n < 20; n++) // in order
			poll(port, (round + n) % 2, 8);
		assert_int_equal(seq, next_seq);
	}
	assert_true(xstat(port, "order_parked") > 0);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
}

TEST(changes_meanwhile_wait_for_each_other) {
	uint16_t port = port_begin("dev(net_testsrc0),overflow=wait");

	for (unsigned int i = 0; i < 200; i++) {
		feed(FLOW, 7);
		poll(port, i / 3 % 2, 1 + i % 5);
		entry_move(port, entry_of(FLOW), i % 2);
	}
	for (unsigned int i = 0; seq != next_seq && i < 2000; i++)
		poll(port, i % 2, 32);
	assert_int_equal(seq, next_seq);
	assert_sum_holds(port);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
}

TEST(a_queue_that_is_not_polled_is_given_up) {
	uint16_t port = port_begin("dev(net_testsrc0)");

	move_begin(port);
	seq = 20;
	wait_until(poll(port, 1, 32) > 0);
	assert_int_equal(seq, 30);
	assert_int_equal(xstat(port, "balance_given_up"), 1);
	entry_move(port, entry_of(FLOW), 0); // nobody waits for it again until it is polled
	entry_move(port, entry_of(FLOW), 1);
	feed(FLOW, 3);
	poll(port, 1, 32);
	poll(port, 1, 32);
	assert_int_equal(seq, 33);
	seq = 0;
	assert_int_equal(poll(port, 0, 32), 20);
}

TEST(parked_packets_are_dropped_at_stop) {
	uint16_t port = port_begin("dev(net_testsrc0)");

	move_begin(port);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "rx_dropped_at_stop"), 30);
	assert_sum_holds(port);
	assert_int_equal(rte_eth_dev_start(port), 0);
	seq = next_seq;
	feed(FLOW, 4);
	poll(port, 1, 32);
	assert_int_equal(seq, next_seq);
}

TEST(nobody_waits_for_a_stopped_queue) {
	uint16_t port = port_begin("dev(net_testsrc0)");

	move_begin(port);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	seq = 20;
	assert_int_equal(poll(port, 1, 32), 10);
	assert_int_equal(xstat(port, "rx_missed_packets"), 20);
}

TEST(without_rx_queues_nothing_is_balanced) {
	uint16_t port = ddp_start("dev(net_testsrc0),balance=10", 0, 1, 1024);

	rte_delay_us_sleep(100000);
	assert_int_equal(xstat(port, "balance_rounds"), 0);
}

TEST(an_elephant_is_told) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 4, 1, 1024);
	struct rte_pmd_ddp_balance balance = {0};

	assert_int_equal(rte_pmd_ddp_balance_set(port, 10), 0);
	// An interval may end between the packets of a round.
	while (balance.bound_flow[0] == '\0' || balance.bound_share < 0.8 ||
	       balance.bound_share > 0.95) {
		feed(0, 300);
		feed(1, 20);
		feed(2, 20);
		poll_to_end(port, 4, 0, NULL);
		rte_delay_us_sleep(200);
		assert_int_equal(rte_pmd_ddp_balance_get(port, &balance), 0);
		assert_in_range(balance.rounds, 0, 2000);
	}
	assert_int_equal(balance.interval_ms, 10);
	assert_int_equal(balance.bound_entry, entry_of(0));
	assert_non_null(strstr(balance.bound_flow, " > 192.168.0.1:53 UDP"));
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
}

// A move is given up if its old queue is not polled for ten intervals: its packets stay in order,
// on the old queue.
TEST(a_move_from_a_queue_that_is_not_polled_is_given_up) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 1, 4096);
	uint64_t missed;

	for (unsigned int flow = 0; flow < 4; flow++)
		entry_move(port, entry_of(flow), 0);
	poll_to_end(port, 2, 0, NULL);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 20), 0);
	// Queue 0 is polled for one packet a time: its ring is never empty.
	while (xstat(port, "balance_moves") == 0) {
		for (unsigned int flow = 0; flow < 64; flow++)
			feed(flow, flow < 4 ? 20 : 1);
		for (unsigned int i = 0; i < 8; i++)
			rx_free(port, 1);
		rte_pktmbuf_free_bulk(mbufs, rte_eth_rx_burst(port, 0, mbufs, 1));
		rte_delay_us_sleep(2000);
		assert_in_range(xstat(port, "balance_rounds"), 0, 1000);
	}
	missed = xstat(port, "rx_missed_packets");
	// Now it is not polled at all.
	for (unsigned int i = 0; xstat(port, "balance_given_up") == 0; i++) {
		for (unsigned int flow = 0; flow < 4; flow++)
			feed(flow, 1);
		rx_free(port, 1);
		rte_delay_us_sleep(1000);
		assert_in_range(i, 0, 20000);
	}
	assert_int_equal(xstat(port, "rx_missed_packets"), missed);
	rte_delay_us_sleep(100000);
	for (unsigned int i = 0; i < 4; i++) // the table says so, too
		if (reta_get(port, entry_of(i)) != 0)
			assert_true(xstat(port, "balance_moves") > xstat(port, "balance_given_up"));
	assert_sum_holds(port);
	poll_to_end(port, 2, 0, NULL);
}

/* Moves that are given up, one by one, by the change that load-aware RSS applies */

#define NEVER "dev(net_testsrc0),balance=60000" // its interval does not end
#define LONG_US 200000                          // longer than this thread may be preempted for
#define SHORT_US 10000                          // if that does not matter

// wait_us 0: for good. Flow THIRD stays on queue 1.
static void moves_try(uint16_t id, uint16_t flow_queue, uint16_t other_queue,
		      unsigned int wait_us) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);
	struct ddp_rss rss = port->rss;
	const struct ddp_change change = {.rss = &rss, .wait_us = wait_us};

	rss.reta[entry_of(FLOW)] = flow_queue;
	rss.reta[entry_of(OTHER)] = other_queue;
	rss.reta[entry_of(THIRD)] = 1;
	assert_int_equal(ddp_change_apply(port, &change), 0);
	ddp_change_end(port);
}

static void move_try(uint16_t port, uint16_t queue, unsigned int wait_us) {
	moves_try(port, queue, 0, wait_us);
}

static void poll_until_given_up(uint16_t port) {
	const uint64_t before = xstat(port, "balance_given_up"), from = seq;

	wait_until((poll(port, 1, 32), xstat(port, "balance_given_up")) > before);
	assert_int_equal(seq, from);
}

// 20 packets on queue 0's ring, then a move to queue 1 that is given up with 10 packets parked.
static void move_give_up(uint16_t port) {
	ring_fill(port);
	move_try(port, 1, LONG_US);
	feed(FLOW, 10);
	poll_until_given_up(port);
	assert_int_equal(xstat(port, "order_parked"), 10);
}

static void poll_all_in_order(uint16_t port, uint16_t queue) {
	for (unsigned int i = 0; i < 10 && seq != next_seq; i++)
		poll(port, queue, 32);
	assert_int_equal(seq, next_seq);
}

TEST(packets_of_a_move_given_up_go_to_the_old_queue) {
	uint16_t port = port_begin(NEVER);

	move_give_up(port);
	feed(FLOW, 5);
	assert_int_equal(poll(port, 1, 32), 0);
	poll_all_in_order(port, 0);
}

// Nobody would put the table right any more.
TEST(without_balancing_the_table_says_where_packets_go) {
	uint16_t port = port_begin(NEVER);

	move_give_up(port);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	assert_int_equal(reta_get(port, entry_of(FLOW)), 0);
	feed(FLOW, 5);
	poll_all_in_order(port, 0);
	move_try(port, 1, 0);
	feed(FLOW, 5);
	assert_int_equal(poll(port, 0, 32), 0); // done with its last burst
	poll_all_in_order(port, 1);
}

TEST(without_balancing_a_move_under_way_is_final) {
	uint16_t port = port_begin(NEVER);
	uint64_t end;

	ring_fill(port);
	move_try(port, 1, SHORT_US);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	feed(FLOW, 10);
	end = rte_rdtsc() + 2 * SHORT_US * (rte_get_tsc_hz() / 1000000);
	while (rte_rdtsc() < end)
		assert_int_equal(poll(port, 1, 32), 0);
	assert_int_equal(reta_get(port, entry_of(FLOW)), 1);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	assert_int_equal(poll(port, 0, 32), 20);
	assert_int_equal(poll(port, 0, 32), 0);
	poll_all_in_order(port, 1);
}

// A change gave up on queue 0 before. Its packets of the entry would be overtaken by the move.
TEST(a_move_waits_for_a_queue_that_a_change_gave_up_on) {
	uint16_t port = port_begin(NEVER);

	ring_fill(port);
	move_try(port, 1, 0);
	feed(FLOW, 1);
	seq = 20; // overtakes the others
	wait_until((poll(port, 1, 32), seq > 20));
	assert_int_equal(xstat(port, "balance_given_up"), 1);
	move_try(port, 0, 0);
	assert_int_equal(poll(port, 1, 32), 0);
	feed(FLOW, 10);
	assert_int_equal(poll(port, 1, 32), 0); // to queue 0
	move_try(port, 1, LONG_US);
	feed(FLOW, 10);
	poll_until_given_up(port);
}

// Their queue has nothing to do with the table, even if that has the same queue.
TEST(packets_of_a_rule_do_not_return) {
	uint16_t port = port_begin(NEVER);
	struct rte_flow *flow;

	ring_fill(port);
	flow = rule_create(port, items_of_flow(FLOW), ACTIONS(TO_QUEUE(1)));
	seq = 20;
	feed(FLOW, 2);
	wait_until((poll(port, 1, 32), seq > 20)); // the rule may have to wait
	assert_int_equal(seq, 22);
	move_try(port, 1, LONG_US);
	for (unsigned int i = 0; i < 20; i++) {
		feed(FLOW, 2);
		assert_int_equal(poll(port, 1, 32), 2);
		rte_delay_us_sleep(LONG_US / 10);
	}
	assert_int_equal(seq, next_seq);
	rule_destroy(port, flow);
}

static unsigned int queue_1_poll(uint16_t port, unsigned int n_polls) {
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n_polls; i++) {
		uint16_t n = rx(port, 1);

		for (uint16_t j = 0; j < n; j++)
			sum += packet_flow(mbufs[j]) == THIRD;
		rte_pktmbuf_free_bulk(mbufs, n);
	}
	return sum;
}

// Lower queue 0 gives the move of FLOW up, and lower queue 1 that of OTHER: each of them has
// packets for a queue that is not polled. The moves back concern the other lower queue, too, which
// must not have all packets wait for the queues that are not polled.
TEST(moves_given_up_by_one_lower_queue_do_not_stop_another) {
	uint16_t port =
		ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2,balance=60000", 3, 1, N_DESC);

	assert_int_not_equal(entry_of(FLOW), entry_of(OTHER));
	moves_try(port, 0, 2, 0);
	poll_to_end(port, 3, 0, NULL);
	flow_feed(0, FLOW, 0, 10);
	flow_feed(1, OTHER, 0, 10);
	queue_1_poll(port, 4);
	moves_try(port, 1, 1, LONG_US);
	while (xstat(port, "balance_given_up") < 2) {
		flow_feed(0, FLOW, 0, 1);
		flow_feed(1, OTHER, 0, 1);
		queue_1_poll(port, 4);
		rte_delay_us_sleep(100);
	}
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	assert_int_equal(reta_get(port, entry_of(FLOW)), 0);
	assert_int_equal(reta_get(port, entry_of(OTHER)), 2);
	for (unsigned int lower = 0; lower < 2; lower++) {
		flow_feed(lower, THIRD, 0, 3);
		assert_int_equal(queue_1_poll(port, 4), 3);
	}
	assert_int_equal(xstat(port, "balance_given_up"), 2);
	poll_to_end(port, 3, 0, NULL);
}

PORT_TESTS(leak_setup)
