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

TEST(a_message_names_its_place) {
	static const struct {
		struct ddp_place place;
		const char *message;
	} rows[] = {
		{{"gtpu.yaml", 12, 9}, "gtpu.yaml:12:9: error: odd 33"},
		{{"gtpu.yaml", .col = 9}, "gtpu.yaml: error: odd 33"},
		{{"ice.pkg", 0x3144, DDP_PLACE_BYTE}, "ice.pkg:0x3144: error: odd 33"},
		{{"ice.pkg", 0, DDP_PLACE_BYTE}, "ice.pkg:0x0: error: odd 33"},
		{{NULL, 1, 1}, "error: odd 33"},
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		ddp_error(&diag, &rows[i].place, "%s %d", "odd", 33);
		assert_int_equal(diag.n_kept, i + 1);
		assert_string_equal(diag.messages[i].s, rows[i].message);
	}
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

TEST(messages_beyond_the_limit_are_counted_and_announced) {
	char *text;

	for (unsigned int i = 0; i < DDP_DIAG_MAX + 7; i++)
		ddp_error(&diag, NULL, "number %u", i);
	assert_int_equal(diag.n_kept, DDP_DIAG_MAX);
	assert_int_equal(diag.n_errors, DDP_DIAG_MAX + 7);
	text = printed();
	assert_memory_equal(text, "error: number 0\nerror: number 1\n", 32);
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
	const char *written; // and the name of the test
	const char *meant;   // "" for nothing
} meant[] = {
	{"ipv44", "ipv4"},
	{"gpu", "gtpu"},
	{"gtup", "gtpu"},
	{"tcq", "tcp"},
	{"txq", ""}, // two mistakes are too many for a short word
	{"extnsoin_heade", "extension_header"},
	{"ipv5", "ipv4"}, // the first of the nearest
	{"banana", ""},
	{"", ""},
	{"x", ""},
	{"udp", "udp"},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""},
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
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"};
	const struct meant *row = *state;
	const char *nearest = ddp_nearest(row->written, names, COUNT(names));

	assert_string_equal(nearest != NULL ? nearest : "", row->meant);
	assert_null(ddp_nearest("udp", NULL, 0));
}

TEST(characters_are_decoded) {
	static const struct {
		const char *text;
		size_t len; // 0: no character
		uint32_t character;
	} rows[] = {
		{"", 1, 0},
		{"a", 1, 'a'},
		{"\xc3\xbc", 2, 0xfc},
		{"\xe2\x82\xac", 3, 0x20ac},
		{"\xf0\x9f\x98\x80", 4, 0x1f600},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\x80"},             // a byte that goes on
		{"\xc0\xaf"},         // written too long
		{"\xe0\x9f\xbf"},     // too
		{"\xed\xa0\x80"},     // a surrogate
		{"\xf4\x90\x80\x80"}, // beyond Unicode
		{"\xff"},
		{"\xe2\x82"}, // cut short
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		uint32_t character = 0;

		assert_int_equal(ddp_utf8_decode(rows[i].text, &character), rows[i].len);
		if (rows[i].len > 0)
			assert_int_equal(character, rows[i].character);
	}
}

TEST(what_does_not_show_is_not_graphic) {
	static const uint32_t graphic[] = {' ', '~', 0xa0, 0xfc, 0x20ac, 0xfffd, 0x1f600};
	static const uint32_t others[] = {0,      '\n',   0x1b,   0x7f,   0x80,   0x9f,
					  0x200f, 0x61c,  0x2028, 0x2029, 0x202e, 0x2066,
					  0xfdd0, 0xfffe, 0xffff, 0x1ffff};

	for (unsigned int i = 0; i < COUNT(graphic); i++)
		assert_true(ddp_utf8_is_graphic(graphic[i]));
	for (unsigned int i = 0; i < COUNT(others); i++)
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
		{"\xc2\x9b!", "\\u{9b}!"},
		{"\xe2\x80\xae", "\\u{202e}"},
		{"\xe2\x81\xa6", "\\u{2066}"},
		{"\xd8\x9c", "\\u{61c}"},
		{"\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}"},
		{"\xf4\x8f\xbf\xbf", "\\u{10ffff}"},
		{"\x9b\xff\xe2\x82", "\\x9b\\xff\\xe2\\x82"},
		{"\x7f", "\\x7f"},
	};
	char escaped[64];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
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

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		memset(escaped, 'x', sizeof(escaped));
		ddp_escape("a\x1b\xc3\xbc", escaped, rows[i].size);
		assert_string_equal(escaped, rows[i].escaped);
		assert_int_equal(escaped[rows[i].size], 'x');
	}
}

EACH(setup, teardown)
