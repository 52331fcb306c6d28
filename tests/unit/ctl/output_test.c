/* SPDX-License-Identifier: BSD-3-Clause */
// Output of ddpctl: JSON, tables, and profiles as text.
#include "scratch_folder.h"

#include <errno.h>
#include <jansson.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/simulate/spread.h"
#include "profile/profile_format.h"

static struct output out;
static struct json_writer json;
static struct table table;

static void assert_written(const char *expected) {
	char *written = output_end(&out);

	assert_string_equal(written, expected);
	free(written);
}

static void json_begin(void) {
	output_begin(&out);
	jsonw_init(&json, &out);
}

#define BAD "\xef\xbf\xbd"

// Read back with somebody else's JSON.
TEST(any_text_comes_back_as_it_was_or_as_utf8) {
	static const struct {
		const char *text, *expected; // NULL: as it was
	} rows[] = {
		{""},
		{"plain"},
		{"a \"quoted\" word"},
		{"back\\slash"},
		{"tab\tnew line\n"},
		{"\x01\x1f"},
		{"\x7f"},
		{"gr\xc3\xbc\xc3\x9f"},
		{"\xe2\x82\xac"},
		{"\xf0\x9f\x98\x80"},
		{"/"},
		{"\xef\xbf\xbdok"},
		{"\xf4\x8f\xbf\xbf"},
		{"\xff", BAD},
		{"a\x80z", "a" BAD "z"},
		{"\xc3", BAD},                         // cut off
		{"\xe2\x82", BAD BAD},                 // cut off
		{"\xc0\xaf", BAD BAD},                 // too long
		{"\xed\xa0\x80", BAD BAD BAD},         // surrogate
		{"\xf4\x90\x80\x80", BAD BAD BAD BAD}, // too big
	};

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		char *written;
		json_t *value;

		json_begin();
		jsonw_text(&json, rows[i].text);
		jsonw_end(&json);
		written = output_end(&out);
		value = json_loads(written, JSON_DECODE_ANY, NULL);
		assert_string_equal(json_string_value(value),
				    rows[i].expected != NULL ? rows[i].expected : rows[i].text);
		json_decref(value);
		free(written);
	}
}

TEST(commas_are_where_they_belong) {
	json_begin();
	jsonw_open(&json, '{');
	jsonw_key(&json, "a");
	jsonw_open(&json, '[');
	jsonw_uint(&json, 0);
	jsonw_uint(&json, UINT64_MAX);
	jsonw_real(&json, 1.25);
	jsonw_close(&json, ']');
	jsonw_key(&json, "b");
	jsonw_open(&json, '{');
	jsonw_close(&json, '}');
	jsonw_key(&json, "c");
	jsonw_text(&json, NULL);
	jsonw_key(&json, "d");
	jsonw_bool(&json, true);
	jsonw_key(&json, "e");
	jsonw_number(&json, "12");
	jsonw_close(&json, '}');
	jsonw_end(&json);
	jsonw_open(&json, '['); // each document of an array has the schema version
	for (unsigned int i = 0; i < 2; i++) {
		jsonw_open(&json, '{');
		jsonw_close(&json, '}');
	}
	jsonw_close(&json, ']');
	jsonw_end(&json);
	jsonw_open(&json, '[');
	jsonw_close(&json, ']');
	jsonw_end(&json);
	assert_written("{\"a\":[0,18446744073709551615,1.25],\"b\":{},\"c\":null,"
		       "\"d\":true,\"e\":12,\"schema_version\":2}\n"
		       "[{\"schema_version\":2},{\"schema_version\":2}]\n[]\n");
}

TEST(fields_are_written_by_their_types) {
	json_begin();
	jsonw_open(&json, '[');
	jsonw_object(&json, "a:%s b:%u c:%ju d:%d e:%g f:%04x", "x", 1U, (uintmax_t)UINT64_MAX, 1,
		     0.5, 10U);
	jsonw_close(&json, ']');
	assert_written("[{\"a\":\"x\",\"b\":1,\"c\":18446744073709551615,\"d\":true,"
		       "\"e\":0.5,\"f\":\"0x000a\",\"schema_version\":2}]");
}

