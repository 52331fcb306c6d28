/* SPDX-License-Identifier: BSD-3-Clause */
// A stream into memory.
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

// Exits if there is no memory.
void strbuf_init(struct strbuf *text);
void strbuf_fini(struct strbuf *text);

// The text since the last call, valid until the next write.
const char *strbuf_take(struct strbuf *text);

// Write a part of a line. Invisible characters and newlines are escaped: text of other sources must
// not control the terminal or end the line.
void output_escaped(struct output *out, const char *s);

// As output_escaped() for a format. Newlines at the begin and end of fmt are not escaped.
void output_escaped_printf(struct output *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Write text inside of markup: its special characters as entities, control characters as blanks.
void output_markup(struct output *out, const char *text, size_t len);

// Print "ddpctl: ..." and a newline to stderr, escaped.
void error_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// As output_escaped() for a paragraph that begins at column, and a newline. Lines are wrapped at
// output_columns() and indented.
void output_wrapped(struct output *out, const char *s, unsigned int column, unsigned int indent);

// As output_wrapped() from column 0, for a format.
void output_wrapped_printf(struct output *out, unsigned int indent, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// A share of 0 to 1 in percent, such as "12.3%" with 1 decimal and unit "%". Shares below 0.1 %
// have two decimals, those below 0.01 % are "<0.01%", and only 0 is "0.0%".
struct share_text {
	char text[16];
} share_text(double share, int decimals, const char *unit);

const char *plural(unsigned int n);      // "s" for all numbers but 1
const char *or_dash(const char *text);   // "-" for NULL
const char *path_name(const char *path); // the last component

// Write two digits for each byte, with a blank after each group of bytes.
void bytes_write(FILE *to, const uint8_t *bytes, unsigned int n, unsigned int group);

// Write a word, quoted for a shell if necessary, so that users can copy and run it. Invisible bytes
// are written as $'\033', which bash, zsh, ksh and POSIX of 2024 read.
void shell_word(FILE *to, const char *word);

// Write a command: words up to NULL, separated by blanks.
void shell_line(FILE *to, const char *const *words);

#endif
