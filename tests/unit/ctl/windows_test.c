/* SPDX-License-Identifier: BSD-3-Clause */
// When was it worst? If this is wrong, a burst of a second is averaged away, or a capture with one
// wrong time takes all the memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ctl/simulate/windows.h"

#define START UINT64_C(1700000000000000000)

static uint64_t sum_of(const struct windows *windows) {
	uint64_t sum = 0;

	for (unsigned int w = 0; w < windows->n; w++)
		for (unsigned int q = 0; q < windows->n_queues; q++)
			sum += windows_queues(windows, w)[q];
	return sum;
}

static void packets_are_in_their_windows(void **state) {
	struct windows windows;

	windows_init(&windows, 4, START, 1000);
	for (unsigned int i = 0; i < 10000; i++)
		windows_count(&windows, START + i, i % 4);
	assert_int_equal(windows.n, 10);
	for (unsigned int w = 0; w < 10; w++)
		for (unsigned int q = 0; q < 4; q++)
			assert_int_equal(windows_queues(&windows, w)[q], 250);
	windows_fini(&windows);
}

static void a_long_capture_has_longer_windows(void **state) {
	struct windows windows;

	windows_init(&windows, 2, START, 0);
	for (uint64_t i = 0; i < 100000; i++)
		windows_count(&windows, START + i * WINDOW_NS, i % 2);
	assert_in_range(windows.n, WINDOWS_SHOWN / 2, WINDOWS_SHOWN);
	assert_int_equal(windows.length_ns, 512 * WINDOW_NS);
	for (unsigned int w = 0; w + 1 < windows.n; w++)
		assert_int_equal(windows_queues(&windows, w)[1], 256);
	assert_int_equal(sum_of(&windows), 100000);
	windows_fini(&windows);
}

static void strange_times_do_no_harm(void **state) {
	static const uint64_t times[] = {START, 0,     UINT64_MAX, START - 1, UINT64_MAX / 2,
					 1,     START, START + 1,  UINT64_MAX};
	struct windows windows;

	for (unsigned int chosen = 0; chosen < 2; chosen++) {
		windows_init(&windows, 1024, START, chosen);
		for (unsigned int i = 0; i < sizeof(times) / sizeof(times[0]); i++)
			windows_count(&windows, times[i], 1023);
		assert_true(windows.n <= WINDOWS_MAX);
		assert_int_equal(sum_of(&windows), sizeof(times) / sizeof(times[0]));
		windows_fini(&windows);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_are_in_their_windows),
		cmocka_unit_test(a_long_capture_has_longer_windows),
		cmocka_unit_test(strange_times_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
