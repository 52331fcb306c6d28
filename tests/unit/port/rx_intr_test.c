/* SPDX-License-Identifier: BSD-3-Clause */
// A thread that sleeps until its queue has packets is woken for each of them, whoever reads it.
#include "harness.h"

#include <poll.h>
#include <pthread.h>
#include <string.h>

#include <rte_interrupts.h>
#include <rte_malloc.h>

#include "port/state/port.h"

#define N_QUEUES 2
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

// Is a queue's interrupt signaled?
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

// A flow whose packets go to a queue.
static unsigned int flow_of(uint16_t port, uint16_t queue) {
	for (unsigned int flow = 0;; flow++) {
		struct rte_mbuf *mbuf = packet(flow, 0);
		uint64_t counts[N_QUEUES] = {0};

		testsrc_feed(0, 0, &mbuf, 1);
		poll_to_end(port, N_QUEUES, 0, counts);
		if (counts[queue] > 0)
			return flow;
	}
}

static unsigned int take(uint16_t port, uint16_t queue) {
	struct rte_mbuf *mbufs[32];
	unsigned int n = rte_eth_rx_burst(port, queue, mbufs, RTE_DIM(mbufs));

	rte_pktmbuf_free_bulk(mbufs, n);
	return n;
}

// One queue is woken by the lower device, and the other by the first.
TEST(a_queue_is_woken_by_the_lower_device_or_another_queue) {
	uint16_t port = intr_start(SRC, N_QUEUES);
	unsigned int flow = flow_of(port, 1);

	for (unsigned int i = 0; i < 3; i++) {
		all_sleep(port, N_QUEUES);
		flow_feed(0, flow, 0, 1);
		assert_true(is_awake(port, 0));
		assert_false(is_awake(port, 1));
		assert_int_equal(rte_eth_dev_rx_intr_disable(port, 0), 0);
		assert_int_equal(take(port, 0), 0);
		assert_true(is_awake(port, 1));
		assert_int_equal(rte_eth_dev_rx_intr_disable(port, 1), 0);
		assert_int_equal(take(port, 1), 1);
	}
}

TEST(a_queue_with_packets_does_not_go_to_sleep) {
	uint16_t port = intr_start(SRC, N_QUEUES);
	unsigned int flow = flow_of(port, 1);

	flow_feed(0, flow, 0, 1);
	assert_int_equal(take(port, 0), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 1), 0);
	assert_true(is_awake(port, 1)); // on its ring
	assert_int_equal(take(port, 1), 1);
	flow_feed(0, flow, 0, 1);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), 0);
	assert_true(is_awake(port, 0)); // in the lower device
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 1);
	all_sleep(port, N_QUEUES);
}

// Each lower queue wakes one queue, and all are shared out.
TEST(lower_queues_wake_queues_in_turn) {
	uint16_t port = intr_start("dev(net_testsrc0,rxq=3,intr=1),lower_queues=3", N_QUEUES);

	for (unsigned int i = 0; i < 3; i++) {
		all_sleep(port, N_QUEUES);
		flow_feed(i, 0, 0, 1);
		assert_true(is_awake(port, i % N_QUEUES));
		assert_false(is_awake(port, 1 - i % N_QUEUES));
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 1);
	}
}

TEST(another_queue_is_woken_for_one_that_is_stopped) {
	uint16_t port = intr_start(SRC, N_QUEUES);

	all_sleep(port, N_QUEUES);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, 0), 0);
	assert_true(is_awake(port, 1)); // to arm what is its own now
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 1), 0);
	assert_false(is_awake(port, 1));
	flow_feed(0, 0, 0, 1);
	assert_true(is_awake(port, 1));
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_int_equal(rte_eth_dev_rx_queue_start(port, 0), 0);
	all_sleep(port, N_QUEUES);
	flow_feed(0, 0, 0, 1);
	assert_true(is_awake(port, 0));
	assert_false(is_awake(port, 1));
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, NULL), 1);
}

