/* SPDX-License-Identifier: BSD-3-Clause */
// The Tx burst. If several Tx queues share a lower one and a burst finds it locked, the burst goes
// on its own queue's ring. The next call on any Rx or Tx queue of the port first sends the packets
// on the rings, so that no packet stays there when its sender falls silent.
#include "burst.h"
#include "cksum.h"

#include <errno.h>

#include <rte_errno.h>
#include <rte_ring_peek.h>

// Send packets of a Tx queue. The lower queue is locked, or not shared. Returns how many it took.
static unsigned int lower_send(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	uint64_t bytes = 0;
	unsigned int n_sent;

	for (unsigned int i = 0; i < n; i++)
		bytes += rte_pktmbuf_pkt_len(mbufs[i]);
	if (unlikely(queue->port->tx_checksums != 0))
		for (unsigned int i = 0; i < n; i++)
			ddp_cksum_compute(queue->port->tx_checksums, mbufs[i]);
	n_sent = rte_eth_tx_burst(queue->port->lower.port_id, queue->lower->id, mbufs, n);
	for (unsigned int i = n_sent; i < n; i++)
		bytes -= rte_pktmbuf_pkt_len(mbufs[i]);
	counter_add(&queue->packets, n_sent);
	counter_add(&queue->bytes, bytes);
	return n_sent;
}

bool ddp_tx_ring_flush(struct ddp_txq *queue) {
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
	unsigned int left = rte_ring_count(queue->ring); // packets that are added later are left

	while (left > 0) {
		unsigned int n = rte_ring_dequeue_burst_start(queue->ring, (void **)mbufs,
							      RTE_MIN(left, DDP_PORT_BURST), NULL);
		unsigned int n_sent = lower_send(queue, mbufs, n);

		rte_ring_dequeue_finish(queue->ring, n_sent);
		if (n_sent < n)
			return false;
		left -= n;
	}
	return true;
}

// Send the packets on the rings of all Tx queues that use a lower one, which is locked, starting
// with Tx queue first.
static void lower_flush(struct ddp_port *port, struct ddp_lower_txq *lower, uint16_t first) {
	uint16_t t = first;

	// Cleared before the rings are read: a queue that adds packets from now on sets it again.
	if (!__atomic_exchange_n(&lower->waiting, false, __ATOMIC_ACQ_REL))
		return;
	do {
		if (!ddp_tx_ring_flush(&port->txqs[t])) {
			__atomic_store_n(&lower->waiting, true, __ATOMIC_RELEASE);
			lower->next = t;
			return;
		}
		t += port->n_lower_txqs;
		if (t >= port->n_txqs)
			t = lower->id;
	} while (t != first);
}

void ddp_tx_flush(struct ddp_port *port) {
	if (!port->tx_shared)
		return;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++) {
		struct ddp_lower_txq *lower = &port->lower_txqs[i];

		if (!__atomic_load_n(&lower->waiting, __ATOMIC_RELAXED) ||
		    !lower_trylock(&lower->lock, &lower->wanted))
			continue;
		lower_flush(port, lower, lower->next);
		rte_spinlock_unlock(&lower->lock);
	}
}

static unsigned int ring_add(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	n = rte_ring_sp_enqueue_burst(queue->ring, (void *const *)mbufs, n, NULL);
	__atomic_store_n(&queue->lower->waiting, true, __ATOMIC_RELEASE);
	return n;
}

static unsigned int tx_shared(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	struct ddp_lower_txq *lower = queue->lower;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return ring_add(queue, mbufs, n);
	lower_flush(queue->port, lower, queue->id);
	if (rte_ring_empty(queue->ring))
		n = lower_send(queue, mbufs, n);
	else
		n = ring_add(queue, mbufs, n);
	rte_spinlock_unlock(&lower->lock);
	return n;
}

uint16_t ddp_tx_burst(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_txq *queue = txq;
	unsigned int n_taken = 0;

	if (!ddp_trylock(&queue->busy))
		return 0;
	if (queue_started(&queue->started) && port_running(queue->port)) {
		if (queue->lower->shared)
			n_taken = tx_shared(queue, mbufs, n);
		else
			n_taken = lower_send(queue, mbufs, n);
		ddp_tx_flush(queue->port);
	}
	rte_spinlock_unlock(&queue->busy);
	return n_taken;
}

uint16_t ddp_tx_prepare(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_txq *queue = txq;
	unsigned int n_good = 0;
	bool started = false;

	if (ddp_trylock(&queue->busy)) {
		started = queue_started(&queue->started) && port_running(queue->port);
		if (started)
			n_good = rte_eth_tx_prepare(queue->port->lower.port_id, queue->lower->id,
						    mbufs, n);
		rte_spinlock_unlock(&queue->busy);
	}
	if (!started)
		rte_errno = ENODEV;
	return n_good;
}

int ddp_tx_descriptor_status(void *txq, uint16_t off) {
	struct ddp_txq *queue = txq;
	unsigned int n = 0;

	if (off >= queue->n_desc)
		return -EINVAL;
	if (!ddp_trylock(&queue->busy))
		return RTE_ETH_TX_DESC_FULL;
	if (port_running(queue->port) && queue->ring != NULL)
		n = rte_ring_count(queue->ring);
	rte_spinlock_unlock(&queue->busy);
	return off < n ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE;
}
