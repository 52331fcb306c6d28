/* SPDX-License-Identifier: BSD-3-Clause */
// How the control path waits for burst calls. The holder of a lock may be a thread that this one
// has preempted, so that each wait yields the processor.
#include "port.h"

#include <sched.h>

// Wait for the call that is inside a queue. The lock may be held by a thread that we took the
// processor from: let it go on.
void ddp_call_wait(rte_spinlock_t *busy) {
	while (!rte_spinlock_trylock(busy))
		sched_yield();
	rte_spinlock_unlock(busy);
}

// The holder may be a thread that we took the processor from: let it go on.
static void lock_wanted(rte_spinlock_t *lock, bool *wanted) {
	__atomic_store_n(wanted, true, __ATOMIC_RELAXED);
	while (!rte_spinlock_trylock(lock))
		sched_yield();
	__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
}

void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower) {
	lock_wanted(&lower->lock, &lower->wanted);
}

void ddp_lower_txq_lock(struct ddp_lower_txq *lower) {
	lock_wanted(&lower->lock, &lower->wanted);
}

void ddp_port_quiesce(struct ddp_port *port) {
	assert(!__atomic_load_n(&port->running, __ATOMIC_RELAXED));
	for (unsigned int i = 0; i < port->n_rxqs; i++)
		ddp_call_wait(&port->rxqs[i].busy);
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) { // a bypass holds only this lock
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
		rte_spinlock_unlock(&port->lower_rxqs[i].lock);
	}
	for (unsigned int i = 0; i < port->n_txqs; i++)
		ddp_call_wait(&port->txqs[i].busy);
}
