/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "strbuf.h"

#define GAP 2 // blanks between columns

// Characters, not bytes, as output_escaped() writes them.
static unsigned int text_width(const char *text) {
	char escaped[DDP_ESCAPED_SIZE];
	unsigned int width = 0;

	while (*text != '\0') {
		if (*text >= ' ' && *text <= '~') {
			width++;
			text++;
			continue;
		}
		text += ddp_escape_char(text, escaped);
		width += (unsigned char)escaped[0] < 0x80 ? strlen(escaped) : 1;
	}
	return width;
}

static void blanks_write(struct output *out, unsigned int n) {
	while (n-- > 0)
		output_char(out, ' ');
}

// Blanks are written only when something follows them.
static void cell_write(struct table *table, unsigned int column, const char *text,
		       unsigned int *blanks) {
	unsigned int fill = table->widths[column] - text_width(text);
	bool right = table->columns[column].right;

	if (*text != '\0') {
		blanks_write(table->out, *blanks + (right ? fill : 0));
		output_escaped(table->out, text);
		*blanks = right ? 0 : fill;
	} else {
		*blanks += fill;
	}
	*blanks += GAP;
}

static void titles_write(struct table *table) {
	unsigned int blanks = 0;

	for (unsigned int i = 0; i < table->n_columns; i++)
		cell_write(table, i, table->columns[i].title, &blanks);
	output_char(table->out, '\n');
	table->titled = true;
}

static void widths_grow(struct table *table) {
	const char *text = table->text;

	for (unsigned int i = 0; i < table->n_cells; i++) {
		unsigned int *width = &table->widths[i % table->n_columns];

		if (text_width(text) > *width)
			*width = text_width(text);
		text += strlen(text) + 1;
	}
}

static void rows_write(struct table *table) {
	const char *text;
	unsigned int blanks = 0;

	if (fflush(table->cells) != 0) {
		table->out->error = errno;
		return;
	}
	text = table->text;
	widths_grow(table);
	if (!table->titled)
		titles_write(table);
	for (unsigned int i = 0; i < table->n_cells; i++) {
		cell_write(table, i % table->n_columns, text, &blanks);
		if (i % table->n_columns == table->n_columns - 1) {
			output_char(table->out, '\n');
			blanks = 0;
		}
		text += strlen(text) + 1;
	}
	table->n_cells = 0;
	rewind(table->cells);
}

void table_init(struct table *table, struct output *out, const struct table_column *columns,
		unsigned int n_columns) {
	assert(n_columns <= TABLE_COLUMNS_MAX);
	memset(table, 0, sizeof(*table));
	table->out = out;
	table->columns = columns;
	table->n_columns = n_columns;
	for (unsigned int i = 0; i < n_columns; i++)
		table->widths[i] = text_width(columns[i].title);
	table->cells = open_memstream(&table->text, &table->text_size);
	if (table->cells == NULL)
		out->error = errno;
}

static void cell_vprintf(struct table *table, const char *fmt, va_list ap) {
	if (table->cells != NULL && vfprintf(table->cells, fmt, ap) < 0)
		table->out->error = errno;
}

void table_printf(struct table *table, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	cell_vprintf(table, fmt, ap);
	va_end(ap);
}

void table_next(struct table *table) {
	if (table->cells == NULL)
		return;
	fputc('\0', table->cells);
	table->n_cells++;
	if (table->n_cells == TABLE_ROWS * table->n_columns)
		rows_write(table);
}

void table_cell(struct table *table, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	cell_vprintf(table, fmt, ap);
	va_end(ap);
	table_next(table);
}

void table_text(struct table *table, const char *text) {
	table_cell(table, "%s", text);
}

void table_number(struct table *table, uint64_t number) {
	table_cell(table, "%" PRIu64, number);
}

void table_flush(struct table *table) {
	if (table->cells != NULL && table->n_cells > 0)
		rows_write(table);
}

void table_fini(struct table *table) {
	if (table->cells == NULL)
		return;
	rows_write(table);
	fclose(table->cells);
	free(table->text);
}
