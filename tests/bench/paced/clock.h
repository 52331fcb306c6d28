/* SPDX-License-Identifier: BSD-3-Clause */
// Paced time: TSC cycles without those in which a lcore was off its core.
//
// A queue that overflows while its lcore is suspended says nothing about how load is spread. On a
// machine with few CPUs, or with other programs, that happens all the time. So the clock stops
// while a lcore makes no call to the device for longer than its own work can take: then no packet
// arrives, no packet gets older, and the other lcores wait. When it is back, the clock stands for
// as long as the lcore was waited for, in which it did nothing. To the lcores it looks as if each
// had a CPU of its own.
//
// Each lcore tells that it is alive. One at a time, the holder of the device's lock, lets the time
// pass; any may read it.
#ifndef PACED_CLOCK_H
#define PACED_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_lcore.h>

#define CLOCK_NEVER UINT64_MAX

struct paced_beat {
	_Atomic uint64_t at; // written by its lcore; CLOCK_NEVER before its first call
} __rte_cache_aligned;

struct paced_clock {
	uint64_t limit;                // cycles between two calls of a lcore that are its own doing
	uint64_t real;                 // TSC up to which the time has passed
	_Atomic uint64_t now;          // paced time
	uint64_t stopped;              // cycles that did not count
	uint64_t owed;                 // cycles that shall not count
	uint64_t longest;              // time between two calls of a lcore
	_Atomic unsigned int n_lcores; // those from here on have not called
	struct paced_beat beats[RTE_MAX_LCORE];
};

static inline void clock_init(struct paced_clock *clock, uint64_t limit) {
	clock->limit = limit;
	clock->real = clock->stopped = clock->owed = clock->longest = 0;
	atomic_store_explicit(&clock->now, 0, memory_order_relaxed);
	atomic_store_explicit(&clock->n_lcores, 0, memory_order_relaxed);
	for (unsigned int i = 0; i < RTE_MAX_LCORE; i++)
		atomic_store_explicit(&clock->beats[i].at, CLOCK_NEVER, memory_order_relaxed);
}

static inline uint64_t clock_now(const struct paced_clock *clock) {
	return atomic_load_explicit(&clock->now, memory_order_relaxed);
}

// The calling lcore is alive. Not each time, so that others find the cache line where they left it.
static inline void clock_beat(struct paced_clock *clock, uint64_t tsc) {
	unsigned int lcore = rte_lcore_id();
	uint64_t last;

	if (lcore >= RTE_MAX_LCORE)
		return; // no lcore that forwards
	last = atomic_load_explicit(&clock->beats[lcore].at, memory_order_relaxed);
	if (last == CLOCK_NEVER || tsc - last > clock->limit / 16)
		atomic_store_explicit(&clock->beats[lcore].at, tsc, memory_order_relaxed);
}

// The same without the lock: unless the lcore was absent. That it must not hide before the time has
// been counted up to its return, which it does itself as soon as it gets the lock.
static inline void clock_beat_unlocked(struct paced_clock *clock, uint64_t tsc) {
	unsigned int lcore = rte_lcore_id();

	if (lcore < RTE_MAX_LCORE &&
	    tsc - atomic_load_explicit(&clock->beats[lcore].at, memory_order_relaxed) <=
		    clock->limit)
		clock_beat(clock, tsc);
}

// The TSC up to which no lcore was absent: tsc if none is.
static inline uint64_t clock_alive(const struct paced_clock *clock, uint64_t tsc) {
	unsigned int n = atomic_load_explicit(&clock->n_lcores, memory_order_relaxed);
	uint64_t until = tsc;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t at = atomic_load_explicit(&clock->beats[i].at, memory_order_relaxed);

		if (at < tsc && at + clock->limit < until)
			until = at + clock->limit;
	}
	return until;
}

// The calling lcore is there. Was it absent?
static inline void clock_return(struct paced_clock *clock, uint64_t tsc) {
	unsigned int lcore = rte_lcore_id();
	uint64_t at;

	if (lcore >= RTE_MAX_LCORE)
		return;
	if (lcore >= atomic_load_explicit(&clock->n_lcores, memory_order_relaxed))
		atomic_store_explicit(&clock->n_lcores, lcore + 1, memory_order_relaxed);
	at = atomic_load_explicit(&clock->beats[lcore].at, memory_order_relaxed);
	if (at >= tsc) // or never
		return;
	clock->longest = RTE_MAX(clock->longest, tsc - at);
	if (tsc - at > clock->limit)
		clock->owed = clock->limit;
}

// Under the lock: time passes until tsc.
static inline void clock_advance(struct paced_clock *clock, uint64_t tsc) {
	uint64_t until = clock_alive(clock, tsc), passed, unpaid;

	if (clock->real == 0)
		clock->real = tsc;
	clock_return(clock, tsc);
	if (tsc <= clock->real)
		return;
	passed = RTE_MAX(until, clock->real) - clock->real;
	unpaid = passed - RTE_MIN(passed, clock->owed);
	clock->owed -= passed - unpaid;
	atomic_store_explicit(&clock->now, clock_now(clock) + unpaid, memory_order_relaxed);
	clock->stopped += tsc - clock->real - unpaid;
	clock->real = tsc;
}

#endif
