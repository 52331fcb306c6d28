/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/shell_quote.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/simulate/spread.h"
#include "profile/profile_format.h"
#include "scratch_folder.h"

static struct output out;
static struct table table;

static void begin(const char *titles) {
	output_begin(&out);
	table_init(&table, &out, titles);
}

static void assert_written(const char *expected) {
	char *written;

	table_fini(&table);
	written = output_end(&out);
	assert_string_equal(written, expected);
	free(written);
}

static void row_add(unsigned int n, const char *name, const char *last) {
	table_printf(&table, "%u", n);
	table_next(&table);
	table_printf(&table, "%s", name);
	table_next(&table);
	table_printf(&table, "%s", last);
	table_next(&table);
}

TEST(columns_are_in_line) {
	begin(">N|NAME|LAST");
	row_add(1, "a", "x");
	row_add(100,
		"gr\xc3\xbc\xc3\x9f"
		"e",
		"y");
	row_add(22, "", "z");
	row_add(3, "b", "");
	assert_written("  N  NAME   LAST\n"
		       "  1  a      x\n"
		       "100  gr\xc3\xbc\xc3\x9f"
		       "e  y\n"
		       " 22         z\n"
		       "  3  b\n");
}

TEST(a_table_without_rows_has_titles) {
	begin(">N|NAME|LAST");
	assert_written("N  NAME  LAST\n");
}

TEST(control_characters_do_not_reach_the_terminal) {
	begin(">N|NAME|LAST");
	row_add(1, "\033[2J\xc2\x9b", "two\nlines");
	assert_written("N  NAME           LAST\n"
		       "1  \\x1b[2J\\u{9b}  two\\x0alines\n");
}

