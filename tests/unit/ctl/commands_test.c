/* SPDX-License-Identifier: BSD-3-Clause */
// diff and info, of profiles and of packages for 700-series NICs.
#include "scratch_folder.h"

#include <jansson.h>

#include "ctl/command.h"
#include "package/i40e_write.h"

struct parts {
	const char *number; // that leads from the first header to the second
	const char *layout; // of the second
	const char *behind; // rules of the second
	const char *type;   // name of the second's packet type
	const char *path;
	const char *rss;
	const char *headers; // further ones
	const char *types;
};

static const char *part(const char *given, const char *usual) {
	return given != NULL ? given : usual;
}

static const char *profile_write(const char *name, const struct parts *parts) {
	char text[2048];
	int len = snprintf(text, sizeof(text),
			   "profile: %c\n"
			   "headers:\n"
			   "  one:\n"
			   "    first: true\n"
			   "    layout: kind:8\n"
			   "    next: {when: {kind: %s}, then: two}\n"
			   "  two:\n"
			   "    layout: %s\n"
			   "    next: %s\n"
			   "%s"
			   "packet_types:\n"
			   "  ONE: {path: one}\n"
			   "  %s: {path: %s, rss: %s}\n"
			   "%s",
			   name[0], part(parts->number, "2"), part(parts->layout, "x:16 y:16"),
			   part(parts->behind, "{when: {x: 9}, then: stop}"),
			   part(parts->headers, ""), part(parts->type, "TWO"),
			   part(parts->path, "one two"), part(parts->rss, "two.x two.y"),
			   part(parts->types, ""));

	assert_true(len > 0 && (size_t)len < sizeof(text));
	return file_write(name, text, len);
}

// The output of a command. The caller frees it.
static char *command_run(int status, const char *command, const char *a, const char *b,
			 const char *option) {
	const char *argv[4] = {command, a};
	static struct output out;
	int argc = 2;

	if (b != NULL)
		argv[argc++] = b;
	if (option != NULL)
		argv[argc++] = option;
	output_begin(&out);
	assert_int_equal(ctl_run(argc, argv, &out), status);
	return output_end(&out);
}

static const struct row {
	const char *name;
	struct parts a, b;
	const char *expected;
} rows[] = {
	{.name = "the same",
	 .expected = "equal: the same headers, packet types and hashed fields\n"},
	{.name = "another number",
	 .b = {.number = "3"},
	 .expected = "only in a.yaml: one leads to two where kind = 2\n"
		     "only in b.yaml: one leads to two where kind = 3\n"},
	{.name = "another name",
	 .b = {.type = "DUO"},
	 .expected = "named TWO in a.yaml and DUO in b.yaml\n"},
	{.name = "other fields hashed",
	 .b = {.rss = "two.y"},
	 .expected = "hashed differently: TWO: two.x two.y in a.yaml; two.y in b.yaml\n"},
	{.name = "a condition on what is hashed",
	 .a = {.rss = "[{when: {two.x: 1}, hash: two.x}, two.y]"},
	 .b = {.rss = "two.y"},
	 .expected = "hashed differently: TWO: two.x where two.x = 1, else two.y in a.yaml; "
		     "two.y in\n  b.yaml\n"},
	{.name = "a header more",
	 .b = {.behind = "three",
	       .headers = "  three: {layout: 'z:8'}\n",
	       .types = "  THREE: {path: one two three}\n"},
	 .a = {.behind = "stop"},
	 .expected = "only in b.yaml: THREE (one two three), which is TWO in a.yaml\n"
		     "only in b.yaml: header three\n"
		     "only in a.yaml: two ends the walk\n"
		     "only in b.yaml: two leads to three\n"},
	{.name = "a type more",
	 .a = {.types = "  REST: {path: one two two}\n", .behind = "two"},
	 .b = {.behind = "two"},
	 .expected = "only in a.yaml: REST (one two two), which is TWO in b.yaml\n"},
	{.name = "some paths of a type",
	 .a = {.behind = "two", .path = "one two+"},
	 .b = {.path = "one (two | three)",
	       .behind = "two",
	       .headers = "  three: {after: one(kind=7), layout: 'z:8'}\n"},
	 .expected = "only in b.yaml: some of TWO (one three), which is ONE in a.yaml\n"
		     "only in b.yaml: header three\n"
		     "only in b.yaml: one leads to three where kind = 7\n"},
	{.name = "another layout",
	 .b = {.layout = "x:16 y:24"},
	 .expected = "only in a.yaml: two: 4 to 4 bytes\n"
		     "only in a.yaml: two: field y, 16 bits, at bit 16\n"
		     "only in b.yaml: two: 5 to 5 bytes\n"
		     "only in b.yaml: two: field y, 24 bits, at bit 16\n"},
	{.name = "types that conditions distinguish",
	 .a = {.types = "  TWO_ODD: {path: one two, when: two.x & 1}\n"},
	 .b = {.types = "  TWO_ODD: {path: one two, when: two.x & 1, rss: two.x}\n"},
	 .expected = "hashed differently: TWO_ODD: nothing in a.yaml; two.x in b.yaml\n"},
};

