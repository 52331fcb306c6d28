/* SPDX-License-Identifier: BSD-3-Clause */
// The control path's waits for burst calls. Each wait sleeps: this thread may have preempted the
// holder of a lock. A process that ended inside a call loses its locks, see mp/mp.h.
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"
#include "port/run/ring.h"
#include "port/state/control.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rte_cycles.h>

#define CHECKS_PER_S 10 // per second: checks of a lock's holder
#define LOG_AFTER_S 5   // s: then a line about the holder is logged
#define SPIN_US 20      // us: a few burst calls of other CPUs
#define SLEEP_US 50
#define WATCH_US 1000000
#define FOREVER UINT64_MAX

/* Processes that ended */

uint64_t ddp_mp_pid_namespace(void) {
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

bool ddp_mp_has_ended(int owner) {
	struct pollfd process = {.events = POLLIN};
	bool ended;

	if (owner <= 1 || owner == INT_MAX)
		return false;
	process.fd = syscall(SYS_pidfd_open, owner, 0);
	if (process.fd < 0)
		return errno == ESRCH;
	ended = poll(&process, 1, 0) > 0; // also of a zombie, once its last thread has ended
	close(process.fd);
	return ended;
}

static bool is_locked_by(const rte_spinlock_t *lock, int owner) {
	return __atomic_load_n(&lock->locked, __ATOMIC_ACQUIRE) == owner;
}

static void lock_release(rte_spinlock_t *lock, int owner) {
	if (is_locked_by(lock, owner))
		ddp_unlock(lock);
}

void ddp_stats_cache_keep(struct ddp_lower_rxq *lower) {
	struct ddp_cache_stats stats;

	ddp_cache_stats_get(lower->cache, &stats);
	lower->past.hits += stats.hits;
	lower->past.misses += stats.misses;
	lower->past.learned += stats.learned;
}

// Packets that were put on rings and not published are discarded, as the last one may be
// incomplete; so are parked packets, as it is not known which of them were being placed.
static void lower_rxq_recover(struct ddp_lower_rxq *lower) {
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		struct ddp_ring *ring = lower->rings[i] = lower->all_rings[i];

		if (ring != NULL)
			ring->next = ring->tail;
	}
	if (lower->orders != NULL) {
		lower->orders->head = lower->orders->tail;
		ddp_order_clear(lower);
	}
	if (lower->cache != NULL) {
		ddp_stats_cache_keep(lower);
		ddp_cache_init(lower->cache, lower->port->isa);
	}
	ddp_unlock(&lower->lock);
}

// The lower device may have sent packets that are still on their ring: not to be sent twice.
static void lower_txq_recover(struct ddp_port *port, struct ddp_lower_txq *lower) {
	for (unsigned int t = 0; t < port->n_txqs; t++) {
		struct rte_ring *ring = port->txqs[t].ring;

		if (ring != NULL && port->txqs[t].lower == lower)
			ring->cons.tail = ring->cons.head;
	}
	lower->waiting = lower->shared; // packets may be left on the rings
	ddp_unlock(&lower->lock);
}

static void process_recover(struct ddp_port *port, int owner) {
	PORT_LOG(WARNING, port->name,
		 "process %d ended inside a burst call; packets that it held are lost", owner);
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		if (is_locked_by(&port->lower_rxqs[i].lock, owner))
			lower_rxq_recover(&port->lower_rxqs[i]);
		if (is_locked_by(&port->lower_txqs[i].lock, owner))
			lower_txq_recover(port, &port->lower_txqs[i]);
	}
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		struct rte_ring *ring = port->txqs[i].ring;

		if (ring != NULL && is_locked_by(&port->txqs[i].busy, owner))
			ring->prod.head = ring->prod.tail;
		lock_release(&port->txqs[i].busy, owner);
		lock_release(&port->txqs[i].counted, owner);
		lock_release(&port->rxqs[i].busy, owner);
		lock_release(&port->rxqs[i].mp, owner);
	}
}

