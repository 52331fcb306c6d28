/* SPDX-License-Identifier: BSD-3-Clause */
// Text that somebody else wrote, on its way to a terminal or a log: names, profiles, captures.
//
// It may hold what drives a terminal (ESC, or U+009B, which means the same), begins a new line that
// looks like one of ours, or turns the order of what is shown (U+202E). All that is printed of it
// passes ddp_escape_char(): messages in diag.c, log lines in port/state/port.h, the output of apps.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The character at text. Returns its length, 0 for bytes that are none (RFC 3629).
size_t ddp_utf8_decode(const char *text, uint32_t *character);

// True for what shows itself: no control, no end of a line or paragraph, no mark that turns the
// direction of what follows, nothing that Unicode keeps from being a character.
bool ddp_utf8_is_graphic(uint32_t character);

#define DDP_ESCAPED_SIZE 11 // bytes of \u{10ffff} and a NUL

// The character at text, which is not empty: as it is, or as \x1b or \u{202e} if it is not graphic,
// and as \xff for each byte that is no UTF-8. Returns how many bytes of text it takes.
size_t ddp_escape_char(const char *text, char escaped[DDP_ESCAPED_SIZE]);

// A whole text as one line, cut at size bytes. Four times the text's length and one hold all.
void ddp_escape(const char *text, char *escaped, size_t size);