ROWS_TEST(differences_are_told, rows) {
	static const char *const keys[] = {
		"packet_types",   "named_differently", "by_rss_hf", "hashed_differently",
		"headers",        "layouts",           "rules",     "equal",
		"schema_version",
	};
	const struct row *row = *state;
	const char *a = profile_write("a.yaml", &row->a), *b = profile_write("b.yaml", &row->b);
	const int expected = strncmp(row->expected, "equal", 5) == 0 ? EXIT_GOOD : EXIT_NO;
	json_t *found;
	char *text;

	text = command_run(expected, "diff", a, b, NULL);
	assert_string_equal(text, row->expected);
	free(text);
	text = command_run(expected, "diff", a, b, "--json");
	found = json_loads(text, 0, NULL);
	assert_int_equal(json_object_size(found), COUNT(keys));
	for (unsigned int k = 0; k < COUNT(keys); k++)
		assert_non_null(json_object_get(found, keys[k]));
	assert_int_equal(json_is_true(json_object_get(found, "equal")), expected == EXIT_GOOD);
	json_decref(found);
	free(text);
}

// A profile of the library is never different from itself, whatever its paths.
TEST(a_profile_is_equal_to_itself) {
	char *text = command_run(EXIT_GOOD, "diff", "all", "all", NULL);

	assert_string_equal(text, rows[0].expected);
	free(text);
}

static const char *package_write(void) {
	struct ddp_package package = i40e_gtp;
	struct i40e_package i40e = *i40e_gtp.i40e;
	const char *path;
	uint8_t *bytes;
	size_t size;

	package.i40e = &i40e;
	i40e.ptypes.n = 3;
	i40e.notes = "Hash input set for GTPU is TEID\r\nand more";
	bytes = i40e_write(&package, &size);
	path = file_write("a.pkgo", bytes, size);
	free(bytes);
	return path;
}

// The exit status distinguishes a bad profile from a missing file, as with the other commands.
TEST(a_bad_profile_is_no_and_a_missing_one_is_unreadable) {
	const char *good = profile_write("a.yaml", &(struct parts){0});
	const char *bad = profile_write("b.yaml", &(struct parts){.path = "one three"});
	const char *package = package_write();
	const struct {
		const char *a, *b;
		int status;
	} pairs[] = {
		{package, package, EXIT_NO}, // of the 700 series
		{package, "gtpu", EXIT_NO},
		{good, bad, EXIT_NO},
		{bad, good, EXIT_NO},
		{good, "none.yaml", EXIT_UNREADABLE},
		{"none.yaml", good, EXIT_UNREADABLE},
	};

	for (unsigned int i = 0; i < COUNT(pairs); i++) {
		char *text = command_run(pairs[i].status, "diff", pairs[i].a, pairs[i].b, NULL);

		assert_string_equal(text, "");
		free(text);
	}
}

// These texts, one after the other.
static void assert_prints(const char *const *expected, const char *option) {
	char *text = command_run(EXIT_GOOD, "info", package_write(), NULL, option);

	for (const char *at = text; *expected != NULL; at += strlen(*expected++)) {
		at = strstr(at, *expected);
		if (at == NULL)
			fail_msg("not there, or not in its place: %s\n%s", *expected, text);
	}
	free(text);
}

TEST(people_see_what_a_package_holds) {
	static const char *const expected[] = {
		"package GTP 1.0.3.0, track id 0x80000008, for the 700 series\n",
		"0x11     configuration of the 700 series     224",
		"\ndevices: 8086:1572 (subsystem ffff:ffff), 8086:1583 (subsystem 8086:0001); "
		"NVM versions: 0x60001\n"
		"\nprofile    GTPv1-C/U IPv4/IPv6 payload 1.0.3.1\n"
		"use        DPDK accepts it, and can remove it again\n"
		"protocols  12 IPV4, 13 IPV6, 17 TCP, 18 UDP, 19 SCTP, 20 ICMP, 21 GTPU, 22 GTPC,\n"
		"           23 ICMPV6, 34 PAY3, 35 PAY4, 44 IPV4FRAG, 48 IPV6FRAG, 52 OIPV4, 53\n"
		"           OIPV6\n"
		"\n"
		"notes\n"
		"  Hash input set for GTPU is TEID\n"
		"  and more\n"
		"\n",
		"PCTYPE  PROTOCOLS\n"
		"    22  GTPU_IPV4\n",
		"PTYPE  PROTOCOLS\n"
		"  167  OIPV4_GTPC\n",
		NULL};

	assert_prints(expected, NULL);
}

TEST(machines_see_what_a_package_holds) {
	static const char *const expected[] = {
		"{\"vendor\":\"0x8086\",\"device\":\"0x1583\",\"sub_vendor\":\"0x8086\","
		"\"sub_device\":\"0x0001\"}],\"nvm_versions\":[393217]",
		"\"profile\":{\"name\":\"GTPv1-C/U IPv4/IPv6 payload\",\"version\":\"1.0.3.1\"},"
		"\"usable\":true,",
		"\"notes\":\"Hash input set for GTPU is TEID\\u000d\\u000aand more\"",
		"{\"id\":21,\"name\":\"GTPU\"}",
		"\"pctypes\":[{\"id\":22,\"name\":\"GTPU_IPV4\",\"protocols\":[21,12]}",
		"\"ptypes\":[{\"id\":167,\"name\":\"OIPV4_GTPC\",\"protocols\":[52,22]}",
		NULL};

	assert_prints(expected, "--json");
}
