/* SPDX-License-Identifier: BSD-3-Clause */
#include "utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Length of the character that begins with these bytes, 0 for none.
static size_t length(const unsigned char *text) {
	unsigned char low = 0x80, high = 0xbf; // range of the second byte
	size_t len;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	len = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (text[0] == 0xe0)
		low = 0xa0; // below: written too long
	else if (text[0] == 0xed)
		high = 0x9f; // above: surrogates
	else if (text[0] == 0xf0)
		low = 0x90; // below: written too long
	else if (text[0] == 0xf4)
		high = 0x8f; // above: beyond U+10FFFF
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

size_t ddp_utf8_decode(const char *text, uint32_t *character) {
	const unsigned char *bytes = (const unsigned char *)text;
	size_t len = length(bytes);

	*character = len < 2 ? bytes[0] : bytes[0] & (0x7f >> len);
	for (size_t i = 1; i < len; i++)
		*character = *character << 6 | (bytes[i] & 0x3f);
	return len;
}

bool ddp_utf8_is_graphic(uint32_t c) {
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	if (c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x206f))
		return false; // ends of lines and paragraphs, directions
	return (c < 0xfdd0 || c > 0xfdef) && (c & 0xfffe) != 0xfffe;
}

size_t ddp_escape_char(const char *text, char escaped[DDP_ESCAPED_SIZE]) {
	uint32_t character;
	size_t len = ddp_utf8_decode(text, &character);

	if (len > 0 && ddp_utf8_is_graphic(character)) {
		memcpy(escaped, text, len);
		escaped[len] = '\0';
	} else if (len > 1) {
		snprintf(escaped, DDP_ESCAPED_SIZE, "\\u{%x}", character);
	} else {
		len = 1;
		snprintf(escaped, DDP_ESCAPED_SIZE, "\\x%02x", (unsigned char)text[0]);
	}
	return len;
}

void ddp_escape(const char *text, char *escaped, size_t size) {
	char character[DDP_ESCAPED_SIZE];
	size_t len;

	assert(size > 0);
	while (*text != '\0') {
		text += ddp_escape_char(text, character);
		len = strlen(character);
		if (len >= size)
			break;
		memcpy(escaped, character, len);
		escaped += len;
		size -= len;
	}
	*escaped = '\0';
}
