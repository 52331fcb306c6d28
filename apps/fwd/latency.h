/* SPDX-License-Identifier: BSD-3-Clause */
// A histogram of latencies, from which percentiles can be read.
//
// Buckets are log-linear: each power of two is divided into 32 equal buckets, and values below 64
// have a bucket each. So a bucket that starts at L is at most L / 32 wide. A percentile is reported
// as the middle of its bucket, at most L / 64 from each value in it: an error of at most 1.6 % for
// all values. The maximum is exact. The leading 1 of a value and the next 5 bits choose its bucket.
//
// One thread records; all threads may merge and read meanwhile. Values are TSC cycles here, and
// nanoseconds in the report.
#ifndef DDP_FWD_LATENCY_H
#define DDP_FWD_LATENCY_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include <rte_debug.h>

// A counter of one thread that all threads may read. A single writer needs no atomic
// read-modify-write: this compiles to a plain addition, and readers see an old or a new value.
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

#define LATENCY_SUB_BITS 5
#define LATENCY_BITS 42 // the last bucket has all values of more bits (20 minutes at 3 GHz)
#define LATENCY_BUCKETS ((LATENCY_BITS - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

struct latency {
	counter count;
	counter sum;
	counter max;
	counter buckets[LATENCY_BUCKETS];
};

static inline unsigned int latency_bucket(uint64_t value) {
	unsigned int shift;

	if (value >> LATENCY_BITS != 0)
		return LATENCY_BUCKETS - 1;
	// Values of at least LATENCY_SUB_BITS + 2 bits are shifted.
	shift = 63 - LATENCY_SUB_BITS - __builtin_clzll(value | UINT64_C(1) << LATENCY_SUB_BITS);
	RTE_ASSERT(shift <= LATENCY_BITS - LATENCY_SUB_BITS - 1);
	return (shift << LATENCY_SUB_BITS) + (value >> shift);
}

// The middle of a bucket.
static inline uint64_t latency_bucket_value(unsigned int bucket) {
	unsigned int group = bucket >> LATENCY_SUB_BITS;
	unsigned int shift = group == 0 ? 0 : group - 1;
	uint64_t lowest = (uint64_t)(bucket - (shift << LATENCY_SUB_BITS)) << shift;

	assert(bucket < LATENCY_BUCKETS);
	return lowest + (UINT64_C(1) << shift) / 2;
}

// Data path.
static inline void latency_record(struct latency *latency, uint64_t value) {
	counter_add(&latency->buckets[latency_bucket(value)], 1);
	counter_add(&latency->count, 1);
	counter_add(&latency->sum, value);
	if (value > counter_get(&latency->max))
		counter_set(&latency->max, value);
}

// Add values of `from` to sum, which belongs to the caller.
static inline void latency_merge(struct latency *sum, const struct latency *from) {
	uint64_t max = counter_get(&from->max);
	uint64_t count = 0;

	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t n = counter_get(&from->buckets[i]);

		counter_add(&sum->buckets[i], n);
		count += n;
	}
	// The sum of the buckets, which a concurrent writer of `from` cannot make inconsistent.
	counter_add(&sum->count, count);
	counter_add(&sum->sum, counter_get(&from->sum));
	if (max > counter_get(&sum->max))
		counter_set(&sum->max, max);
}

// Values between two sums of the same histograms. If the maximum did not grow, the difference has
// the middle of its last bucket instead.
static inline void latency_subtract(struct latency *difference, const struct latency *now,
				    const struct latency *before) {
	uint64_t max = counter_get(&now->max), value = 0;

	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t n = counter_get(&now->buckets[i]) - counter_get(&before->buckets[i]);

		counter_set(&difference->buckets[i], n);
		if (n != 0)
			value = latency_bucket_value(i);
	}
	counter_set(&difference->count, counter_get(&now->count) - counter_get(&before->count));
	counter_set(&difference->sum, counter_get(&now->sum) - counter_get(&before->sum));
	counter_set(&difference->max, max > counter_get(&before->max) || value > max ? max : value);
}

// The number of values up to limit, each taken as the middle of its bucket.
static inline uint64_t latency_count_to(const struct latency *latency, uint64_t limit) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < LATENCY_BUCKETS && latency_bucket_value(i) <= limit; i++)
		n += counter_get(&latency->buckets[i]);
	return n;
}

// The value that permille / 1000 of all values do not exceed; 0: there are none.
static inline uint64_t latency_percentile(const struct latency *latency, unsigned int permille) {
	uint64_t count = counter_get(&latency->count), max = counter_get(&latency->max);
	uint64_t rank = (count * permille + 999) / 1000;
	uint64_t seen = 0;

	assert(permille <= 1000);
	for (unsigned int i = 0; i < LATENCY_BUCKETS; i++) {
		seen += counter_get(&latency->buckets[i]);
		if (seen >= rank && seen != 0) {
			uint64_t value = latency_bucket_value(i);

			return value < max ? value : max;
		}
	}
	return 0;
}

#endif