TEST(titles_come_once_and_no_row_is_lost) {
	unsigned int n_rows = 3 * TABLE_ROWS + 1;
	char *written, *line;

	begin(">N|NAME|LAST");
	for (unsigned int i = 0; i < n_rows; i++)
		row_add(i, i % 2 == 0 ? "even" : "odd", "x");
	table_fini(&table);
	written = output_end(&out);
	line = strchr(written, '\n') + 1;
	for (unsigned int i = 0; i < n_rows; i++) {
		assert_int_equal(strtoul(line, NULL, 10), i);
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(line, "");
	free(written);
}

TEST(a_share_that_is_there_is_never_zero) {
	static const double shares[] = {0, 1e-9, 0.0000999, 0.0001, 0.00099, 0.001, 0.5, 1};
	begin(">SHARE");
	for (unsigned int i = 0; i < COUNT(shares); i++)
		table_share(&table, shares[i]);
	assert_written(" SHARE\n  0.0%\n<0.01%\n<0.01%\n 0.01%\n 0.10%\n  0.1%\n"
		       " 50.0%\n100.0%\n");
}

// A command that is shown can be copied: a shell takes it apart into the words it was made of.
static const char *const words[] = {
	"printf",
	"%s\\0", // each word and what cannot be in one
	"plain-1.2,3:4=5@6+7_8%9/",
	"",
	"two words",
	"it's",
	"$HOME `id` \"x\" \\ ! * ? [a] ; & | < > ( ) { } # ~",
	"~",
	"-n",
	"new\nline",
	"\033[31mred\a",
	"\xff\xfe",
	"gr\xc3\xbc\xc3\x9f",
	"\xe2\x80\xae"
	"gnp.exe",
	"back\\slash'and\nquote",
	NULL,
};

TEST(a_shell_reads_back_the_words) {
	static const char *const plain[] = {"ddpctl", "gtpu:ue,n3-up.pcap", "--queues", NULL};
	struct strbuf text;
	FILE *shell;

	strbuf_init(&text);
	shell_line(text.to, plain); // without quotes
	assert_string_equal(strbuf_take(&text), "ddpctl gtpu:ue,n3-up.pcap --queues");
	shell_line(text.to, words);
	assert_int_equal(setenv("LINE", strbuf_take(&text), 1), 0);
	strbuf_fini(&text);
	shell = popen("exec bash -c \"$LINE\"", "r");
	assert_non_null(shell);
	for (unsigned int i = 2; words[i] != NULL; i++) {
		char *word = NULL;
		size_t size = 0;

		assert_int_equal(getdelim(&word, &size, '\0', shell), strlen(words[i]) + 1);
		assert_string_equal(word, words[i]);
		free(word);
	}
	assert_int_equal(fgetc(shell), EOF);
	assert_int_equal(pclose(shell), 0);
}

static const struct progress {
	const char *name, *path;
	uint64_t size, position, n_packets;
	double seconds;
	const char *expected;
} progresses[] = {
	{"a_file_has_a_bar_and_an_end_in_sight", "/some/where/n3.pcap", UINT64_C(10000000000),
	 UINT64_C(2500000000), 50000000, 25,
	 "n3.pcap [#####               ]  25% of 10.0 GB, 1:15 left, 50000000 packets, "
	 "2.0 million a second"},
	{"a_file_that_grows_is_at_its_end", "n3.pcap", 1000000000, 1000000001, 1000000, 1,
	 "n3.pcap [####################] 100% of 1.0 GB, 0:00 left, 1000000 packets, "
	 "1.0 million a second"},
	{"nothing_read_yet_is_no_reason_to_divide", "n3.pcap", 1000000000, 0, 0, 0,
	 "n3.pcap [                    ]   0% of 1.0 GB, 0:00 left, 0 packets, "
	 "0.0 million a second"},
	{"what_has_no_size_has_no_bar", "standard input", 0, 0, 3000, 1,
	 "standard input, 3000 packets, 0.0 million a second"},
	{"the_line_never_overflows",
	 "/a-name-that-is-longer-than-anybody-would-like-it-to-be-on-a-terminal.pcap", UINT64_MAX,
	 UINT64_MAX / 3, UINT64_MAX, 1e9, NULL},
};

ROWS_TEST(is_progress, progresses) {
	const struct progress *row = *state;
	struct capture capture = {
		.path = row->path,
		.input = {.size = row->size, .position = row->position},
		.n_packets = row->n_packets,
	};
	char text[PROGRESS_TEXT_SIZE];

	progress_text(&capture, row->seconds, text);
	if (row->expected != NULL)
		assert_string_equal(text, row->expected);
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_non_null(strstr(text, " a second"));
}

static struct ddp_field eth_fields[] = {
	{.name = "dst", .width = 48},
	{.name = "src", .width = 48},
	{.name = "type", .width = 16},
};

static struct ddp_field ipv4_fields[] = {
	{.name = "head", .width = 96},
	{.name = "src", .width = 32},
	{.name = "dst", .width = 32},
	{.name = "opt", .width = 32},
};

static struct ddp_field ipv6_fields[] = {
	{.name = "flow", .width = 20},
	{.name = "src", .width = 128},
	{.name = "dst", .width = 128},
};

static struct ddp_field odd_fields[] = {
	{.name = "src", .width = 32},
	{.name = "wide", .width = 100},
	{.name = "long", .width = 64},
	{.name = "id", .width = 48},
};

static struct ddp_header headers[] = {
	{.name = "eth", .fields = eth_fields, .n_fields = 3},
	{.name = "ipv4", .fields = ipv4_fields, .n_fields = 4},
	{.name = "ipv6", .fields = ipv6_fields, .n_fields = 3},
	{.name = "odd", .fields = odd_fields, .n_fields = 4},
	{.name = "inner", .fields = odd_fields, .n_fields = 4},
};

static const struct ddp_profile profile = {.headers = headers, .n_headers = 5};

TEST(values_are_written_as_what_they_are) {
	static const uint8_t value[16] = {
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0x01, 0x02, 0x03, 0x04, 0x0a, 0x00, 0x00, 0x01,
	};
	static const struct {
		const char *name;
		unsigned int width;
		const char *expected;
		bool number;
	} rows[] = {
		{"ipv4.src", 32, "10.0.0.1", false},
		{"inner.ipv4.dst", 32, "10.0.0.1", false},
		{"ipv4#2.dst", 32, "10.0.0.1", false},
		{"ipv4.src/8", 8, "1.0.0.0", false},
		{"ipv4.src/12", 12, "0.16.0.0", false},
		{"ipv4.opt", 32, "167772161", true},
		{"ipv6.dst", 128, "2001:db8::102:304:a00:1", false},
		{"ipv6.src/64", 64, "102:304:a00:1::", false},
		{"inner.ipv6.src/48", 48, "304:a00:1::", false},
		{"ipv6.flow", 20, "1", true},
		{"eth.src", 48, "03:04:0a:00:00:01", false},
		{"eth.type", 16, "1", true},
		{"odd.src", 32, "167772161", true},
		{"odd.id", 48, "3315882524673", true},
		{"odd.long", 64, "72623859873873921", true},
		{"odd.wide", 100,
		 "0x80000000001020304"
		 "0a000001",
		 false},
		{"inner.src", 32, "167772161", true},
		{"unheard.of", 32, "167772161", true},
		{"bare", 32, "167772161", true},
	};
	char text[FIELD_TEXT_SIZE];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		uint8_t bits[16] = {0};

		for (unsigned int bit = 0; bit < rows[i].width; bit++)
			bits[15 - bit / 8] |= value[15 - bit / 8] & 1 << bit % 8;
		assert_int_equal(format_field(&profile, rows[i].name, rows[i].width, bits, text),
				 rows[i].number);
		assert_string_equal(text, rows[i].expected);
	}
}
