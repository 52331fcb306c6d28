/* SPDX-License-Identifier: BSD-3-Clause */
// Answers plugin/port/run/rx.c and counts/stats.c: order, full rings, sums.
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ethdev_driver.h>

#include "base/dpdk_compat.h"

#define N_QUEUES 6
#define N_FLOWS 48

// Checks that the packets of each flow come in order; gaps are allowed where packets were dropped.
struct order {
	uint32_t next[N_FLOWS];
	unsigned int n_wrong;
	unsigned int n_packets;
};

static void order_check(struct order *order, struct rte_mbuf **mbufs, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		uint32_t *next = &order->next[packet_flow(mbufs[i])];

		order->n_wrong += packet_seq(mbufs[i]) < *next;
		*next = packet_seq(mbufs[i]) + 1;
	}
	order->n_packets += n;
	rte_pktmbuf_free_bulk(mbufs, n);
}

static uint32_t lcg(uint32_t *seed) {
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

TEST(order_of_flows_holds_with_one_thread) {
	// Rings down to one entry, bursts of any size, queues polled at random.
	static const char *const devargs[] = {"dev(net_testsrc0),overflow=wait",
					      "dev(net_testsrc0),overflow=drop"};
	static const uint16_t n_descs[] = {1, 2, 5, 64, 384};
	uint32_t seed = 1;

	for (unsigned int i = 0; i < RTE_DIM(n_descs) * RTE_DIM(devargs); i++) {
		bool wait = i % 2 == 0;
		uint16_t port = ddp_start(devargs[i % 2], N_QUEUES, 1, n_descs[i / 2]);
		struct order order = {0};
		uint64_t missed;

		packets_feed(0, 0, N_FLOWS, 5000);
		for (unsigned int n_idle = 0; n_idle < 20 * N_QUEUES;) {
			struct rte_mbuf *mbufs[64];
			uint16_t queue = lcg(&seed) % N_QUEUES;
			uint16_t n = rte_eth_rx_burst(port, queue, mbufs, 1 + lcg(&seed) % 64);

			order_check(&order, mbufs, n);
			n_idle = n == 0 && testsrc_left(0) == 0 ? n_idle + 1 : 0;
		}
		missed = xstat(port, "rx_missed_packets");
		assert_int_equal(order.n_wrong, 0);
		assert_int_equal(order.n_packets + missed, 5000);
		if (wait)
			assert_int_equal(missed, 0);
		assert_sum_holds(port);
		ddp_end(port);
	}
}

TEST(full_rings_drop_and_count) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 1, 8);
	struct rte_eth_stats stats;
	unsigned int n = 0;

	packets_feed(0, 0, N_FLOWS, 1000);
	while (testsrc_left(0) > 0)
		n += poll_all(port, 1, NULL); // never queue 1, whose ring has room for 8
	assert_int_equal(xstat(port, "rx_in_rings"), 8);
	n += poll_to_end(port, 2, 0, NULL);
	assert_int_equal(xstat(port, "rx_q0_missed"), 0);
	assert_true(xstat(port, "rx_q1_missed") > 400);
	assert_int_equal(xstat(port, "rx_q1_packets"), 8);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.ipackets, n);
	assert_int_equal(stats.ibytes, n * 46);
	assert_int_equal(stats.imissed, 1000 - n + 7); // 7 of the lower device
#if !DPDK_SINCE(25, 11)
	assert_int_equal(stats.q_errors[1], 1000 - n);
#endif
}

static uint16_t flow_find(uint16_t port, uint16_t queue) {
	for (uint16_t flow = 0;; flow++) {
		uint64_t counts[2] = {0};
		struct rte_mbuf *mbuf = packet(flow, 0);

		testsrc_feed(0, 0, &mbuf, 1);
		poll_to_end(port, 2, 0, counts);
		if (counts[queue] == 1)
			return flow;
	}
}

