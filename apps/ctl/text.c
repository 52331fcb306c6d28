/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include <stdlib.h>
#include <string.h>

static void fail(void) {
	fputs("ddpctl: out of memory\n", stderr);
	abort();
}

void text_init(struct text *text) {
	text->to = open_memstream(&text->s, &text->size);
	if (text->to == NULL)
		fail();
}

void text_fini(struct text *text) {
	fclose(text->to);
	free(text->s);
}

const char *text_take(struct text *text) {
	fputc('\0', text->to);
	if (fflush(text->to) != 0)
		fail();
	rewind(text->to);
	return text->s;
}

static void char_write(struct output *out, char c) {
	output_char(out, ((unsigned char)c < 0x20 && c != '\n') || c == 0x7f ? '?' : c);
}

void text_write(struct output *out, const char *s) {
	for (; *s != '\0'; s++)
		char_write(out, *s);
}

static void blanks_write(struct output *out, unsigned int n) {
	while (n-- > 0)
		output_char(out, ' ');
}

void text_wrap(struct output *out, const char *s, unsigned int column, unsigned int indent) {
	while (*s != '\0') {
		size_t len = 1 + strcspn(s + 1, " "); // a word and the blank before it

		if (*s == ' ' && column + len > TEXT_COLUMNS) {
			output_char(out, '\n');
			blanks_write(out, indent);
			column = indent;
			s++;
			len--;
		}
		for (size_t i = 0; i < len; i++)
			char_write(out, s[i]);
		column += len;
		s += len;
	}
}

const char *plural(unsigned int n) {
	return n == 1 ? "" : "s";
}
