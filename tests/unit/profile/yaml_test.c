/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "profile/yaml.h"
#include "scratch.h"
#include "unit.h"

#define NESTED_17 "[[[[[[[[[[[[[[[[[ ]]]]]]]]]]]]]]]]]"

static const struct broken rows[] = {
	{"a_bracket_that_is_never_closed", "profile: t\nheaders: {a: b\n",
	 "t.yaml:3:1: error: YAML: did not find expected ',' or '}', while parsing a flow mapping in "
	 "line 2\n"},
	{"a_line_indented_too_little", "headers:\n    a: 1\n  b: 2\n",
	 "t.yaml:3:3: error: YAML: this line is indented as no line above\n"},
	{"a_line_indented_too_much", "profile: t\n  version: 1\n",
	 "t.yaml:2:10: error: YAML: this line is indented more than the one above, whose key has a value\n"},
	{"a_colon_missing_behind_a_key", "profile: t\nheaders\nrequires: [base]\n",
	 "t.yaml:2:1: error: YAML: ':' is missing behind this key\n"},
	{"a_colon_missing_before_a_deeper_line",
	 "profile: t\nheaders:\n  foo # ä\n\n  # more\n    layout: a:8\n",
	 "t.yaml:3:3: error: YAML: ':' is missing behind this key\n"},
	{"a_colon_missing_in_the_first_line", "profile\n  t: 1\n",
	 "t.yaml:1:1: error: YAML: ':' is missing behind this key\n"},
	{"two_colons_in_a_line", "profile: t\nsummary: a: b\n",
	 "t.yaml:2:11: error: YAML: a text with ': ' in it needs quotes\n"},
	{"a_text_that_begins_with_a_sign", "summary: @home\n",
	 "t.yaml:1:10: error: YAML: a text that begins with this character needs quotes\n"},
	{"an_equals_sign_for_a_colon", "when: {version = 1}\n",
	 "t.yaml:1:8: error: 'version = 1' has no value; did you mean ':' for '='?\n"},
	{"a_tab_as_indentation", "headers:\n\ta: 1\n",
	 "t.yaml:2:1: error: YAML: a tab cannot indent a line; use spaces\n"},
	{"a_quote_that_is_never_closed", "profile: \"t\n",
	 "t.yaml:2:1: error: YAML: found unexpected end of stream, while scanning a quoted "
	 "scalar in line 1\n"},
	{"an_empty_file", "", "t.yaml:1:1: error: the file is empty\n"},
	{"nothing_but_a_comment", "# profile: t\n", "t.yaml:1:1: error: the file is empty\n"},
	{"a_list_instead_of_a_mapping", "- profile\n- t\n",
	 "t.yaml:1:1: error: expected a profile, found a list\n"},
	{"a_word_instead_of_a_mapping", "gtpu\n",
	 "t.yaml:1:1: error: expected a profile, found a word\n"},
	{"two_documents", "profile: t\n---\nprofile: t\n",
	 "t.yaml:2:1: error: a second document: a file holds one profile\n"},
	{"a_key_given_twice", "profile: t\nversion: 1\nprofile: t\n",
	 "t.yaml:3:1: error: 'profile' is given twice, first in line 1\n"},
	{"a_header_given_twice", "profile: t\nheaders:\n  a: {layout: x:8}\n  a: {layout: x:8}\n",
	 "t.yaml:4:3: error: 'a' is given twice, first in line 3\n"},
	{"a_field_asked_for_twice", "when: {type: 1, type: 2}\n",
	 "t.yaml:1:17: error: 'type' is given twice, first in line 1\n"},
	{"two_keys_given_twice", "b: 1\na: 1\nb: 2\na: 2\nb: 3\n",
	 "t.yaml:3:1: error: 'b' is given twice, first in line 1\n"},
	{"a_list_as_key", "? [a, b]\n: c\n", "t.yaml:1:3: error: a key must be a plain word\n"},
	{"an_anchor", "profile: t\nheaders: &all {}\n",
	 "t.yaml:2:10: error: anchors, aliases and tags (&, * and !) cannot be used here\n"},
	{"an_anchor_of_a_word", "profile: &name t\n",
	 "t.yaml:1:10: error: anchors, aliases and tags (&, * and !) cannot be used here\n"},
	{"an_anchor_of_a_list", "requires: &all [base]\n",
	 "t.yaml:1:11: error: anchors, aliases and tags (&, * and !) cannot be used here\n"},
	{"an_alias", "profile: t\nheaders: *all\n",
	 "t.yaml:2:10: error: anchors, aliases and tags (&, * and !) cannot be used here\n"},
	{"a_tag", "profile: !!str t\n",
	 "t.yaml:1:10: error: anchors, aliases and tags (&, * and !) cannot be used here\n"},
	{"nested_too_deep", "profile: " NESTED_17 "\n", "t.yaml:1:26: error: nested too deep\n"},
	{"a_byte_0_in_a_word", "profile: \"t\\0\"\n", "t.yaml:1:10: error: text with a NUL byte\n"},
	{"a_control_character", "profile: t\001\n",
	 "t.yaml:1:11: error: YAML: control characters are not allowed\n"},
	{"latin_1_instead_of_utf_8",
	 "profile: t\nsummary: Stra\xdf"
	 "e\n",
	 "t.yaml:2:15: error: YAML: invalid trailing UTF-8 octet\n"},
	{"utf_16_instead_of_utf_8", "\xff\xfep",
	 "t.yaml:1:1: error: YAML: invalid leading UTF-8 octet\n"},

	{"columns_count_characters_not_bytes",
	 "profile: t\nsummary: ä\nheaders: {\"ä\": 1, \"öö\": 1, \"ä\": 2}\n",
	 "t.yaml:3:28: error: 'ä' is given twice, first in line 3\n"},
	{"an_error_in_the_second_line_of_a_text",
	 "profile: t\nheaders:\n  a:\n    layout: x:8\n      y:8\n      z:129\n    first: true\n",
	 "t.yaml:6:7: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"an_error_in_a_quoted_text",
	 "profile: t\nheaders:\n  a:\n    layout: \"x:8 z:129\"\n    first: true\n",
	 "t.yaml:4:18: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"an_error_in_the_second_line_of_a_quoted_text",
	 "profile: t\nheaders:\n  a:\n    layout: \"x:8\n      z:129\"\n    first: true\n",
	 "t.yaml:5:7: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"an_error_behind_an_escape",
	 "profile: t\nheaders:\n  a:\n    layout: \"x\\x3a8 z:129\"\n    first: true\n",
	 "t.yaml:4:18: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"a_quote_in_a_quoted_text",
	 "profile: t\nheaders:\n  a:\n    layout: 'x:8 ''z:129'\n    first: true\n",
	 "t.yaml:4:18: error: unexpected character '''\n"},
	{"an_error_in_a_block_of_text",
	 "profile: t\nheaders:\n  a:\n    layout: | # why\n      x:8\n      z:129\n    first: true\n",
	 "t.yaml:6:7: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"an_error_in_a_folded_block_of_text",
	 "profile: t\nheaders:\n  a:\n    layout: >-\n      x:8\n\n      z:129\n    first: true\n",
	 "t.yaml:7:7: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"an_error_in_the_last_line_without_its_end",
	 "profile: t\nheaders:\n  a: {first: true}\npaths: ",
	 "t.yaml:4:7: error: expected paths by name, found nothing\n"},
	{"windows_line_ends",
	 "profile: t\r\nheaders:\r\n  a:\r\n    layout: x:8\r\n      z:129\r\n    first: true\r\n",
	 "t.yaml:5:7: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	{"a_byte_order_mark_in_front",
	 "\xef\xbb\xbfprofile: t\nheaders:\n  a:\n    layout: x:8 z:129\n    first: true\n",
	 "t.yaml:4:17: error: field 'z': 129 bits, 1 to 128 are possible\n"},
	// U+2028, which YAML takes for a line end and an editor may not: what is read must stay
	// right.
	{"a_line_separator_in_a_comment",
	 "profile: t\n# one\xe2\x80\xa8# two\nheaders:\n  a: {first: true, layout: x:8}\n", ""},
};

