/* SPDX-License-Identifier: BSD-3-Clause */
// One program for the tests of a folder: runs those of the file that is named, each file in a
// process of its own, because EAL starts once and settings of one file are not those of another.
#include "base/arena.h"
#include "scratch.h"
#include "unit.h"

#define TESTS_MAX 500 // of a file

static struct unit *units, **last = &units;

const char *unit_argument;

void unit_add(struct unit *unit) {
	*last = unit;
	last = &unit->next;
}

static const char *unit_file(const struct unit *unit) {
	static char name[64];
	const char *slash = strrchr(unit->file, '/');

	snprintf(name, sizeof(name), "%s", slash != NULL ? slash + 1 : unit->file);
	*strstr(name, "_test.c") = '\0';
	return name;
}

static bool unit_is_of(const struct unit *unit, const char *file) {
	return strcmp(unit_file(unit), file) == 0;
}

static void files_print(void) {
	char before[64] = "";

	for (const struct unit *unit = units; unit != NULL; unit = unit->next) {
		if (!unit_is_of(unit, before))
			puts(unit_file(unit));
		snprintf(before, sizeof(before), "%s", unit_file(unit));
	}
}

// A test as CMocka runs it.
struct run {
	const struct unit *unit;
	CMFixtureFunction setup, teardown;
	void *state; // the test's own
};

static int run_setup(void **state) {
	struct run *run = *state;

	after_test_begin();
	return run->setup != NULL ? run->setup(&run->state) : 0;
}

static void run_body(void *arg) {
	struct run *run = arg;

	run->unit->test(&run->state);
}

// Memory that an arena does not get ends a command or a load, and here the test.
static void run_in_arena(void **state) {
	assert_int_equal(ddp_arena_run(run_body, *state), 0);
}

static int run_teardown(void **state) {
	struct run *run = *state;

	after_test_run();
	return run->teardown != NULL ? run->teardown(&run->state) : 0;
}

// One test, or one for each row. Returns how many.
static unsigned int tests_make(const struct unit *unit, const struct unit *each, struct run *runs,
			       struct CMUnitTest *tests) {
	unsigned int n = unit->rows != NULL ? unit->n_rows : 1;

	for (unsigned int i = 0; i < n; i++) {
		const void *row =
			unit->rows != NULL ? (const char *)unit->rows + i * unit->row_size : NULL;

		runs[i] = (struct run){
			.unit = unit,
			.setup = unit->setup != NULL ? unit->setup : each->setup,
			.teardown = unit->teardown != NULL ? unit->teardown : each->teardown,
			.state = (void *)(uintptr_t)row,
		};
		tests[i] = (struct CMUnitTest){unit->name, run_in_arena, run_setup, run_teardown,
					       &runs[i]};
		if (row != NULL)
			memcpy(&tests[i].name, row, sizeof(tests[i].name));
	}
	return n;
}

static int file_run(const char *file) {
	static struct CMUnitTest tests[TESTS_MAX];
	static struct run runs[TESTS_MAX];
	static const struct unit none;
	const struct unit *each = &none, *group = &none;
	unsigned int n = 0;

	for (const struct unit *unit = units; unit != NULL; unit = unit->next) {
		if (!unit_is_of(unit, file))
			continue;
		if (unit->each)
			each = unit;
		else if (unit->test == NULL)
			group = unit;
	}
	for (const struct unit *unit = units; unit != NULL; unit = unit->next) {
		if (!unit_is_of(unit, file) || unit->test == NULL)
			continue;
		if (n + 1 + unit->n_rows > TESTS_MAX)
			abort();
		n += tests_make(unit, each, &runs[n], &tests[n]);
	}
	if (n == 0) {
		fprintf(stderr, "no tests '%s'\n", file);
		return 2;
	}
	return _cmocka_run_group_tests(file, tests, n, group->setup, group->teardown);
}

int main(int argc, char **argv) {
	scratch_begin();
	unit_argument = argc > 2 ? argv[2] : NULL;
	if (argc > 1)
		return file_run(argv[1]);
	files_print();
	return 0;
}
