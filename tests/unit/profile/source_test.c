/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

#define TEXT(s) \
	{ .text = (s), .size = sizeof(s) - 1 }
#define SPEC(s) \
	{ .spec = (s) }

#define MINE "profile: mine\nversion: 3\nheaders: {a: {first: true, layout: x:8}}\n"
#define MINE_ON_BASE                                                  \
	"profile: mine\nrequires: [base]\nparameters: {port: 4000}\n" \
	"headers: {mine: {after: udp(dport=$port), layout: id:32}}\n"

static const struct row {
	const char *messages; // all that is said, and the name of the test
	struct ddp_source sources[2];
} rows[] = {
	{"<text>:2:1: error: YAML: did not find expected ',' or ']', while parsing a flow sequence "
	 "in line 1\n",
	 {TEXT("profile: [mine\n")}},
	{"<text>:1:1: error: 'profile: <name>' is missing\n",
	 {TEXT("headers: {a: {first: true, layout: x:8}}\n")}},
	{"<text>:1:10: error: profile 'mine/too': the name of a profile given as text has 1 to 63 "
	 "letters, digits, '_' or '-'\n",
	 {TEXT("profile: mine/too\n")}},
	{"<text>:2:12: error: profile 'mine' requires itself\n",
	 {TEXT("profile: mine\nrequires: [mine]\n")}},
	{"user.yaml:2:12: error: profile 'mine' requires itself\n",
	 {TEXT("profile: mine\nrequires: [user]\n")}},
	{"profile: error: 'mine' is named twice\n", {TEXT(MINE), TEXT(MINE)}},
	{"profile: error: 'user' is named twice\n",
	 {TEXT("profile: user\nheaders: {a: {first: true, layout: x:8}}\n"), SPEC("user")}},
	{"user.yaml:2:12: error: profile 'mine' not found in $\n"
	 "<text>:1:10: error: two profiles of the name 'user': user.yaml and <text>\n",
	 {SPEC("needs_user"), TEXT("profile: user\n")}},
	{"<text>:2:11: error: header 'a' (profile 'other') is already in <text>:3 (profile "
	 "'mine')\n",
	 {TEXT(MINE), TEXT("profile: other\nheaders: {a: {layout: y:8}}\n")}},
	{"profile: error: a name is missing\n", {SPEC("gtpu"), SPEC("")}},
};

ROWS_TEST(sources_are_refused, rows) {
	const struct row *row = *state;
	const struct ddp_load load = {
		.sources = row->sources,
		.n_sources = row->sources[1].spec != NULL || row->sources[1].text != NULL ? 2 : 1,
	};
	struct ddp_diag *diag = diag_new();
	char *messages, *folders;

	assert_null(ddp_profile_read(&load, diag));
	messages = scratch_messages(diag);
	folders = strstr(messages, "not found in "); // they depend on where the test runs
	if (folders != NULL) {
		folders += strlen("not found in ");
		*folders = '$';
		memmove(folders + 1, strchr(folders, '\n'), strlen(strchr(folders, '\n')) + 1);
	}
	assert_string_equal(messages, row->messages);
	free(messages);
}

TEST(sources_are_one_profile) {
	const struct ddp_source sources[] = {SPEC("gtpu;port=2153"), TEXT(MINE_ON_BASE)};
	const struct ddp_profile *profile = scratch_load_sources(sources, 2);

	assert_string_equal(profile->spec, "gtpu;port=2153+<text>");
	assert_int_equal(profile->n_parts, 3);
	assert_string_equal(profile->parts[1].name, "gtpu");
	assert_string_equal(profile->parts[1].params[0].values[0].s, "2153");
	assert_string_equal(profile->parts[2].name, "mine");
	assert_null(profile->parts[2].file);
	assert_true(profile->parts[2].named);
	assert_string_equal(profile->parts[2].source.text, MINE_ON_BASE);
	assert_string_equal(profile->parts[1].source.spec, "gtpu;port=2153");
	assert_int_equal(profile->n_named, 2);
	assert_ptr_equal(profile->named[0], &profile->parts[1]);
	assert_ptr_equal(profile->named[1], &profile->parts[2]);
	assert_false(profile->by_rss_hf);
}

// user, which requires mine, is required by needs_user.
TEST(a_part_knows_all_that_it_requires) {
	const struct ddp_source sources[] = {TEXT(MINE), SPEC("needs_user"),
					     TEXT("profile: other\nrequires: [mine]\n")};
	const struct ddp_profile *profile = scratch_load_sources(sources, 3);

	assert_int_equal(profile->n_parts, 4);
	assert_int_equal(profile->parts[0].requires, 0);
	assert_string_equal(profile->parts[1].name, "user");
	assert_int_equal(profile->parts[1].requires, 1);
	assert_false(profile->parts[1].named);
	assert_int_equal(profile->parts[2].requires, 3);
	assert_int_equal(profile->parts[3].requires, 1);
}

// The text is free to go when the call returns, and needs no NUL at its end.
TEST(a_text_is_copied) {
	struct ddp_source source = {.size = strlen(MINE)};
	char *text = malloc(source.size);
	const struct ddp_profile *profile;

	memcpy(text, MINE, source.size);
	source.text = text;
	profile = scratch_load_sources(&source, 1);
	memset(text, 'x', source.size);
	free(text);
	assert_string_equal(profile->parts[0].name, "mine");
	assert_string_equal(profile->parts[0].version, "3");
	assert_string_equal(profile->headers[0].name, "a");
}

TEST(a_source_has_a_name) {
	static const struct {
		struct ddp_source source;
		const char *name; // NULL: none
		unsigned int nth;
	} names[] = {
		{SPEC("gtpu"), "gtpu"},
		{SPEC("gtpu:ue;port=2153"), "gtpu"},
		{SPEC("/a/b/my.yaml;x=1"), "my"},
		{SPEC("one+two"), "one"},
		{SPEC("one:a+/b/two.yaml;c=1+three"), "two", 1},
		{SPEC(""), NULL},
		{TEXT(MINE), "mine"},
		{TEXT("profile: mine\nheaders: nonsense\n"), "mine"},
		{TEXT("profile: a b\n"), NULL},
		{TEXT("version: 1\n"), NULL},
	};

	for (unsigned int i = 0; i < COUNT(names); i++) {
		struct ddp_diag *diag = diag_new();
		char *name = ddp_source_name(&names[i].source, names[i].nth, NULL, diag);

		assert_int_equal(name == NULL, names[i].name == NULL);
		assert_int_equal(name == NULL, diag->n_errors == 1);
		if (name != NULL)
			assert_string_equal(name, names[i].name);
		free(name);
	}
}

static int setup(void **state) {
	scratch_write_text("user.yaml", "profile: user\nrequires: [mine]\n");
	scratch_write_text("needs_user.yaml", "profile: needs_user\nrequires: [user]\n");
	return 0;
}

GROUP(setup, NULL)
