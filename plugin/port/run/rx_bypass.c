/* SPDX-License-Identifier: BSD-3-Clause */
// Straight. Where the lower device spreads packets by our redirection table over as many queues as we have,
// those that pass on lower queue i are all for Rx queue i. Who polls that reads them into the application's
// array, and little else is done to them. It needs the lower queue's lock only: the control path takes that,
// too. Rings are looked at when somebody said that packets wait there.
#include "burst.h"
#include "burst_scan.h"

// How all packets of a burst pass, where they do by one packet type; NULL: they do not. bytes: their lengths.
static inline const struct ddp_pass *straight_pass(struct ddp_rxq *queue,
						   struct ddp_lower_rxq *lower,
						   struct rte_mbuf *const *mbufs, unsigned int n,
						   uint64_t *bytes) {
	const struct ddp_pass *pass = queue->last;

	*bytes = ddp_look(queue->port->id, mbufs, n);
	if (unlikely(*bytes == 0))
		return NULL;
	if (unlikely(pass == NULL || pass->rte_ptype != mbufs[0]->packet_type))
		pass = queue->last = ddp_through_find(lower->through, mbufs[0]->packet_type);
	return likely(pass != NULL && ddp_pass_is_proven(pass)) ? pass : NULL;
}

// The rest of what mbufs say of their packets.
static inline void straight_fill(const struct ddp_lower_rxq *lower, const struct ddp_port *port,
				 const struct ddp_pass *pass, struct rte_mbuf *const *mbufs,
				 unsigned int n) {
	const struct rte_pmd_ddp_meta meta = pass_meta(pass);
	const uint32_t packet_type = pass->packet_type;
	struct rx_common common;

	if (packet_type != pass->rte_ptype)
		for (unsigned int i = 0; i < n; i++)
			mbufs[i]->packet_type = packet_type;
	if (!port->meta)
		return;
	common_fill(lower, port, &common);
	for (unsigned int i = 0; i < n; i++)
		dynfields_write(&common, dynfields_pair(&common), &meta, mbufs[i]);
}

// A burst of the queue's own lower queue, whose lock is held.
static inline uint16_t straight_take(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
				     struct rte_mbuf **mbufs) {
	const uint16_t n = rte_eth_rx_burst(lower->port_id, lower->id, mbufs, DDP_PORT_BURST);
	const struct ddp_pass *pass = NULL;
	uint64_t bytes;

	if (n == 0)
		return 0;
	if (likely((lower->n_bursts + 1) % DDP_PROOF_STRIDE != 0))
		pass = straight_pass(queue, lower, mbufs, n, &bytes);
	if (unlikely(pass == NULL))
		return ddp_rx_fallback(queue, lower, mbufs, n);
	straight_fill(lower, queue->port, pass, mbufs, n);
	__atomic_store_n(&lower->n_bursts, lower->n_bursts + 1, __ATOMIC_RELAXED);
	counter_add(&lower->taken, n);
	counter_add(&lower->types[pass->type_id], n);
	counter_add(&lower->offloaded, n);
	counter_add(&queue->packets, n);
	counter_add(&queue->bytes, bytes);
	return n;
}

// May packets of the queue's own lower queue go straight now? Its lock is held.
static inline bool may_go_straight(const struct ddp_rxq *queue, const struct ddp_lower_rxq *lower) {
	return is_straight(lower) && lower->settle == 0 && lower->held.n == 0 &&
	       !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) &&
	       queue_started(&queue->started) && port_running(queue->port);
}

// Packets of the queue's own lower queue, with no other lock than that one's. Returns how many, or -1: it takes
// the longer way.
static inline int straight(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
			   struct rte_mbuf **mbufs, uint16_t room) {
	int n = -1;

	if (room < DDP_PORT_BURST || queue->straight_left == 0 ||
	    !lower_trylock(&lower->lock, &lower->wanted))
		return -1;
	if (likely(may_go_straight(queue, lower))) {
		queue->straight_left--;
		n = straight_take(queue, lower, mbufs);
		if (unlikely(queue->port->tx_shared))
			ddp_tx_flush(queue->port);
	} else if (!is_straight(lower)) { // any more
		__atomic_store_n(&queue->own, NULL, __ATOMIC_RELAXED);
	}
	// On x86 rte_spinlock_unlock() exchanges, which waits for all that was written to the mbufs.
	__atomic_store_n(&lower->lock.locked, 0, __ATOMIC_RELEASE);
	return n;
}

uint16_t ddp_rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_rxq *queue = rxq;
	struct ddp_lower_rxq *own = __atomic_load_n(&queue->own, __ATOMIC_RELAXED);
	int got = own != NULL ? straight(queue, own, mbufs, n) : -1;

	return likely(got >= 0) ? got : ddp_rx_any(queue, own, mbufs, n);
}