// A ring with little more room than a burst needs is emptied before more is read.
TEST(a_queue_that_is_polled_loses_nothing_on_a_small_ring) {
	uint16_t port = ddp_start("dev(net_testsrc0),overflow=drop", 2, 1, 40);
	uint16_t own = flow_find(port, 0), other = flow_find(port, 1);
	struct rte_mbuf *mbufs[64], *mbuf;
	unsigned int n_got = 0;

	for (unsigned int i = 0; i < 32 + 96; i++) {
		mbuf = packet(i < 32 && i % 2 == 0 ? other : own, i);
		testsrc_feed(0, 0, &mbuf, 1);
	}
	assert_int_equal(rte_eth_rx_burst(port, 1, mbufs, 64), 16);
	rte_pktmbuf_free_bulk(mbufs, 16);
	for (unsigned int i = 0; i < 10; i++) {
		unsigned int n = rte_eth_rx_burst(port, 0, mbufs, 64);

		rte_pktmbuf_free_bulk(mbufs, n);
		n_got += n;
	}
	assert_int_equal(n_got, 16 + 96);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
}

TEST(wait_stops_reading_until_the_queue_is_polled) {
	uint16_t port = ddp_start("dev(net_testsrc0),overflow=wait", 2, 1, 8);
	unsigned int n = 0;

	packets_feed(0, 0, N_FLOWS, 1000);
	for (unsigned int i = 0; i < 200; i++)
		n += poll_all(port, 1, NULL);
	assert_true(testsrc_left(0) > 900);
	n += poll_to_end(port, 2, 0, NULL);
	assert_int_equal(n, 1000);
	assert_int_equal(xstat(port, "rx_missed_packets"), 0);
}

TEST(sums_hold_over_stop_start_and_reset) {
	uint16_t port = ddp_start("dev(net_testsrc0),overflow=wait", 4, 1, 16);
	struct rte_eth_stats stats;
	uint64_t in_rings, dropped;

	packets_feed(0, 0, N_FLOWS, 2000);
	for (unsigned int i = 0; i < 50; i++)
		poll_all(port, 3, NULL);
	in_rings = xstat(port, "rx_in_rings");
	assert_true(in_rings > 16); // on the ring of queue 3, and held
	assert_sum_holds(port);
	// What is in our hands counts as taken after the reset.
	assert_int_equal(rte_eth_xstats_reset(port), 0);
	assert_int_equal(xstat(port, "rx_lower_packets"), in_rings);
	assert_int_equal(xstat(port, "rx_delivered_packets"), 0);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.ipackets + stats.ibytes + stats.imissed, 0);
	assert_sum_holds(port);
	// A stop drops it.
	assert_int_equal(rte_eth_dev_stop(port), 0);
	dropped = xstat(port, "rx_dropped_at_stop");
	assert_int_equal(dropped, in_rings);
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
	assert_sum_holds(port);
	// Fewer queues, then more: what queue 3 counted stays in the sum.
	ddp_configure(port, 2, 1, 16, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	poll_all(port, 1, NULL);
	assert_sum_holds(port);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_sum_holds(port);
	ddp_configure(port, 8, 1, 16, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	poll_to_end(port, 8, 0, NULL);
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
}

static void other_thread_reads_lower_1(void *arg) {
	uint16_t port = *(uint16_t *)arg;
	struct rte_mbuf *mbufs[32];

	// Lower queue 0 is locked: this reads the first half from 1 and puts it on the ring (1, 1).
	assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, 32), 0);
	flow_feed(1, 0, 4, 4);
}

TEST(what_another_thread_put_on_the_ring_comes_first) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", 2, 1, 64);
	struct rte_mbuf *mbufs[32];
	unsigned int n = 0;

	reta_fill(port, 1, 1, 0);
	poll_all(port, 2, NULL); // queue 1 tries lower queue 0 first from now on
	packets_feed(0, 1, 1, 4);
	testsrc_hook(other_thread_reads_lower_1, &port);
	for (unsigned int i = 0; i < 3; i++)
		n += rte_eth_rx_burst(port, 1, &mbufs[n], 32 - n);
	assert_int_equal(n, 8);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(packet_seq(mbufs[i]), i);
	rte_pktmbuf_free_bulk(mbufs, n);
}

struct inside {
	uint16_t port;
	bool yes;
};

static void stay_inside(void *arg) {
	struct inside *inside = arg;

	__atomic_store_n(&inside->yes, true, __ATOMIC_RELAXED);
	wait_wanted(inside->port);
}

struct intruder {
	uint16_t port;
	bool running;
	unsigned int n_packets;
};

