/* SPDX-License-Identifier: BSD-3-Clause */
// ddp_meta of packets that the lower device hashed, for applications that request it. A burst of
// them is classified as at Rx, under the lock of any lower queue; the hash is computed again, which
// costs less than a second kind of classification.
#include "port/run/burst.h"

// Any thread that may call a port's burst functions, also in a secondary process.
static struct ddp_port *port_find(uint16_t port_id) {
	const struct rte_eth_dev *dev = &rte_eth_devices[port_id];

	if (port_id >= RTE_MAX_ETHPORTS || dev->rx_descriptor_status != ddp_rx_descriptor_status)
		return NULL;
	return dev->data->dev_private;
}

static bool burst_parse(struct ddp_lower_rxq *lower, struct rte_mbuf *const *mbufs,
			unsigned int n) {
	const struct ddp_steering *steering = lower->steering;

	RTE_ASSERT(rte_spinlock_is_locked(&lower->lock));
	if (!port_running(lower->port) || lower->cache == NULL)
		return false;
	ddp_cache_run(lower->cache, &steering->policy, &steering->hash, mbufs, n, &lower->burst);
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_verdict *verdict = ddp_burst_verdict(&lower->burst, i);
		const uint8_t *bytes = rte_pktmbuf_mtod(mbufs[i], const uint8_t *);

		*RTE_MBUF_DYNFIELD(mbufs[i], ddp_meta_off, struct rte_pmd_ddp_meta *) =
			(struct rte_pmd_ddp_meta){
				.ptype_id = verdict->type_id,
				.inner_l3_off = verdict->inner_l3_off,
				.value = ddp_verdict_value(verdict, bytes),
			};
	}
	return true;
}

// Use the first lower queue that is not locked, best that of the same number: if packets bypass the
// rings, the thread that polls the Rx queue is the only one to use it. false: there is none.
static bool any_parse(const struct ddp_port *port, uint16_t queue_id, struct rte_mbuf *const *mbufs,
		      unsigned int n) {
	const unsigned int n_lower = port->n_lower_rxqs;
	bool parsed = false;

	for (unsigned int i = 0; i < n_lower && !parsed; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[(queue_id + i) % n_lower];

		if (!lower_trylock(&lower->lock, &lower->wanted))
			continue;
		parsed = burst_parse(lower, mbufs, n);
		ddp_unlock(&lower->lock);
	}
	return parsed;
}

static uint16_t mbufs_fill(const struct ddp_port *port, uint16_t queue_id,
			   struct rte_mbuf *const *mbufs, uint16_t n) {
	struct rte_mbuf *rest[DDP_PORT_BURST];

	for (unsigned int done = 0, i = 0; done < n; done = i) {
		unsigned int n_rest = 0;

		for (; i < n && n_rest < DDP_PORT_BURST; i++) {
			const struct rte_pmd_ddp_meta *meta = RTE_MBUF_DYNFIELD(
				mbufs[i], ddp_meta_off, const struct rte_pmd_ddp_meta *);

			if (port->meta && rte_pmd_ddp_meta_is_parsed(meta))
				continue;
			packet_prefetch(mbufs[i]);
			rest[n_rest++] = mbufs[i];
		}
		if (n_rest > 0 && !any_parse(port, queue_id, rest, n_rest))
			return done;
	}
	return n;
}

int rte_pmd_ddp_meta_fill(uint16_t port_id, uint16_t queue_id, struct rte_mbuf *const *mbufs,
			  uint16_t n) {
	struct ddp_port *port = port_find(port_id);
	rte_spinlock_t *mp;

	if (mbufs == NULL)
		return -EINVAL;
	if (port == NULL)
		return -ENODEV;
	if (queue_id >= port->n_rxqs)
		return -EINVAL;
	if (port->rx_extras) // the lower device hashes nothing
		return n;
	if (ddp_lock_owner == 1)
		return mbufs_fill(port, queue_id, mbufs, n);
	// As a burst call of a secondary process.
	if (!__atomic_load_n(&port->mp_receives, __ATOMIC_SEQ_CST))
		return -ENOTSUP;
	mp = &port->rxqs[queue_id].mp;
	if (!ddp_trylock(mp))
		return 0;
	n = mbufs_fill(port, queue_id, mbufs, n);
	ddp_unlock(mp);
	return n;
}
