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

// TEST(name) { ... } defines a test, ROWS_TEST(name, table) one for each row of a table: a row
// begins with its test's name (a const char *) and is the state. main.c runs the tests of a file in
// their order, if its first argument is the file's name without _test.c; without one it lists the
// names.
#define TEST(id) TEST_WITH(id, NULL, NULL)
#define TEST_WITH(id, set_up, tear_down)                                              \
	static void id(void **state);                                                 \
	UNIT(id, .name = #id, .test = id, .setup = (set_up), .teardown = (tear_down)) \
	static void id(void **state)
#define ROWS_TEST(id, table)                                                    \
	static void id(void **state);                                           \
	UNIT(id##_##table, .test = id, .rows = (table), .n_rows = COUNT(table), \
	     .row_size = sizeof((table)[0]))                                    \
	static void id(void **state)
// Around all tests of a file, and around each of them.
#define GROUP(set_up, tear_down) UNIT(group, .setup = (set_up), .teardown = (tear_down))
#define EACH(set_up, tear_down) UNIT(each, .each = true, .setup = (set_up), .teardown = (tear_down))
struct unit {
	const char *file; // the path of its source
	const char *name;
	CMUnitTestFunction test;
	CMFixtureFunction setup, teardown;
	bool each;
	const void *rows;
	size_t n_rows, row_size;
	struct unit *next;
};

#define UNIT(id, ...)                                                \
	static __attribute__((constructor)) void id##_add(void) {    \
		static struct unit unit;                             \
                                                                     \
		unit = (struct unit){.file = __FILE__, __VA_ARGS__}; \
		unit_add(&unit);                                     \
	}

void unit_add(struct unit *unit);

// Call end(object) when the test has ended, however it ended; what came last goes first. What a
// file's set-up made stays.
void after_test(void (*end)(void *object), void *object);
void after_test_begin(void); // by main.c
void after_test_run(void);

// An empty list of messages, which the next call empties again.
struct ddp_diag *diag_new(void);

// The second argument, of a test that starts itself again; else NULL.
extern const char *unit_argument;

// So many of what is drawn: sanitizers find other errors than a wrong answer.
#ifdef DDP_SANITIZED
#define DRAWN(n) ((n) / 10)
#else
#define DRAWN(n) (n)
#endif

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

static inline void random_bytes(uint64_t *state, uint8_t *bytes, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		bytes[i] = random_next(state) >> 56;
}

#endif
