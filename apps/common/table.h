/* SPDX-License-Identifier: BSD-3-Clause */
// Tables for people: a line of titles, columns in line, no limit to the number of rows.
//
// Rows are kept until there are TABLE_ROWS of them, which settles how wide the columns are; memory
// does not grow with the table. A wider cell in a later batch moves the columns from there on.
//
//	table_cell(&table, "%u", n); // with its last cell, a row ends
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stdbool.h>

#include "strbuf.h"

#define TABLE_ROWS 256
#define TABLE_COLUMNS_MAX 40

struct table {
	struct output *out;
	unsigned int n_columns;
	bool right[TABLE_COLUMNS_MAX]; // numbers
	unsigned int widths[TABLE_COLUMNS_MAX];
	unsigned int n_cells; // kept and complete, titles included
	bool titled;          // the titles are written
	struct strbuf cells;  // strings, each with its NUL
};

// Without memory the process ends. Begin a table with these columns: "NAME|>BYTES" has two, the
// second one for numbers.
void table_init(struct table *table, struct output *out, const char *titles);

// Further columns, and one of any title; before the first cell.
void table_columns(struct table *table, const char *titles);
void table_column(struct table *table, const char *title);

// A whole cell.
void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_text(struct table *table, const char *text);
void table_number(struct table *table, uint64_t number);
void table_share(struct table *table, double share); // share_text() with "%"

// A cell that is written part by part, and its end.
void table_printf(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_next(struct table *table);

// Write the rows that are kept, without waiting for more.
void table_flush(struct table *table);

// Write what is left. The titles come even without a row.
void table_fini(struct table *table);

#endif
