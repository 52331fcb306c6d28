/* SPDX-License-Identifier: BSD-3-Clause */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

#include "balancing.h"
#include "common/output.h"

#define HASH_BITS 32

_Static_assert(STEER_RETA_MAX <= 1 << 16, "16 bits of a hash pick an entry");

// Of hashes under each key the low 16 bits, which pick the entry of a table.
struct sums {
	uint16_t sums[KEYS];
};

// What each bit of a hash adds to them, the highest first: the 32 bits of the key that begin at its
// place, here the last 16 of these. Keys are drawn by splitmix64 (Steele et al., "Fast splittable
// pseudorandom number generators", 2014).
static void bits_make(struct sums bits[HASH_BITS]) {
	for (unsigned int k = 0; k < KEYS; k++) {
		uint64_t state = k, key = 0;

		for (unsigned int i = 0; i < sizeof(key); i++) {
			uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

			z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
			z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
			key = key << 8 | ((z ^ z >> 31) & 0xff);
		}
		for (unsigned int bit = 0; bit < HASH_BITS; bit++)
			bits[bit].sums[k] = key >> (HASH_BITS - bit);
	}
}

// Packets by key and entry of the table: [KEYS][reta_size].
static uint64_t *entries_fill(const struct steer *steer, const struct flows *groups,
			      uint64_t n_hashed) {
	const unsigned int size = steer->config.reta_size;
	uint64_t *entries = calloc_or_exit((size_t)KEYS * size, sizeof(*entries));
	struct sums bits[HASH_BITS], sums;

	bits_make(bits);
	for (uint32_t i = 0; i < groups->n; i++) {
		const struct flow *group = flows_at(groups, i);

		memset(&sums, 0, sizeof(sums));
		for (unsigned int bit = 0; bit < HASH_BITS; bit++)
			for (unsigned int k = 0; k < KEYS && group->key << bit & 1U << 31; k++)
				sums.sums[k] ^= bits[bit].sums[k];
		for (unsigned int k = 0; k < KEYS; k++)
			entries[k * size + (sums.sums[k] & (size - 1))] += group->packets;
		n_hashed -= group->packets < n_hashed ? group->packets : n_hashed;
	}
	// what is not known by its hash is many small groups
	for (unsigned int i = 0; i < KEYS * size; i++)
		entries[i] += n_hashed / size;
	return entries;
}

static double imbalance(const struct steer *steer, const uint64_t *entries,
			const uint64_t *others) {
	uint64_t queues[STEER_QUEUES_MAX];

	memcpy(queues, others, steer->config.n_queues * sizeof(*queues));
	for (unsigned int i = 0; i < steer->config.reta_size; i++)
		queues[steer->reta[i]] += entries[i];
	return ddp_imbalance(queues, steer->config.n_queues);
}

static int by_value(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

// n is even.
static struct key_range range_of(double *values, unsigned int n) {
	qsort(values, n, sizeof(*values), by_value);
	return (struct key_range){
		.median = (values[n / 2 - 1] + values[n / 2]) / 2,
		.low = values[n / 10],
		.high = values[n - 1 - n / 10],
	};
}

void keys_judge(struct key_spread *judged, const struct steer *steer, const struct flows *groups,
		uint64_t n_hashed, const uint64_t *others) {
	const unsigned int size = steer->config.reta_size;
	uint64_t *entries;
	double values[KEYS];

	*judged = (struct key_spread){0};
	if (steer->config.function == DDP_HASH_SIMPLE_XOR)
		return; // all keys are alike
	entries = entries_fill(steer, groups, n_hashed);
	judged->n = KEYS;
	for (unsigned int k = 0; k < KEYS; k++)
		values[k] = imbalance(steer, entries + (size_t)k * size, others);
	judged->plain = range_of(values, KEYS);
	if (balancing_is_possible(&steer->config)) {
		judged->n_balanced = KEYS_BALANCED;
		for (unsigned int k = 0; k < KEYS_BALANCED; k++)
			values[k] = balancing_steady(steer, entries + (size_t)k * size, others);
		judged->balanced = range_of(values, KEYS_BALANCED);
	}
	free(entries);
}
