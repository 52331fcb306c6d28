/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#define N_FLOWS 64

static void flows_count(uint16_t port, uint64_t *counts) {
	packets_feed(0, 0, N_FLOWS, N_FLOWS);
	assert_int_equal(poll_to_end(port, N_QUEUES, 0, counts), N_FLOWS);
	for (unsigned int q = 0; q < N_QUEUES; q++)
		assert_true(counts[q] > 0);
}

static uint8_t rxq_state(uint16_t port, uint16_t queue) {
	struct rte_eth_rxq_info info;

	assert_int_equal(rte_eth_rx_queue_info_get(port, queue, &info), 0);
	return info.queue_state;
}

static uint8_t txq_state(uint16_t port, uint16_t queue) {
	struct rte_eth_txq_info info;

	assert_int_equal(rte_eth_tx_queue_info_get(port, queue, &info), 0);
	return info.queue_state;
}

TEST(a_stopped_rx_queue_misses_its_packets_only) {
	static const char *const devargs[] = {"dev(net_testsrc0)",
					      "dev(net_testsrc0),overflow=wait"};

	for (unsigned int i = 0; i < RTE_DIM(devargs); i++) {
		uint16_t port = ddp_start(devargs[i], N_QUEUES, 1, 512);
		uint64_t before[N_QUEUES] = {0}, after[N_QUEUES] = {0};

		flows_count(port, before);
		assert_int_equal(rte_eth_dev_rx_queue_stop(port, 2), 0);
		assert_int_equal(rxq_state(port, 2), RTE_ETH_QUEUE_STATE_STOPPED);
		packets_feed(0, 0, N_FLOWS, N_FLOWS);
		assert_int_equal(poll_to_end(port, N_QUEUES, 0, after), N_FLOWS - before[2]);
		assert_int_equal(after[2], 0);
		assert_int_equal(xstat(port, "rx_q2_missed"), before[2]);
		assert_int_equal(xstat(port, "rx_missed_packets"), before[2]);
		assert_int_equal(xstat(port, "rx_in_rings"), 0);
		assert_sum_holds(port);
		assert_int_equal(rte_eth_dev_rx_queue_start(port, 2), 0);
		assert_int_equal(rxq_state(port, 2), RTE_ETH_QUEUE_STATE_STARTED);
		packets_feed(0, 0, N_FLOWS, N_FLOWS);
		poll_to_end(port, N_QUEUES, 0, after);
		assert_int_equal(after[2], before[2]);
		assert_sum_holds(port);
		ddp_end(port);
	}
}

TEST(what_waits_for_an_rx_queue_is_missed_when_it_stops) {
	uint16_t port = ddp_start("dev(net_testsrc0),overflow=wait", N_QUEUES, 1, 8);
	uint64_t in_rings;

	packets_feed(0, 0, N_FLOWS, 20 * N_FLOWS);
	for (unsigned int i = 0; i < 100; i++)
		poll_all(port, N_QUEUES - 1, NULL); // the last queue's ring fills, then all is held
	in_rings = xstat(port, "rx_in_rings");
	assert_true(in_rings > 8);
	assert_true(testsrc_left(0) > 0);
	assert_int_equal(rte_eth_dev_rx_queue_stop(port, N_QUEUES - 1), 0);
	assert_int_equal(xstat(port, "rx_missed_packets"), 8);
	poll_to_end(port, N_QUEUES, 0, NULL);
	assert_int_equal(testsrc_left(0), 0); // it does not stall the others any more
	assert_int_equal(xstat(port, "rx_in_rings"), 0);
}

