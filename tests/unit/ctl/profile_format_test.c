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

static void cond_write(const struct ddp_profile *profile, FILE *to) {
	format_cond(profile, to, &profile->headers[0].rules[0].cond);
}

static void path_write(const struct ddp_profile *profile, FILE *to) {
	format_path(profile, to, profile->types[0].path);
}

static void assert_format(void (*write)(const struct ddp_profile *profile, FILE *to),
			  const char *yaml, const char *expected) {
	struct ddp_profile *profile = profile_of(yaml);
	struct strbuf text;

	strbuf_init(&text);
	write(profile, text.to);
	assert_words(&text, expected);
	strbuf_fini(&text);
	ddp_profile_destroy(profile);
}

TEST(conditions_in_words) {
	static const struct {
		const char *condition, *format;
	} rows[] = {
		{"{ttl: 1}", "ttl = 1"},
		{"{ttl: 1, tos: not 2}", "ttl = 1 and tos != 2"},
		{"{ttl: [1, 2, 30]}", "ttl = 1, 2 or 30"},
		{"{ttl: 0x40}", "ttl = 0x40"},
		{"{id: 0x2}", "id = 0x0002"},
		{"{ttl: 0x10/0xf0}", "ttl = 0x10/0xf0"},
		{"{src: 10.0.0.0/8, dst: 192.0.2.1}", "src = 10.0.0.0/8 and dst = 192.0.2.1"},
		{"{big: '2001:db8::/32'}", "big = 2001:db8::/32"},
		{"tos or ttl", "tos or ttl"},
		{"not (tos or ttl)", "not (tos or ttl)"},
		{"not tos and ttl", "not tos and ttl"},
		{"tos and (ttl or id)", "tos and (ttl or id)"},
		{"(ttl + tos) * 2 + 3 * id > 0x1f", "(ttl + tos) * 2 + 3 * id > 0x1f"},
		{"ttl & (tos | 1) == 3", "ttl & (tos | 1) == 3"},
		{"ttl << 2 >> 1", "ttl << 2 >> 1"},
		{"1000 - (ttl + tos)", "1000 - (ttl + tos)"},
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char yaml[512];

		snprintf(
			yaml, sizeof(yaml),
			"profile: t\nheaders:\n  ipv4:\n    first: true\n    layout: ttl:8 tos:8 id:16 "
			"src:32 dst:32 big:128\n    next: {when: %s%s%s, then: stop}\n",
			rows[i].condition[0] == '{' ? "" : "'", rows[i].condition,
			rows[i].condition[0] == '{' ? "" : "'");
		assert_format(cond_write, yaml, rows[i].format);
	}
}

TEST(paths_in_words) {
	static const char *const paths[] = {
		"a", "a b c", "a (b | c)", "a b* c? a+", "a (b c)* | c", "a (b? | c b*)+ c",
	};
	char yaml[512];

	for (unsigned int i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(yaml, sizeof(yaml),
			 "profile: t\nheaders:\n  a: {first: true, layout: x:8, next: b}\n"
			 "  b: {layout: x:8, next: c}\n  c: {layout: x:8}\n"
			 "packet_types:\n  T: {path: %s}\n",
			 paths[i]);
		assert_format(path_write, yaml, paths[i]);
	}
}

TEST(names_of_paths_are_written_out) {
	assert_format(
		path_write,
		"profile: t\nheaders:\n  a: {first: true, layout: x:8, next: b}\n"
		"  b: {layout: x:8}\npaths:\n  ab: a | b\npacket_types:\n  T: {path: ab b*}\n",
		"(a | b) b*");
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
