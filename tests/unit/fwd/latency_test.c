/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include "fwd/latency.h"

static double error_of(uint64_t measured, uint64_t real) {
	return measured > real ? (double)(measured - real) / real :
				 (double)(real - measured) / real;
}

TEST(buckets_are_in_order_and_without_gaps) {
	unsigned int last = 0;

	for (uint64_t value = 0; value < 1 << 16; value++) {
		unsigned int bucket = latency_bucket(value);

		assert_true(bucket == last || bucket == last + 1);
		last = bucket;
	}
}

TEST(small_values_are_exact) {
	for (uint64_t value = 0; value < 64; value++)
		assert_int_equal(latency_bucket_value(latency_bucket(value)), value);
}

TEST(any_value_is_told_within_a_sixty_fourth) {
	for (unsigned int bit = 6; bit < LATENCY_BITS; bit++)
		for (uint64_t i = 0; i < 128; i++) { // each step, and the value before it
			uint64_t least = UINT64_C(1) << bit;
			uint64_t value = least + least * (i / 2) / 64 - i % 2;

			assert_true(error_of(latency_bucket_value(latency_bucket(value)), value) <=
				    1.0 / 64);
		}
}

TEST(values_too_large_for_a_bucket_share_the_last) {
	assert_int_equal(latency_bucket((UINT64_C(1) << LATENCY_BITS) - 1), LATENCY_BUCKETS - 1);
	assert_int_equal(latency_bucket(UINT64_C(1) << LATENCY_BITS), LATENCY_BUCKETS - 1);
	assert_int_equal(latency_bucket(UINT64_MAX), LATENCY_BUCKETS - 1);
}

TEST(nothing_recorded_gives_zeros) {
	static struct latency latency;

	assert_int_equal(latency_percentile(&latency, 500), 0);
	assert_int_equal(latency_percentile(&latency, 999), 0);
	assert_int_equal(counter_get(&latency.max), 0);
}

TEST(percentiles_are_ranks) {
	static struct latency latency;

	for (uint64_t value = 1; value <= 50; value++)
		latency_record(&latency, value);
	assert_int_equal(latency_percentile(&latency, 500), 25);
	assert_int_equal(latency_percentile(&latency, 900), 45);
	assert_int_equal(latency_percentile(&latency, 990), 50);
	assert_int_equal(latency_percentile(&latency, 0), 1);
	assert_int_equal(latency_percentile(&latency, 1000), 50);
}

TEST(the_maximum_is_exact_and_no_percentile_exceeds_it) {
	static struct latency latency;

	latency_record(&latency, 1000001);
	assert_int_equal(counter_get(&latency.max), 1000001);
	assert_true(latency_percentile(&latency, 999) <= 1000001);
	latency_record(&latency, UINT64_MAX);
	assert_true(counter_get(&latency.max) == UINT64_MAX);
}

TEST(merging_is_like_recording_in_one) {
	static struct latency parts[2], sum, all;

	for (uint64_t value = 1; value < 5000; value++) {
		latency_record(&parts[value % 2], value * value);
		latency_record(&all, value * value);
	}
	latency_merge(&sum, &parts[0]);
	latency_merge(&sum, &parts[1]);
	assert_memory_equal(&sum, &all, sizeof(all));
}

TEST(an_interval_has_only_its_own_values) {
	static struct latency before, now, difference;

	for (uint64_t value = 1; value <= 50; value++)
		latency_record(&before, 1000 * value);
	latency_merge(&now, &before);
	latency_subtract(&difference, &now, &before);
	assert_int_equal(counter_get(&difference.count), 0);
	assert_int_equal(counter_get(&difference.max), 0);
	assert_int_equal(latency_percentile(&difference, 500), 0);

	for (uint64_t value = 1; value <= 50; value++)
		latency_record(&now, value);
	latency_subtract(&difference, &now, &before);
	assert_int_equal(counter_get(&difference.count), 50);
	assert_int_equal(counter_get(&difference.sum), 50 * 51 / 2);
	assert_int_equal(counter_get(&difference.max), 50);
	assert_int_equal(latency_percentile(&difference, 500), 25);

	latency_record(&now, 1234567);
	latency_subtract(&difference, &now, &before);
	assert_int_equal(counter_get(&difference.max), 1234567);
}

TEST(values_up_to_a_limit_are_counted) {
	static struct latency latency, sum;

	for (uint64_t value = 1; value <= 1000; value++)
		latency_record(&latency, value);
	latency_merge(&sum, &latency);
	assert_int_equal(counter_get(&sum.sum), 1000 * 1001 / 2);
	assert_int_equal(latency_count_to(&sum, 0), 0);
	assert_int_equal(latency_count_to(&sum, 50), 50);
	assert_in_range(latency_count_to(&sum, 500), 492, 508);
	assert_int_equal(latency_count_to(&sum, UINT64_MAX), 1000);
}