TEST(a_deferred_queue_starts_when_told) {
	const struct rte_eth_rxconf rxconf = {.rx_deferred_start = 1};
	const struct rte_eth_txconf txconf = {.tx_deferred_start = 1};
	uint64_t before[N_QUEUES] = {0}, after[N_QUEUES] = {0};
	uint16_t port = ddp_start("dev(net_testsrc0)", N_QUEUES, 2, 512);
	struct rte_eth_rxq_info info;
	struct rte_mbuf *mbuf = packet(0, 0);

	flows_count(port, before);
	assert_int_equal(rte_eth_dev_stop(port), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 1, 512, 0, &rxconf, pool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 1, 512, 0, &txconf), 0);
	for (unsigned int round = 0; round < 2; round++) {
		memset(after, 0, sizeof(after));
		assert_int_equal(rte_eth_dev_start(port), 0);
		assert_int_equal(rte_eth_rx_queue_info_get(port, 1, &info), 0);
		assert_int_equal(info.conf.rx_deferred_start, 1);
		assert_int_equal(info.queue_state, RTE_ETH_QUEUE_STATE_STOPPED);
		assert_int_equal(txq_state(port, 1), RTE_ETH_QUEUE_STATE_STOPPED);
		assert_int_equal(txq_state(port, 0), RTE_ETH_QUEUE_STATE_STARTED);
		packets_feed(0, 0, N_FLOWS, N_FLOWS);
		poll_to_end(port, N_QUEUES, 0, after);
		assert_int_equal(after[1], 0);
		assert_int_equal(rte_eth_tx_burst(port, 1, &mbuf, 1), 0);
		assert_int_equal(rte_eth_dev_rx_queue_start(port, 1), 0);
		assert_int_equal(rte_eth_dev_tx_queue_start(port, 1), 0);
		packets_feed(0, 0, N_FLOWS, N_FLOWS);
		poll_to_end(port, N_QUEUES, 0, after);
		assert_int_equal(after[1], before[1]);
		assert_int_equal(rte_eth_tx_burst(port, 1, &mbuf, 1), 1);
		mbuf = testsrc_sent(0, 0);
		assert_non_null(mbuf);
		assert_sum_holds(port);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		assert_int_equal(rxq_state(port, 1), RTE_ETH_QUEUE_STATE_STOPPED);
	}
	rte_pktmbuf_free(mbuf);
}

static void other_queue_sends(void *arg) {
	uint16_t port = *(uint16_t *)arg;
	struct rte_mbuf *mbufs[3];

	for (unsigned int i = 0; i < RTE_DIM(mbufs); i++)
		mbufs[i] = packet(i, 0);
	// The caller has locked the lower queue: packets wait on the ring.
	assert_int_equal(rte_eth_tx_burst(port, 1, mbufs, 3), 3);
}

TEST(what_waits_on_a_stopped_tx_queue_is_dropped_and_counted) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 1, 2, 64);
	struct rte_mbuf *mbuf = packet(0, 0);

	testsrc_tx_room(0, 1);
	testsrc_hook(other_queue_sends, &port);
	assert_int_equal(rte_eth_tx_burst(port, 0, &mbuf, 1), 1);
	assert_int_equal(xstat(port, "tx_in_rings"), 3);
	assert_int_equal(rte_eth_tx_descriptor_status(port, 1, 2), RTE_ETH_TX_DESC_FULL);
	assert_int_equal(rte_eth_tx_descriptor_status(port, 1, 3), RTE_ETH_TX_DESC_DONE);
	assert_int_equal(rte_eth_dev_tx_queue_stop(port, 1), 0);
	assert_int_equal(xstat(port, "tx_in_rings"), 0);
	assert_int_equal(xstat(port, "tx_dropped_at_stop"), 3);
	mbuf = packet(0, 0);
	assert_int_equal(rte_eth_tx_burst(port, 1, &mbuf, 1), 0);
	rte_pktmbuf_free(mbuf);
	rte_pktmbuf_free(testsrc_sent(0, 0));
}

struct sender {
	uint16_t port;
	pthread_t thread;
	bool inside;
};

// The lower device has room for the thread that stops the queue, but not for the sender, which
// would flush it, too.
static void room_make(void *arg) {
	const struct sender *sender = arg;

	if (pthread_equal(pthread_self(), sender->thread))
		testsrc_hook(room_make, arg);
	else
		testsrc_tx_room(0, UINT32_MAX);
}

static void other_queue_sends_and_waits(void *arg) {
	struct sender *sender = arg;

	other_queue_sends(&sender->port);
	__atomic_store_n(&sender->inside, true, __ATOMIC_RELEASE);
	wait_wanted(sender->port);
	testsrc_hook(room_make, sender);
}

