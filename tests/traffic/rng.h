/* SPDX-License-Identifier: BSD-3-Clause */
// Pseudo-random numbers that are the same on every machine (splitmix64).
//
// Everything is a function of (seed, domain, id): a UE or a flow is computed again wherever it is
// needed instead of being kept, and one more draw for one thing changes nothing else.
#ifndef TRAFFIC_RNG_H
#define TRAFFIC_RNG_H

#include <stdint.h>

enum rng_domain {
	RNG_UE = 1,
	RNG_FLOW,
	RNG_SIZE_UP,
	RNG_SIZE_DOWN,
	RNG_RANK,
	RNG_ORDER,
	RNG_CHURN,
	RNG_ELEPHANT,
	RNG_SHARE,
};

struct rng {
	uint64_t state;
};

static inline uint64_t rng_mix(uint64_t x) {
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline uint64_t rng_next(struct rng *rng) {
	rng->state += 0x9e3779b97f4a7c15;
	return rng_mix(rng->state);
}

static inline struct rng rng_for(uint64_t seed, enum rng_domain domain, uint64_t id) {
	struct rng rng = {.state = seed};

	rng.state = rng_next(&rng) ^ domain;
	rng.state = rng_next(&rng) ^ id;
	rng.state = rng_next(&rng);
	return rng;
}

// 0 to n - 1; n is at most 2^32.
static inline uint32_t rng_below(struct rng *rng, uint64_t n) {
	return ((rng_next(rng) >> 32) * n) >> 32;
}

#endif
