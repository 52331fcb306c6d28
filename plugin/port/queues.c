/* SPDX-License-Identifier: BSD-3-Clause */
// The rings between lower queues and ours, from start to stop.
#include "port.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include <rte_malloc.h>

// A ring of exactly n_desc, outside DPDK's list of rings and its limits: there are very many.
static struct rte_ring *ring_alloc(const struct ddp_port *port, uint16_t n_desc) {
	size_t size = rte_ring_get_memsize(rte_align32pow2(n_desc + 1));
	struct rte_ring *ring;

	ring = rte_malloc_socket("ddp_ring", size, RTE_CACHE_LINE_SIZE, port->data->numa_node);
	if (ring != NULL)
		rte_ring_init(ring, "ddp", n_desc, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	return ring;
}

// Free a ring and the packets on it. Returns how many.
static unsigned int ring_free(struct rte_ring **ring) {
	struct rte_mbuf *mbuf;
	unsigned int n = 0;

	if (*ring == NULL)
		return 0;
	while (rte_ring_sc_dequeue(*ring, (void **)&mbuf) == 0) {
		rte_pktmbuf_free(mbuf);
		n++;
	}
	rte_free(*ring);
	*ring = NULL;
	return n;
}

static unsigned int held_free(struct ddp_batch *held) {
	unsigned int n = held->n;

	rte_pktmbuf_free_bulk(held->mbufs, n);
	held->n = 0;
	return n;
}

static int rings_alloc(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		for (unsigned int q = 0; q < port->n_rxqs; q++) {
			lower->rings[q] = ring_alloc(port, port->rxqs[q].n_desc);
			if (lower->rings[q] == NULL)
				return -ENOMEM;
		}
	}
	for (unsigned int t = 0; t < port->n_txqs; t++) {
		struct ddp_txq *txq = &port->txqs[t];

		if (!txq->lower->shared)
			continue;
		txq->ring = ring_alloc(port, txq->n_desc);
		if (txq->ring == NULL)
			return -ENOMEM;
	}
	return 0;
}

// Nobody is inside the port.
static void rings_free(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		port->rx_dropped += held_free(&lower->held);
		for (unsigned int q = 0; q < port->n_rxqs; q++)
			port->rx_dropped += ring_free(&lower->rings[q]);
	}
	for (unsigned int t = 0; t < port->n_txqs; t++)
		port->tx_dropped += ring_free(&port->txqs[t].ring);
}

// Tx queue t uses lower queue t modulo their number.
static void txqs_map(struct ddp_port *port) {
	port->tx_shared = port->n_txqs > port->n_lower_txqs;
	for (unsigned int i = 0; i < port->n_lower_txqs; i++) {
		port->lower_txqs[i].shared = i + port->n_lower_txqs < port->n_txqs;
		port->lower_txqs[i].waiting = false;
		port->lower_txqs[i].next = i;
	}
	for (unsigned int t = 0; t < port->n_txqs; t++)
		port->txqs[t].lower = &port->lower_txqs[t % port->n_lower_txqs];
}

static int queues_check(const struct ddp_port *port) {
	const struct rte_eth_dev_data *data = port->data;

	for (unsigned int i = 0; i < data->nb_rx_queues; i++) {
		if (data->rx_queues[i] == NULL) {
			PORT_LOG(ERR, port->name, "Rx queue %u is not set up", i);
			return -EINVAL;
		}
	}
	for (unsigned int i = 0; i < data->nb_tx_queues; i++) {
		if (data->tx_queues[i] == NULL) {
			PORT_LOG(ERR, port->name, "Tx queue %u is not set up", i);
			return -EINVAL;
		}
	}
	if (data->nb_tx_queues > 0 && port->lower.n_txq == 0) {
		PORT_LOG(ERR, port->name, "lower device %s has no Tx queue", port->lower.name);
		return -ENOTSUP;
	}
	return 0;
}

static void queue_states_set(struct ddp_port *port, uint8_t state) {
	memset(port->data->rx_queue_state, state, port->n_rxqs);
	memset(port->data->tx_queue_state, state, port->n_txqs);
}

int ddp_port_start(struct ddp_port *port) {
	int ret;

	if (port->lower.gone)
		return -ENODEV;
	ret = queues_check(port);
	if (ret < 0)
		return ret;
	port->n_rxqs = port->data->nb_rx_queues;
	port->n_txqs = port->data->nb_tx_queues;
	port->n_lower_rxqs = port->lower.n_rxq;
	port->n_lower_txqs = port->lower.n_txq;
	txqs_map(port);
	ret = rings_alloc(port);
	if (ret < 0)
		PORT_LOG(ERR, port->name, "no memory for the rings of %u Rx and %u Tx queues",
			 port->n_rxqs, port->n_txqs);
	else
		ret = ddp_lower_start(port);
	if (ret < 0) {
		rings_free(port);
		return ret;
	}
	queue_states_set(port, RTE_ETH_QUEUE_STATE_STARTED);
	__atomic_store_n(&port->running, true, __ATOMIC_RELEASE);
	return 0;
}

// The holder may be a thread that we took the processor from: let it go on.
void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower) {
	__atomic_store_n(&lower->wanted, true, __ATOMIC_RELAXED);
	while (!rte_spinlock_trylock(&lower->lock))
		sched_yield();
	__atomic_store_n(&lower->wanted, false, __ATOMIC_RELAXED);
}

void ddp_port_quiesce(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->n_rxqs; i++) {
		rte_spinlock_lock(&port->rxqs[i].busy);
		rte_spinlock_unlock(&port->rxqs[i].busy);
	}
	for (unsigned int i = 0; i < port->n_txqs; i++) {
		rte_spinlock_lock(&port->txqs[i].busy);
		rte_spinlock_unlock(&port->txqs[i].busy);
	}
}

void ddp_port_stop(struct ddp_port *port) {
	__atomic_store_n(&port->running, false, __ATOMIC_RELAXED);
	ddp_port_quiesce(port);
	if (port->lower.started)
		ddp_tx_flush(port);
	rings_free(port);
	if (!port->lower.gone)
		ddp_lower_stop(port);
	queue_states_set(port, RTE_ETH_QUEUE_STATE_STOPPED);
}
