/* SPDX-License-Identifier: BSD-3-Clause */
#include "harness.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include <ethdev_driver.h>
#include <rte_interrupts.h>

#include "base/dpdk_compat.h"
#include "port/state/port.h"

#define N_QUEUES 6
#define N_FLOWS 48

// Rings down to one entry, bursts of any size, queues polled at random.
TEST(order_of_flows_holds_with_one_thread) {
	static const uint16_t n_descs[] = {1, 2, 5, 64, 384};
	uint64_t seed = 1;

	for (unsigned int i = 0; i < 2 * RTE_DIM(n_descs); i++) {
		uint16_t port =
			ddp_start(i % 2 ? "dev(net_testsrc0),overflow=wait" : "dev(net_testsrc0)",
				  N_QUEUES, 1, n_descs[i / 2]);
		uint32_t next[N_FLOWS] = {0}; // there may be gaps, of what was dropped
		unsigned int n_packets = 0;
		uint64_t missed;

		packets_feed(0, 0, N_FLOWS, 5000);
		for (unsigned int n_idle = 0; n_idle < 20 * N_QUEUES;) {
			struct rte_mbuf *mbufs[64];
			uint16_t queue = random_below(&seed, N_QUEUES);
			uint16_t n =
				rte_eth_rx_burst(port, queue, mbufs, 1 + random_below(&seed, 64));

			for (unsigned int k = 0; k < n; k++) {
				uint32_t *at = &next[packet_flow(mbufs[k])];

				assert_in_range(packet_seq(mbufs[k]), *at, UINT32_MAX);
				*at = packet_seq(mbufs[k]) + 1;
			}
			rte_pktmbuf_free_bulk(mbufs, n);
			n_packets += n;
			n_idle = n == 0 && testsrc_left(0) == 0 ? n_idle + 1 : 0;
		}
		missed = xstat(port, "rx_missed_packets");
		assert_int_equal(n_packets + missed, 5000);
		assert_true(i % 2 == 0 || missed == 0);
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

		flow_feed(0, flow, 0, 1);
		poll_to_end(port, 2, 0, counts);
		if (counts[queue] == 1)
			return flow;
	}
}

// A ring with little more room than a burst needs is emptied before more is read.
TEST(a_queue_that_is_polled_loses_nothing_on_a_small_ring) {
	uint16_t port = ddp_start("dev(net_testsrc0),overflow=drop", 2, 1, 40);
	uint16_t own = flow_find(port, 0), other = flow_find(port, 1);
	struct rte_mbuf *mbufs[64];
	unsigned int n_got = 0;

	for (unsigned int i = 0; i < 32 + 96; i++)
		packet_feed(0, packet(i < 32 && i % 2 == 0 ? other : own, i));
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
	uint64_t in_rings;

	packets_feed(0, 0, N_FLOWS, 2000);
	for (unsigned int i = 0; i < 50; i++)
		poll_all(port, 3, NULL);
	in_rings = xstat(port, "rx_in_rings");
	assert_true(in_rings > 16); // on the ring of queue 3, and held
	assert_sum_holds(port);
	// Packets in the rings count as taken after the reset.
	assert_int_equal(rte_eth_xstats_reset(port), 0);
	assert_int_equal(xstat(port, "rx_lower_packets"), in_rings);
	assert_int_equal(xstat(port, "rx_delivered_packets"), 0);
	assert_int_equal(rte_eth_stats_get(port, &stats), 0);
	assert_int_equal(stats.ipackets + stats.ibytes + stats.imissed, 0);
	assert_sum_holds(port);
	// A stop drops it.
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(xstat(port, "rx_dropped_at_stop"), in_rings);
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
	assert_sum_holds(port);
	// Fewer queues, then more: what queue 3 counted stays in the sum.
	assert_int_equal(rte_eth_dev_start(port), 0);
	ddp_reconfigure(port, 2, 16, RTE_ETH_RSS_IP);
	poll_all(port, 1, NULL);
	assert_sum_holds(port);
	ddp_reconfigure(port, 8, 16, RTE_ETH_RSS_IP);
	assert_sum_holds(port);
	poll_to_end(port, 8, 0, NULL);
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
}

