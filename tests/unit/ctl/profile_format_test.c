/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/profile_format.h"

#include "common/strbuf.h"
#include "scratch_folder.h"

static struct ddp_profile *profile_of(const char *text) {
	const char *path = file_write("t.yaml", text, strlen(text));
	struct ddp_profile *profile;
	struct ddp_diag *diag = diag_new();

	profile = ddp_profile_load(path, diag);
	assert_string_equal(ddp_diag_first(diag), "");
	return profile;
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
		struct ddp_profile *profile;
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
		ddp_profile_destroy(profile);
	}
	strbuf_fini(&text);
}

TEST(numbers_of_a_table_have_equal_digits) {
	struct ddp_profile *profile =
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
	ddp_profile_destroy(profile);
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
