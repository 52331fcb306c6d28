/* SPDX-License-Identifier: BSD-3-Clause */
// Text tables with titles and any number of rows.
//
// TABLE_ROWS rows are buffered, and their cells set the widths of the columns. A wider cell in a
// later batch widens its column from there on.
//
//	table_cell(&table, "%u", n); // the last cell of a row ends it
#ifndef COMMON_TABLE_H
#define COMMON_TABLE_H

#include <stdbool.h>

#include "strbuf.h"

#define TABLE_ROWS 256
#define TABLE_COLUMNS_MAX 40 // columns

struct table {
	struct output *out;
	unsigned int n_columns;
	bool right[TABLE_COLUMNS_MAX]; // numbers
	unsigned int widths[TABLE_COLUMNS_MAX];
	unsigned int n_cells; // complete cells in the buffer, with titles
	bool titled;          // the titles are written
	struct strbuf cells;  // strings, each with its NUL
};

// Begin a table with these columns: "NAME|>BYTES" has two, the second one for numbers. All
// functions exit without memory.
void table_init(struct table *table, struct output *out, const char *titles);

// Add columns, or one with any title; before the first cell.
void table_columns(struct table *table, const char *titles);
void table_column(struct table *table, const char *title);

// Write a cell.
void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_text(struct table *table, const char *text);
void table_number(struct table *table, uint64_t number);
void table_share(struct table *table, double share); // share_text() with "%"

// Write a part of a cell, and end it.
void table_printf(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_next(struct table *table);

// Write the buffered rows now.
void table_flush(struct table *table);

// Write the buffered rows, or at least the titles, and free the table.
void table_fini(struct table *table);

#endif
