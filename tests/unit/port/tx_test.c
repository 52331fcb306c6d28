/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <rte_errno.h>

#define N_TXQ 64

// Takes all that was sent to a lower queue and checks each flow's order; a flow is one Tx queue's.
static unsigned int sent_check(unsigned int lower_queue, uint32_t *next) {
	struct rte_mbuf *mbuf;
	unsigned int n = 0;

	while ((mbuf = testsrc_sent(0, lower_queue)) != NULL) {
		unsigned int flow = packet_flow(mbuf);

		assert_int_equal(packet_seq(mbuf), next[flow]);
		next[flow]++;
		n++;
		rte_pktmbuf_free(mbuf);
	}
	return n;
}

static void send_one(uint16_t port, uint16_t queue, unsigned int flow, uint32_t seq) {
	struct rte_mbuf *mbuf = packet(flow, seq);

	assert_int_equal(rte_eth_tx_burst(port, queue, &mbuf, 1), 1);
}

TEST(a_queue_of_its_own_calls_the_lower_queue_directly) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=4,txq=4),lower_queues=4", 4, 4, 64);
	uint32_t next[4] = {0};

	testsrc_tx_room(0, 5);
	for (unsigned int t = 0; t < 4; t++) {
		struct rte_mbuf *mbufs[8];

		for (unsigned int i = 0; i < 8; i++)
			mbufs[i] = packet(t, i);
		assert_int_equal(rte_eth_tx_prepare(port, t, mbufs, 8), 8);
		assert_int_equal(rte_eth_tx_burst(port, t, mbufs, 8), 5);
		rte_pktmbuf_free_bulk(&mbufs[5], 3);
		assert_int_equal(sent_check(t, next), 5);
	}
	assert_int_equal(xstat(port, "tx_q3_packets"), 5);
	assert_int_equal(xstat(port, "tx_q3_bytes"), 5 * 46);
	assert_int_equal(xstat(port, "tx_in_rings"), 0);
}

// Applications tell a bad packet by rte_errno; what it was before means nothing when all packets
// are good.
TEST(a_stopped_queue_prepares_nothing_and_a_started_one_leaves_rte_errno) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 2, 64);
	struct rte_mbuf *mbuf = packet(0, 0);

	rte_errno = 0;
	assert_int_equal(rte_eth_tx_prepare(port, 1, &mbuf, 1), 1);
	assert_int_equal(rte_errno, 0);
	assert_int_equal(rte_eth_dev_tx_queue_stop(port, 1), 0);
	assert_int_equal(rte_eth_tx_prepare(port, 1, &mbuf, 1), 0);
	assert_int_equal(rte_errno, ENODEV);
	rte_pktmbuf_free(mbuf);
}

struct monitor {
	uint16_t port;
	bool begun, ended;
};

static void *monitor_main(void *arg) {
	struct monitor *monitor = arg;

	for (; !__atomic_load_n(&monitor->ended, __ATOMIC_RELAXED);
	     __atomic_store_n(&monitor->begun, true, __ATOMIC_RELAXED))
		rte_eth_tx_descriptor_status(monitor->port, 1, 0);
	return NULL;
}

// An application takes a packet that is not prepared for a bad one, and mostly drops one that is
// not sent.
TEST(who_looks_at_a_queue_keeps_no_packet_from_it) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 2, 64);
	struct monitor monitor = {.port = port};
	struct rte_mbuf *mbuf = packet(0, 0);
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, monitor_main, &monitor), 0);
	while (!__atomic_load_n(&monitor.begun, __ATOMIC_RELAXED))
		rte_pause();
	for (unsigned int i = 0; i < 300000; i++) {
		if (rte_eth_tx_prepare(port, 1, &mbuf, 1) != 1)
			fail_msg("packet %u is not prepared: %s", i, rte_strerror(rte_errno));
		assert_int_equal(rte_eth_tx_burst(port, 1, &mbuf, 1), 1);
		mbuf = testsrc_sent(0, 0);
		assert_non_null(mbuf);
	}
	__atomic_store_n(&monitor.ended, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	rte_pktmbuf_free(mbuf);
}

struct sender {
	uint16_t port;
	uint16_t first; // of every second Tx queue
};

static void *sender_main(void *arg) {
	const struct sender *sender = arg;

	for (uint32_t seq = 0; seq < 100; seq += 10)
		for (uint16_t t = sender->first; t < N_TXQ; t += 2) {
			struct rte_mbuf *mbufs[10];

			for (unsigned int i = 0; i < 10; i++)
				mbufs[i] = packet(t, seq + i);
			for (unsigned int n = 0; n < 10;)
				n += rte_eth_tx_burst(sender->port, t, &mbufs[n], 10 - n);
		}
	return NULL;
}

TEST(one_shared_lower_queue_strands_nothing) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, N_TXQ, 8);
	struct sender senders[2] = {{port, 0}, {port, 1}};
	struct rte_eth_stats stats;
	uint32_t next[N_TXQ] = {0};
	pthread_t threads[2];
	unsigned int n;

	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, sender_main, &senders[i]), 0);
	for (unsigned int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	// One call on any queue takes along what is left, Rx as well as Tx.
	poll_all(port, 1, NULL);
	assert_int_equal(xstat(port, "tx_in_rings"), 0);
	n = sent_check(0, next);
	assert_int_equal(n, 100 * N_TXQ);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.opackets, n);
	assert_int_equal(stats.obytes, 46 * n);
	assert_int_equal(stats.ipackets, 0);
	assert_int_equal(xstat(port, "tx_q63_packets"), 100);
}