static void other_thread_reads_lower_1(void *arg) {
	uint16_t port = *(uint16_t *)arg;
	// Lower queue 0 is locked: this reads the first half from 1 and puts it on the ring (1, 1).
	assert_int_equal(rx(port, 0), 0);
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

struct intruder {
	uint16_t port;
	bool running, inside;
	unsigned int n_packets;
};

static void stay_inside(void *arg) {
	struct intruder *intruder = arg;

	__atomic_store_n(&intruder->inside, true, __ATOMIC_RELAXED);
	wait_wanted(intruder->port);
}

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

// To the queue that a NIC chooses, or to the first.
static void come(bool nic, struct rte_mbuf *mbuf) {
	if (nic)
		testsrc_arrive(0, &mbuf, 1);
	else
		packet_feed(0, mbuf);
}

// Of nic the packets bypass the rings.
static void stops_wait(const char *devargs, bool nic) {
	uint16_t port = ddp_start(devargs, 4, 2, 64);
	struct intruder intruder = {.port = port, .running = true};
	pthread_t thread;

	for (unsigned int i = 0; i < 1024; i++)
		come(nic, packet(i % N_FLOWS, i));
	poll_to_end(port, 4, 0, NULL);
	assert_int_equal(xstat(port, "rx_offloaded") > 0, nic);
	assert_int_equal(pthread_create(&thread, NULL, intruder_main, &intruder), 0);
	for (unsigned int i = 0; i < 10; i++) {
		unsigned int before = __atomic_load_n(&intruder.n_packets, __ATOMIC_RELAXED);

		for (unsigned int k = 0; k < 100; k++)
			come(nic, packet(k % N_FLOWS, k));
		while (__atomic_load_n(&intruder.n_packets, __ATOMIC_RELAXED) == before)
			sched_yield();
		testsrc_hook(stay_inside, &intruder);
		while (!__atomic_exchange_n(&intruder.inside, false, __ATOMIC_RELAXED))
			sched_yield();
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_sum_holds(port);
		assert_int_equal(xstat(port, "rx_in_rings"), 0);
		assert_int_equal(rte_eth_dev_start(port), 0);
	}
	__atomic_store_n(&intruder.running, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	poll_to_end(port, 4, 0, NULL);
	ddp_end(port);
	testsrc_clear();
}

TEST(a_stop_waits_for_burst_calls) {
	stops_wait("dev(net_testsrc0)", false);
	stops_wait("dev(net_testsrc0,nic=1,rxq=4),offload=auto:ice-os", true);
}

TEST(every_source_queue_is_read) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=8),lower_queues=8", 1, 1, 512);
	struct ddp_port *ddp = rte_eth_devices[port].data->dev_private;
	unsigned int n = 0;

	for (unsigned int i = 0; i < 8; i++)
		packets_feed(0, i, 4, 100);
	assert_int_equal(poll_to_end(port, 1, 0, NULL), 800);
	// Other threads read all but one, whose packets must not wait for them.
	for (unsigned int i = 0; i < 7; i++)
		assert_true(ddp_trylock(&ddp->lower_rxqs[i].lock));
	for (unsigned int i = 0; i < 8; i++) { // each of them is the first to be tried
		packets_feed(0, 7, 4, 32);
		n += rx_free(port, 0);
	}
	for (unsigned int i = 0; i < 7; i++)
		ddp_unlock(&ddp->lower_rxqs[i].lock);
	assert_int_equal(n, 8 * 32);
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

#define N_INTR 2
#define SRC "dev(net_testsrc0,intr=1),overflow=wait"
#define TIMEOUT_MS 10000 // far more than a wake-up takes

static uint16_t intr_start(const char *devargs, uint16_t n_rxq) {
	const struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP,
		.intr_conf.rxq = 1,
	};
	int port = ddp_probe(devargs);

	if (port < 0)
		fail_msg("%s", ddp_probe_log());
	ddp_configure_by(port, n_rxq, 1, 64, &conf);
	assert_int_equal(rte_eth_dev_start(port), 0);
	return port;
}

