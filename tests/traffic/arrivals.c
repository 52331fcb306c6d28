/* SPDX-License-Identifier: BSD-3-Clause */
#include "arrivals.h"

#include "traffic_options.h"

#define LN2 UINT64_C(2977044472) // in 2^-32
#define LOG2_BITS 32

// log2 of a number that is not 0, in 2^-32. Integers only: log() may differ in its last bit from
// one machine to the next.
static uint64_t log2_fixed(uint64_t x) {
	unsigned int zeros = __builtin_clzll(x);
	uint64_t result = 63 - zeros;

	x <<= zeros; // 1 to 2, in 2^-63
	for (unsigned int i = 0; i < LOG2_BITS; i++) {
		unsigned __int128 square = (unsigned __int128)x * x;
		unsigned int digit = square >> 127;

		x = square >> (63 + digit);
		result = result << 1 | digit;
	}
	return result;
}

// Exponentially distributed, with mean 1, in 2^-32.
static uint64_t exponential(struct rng *rng) {
	uint64_t drawn = rng_next(rng) | 1; // of 2^64, never 0
	uint64_t bits = (UINT64_C(64) << LOG2_BITS) - log2_fixed(drawn);

	return (unsigned __int128)bits * LN2 >> 32;
}

void arrivals_init(struct arrivals *arrivals, const struct config *config) {
	*arrivals = (struct arrivals){
		.config = config,
		.rng = rng_for(config->seed, RNG_ARRIVALS, 0),
	};
}

uint64_t arrivals_next(struct arrivals *arrivals) {
	const struct config *config = arrivals->config;
	uint64_t n = arrivals->n++;

	if (!config->poisson)
		return n * 1000000 / config->rate_pps;
	if (n > 0)
		arrivals->elapsed +=
			(unsigned __int128)exponential(&arrivals->rng) * 1000000 / config->rate_pps;
	return arrivals->elapsed >> 32;
}
