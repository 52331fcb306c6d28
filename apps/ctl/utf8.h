/* SPDX-License-Identifier: BSD-3-Clause */
// Characters of text that somebody else wrote: file names, profiles, captures.
#ifndef DDPCTL_UTF8_H
#define DDPCTL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The character at text. Returns its length, 0 for bytes that are none (RFC 3629).
size_t utf8_decode(const char *text, uint32_t *character);

// True for what shows itself: no control, no mark that turns the direction of what follows, nothing that
// Unicode keeps from being a character.
bool utf8_is_graphic(uint32_t character);

#endif
