/* SPDX-License-Identifier: BSD-3-Clause */
// Figures, for people and for programs.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#define TABLE_ROWS 32
#define TABLE_COLUMNS 16

struct figure {
	bool given;
	double ns;     // median
	double ratio;  // times faster than the reference, median of the rounds' ratios; 0: none
	double spread; // between a tenth and nine tenths of the rounds, in parts of ns
};

struct heading {
	char id[24], title[48];
	const char *absent; // why the row has no figures; NULL: it has
};

struct table {
	const char *id, *title;
	const char *unit; // of its figures; "ns" unless set otherwise
	char note[512];   // below the title
	unsigned int n_rows, n_columns;
	struct heading rows[TABLE_ROWS], columns[TABLE_COLUMNS];
	struct figure figures[TABLE_ROWS][TABLE_COLUMNS];
};

void table_init(struct table *table, const char *id, const char *title);
// Return the number of the new one.
unsigned int table_row(struct table *table, const char *id, const char *title);
unsigned int table_column(struct table *table, const char *id, const char *title);
// As wide as the terminal is.
void table_print(const struct table *table, FILE *out);
// A new object.
json_t *table_json(const struct table *table);

#endif
