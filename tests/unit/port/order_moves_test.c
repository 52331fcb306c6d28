/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/order.c: moves of table entries that are given up, as load-aware RSS
// makes them. They are made here one by one, with the change that plugin/port/balance.c applies.
#include "port_rules.h"

#include <string.h>

#include <rte_cycles.h>

#include "port/exchange/exchange.h"
#include "port/state/control.h"
#include "rss/rss.h"

#define FLOW 7
#define N_DESC 64
#define PATIENCE_US 50000 // longer than this thread may be preempted for
#define SHORT_US 10000    // where that does not matter

static uint32_t next_seq;

static void feed(unsigned int n) {
	flow_feed(0, FLOW, next_seq, n);
	next_seq += n;
}

// Poll a queue for packets with consecutive numbers from *seq.
static unsigned int poll(uint16_t port, uint16_t queue, uint32_t *seq) {
	struct rte_mbuf *mbufs[64];
	unsigned int got = rte_eth_rx_burst(port, queue, mbufs, 32);

	for (unsigned int i = 0; i < got; i++)
		assert_int_equal(packet_seq(mbufs[i]), (*seq)++);
	rte_pktmbuf_free_bulk(mbufs, got);
	return got;
}

// Poll queue 1 until a move from queue 0 is given up.
static void poll_until_given_up(uint16_t port, uint32_t *seq) {
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz(),
		 before = xstat(port, "balance_given_up");

	while (xstat(port, "balance_given_up") == before && rte_rdtsc() < end)
		assert_int_equal(poll(port, 1, seq), 0);
	assert_true(xstat(port, "balance_given_up") > before);
}

// patience_us 0: for good.
static void entry_move(uint16_t id, uint16_t queue, unsigned int patience_us) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);
	struct ddp_rss rss = port->rss;
	const struct ddp_change change = {.rss = &rss, .patience_us = patience_us};

	rss.reta[hash_of(FLOW) % DDP_RETA_SIZE] = queue;
	assert_int_equal(ddp_change_apply(port, &change), 0);
	ddp_change_end(port);
}

static uint16_t entry_queue(uint16_t port) {
	return reta_get(port, hash_of(FLOW) % DDP_RETA_SIZE);
}

// A port whose flow FLOW is on queue 0 of two, load-aware RSS on with an interval that never ends.
static uint16_t port_begin(void) {
	uint16_t port = ddp_start("dev(net_testsrc0),balance=60000", 2, 1, N_DESC);

	next_seq = 0;
	entry_move(port, 0, 0);
	poll_to_end(port, 2, 0, NULL);
	return port;
}

// 20 packets on queue 0's ring, then a move to queue 1 that is given up with 10 packets parked.
static void move_give_up(uint16_t port, uint32_t *seq) {
	feed(20);
	assert_int_equal(poll(port, 1, seq), 0);
	entry_move(port, 1, PATIENCE_US);
	feed(10);
	poll_until_given_up(port, seq);
	assert_int_equal(xstat(port, "order_parked"), 10);
}

static void poll_all_in_order(uint16_t port, uint16_t queue, uint32_t *seq) {
	for (unsigned int i = 0; i < 10 && *seq != next_seq; i++)
		poll(port, queue, seq);
	assert_int_equal(*seq, next_seq);
}

PORT_TEST(packets_of_a_move_given_up_go_to_the_old_queue) {
	uint16_t port = port_begin();
	uint32_t seq = 0;

	move_give_up(port, &seq);
	feed(5);
	assert_int_equal(poll(port, 1, &seq), 0);
	poll_all_in_order(port, 0, &seq);
	assert_sum_holds(port);
	ddp_end(port);
}

// The next flow whose packets the table gives to queue 1, by another entry than that of FLOW.
static unsigned int flow_of_queue_1(uint16_t port) {
	unsigned int flow = FLOW + 1;

	while (reta_get(port, hash_of(flow) % DDP_RETA_SIZE) != 1 ||
	       hash_of(flow) % DDP_RETA_SIZE == hash_of(FLOW) % DDP_RETA_SIZE)
		flow++;
	return flow;
}

