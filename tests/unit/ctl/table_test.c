/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch_folder.h"

#include "common/table.h"

static struct output out;
static struct table table;

static void begin(const char *titles) {
	output_begin(&out);
	table_init(&table, &out, titles);
}

static void assert_written(const char *expected) {
	char *written;

	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, expected);
	free(written);
}

static void row_add(unsigned int n, const char *name, const char *last) {
	table_printf(&table, "%u", n);
	table_next(&table);
	table_printf(&table, "%s", name);
	table_next(&table);
	table_printf(&table, "%s", last);
	table_next(&table);
}

TEST(columns_are_in_line) {
	begin(">N|NAME|LAST");
	row_add(1, "a", "x");
	row_add(100,
		"gr\xc3\xbc\xc3\x9f"
		"e",
		"y");
	row_add(22, "", "z");
	row_add(3, "b", "");
	assert_written("  N  NAME   LAST\n"
		       "  1  a      x\n"
		       "100  gr\xc3\xbc\xc3\x9f"
		       "e  y\n"
		       " 22         z\n"
		       "  3  b\n");
}

TEST(a_table_without_rows_has_titles) {
	begin(">N|NAME|LAST");
	assert_written("N  NAME  LAST\n");
}

TEST(control_characters_do_not_reach_the_terminal) {
	begin(">N|NAME|LAST");
	row_add(1, "\033[2J\xc2\x9b", "two\nlines");
	assert_written("N  NAME           LAST\n"
		       "1  \\x1b[2J\\u{9b}  two\\x0alines\n");
}

TEST(titles_come_once_and_no_row_is_lost) {
	unsigned int n_rows = 3 * TABLE_ROWS + 1;
	char *written, *line;

	begin(">N|NAME|LAST");
	for (unsigned int i = 0; i < n_rows; i++)
		row_add(i, i % 2 == 0 ? "even" : "odd", "x");
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

TEST(a_share_that_is_there_is_never_zero) {
	static const double shares[] = {0, 1e-9, 0.0000999, 0.0001, 0.00099, 0.001, 0.5, 1};
	begin(">SHARE");
	for (unsigned int i = 0; i < COUNT(shares); i++)
		table_share(&table, shares[i]);
	assert_written(" SHARE\n  0.0%\n<0.01%\n<0.01%\n 0.01%\n 0.10%\n  0.1%\n"
		       " 50.0%\n100.0%\n");
}