static bool is_awake(uint16_t port, uint16_t queue) {
	struct pollfd event = {
		.fd = rte_eth_dev_rx_intr_ctl_q_get_fd(port, queue),
		.events = POLLIN,
	};

	assert_true(event.fd >= 0);
	return poll(&event, 1, 0) > 0;
}

static void all_sleep(uint16_t port, uint16_t n_rxq) {
	for (uint16_t q = 0; q < n_rxq; q++) {
		assert_int_equal(rte_eth_dev_rx_intr_enable(port, q), 0);
		assert_false(is_awake(port, q));
	}
}

// One queue is woken by the lower device, and the other by the first.
TEST(a_queue_is_woken_by_the_lower_device_or_another_queue) {
	uint16_t port = intr_start(SRC, N_INTR);
	unsigned int flow = flow_find(port, 1);

	for (unsigned int i = 0; i < 3; i++) {
		all_sleep(port, N_INTR);
		flow_feed(0, flow, 0, 1);
		assert_true(is_awake(port, 0));
		assert_false(is_awake(port, 1));
		assert_int_equal(rte_eth_dev_rx_intr_disable(port, 0), 0);
		assert_int_equal(rx_free(port, 0), 0);
		assert_true(is_awake(port, 1));
		assert_int_equal(rte_eth_dev_rx_intr_disable(port, 1), 0);
		assert_int_equal(rx_free(port, 1), 1);
	}
}

TEST(a_queue_with_packets_does_not_go_to_sleep) {
	uint16_t port = intr_start(SRC, N_INTR);
	unsigned int flow = flow_find(port, 1);

	flow_feed(0, flow, 0, 1);
	assert_int_equal(rx_free(port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 1), 0);
	assert_true(is_awake(port, 1)); // on its ring
	assert_int_equal(rx_free(port, 1), 1);
	flow_feed(0, flow, 0, 1);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), 0);
	assert_true(is_awake(port, 0)); // in the lower device
	assert_int_equal(poll_to_end(port, N_INTR, 0, NULL), 1);
	all_sleep(port, N_INTR);
}

// Each lower queue wakes one queue, and all are shared out.
TEST(lower_queues_wake_queues_in_turn) {
	uint16_t port = intr_start("dev(net_testsrc0,rxq=3,intr=1),lower_queues=3", N_INTR);

	for (unsigned int i = 0; i < 3; i++) {
		all_sleep(port, N_INTR);
		flow_feed(i, 0, 0, 1);
		assert_true(is_awake(port, i % N_INTR));
		assert_false(is_awake(port, 1 - i % N_INTR));
		assert_int_equal(poll_to_end(port, N_INTR, 0, NULL), 1);
	}
}

TEST(another_queue_is_woken_for_one_that_is_stopped) {
	uint16_t port = intr_start(SRC, N_INTR);

	all_sleep(port, N_INTR);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	assert_true(is_awake(port, 1)); // to arm what is its own now
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 1), 0);
	assert_false(is_awake(port, 1));
	flow_feed(0, 0, 0, 1);
	assert_true(is_awake(port, 1));
	poll_to_end(port, N_INTR, 0, NULL);
	assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
	all_sleep(port, N_INTR);
	flow_feed(0, 0, 0, 1);
	assert_true(is_awake(port, 0));
	assert_false(is_awake(port, 1));
	assert_int_equal(poll_to_end(port, N_INTR, 0, NULL), 1);
}

TEST(a_change_wakes_all_queues) {
	uint16_t port = intr_start(SRC, N_INTR);

	all_sleep(port, N_INTR);
	assert_int_equal(rte_pmd_ddp_profile_add(port, PROFILES "/gtpu.yaml", NULL, 0), 0);
	for (uint16_t q = 0; q < N_INTR; q++)
		assert_true(is_awake(port, q));
	poll_to_end(port, N_INTR, 0, NULL);
	all_sleep(port, N_INTR);
}

TEST(a_port_without_interrupts_below_refuses_them) {
	const struct rte_eth_conf conf = {.intr_conf.rxq = 1};
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);

	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), -ENOTSUP);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), -ENOTSUP);
}

