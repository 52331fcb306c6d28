/* SPDX-License-Identifier: BSD-3-Clause */
// Which port, queue and worker packets go to.
#ifndef DDP_FWD_TOPOLOGY_H
#define DDP_FWD_TOPOLOGY_H

// As testpmd's --port-topology.
enum topology {
	TOPOLOGY_PAIRED,  // 0 <-> 1, 2 <-> 3, ...; a last odd port with itself
	TOPOLOGY_CHAINED, // 0 -> 1 -> 2 -> ... -> 0
	TOPOLOGY_LOOP,    // each port with itself
};

// Of n ports, the one that sends what port i receives (both are positions, not port ids).
static inline unsigned int topology_peer(enum topology topology, unsigned int i, unsigned int n) {
	switch (topology) {
	case TOPOLOGY_PAIRED:
		return (i ^ 1) < n ? i ^ 1 : i;
	case TOPOLOGY_CHAINED:
		return (i + 1) % n;
	case TOPOLOGY_LOOP:
		break;
	}
	return i;
}

// The worker that polls Rx queue q of every port.
static inline unsigned int topology_worker(unsigned int q, unsigned int n_workers) {
	return q % n_workers;
}

// The Tx queue for what Rx queue q receives: the queue of the same number, wrapped where there are
// fewer Tx queues. A Tx queue may be used by one lcore only, so Tx queue t belongs to worker
// t mod n_workers, and where wrapping leads to another worker's queue, to the worker's first one.
// With at least as many Tx queues as workers, each worker has one.
static inline unsigned int topology_tx_queue(unsigned int q, unsigned int n_txq,
					     unsigned int n_workers) {
	unsigned int worker = topology_worker(q, n_workers);
	unsigned int t = q % n_txq;

	return t % n_workers == worker ? t : worker;
}

#endif
