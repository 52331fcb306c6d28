/* SPDX-License-Identifier: BSD-3-Clause */
#include "print.h"

#include <assert.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NAME_WIDTH 38
#define CELL_WIDTH 16
#define WIDTH_DEFAULT 132

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

static unsigned int width_get(FILE *out) {
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= NAME_WIDTH + CELL_WIDTH)
		return size.ws_col;
	return WIDTH_DEFAULT;
}

static void figure_print(const struct figure *figure, FILE *out) {
	char text[CELL_WIDTH] = "-";

	if (figure->given && figure->ratio > 0)
		snprintf(text, sizeof(text), "%.2f (%.2f)", figure->ns, figure->ratio);
	else if (figure->given)
		snprintf(text, sizeof(text), "%.2f", figure->ns);
	fprintf(out, "%*s", CELL_WIDTH, text);
}

// Columns from first to before end.
static void block_print(const struct table *table, unsigned int first, unsigned int end,
			FILE *out) {
	fprintf(out, "%-*s", NAME_WIDTH, "");
	for (unsigned int i = first; i < end; i++)
		fprintf(out, "%*s", CELL_WIDTH, table->columns[i].title);
	fprintf(out, "\n");
	for (unsigned int row = 0; row < table->n_rows; row++) {
		const struct heading *heading = &table->rows[row];

		fprintf(out, "%-*s", NAME_WIDTH, heading->title);
		if (heading->absent != NULL)
			fprintf(out, "  %s", heading->absent);
		else
			for (unsigned int i = first; i < end; i++)
				figure_print(&table->figures[row][i], out);
		fprintf(out, "\n");
	}
}

void table_print(const struct table *table, FILE *out) {
	unsigned int fit = (width_get(out) - NAME_WIDTH) / CELL_WIDTH;

	fprintf(out, "\n%s\n%s\n", table->title, table->note);
	for (unsigned int i = 0; i < table->n_columns; i += fit) {
		unsigned int end = i + fit < table->n_columns ? i + fit : table->n_columns;

		fprintf(out, "\n");
		block_print(table, i, end, out);
	}
	fflush(out);
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

json_t *table_json(const struct table *table) {
	json_t *rows = json_array(), *columns = json_array();

	for (unsigned int i = 0; i < table->n_columns; i++)
		json_array_append_new(columns, json_pack("{s:s, s:s}", "id", table->columns[i].id,
							 "title", table->columns[i].title));
	for (unsigned int i = 0; i < table->n_rows; i++)
		json_array_append_new(rows, row_json(table, i));
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "id", table->id, "title", table->title,
			 "note", table->note, "columns", columns, "rows", rows);
}