TEST(a_file_of_more_than_a_megabyte_is_refused) {
	const struct broken row = {
		.messages = "t.yaml: error: larger than 1048576 bytes: not a profile\n",
		.text = memset(calloc(1, 1024 * 1024 + 2), '#', 1024 * 1024 + 1),
	};

	*state = (void *)(uintptr_t)&row;
	broken_is_reported(state);
	free((void *)(uintptr_t)row.text);
}

// A port takes profiles under its lock: who adds such a file must not wait for minutes.
TEST(many_keys_are_compared_in_no_time) {
	enum {
		N = 100000
	};
	const struct broken row = {
		.text = calloc(N, sizeof("k12345:\n")),
		.messages = "t.yaml:100000:1: error: 'k00000' is given twice, first in line 1\n",
	};
	char *end = (char *)(uintptr_t)row.text;

	for (unsigned int i = 0; i < N; i++)
		end += sprintf(end, "k%05u:\n", i % (N - 1));
	*state = (void *)(uintptr_t)&row;
	alarm(10);
	broken_is_reported(state);
	alarm(0);
	free((void *)(uintptr_t)row.text);
}

static const struct unreadable {
	const char *name;
	const char *file, *message;
} unreadable[] = {
	{"a_folder", "folder.yaml", "folder.yaml: error: not a file"},
	{"a_fifo", "fifo.yaml", "fifo.yaml: error: not a file"},
	{"no_file", "none.yaml", "none.yaml: error: cannot be read: No such file or directory"},
};

// Opening a FIFO waits for a writer: a port would be locked until one comes.
ROWS_TEST(no_file_is_no_profile, unreadable) {
	const struct unreadable *row = *state;
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_diag *diag = diag_new();
	size_t size;

	mkdir(scratch_path("folder.yaml"), 0700);
	mkfifo(scratch_path("fifo.yaml"), 0600);
	alarm(10);
	assert_null(ddp_file_read(scratch_path(row->file), 1, &size, arena, diag));
	alarm(0);
	assert_non_null(strstr(ddp_diag_first(diag), row->message));
	assert_true(diag->unreadable);
	ddp_arena_destroy(arena);
}

ROWS(broken_is_reported, rows)