// Returns the holder of a lock, after its locks were taken away if it has ended.
static int holder_check(struct ddp_port *port, const rte_spinlock_t *lock) {
	int holder = __atomic_load_n(&lock->locked, __ATOMIC_ACQUIRE);

	if (ddp_mp_has_ended(holder))
		process_recover(port, holder);
	return holder;
}

// A call that holds a lower queue's lock also holds one of these.
static void locks_watch(struct ddp_port *port) {
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		holder_check(port, &port->rxqs[i].mp);
		holder_check(port, &port->rxqs[i].busy);
		holder_check(port, &port->txqs[i].busy);
		holder_check(port, &port->txqs[i].counted);
	}
	ddp_mp_watch(port);
	ddp_registry_put(port);
}

void ddp_mp_watch(struct ddp_port *port) {
	ddp_alarm_set(port, DDP_ALARM_MP, WATCH_US, locks_watch);
}

/* Waiting */

// Take a lower queue's lock within SPIN_US. Meanwhile the data path does not try it, and no thread
// reads the lower queue. A holder that this thread has preempted releases the lock only once this
// thread sleeps. insist: on failure, keep the data path off the lock during that sleep, too.
static bool lock_claim(rte_spinlock_t *lock, bool *wanted, bool insist) {
	const uint64_t end = rte_rdtsc() + SPIN_US * (rte_get_tsc_hz() / 1000000);
	bool taken;

	__atomic_store_n(wanted, true, __ATOMIC_RELAXED);
	while (!(taken = ddp_trylock(lock)) && rte_rdtsc() < end)
		rte_pause();
	if (taken || !insist)
		__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
	return taken;
}

// Take a lock until a time, by TSC. wanted: a lower queue's flag, or NULL. Returns whether held.
static bool lock_wait_until(struct ddp_port *port, rte_spinlock_t *lock, bool *wanted,
			    uint64_t end) {
	const uint64_t step = rte_get_tsc_hz() / CHECKS_PER_S;
	uint64_t next = rte_rdtsc() + step;
	unsigned int n_checks = 0;
	int holder;

	while (wanted != NULL ? !lock_claim(lock, wanted, n_checks > 0) : !ddp_trylock(lock)) {
		if (rte_rdtsc() >= end) {
			if (wanted != NULL)
				__atomic_store_n(wanted, false, __ATOMIC_RELAXED);
			return false;
		}
		rte_delay_us_sleep(SLEEP_US);
		if (rte_rdtsc() < next)
			continue;
		holder = holder_check(port, lock);
		next = rte_rdtsc() + step;
		if (++n_checks != LOG_AFTER_S * CHECKS_PER_S || ddp_mp_has_ended(holder))
			continue;
		if (holder > 1)
			PORT_LOG(WARNING, port->name,
				 "waiting for process %d, which is in a burst call", holder);
		else
			PORT_LOG(WARNING, port->name,
				 "waiting for a thread that is in a burst call");
	}
	return true;
}

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
	return lock_claim(&lower->lock, &lower->wanted, false);
}

void ddp_lower_txq_lock(struct ddp_lower_txq *lower) {
	lock_wait_until(lower->port, &lower->lock, &lower->wanted, FOREVER);
}

bool ddp_port_quiesce(struct ddp_port *port, unsigned int seconds) {
	const uint64_t end = seconds > 0 ? rte_rdtsc() + seconds * rte_get_tsc_hz() : FOREVER;
	bool quiet = true;

	assert(!__atomic_load_n(&port->running, __ATOMIC_RELAXED));
	for (unsigned int i = 0; quiet && i < port->n_rxqs; i++)
		quiet = call_wait_until(port, &port->rxqs[i].busy, NULL, end);
	for (unsigned int i = 0; quiet && i < port->n_lower_rxqs;
	     i++) // a bypass holds no other lock
		quiet = call_wait_until(port, &port->lower_rxqs[i].lock,
					&port->lower_rxqs[i].wanted, end);
	for (unsigned int i = 0; quiet && i < port->n_txqs; i++)
		quiet = call_wait_until(port, &port->txqs[i].busy, NULL, end) &&
			call_wait_until(port, &port->txqs[i].counted, NULL, end);
	return quiet;
}