// Polls as a thread does that was on its way into the driver when the port was stopped: ethdev's
// own functions would not let it in.
static void *intruder_main(void *arg) {
	struct intruder *intruder = arg;
	struct rte_eth_dev *dev = &rte_eth_devices[intruder->port];
	void *rxq = dev->data->rx_queues[1], *txq = dev->data->tx_queues[1];

	while (__atomic_load_n(&intruder->running, __ATOMIC_RELAXED)) {
		struct rte_mbuf *mbufs[32];
		uint16_t n = dev->rx_pkt_burst(rxq, mbufs, 32);
		uint16_t n_sent = dev->tx_pkt_burst(txq, mbufs, n);

		rte_pktmbuf_free_bulk(&mbufs[n_sent], n - n_sent);
		__atomic_add_fetch(&intruder->n_packets, n, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST(a_stop_waits_for_burst_calls) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 2, 64);
	struct intruder intruder = {.port = port, .running = true};
	struct inside inside = {.port = port};
	struct rte_mbuf *mbuf;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, intruder_main, &intruder), 0);
	for (unsigned int i = 0; i < 30; i++) {
		unsigned int before = __atomic_load_n(&intruder.n_packets, __ATOMIC_RELAXED);

		packets_feed(0, 0, N_FLOWS, 100);
		while (__atomic_load_n(&intruder.n_packets, __ATOMIC_RELAXED) == before)
			;
		testsrc_hook(stay_inside, &inside);
		while (!__atomic_exchange_n(&inside.yes, false, __ATOMIC_RELAXED))
			;
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_sum_holds(port);
		assert_int_equal(xstat(port, "rx_in_rings"), 0);
		while ((mbuf = testsrc_sent(0, 0)) != NULL)
			rte_pktmbuf_free(mbuf);
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	__atomic_store_n(&intruder.running, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	poll_to_end(port, 2, 0, NULL);
	while ((mbuf = testsrc_sent(0, 0)) != NULL)
		rte_pktmbuf_free(mbuf);
}

TEST(every_source_queue_is_read) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=8),lower_queues=8", 1, 1, 512);

	for (unsigned int i = 0; i < 8; i++)
		packets_feed(0, i, 4, 100);
	assert_int_equal(poll_to_end(port, 1, 0, NULL), 800);
}

// Packets of lower queue 0 wait on the queue's ring while lower queue 1 has full bursts for it.
TEST(a_ring_is_read_while_another_lower_queue_has_full_bursts) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2", 1, 1, 512);
	struct rte_mbuf *mbufs[32];
	unsigned int n = 0;

	packets_feed(0, 0, 1, 32); // flow 0
	for (unsigned int i = 0; i < 2; i++)
		n += rte_eth_rx_burst(port, 0, &mbufs[n], 4);
	assert_int_equal(n, 4 * 2);
	rte_pktmbuf_free_bulk(mbufs, n);
	for (unsigned int i = 0; i < 4; i++) {
		flow_feed(1, 1, 0, 32);
		for (unsigned int k = rte_eth_rx_burst(port, 0, mbufs, 32); k > 0;) {
			n += packet_flow(mbufs[--k]) == 0;
			rte_pktmbuf_free(mbufs[k]);
		}
	}
	assert_int_equal(n, 32);
	poll_to_end(port, 1, 0, NULL);
}

TEST(a_device_that_wants_queues_gets_no_more_than_ours) {
	static const struct { unsigned int ours, lower; } rows[] = {{1, 1}, {2, 2}, {4, 4}, {8, 4}};

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		uint16_t port =
			ddp_start("dev(net_testsrc0,rxq=8,txq=8,spread=4)", rows[i].ours, 1, 64);
		struct rte_eth_dev_info info;

		assert_int_equal(rte_eth_dev_info_get(port_id_of("net_testsrc0"), &info), 0);
		assert_int_equal(info.nb_rx_queues, rows[i].lower);
		assert_int_equal(info.nb_tx_queues, rows[i].lower);
		ddp_end(port);
	}
}

TEST(a_burst_of_any_size_is_filled_in_time) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);
	struct rte_mbuf *mbufs[100];
	unsigned int n = 0;

	packets_feed(0, 0, 1, 33);
	assert_int_equal(rte_eth_rx_burst(port, 0, mbufs, 0), 0);
	while (n < 33) {
		uint16_t got = rte_eth_rx_burst(port, 0, &mbufs[n], 1 + n % 7);

		assert_in_range(got, 1, 1 + n % 7);
		n += got;
	}
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(packet_seq(mbufs[i]), i);
	rte_pktmbuf_free_bulk(mbufs, n);
}

PORT_TESTS(leak_setup)
