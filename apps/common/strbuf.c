/* SPDX-License-Identifier: BSD-3-Clause */
#include "strbuf.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void strbuf_init(struct strbuf *text) {
	text->to = open_memstream(&text->s, &text->size);
	if (text->to == NULL)
		no_memory_exit();
}

void strbuf_fini(struct strbuf *text) {
	fclose(text->to);
	free(text->s);
}

const char *strbuf_take(struct strbuf *text) {
	if (fputc('\0', text->to) == EOF || fflush(text->to) != 0 || ferror(text->to) ||
	    text->s == NULL)
		no_memory_exit();
	rewind(text->to);
	return text->s;
}

static void chars_write(struct output *out, const char *s, size_t len) {
	const char *end = s + len;

	while (s < end) {
		char escaped[DDP_ESCAPED_SIZE];
		size_t plain = 0;

		while (s + plain < end && s[plain] >= ' ' && s[plain] <= '~')
			plain++;
		output_mem(out, s, plain);
		s += plain;
		if (s < end) {
			s += ddp_escape_char(s, escaped);
			output_text(out, escaped);
		}
	}
}

void output_escaped(struct output *out, const char *s) {
	chars_write(out, s, strlen(s));
}

void output_escaped_printf(struct output *out, const char *fmt, ...) {
	size_t before = strspn(fmt, "\n"), after = strlen(fmt);
	char *text = NULL;
	va_list ap;
	int len;

	while (after > before && fmt[after - 1] == '\n')
		after--;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		no_memory_exit();
	output_mem(out, fmt, before);
	chars_write(out, text + before, len - before - strlen(fmt + after));
	output_text(out, fmt + after);
	free(text);
}

void output_markup(struct output *out, const char *text, size_t len) {
	for (const char *at = text; at < text + len; at++) {
		if (*at == '&')
			output_text(out, "&amp;");
		else if (*at == '<')
			output_text(out, "&lt;");
		else if (*at == '>')
			output_text(out, "&gt;");
		else
			output_char(out, (unsigned char)*at < ' ' ? ' ' : *at);
	}
}

void error_print(const char *fmt, ...) {
	char text[2 * PATH_MAX], line[2 * PATH_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ddp_escape(text, line, sizeof(line));
	fprintf(stderr, "ddpctl: %s\n", line);
}

void output_wrapped(struct output *out, const char *s, unsigned int column, unsigned int indent) {
	const unsigned int columns = output_columns(out);

	while (*s != '\0') {
		size_t len = 1 + strcspn(s + 1, " "); // a word with the blank before it

		if (*s == ' ' && column + len > columns) {
			output_char(out, '\n');
			output_blanks(out, indent);
			column = indent;
			s++;
			len--;
		}
		chars_write(out, s, len);
		column += len;
		s += len;
	}
	output_char(out, '\n');
}

void output_wrapped_printf(struct output *out, unsigned int indent, const char *fmt, ...) {
	char *s = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&s, fmt, args) < 0)
		no_memory_exit();
	va_end(args);
	output_wrapped(out, s, 0, indent);
	free(s);
}

struct share_text share_text(double share, int decimals, const char *unit) {
	const double percent = 100 * share;
	struct share_text to;

	if (percent > 0 && percent < 0.01)
		snprintf(to.text, sizeof(to.text), "<0.01%s", unit);
	else
		snprintf(to.text, sizeof(to.text), "%.*f%s",
			 percent > 0 && percent < 0.1 ? 2 : decimals, percent, unit);
	return to;
}

const char *plural(unsigned int n) {
	return n == 1 ? "" : "s";
}

const char *or_dash(const char *text) {
	return text != NULL ? text : "-";
}

const char *path_name(const char *path) {
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void bytes_write(FILE *to, const uint8_t *bytes, unsigned int n, unsigned int group) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "%s%02x", i > 0 && i % group == 0 ? " " : "", bytes[i]);
}

/* Words for a shell */

static bool is_plain(const char *word) {
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";

	return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

static bool is_graphic(const char *word) {
	while (*word != '\0') {
		uint32_t character;
		size_t len = ddp_utf8_decode(word, &character);

		if (len == 0 || !ddp_utf8_is_graphic(character))
			return false;
		word += len;
	}
	return true;
}

static void quoted(FILE *to, const char *word) {
	fputc('\'', to);
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	}
	fputc('\'', to);
}

static void escaped(FILE *to, const char *word) {
	fputs("$'", to);
	for (; *word != '\0'; word++) {
		unsigned char c = *word;

		if (c < 0x20 || c >= 0x7f)
			fprintf(to, "\\%03o", c);
		else if (c == '\'' || c == '\\')
			fprintf(to, "\\%c", c);
		else
			fputc(c, to);
	}
	fputc('\'', to);
}

void shell_word(FILE *to, const char *word) {
	if (is_plain(word))
		fputs(word, to);
	else if (is_graphic(word))
		quoted(to, word);
	else
		escaped(to, word);
}

void shell_line(FILE *to, const char *const *words) {
	for (unsigned int i = 0; words[i] != NULL; i++) {
		if (i > 0)
			fputc(' ', to);
		shell_word(to, words[i]);
	}
}
