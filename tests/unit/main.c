/* SPDX-License-Identifier: BSD-3-Clause */
// One program for the tests of a folder: runs those of the file that is named, each file in a
// process of its own, because EAL starts once and settings of one file are not those of another.
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

// One test, or one for each row. Returns how many.
static unsigned int tests_make(const struct unit *unit, const struct unit *each,
			       struct CMUnitTest *tests) {
	unsigned int n = unit->rows != NULL ? unit->n_rows : 1;

	for (unsigned int i = 0; i < n; i++) {
		const char *row;

		tests[i] = (struct CMUnitTest){
			.name = unit->name,
			.test_func = unit->test,
			.setup_func = unit->setup != NULL ? unit->setup : each->setup,
			.teardown_func = unit->teardown != NULL ? unit->teardown : each->teardown,
		};
		if (unit->rows == NULL)
			continue;
		row = (const char *)unit->rows + i * unit->row_size;
		memcpy(&tests[i].name, row, sizeof(tests[i].name));
		tests[i].initial_state = (void *)(uintptr_t)row;
	}
	return n;
}

static int file_run(const char *file) {
	static struct CMUnitTest tests[TESTS_MAX];
	static const struct unit none;
	const struct unit *each = &none, *group = &none;
	unsigned int n = 0;

	for (const struct unit *unit = units; unit != NULL; unit = unit->next) {
		if (!unit_is_of(unit, file))
			continue;
		if (unit->run != NULL)
			return unit->run();
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
		n += tests_make(unit, each, &tests[n]);
	}
	if (n == 0) {
		fprintf(stderr, "no tests '%s'\n", file);
		return 2;
	}
	return _cmocka_run_group_tests(file, tests, n, group->setup, group->teardown);
}

int main(int argc, char **argv) {
	unsetenv("DDP_PROFILE_PATH"); // the library is that of the build
	unit_argument = argc > 2 ? argv[2] : NULL;
	if (argc > 1)
		return file_run(argv[1]);
	files_print();
	return 0;
}