TEST(more_than_a_buffer_is_written_whole) {
	char *written;

	output_begin(&out);
	for (unsigned int i = 0; i < 50000; i++)
		output_printf(&out, "%06u\n", i);
	written = output_end(&out);
	assert_int_equal(strlen(written), 50000 * 7);
	for (unsigned int i = 0; i < 50000; i++)
		assert_int_equal(strtoul(written + 7 * i, NULL, 10), i);
	free(written);
}

TEST(the_first_write_error_is_kept) {
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	output_init(&out, fds[0]); // the end that cannot be written
	output_text(&out, "lost");
	output_flush(&out);
	assert_int_equal(out.error, EBADF);
	output_text(&out, "also lost");
	assert_int_equal(output_close(&out), EBADF);
	close(fds[1]);
}

static void table_begin(const char *titles) {
	output_begin(&out);
	table_init(&table, &out, titles);
}

static void assert_table(const char *expected) {
	table_fini(&table);
	assert_written(expected);
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
	table_begin(">N|NAME|LAST");
	row_add(1, "a", "x");
	row_add(100,
		"gr\xc3\xbc\xc3\x9f"
		"e",
		"y");
	row_add(22, "", "z");
	row_add(3, "b", "");
	assert_table("  N  NAME   LAST\n"
		     "  1  a      x\n"
		     "100  gr\xc3\xbc\xc3\x9f"
		     "e  y\n"
		     " 22         z\n"
		     "  3  b\n");
}

TEST(a_table_without_rows_has_titles) {
	table_begin(">N|NAME|LAST");
	assert_table("N  NAME  LAST\n");
}

TEST(control_characters_do_not_reach_the_terminal) {
	table_begin(">N|NAME|LAST");
	row_add(1, "\033[2J\xc2\x9b", "two\nlines");
	assert_table("N  NAME           LAST\n"
		     "1  \\x1b[2J\\u{9b}  two\\x0alines\n");
}

