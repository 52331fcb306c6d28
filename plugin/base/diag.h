/* SPDX-License-Identifier: BSD-3-Clause */
// Messages about a user's input: a text and a position.
//
// Code that reads something a user wrote (a profile, a package) collects messages here and goes on
// as far as it can, so that one run shows every mistake. Only the program on top prints them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define DDP_DIAG_MAX 100 // messages stored, errors before warnings; further ones are only counted

// A position in a file. line and col count from 1; line 0: the whole file, file NULL: none. In a
// binary file, col is DDP_PLACE_BYTE and line the offset of a byte, from 0. The file name is
// borrowed: it must outlive the diag.
struct ddp_place {
	const char *file;
	uint32_t line;
	uint32_t col;
};

#define DDP_PLACE_BYTE UINT32_MAX
#define DDP_FILE(path) (&(const struct ddp_place){.file = (path)}) // a whole file

// Text inside a file, as it stands there, so that an error can point into it.
struct ddp_text {
	const char *s;
	size_t len;
	struct ddp_place place; // of s[0]
};

enum ddp_severity {
	DDP_ERROR,
	DDP_WARNING,
};

struct ddp_message {
	char *s;                // "file:line:col: error: text"
	const char *text;       // in it, the part after place and severity
	struct ddp_place place; // file NULL: none; else diag's own
	enum ddp_severity severity;
};

struct ddp_diag {
	struct ddp_message messages[DDP_DIAG_MAX];
	unsigned int n_kept;
	unsigned int n_errors;
	unsigned int n_repeats; // errors reported before, not counted above
	unsigned int n_warnings;
	bool unreadable; // a file could not be read at all (ddpctl exits 3, not 1)
	bool no_memory;  // for want of memory, so nothing is known of the input: -ENOMEM
};

void ddp_diag_init(struct ddp_diag *diag);
void ddp_diag_fini(struct ddp_diag *diag);

// Add "file:line:col: error: text" or "file:0x1234: error: text", once: one line, in which
// characters that are not printable are escaped (see utf8.h). place may be NULL.
void ddp_diag_add(struct ddp_diag *diag, enum ddp_severity severity, const struct ddp_place *place,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#define ddp_error(diag, place, ...) ddp_diag_add(diag, DDP_ERROR, place, __VA_ARGS__)
#define ddp_warn(diag, place, ...) ddp_diag_add(diag, DDP_WARNING, place, __VA_ARGS__)
// Add an error; evaluates to false, for functions that return whether they succeeded.
#define ddp_refuse(diag, place, ...) (ddp_error(diag, place, __VA_ARGS__), false)
// Likewise to NULL, for functions that return an object.
#define ddp_refuse_null(diag, place, ...) (ddp_error(diag, place, __VA_ARGS__), NULL)

// Add "error: out of memory", without memory, as for errors whose text had none. Returns -ENOMEM.
int ddp_no_memory(struct ddp_diag *diag);

// The first error, "" for none; before all others, that there is no memory. Owned by diag.
const char *ddp_diag_first(const struct ddp_diag *diag);
// Like ddp_diag_first(), but without "error: " before a message without a position.
const char *ddp_diag_reason(const struct ddp_diag *diag);

// Errors that were added, repeated ones included: grows with every failure.
static inline unsigned int ddp_diag_failures(const struct ddp_diag *diag) {
	return diag->n_errors + diag->n_repeats;
}

// Print one message a line.
void ddp_diag_print(const struct ddp_diag *diag, FILE *out);

// Of n names, the one nearest to what was written, or NULL when none is near enough to be meant.
const char *ddp_nearest(const char *written, const char *const *names, unsigned int n);
