/* SPDX-License-Identifier: BSD-3-Clause */
// Pseudo-random numbers that are the same on every machine (splitmix64).
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random) {
	uint64_t x = random->state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

// 0 to n - 1.
static inline uint32_t random_below(struct random *random, uint32_t n) {
	return ((random_next(random) >> 32) * n) >> 32;
}

// low to high, both included.
static inline uint32_t random_from(struct random *random, uint32_t low, uint32_t high) {
	return low + random_below(random, high - low + 1);
}

// True so many times in a hundred.
static inline bool random_percent(struct random *random, unsigned int percent) {
	return random_below(random, 100) < percent;
}

#endif
