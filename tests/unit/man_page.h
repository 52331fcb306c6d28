/* SPDX-License-Identifier: BSD-3-Clause */
// A manual page says what the tables of a program say: nothing missing, nothing left over.
#ifndef MAN_PAGE_H
#define MAN_PAGE_H

#include "common/option_table.h"
#include "unit.h"

static inline void page_contains(const char *page, const char *what) {
	if (strstr(page, what) == NULL)
		fail_msg("not there:\n%s", what);
}

static inline unsigned int page_count(const char *page, const char *what) {
	unsigned int n = 0;

	for (; (page = strstr(page, what)) != NULL; page++)
		n++;
	return n;
}

// Valid until the next one is read.
static inline char *page_read(const char *path) {
	static char page[1 << 18];
	FILE *file = fopen(path, "r");
	size_t size;

	assert_non_null(file);
	size = fread(page, 1, sizeof(page), file);
	assert_in_range(size, 1, sizeof(page) - 1);
	page[size] = '\0';
	fclose(file);
	return page;
}

// The part of a page from one .SH to the next. The caller frees it.
static inline char *page_section(const char *page, const char *title) {
	char start[64];
	const char *from, *to;

	snprintf(start, sizeof(start), "\n.SH %s\n", title);
	from = strstr(page, start);
	assert_non_null(from);
	from += strlen(start) - 1;
	to = strstr(from, "\n.SH ");
	return to != NULL ? strndup(from, to + 1 - from) : strdup(from);
}

// The entry of an option: its names as roff wants them, where a '-' that is typed is "\-", its
// argument and its summary.
static inline void option_entry(const struct option_row *row, char entry[512]) {
	const char *argument = row->argument;
	char name[128], line[256], *to = name;

	for (const char *at = row->name; *at != '\0'; at++)
		to += sprintf(to, "%s%c", *at == '-' ? "\\" : "", *at);
	if (row->letter != '\0')
		snprintf(line, sizeof(line), "R \\-%c \", \" \\-\\-%s", row->letter, name);
	else
		snprintf(line, sizeof(line), "%s \\-\\-%s", argument != NULL ? "I" : "", name);
	if (argument != NULL && argument[0] == '[')
		snprintf(entry, 512, "\n.TP\n.B%s[= %.*s ]\n%s\n", line, (int)strlen(argument) - 2,
			 argument + 1, option_summary(row));
	else if (argument != NULL)
		snprintf(entry, 512, "\n.TP\n.B%s \" %s%s\"\n%s\n", line,
			 row->letter != '\0' ? "\\fI" : "", argument, option_summary(row));
	else
		snprintf(entry, 512, "\n.TP\n.B%s\n%s\n", line, option_summary(row));
}

static inline void page_has_options(const char *path, const struct option_row *rows,
				    unsigned int n) {
	char *page = page_read(path), *section = page_section(page, "OPTIONS"), entry[512];

	for (unsigned int i = 0; i < n; i++) {
		option_entry(&rows[i], entry);
		page_contains(section, entry);
	}
	assert_int_equal(page_count(section, "\n.TP\n"), n);
	free(section);
}

#endif
