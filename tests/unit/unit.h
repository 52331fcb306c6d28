/* SPDX-License-Identifier: BSD-3-Clause */
// Every unit test includes this: CMocka, the tests of a file, and tests that are rows of a table.
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// cmocka.h wants the above first
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// The tests of a file, in place of its main(): UNIT_TESTS(file) { ... return n_failed; }. main.c
// runs those whose name is its first argument; without one it lists the names.
struct unit {
	const char *name;
	int (*run)(void);
	struct unit *next;
};

void unit_add(struct unit *unit);

// The second argument, of a test that starts itself again; else NULL.
extern const char *unit_argument;

#define UNIT_TESTS(file)                                                    \
	static int unit_run(void);                                          \
	static __attribute__((constructor)) void unit_register(void) {      \
		static struct unit unit = {.name = #file, .run = unit_run}; \
		unit_add(&unit);                                            \
	}                                                                   \
	static int unit_run(void)

// So many of what is drawn: sanitizers look for other errors than a wrong answer.
#ifdef DDP_SANITIZED
#define DRAWN(n) ((n) / 10)
#else
#define DRAWN(n) (n)
#endif

// Run one CMocka test for each row. A row begins with the test's name (a const char *) and is its
// state. Returns the number of failed tests.
#define rows_run(group, test, rows) \
	rows_run_array(group, test, rows, COUNT(rows), sizeof((rows)[0]))

static inline int rows_run_array(const char *group, CMUnitTestFunction test, const void *rows,
				 size_t n_rows, size_t row_size) {
	struct CMUnitTest *tests = calloc(n_rows, sizeof(*tests));
	int n_failed;

	for (size_t i = 0; i < n_rows; i++) {
		const char *row = (const char *)rows + i * row_size;

		memcpy(&tests[i].name, row, sizeof(tests[i].name));
		tests[i].test_func = test;
		tests[i].initial_state = (void *)(uintptr_t)row;
	}
	n_failed = _cmocka_run_group_tests(group, tests, n_rows, NULL, NULL);
	free(tests);
	return n_failed;
}

// Numbers that look random and are the same in every run (xorshift64*).
static inline uint64_t random_next(uint64_t *state) {
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

// 0 to n - 1.
static inline unsigned int random_below(uint64_t *state, unsigned int n) {
	return (random_next(state) >> 33) % n;
}

#endif