// Feed a packet of a flow, which the next calls of queue 1 must return, and nothing else.
static void assert_comes_at_once(uint16_t port, unsigned int flow) {
	struct rte_mbuf *mbuf = packet(flow, 0), *got;
	unsigned int n = 0;

	testsrc_feed(0, 0, &mbuf, 1);
	for (unsigned int i = 0; i < 4; i++) {
		uint16_t n_now = rte_eth_rx_burst(port, 1, &got, 1);

		if (n_now == 1) {
			assert_ptr_equal(got, mbuf);
			rte_pktmbuf_free(got);
		}
		n += n_now;
	}
	assert_int_equal(n, 1);
}

// As long as ten intervals of the default.
PORT_TEST(other_queues_do_not_notice_one_that_is_not_polled_for_a_second) {
	uint16_t port = port_begin();
	unsigned int flow = flow_of_queue_1(port), n = 0;
	uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();
	uint32_t seq = 0;

	feed(20);
	assert_int_equal(poll(port, 1, &seq), 0);
	entry_move(port, 1, 1000000);
	feed(10);
	for (; xstat(port, "balance_given_up") == 0 && rte_rdtsc() < end; n++) {
		assert_comes_at_once(port, flow);
		rte_delay_us_sleep(2000);
	}
	assert_true(n > 1);
	assert_int_equal(xstat(port, "balance_given_up"), 1);
	assert_int_equal(xstat(port, "order_parked"), 10);
	poll_all_in_order(port, 0, &seq);
	assert_comes_at_once(port, flow);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
	assert_sum_holds(port);
	ddp_end(port);
}

// Nobody would put the table right any more.
PORT_TEST(without_balancing_the_table_says_where_packets_go) {
	uint16_t port = port_begin();
	uint32_t seq = 0;

	move_give_up(port, &seq);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	assert_int_equal(entry_queue(port), 0);
	feed(5);
	poll_all_in_order(port, 0, &seq);
	entry_move(port, 1, 0);
	feed(5);
	assert_int_equal(poll(port, 0, &seq), 0); // done with its last burst
	poll_all_in_order(port, 1, &seq);
	ddp_end(port);
}

// It would be given up later.
PORT_TEST(without_balancing_a_move_under_way_is_final) {
	uint16_t port = port_begin();
	uint32_t seq = 0;
	uint64_t end;

	feed(20);
	assert_int_equal(poll(port, 1, &seq), 0);
	entry_move(port, 1, SHORT_US);
	assert_int_equal(rte_pmd_ddp_balance_set(port, 0), 0);
	feed(10);
	end = rte_rdtsc() + 2 * SHORT_US * (rte_get_tsc_hz() / 1000000);
	while (rte_rdtsc() < end)
		assert_int_equal(poll(port, 1, &seq), 0);
	assert_int_equal(entry_queue(port), 1);
	assert_int_equal(xstat(port, "balance_given_up"), 0);
	assert_int_equal(poll(port, 0, &seq), 20);
	assert_int_equal(poll(port, 0, &seq), 0);
	poll_all_in_order(port, 1, &seq);
	ddp_end(port);
}

// A change gave up on queue 0 before. Its packets of the entry would be overtaken by the move.
PORT_TEST(a_move_waits_for_a_queue_that_a_change_gave_up_on) {
	uint16_t port = port_begin();
	uint32_t seq = 0;

	feed(20);
	assert_int_equal(poll(port, 1, &seq), 0);
	entry_move(port, 1, 0);
	feed(1);
	seq = 20; // overtakes the others
	for (unsigned int i = 0; i < 2000 && seq == 20; i++) {
		poll(port, 1, &seq);
		rte_delay_us_sleep(1000);
	}
	assert_int_equal(xstat(port, "balance_given_up"), 1);
	entry_move(port, 0, 0);
	assert_int_equal(poll(port, 1, &seq), 0);
	feed(10);
	assert_int_equal(poll(port, 1, &seq), 0); // to queue 0
	entry_move(port, 1, PATIENCE_US);
	feed(10);
	poll_until_given_up(port, &seq);
	ddp_end(port);
}

