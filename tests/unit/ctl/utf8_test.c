/* SPDX-License-Identifier: BSD-3-Clause */
// What is no UTF-8, or would hide or turn what stands around it, is known as such.
#include "scratch.h"

#include "ctl/utf8.h"

static void characters_are_decoded(void **state) {
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

	(void)state;
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(utf8_decode(rows[i].text, &character), rows[i].len);
		assert_int_equal(character, rows[i].character);
	}
}

static void what_is_no_character_has_no_length(void **state) {
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

	(void)state;
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(utf8_decode(texts[i], &character), 0);
}

static void what_does_not_show_is_not_graphic(void **state) {
	static const uint32_t graphic[] = {' ', '~', 0xa0, 0xfc, 0x20ac, 0xfffd, 0x1f600};
	static const uint32_t others[] = {0,      '\n',   0x1b,   0x7f,   0x80,   0x9f,   0x200f,
					  0x202e, 0x2066, 0xfdd0, 0xfffe, 0xffff, 0x1ffff};

	(void)state;
	for (unsigned int i = 0; i < sizeof(graphic) / sizeof(graphic[0]); i++)
		assert_true(utf8_is_graphic(graphic[i]));
	for (unsigned int i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(utf8_is_graphic(others[i]));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_are_decoded),
		cmocka_unit_test(what_is_no_character_has_no_length),
		cmocka_unit_test(what_does_not_show_is_not_graphic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
