/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "fwd/worker.h"
#include "port/state/rte_pmd_ddp.h"

#define PORT 0
#define N_FRAMES 64

struct frame {
	struct rte_mbuf mbuf;
	uint8_t data[64];
};

static struct frame frames[N_FRAMES];
static unsigned int n_offered; // frames received so far
static unsigned int n_sent;    // accepted by the port
static unsigned int n_tx_calls;
static unsigned int tx_room; // packets that it accepts in all
static uint16_t requested;   // by the last call that receives

static struct control control;
static struct rx_queue queue;
static struct worker worker;
static counter ptypes[PTYPE_IDS];

static uint16_t port_rx(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	uint16_t i;

	(void)rxq;
	requested = n;
	for (i = 0; i < n && n_offered < N_FRAMES; i++)
		mbufs[i] = &frames[n_offered++].mbuf;
	return i;
}

static uint16_t port_tx(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	uint16_t n_taken = RTE_MIN(n, tx_room);

	(void)txq;
	(void)mbufs;
	n_tx_calls++;
	n_sent += n_taken;
	tx_room -= n_taken;
	return n_taken;
}

static int setup(void **state) {
	static void *queues[1];
	static struct rx_queue *list[] = {&queue};

	memset(frames, 0, sizeof(frames));
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		struct rte_mbuf *mbuf = &frames[i].mbuf;

		// With a second reference, freeing a frame leaves it where it is.
		rte_mbuf_refcnt_set(mbuf, 2);
		mbuf->nb_segs = 1;
		mbuf->buf_addr = frames[i].data;
		mbuf->data_len = mbuf->pkt_len = sizeof(frames[i].data);
	}
	n_offered = n_sent = n_tx_calls = 0;
	tx_room = UINT16_MAX;
	memset(&queue, 0, sizeof(queue));
	memset(ptypes, 0, sizeof(ptypes));
	queue.port = queue.tx_port = PORT;
	queue.least = 1;
	control = (struct control){.running = true};
	worker = (struct worker){
		.control = &control,
		.queues = list,
		.n_queues = 1,
		.mode = MODE_IO,
		.burst = 32,
		.tx_retries = 4,
	};
	rte_eth_fp_ops[PORT].rx_pkt_burst = port_rx;
	rte_eth_fp_ops[PORT].tx_pkt_burst = port_tx;
	rte_eth_fp_ops[PORT].rxq.data = rte_eth_fp_ops[PORT].txq.data = queues;
	rte_eth_fp_ops[PORT].rxq.clbk = rte_eth_fp_ops[PORT].txq.clbk = queues;
	return 0;
}

static bool freed(unsigned int i) {
	return rte_mbuf_refcnt_read(&frames[i].mbuf) == 1;
}

TEST(a_round_receives_a_burst_and_sends_it) {
	worker_poll(&worker);
	assert_int_equal(requested, 32);
	assert_int_equal(counter_get(&queue.stats.packets), 32);
	assert_int_equal(counter_get(&queue.stats.bytes), 32 * 64);
	assert_int_equal(counter_get(&queue.stats.sent), 32);
	assert_int_equal(n_sent, 32);
	assert_true(counter_get(&queue.stats.last_tsc) != 0);
	assert_int_equal(counter_get(&worker.rounds), 1);
}

TEST(nothing_received_sends_nothing) {
	n_offered = N_FRAMES;
	worker_poll(&worker);
	assert_int_equal(n_tx_calls, 0);
	assert_int_equal(counter_get(&queue.stats.last_tsc), 0);
	assert_int_equal(counter_get(&worker.rounds), 1);
}

TEST(what_tx_refuses_is_dropped_after_the_retries) {
	tx_room = 10;
	worker_poll(&worker);
	assert_int_equal(n_tx_calls, 1 + 4);
	assert_int_equal(counter_get(&queue.stats.packets), 32);
	assert_int_equal(counter_get(&queue.stats.sent), 10);
	assert_int_equal(counter_get(&queue.stats.tx_full), 22);
	for (unsigned int i = 0; i < 32; i++)
		assert_int_equal(freed(i), i >= 10);
}

TEST(without_retries_tx_is_tried_once) {
	tx_room = 0;
	worker.tx_retries = 0;
	worker_poll(&worker);
	assert_int_equal(n_tx_calls, 1);
	assert_int_equal(counter_get(&queue.stats.tx_full), 32);
}

TEST(rxonly_frees_what_it_receives) {
	worker.mode = MODE_RXONLY;
	worker_poll(&worker);
	assert_int_equal(n_tx_calls, 0);
	assert_int_equal(counter_get(&queue.stats.consumed), 32);
	assert_true(freed(0) && freed(31) && !freed(32));
}

