/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include "common/table.h"

static struct output out;

static void row_add(struct table *table, unsigned int n, const char *name, const char *last) {
	table_printf(table, "%u", n);
	table_next(table);
	table_printf(table, "%s", name);
	table_next(table);
	table_printf(table, "%s", last);
	table_next(table);
}

static void columns_are_in_line(void **state) {
	struct table table;
	char *written;

	output_begin(&out);
	table_init(&table, &out, ">N|NAME|LAST");
	row_add(&table, 1, "a", "x");
	row_add(&table, 100,
		"gr\xc3\xbc\xc3\x9f"
		"e",
		"y");
	row_add(&table, 22, "", "z");
	row_add(&table, 3, "b", "");
	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, "  N  NAME   LAST\n"
				     "  1  a      x\n"
				     "100  gr\xc3\xbc\xc3\x9f"
				     "e  y\n"
				     " 22         z\n"
				     "  3  b\n");
	free(written);
}

static void a_table_without_rows_has_titles(void **state) {
	struct table table;
	char *written;

	output_begin(&out);
	table_init(&table, &out, ">N|NAME|LAST");
	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, "N  NAME  LAST\n");
	free(written);
}

static void control_characters_do_not_reach_the_terminal(void **state) {
	struct table table;
	char *written;

	output_begin(&out);
	table_init(&table, &out, ">N|NAME|LAST");
	row_add(&table, 1, "\033[2J\xc2\x9b", "two\nlines");
	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, "N  NAME           LAST\n"
				     "1  \\x1b[2J\\u{9b}  two\\x0alines\n");
	free(written);
}

static void titles_come_once_and_no_row_is_lost(void **state) {
	unsigned int n_rows = 3 * TABLE_ROWS + 1;
	struct table table;
	char *written, *line;

	output_begin(&out);
	table_init(&table, &out, ">N|NAME|LAST");
	for (unsigned int i = 0; i < n_rows; i++)
		row_add(&table, i, i % 2 == 0 ? "even" : "odd", "x");
	table_fini(&table);
	written = output_end(&out);
	line = strchr(written, '\n') + 1;
	for (unsigned int i = 0; i < n_rows; i++) {
		assert_int_equal(strtoul(line, NULL, 10), i);
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "");
	free(written);
}

static void a_share_that_is_there_is_never_zero(void **state) {
	static const double shares[] = {0, 1e-9, 0.0000999, 0.0001, 0.00099, 0.001, 0.5, 1};
	struct table table;
	char *written;

	output_begin(&out);
	table_init(&table, &out, ">SHARE");
	for (unsigned int i = 0; i < COUNT(shares); i++)
		table_share(&table, shares[i]);
	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, " SHARE\n  0.0%\n<0.01%\n<0.01%\n 0.01%\n 0.10%\n  0.1%\n"
				     " 50.0%\n100.0%\n");
	free(written);
}

UNIT_TESTS(table) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_in_line),
		cmocka_unit_test(a_table_without_rows_has_titles),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(titles_come_once_and_no_row_is_lost),
		cmocka_unit_test(a_share_that_is_there_is_never_zero),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
