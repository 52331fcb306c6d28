/* SPDX-License-Identifier: BSD-3-Clause */
// How the control path waits for burst calls. The holder of a lock may be a thread that this one
// has preempted, so that each wait yields the processor. It may also be a process that ended.
#include "mp.h"

#include <sched.h>

#include <rte_cycles.h>

int ddp_lock_owner = 1;

#define CHECKS_PER_S 10 // looks at the holder of a lock
#define PATIENCE_S 5    // before a line about it

static void holder_check(struct ddp_port *port, int holder, unsigned int n_checks) {
	if (ddp_mp_has_ended(holder))
		ddp_mp_recover(port, holder);
	else if (n_checks == PATIENCE_S * CHECKS_PER_S && holder > 1)
		PORT_LOG(WARNING, port->name, "waiting for process %d, which is in a burst call",
			 holder);
	else if (n_checks == PATIENCE_S * CHECKS_PER_S)
		PORT_LOG(WARNING, port->name, "waiting for a thread that is in a burst call");
}

static void lock_wait(struct ddp_port *port, rte_spinlock_t *lock) {
	const uint64_t step = rte_get_tsc_hz() / CHECKS_PER_S;
	uint64_t next = rte_rdtsc() + step;
	unsigned int n_checks = 0;

	while (!ddp_trylock(lock)) {
		sched_yield();
		if (rte_rdtsc() < next)
			continue;
		holder_check(port, __atomic_load_n(&lock->locked, __ATOMIC_RELAXED), ++n_checks);
		next = rte_rdtsc() + step;
	}
}

// Wait for the call that is inside a queue.
void ddp_call_wait(struct ddp_port *port, rte_spinlock_t *busy) {
	lock_wait(port, busy);
	rte_spinlock_unlock(busy);
}

static void lock_wanted(struct ddp_port *port, rte_spinlock_t *lock, bool *wanted) {
	__atomic_store_n(wanted, true, __ATOMIC_RELAXED);
	lock_wait(port, lock);
	__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
}

void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower) {
	lock_wanted(lower->port, &lower->lock, &lower->wanted);
}

void ddp_lower_txq_lock(struct ddp_lower_txq *lower) {
	lock_wanted(lower->port, &lower->lock, &lower->wanted);
}

void ddp_port_quiesce(struct ddp_port *port) {
	assert(!__atomic_load_n(&port->running, __ATOMIC_RELAXED));
	for (unsigned int i = 0; i < port->n_rxqs; i++)
		ddp_call_wait(port, &port->rxqs[i].busy);
	for (unsigned int i = 0; i < port->n_lower_rxqs; i++) { // a bypass holds only this lock
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
		rte_spinlock_unlock(&port->lower_rxqs[i].lock);
	}
	for (unsigned int i = 0; i < port->n_txqs; i++)
		ddp_call_wait(port, &port->txqs[i].busy);
}
