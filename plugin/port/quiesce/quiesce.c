/* SPDX-License-Identifier: BSD-3-Clause */
// How the control path waits for burst calls. The holder of a lock may be a thread that this one
// has preempted, so that each wait sleeps. It may also be a process that ended.
#include "port/quiesce/quiesce.h"

#include <rte_cycles.h>

#define CHECKS_PER_S 10 // looks at the holder of a lock
#define PATIENCE_S 5    // before a line about it
#define ASK_US 20       // as long as some burst calls of other CPUs
#define SLEEP_US 50

static void holder_check(struct ddp_port *port, int holder, unsigned int n_checks) {
	if (ddp_mp_has_ended(holder))
		ddp_mp_recover(port, holder);
	else if (n_checks == PATIENCE_S * CHECKS_PER_S && holder > 1)
		PORT_LOG(WARNING, port->name, "waiting for process %d, which is in a burst call",
			 holder);
	else if (n_checks == PATIENCE_S * CHECKS_PER_S)
		PORT_LOG(WARNING, port->name, "waiting for a thread that is in a burst call");
}

#define FOREVER UINT64_MAX

static bool lock_spin(rte_spinlock_t *lock, uint64_t cycles) {
	const uint64_t end = rte_rdtsc() + cycles;

	while (!ddp_trylock(lock)) {
		if (rte_rdtsc() >= end)
			return false;
		rte_pause();
	}
	return true;
}

// Keep the data path off a lower queue's lock until the holder gives it back, or for ASK_US: a
// holder that this thread has preempted cannot do so before this thread sleeps, and as long as the
// data path is kept off nobody takes packets from the lower queue. insist: keep it off in that
// sleep, too, because the lock was never free when asked for.
static bool lock_ask(rte_spinlock_t *lock, bool *wanted, bool insist) {
	bool taken;

	__atomic_store_n(wanted, true, __ATOMIC_RELAXED);
	taken = lock_spin(lock, ASK_US * (rte_get_tsc_hz() / 1000000));
	if (taken || !insist)
		__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
	return taken;
}

// Take a lock. wanted: as a lower queue has it, else NULL. Returns whether that was possible until
// a time.
static bool lock_wait_until(struct ddp_port *port, rte_spinlock_t *lock, bool *wanted,
			    uint64_t end) {
	const uint64_t step = rte_get_tsc_hz() / CHECKS_PER_S;
	uint64_t next = rte_rdtsc() + step;
	unsigned int n_checks = 0;

	while (wanted != NULL ? !lock_ask(lock, wanted, n_checks > 0) : !ddp_trylock(lock)) {
		if (rte_rdtsc() >= end) {
			if (wanted != NULL)
				__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
			return false;
		}
		rte_delay_us_sleep(SLEEP_US);
		if (rte_rdtsc() < next)
			continue;
		holder_check(port, __atomic_load_n(&lock->locked, __ATOMIC_RELAXED), ++n_checks);
		next = rte_rdtsc() + step;
	}
	return true;
}

// Wait for the call that holds a lock, as above.
static bool call_wait_until(struct ddp_port *port, rte_spinlock_t *lock, bool *wanted,
			    uint64_t end) {
	if (!lock_wait_until(port, lock, wanted, end))
		return false;
	ddp_unlock(lock);
	return true;
}

void ddp_call_wait(struct ddp_port *port, rte_spinlock_t *busy) {
	call_wait_until(port, busy, NULL, FOREVER);
}

void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower) {
	lock_wait_until(lower->port, &lower->lock, &lower->wanted, FOREVER);
}

bool ddp_lower_rxq_trylock(struct ddp_lower_rxq *lower) {
	return lock_ask(&lower->lock, &lower->wanted, false);
}

void ddp_lower_txq_lock(struct ddp_lower_txq *lower) {
	lock_wait_until(lower->port, &lower->lock, &lower->wanted, FOREVER);
}

static bool quiesce_until(struct ddp_port *port, uint64_t end) {
	bool quiet = true;

	assert(!__atomic_load_n(&port->running, __ATOMIC_RELAXED));
	for (unsigned int i = 0; quiet && i < port->n_rxqs; i++)
		quiet = call_wait_until(port, &port->rxqs[i].busy, NULL, end);
	for (unsigned int i = 0; quiet && i < port->n_lower_rxqs; i++) // all that a bypass holds
		quiet = call_wait_until(port, &port->lower_rxqs[i].lock,
					&port->lower_rxqs[i].wanted, end);
	for (unsigned int i = 0; quiet && i < port->n_txqs; i++)
		quiet = call_wait_until(port, &port->txqs[i].busy, NULL, end) &&
			call_wait_until(port, &port->txqs[i].counted, NULL, end);
	return quiet;
}

void ddp_port_quiesce(struct ddp_port *port) {
	quiesce_until(port, FOREVER);
}

bool ddp_port_quiesce_in(struct ddp_port *port, unsigned int seconds) {
	return quiesce_until(port, rte_rdtsc() + seconds * rte_get_tsc_hz());
}
