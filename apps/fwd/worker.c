/* SPDX-License-Identifier: BSD-3-Clause */
// The data path of ddp-fwd: no allocation, lock, log or system call here.
#include "worker.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>
#include <rte_pause.h>

#include "port/state/rte_pmd_ddp.h"

// The number of packets that the queue may receive now: a burst, or the rest of --packets. 0: none.
static inline uint16_t budget_take(struct worker *worker) {
	int64_t left, take;

	if (!worker->control->limited)
		return worker->burst;
	left = atomic_load_explicit(&worker->control->budget, memory_order_relaxed);
	do {
		take = RTE_MIN(left, worker->burst);
		if (take <= 0)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(&worker->control->budget, &left,
							left - take, memory_order_relaxed,
							memory_order_relaxed));
	return take;
}

// Correct the budget by the number of received packets.
static inline void budget_correct(struct worker *worker, uint16_t taken, uint16_t received) {
	if (worker->control->limited && taken != received)
		atomic_fetch_add_explicit(&worker->control->budget, (int64_t)taken - received,
					  memory_order_relaxed);
}

static inline uint16_t queue_receive(struct worker *worker, struct rx_queue *queue,
				     struct rte_mbuf **pkts) {
	uint16_t take = budget_take(worker);
	uint16_t n;

	RTE_ASSERT(take <= BURST_MAX && queue->least <= BURST_MAX);
	if (take == 0)
		return 0; // other workers use or return the rest
	n = rte_eth_rx_burst(queue->port, queue->queue, pkts, RTE_MAX(take, queue->least));
	budget_correct(worker, take, n);
	return n;
}

static inline void bytes_count(struct rx_queue *queue, struct rte_mbuf **pkts, uint16_t n) {
	uint64_t bytes = 0;

	for (uint16_t i = 0; i < n; i++)
		bytes += pkts[i]->pkt_len;
	counter_add(&queue->stats.packets, n);
	counter_add(&queue->stats.bytes, bytes);
}

// Count packet types, and copy the times of arrival before the packets are handed over.
static inline void meta_read(const struct worker *worker, struct rx_queue *queue,
			     struct rte_mbuf **pkts, uint16_t n, uint64_t *arrived) {
	RTE_ASSERT(queue->ptypes != NULL && worker->meta_off >= 0 && worker->tsc_off >= 0);
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_pmd_ddp_meta *meta = RTE_MBUF_DYNFIELD(
			pkts[i], worker->meta_off, const struct rte_pmd_ddp_meta *);

		counter_add(&queue->ptypes[meta->ptype_id], 1);
		arrived[i] = *RTE_MBUF_DYNFIELD(pkts[i], worker->tsc_off, const uint64_t *);
	}
}

static inline void latency_count(struct rx_queue *queue, const uint64_t *arrived, uint16_t n,
				 uint64_t now) {
	for (uint16_t i = 0; i < n; i++) {
		int64_t cycles = now - arrived[i];

		// TSCs of two cores may differ slightly.
		latency_record(&queue->latency, cycles < 0 ? 0 : cycles);
	}
}

static inline void addresses_set(const struct rx_queue *queue, struct rte_mbuf **pkts, uint16_t n) {
	for (uint16_t i = 0; i < n; i++) {
		struct rte_ether_hdr *eth = rte_pktmbuf_mtod(pkts[i], struct rte_ether_hdr *);

		if (pkts[i]->data_len < sizeof(*eth))
			continue;
		eth->src_addr = queue->source;
		eth->dst_addr = queue->destination;
	}
}

// Work like an application that processes a burst packet by packet. Time off the core counts.
static inline void packets_work(const struct worker *worker, uint16_t n) {
	uint64_t begin = rte_rdtsc(), cycles = n * worker->work_cycles;

	while (rte_rdtsc() - begin < cycles)
		;
}

static inline void queue_send(const struct worker *worker, struct rx_queue *queue,
			      struct rte_mbuf **pkts, uint16_t n) {
	uint16_t sent = rte_eth_tx_burst(queue->tx_port, queue->tx_queue, pkts, n);

	for (uint32_t retry = 0; sent < n && retry < worker->tx_retries; retry++) {
		rte_pause();
		sent += rte_eth_tx_burst(queue->tx_port, queue->tx_queue, pkts + sent, n - sent);
	}
	counter_add(&queue->stats.sent, sent);
	if (sent < n) {
		rte_pktmbuf_free_bulk(pkts + sent, n - sent);
		counter_add(&queue->stats.tx_full, n - sent);
	}
}

static inline uint16_t queue_poll(struct worker *worker, struct rx_queue *queue,
				  const enum mode mode) {
	struct rte_mbuf *pkts[BURST_MAX];
	uint64_t arrived[BURST_MAX];
	uint16_t n = queue_receive(worker, queue, pkts);
	uint64_t now;

	if (n == 0)
		return 0;
	bytes_count(queue, pkts, n);
	if (queue->has_meta)
		meta_read(worker, queue, pkts, n, arrived);
	if (mode == MODE_MAC)
		addresses_set(queue, pkts, n);
	if (worker->work_cycles != 0)
		packets_work(worker, n);
	now = rte_rdtsc();
	if (mode == MODE_RXONLY) {
		rte_pktmbuf_free_bulk(pkts, n);
		counter_add(&queue->stats.consumed, n);
	} else {
		queue_send(worker, queue, pkts, n);
	}
	if (queue->has_meta)
		latency_count(queue, arrived, n, now);
	counter_set(&queue->stats.last_tsc, now);
	return n;
}

// A round with packets is busy since the end of the last round.
static inline void queues_poll(struct worker *worker, const enum mode mode) {
	uint32_t n = 0;
	uint64_t now;

	for (unsigned int i = 0; i < worker->n_queues; i++)
		n += queue_poll(worker, worker->queues[i], mode);
	now = rte_rdtsc();
	if (n != 0)
		counter_add(&worker->busy_tsc, now - worker->round_tsc);
	worker->round_tsc = now;
}

void worker_poll(struct worker *worker) {
	switch (worker->mode) {
	case MODE_IO:
		queues_poll(worker, MODE_IO);
		break;
	case MODE_MAC:
		queues_poll(worker, MODE_MAC);
		break;
	case MODE_RXONLY:
		queues_poll(worker, MODE_RXONLY);
		break;
	}
	counter_add(&worker->rounds, 1);
}

void worker_flush(struct worker *worker) {
	struct rte_mbuf *none[1];

	if (worker->mode != MODE_RXONLY)
		for (unsigned int i = 0; i < worker->n_queues; i++)
			rte_eth_tx_burst(worker->queues[i]->tx_port, worker->queues[i]->tx_queue,
					 none, 0);
	counter_add(&worker->rounds, 1);
}
