/* SPDX-License-Identifier: BSD-3-Clause */
// A stream into memory, for text that is put together before it goes anywhere.
//
//	fprintf(text.to, "%u", n);
//	jsonw_text(&emit, strbuf_take(&text));
#ifndef COMMON_STRBUF_H
#define COMMON_STRBUF_H

#include <stddef.h>
#include <stdio.h>

#include "output.h"

struct strbuf {
	FILE *to;
	char *s;
	size_t size;
};

// Without memory the process ends.
void strbuf_init(struct strbuf *text);
void strbuf_fini(struct strbuf *text);

// What was written since the last call; valid until something is written again.
const char *strbuf_take(struct strbuf *text);

// Write a part of one line for a terminal. What comes from others' files must neither drive the
// terminal nor end the line, so what does not show itself is escaped, newlines too.
void output_escaped(struct output *out, const char *s);

// The same for a format, whose own newlines at its begin and end are written as they are.
void output_escaped_printf(struct output *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Inside markup: what would be some itself as an entity, what does not show itself as a blank.
void output_markup(struct output *out, const char *text, size_t len);

// "ddpctl: ..." and a newline to stderr, escaped as well.
void error_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// As output_escaped() for one paragraph that begins at column, and a newline: what would go beyond
// output_columns() goes on, after indent blanks, on the next line.
void output_wrapped(struct output *out, const char *s, unsigned int column, unsigned int indent);

// As output_wrapped() from column 0, for a format.
void output_wrapped_printf(struct output *out, unsigned int indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// A share of 0 to 1 in percent, such as "12.3%" with 1 decimal and unit "%". What is there is never
// "0.0%": shares below 0.1 % have two decimals, those below 0.01 % are "<0.01%".
struct share_text {
	char text[16];
} share_text(double share, int decimals, const char *unit);

const char *plural(unsigned int n);      // "s" for all numbers but 1
const char *or_dash(const char *text);   // "-" for NULL
const char *path_name(const char *path); // its last part

// Two digits for each byte, with a blank between groups of so many.
void bytes_write(FILE *to, const uint8_t *bytes, unsigned int n, unsigned int group);

#endif
