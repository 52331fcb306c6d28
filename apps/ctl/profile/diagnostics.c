/* SPDX-License-Identifier: BSD-3-Clause */
#include "diagnostics.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "common/json_writer.h"
#include "common/output.h"

#define LINE_MAX_SHOWN 400 // bytes of a line: one of more is data
#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

bool is_colored(unsigned int color, int fd) {
	const char *no_color = getenv("NO_COLOR"); // no-color.org: set and not empty

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(fd) && (no_color == NULL || no_color[0] == '\0');
}

/* The line of the source */

static FILE *source_open(const struct ddp_place *place, const char *text) {
	struct stat st;

	if (text != NULL)
		return fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	if (stat(place->file, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	return fopen(place->file, "r");
}

// A line, without its end, to be freed; NULL: there is none to show.
static char *source_line(const struct ddp_place *place, const char *text) {
	FILE *in = source_open(place, text);
	char *line = NULL;
	size_t size = 0;
	ssize_t len = 0;

	for (uint32_t n = 0; in != NULL && n < place->line && len >= 0; n++)
		len = getline(&line, &size, in);
	if (in != NULL)
		fclose(in);
	if (in == NULL || len <= 0 || len > LINE_MAX_SHOWN) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

// The line as a terminal shows it, and the mark below its character number place->col.
static void line_print(const char *line, const struct ddp_place *place, bool color) {
	unsigned int before = 0, col = 1;
	char escaped[DDP_ESCAPED_SIZE];

	fprintf(stderr, "%6u | ", place->line);
	for (const char *at = line; *at != '\0'; col++) {
		if (*at == '\t') {
			strcpy(escaped, " ");
			at++;
		} else {
			at += ddp_escape_char(at, escaped);
		}
		if (col < place->col)
			before += escaped[0] == '\\' ? strlen(escaped) : 1;
		fputs(escaped, stderr);
	}
	fprintf(stderr, "\n       | %*s%s^%s\n", (int)before, "", color ? GREEN : "",
		color ? PLAIN : "");
}

static void message_print(const struct ddp_diag *diag, unsigned int i, bool color) {
	const char *message = diag->messages[i], *text = diag->texts[i];
	const char *word = diag->severities[i] == DDP_ERROR ? "error:" : "warning:";
	const int place_len = text - message - strlen(word) - 1;

	if (!color)
		fprintf(stderr, "%s\n", message);
	else
		fprintf(stderr, BOLD "%.*s" PLAIN "%s%s" PLAIN " %s\n", place_len, message,
			diag->severities[i] == DDP_ERROR ? RED : MAGENTA, word, text);
}

void diagnostics_print(const struct ddp_diag *diag, const char *text, bool color) {
	unsigned int all = diag->n_errors + diag->n_warnings;

	for (unsigned int i = 0; i < diag->n_kept; i++) {
		const struct ddp_place *place = &diag->places[i];
		char *line = NULL;

		message_print(diag, i, color);
		if (place->file != NULL && place->line > 0 && place->col != DDP_PLACE_BYTE)
			line = source_line(place, access(place->file, F_OK) == 0 ? NULL : text);
		if (line != NULL)
			line_print(line, place, color);
		free(line);
	}
	if (all > diag->n_kept)
		fprintf(stderr, "... and %u more\n", all - diag->n_kept);
}

/* For machines */

static void place_json(const struct ddp_place *place, struct json_writer *json) {
	const bool has_line = place->file != NULL && place->line > 0;
	const bool is_byte = place->file != NULL && place->col == DDP_PLACE_BYTE;

	jsonw_key_text(json, "file", place->file);
	jsonw_key_uint_or_null(json, "line", has_line && !is_byte, place->line);
	jsonw_key_uint_or_null(json, "column", has_line && !is_byte, place->col);
	jsonw_key_uint_or_null(json, "offset", is_byte, place->line);
}

void diagnostics_json(const struct ddp_diag *diag, struct json_writer *json) {
	jsonw_write(json, "errors:%u warnings:%u", diag->n_errors, diag->n_warnings);
	jsonw_key_texts(json, "messages", (const char *const *)diag->messages, diag->n_kept);
	jsonw_key_open(json, "diagnostics", '[');
	for (unsigned int i = 0; i < diag->n_kept; i++) {
		jsonw_open(json, '{');
		place_json(&diag->places[i], json);
		jsonw_key_text(json, "severity",
			       diag->severities[i] == DDP_ERROR ? "error" : "warning");
		jsonw_key_text(json, "message", diag->texts[i]);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}
