/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"

#define GAP 2 // blanks between two columns

// The number of characters that output_escaped() writes.
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

// Write a cell, and the pending blanks before it unless it is empty.
static void cell_write(struct table *table, unsigned int column, const char *text,
		       unsigned int *blanks) {
	unsigned int fill = table->widths[column] - text_width(text);
	bool right = table->right[column];

	if (*text != '\0') {
		output_blanks(table->out, *blanks + (right ? fill : 0));
		output_escaped(table->out, text);
		*blanks = right ? 0 : fill;
	} else {
		*blanks += fill;
	}
	*blanks += GAP;
}

static void rows_write(struct table *table) {
	const char *text = strbuf_take(&table->cells), *at = text;
	unsigned int blanks = 0;

	for (unsigned int i = 0; i < table->n_cells; i++, at += strlen(at) + 1) {
		unsigned int *width = &table->widths[i % table->n_columns];

		if (text_width(at) > *width)
			*width = text_width(at);
	}
	for (unsigned int i = 0; i < table->n_cells; i++) {
		cell_write(table, i % table->n_columns, text, &blanks);
		if (i % table->n_columns == table->n_columns - 1) {
			output_char(table->out, '\n');
			blanks = 0;
		}
		text += strlen(text) + 1;
	}
	table->n_cells = 0;
	table->titled = true;
}

// Titles are the first row.
static void column_add(struct table *table, const char *title, int len, bool right) {
	assert(table->n_columns < TABLE_COLUMNS_MAX);
	table->right[table->n_columns++] = right;
	table->n_cells++;
	if (fprintf(table->cells.to, "%.*s%c", len, title, '\0') < 0)
		no_memory_exit();
}

void table_column(struct table *table, const char *title) {
	column_add(table, title, strlen(title), false);
}

void table_columns(struct table *table, const char *titles) {
	while (*titles != '\0') {
		bool right = *titles == '>';
		size_t len = strcspn(titles, "|");

		column_add(table, titles + right, len - right, right);
		titles += len + (titles[len] == '|');
	}
}

void table_init(struct table *table, struct output *out, const char *titles) {
	memset(table, 0, sizeof(*table));
	table->out = out;
	strbuf_init(&table->cells);
	table_columns(table, titles);
}

void table_printf(struct table *table, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	if (vfprintf(table->cells.to, fmt, ap) < 0)
		no_memory_exit();
	va_end(ap);
}

void table_next(struct table *table) {
	if (fputc('\0', table->cells.to) == EOF) // out of memory, which ferror() does not report
		no_memory_exit();
	table->n_cells++;
	assert(table->n_columns > 0);
	if (table->n_cells == (TABLE_ROWS + !table->titled) * table->n_columns)
		rows_write(table);
}

void table_cell(struct table *table, const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	if (vfprintf(table->cells.to, fmt, ap) < 0)
		no_memory_exit();
	va_end(ap);
	table_next(table);
}

void table_text(struct table *table, const char *text) {
	table_cell(table, "%s", text);
}

void table_share(struct table *table, double share) {
	table_text(table, share_text(share, 1, "%").text);
}

void table_number(struct table *table, uint64_t number) {
	table_cell(table, "%" PRIu64, number);
}

void table_flush(struct table *table) {
	if (table->n_cells > 0)
		rows_write(table);
}

void table_fini(struct table *table) {
	rows_write(table);
	strbuf_fini(&table->cells);
}