static void *sender_main(void *arg) {
	struct sender *sender = arg;
	struct rte_mbuf *mbuf = packet(0, 0);

	sender->thread = pthread_self();
	testsrc_tx_room(0, 1);
	testsrc_hook(other_queue_sends_and_waits, sender);
	assert_int_equal(rte_eth_tx_burst(sender->port, 0, &mbuf, 1), 1);
	return NULL;
}

TEST(what_waits_on_a_stopped_tx_queue_is_sent_once_the_lower_queue_is_free) {
	struct sender sender = {.port = ddp_start("dev(net_testsrc0)", 1, 2, 64)};
	unsigned int n_sent = 0;
	struct rte_mbuf *mbuf;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, sender_main, &sender), 0);
	while (!__atomic_load_n(&sender.inside, __ATOMIC_ACQUIRE))
		sched_yield();
	assert_int_equal(rte_eth_dev_tx_queue_stop(sender.port, 1), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(xstat(sender.port, "tx_dropped_at_stop"), 0);
	while ((mbuf = testsrc_sent(0, 0)) != NULL) {
		rte_pktmbuf_free(mbuf);
		n_sent++;
	}
	assert_int_equal(n_sent, 4);
	testsrc_hook(NULL, NULL);
	ddp_end(sender.port);
}

TEST(waiting_packets_can_be_counted) {
	uint16_t port = ddp_start("dev(net_testsrc0)", 2, 1, 64);
	int n;

	packets_feed(0, 0, N_FLOWS, 32);
	rx_free(port, 0);
	n = rte_eth_rx_queue_count(port, 1);
	assert_int_equal(n, xstat(port, "rx_in_rings"));
	assert_in_range(n, 1, 31);
	assert_int_equal(rte_eth_rx_descriptor_status(port, 1, n - 1), RTE_ETH_RX_DESC_DONE);
	assert_int_equal(rte_eth_rx_descriptor_status(port, 1, n), RTE_ETH_RX_DESC_AVAIL);
	assert_int_equal(rte_eth_rx_descriptor_status(port, 1, 64), -EINVAL);
	assert_int_equal(rte_eth_rx_queue_count(port, 0), 0);
	poll_to_end(port, 2, 0, NULL);
	assert_int_equal(rte_eth_rx_queue_count(port, 1), 0);
}

// Packets in the lower device are for the only queue.
TEST(packets_that_wait_in_the_lower_device_are_counted_for_one_queue) {
	uint16_t port = ddp_start("dev(net_testsrc0,rxq=2),lower_queues=2,overflow=wait", 1, 1, 64);

	packets_feed(0, 0, N_FLOWS, 40);
	packets_feed(0, 0, N_FLOWS, 50);
	assert_int_equal(rte_eth_rx_queue_count(port, 0), 90);
	assert_int_equal(rte_eth_rx_descriptor_status(port, 0, 63), RTE_ETH_RX_DESC_DONE);
	assert_int_equal(poll_to_end(port, 1, 0, NULL), 90);
	assert_int_equal(rte_eth_rx_queue_count(port, 0), 0);
	assert_int_equal(rte_eth_rx_descriptor_status(port, 0, 0), RTE_ETH_RX_DESC_AVAIL);
}

static void queue_setup(uint16_t port, unsigned int i, unsigned int n_rxq) {
	if (i < n_rxq)
		assert_int_equal(rte_eth_rx_queue_setup(port, i, 64, 0, NULL, pool), 0);
	else
		assert_int_equal(rte_eth_tx_queue_setup(port, i - n_rxq, 64, 0, NULL), 0);
}

TEST(a_port_starts_with_all_its_queues_only) {
	struct rte_eth_conf conf = {0};

	for (unsigned int left_out = 0; left_out < 4; left_out++) {
		int port = ddp_probe("dev(net_testsrc0)");

		assert_true(port >= 0);
		assert_int_equal(rte_eth_dev_configure(port, 2, 2, &conf), 0);
		for (unsigned int i = 0; i < 4; i++)
			if (i != left_out)
				queue_setup(port, i, 2);
		assert_int_equal(rte_eth_dev_start(port), -EINVAL);
		queue_setup(port, left_out, 2);
		assert_int_equal(rte_eth_dev_start(port), 0);
		ddp_end(port);
	}
}