TEST(titles_come_once_and_no_row_is_lost) {
	unsigned int n_rows = 3 * TABLE_ROWS + 1;
	char *written, *line;

	table_begin(">N|NAME|LAST");
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
	table_begin(">SHARE");
	for (unsigned int i = 0; i < COUNT(shares); i++)
		table_share(&table, shares[i]);
	assert_table(" SHARE\n  0.0%\n<0.01%\n<0.01%\n 0.01%\n 0.10%\n  0.1%\n"
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

static const struct ddp_profile *profile_of(const char *text) {
	return scratch_load_warned(file_write("t.yaml", text, strlen(text)));
}

static void assert_words(struct strbuf *text, const char *expected) {
	assert_string_equal(strbuf_take(text), expected);
}

TEST(conditions_and_paths_in_words) {
	static const struct {
		const char *text, *expected; // NULL: the text
		bool is_path;
	} rows[] = {
		{"{ttl: 1}", "ttl = 1"},
		{"{ttl: 1, tos: not 2}", "ttl = 1 and tos != 2"},
		{"{ttl: [1, 2, 30]}", "ttl = 1, 2 or 30"},
		{"{ttl: 0x40}", "ttl = 0x40"},
		{"{id: 0x2}", "id = 0x0002"},
		{"{ttl: 0x10/0xf0}", "ttl = 0x10/0xf0"},
		{"{src: 10.0.0.0/8, dst: 192.0.2.1}", "src = 10.0.0.0/8 and dst = 192.0.2.1"},
		{"{big: '2001:db8::/32'}", "big = 2001:db8::/32"},
		{"tos or ttl"},
		{"not (tos or ttl)"},
		{"not tos and ttl"},
		{"tos and (ttl or id)"},
		{"(ttl + tos) * 2 + 3 * id > 0x1f"},
		{"ttl & (tos | 1) == 3"},
		{"ttl << 2 >> 1"},
		{"1000 - (ttl + tos)"},
		{"a", .is_path = true},
		{"a b c", .is_path = true},
		{"a (b | c)", .is_path = true},
		{"a b* c? a+", .is_path = true},
		{"a (b c)* | c", .is_path = true},
		{"a (b? | c b*)+ c", .is_path = true},
		{"ab b*", "(a | b) b*", .is_path = true},
	};
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned int i = 0; i < COUNT(rows); i++) {
		const char *quote = rows[i].expected != NULL ? "" : "'";
		const char *first = rows[i].is_path ? "a" : "ipv4"; // its addresses have words
		const struct ddp_profile *profile;
		char yaml[512];

		snprintf(
			yaml, sizeof(yaml),
			"profile: t\nheaders:\n  %s: {first: true, layout: ttl:8 tos:8 id:16 src:32 "
			"dst:32 big:128, next: [{when: %s%s%s, then: stop}, b]}\n"
			"  b: {layout: x:8, next: c}\n  c: {layout: x:8}\n"
			"paths: {ab: %s | b}\npacket_types: {T: {path: %s}}\n",
			first, quote, rows[i].is_path ? "ttl" : rows[i].text, quote, first,
			rows[i].is_path ? rows[i].text : first);
		profile = profile_of(yaml);
		if (rows[i].is_path)
			format_path(profile, text.to, profile->types[0].path);
		else
			format_cond(profile, text.to, &profile->headers[0].rules[0].cond);
		assert_words(&text, rows[i].expected != NULL ? rows[i].expected : rows[i].text);
	}
	strbuf_fini(&text);
}

TEST(numbers_of_a_table_have_equal_digits) {
	const struct ddp_profile *profile =
		profile_of("profile: t\ntables: {hex: x, dec: y}\nheaders:\n"
			   "  a: {first: true, layout: x:16, next: [hex(x), dec(x)]}\n"
			   "  b: {layout: y:8, after: 'hex(0x800, 0x8), dec(8)'}\n");
	struct strbuf text;

	strbuf_init(&text);
	format_key(&profile->tables[0], text.to, 8);
	assert_words(&text, "0x0008");
	format_key(&profile->tables[1], text.to, 8);
	assert_words(&text, "8");
	assert_true(ddp_ref_field(profile, &profile->headers[0].rules[0].key)->hex);
	strbuf_fini(&text);
}

TEST(bits_in_words) {
	struct strbuf text;

	strbuf_init(&text);
	format_rss_hf(text.to, 1 << 2 | 1 << 5);
	assert_words(&text, "ipv4 ipv4-udp");
	format_ptype(text.to, 0x00000291);
	assert_words(&text, "L2_ETHER L3_IPV4_EXT_UNKNOWN L4_UDP");
	format_ptype(text.to, 0);
	assert_words(&text, "");
	strbuf_fini(&text);
}

#define COLUMNS 80 // of no terminal

TEST(long_lines_go_on_below) {
	char line[200], *got;
	struct output out;

	memset(line, 'x', sizeof(line));
	line[COLUMNS - 3] = ' ';
	strcpy(line + COLUMNS, " three\tfour");
	unsetenv("COLUMNS");
	output_begin(&out);
	output_wrapped(&out, line, 4, 6);
	got = output_end(&out);
	line[COLUMNS - 3] = '\0';
	assert_memory_equal(got, line, COLUMNS - 3);
	assert_string_equal(got + COLUMNS - 3, "\n      xx three\\x09four\n");
	free(got);
}

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
		{"unheard.of", 32, "167772161", true},
		{"bare", 32, "167772161", true},
	};
	const struct ddp_profile *profile =
		profile_of("profile: t\nheaders:\n"
			   "  eth: {first: true, layout: dst:48 src:48 type:16, next: ipv4}\n"
			   "  ipv4: {layout: head:96 src:32 dst:32 opt:32, next: ipv6}\n"
			   "  ipv6: {layout: flow:20 _:4 src:128 dst:128, next: odd}\n"
			   "  odd: {layout: src:32 wide:100 _:4 long:64 id:48}\n");
	char text[FIELD_TEXT_SIZE];

	for (unsigned int i = 0; i < COUNT(rows); i++) {
		uint8_t bits[16] = {0};

		for (unsigned int bit = 0; bit < rows[i].width; bit++)
			bits[15 - bit / 8] |= value[15 - bit / 8] & 1 << bit % 8;
		assert_int_equal(format_field(profile, rows[i].name, rows[i].width, bits, text),
				 rows[i].number);
		assert_string_equal(text, rows[i].expected);
	}
}
