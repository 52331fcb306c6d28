/* SPDX-License-Identifier: BSD-3-Clause */
// Cleans up after a process that ended inside a burst call; see mp/mp.h.
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"
#include "port/run/ring.h"
#include "port/state/control.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WATCH_US 1000000

uint64_t ddp_mp_pid_namespace(void) {
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

// A process that ended is there until its parent has been told. Its name may have any characters.
// So looks one whose first thread ended, but other threads are counted then (proc(5), stat).
static bool is_zombie(int pid) {
	char text[512], *end, state;
	long n_threads;
	FILE *file;
	size_t n;

	snprintf(text, sizeof(text), "/proc/%d/stat", pid);
	file = fopen(text, "r");
	if (file == NULL)
		return false;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = '\0';
	end = strrchr(text, ')');
	return end != NULL &&
	       sscanf(end,
		      ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
		      &state, &n_threads) == 2 &&
	       (state == 'Z' || state == 'X') && n_threads <= 1;
}

bool ddp_mp_has_ended(int owner) {
	if (owner <= 1 || owner == INT_MAX)
		return false;
	return (kill(owner, 0) < 0 && errno == ESRCH) || is_zombie(owner);
}

static bool is_locked_by(const rte_spinlock_t *lock, int owner) {
	return __atomic_load_n(&lock->locked, __ATOMIC_ACQUIRE) == owner;
}

static void lock_release(rte_spinlock_t *lock, int owner) {
	if (is_locked_by(lock, owner))
		ddp_unlock(lock);
}

// Packets that were put on rings and not published are discarded: the last one may be incomplete.
static void rings_recover(struct ddp_lower_rxq *lower) {
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		struct ddp_ring *ring = lower->rings[i] = lower->all_rings[i];

		if (ring != NULL)
			ring->next = ring->tail;
	}
}

void ddp_stats_cache_keep(struct ddp_lower_rxq *lower) {
	struct ddp_cache_stats stats;

	ddp_cache_stats_get(lower->cache, &stats);
	lower->past.hits += stats.hits;
	lower->past.misses += stats.misses;
	lower->past.learned += stats.learned;
}

static void cache_recover(struct ddp_lower_rxq *lower) {
	if (lower->cache == NULL)
		return;
	ddp_stats_cache_keep(lower);
	ddp_cache_init(lower->cache, lower->port->isa);
}

// Packets that are parked are discarded: it is not known which of them were being placed.
static void order_recover(struct ddp_lower_rxq *lower) {
	if (lower->orders == NULL)
		return;
	lower->orders->head = lower->orders->tail;
	ddp_order_clear(lower);
}

static void lower_rxq_recover(struct ddp_lower_rxq *lower) {
	rings_recover(lower);
	order_recover(lower);
	cache_recover(lower);
	ddp_unlock(&lower->lock);
}

// The lower device may have sent packets that were not removed from their ring yet: they must not
// be sent twice.
static void lower_txq_recover(struct ddp_port *port, struct ddp_lower_txq *lower) {
	for (unsigned int t = 0; t < port->n_txqs; t++) {
		struct rte_ring *ring = port->txqs[t].ring;

		if (ring != NULL && port->txqs[t].lower == lower)
			ring->cons.tail = ring->cons.head;
	}
	lower->waiting = lower->shared; // packets may be left on the rings
	ddp_unlock(&lower->lock);
}

static void txq_recover(struct ddp_txq *queue) {
	if (queue->ring != NULL)
		queue->ring->prod.head = queue->ring->prod.tail;
	ddp_unlock(&queue->busy);
}

void ddp_mp_recover(struct ddp_port *port, int owner) {
	PORT_LOG(WARNING, port->name,
		 "process %d ended inside a burst call; packets that it held are lost", owner);
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		if (is_locked_by(&port->lower_rxqs[i].lock, owner))
			lower_rxq_recover(&port->lower_rxqs[i]);
		if (is_locked_by(&port->lower_txqs[i].lock, owner))
			lower_txq_recover(port, &port->lower_txqs[i]);
	}
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		lock_release(&port->rxqs[i].busy, owner);
		lock_release(&port->rxqs[i].mp, owner);
		lock_release(&port->txqs[i].counted, owner);
		if (is_locked_by(&port->txqs[i].busy, owner))
			txq_recover(&port->txqs[i]);
	}
}

static void lock_watch(struct ddp_port *port, const rte_spinlock_t *lock) {
	int owner = __atomic_load_n(&lock->locked, __ATOMIC_ACQUIRE);

	if (ddp_mp_has_ended(owner))
		ddp_mp_recover(port, owner);
}

// A call that holds a lower queue's lock also holds one of these.
static void locks_watch(struct ddp_port *port) {
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		lock_watch(port, &port->rxqs[i].mp);
		lock_watch(port, &port->rxqs[i].busy);
		lock_watch(port, &port->txqs[i].busy);
		lock_watch(port, &port->txqs[i].counted);
	}
}

static void watch_ring(struct ddp_port *port) {
	locks_watch(port);
	ddp_mp_watch(port);
	ddp_registry_put(port);
}

void ddp_mp_watch(struct ddp_port *port) {
	ddp_alarm_set(port, DDP_ALARM_MP, WATCH_US, watch_ring);
}