struct pool_case {
	const char *ops; // NULL: by flags
	unsigned int flags;
	uint16_t n_rxq, n_txq;
	const char *log; // NULL: accepted
};

static char log_text[1024];

static struct rte_mempool *pool_create(const struct pool_case *row) {
	if (row->ops != NULL)
		return rte_pktmbuf_pool_create_by_ops("single", 63, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
						      0, row->ops);
	return rte_mempool_create("single", 63, sizeof(struct rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE,
				  0, sizeof(struct rte_pktmbuf_pool_private), rte_pktmbuf_pool_init,
				  NULL, rte_pktmbuf_init, NULL, 0, row->flags);
}

TEST(a_mempool_for_one_thread_is_refused_where_several_use_it) {
	const struct pool_case rows[] = {
		{"ring_sp_sc", 0, 4, 1, "mempool single (ring_sp_sc) is for one thread"},
		{"ring_mp_sc", 0, 2, 1, "single (ring_mp_sc)"},
		{NULL, RTE_MEMPOOL_F_SP_PUT, 2, 1, "is for one thread"},
		{NULL, RTE_MEMPOOL_F_SC_GET, 2, 1, "is for one thread"},
		{"ring_sp_sc", 0, 1, 2, "1 Rx and 2 Tx queues, over 1 of the lower device"},
		{"ring_sp_sc", 0, 1, 1, NULL},
		{NULL, RTE_MEMPOOL_F_SP_PUT | RTE_MEMPOOL_F_SC_GET, 1, 0, NULL},
		{"ring_mp_mc", 0, 4, 2, NULL},
		{NULL, 0, 4, 2, NULL},
	};
	int port = ddp_probe("dev(net_testsrc0)");

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		struct rte_mempool *mempool = pool_create(&rows[i]);

		assert_non_null(mempool);
		ddp_configure(port, rows[i].n_rxq, rows[i].n_txq, 512, RTE_ETH_RSS_IP);
		log_capture(log_text, sizeof(log_text));
		assert_int_equal(rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, mempool),
				 rows[i].log ? -EINVAL : 0);
		log_release();
		if (rows[i].log != NULL)
			assert_non_null(strstr(log_text, rows[i].log));
		ddp_configure(port, rows[i].n_rxq, rows[i].n_txq, 512, 0);
		for (uint16_t q = 1; q < rows[i].n_rxq; q++)
			assert_int_equal(rte_eth_rx_queue_setup(port, q, 512, 0, NULL, mempool), 0);
		assert_int_equal(rte_eth_dev_start(port), 0);
		assert_int_equal(rte_eth_dev_stop(port), 0);
		ddp_configure(port, 1, 1, 512, 0); // with another mempool
		rte_mempool_free(mempool);
	}
}

// ethdev keeps queues that were set up before.
TEST(a_mempool_for_one_thread_is_refused_once_there_are_more_queues) {
	const struct pool_case row = {.ops = "ring_sp_sc"};
	const struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	struct rte_mempool *mempool = pool_create(&row);
	int port = ddp_probe("dev(net_testsrc0)");

	ddp_configure(port, 1, 1, 512, 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, mempool), 0);
	assert_int_equal(rte_eth_dev_configure(port, 2, 1, &conf), 0);
	assert_int_equal(rte_eth_rx_queue_setup(port, 1, 512, 0, NULL, mempool), 0);
	assert_int_equal(rte_eth_tx_queue_setup(port, 0, 512, 0, NULL), 0);
	log_capture(log_text, sizeof(log_text));
	assert_int_equal(rte_eth_dev_start(port), -EINVAL);
	log_release();
	assert_non_null(strstr(log_text, "mempool single (ring_sp_sc) is for one thread"));
	ddp_close(port);
	rte_mempool_free(mempool);
}

PORT_TESTS(leak_setup)
