/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "population.h"
#include "rng.h"
#include "traffic_options.h"

#define LOG2_BITS 40 // binary digits of a logarithm that are worked out

static void shuffle(uint32_t *items, uint64_t n, struct rng *rng) {
	for (uint64_t i = n; i > 1; i--) {
		uint32_t j = rng_below(rng, i);
		uint32_t item = items[j];

		items[j] = items[i - 1];
		items[i - 1] = item;
	}
}

// pow() may differ in its last bit from one machine to the next. These use only what IEEE 754
// rounds exactly (+, *, sqrt; the build forbids fused multiply-add): the same sizes everywhere.
static double log2_exact(double x) {
	double digit = 1, result;
	int exponent;

	x = 2 * frexp(x, &exponent);
	result = exponent - 1;
	for (int i = 0; i < LOG2_BITS; i++) {
		digit /= 2;
		x *= x;
		if (x >= 2) {
			x /= 2;
			result += digit;
		}
	}
	return result;
}

// 2 to the power of -x, x not negative.
static double exp2_negative(double x) {
	double root = 0.5, digit = 1, rest = x - floor(x), result = 1;

	for (int i = 0; i < LOG2_BITS; i++) {
		digit /= 2;
		root = sqrt(root);
		if (rest >= digit) {
			rest -= digit;
			result *= root;
		}
	}
	return ldexp(result, -(int)floor(x));
}

// Relative size of the flow that is rank-th in size (from 1), at least 1.
static uint64_t flow_weight(uint64_t rank, double zipf) {
	if (zipf == 0)
		return 1;
	return 1 + (uint64_t)ldexp(exp2_negative(zipf * log2_exact(rank)), 32);
}

// Deal the packets out by weight: exact in total, and equal where weights are equal and it comes
// out even. by_size has the flows, largest first.
static void streams_fill(struct schedule *schedule, const struct config *config,
			 const uint32_t *by_size) {
	uint64_t n_flows = flow_count(config), total = 0, sum = 0, n = 0;

	for (uint64_t i = 0; i < n_flows; i++)
		total += config->n_kinds * flow_weight(i + 1, config->zipf);
	for (uint64_t i = 0; i < n_flows; i++) {
		uint64_t weight = flow_weight(i + 1, config->zipf);

		for (unsigned int k = 0; k < config->n_kinds; k++) {
			uint64_t until;

			sum += weight;
			until = (unsigned __int128)sum * schedule->n_packets / total;
			while (n < until)
				schedule->streams[n++] = by_size[i] * config->n_kinds + k;
		}
	}
}

int schedule_init(struct schedule *schedule, const struct config *config) {
	uint64_t n_flows = flow_count(config);
	struct rng rank_rng = rng_for(config->seed, RNG_RANK, 0);
	struct rng order_rng = rng_for(config->seed, RNG_ORDER, 0);
	uint32_t *by_size;

	schedule->n_packets = config->packets;
	if (schedule->n_packets == 0)
		schedule->n_packets = n_flows * config->n_kinds * config->packets_per_flow;
	schedule->streams = malloc(schedule->n_packets * sizeof(*schedule->streams));
	by_size = malloc(n_flows * sizeof(*by_size));
	if (schedule->streams == NULL || by_size == NULL) {
		free(by_size);
		schedule_fini(schedule);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < n_flows; i++)
		by_size[i] = i;
	shuffle(by_size, n_flows, &rank_rng);
	streams_fill(schedule, config, by_size);
	shuffle(schedule->streams, schedule->n_packets, &order_rng);
	free(by_size);
	return 0;
}

void schedule_fini(struct schedule *schedule) {
	free(schedule->streams);
	schedule->streams = NULL;
}
