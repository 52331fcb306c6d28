/* SPDX-License-Identifier: BSD-3-Clause */
#include "shell_quote.h"

#include <string.h>

#include "base/utf8.h"

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
