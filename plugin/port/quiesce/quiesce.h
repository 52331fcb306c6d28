/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/port: waiting for burst calls, and for processes that ended inside of one.
#pragma once

#include "port/state/port.h"

// If the process that holds a lock has ended, these take its locks away: see mp/mp.h. A wait of
// some seconds is logged. Wait for the burst call that holds this busy lock.
void ddp_call_wait(struct ddp_port *port, rte_spinlock_t *busy);
// Wait for the lock of a lower queue, ahead of the data path. ddp_unlock() releases it.
void ddp_lower_rxq_lock(struct ddp_lower_rxq *lower);
// Likewise for microseconds at most: for what can be done later. Returns whether it is locked.
bool ddp_lower_rxq_trylock(struct ddp_lower_rxq *lower);
void ddp_lower_txq_lock(struct ddp_lower_txq *lower);
// Wait until no burst call is inside the port, for some seconds at most; 0: as long as it takes.
// running must be false. Returns whether no burst call is inside.
bool ddp_port_quiesce(struct ddp_port *port, unsigned int seconds);

// Under the port's mutex.
// The namespace of this process' id; 0: unknown.
uint64_t ddp_mp_pid_namespace(void);
// Has the process ended that locks with this value?
bool ddp_mp_has_ended(int owner);
// Take the locks of each process away that has ended from now on.
void ddp_mp_watch(struct ddp_port *port);

// Keep the counters of a lower queue's cache, which is about to go.
void ddp_stats_cache_keep(struct ddp_lower_rxq *lower);
