/* SPDX-License-Identifier: BSD-3-Clause */
// The Tx burst. If several Tx queues share a lower one and a burst finds it locked, the burst goes
// on its own queue's ring. The next call on any Rx or Tx queue of the port first sends the packets
// on the rings, so that no packet stays there when its sender sends no more.
//
// Order. A flow that moves to another Rx queue is often sent on another Tx queue, too. So packets
// leave the rings burst by burst in the order in which the bursts came, whatever ring they are on,
// and no burst goes past the rings while packets are left there.
#include "port/run/burst.h"
#include "port/run/extras.h"

#include <rte_errno.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek.h>

#define TICKET_NONE UINT64_MAX

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

// The ticket of the first packet on a queue's ring.
static uint64_t ring_first(struct ddp_txq *queue) {
	struct ddp_tx_slot slot = {.ticket = TICKET_NONE};

	if (rte_ring_empty(queue->ring))
		return TICKET_NONE;
	rte_ring_dequeue_burst_elem_start(queue->ring, &slot, sizeof(slot), 1, NULL);
	rte_ring_dequeue_elem_finish(queue->ring, 0);
	return slot.ticket;
}

// Send packets of one burst, as many as an array holds. Returns whether the lower device took all.
static bool burst_send(struct ddp_txq *queue, uint64_t ticket) {
	struct ddp_tx_slot slots[DDP_PORT_BURST];
	struct rte_mbuf *mbufs[DDP_PORT_BURST];
	unsigned int n_read = rte_ring_dequeue_burst_elem_start(queue->ring, slots, sizeof(*slots),
								RTE_DIM(slots), NULL);
	unsigned int n = 0, n_sent;

	for (; n < n_read && slots[n].ticket == ticket; n++)
		mbufs[n] = slots[n].mbuf;
	n_sent = lower_send(queue, mbufs, n);
	rte_ring_dequeue_elem_finish(queue->ring, n_sent);
	return n_sent == n;
}

bool ddp_tx_lower_flush(struct ddp_port *port, struct ddp_lower_txq *lower) {
	const unsigned int step = port->n_lower_txqs;
	const unsigned int n = (port->n_txqs - lower->id + step - 1) / step;
	uint64_t firsts[DDP_PORT_QUEUES], end;
	unsigned int next;

	// Cleared before the rings are read: a queue that adds packets from now on sets it again.
	if (!__atomic_exchange_n(&lower->waiting, false, __ATOMIC_ACQ_REL))
		return true;
	end = __atomic_load_n(&lower->ticket, __ATOMIC_RELAXED); // those added later are left
	for (unsigned int i = 0; i < n; i++)
		firsts[i] = ring_first(&port->txqs[lower->id + i * step]);
	for (;;) {
		struct ddp_txq *queue;

		next = 0;
		for (unsigned int i = 1; i < n; i++)
			if (firsts[i] < firsts[next])
				next = i;
		if (firsts[next] >= end)
			return true;
		queue = &port->txqs[lower->id + next * step];
		if (!burst_send(queue, firsts[next])) {
			__atomic_store_n(&lower->waiting, true, __ATOMIC_RELEASE);
			return false;
		}
		firsts[next] = ring_first(queue);
	}
}

void ddp_tx_flush(struct ddp_port *port) {
	if (!port->tx_shared)
		return;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++) {
		struct ddp_lower_txq *lower = &port->lower_txqs[i];

		if (!__atomic_load_n(&lower->waiting, __ATOMIC_RELAXED) ||
		    !lower_trylock(&lower->lock, &lower->wanted))
			continue;
		ddp_tx_lower_flush(port, lower);
		ddp_unlock(&lower->lock);
	}
}

// All packets of a burst have one ticket, higher than that of any burst whose call has returned.
static unsigned int ring_add(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	uint64_t ticket = __atomic_fetch_add(&queue->lower->ticket, 1, __ATOMIC_RELAXED);
	struct ddp_tx_slot slots[DDP_PORT_BURST];
	unsigned int n_added = 0, n_slots, added;

	do {
		n_slots = RTE_MIN(n - n_added, RTE_DIM(slots));
		for (unsigned int i = 0; i < n_slots; i++)
			slots[i] = (struct ddp_tx_slot){mbufs[n_added + i], ticket};
		added = rte_ring_sp_enqueue_burst_elem(queue->ring, slots, sizeof(*slots), n_slots,
						       NULL);
		n_added += added;
	} while (added == DDP_PORT_BURST && n_added < n);
	__atomic_store_n(&queue->lower->waiting, true, __ATOMIC_RELEASE);
	return n_added;
}

static unsigned int tx_shared(struct ddp_txq *queue, struct rte_mbuf **mbufs, unsigned int n) {
	struct ddp_lower_txq *lower = queue->lower;

	if (!lower_trylock(&lower->lock, &lower->wanted))
		return ring_add(queue, mbufs, n);
	if (ddp_tx_lower_flush(queue->port, lower))
		n = lower_send(queue, mbufs, n);
	else
		n = ring_add(queue, mbufs, n);
	ddp_unlock(&lower->lock);
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
	ddp_unlock(&queue->busy);
	return n_taken;
}

// Nobody else takes the lock of a running queue: what is not prepared the lower device refused.
uint16_t ddp_tx_prepare(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_txq *queue = txq;
	unsigned int n_good = 0;
	bool started = false;

	if (ddp_trylock(&queue->busy)) {
		started = queue_started(&queue->started) && port_running(queue->port);
		if (started)
			n_good = rte_eth_tx_prepare(queue->port->lower.port_id, queue->lower->id,
						    mbufs, n);
		ddp_unlock(&queue->busy);
	}
	if (!started)
		rte_errno = ENODEV;
	return n_good;
}

// By the queue's own thread. While another has the lower queue nothing is freed: it frees later.
int ddp_tx_done_cleanup(void *txq, uint32_t n) {
	struct ddp_txq *queue = txq;
	struct ddp_lower_txq *lower;
	uint16_t port_id;
	int ret = 0;

	if (queue == NULL) // not set up, which ethdev does not check
		return -EINVAL;
	lower = queue->lower;
	port_id = queue->port->lower.port_id;
	if (!ddp_trylock(&queue->busy))
		return 0;
	if (!queue_started(&queue->started) || !port_running(queue->port)) {
		ret = -ENODEV;
	} else if (!lower->shared || lower_trylock(&lower->lock, &lower->wanted)) {
		ret = rte_eth_tx_done_cleanup(port_id, lower->id, n);
		if (lower->shared)
			ddp_unlock(&lower->lock);
	}
	ddp_unlock(&queue->busy);
	return ret;
}

int ddp_tx_descriptor_status(void *txq, uint16_t off) {
	struct ddp_txq *queue = txq;
	unsigned int n = 0;

	if (off >= queue->n_desc)
		return -EINVAL;
	if (!ddp_trylock(&queue->counted))
		return RTE_ETH_TX_DESC_FULL;
	if (port_running(queue->port) && queue->ring != NULL)
		n = rte_ring_count(queue->ring);
	ddp_unlock(&queue->counted);
	return off < n ? RTE_ETH_TX_DESC_FULL : RTE_ETH_TX_DESC_DONE;
}
