/* SPDX-License-Identifier: BSD-3-Clause */
// A number that one thread counts up and any thread may read.
//
// With a single writer no atomic read-modify-write is needed: this compiles to a plain addition,
// and a reader sees an old or a new value, never a torn one.
#ifndef DDP_FWD_COUNTER_H
#define DDP_FWD_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

static inline uint64_t counter_get(const counter *counter) {
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static inline void counter_set(counter *counter, uint64_t value) {
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

static inline void counter_add(counter *counter, uint64_t n) {
	counter_set(counter, counter_get(counter) + n);
}

#endif
