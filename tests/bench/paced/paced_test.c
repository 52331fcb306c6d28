/* SPDX-License-Identifier: BSD-3-Clause */
// The clock that stops while a lcore is absent, and the traffic that follows from a seed: if they
// were wrong, so would be all that is measured with net_paced.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arrivals.h"
#include "clock.h"

#define LIMIT 1000
#define HZ 1000000000

static struct paced_clock paced;

// A call of a lcore that gets the lock.
static void call(unsigned int lcore, uint64_t tsc) {
	RTE_PER_LCORE(_lcore_id) = lcore;
	clock_advance(&paced, tsc);
	clock_beat(&paced, tsc);
}

// One that does not.
static void call_unlocked(unsigned int lcore, uint64_t tsc) {
	RTE_PER_LCORE(_lcore_id) = lcore;
	clock_beat_unlocked(&paced, tsc);
}

static int setup(void **state) {
	(void)state;
	clock_init(&paced, LIMIT);
	call(1, 10000);
	call(2, 10000);
	return 0;
}

static void time_passes_while_all_call(void **state) {
	(void)state;
	for (uint64_t tsc = 10500; tsc <= 20000; tsc += 500) {
		call(1, tsc);
		call(2, tsc);
	}
	assert_int_equal(clock_now(&paced), 10000);
	assert_int_equal(paced.stopped, 0);
	assert_int_equal(paced.longest, 500);
	assert_int_equal(clock_alive(&paced, 20000), 20000);
}

static void time_stands_while_one_is_absent_and_its_grace_is_taken_back(void **state) {
	(void)state;
	for (uint64_t tsc = 10500; tsc < 50000; tsc += 500)
		call(1, tsc);
	assert_int_equal(clock_now(&paced), LIMIT);
	assert_int_equal(clock_alive(&paced, 50000), 10000 + LIMIT);
	call(2, 50000);
	call(1, 50000);
	assert_int_equal(clock_now(&paced), LIMIT);
	call(1, 50500);
	call(2, 50500);
	assert_int_equal(clock_now(&paced), LIMIT);
	call(1, 51000);
	call(2, 51500);
	assert_int_equal(clock_now(&paced), LIMIT + 500);
	assert_int_equal(paced.longest, 40000);
	assert_int_equal(clock_now(&paced) + paced.stopped, 41500);
}

static void time_stands_while_all_are_absent(void **state) {
	(void)state;
	call(1, 90000);
	call(2, 90000);
	assert_int_equal(clock_now(&paced), 0);
}

// Another one holds the lock, and is absent, too: whoever returns first must not hide it.
static void an_absence_is_not_hidden_by_calls_without_the_lock(void **state) {
	(void)state;
	call_unlocked(2, 50000);
	call_unlocked(1, 50000);
	call_unlocked(1, 50100);
	call(1, 50200);
	assert_int_equal(clock_now(&paced), 0);
	call(2, 50300);
	assert_int_equal(clock_now(&paced), 0);
}

static void threads_that_are_no_lcores_do_not_count(void **state) {
	(void)state;
	call(LCORE_ID_ANY, 10100);
	for (uint64_t tsc = 10500; tsc <= 20000; tsc += 500) {
		call(1, tsc);
		call(2, tsc);
	}
	assert_int_equal(clock_now(&paced), 10000);
}

static const struct paced_traffic usual = {
	.rate = 1e6,
	.n_flows = 1000,
	.zipf = 1,
	.churn = 2,
	.seed = 7,
};

// Packets of the largest flow in a second, and the sum of all hashes.
static unsigned int second(const struct paced_traffic *traffic, unsigned int *largest,
			   uint64_t *hashes) {
	struct arrivals arrivals;
	struct paced_stamp stamp;
	const struct paced_flow *flow;
	unsigned int n = 0;

	*largest = *hashes = 0;
	assert_int_equal(arrivals_init(&arrivals, traffic, HZ), 0);
	while ((flow = arrivals_next(&arrivals, HZ, &stamp)) != NULL) {
		assert_true(stamp.arrival <= HZ);
		n++;
		*largest += stamp.flow == 0;
		*hashes += flow->hash;
	}
	arrivals_fini(&arrivals);
	return n;
}

static void traffic_has_its_rate_and_shares_and_follows_from_the_seed(void **state) {
	struct paced_traffic other = usual;
	unsigned int n, largest, again;
	uint64_t hashes, same;

	(void)state;
	n = second(&usual, &largest, &hashes);
	assert_true(n > 995000 && n < 1005000);            // 5 standard deviations
	assert_true(largest > 131600 && largest < 135600); // 1 / 7.485 of them
	assert_int_equal(second(&usual, &again, &same), n);
	assert_int_equal(again, largest);
	assert_true(same == hashes);
	other.seed = 8;
	second(&other, &again, &same);
	assert_true(same != hashes);
	other.zipf = 0;
	second(&other, &largest, &same);
	assert_true(largest > 800 && largest < 1200);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(time_passes_while_all_call, setup),
		cmocka_unit_test_setup(time_stands_while_one_is_absent_and_its_grace_is_taken_back,
				       setup),
		cmocka_unit_test_setup(time_stands_while_all_are_absent, setup),
		cmocka_unit_test_setup(an_absence_is_not_hidden_by_calls_without_the_lock, setup),
		cmocka_unit_test_setup(threads_that_are_no_lcores_do_not_count, setup),
		cmocka_unit_test(traffic_has_its_rate_and_shares_and_follows_from_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
