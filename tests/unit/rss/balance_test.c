/* SPDX-License-Identifier: BSD-3-Clause */
#include "rss/rss.h"
#include "unit.h"

static const struct spread {
	const char *name;
	unsigned int n;
	uint64_t loads[8];
	double imbalance, jain;
} spreads[] = {
	{"an_even_spread_is_1", 4, {25, 25, 25, 25}, 1, 1},
	{"all_on_one_queue_of_eight_is_8", 8, {0, 0, 0, 80}, 8, 0.125},
	{"half_of_the_queues", 4, {10, 0, 10, 0}, 2, 0.5},
	{"one_queue_is_always_even", 1, {7}, 1, 1},
	{"no_packets_at_all_are_0", 4, {0}, 0, 0},
	{"no_queues_are_0", 0, {0}, 0, 0},
	{"the_most_loaded_counts_not_the_least", 4, {3, 5, 4, 0}, 5 / 3.0, 144 / 200.0},
	{"loads_beyond_32_bits_do_not_wrap",
	 2,
	 {UINT64_C(6000000000), UINT64_C(2000000000)},
	 1.5,
	 64 / 80.0},
};

ROWS_TEST(is, spreads) {
	const struct spread *row = *state;

	assert_float_equal(ddp_imbalance(row->loads, row->n), row->imbalance, 1e-6);
	assert_float_equal(ddp_jain(row->loads, row->n), row->jain, 1e-6);
}

#define UNTOUCHED 0xffff

TEST(queues_take_turns) {
	uint16_t reta[DDP_RETA_SIZE];

	ddp_reta_fill(reta, DDP_RETA_SIZE, 6);
	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
		assert_int_equal(reta[i], i % 6);
}

TEST(every_queue_has_its_fair_share_for_any_number_of_queues) {
	uint16_t reta[DDP_RETA_SIZE];

	for (unsigned int n = 1; n <= DDP_RETA_SIZE; n++) {
		unsigned int shares[DDP_RETA_SIZE] = {0};

		ddp_reta_fill(reta, DDP_RETA_SIZE, n);
		for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
			shares[reta[i]]++;
		for (unsigned int q = 0; q < n; q++)
			assert_in_range(shares[q], DDP_RETA_SIZE / n, DDP_RETA_SIZE / n + 1);
	}
}

TEST(only_size_entries_are_written) {
	uint16_t reta[9];

	memset(reta, 0xff, sizeof(reta));
	ddp_reta_fill(reta, 8, 3);
	assert_int_equal(reta[7], 1);
	assert_int_equal(reta[8], UNTOUCHED);
	ddp_reta_fill(reta + 8, 0, 3);
	assert_int_equal(reta[8], UNTOUCHED);
}

TEST(more_queues_than_entries_use_the_first_ones) {
	uint16_t reta[4];

	ddp_reta_fill(reta, 4, 100);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(reta[i], i);
}
