/* SPDX-License-Identifier: BSD-3-Clause */
// The Rx burst of packets that bypass the rings.
//
// If the lower device spreads packets by our redirection table over as many queues as we have, the
// packets with a hardware hash on lower queue i are all for Rx queue i. The thread that polls Rx
// queue i reads them into the application's array, and writes only a few fields of the mbufs. It
// takes the lower queue's lock only, which the control path takes, too. The queue's rings are read
// when another thread has set `waiting`; once they are empty it returns to the bypass (rx.c).
#include "port/run/burst.h"

// The hardware packet type of all packets of a burst; NULL: none, or several. bytes: of all.
static inline const struct ddp_hw_ptype *bypass_find(struct ddp_rxq *queue,
						     struct ddp_lower_rxq *lower,
						     struct rte_mbuf *const *mbufs, unsigned int n,
						     uint64_t *bytes) {
	const struct ddp_hw_ptype *hw_ptype = queue->last;

	*bytes = ddp_burst_scan(queue->port->id, mbufs, n);
	if (unlikely(*bytes == 0))
		return NULL;
	if (unlikely(hw_ptype == NULL || hw_ptype->rte_ptype != mbufs[0]->packet_type))
		hw_ptype = queue->last =
			ddp_hw_ptypes_find(lower->hw_ptypes, mbufs[0]->packet_type);
	return likely(hw_ptype != NULL && ddp_hw_ptype_is_proven(hw_ptype)) ? hw_ptype : NULL;
}

static inline void bypass_fill(const struct ddp_lower_rxq *lower, const struct ddp_port *port,
			       const struct ddp_hw_ptype *hw_ptype, struct rte_mbuf *const *mbufs,
			       unsigned int n) {
	const uint32_t packet_type = hw_ptype->verdict.packet_type;
	struct rx_common common;
	dynfields_32 both;

	if (packet_type != hw_ptype->rte_ptype)
		for (unsigned int i = 0; i < n; i++)
			mbufs[i]->packet_type = packet_type;
	if (!port->meta)
		return;
	common_fill(lower, port, &common);
	both = hw_dynfields(&common, hw_ptype);
	for (unsigned int i = 0; i < n; i++)
		dynfields_write(&common, dynfields_pair(&common), both, mbufs[i]);
}

// Read a burst from the queue's own lower queue, whose lock is held.
static inline uint16_t bypass_take(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
				   struct rte_mbuf **mbufs) {
	const uint16_t n = rte_eth_rx_burst(lower->port_id, lower->id, mbufs, DDP_PORT_BURST);
	const struct ddp_hw_ptype *hw_ptype = NULL;
	uint64_t bytes;

	if (n == 0)
		return 0;
	if (likely((lower->n_bursts + 1) % DDP_PROOF_STRIDE != 0))
		hw_ptype = bypass_find(queue, lower, mbufs, n, &bytes);
	if (unlikely(hw_ptype == NULL))
		return ddp_rx_fallback(queue, lower, mbufs, n);
	bypass_fill(lower, queue->port, hw_ptype, mbufs, n);
	if (unlikely(lower->entries != NULL))
		for (unsigned int i = 0; i < n; i++)
			entry_count(lower->entries, mbufs[i]->hash.rss);
	__atomic_store_n(&lower->n_bursts, lower->n_bursts + 1, __ATOMIC_RELAXED);
	counter_add(&lower->taken, n);
	counter_add(&lower->types[hw_ptype->verdict.type_id], n);
	counter_add(&lower->offloaded, n);
	counter_add(&queue->packets, n);
	counter_add(&queue->bytes, bytes);
	return n;
}

// May packets of the queue's own lower queue bypass the rings now? Its lock is held.
static inline bool may_bypass(const struct ddp_rxq *queue, const struct ddp_lower_rxq *lower) {
	return lower_bypasses(lower) && lower->drain == 0 && lower->held.n == 0 &&
	       lower->order == DDP_ORDER_NONE &&
	       !__atomic_load_n(&queue->waiting, __ATOMIC_ACQUIRE) &&
	       queue_started(&queue->started) && port_running(queue->port);
}

uint16_t ddp_rx_bypass(struct ddp_rxq *queue, struct ddp_lower_rxq *lower, struct rte_mbuf **mbufs,
		       uint16_t room) {
	uint16_t n;

	if (room < DDP_PORT_BURST || queue->bypass_left == 0 ||
	    !lower_trylock(&lower->lock, &lower->wanted))
		return ddp_rx_any(queue, lower, mbufs, room);
	if (unlikely(!may_bypass(queue, lower))) {
		if (!lower_bypasses(lower)) // no longer
			__atomic_store_n(&queue->own, NULL, __ATOMIC_RELAXED);
		ddp_unlock(&lower->lock);
		return ddp_rx_any(queue, lower, mbufs, room);
	}
	queue->bypass_left--;
	poll_begin(queue);
	n = bypass_take(queue, lower, mbufs);
	poll_end(queue, n);
	if (unlikely(queue->port->tx_shared))
		ddp_tx_flush(queue->port);
	ddp_unlock(&lower->lock);
	return n;
}
