/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "profile/loader.h"
#include "scratch.h"
#include "unit.h"

#define NO_ANCHOR "anchors, aliases and tags (&, * and !) cannot be used here"
#define NO_COLON "YAML: ':' is missing behind this key"
#define Z_129 "field 'z': 129 bits, 1 to 128 are possible"
#define NESTED_17 "[[[[[[[[[[[[[[[[[ ]]]]]]]]]]]]]]]]]"

static const struct part texts[] = {
	{"profile: t\nheaders: {a: b\n", "3:1",
	 "YAML: did not find expected ',' or '}', while parsing a flow mapping in line 2"},
	{"headers:\n    a: 1\n  b: 2\n", "3:3", "YAML: this line is indented as no line above"},
	{"profile: t\n  version: 1\n", "2:10",
	 "YAML: this line is indented more than the one above, whose key has a value"},
	{"profile: t\nheaders\nrequires: [base]\n", "2:1", NO_COLON},
	{"profile: t\nheaders:\n  foo # ä\n\n  # more\n    layout: a:8\n", "3:3", NO_COLON},
	{"profile\n  t: 1\n", "1:1", NO_COLON},
	{"profile: t\nsummary: a: b\n", "2:11", "YAML: a text with ': ' in it needs quotes"},
	{"summary: @home\n", "1:10", "YAML: a text that begins with this character needs quotes"},
	{"when: {version = 1}\n", "1:8", "'version = 1' has no value; did you mean ':' for '='?"},
	{"headers:\n\ta: 1\n", "2:1", "YAML: a tab cannot indent a line; use spaces"},
	{"profile: \"t\n", "2:1",
	 "YAML: found unexpected end of stream, while scanning a quoted scalar in line 1"},
	{"", "1:1", "the file is empty"},
	{"# profile: t\n", "1:1", "the file is empty"},
	{"- profile\n- t\n", "1:1", "expected a profile, found a list"},
	{"gtpu\n", "1:1", "expected a profile, found a word"},
	{"profile: t\n---\nprofile: t\n", "2:1", "a second document: a file holds one profile"},
	{"profile: t\nversion: 1\nprofile: t\n", "3:1",
	 "'profile' is given twice, first in line 1"},
	{"profile: t\nheaders:\n  a: {layout: x:8}\n  a: {layout: x:8}\n", "4:3",
	 "'a' is given twice, first in line 3"},
	{"when: {type: 1, type: 2}\n", "1:17", "'type' is given twice, first in line 1"},
	{"b: 1\na: 1\nb: 2\na: 2\nb: 3\n", "3:1", "'b' is given twice, first in line 1"},
	{"? [a, b]\n: c\n", "1:3", "a key must be a plain word"},
	{"profile: t\nheaders: &all {}\n", "2:10", NO_ANCHOR},
	{"profile: &name t\n", "1:10", NO_ANCHOR},
	{"requires: &all [base]\n", "1:11", NO_ANCHOR},
	{"profile: t\nheaders: *all\n", "2:10", NO_ANCHOR},
	{"profile: !!str t\n", "1:10", NO_ANCHOR},
	{"profile: " NESTED_17 "\n", "1:26", "nested too deep"},
	{"profile: \"t\\0\"\n", "1:10", "text with a NUL byte"},
	{"profile: t\001\n", "1:11", "YAML: control characters are not allowed"},
	{"profile: t\nsummary: Stra\xdf"
	 "e\n",
	 "2:15", "YAML: invalid trailing UTF-8 octet"},
	{"\xff\xfep", "1:1", "YAML: invalid leading UTF-8 octet"},
	{"profile: t\nsummary: ä\nheaders: {\"ä\": 1, \"öö\": 1, \"ä\": 2}\n", "3:28",
	 "'ä' is given twice, first in line 3"},
	{"profile: t\nheaders:\n  a: {first: true}\npaths: ", "4:7",
	 "expected paths by name, found nothing"},
	{"profile: t\r\nheaders:\r\n  a:\r\n    layout: x:8\r\n      z:129\r\n    first: true\r\n",
	 "5:7", Z_129},
	{"\xef\xbb\xbfprofile: t\nheaders:\n  a:\n    layout: x:8 z:129\n    first: true\n", "4:17",
	 Z_129},
	// U+2028, which YAML takes for a line end and an editor may not.
	{"profile: t\n# one\xe2\x80\xa8# two\nheaders:\n  a: {first: true, layout: x:8}\n"},
};

PARTS(texts, "@")

static const struct part layouts[] = {
	{"x:8\n      y:8\n      z:129", "6:7", Z_129},
	{"\"x:8 z:129\"", "4:18", Z_129},
	{"\"x:8\n      z:129\"", "5:7", Z_129},
	{"\"x\\x3a8 z:129\"", "4:18", Z_129},
	{"'x:8 ''z:129'", "4:18", "unexpected character '''"},
	{"| # why\n      x:8\n      z:129", "6:7", Z_129},
	{">-\n      x:8\n\n      z:129", "7:7", Z_129},
};

PARTS(layouts, "profile: t\nheaders:\n  a:\n    layout: @\n    first: true\n")

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
