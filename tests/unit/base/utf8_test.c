/* SPDX-License-Identifier: BSD-3-Clause */
// Bytes that are no UTF-8 are known as such, and characters that hide or turn the text around them.
#include "base/utf8.h"
#include "unit.h"

TEST(characters_are_decoded) {
	static const struct {
		const char *text;
		size_t len;
		uint32_t character;
	} rows[] = {
		{"", 1, 0},
		{"a", 1, 'a'},
		{"\xc3\xbc", 2, 0xfc},
		{"\xe2\x82\xac", 3, 0x20ac},
		{"\xf0\x9f\x98\x80", 4, 0x1f600},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
	};
	uint32_t character;

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ddp_utf8_decode(rows[i].text, &character), rows[i].len);
		assert_int_equal(character, rows[i].character);
	}
}

TEST(what_is_no_character_has_no_length) {
	static const char *const texts[] = {
		"\x80",             // a byte that goes on
		"\xc0\xaf",         // written too long
		"\xe0\x9f\xbf",     // too
		"\xed\xa0\x80",     // a surrogate
		"\xf4\x90\x80\x80", // beyond Unicode
		"\xff",
		"\xe2\x82", // cut short
	};
	uint32_t character;

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(ddp_utf8_decode(texts[i], &character), 0);
}

TEST(what_does_not_show_is_not_graphic) {
	static const uint32_t graphic[] = {' ', '~', 0xa0, 0xfc, 0x20ac, 0xfffd, 0x1f600};
	static const uint32_t others[] = {0,      '\n',   0x1b,   0x7f,   0x80,   0x9f,
					  0x200f, 0x61c,  0x2028, 0x2029, 0x202e, 0x2066,
					  0xfdd0, 0xfffe, 0xffff, 0x1ffff};

	for (unsigned int i = 0; i < sizeof(graphic) / sizeof(graphic[0]); i++)
		assert_true(ddp_utf8_is_graphic(graphic[i]));
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(ddp_utf8_is_graphic(others[i]));
}

TEST(what_does_not_show_is_escaped_visibly) {
	static const struct {
		const char *text, *escaped;
	} rows[] = {
		{"", ""},
		{"plain \\ and \xc3\xbc", "plain \\ and \xc3\xbc"},
		{"\x1b[2J", "\\x1b[2J"},
		{"a\r\nsigned: OK", "a\\x0d\\x0asigned: OK"},
		{"\xc2\x9b"
		 "31m",
		 "\\u{9b}31m"},
		{"\xe2\x80\xae", "\\u{202e}"},
		{"\xe2\x81\xa6", "\\u{2066}"},
		{"\xd8\x9c", "\\u{61c}"},
		{"\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}"},
		{"\xf4\x8f\xbf\xbf", "\\u{10ffff}"},
		{"\x9b\xff\xe2\x82", "\\x9b\\xff\\xe2\\x82"},
		{"\x7f", "\\x7f"},
	};
	char escaped[64];

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ddp_escape(rows[i].text, escaped, sizeof(escaped));
		assert_string_equal(escaped, rows[i].escaped);
	}
}

TEST(an_escaped_text_is_cut_between_characters) {
	static const struct {
		size_t size;
		const char *escaped;
	} rows[] = {{1, ""},       {2, "a"},      {5, "a"},
		    {6, "a\\x1b"}, {7, "a\\x1b"}, {8, "a\\x1b\xc3\xbc"}};
	char escaped[16];

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(escaped, 'x', sizeof(escaped));
		ddp_escape("a\x1b\xc3\xbc", escaped, rows[i].size);
		assert_string_equal(escaped, rows[i].escaped);
		assert_int_equal(escaped[rows[i].size], 'x');
	}
}
