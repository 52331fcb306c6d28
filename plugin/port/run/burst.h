/* SPDX-License-Identifier: BSD-3-Clause */
// What the burst functions share.
#ifndef DDP_PORT_RUN_BURST_H
#define DDP_PORT_RUN_BURST_H

#include <string.h>

#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>

#include "port/port.h"

// Acquire: who sees it set also sees what was set up before.
static inline bool port_running(const struct ddp_port *port) {
	return __atomic_load_n(&port->running, __ATOMIC_ACQUIRE);
}

// The same for a queue.
static inline bool queue_started(const bool *started) {
	return __atomic_load_n(started, __ATOMIC_ACQUIRE);
}

// Not while the control path waits for the lock: its turn would never come.
static inline bool lower_trylock(rte_spinlock_t *lock, const bool *wanted) {
	return !__atomic_load_n(wanted, __ATOMIC_RELAXED) && rte_spinlock_trylock(lock);
}

// All that passes on this lower queue is for the Rx queue of its number; the lock is held.
static inline bool lower_bypasses(const struct ddp_lower_rxq *lower) {
	return ddp_hw_ptypes_bypass(lower->hw_ptypes);
}

// What all packets of a burst have in common.
struct rx_common {
	const struct ddp_steering *steering;
	uint64_t tsc;
	uint16_t port;
	int meta_off, tsc_off; // of the dynamic fields
};

static inline void common_fill(const struct ddp_lower_rxq *lower, const struct ddp_port *port,
			       struct rx_common *common) {
	*common = (struct rx_common){
		.steering = lower->steering,
		.tsc = rte_rdtsc(),
		.port = port->id,
		.meta_off = ddp_meta_off,
		.tsc_off = ddp_rx_tsc_off,
	};
}

// Do the dynamic fields lie side by side? They do, in the DPDK that Debian has, unless others took these places
// before.
static inline bool dynfields_pair(const struct rx_common *common) {
	return common->meta_off == common->tsc_off + (int)sizeof(common->tsc);
}

static inline void dynfields_write(const struct rx_common *common, const bool pair,
				   const struct rte_pmd_ddp_meta *meta, struct rte_mbuf *mbuf) {
	uint64_t words[2] = {common->tsc};

	memcpy(&words[1], meta, sizeof(*meta));
	if (pair) { // one store of 16 bytes, which takes about as long as one of eight
		memcpy(RTE_MBUF_DYNFIELD(mbuf, common->tsc_off, void *), words, sizeof(words));
		return;
	}
	memcpy(RTE_MBUF_DYNFIELD(mbuf, common->tsc_off, void *), &words[0], sizeof(words[0]));
	memcpy(RTE_MBUF_DYNFIELD(mbuf, common->meta_off, void *), &words[1], sizeof(words[1]));
}

// Of a packet that the lower device hashed it need not be known what is in it.
static inline struct rte_pmd_ddp_meta hw_meta(const struct ddp_hw_ptype *hw_ptype) {
	return (struct rte_pmd_ddp_meta){
		.ptype_id = hw_ptype->type_id,
		.inner_l3_off = RTE_PMD_DDP_NO_INNER_L3,
	};
}

// rx.c: packets of a burst of the queue's own lower queue that cannot bypass the rings.
uint16_t ddp_rx_fallback(struct ddp_rxq *queue, struct ddp_lower_rxq *lower,
			 struct rte_mbuf **mbufs, unsigned int n);
// rx.c: a call that takes the rings and any lower queue; own: as in struct ddp_rxq.
uint16_t ddp_rx_any(struct ddp_rxq *queue, struct ddp_lower_rxq *own, struct rte_mbuf **mbufs,
		    uint16_t n);

#endif
