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
	{"loads_beyond_32_bits", 2, {6000000000, 2000000000}, 1.5, 64 / 80.0},
};

ROWS_TEST(is, spreads) {
	const struct spread *row = *state;

	assert_float_equal(ddp_imbalance(row->loads, row->n), row->imbalance, 1e-6);
	assert_float_equal(ddp_jain(row->loads, row->n), row->jain, 1e-6);
}

TEST(queues_take_turns_in_size_entries) {
	uint16_t reta[DDP_RETA_SIZE];

	for (unsigned int n = 1; n <= DDP_RETA_SIZE; n++) {
		ddp_reta_fill(reta, DDP_RETA_SIZE, n);
		for (unsigned int i = 0; i < DDP_RETA_SIZE; i++)
			assert_int_equal(reta[i], i % n);
	}
	reta[4] = 0xffff;
	ddp_reta_fill(reta, 4, 100); // of more queues than entries the first
	ddp_reta_fill(reta, 0, 3);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(reta[i], i);
	assert_int_equal(reta[4], 0xffff);
}