// Sends n packets on these queues in turn, of one flow or of the queue's.
struct others {
	uint16_t port, queues[5];
	unsigned int n_queues, n, flow; // 0: the number of the queue
};

static void others_send(void *arg) {
	const struct others *others = arg;

	for (unsigned int i = 0; i < others->n; i++) {
		uint16_t queue = others->queues[i % others->n_queues];

		if (others->flow > 0)
			send_one(others->port, queue, others->flow, i);
		else
			send_one(others->port, queue, queue, i / others->n_queues);
	}
}

// They send while a call on queue 0 has locked the lower queue, which takes one packet.
static uint16_t others_start(struct others *others) {
	others->port = ddp_start("dev(net_testsrc0)", 1, 3, 64);
	testsrc_tx_room(0, 1);
	testsrc_hook(others_send, others);
	send_one(others->port, 0, 0, 0);
	assert_int_equal(xstat(others->port, "tx_in_rings"), others->n);
	return others->port;
}

TEST(what_the_lower_device_refuses_keeps_its_order) {
	struct others others = {.queues = {1, 2}, .n_queues = 2, .n = 80};
	uint16_t port = others_start(&others);
	uint32_t next[3] = {0};

	// It takes a few at a time; a packet of queue 1 may not overtake those on its ring.
	testsrc_tx_room(0, 7);
	send_one(port, 1, 1, 40);
	assert_int_equal(xstat(port, "tx_in_rings"), 74);
	for (unsigned int i = 0; i < 10; i++) {
		testsrc_tx_room(0, 7);
		poll_all(port, 1, NULL);
	}
	assert_int_equal(xstat(port, "tx_in_rings"), 4);
	// A stop sends the rest, as far as it is taken.
	testsrc_tx_room(0, 3);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "tx_dropped_at_stop"), 1);
	assert_int_equal(xstat(port, "tx_in_rings"), 0);
	assert_int_equal(sent_check(0, next), 81);
	assert_int_equal(rte_eth_dev_start(port), 0);
}

// A flow that load-aware RSS moved to another queue would arrive at its receiver out of order.
TEST(a_flow_that_moves_between_tx_queues_keeps_its_order) {
	struct others others = {.queues = {2, 2, 1, 1, 2}, .n_queues = 5, .n = 5, .flow = 7};
	uint16_t port = others_start(&others);
	uint32_t next[8] = {0};

	// The lower device is full: the next packet must not go past those on the other queue's
	// ring, though its own is empty.
	testsrc_tx_room(0, 0);
	send_one(port, 0, 7, 5);
	testsrc_tx_room(0, 4);
	poll_all(port, 1, NULL);
	assert_int_equal(xstat(port, "tx_in_rings"), 2);
	testsrc_tx_room(0, UINT32_MAX);
	send_one(port, 1, 7, 6);
	assert_int_equal(sent_check(0, next), 8);
	assert_int_equal(xstat(port, "tx_q2_packets"), 3);
}

// The lower device takes 7 at a time, and queue 1 always has more: what waits on queue 2's ring
// goes first, because it came first.
TEST(no_queue_starves_behind_one_that_goes_on_sending) {
	struct others others = {.queues = {2}, .n_queues = 1, .n = 30};
	uint16_t port = others_start(&others);
	unsigned int counts[3] = {0};
	struct rte_mbuf *mbuf;

	others.queues[0] = 1;
	others.n = 6;
	for (unsigned int i = 0; i < 5; i++) {
		testsrc_tx_room(0, 0);
		testsrc_hook(others_send, &others);
		send_one(port, 2, 2, 30 + i);
		testsrc_tx_room(0, 7);
		poll_all(port, 1, NULL);
	}
	while ((mbuf = testsrc_sent(0, 0)) != NULL) {
		counts[packet_flow(mbuf)]++;
		rte_pktmbuf_free(mbuf);
	}
	assert_int_equal(counts[0] + counts[1] + counts[2], 1 + 5 * 7);
	assert_in_range(counts[2], 30, 35);
	testsrc_tx_room(0, UINT32_MAX);
}

struct full {
	uint16_t port;
	struct rte_mbuf *mbufs[8];
	uint16_t n_taken;
};

static void full_send(void *arg) {
	struct full *full = arg;

	full->n_taken = rte_eth_tx_burst(full->port, 1, full->mbufs, 8);
}

TEST(a_full_ring_returns_what_fitted) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 2, 5);
	struct full full = {.port = port};
	uint32_t next[2] = {0};

	for (unsigned int i = 0; i < 8; i++)
		full.mbufs[i] = packet(1, i);
	testsrc_hook(full_send, &full);
	send_one(port, 0, 0, 0);
	assert_int_equal(full.n_taken, 5);
	assert_int_equal(rte_eth_tx_burst(port, 1, &full.mbufs[5], 3), 3);
	assert_int_equal(sent_check(0, next), 9);
}

PORT_TESTS(leak_setup)
