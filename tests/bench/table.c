/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#define NAME_WIDTH 38
#define CELL_WIDTH 16
#define CELLS 5U // side by side
#define ROUNDS_MIN 5

json_t *tables;

void table_init(struct table *table, const char *id, const char *title) {
	memset(table, 0, sizeof(*table));
	table->id = id;
	table->title = title;
	table->unit = "ns";
}

static void heading_init(struct heading *heading, const char *id, const char *title) {
	snprintf(heading->id, sizeof(heading->id), "%s", id);
	snprintf(heading->title, sizeof(heading->title), "%s", title);
}

unsigned int table_row(struct table *table, const char *id, const char *title) {
	assert(table->n_rows < TABLE_ROWS);
	heading_init(&table->rows[table->n_rows], id, title);
	return table->n_rows++;
}

unsigned int table_column(struct table *table, const char *id, const char *title) {
	assert(table->n_columns < TABLE_COLUMNS);
	heading_init(&table->columns[table->n_columns], id, title);
	return table->n_columns++;
}

static void figure_print(const struct figure *figure) {
	char text[CELL_WIDTH] = "-";

	if (figure->given && figure->ratio > 0)
		snprintf(text, sizeof(text), "%.2f (%.2f)", figure->ns, figure->ratio);
	else if (figure->given)
		snprintf(text, sizeof(text), "%.2f", figure->ns);
	printf("%*s", CELL_WIDTH, text);
}

// Columns from first to before end.
static void block_print(const struct table *table, unsigned int first, unsigned int end) {
	printf("%-*s", NAME_WIDTH, "");
	for (unsigned int i = first; i < end; i++)
		printf("%*s", CELL_WIDTH, table->columns[i].title);
	printf("\n");
	for (unsigned int row = 0; row < table->n_rows; row++) {
		const struct heading *heading = &table->rows[row];

		printf("%-*s", NAME_WIDTH, heading->title);
		if (heading->absent != NULL)
			printf("  %s", heading->absent);
		else
			for (unsigned int i = first; i < end; i++)
				figure_print(&table->figures[row][i]);
		printf("\n");
	}
}

static void table_print(const struct table *table) {
	printf("\n%s\n%s\n", table->title, table->note);
	for (unsigned int i = 0; i < table->n_columns; i += CELLS) {
		printf("\n");
		block_print(table, i, RTE_MIN(i + CELLS, table->n_columns));
	}
	fflush(stdout);
}

static json_t *figure_json(const struct table *table, unsigned int column,
			   const struct figure *figure) {
	json_t *object = json_pack("{s:s, s:f, s:f}", "column", table->columns[column].id,
				   table->unit, figure->ns, "spread", figure->spread);

	if (figure->ratio > 0)
		json_object_set_new(object, "ratio", json_real(figure->ratio));
	return object;
}

static json_t *row_json(const struct table *table, unsigned int row) {
	const struct heading *heading = &table->rows[row];
	json_t *figures = json_array();

	for (unsigned int i = 0; i < table->n_columns; i++)
		if (table->figures[row][i].given)
			json_array_append_new(figures,
					      figure_json(table, i, &table->figures[row][i]));
	return json_pack("{s:s, s:s, s:s?, s:o}", "id", heading->id, "title", heading->title,
			 "absent", heading->absent, "figures", figures);
}

static json_t *table_json(const struct table *table) {
	json_t *rows = json_array(), *columns = json_array();

	for (unsigned int i = 0; i < table->n_columns; i++)
		json_array_append_new(columns, json_pack("{s:s, s:s}", "id", table->columns[i].id,
							 "title", table->columns[i].title));
	for (unsigned int i = 0; i < table->n_rows; i++)
		json_array_append_new(rows, row_json(table, i));
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "id", table->id, "title", table->title,
			 "note", table->note, "columns", columns, "rows", rows);
}

void table_done(const struct table *table) {
	table_print(table);
	json_array_append_new(tables, table_json(table));
}

/* Rounds */

void samples_begin(struct samples *samples, unsigned int n_rounds, double seconds) {
	if (options.quick) {
		n_rounds = (n_rounds + 5) / 6;
		seconds /= 6;
	}
	samples->n_rounds = 0;
	samples->n_rounds_max = n_rounds;
	samples->end_tsc = rte_rdtsc() + (uint64_t)(seconds * rte_get_tsc_hz());
}

bool samples_next(struct samples *samples, unsigned int *round) {
	if (samples->n_rounds == samples->n_rounds_max)
		return false;
	if (samples->n_rounds >= ROUNDS_MIN && rte_rdtsc() > samples->end_tsc)
		return false;
	*round = samples->n_rounds++;
	return true;
}

double samples_ns(uint64_t tsc, uint64_t n) {
	return (double)(rte_rdtsc_precise() - tsc) * 1e9 / rte_get_tsc_hz() / n;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// The value that a part of all are below; sorts them.
static double quantile(double *values, unsigned int n, double part) {
	qsort(values, n, sizeof(*values), compare);
	return values[(unsigned int)(part * (n - 1) + 0.5)];
}

struct figure samples_figure(const struct samples *samples, unsigned int i, int base) {
	double values[ROUNDS_MAX];
	unsigned int n = samples->n_rounds;
	struct figure figure = {.given = true};

	memcpy(values, samples->ns[i], n * sizeof(*values));
	figure.ns = quantile(values, n, 0.5);
	figure.spread = (quantile(values, n, 0.9) - quantile(values, n, 0.1)) / figure.ns;
	if (base < 0)
		return figure;
	for (unsigned int k = 0; k < n; k++)
		values[k] = samples->ns[base][k] / samples->ns[i][k];
	figure.ratio = quantile(values, n, 0.5);
	return figure;
}
