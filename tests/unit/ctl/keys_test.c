/* SPDX-License-Identifier: BSD-3-Clause */
// What advise says of many RSS keys is what a NIC with each of these keys would do: else people
// take a profile that was judged by keys that nobody has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ctl/simulate/keys.h"

#define N_INPUTS 500
#define INPUT_LEN 36
#define N_QUEUES 16

struct judged {
	struct steer steer;
	struct flows groups;
	struct inputs inputs;
	uint8_t bytes[N_INPUTS][INPUT_LEN];
	uint64_t n_hashed;
	uint64_t others[STEER_QUEUES_MAX];
	struct key_spread spread;
};

static uint64_t key_of(const struct judged *j, unsigned int i) {
	return ddp_hash_compute(&j->steer.hash, j->bytes[i], INPUT_LEN) | UINT64_C(1) << 63;
}

// Input i has i + 1 packets. Of the first n_kept the input is known.
static void judged_init(struct judged *j, const uint8_t key[DDP_KEY_SIZE], unsigned int n_kept) {
	struct steer_config config = {
		.n_queues = N_QUEUES,
		.reta_size = 512,
		.function = DDP_HASH_TOEPLITZ,
		.rss_hf = DDP_RSS_HF_ALL,
	};

	memset(j, 0, sizeof(*j));
	memcpy(config.key, key, DDP_KEY_SIZE);
	steer_init(&j->steer, &config);
	flows_init(&j->groups, false, 0);
	for (unsigned int i = 0; i < N_INPUTS; i++) {
		for (unsigned int b = 0; b < INPUT_LEN; b++)
			j->bytes[i][b] = (i * 2654435761u + b * 40503u * i) >> (b % 3 * 8);
		for (unsigned int n = 0; n <= i; n++)
			flows_count(&j->groups, key_of(j, i));
		j->n_hashed += i + 1;
		if (i < n_kept)
			inputs_keep(&j->inputs, key_of(j, i), j->bytes[i], INPUT_LEN);
	}
}

static void judged_fini(struct judged *j) {
	flows_fini(&j->groups);
	inputs_fini(&j->inputs);
}

static double imbalance_with(const struct judged *j, const uint8_t key[DDP_KEY_SIZE]) {
	uint64_t queues[N_QUEUES];
	struct ddp_hash hash;

	memcpy(queues, j->others, sizeof(queues));
	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, key);
	for (unsigned int i = 0; i < N_INPUTS; i++)
		queues[j->steer.reta[ddp_hash_compute(&hash, j->bytes[i], INPUT_LEN) & 511]] +=
			i + 1;
	return ddp_imbalance(queues, N_QUEUES);
}

static void each_key_gives_what_its_hashes_give(void **state) {
	static struct judged j;
	uint8_t key[DDP_KEY_SIZE];

	judged_init(&j, ddp_default_key, N_INPUTS);
	j.others[3] = 700;
	keys_judge(&j.spread, &j.steer, &j.groups, &j.inputs, j.n_hashed, j.others);
	assert_int_equal(j.spread.n, KEYS);
	for (unsigned int k = 0; k < KEYS; k++) {
		keys_draw(k, ddp_default_key, key);
		assert_true(j.spread.imbalances[k] == imbalance_with(&j, key));
	}
	assert_true(j.spread.plain.low <= j.spread.plain.median);
	assert_true(j.spread.plain.median <= j.spread.plain.high);
	assert_int_equal(j.spread.n_balanced, KEYS_BALANCED);
	assert_true(j.spread.balanced.median <= j.spread.plain.median);
	judged_fini(&j);
}

// Too many inputs to keep all: the hash stands for the others, and no packet is lost or twice.
static void groups_whose_input_is_not_known_are_spread_too(void **state) {
	static struct judged j;
	double most = 0;

	judged_init(&j, ddp_default_key, N_INPUTS / 2);
	inputs_keep(&j.inputs, key_of(&j, 0), j.bytes[0], INPUT_LEN); // forgotten, and met again
	keys_judge(&j.spread, &j.steer, &j.groups, &j.inputs, j.n_hashed + 51200, j.others);
	for (unsigned int k = 0; k < KEYS; k++)
		most = j.spread.imbalances[k] > most ? j.spread.imbalances[k] : most;
	assert_true(most < 2);
	assert_true(j.spread.plain.median > 1 && j.spread.plain.median < 1.5);
	judged_fini(&j);
}

// Such a key keeps both directions of a flow together; others of its kind do, too.
static void a_key_whose_16_bits_repeat_is_tried_beside_others_that_do(void **state) {
	uint8_t given[DDP_KEY_SIZE], key[DDP_KEY_SIZE], before[DDP_KEY_SIZE] = {0};

	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		given[i] = i % 2 == 0 ? 0x6d : 0x5a;
	for (unsigned int k = 0; k < KEYS; k++) {
		keys_draw(k, given, key);
		assert_memory_equal(key, key + 2, DDP_KEY_SIZE - 2);
		assert_memory_not_equal(key, before, DDP_KEY_SIZE);
		memcpy(before, key, DDP_KEY_SIZE);
		keys_draw(k, ddp_default_key, key);
		assert_memory_not_equal(key, key + 2, DDP_KEY_SIZE - 2);
	}
}

static void a_function_without_a_key_is_not_judged(void **state) {
	static struct judged j;

	judged_init(&j, ddp_default_key, N_INPUTS);
	j.steer.config.function = DDP_HASH_SIMPLE_XOR;
	keys_judge(&j.spread, &j.steer, &j.groups, &j.inputs, j.n_hashed, j.others);
	assert_int_equal(j.spread.n, 0);
	judged_fini(&j);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_gives_what_its_hashes_give),
		cmocka_unit_test(groups_whose_input_is_not_known_are_spread_too),
		cmocka_unit_test(a_key_whose_16_bits_repeat_is_tried_beside_others_that_do),
		cmocka_unit_test(a_function_without_a_key_is_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
