/* SPDX-License-Identifier: BSD-3-Clause */
// Words and signs of a profile's small languages.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

// Longest first, so that "<<" is not read as "<".
static const char *const signs[] = {
	"...", "==", "!=", "<=", ">=", "<<", ">>", "+", "-", "*", "(", ")", "[",
	"]",   "?",  ":",  ",",  "=",  "<",  ">",  "&", "|", "/", "!", "{", "}",
};

static bool is_word_char(char c) {
	return isalnum((unsigned char)c) || c == '_';
}

// Letters, digits and '_'; '.' and '#' count when a word goes on behind them.
static size_t word_len(const struct ddp_text *text) {
	size_t n = 0;

	while (n < text->len) {
		bool joins = (text->s[n] == '.' || text->s[n] == '#') && n > 0 &&
			     n + 1 < text->len && is_word_char(text->s[n + 1]);

		if (!is_word_char(text->s[n]) && !joins)
			break;
		n++;
	}
	return n;
}

static void number_read(struct ddp_lexer *lexer) {
	struct ddp_token *token = &lexer->token;
	char digits[24];
	char *end;

	token->kind = DDP_TOKEN_BAD;
	token->len = word_len(&lexer->rest);
	errno = 0;
	if (token->len < sizeof(digits)) {
		bool hex;

		memcpy(digits, token->s, token->len);
		digits[token->len] = '\0';
		hex = strncmp(digits, "0x", 2) == 0;
		token->number = strtoull(digits, &end, hex ? 16 : 10);
		if (*end == '\0' && errno == 0)
			token->kind = DDP_TOKEN_NUMBER;
	}
	if (token->kind == DDP_TOKEN_BAD)
		ddp_error(lexer->diag, &token->place, "'%.*s' is not a number%s", (int)token->len,
			  token->s, errno == ERANGE ? " of at most 64 bits" : "");
}

static void sign_read(struct ddp_lexer *lexer) {
	struct ddp_token *token = &lexer->token;

	for (unsigned int i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t len = strlen(signs[i]);

		if (len <= lexer->rest.len && memcmp(lexer->rest.s, signs[i], len) == 0) {
			token->kind = DDP_TOKEN_SIGN;
			token->len = len;
			return;
		}
	}
	token->kind = DDP_TOKEN_BAD;
	token->len = 1;
	while (token->len < lexer->rest.len && ((unsigned char)token->s[token->len] & 0xc0) == 0x80)
		token->len++; // a letter of several bytes
	if (iscntrl((unsigned char)*token->s))
		ddp_error(lexer->diag, &token->place, "unexpected control character 0x%02x",
			  *token->s);
	else
		ddp_error(lexer->diag, &token->place, "unexpected character '%.*s'",
			  (int)token->len, token->s);
}

static void token_read(struct ddp_lexer *lexer) {
	struct ddp_text *rest = &lexer->rest;
	struct ddp_token *token = &lexer->token;

	while (rest->len > 0 && isspace((unsigned char)*rest->s))
		ddp_text_advance(rest, 1);
	*token = (struct ddp_token){.kind = DDP_TOKEN_END, .s = rest->s, .place = rest->place};
	if (rest->len == 0)
		return;
	if (isdigit((unsigned char)*rest->s)) {
		number_read(lexer);
	} else if (is_word_char(*rest->s)) {
		token->kind = DDP_TOKEN_NAME;
		token->len = word_len(rest);
	} else if (*rest->s == '$' && rest->len > 1 && is_word_char(rest->s[1])) {
		ddp_text_advance(rest, 1);
		token->kind = DDP_TOKEN_PARAM;
		token->s = rest->s;
		token->len = word_len(rest);
	} else {
		sign_read(lexer);
	}
	ddp_text_advance(rest, token->len);
}

void ddp_lexer_init(struct ddp_lexer *lexer, const struct ddp_text *text, struct ddp_diag *diag) {
	lexer->rest = *text;
	lexer->diag = diag;
	token_read(lexer);
}

struct ddp_token ddp_lexer_take(struct ddp_lexer *lexer) {
	struct ddp_token taken = lexer->token;

	if (taken.kind != DDP_TOKEN_END && taken.kind != DDP_TOKEN_BAD)
		token_read(lexer);
	return taken;
}

struct ddp_text ddp_lexer_word(struct ddp_lexer *lexer) {
	struct ddp_text word = lexer->rest;

	word.len = 0;
	while (word.len < lexer->rest.len && !isspace((unsigned char)word.s[word.len]))
		word.len++;
	ddp_text_advance(&lexer->rest, word.len);
	token_read(lexer);
	return word;
}

bool ddp_lexer_is(const struct ddp_lexer *lexer, const char *sign) {
	const struct ddp_token *token = &lexer->token;

	return (token->kind == DDP_TOKEN_SIGN || token->kind == DDP_TOKEN_NAME) &&
	       token->len == strlen(sign) && memcmp(token->s, sign, token->len) == 0;
}

bool ddp_lexer_accept(struct ddp_lexer *lexer, const char *sign) {
	if (!ddp_lexer_is(lexer, sign))
		return false;
	ddp_lexer_take(lexer);
	return true;
}

bool ddp_lexer_expect(struct ddp_lexer *lexer, const char *sign) {
	char what[8];

	if (ddp_lexer_accept(lexer, sign))
		return true;
	assert(strlen(sign) + 3 <= sizeof(what));
	snprintf(what, sizeof(what), "'%s'", sign);
	return ddp_lexer_unexpected(lexer, what);
}

bool ddp_lexer_unexpected(struct ddp_lexer *lexer, const char *what) {
	const struct ddp_token *token = &lexer->token;

	if (token->kind == DDP_TOKEN_BAD)
		return false;
	if (token->kind == DDP_TOKEN_END)
		return ddp_refuse(lexer->diag, &token->place, "expected %s, found the end", what);
	return ddp_refuse(lexer->diag, &token->place, "expected %s, found '%s%.*s'", what,
			  token->kind == DDP_TOKEN_PARAM ? "$" : "", (int)token->len, token->s);
}
