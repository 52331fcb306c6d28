/* SPDX-License-Identifier: BSD-3-Clause */
#include "diag.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

#define ERROR "error: "

static char out_of_memory[] = ERROR "out of memory";

static void message_free(struct ddp_message *message) {
	if (message->s != out_of_memory)
		free(message->s);
	free((char *)(uintptr_t)message->place.file);
}

void ddp_diag_init(struct ddp_diag *diag) {
	memset(diag, 0, sizeof(*diag));
}

void ddp_diag_fini(struct ddp_diag *diag) {
	for (unsigned int i = 0; i < diag->n_kept; i++)
		message_free(&diag->messages[i]);
	memset(diag, 0, sizeof(*diag));
}

// Room for one more message: of a full collection, the last warning gives way to an error.
static bool room_make(struct ddp_diag *diag, enum ddp_severity severity) {
	struct ddp_message *message = diag->messages + diag->n_kept;

	if (diag->n_kept < DDP_DIAG_MAX)
		return true;
	if (severity != DDP_ERROR)
		return false;
	do {
		if (message-- == diag->messages)
			return false;
	} while (message->severity == DDP_ERROR);
	message_free(message);
	diag->n_kept--;
	memmove(message, message + 1, (diag->messages + diag->n_kept - message) * sizeof(*message));
	return true;
}

static void place_write(FILE *out, const struct ddp_place *place) {
	if (place == NULL || place->file == NULL)
		return;
	if (place->col == DDP_PLACE_BYTE)
		fprintf(out, "%s:0x%x: ", place->file, place->line);
	else if (place->line != 0)
		fprintf(out, "%s:%u:%u: ", place->file, place->line, place->col);
	else
		fprintf(out, "%s: ", place->file);
}

// One line that does nothing to a terminal, whatever a name in it is; text begins at byte start.
static void message_escape(const char *raw, size_t start, struct ddp_message *message) {
	const size_t size = 4 * strlen(raw) + 1;
	char *prefix = strndup(raw, start);
	size_t len;

	message->s = prefix != NULL ? malloc(size) : NULL;
	if (message->s != NULL) {
		ddp_escape(prefix, message->s, size);
		len = strlen(message->s);
		message->text = message->s + len;
		ddp_escape(raw + start, message->s + len, size - len);
	}
	free(prefix);
}

// s of the result is NULL if there is no memory.
static struct ddp_message message_make(enum ddp_severity severity, const struct ddp_place *place,
				       const char *fmt, va_list ap) {
	struct ddp_message message = {.severity = severity};
	char *raw = NULL;
	size_t size = 0, start;
	FILE *out = open_memstream(&raw, &size);
	bool failed;

	if (out == NULL)
		return message;
	place_write(out, place);
	fputs(severity == DDP_ERROR ? ERROR : "warning: ", out);
	failed = fflush(out) != 0;
	start = size;
	vfprintf(out, fmt, ap);
	failed |= ferror(out) != 0;
	failed |= fclose(out) != 0;
	if (!failed && raw != NULL) // without memory it is closed all the same
		message_escape(raw, start, &message);
	free(raw);
	if (message.s == NULL || place == NULL || place->file == NULL)
		return message;
	message.place = *place;
	message.place.file = strdup(place->file);
	if (message.place.file == NULL) {
		free(message.s);
		message.s = NULL;
	}
	return message;
}

static bool is_kept(const struct ddp_diag *diag, const char *message) {
	for (unsigned int i = 0; i < diag->n_kept; i++)
		if (strcmp(diag->messages[i].s, message) == 0)
			return true;
	return false;
}

static void message_add(struct ddp_diag *diag, struct ddp_message message) {
	const bool is_error = message.severity == DDP_ERROR;

	if (message.s != NULL && is_kept(diag, message.s)) { // a parameter that is used twice
		diag->n_repeats += is_error;
		message_free(&message);
		return;
	}
	diag->n_errors += is_error;
	diag->n_warnings += !is_error;
	if (message.s != NULL && room_make(diag, message.severity))
		diag->messages[diag->n_kept++] = message;
	else
		message_free(&message);
}

void ddp_diag_add(struct ddp_diag *diag, enum ddp_severity severity, const struct ddp_place *place,
		  const char *fmt, ...) {
	struct ddp_message message;
	va_list ap;

	va_start(ap, fmt);
	message = message_make(severity, place, fmt, ap);
	va_end(ap);
	assert(diag->n_kept <= DDP_DIAG_MAX);
	if (message.s == NULL && severity == DDP_ERROR)
		ddp_no_memory(diag);
	else
		message_add(diag, message);
}

int ddp_no_memory(struct ddp_diag *diag) {
	diag->no_memory = true;
	diag->unreadable = true;
	message_add(diag, (struct ddp_message){.s = out_of_memory,
					       .text = out_of_memory + strlen(ERROR)});
	errno = ENOMEM;
	return -ENOMEM;
}

const char *ddp_diag_first(const struct ddp_diag *diag) {
	if (diag->no_memory)
		return out_of_memory; // the other messages may be incomplete
	for (unsigned int i = 0; i < diag->n_kept; i++)
		if (diag->messages[i].severity == DDP_ERROR)
			return diag->messages[i].s;
	return "";
}

const char *ddp_diag_reason(const struct ddp_diag *diag) {
	const char *first = ddp_diag_first(diag);

	return strncmp(first, ERROR, strlen(ERROR)) == 0 ? first + strlen(ERROR) : first;
}

void ddp_diag_print(const struct ddp_diag *diag, FILE *out) {
	unsigned int all = diag->n_errors + diag->n_warnings;

	for (unsigned int i = 0; i < diag->n_kept; i++)
		fprintf(out, "%s\n", diag->messages[i].s);
	if (all > diag->n_kept)
		fprintf(out, "... and %u more\n", all - diag->n_kept);
}

#define NAME_LEN_MAX 63 // characters

static size_t least(size_t a, size_t b) {
	return a < b ? a : b;
}

// Edits that turn a into b, for names of at most NAME_LEN_MAX characters: a letter more, less or
// another, or two neighbours exchanged (optimal string alignment).
static size_t distance(const char *a, const char *b) {
	size_t rows[3][NAME_LEN_MAX + 1]; // of the letters i, i - 1 and i - 2 of a, by i % 3
	size_t a_len = strlen(a), b_len = strlen(b);

	for (size_t i = 0; i <= a_len; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			if (i == 0) {
				row[j] = j;
				continue;
			}
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

const char *ddp_nearest(const char *written, const char *const *names, unsigned int n) {
	const char *best = NULL;
	size_t len = strlen(written);
	size_t limit = len <= 3 ? 2 : len <= 7 ? 3 : 4; // first distance that is too far

	if (len == 0 || len > NAME_LEN_MAX)
		return NULL;
	for (unsigned int i = 0; i < n; i++) {
		size_t d;

		if (names[i] == NULL || strlen(names[i]) > NAME_LEN_MAX)
			continue;
		d = distance(written, names[i]);
		if (d < limit && d < len) {
			best = names[i];
			limit = d;
		}
	}
	return best;
}