TEST(interrupts_are_as_configured_after_a_restart) {
	uint16_t port = intr_start(SRC, N_INTR);

	assert_int_equal(
		rte_eth_dev_rx_intr_ctl_q(port, 0, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL),
		0);
	ddp_restart(port);
	assert_int_equal(
		rte_eth_dev_rx_intr_ctl_q(port, 0, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL),
		0);
	all_sleep(port, N_INTR);
	ddp_reconfigure(port, N_INTR, 64, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), -ENOTSUP);
}

static bool sleepers_run;

struct sleeper {
	uint16_t port, queue;
	uint64_t n, n_sleeps;
	unsigned int n_timeouts;
};

static void sleep_once(struct sleeper *sleeper) {
	struct rte_epoll_event event;

	if (rte_eth_dev_rx_intr_enable(sleeper->port, sleeper->queue) != 0)
		abort();
	if (rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, TIMEOUT_MS) != 1 &&
	    __atomic_load_n(&sleepers_run, __ATOMIC_ACQUIRE))
		sleeper->n_timeouts++;
	rte_eth_dev_rx_intr_disable(sleeper->port, sleeper->queue);
	sleeper->n_sleeps++;
}

static void *sleeper_main(void *arg) {
	struct sleeper *sleeper = arg;

	if (rte_eth_dev_rx_intr_ctl_q(sleeper->port, sleeper->queue, RTE_EPOLL_PER_THREAD,
				      RTE_INTR_EVENT_ADD, NULL) != 0)
		abort();
	while (__atomic_load_n(&sleepers_run, __ATOMIC_ACQUIRE)) {
		unsigned int n = rx_free(sleeper->port, sleeper->queue);

		__atomic_store_n(&sleeper->n, sleeper->n + n, __ATOMIC_RELEASE);
		if (n == 0)
			sleep_once(sleeper);
	}
	return NULL;
}

static uint64_t taken(const struct sleeper *sleepers, unsigned int n) {
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += __atomic_load_n(&sleepers[i].n, __ATOMIC_ACQUIRE);
	return sum;
}

// Each burst arrives when the one before was taken, so one wake-up that is lost shows as a timeout.
TEST(no_wake_up_is_lost) {
	static const char *const devargs[] = {
		SRC, "dev(net_testsrc0,rxq=2,intr=1),lower_queues=2,overflow=drop",
		"dev(net_testsrc0,nic=1,rxq=4,intr=1),overflow=wait,offload=auto:ice-os",
		"dev(net_ddp1,dev(net_testsrc0,intr=1),overflow=wait),lower_queues=2,overflow=wait"};

	for (unsigned int d = 0; d < RTE_DIM(devargs); d++) {
		const uint16_t n_rxq = d == 2 ? 4 : 3;
		uint16_t port = intr_start(devargs[d], n_rxq);
		struct sleeper sleepers[4] = {0};
		pthread_t threads[4];
		uint64_t n_fed = 0;

		sleepers_run = true;
		for (unsigned int i = 0; i < n_rxq; i++) {
			sleepers[i] = (struct sleeper){port, i, 0, 0, 0};
			pthread_create(&threads[i], NULL, sleeper_main, &sleepers[i]);
		}
		for (unsigned int i = 0; i < 1000; i++) {
			const unsigned int n = 1 + i % 7 * (i % 3);
			const uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();

			for (unsigned int j = 0; j < n; j++)
				if (d == 1)
					flow_feed(j % 2, i + 64 * j, 0, 1);
				else
					come(d == 2, packet(i + 64 * j, 0));
			n_fed += n;
			while (taken(sleepers, n_rxq) < n_fed && rte_rdtsc() < end)
				sched_yield();
			if (i % 256 == 255)
				reta_fill(port, 0, n_rxq, i / 256);
		}
		__atomic_store_n(&sleepers_run, false, __ATOMIC_RELEASE);
		for (unsigned int i = 0; i < n_rxq; i++)
			ddp_rx_intr_wake_all(rte_eth_devices[port].data->dev_private);
		for (unsigned int i = 0; i < n_rxq; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(sleepers[i].n_timeouts, 0);
			assert_true(sleepers[i].n_sleeps > 100);
		}
		assert_int_equal(taken(sleepers, n_rxq), n_fed);
		assert_sum_holds(port);
		ddp_end(port);
	}
}

PORT_TESTS(leak_setup)
