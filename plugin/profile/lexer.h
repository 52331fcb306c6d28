/* SPDX-License-Identifier: BSD-3-Clause */
// Words and signs of the small languages inside a profile: layouts, expressions, paths, field
// lists.
#ifndef DDP_PROFILE_LEXER_H
#define DDP_PROFILE_LEXER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "yaml.h"

enum ddp_token_kind {
	DDP_TOKEN_END,
	DDP_TOKEN_NAME,   // a word; may hold '.' and '#' inside: inner.ipv4.src, vlan#2.vid
	DDP_TOKEN_NUMBER, // decimal or 0x hexadecimal
	DDP_TOKEN_PARAM,  // $name; s and len are those of the name
	DDP_TOKEN_SIGN,   // one of + - * ( ) [ ] { } ? : , = == != < <= > >= << >> & | / ... and so
			  // on
	DDP_TOKEN_BAD,    // was reported
};

struct ddp_token {
	enum ddp_token_kind kind;
	const char *s;
	size_t len;
	uint64_t number;
	struct ddp_place place;
};

struct ddp_lexer {
	struct ddp_text rest;
	struct ddp_token token; // the next one, not yet taken
	struct ddp_diag *diag;
};

// Start at the first token of text.
void ddp_lexer_init(struct ddp_lexer *lexer, const struct ddp_text *text, struct ddp_diag *diag);

// Step to the next token; returns the one that was next.
struct ddp_token ddp_lexer_take(struct ddp_lexer *lexer);
// Take the current token and what stands behind it up to a blank, which it returns.
struct ddp_text ddp_lexer_word(struct ddp_lexer *lexer);

// Whether a sign or word is next.
bool ddp_lexer_is(const struct ddp_lexer *lexer, const char *sign);

// Take the sign or word if it is next.
bool ddp_lexer_accept(struct ddp_lexer *lexer, const char *sign);

// Take the sign or report what stands there instead.
bool ddp_lexer_expect(struct ddp_lexer *lexer, const char *sign);

// Report "expected WHAT, found ..." at the next token (nothing, when that is BAD: it was reported).
// Returns false.
bool ddp_lexer_unexpected(struct ddp_lexer *lexer, const char *what);

static inline bool ddp_lexer_at_end(const struct ddp_lexer *lexer) {
	return lexer->token.kind == DDP_TOKEN_END;
}

#endif
