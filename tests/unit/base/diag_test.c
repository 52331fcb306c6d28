/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/diag.h"
#include "base/utf8.h"
#include "unit.h"

static struct ddp_diag diag;

static int setup(void **state) {
	ddp_diag_init(&diag);
	return 0;
}

static int teardown(void **state) {
	ddp_diag_fini(&diag);
	return 0;
}

TEST(a_message_names_file_line_and_column) {
	const struct ddp_place place = {.file = "gtpu.yaml", .line = 12, .col = 9};

	ddp_error(&diag, &place, "field '%s' has %d bits", "teid", 33);
	assert_int_equal(diag.n_kept, 1);
	assert_string_equal(diag.messages[0].s, "gtpu.yaml:12:9: error: field 'teid' has 33 bits");
}

TEST(a_message_about_a_whole_file_names_no_line) {
	const struct ddp_place place = {.file = "gtpu.yaml", .col = 9};

	ddp_error(&diag, &place, "cannot be read");
	assert_string_equal(diag.messages[0].s, "gtpu.yaml: error: cannot be read");
}

TEST(a_message_about_a_binary_file_names_the_byte) {
	const struct ddp_place place = {.file = "ice.pkg", .line = 0x3144, .col = DDP_PLACE_BYTE};
	const struct ddp_place first = {.file = "ice.pkg", .col = DDP_PLACE_BYTE};

	ddp_error(&diag, &place, "odd");
	ddp_error(&diag, &first, "odd");
	assert_string_equal(diag.messages[0].s, "ice.pkg:0x3144: error: odd");
	assert_string_equal(diag.messages[1].s, "ice.pkg:0x0: error: odd");
}

TEST(a_message_about_no_file_begins_with_its_severity) {
	const struct ddp_place nowhere = {.line = 1, .col = 1};

	ddp_error(&diag, NULL, "out of memory");
	ddp_warn(&diag, &nowhere, "odd");
	assert_string_equal(diag.messages[0].s, "error: out of memory");
	assert_string_equal(diag.messages[1].s, "warning: odd");
}

TEST(warnings_are_counted_apart_and_are_never_the_first_error) {
	ddp_warn(&diag, NULL, "a");
	assert_string_equal(ddp_diag_first(&diag), "");
	ddp_error(&diag, NULL, "b");
	ddp_error(&diag, NULL, "c");
	assert_int_equal(diag.n_warnings, 1);
	assert_int_equal(diag.n_errors, 2);
	assert_int_equal(diag.n_kept, 3);
	assert_int_equal(diag.messages[0].severity, DDP_WARNING);
	assert_int_equal(diag.messages[1].severity, DDP_ERROR);
	assert_string_equal(ddp_diag_first(&diag), "error: b");
}

static char *printed(void) {
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	ddp_diag_print(&diag, out);
	fclose(out);
	return text;
}

TEST(the_messages_are_printed_one_a_line) {
	char *text;

	ddp_error(&diag, NULL, "a");
	ddp_warn(&diag, NULL, "b");
	text = printed();
	assert_string_equal(text, "error: a\nwarning: b\n");
	free(text);
}

TEST(messages_beyond_the_limit_are_counted_and_announced) {
	char *text;

	for (unsigned int i = 0; i < DDP_DIAG_MAX + 7; i++)
		ddp_error(&diag, NULL, "number %u", i);
	assert_int_equal(diag.n_kept, DDP_DIAG_MAX);
	assert_int_equal(diag.n_errors, DDP_DIAG_MAX + 7);
	text = printed();
	assert_non_null(strstr(text, "error: number 99\n... and 7 more\n"));
	free(text);
}

TEST(an_error_behind_many_warnings_is_still_told) {
	for (unsigned int i = 0; i < DDP_DIAG_MAX + 50; i++)
		ddp_warn(&diag, NULL, "odd %u", i);
	ddp_error(&diag, NULL, "the reason");
	ddp_error(&diag, NULL, "another");
	assert_int_equal(diag.n_kept, DDP_DIAG_MAX);
	assert_int_equal(diag.n_errors, 2);
	assert_int_equal(diag.n_warnings, DDP_DIAG_MAX + 50);
	assert_string_equal(ddp_diag_first(&diag), "error: the reason");
}

TEST(what_was_told_is_not_told_again) {
	const struct ddp_place place = {.file = "a.yaml", .line = 1, .col = 2};
	unsigned int before;

	ddp_error(&diag, &place, "too large");
	before = ddp_diag_failures(&diag);
	ddp_error(&diag, &place, "too large");
	assert_int_equal(diag.n_kept, 1);
	assert_int_equal(diag.n_errors, 1);
	assert_true(ddp_diag_failures(&diag) > before); // the caller has failed all the same
	ddp_error(&diag, NULL, "too large");
	assert_int_equal(diag.n_errors, 2);
}

TEST(a_collection_can_be_emptied_and_used_again) {
	ddp_error(&diag, NULL, "a");
	diag.unreadable = true;
	ddp_diag_fini(&diag);
	assert_int_equal(diag.n_kept + diag.n_errors + diag.n_warnings, 0);
	assert_false(diag.unreadable);
	ddp_error(&diag, NULL, "b");
	assert_string_equal(ddp_diag_first(&diag), "error: b");
}

static const struct meant {
	const char *name;
	const char *written;
	const char *meant;
} meant[] = {
	{"a_letter_too_many", "ipv44", "ipv4"},
	{"a_letter_forgotten", "gpu", "gtpu"},
	{"two_letters_exchanged", "gtup", "gtpu"},
	{"a_wrong_letter_in_a_short_word", "tcq", "tcp"},
	{"two_wrong_letters_in_a_short_word_mean_nothing", "txq", NULL},
	{"a_long_word_may_have_three_mistakes", "extnsoin_heade", "extension_header"},
	{"the_nearest_of_several", "ipv5", "ipv4"},
	{"something_else_entirely", "banana", NULL},
	{"nothing", "", NULL},
	{"one_letter", "x", NULL},
	{"the_word_itself", "udp", "udp"},
	{"a_word_too_long_to_compare",
	 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL},
};

ROWS_TEST(nearest_is, meant) {
	static const char *const names[] = {
		"eth",
		"ipv4",
		"ipv6",
		"udp",
		NULL,
		"tcp",
		"gtpu",
		"extension_header",
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
	};
	const struct meant *row = *state;
	const char *nearest = ddp_nearest(row->written, names, COUNT(names));

	if (row->meant == NULL) {
		assert_null(nearest);
	} else {
		assert_non_null(nearest);
		assert_string_equal(nearest, row->meant);
	}
}

TEST(without_names_nothing_is_near) {
	assert_null(ddp_nearest("udp", NULL, 0));
}

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

EACH(setup, teardown)