TEST(mac_sets_both_addresses) {
	static const uint8_t addresses[] = {2, 0, 0, 0, 0, 7, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60};

	memcpy(&queue.destination, addresses, 6);
	memcpy(&queue.source, addresses + 6, 6);
	frames[0].mbuf.data_len = frames[0].mbuf.pkt_len = 13; // too short to have them
	worker.mode = MODE_MAC;
	worker_poll(&worker);
	assert_int_equal(n_sent, 32);
	assert_int_equal(frames[0].data[0], 0);
	assert_memory_equal(frames[1].data, addresses, sizeof(addresses));
	assert_int_equal(frames[1].data[12], 0);
}

TEST(io_changes_nothing) {
	static const uint8_t zeros[64];

	queue.destination.addr_bytes[0] = 2;
	worker_poll(&worker);
	assert_memory_equal(frames[0].data, zeros, sizeof(zeros));
}

TEST(a_limit_is_met_exactly) {
	control.limited = true;
	atomic_store(&control.budget, 40);
	for (unsigned int i = 0; i < 5; i++)
		worker_poll(&worker);
	assert_int_equal(counter_get(&queue.stats.packets), 40);
	assert_int_equal(atomic_load(&control.budget), 0);
}

TEST(what_did_not_come_may_still_come) {
	n_offered = N_FRAMES - 10;
	control.limited = true;
	atomic_store(&control.budget, 40);
	worker_poll(&worker);
	assert_int_equal(counter_get(&queue.stats.packets), 10);
	assert_int_equal(atomic_load(&control.budget), 30);
}

TEST(a_device_is_asked_for_no_less_than_it_takes) {
	queue.least = 8;
	control.limited = true;
	atomic_store(&control.budget, 3);
	worker_poll(&worker);
	assert_int_equal(requested, 8);
	assert_int_equal(counter_get(&queue.stats.packets), 8);
	worker_poll(&worker);
	assert_int_equal(counter_get(&queue.stats.packets), 8);
}

// Let frames arrive with a packet type, so many cycles ago.
static void frames_tell(uint16_t id, int64_t cycles) {
	worker.meta_off = offsetof(struct rte_mbuf, dynfield1);
	worker.tsc_off =
		RTE_ALIGN_CEIL(worker.meta_off + sizeof(struct rte_pmd_ddp_meta), sizeof(uint64_t));
	queue.has_meta = true;
	queue.ptypes = ptypes;
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		struct rte_mbuf *mbuf = &frames[i].mbuf;

		RTE_MBUF_DYNFIELD(mbuf, worker.meta_off, struct rte_pmd_ddp_meta *)->ptype_id = id;
		*RTE_MBUF_DYNFIELD(mbuf, worker.tsc_off, uint64_t *) = rte_rdtsc() - cycles;
	}
}

TEST(latency_and_packet_type_of_each_packet_are_counted) {
	frames_tell(UINT16_MAX, 1000000);
	worker_poll(&worker);
	assert_int_equal(counter_get(&ptypes[UINT16_MAX]), 32);
	assert_int_equal(counter_get(&queue.latency.count), 32);
	assert_true(latency_percentile(&queue.latency, 0) >= 984000);
	assert_true(counter_get(&queue.latency.max) >= 1000000);
}

TEST(a_clock_ahead_of_ours_gives_no_latency) {
	frames_tell(0, -1000000000000);
	worker_poll(&worker);
	assert_int_equal(counter_get(&queue.latency.count), 32);
	assert_int_equal(counter_get(&queue.latency.max), 0);
}

TEST(work_takes_its_time_for_each_packet_before_it_is_sent) {
	uint64_t begin = rte_rdtsc();

	frames_tell(0, 0);
	worker.work_cycles = 10000;
	worker_poll(&worker);
	assert_true(rte_rdtsc() - begin >= 32 * 10000);
	assert_true(latency_percentile(&queue.latency, 0) >= 32 * 10000 * 0.98);
	assert_int_equal(n_sent, 32);

	n_offered = N_FRAMES; // of no packet there is none
	worker.work_cycles = UINT64_MAX;
	worker_poll(&worker);
}

TEST(flushing_offers_tx_and_receives_nothing) {
	worker_flush(&worker);
	assert_int_equal(n_tx_calls, 1);
	assert_int_equal(n_offered, 0);
	assert_int_equal(n_sent, 0);
	worker.mode = MODE_RXONLY;
	worker_flush(&worker);
	assert_int_equal(n_tx_calls, 1);
	assert_int_equal(counter_get(&worker.rounds), 2);
}

TEST(rounds_with_packets_are_busy) {
	uint64_t busy, begin = rte_rdtsc();

	worker.round_tsc = begin - 1000000;
	worker_poll(&worker);
	busy = counter_get(&worker.busy_tsc);
	assert_in_range(busy, 1000000, 1000000 + rte_rdtsc() - begin);

	n_offered = N_FRAMES;
	worker.round_tsc -= 1000000;
	worker_poll(&worker);
	assert_int_equal(counter_get(&worker.busy_tsc), busy);
}

EACH(setup, NULL)
