/* SPDX-License-Identifier: BSD-3-Clause */
#include "rss/rss.h"
#include "unit.h"

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
