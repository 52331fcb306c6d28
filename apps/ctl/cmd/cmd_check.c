/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl check FILE...: validate profiles and packages, with the place of each error.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "classify/classify.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "package/package.h"

#define TEXT_MAX (1 << 20) // bytes of a profile on standard input
#define LINE_MAX_SHOWN 400 // bytes: longer lines are data
#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

struct checked {
	const char *file;
	bool valid;
	unsigned int n_headers;
	unsigned int n_types;
	uint32_t steps;
	struct ddp_personality loaded; // all zero if it is invalid
	struct ddp_diag diag;
	const char *text; // from standard input; NULL: a file
};

/* Messages */

// The line of a place without newline, to be freed; NULL: none. text: the source if it is no
// readable file, else NULL.
static char *source_line(const struct ddp_place *place, const char *text) {
	FILE *in = NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t len = 0;
	struct stat st;

	if (place->file == NULL || place->line == 0 || place->col == DDP_PLACE_BYTE)
		return NULL;
	if (text != NULL && access(place->file, F_OK) != 0)
		in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	else if (stat(place->file, &st) == 0 && S_ISREG(st.st_mode))
		in = fopen(place->file, "r");
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

// Print the escaped line, and a mark below its character place->col.
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

static void message_print(const struct ddp_message *message, bool color) {
	const bool is_error = message->severity == DDP_ERROR;
	const char *word = is_error ? "error:" : "warning:";
	const int place_len = message->text - message->s - strlen(word) - 1;

	if (!color)
		fprintf(stderr, "%s\n", message->s);
	else
		fprintf(stderr, BOLD "%.*s" PLAIN "%s%s" PLAIN " %s\n", place_len, message->s,
			is_error ? RED : MAGENTA, word, message->text);
}

// Print each message with its source line.
static void diagnostics_print(const struct ddp_diag *diag, const char *text, bool color) {
	unsigned int all = diag->n_errors + diag->n_warnings;

	for (unsigned int i = 0; i < diag->n_kept; i++) {
		const struct ddp_place *place = &diag->messages[i].place;
		char *line = source_line(place, text);

		message_print(&diag->messages[i], color);
		if (line != NULL)
			line_print(line, place, color);
		free(line);
	}
	if (all > diag->n_kept)
		fprintf(stderr, "... and %u more\n", all - diag->n_kept);
}

/* JSON */

static void checked_json(const struct checked *checked, struct json_writer *json) {
	const struct ddp_diag *diag = &checked->diag;

	jsonw_write(json, "{file:%s valid:%d", checked->file, checked->valid);
	if (checked->loaded.package != NULL)
		package_identity_json(json, checked->loaded.package);
	else
		jsonw_write(json, "headers:%u packet_types:%u steps:%u", checked->n_headers,
			    checked->n_types, checked->steps);
	jsonw_write(json, "errors:%u warnings:%u messages:[", diag->n_errors, diag->n_warnings);
	for (unsigned int i = 0; i < diag->n_kept; i++)
		jsonw_text(json, diag->messages[i].s);
	jsonw_write(json, "] diagnostics:[");
	for (unsigned int i = 0; i < diag->n_kept; i++) {
		const struct ddp_message *message = &diag->messages[i];
		const struct ddp_place *place = &message->place;
		const bool is_byte = place->file != NULL && place->col == DDP_PLACE_BYTE;
		const bool is_line = place->file != NULL && place->line > 0 && !is_byte;

		jsonw_write(json, "{file:%s", place->file);
		jsonw_key_uint_or_null(json, "line", is_line, place->line);
		jsonw_key_uint_or_null(json, "column", is_line, place->col);
		jsonw_key_uint_or_null(json, "offset", is_byte, place->line);
		jsonw_write(json, "severity:%s message:%s}",
			    message->severity == DDP_ERROR ? "error" : "warning", message->text);
	}
	jsonw_write(json, "]}");
}

/* Verdicts */

static void verdict_write(const struct checked *checked, FILE *to) {
	const struct ddp_package *package = checked->loaded.package;
	const struct ddp_diag *diag = &checked->diag;

	if (diag->unreadable)
		fputs("cannot be read", to);
	else if (!checked->valid)
		fprintf(to, "invalid (%u error%s, %u warning%s)", diag->n_errors,
			plural(diag->n_errors), diag->n_warnings, plural(diag->n_warnings));
	else
		fputs("OK", to);
	if (package != NULL)
		fprintf(to, ": %s " DDP_VERSION_FMT, package->name,
			DDP_VERSION_NUMBERS(package->version));
	else if (checked->valid)
		fprintf(to, " (%u header%s, %u packet type%s, at most %u steps a packet)",
			checked->n_headers, plural(checked->n_headers), checked->n_types,
			plural(checked->n_types), checked->steps);
}

// Messages go to stderr, so that a script which reads the verdicts does not hide them.
static void checked_print(const struct checked *checked, unsigned int color, struct output *out) {
	const char *no_color = getenv("NO_COLOR"); // no-color.org: set and not empty
	const bool colored = color == COLOR_AUTO ? isatty(STDERR_FILENO) && (no_color == NULL ||
									     no_color[0] == '\0') :
						   color == COLOR_ALWAYS;
	struct strbuf text;

	output_flush(out);
	diagnostics_print(&checked->diag, checked->text, colored);
	strbuf_init(&text);
	verdict_write(checked, text.to);
	output_escaped_printf(out, "%s: %s\n", checked->file, strbuf_take(&text));
	strbuf_fini(&text);
}

// Read standard input. The text is to be freed; NULL with the reason in diag.
static char *stdin_read(size_t *size, struct ddp_diag *diag) {
	const struct ddp_place place = {.file = "-"};
	char *text = calloc_or_exit(1, TEXT_MAX + 1);

	*size = fread(text, 1, TEXT_MAX, stdin);
	if (!ferror(stdin) && *size < TEXT_MAX)
		return text;
	diag->unreadable = true;
	if (ferror(stdin))
		ddp_error(diag, &place, "cannot be read: %s", strerror(errno));
	else
		ddp_error(diag, &place, "more than %d bytes", TEXT_MAX - 1);
	free(text);
	return NULL;
}

static int source_load(struct checked *checked) {
	struct ddp_source source = {0};

	if (strcmp(checked->file, "-") != 0)
		return load_file(&checked->loaded, checked->file, &checked->diag);
	source.text = checked->text = stdin_read(&source.size, &checked->diag);
	if (checked->text == NULL)
		return -EIO;
	return load_sources(&checked->loaded, &source, 1, &checked->diag);
}

// Warn if the worst packet costs too much, or if there are no packet types: then only other
// profiles can use the profile.
static int profile_check(const struct ddp_profile *profile, struct checked *checked) {
	const struct ddp_header *header;
	struct ddp_cost cost;

	if (profile == NULL) // a package
		return 0;
	if (ddp_program_cost(checked->loaded.program, profile, &cost) < 0)
		return ddp_no_memory(&checked->diag);
	checked->steps = cost.steps;
	header = &profile->headers[cost.header];
	if (cost.steps > DDP_COST_MAX)
		ddp_warn(
			&checked->diag, &header->place,
			"a packet can take %u steps, more than %u, and the header '%s' up to %u each "
			"time; use a table instead of many rules",
			cost.steps, DDP_COST_MAX, header->name, cost.header_steps);
	checked->n_headers = profile->n_headers;
	checked->n_types = ddp_program_n_types(checked->loaded.program);
	if (checked->n_types == 0 && profile->n_headers > 0)
		ddp_warn(&checked->diag, &profile->headers[profile->first].place,
			 "there is no packet type, so every packet is unknown and has no hash");
	return 0;
}

static int file_check(const struct check_options *options, const char *file,
		      struct json_writer *json) {
	struct checked checked = {.file = file};
	int status;

	ddp_diag_init(&checked.diag);
	if (source_load(&checked) < 0 || profile_check(checked.loaded.profile, &checked) < 0)
		status = load_status(&checked.diag);
	else
		status = options->strict && checked.diag.n_warnings > 0 ? EXIT_NO : EXIT_GOOD;
	checked.valid = status == EXIT_GOOD;
	if (options->common.format == FORMAT_JSON)
		checked_json(&checked, json);
	else
		checked_print(&checked, options->color, json->out);
	free((char *)(uintptr_t)checked.text);
	ddp_personality_unload(&checked.loaded);
	ddp_diag_fini(&checked.diag);
	return status;
}

int cmd_check(const void *arg, struct output *out) {
	const struct check_options *options = arg;
	const bool is_json = options->common.format == FORMAT_JSON;
	int worst = EXIT_GOOD;
	struct json_writer json;

	jsonw_init(&json, out);
	if (is_json)
		jsonw_open(&json, '[');
	for (unsigned int i = 0; i < options->common.n_files; i++) {
		int status = file_check(options, options->common.files[i], &json);

		if (status > worst)
			worst = status;
	}
	if (is_json)
		jsonw_write(&json, "]\n");
	return worst;
}