// Packets wait for their old queues to be polled.
TEST(a_change_wakes_all_queues) {
	uint16_t port = intr_start(SRC, N_QUEUES);
	char error[256];

	all_sleep(port, N_QUEUES);
	assert_int_equal(rte_pmd_ddp_profile_add(port, PROFILES "/gtpu.yaml", error, sizeof(error)),
			 0);
	for (uint16_t q = 0; q < N_QUEUES; q++)
		assert_true(is_awake(port, q));
	poll_to_end(port, N_QUEUES, 0, NULL);
	all_sleep(port, N_QUEUES);
}

TEST(a_port_without_interrupts_below_refuses_them) {
	const struct rte_eth_conf conf = {.intr_conf.rxq = 1};
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 1, 64);

	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), -ENOTSUP);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_dev_configure(port, 1, 1, &conf), -ENOTSUP);
}

TEST(interrupts_are_as_configured_after_a_restart) {
	uint16_t port = intr_start(SRC, N_QUEUES);

	assert_int_equal(
		rte_eth_dev_rx_intr_ctl_q(port, 0, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL),
		0);
	ddp_restart(port);
	assert_int_equal(
		rte_eth_dev_rx_intr_ctl_q(port, 0, RTE_EPOLL_PER_THREAD, RTE_INTR_EVENT_ADD, NULL),
		0);
	all_sleep(port, N_QUEUES);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	ddp_configure(port, N_QUEUES, 1, 64, RTE_ETH_RSS_IP);
	assert_int_equal(rte_eth_dev_start(port), 0);
	assert_int_equal(rte_eth_dev_rx_intr_enable(port, 0), -ENOTSUP);
}

/* Threads that sleep as applications do */

struct sleeper {
	uint16_t port, queue;
	bool *running;
	uint64_t n, n_sleeps;
	unsigned int n_timeouts;
};

static bool is_running(const struct sleeper *sleeper) {
	return __atomic_load_n(sleeper->running, __ATOMIC_ACQUIRE);
}

static void sleep_once(struct sleeper *sleeper) {
	struct rte_epoll_event event;

	if (rte_eth_dev_rx_intr_enable(sleeper->port, sleeper->queue) != 0)
		abort();
	if (rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, TIMEOUT_MS) != 1 && is_running(sleeper))
		sleeper->n_timeouts++;
	rte_eth_dev_rx_intr_disable(sleeper->port, sleeper->queue);
	sleeper->n_sleeps++;
}

static void *sleeper_main(void *arg) {
	struct sleeper *sleeper = arg;

	if (rte_eth_dev_rx_intr_ctl_q(sleeper->port, sleeper->queue, RTE_EPOLL_PER_THREAD,
				      RTE_INTR_EVENT_ADD, NULL) != 0)
		abort();
	while (is_running(sleeper)) {
		unsigned int n = take(sleeper->port, sleeper->queue);

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
		bool running = true;
		uint64_t n_fed = 0;

		for (unsigned int i = 0; i < n_rxq; i++) {
			sleepers[i] = (struct sleeper){port, i, &running, 0, 0, 0};
			pthread_create(&threads[i], NULL, sleeper_main, &sleepers[i]);
		}
		for (unsigned int i = 0; i < 3000; i++) {
			const unsigned int n = 1 + i % 7 * (i % 3);
			const uint64_t end = rte_rdtsc() + 20 * rte_get_tsc_hz();

			for (unsigned int j = 0; j < n; j++) {
				struct rte_mbuf *mbuf = packet(i + 64 * j, 0);

				if (d == 2)
					testsrc_arrive(0, &mbuf, 1);
				else
					testsrc_feed(0, d == 1 ? j % 2 : 0, &mbuf, 1);
			}
			n_fed += n;
			while (taken(sleepers, n_rxq) < n_fed && rte_rdtsc() < end)
				sched_yield();
			if (i % 256 == 255)
				reta_fill(port, 0, n_rxq, i / 256);
		}
		__atomic_store_n(&running, false, __ATOMIC_RELEASE);
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