// Where they go has nothing to do with the table, even if that has the same queue.
PORT_TEST(packets_of_a_rule_do_not_return) {
	uint16_t port = port_begin();
	struct rte_flow *flow;
	uint32_t seq = 0;

	feed(20);
	assert_int_equal(poll(port, 1, &seq), 0);
	flow = rule_create(port, items_of_flow(FLOW), ACTIONS(TO_QUEUE(1)));
	seq = 20;
	feed(2);
	for (unsigned int i = 0; i < 2000 && seq == 20; i++) { // the rule may have to wait
		poll(port, 1, &seq);
		rte_delay_us_sleep(1000);
	}
	assert_int_equal(seq, 22);
	entry_move(port, 1, PATIENCE_US);
	for (unsigned int i = 0; i < 20; i++) {
		feed(2);
		assert_int_equal(poll(port, 1, &seq), 2);
		rte_delay_us_sleep(PATIENCE_US / 10);
	}
	assert_int_equal(seq, next_seq);
	rule_destroy(port, flow);
	ddp_end(port);
}

/* Two lower queues */

#define OTHER 4 // a flow of another entry
#define THIRD 1 // and of a third

static uint16_t entry_of(unsigned int flow) {
	return hash_of(flow) % DDP_RETA_SIZE;
}

static void flows_move(uint16_t id, uint16_t flow_queue, uint16_t other_queue,
		       unsigned int patience_us) {
	int ret;
	struct ddp_port *port = ddp_registry_change(id, &ret);
	struct ddp_rss rss = port->rss;
	const struct ddp_change change = {.rss = &rss, .patience_us = patience_us};

	rss.reta[entry_of(FLOW)] = flow_queue;
	rss.reta[entry_of(OTHER)] = other_queue;
	rss.reta[entry_of(THIRD)] = 1;
	assert_int_equal(ddp_change_apply(port, &change), 0);
	ddp_change_end(port);
}

static unsigned int queue_1_poll(uint16_t port, unsigned int n_polls) {
	struct rte_mbuf *mbufs[32];
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n_polls; i++) {
		uint16_t n = rte_eth_rx_burst(port, 1, mbufs, 32);

		for (uint16_t j = 0; j < n; j++)
			sum += packet_flow(mbufs[j]) == THIRD;
		rte_pktmbuf_free_bulk(mbufs, n);
	}
	return sum;
}

// Lower queue 0 gives the move of FLOW up, and lower queue 1 that of OTHER: each of them has
// packets for a queue that is not polled. The moves back concern the other lower queue, too, which
// must not have all packets wait for the queues that are not polled.
PORT_TEST(moves_given_up_by_one_lower_queue_do_not_stop_another) {
	uint16_t port =
		ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2,balance=60000", 3, 1, N_DESC);
	uint64_t end;

	assert_int_not_equal(entry_of(FLOW), entry_of(OTHER));
	flows_move(port, 0, 2, 0);
	poll_to_end(port, 3, 0, NULL);
	flow_feed(0, FLOW, 0, 10);
	flow_feed(1, OTHER, 0, 10);
	queue_1_poll(port, 4);
	flows_move(port, 1, 1, PATIENCE_US);
	end = rte_rdtsc() + 20 * rte_get_tsc_hz();
	while (xstat(port, "balance_given_up") < 2 && rte_rdtsc() < end) {
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
	assert_sum_holds(port);
	ddp_end(port);
}

PORT_TESTS(order_moves)
