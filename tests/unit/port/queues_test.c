/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_rules.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <rte_errno.h>

#define N_FLOWS 64

static void send_one(uint16_t port, uint16_t queue, unsigned int flow, uint32_t seq) {
	struct rte_mbuf *mbuf = packet(flow, seq);

	assert_int_equal(rte_eth_tx_burst(port, queue, &mbuf, 1), 1);
}

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
	struct rte_mbuf *mbuf;

	testsrc_tx_room(0, 1);
	testsrc_hook(other_queue_sends, &port);
	send_one(port, 0, 0, 0);
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

struct stopped {
	uint16_t port;
	pthread_t thread;
	bool inside;
};

// The lower device has room for the thread that stops the queue, but not for the sender, which
// would flush it, too.
static void room_make(void *arg) {
	const struct stopped *sender = arg;

	if (pthread_equal(pthread_self(), sender->thread))
		testsrc_hook(room_make, arg);
	else
		testsrc_tx_room(0, UINT32_MAX);
}

static void other_queue_sends_and_waits(void *arg) {
	struct stopped *sender = arg;

	other_queue_sends(&sender->port);
	__atomic_store_n(&sender->inside, true, __ATOMIC_RELEASE);
	wait_wanted(sender->port);
	testsrc_hook(room_make, sender);
}

static void *stopped_main(void *arg) {
	struct stopped *sender = arg;

	sender->thread = pthread_self();
	testsrc_tx_room(0, 1);
	testsrc_hook(other_queue_sends_and_waits, sender);
	send_one(sender->port, 0, 0, 0);
	return NULL;
}

TEST(what_waits_on_a_stopped_tx_queue_is_sent_once_the_lower_queue_is_free) {
	struct stopped sender = {.port = ddp_start("dev(net_testsrc0)", 1, 2, 64)};
	unsigned int n_sent = 0;
	struct rte_mbuf *mbuf;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, stopped_main, &sender), 0);
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

TEST(a_port_starts_with_all_its_queues_only) {
	struct rte_eth_conf conf = {0};

	for (unsigned int left_out = 0; left_out < 4; left_out++) {
		int port = ddp_probe("dev(net_testsrc0)");

		assert_int_equal(rte_eth_dev_configure(port, 2, 2, &conf), 0);
		for (unsigned int i = 1; i <= 4; i++) {
			const unsigned int q = (left_out + i) % 4;

			if (i == 4)
				assert_int_equal(rte_eth_dev_start(port), -EINVAL);
			if (q < 2)
				rte_eth_rx_queue_setup(port, q, 64, 0, NULL, pool);
			else
				rte_eth_tx_queue_setup(port, q - 2, 64, 0, NULL);
		}
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
		{"ring_sp_mc", 0, 2, 1, "single (ring_sp_mc)"},
		{NULL, RTE_MEMPOOL_F_SP_PUT, 2, 1, "is for one thread"},
		{NULL, RTE_MEMPOOL_F_SC_GET, 2, 1, "is for one thread"},
		{"ring_sp_sc", 0, 1, 2, "1 Rx and 2 Tx queues, over 1 of the lower device"},
		{"ring_sp_sc", 0, 1, 1, NULL},
		{NULL, RTE_MEMPOOL_F_SP_PUT | RTE_MEMPOOL_F_SC_GET, 1, 0, NULL},
	};
	int port = ddp_probe("dev(net_testsrc0)");

	for (unsigned int i = 0; i < RTE_DIM(rows); i++) {
		struct rte_mempool *mempool = pool_create(&rows[i]);

		assert_non_null(mempool);
		ddp_configure(port, rows[i].n_rxq, rows[i].n_txq, 512, RTE_ETH_RSS_IP);
		assert_int_equal(
			logged(log_text, rte_eth_rx_queue_setup(port, 0, 512, 0, NULL, mempool)),
			rows[i].log ? -EINVAL : 0);
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
	assert_int_equal(logged(log_text, rte_eth_dev_start(port)), -EINVAL);
	assert_non_null(strstr(log_text, "mempool single (ring_sp_sc) is for one thread"));
	ddp_close(port);
	rte_mempool_free(mempool);
}

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

// Applications find a bad packet by rte_errno; what it was before means nothing when all packets
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
	bool ended;
};

static void *monitor_main(void *arg) {
	struct monitor *monitor = arg;

	while (!__atomic_load_n(&monitor->ended, __ATOMIC_RELAXED))
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
