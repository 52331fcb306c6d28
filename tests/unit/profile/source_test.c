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

// Sources, and what is said of them: "" where they load.
static const struct row {
	const char *name;
	struct ddp_source sources[3];
	unsigned int n_sources;
	const char *messages;
} rows[] = {
	{"a_text", {TEXT(MINE)}, 1, ""},
	{"a_text_that_requires_a_file", {TEXT(MINE_ON_BASE)}, 1, ""},
	{"a_text_beside_a_file", {SPEC("gtpu;port=2153"), TEXT(MINE_ON_BASE)}, 2, ""},
	{"a_file_that_requires_a_text", {TEXT(MINE), SPEC("user")}, 2, ""},
	{"a_text_that_requires_a_text",
	 {TEXT(MINE), TEXT("profile: other\nrequires: [mine]\n")},
	 2,
	 ""},
	{"no_yaml",
	 {TEXT("profile: [mine\n")},
	 1,
	 "<text>:2:1: error: YAML: did not find expected ',' or ']', while parsing a flow sequence "
	 "in line 1\n"},
	{"a_text_without_a_name",
	 {TEXT("headers: {a: {first: true, layout: x:8}}\n")},
	 1,
	 "<text>:1:1: error: 'profile: <name>' is missing\n"},
	{"a_name_that_no_specification_could_mean",
	 {TEXT("profile: mine/too\n")},
	 1,
	 "<text>:1:10: error: profile 'mine/too': the name of a profile given as text has 1 to 63 "
	 "letters, digits, '_' or '-'\n"},
	{"a_mistake_in_a_header",
	 {TEXT("profile: mine\nheaders: {a: {first: true, layout: x:0}}\n")},
	 1,
	 "<text>:2:36: error: field 'x': 0 bits, 1 to 128 are possible\n"},
	{"a_text_that_requires_itself",
	 {TEXT("profile: mine\nrequires: [mine]\n")},
	 1,
	 "<text>:2:12: error: profile 'mine' requires itself\n"},
	{"a_text_that_requires_what_requires_it",
	 {TEXT("profile: mine\nrequires: [user]\n")},
	 1,
	 "user.yaml:2:12: error: profile 'mine' requires itself\n"},
	{"two_texts_of_a_name",
	 {TEXT(MINE), TEXT(MINE)},
	 2,
	 "profile: error: 'mine' is named twice\n"},
	{"a_text_and_a_file_of_a_name",
	 {TEXT("profile: user\nheaders: {a: {first: true, layout: x:8}}\n"), SPEC("user")},
	 2,
	 "profile: error: 'user' is named twice\n"},
	{"a_text_of_a_name_already_required",
	 {SPEC("needs_user"), TEXT("profile: user\n")},
	 2,
	 "user.yaml:2:12: error: profile 'mine' not found in $\n"
	 "<text>:1:10: error: two profiles of the name 'user': user.yaml and <text>\n"},
	{"two_texts_with_one_header",
	 {TEXT(MINE), TEXT("profile: other\nheaders: {a: {layout: y:8}}\n")},
	 2,
	 "<text>:2:11: error: header 'a' (profile 'other') is already in <text>:3 (profile "
	 "'mine')\n"},
	{"one_of_several_specifications_is_empty",
	 {SPEC("gtpu"), SPEC("")},
	 2,
	 "profile: error: a name is missing\n"},
};

// "not found in <folders>" to "not found in $": they depend on where the test runs.
static void folders_hide(char *messages) {
	char *in = strstr(messages, "not found in ");

	if (in == NULL)
		return;
	in += strlen("not found in ");
	*in = '$';
	memmove(in + 1, strchr(in, '\n'), strlen(strchr(in, '\n')) + 1);
}

ROWS_TEST(sources_are_read, rows) {
	const struct row *row = *state;
	struct ddp_profile *profile;
	struct ddp_diag *diag = diag_new();
	char *messages;

	profile = ddp_profile_read(
		&(struct ddp_load){.sources = row->sources, .n_sources = row->n_sources}, diag);
	messages = scratch_messages(diag);
	folders_hide(messages);
	assert_string_equal(messages, row->messages);
	assert_int_equal(profile == NULL, *row->messages != '\0');
	free(messages);
	ddp_profile_destroy(profile);
}

static struct ddp_profile *load(const struct ddp_source *sources, unsigned int n_sources) {
	struct ddp_profile *profile;
	struct ddp_diag *diag = diag_new();

	profile = ddp_profile_read(&(struct ddp_load){.sources = sources, .n_sources = n_sources},
				   diag);
	assert_string_equal(ddp_diag_first(diag), "");
	return profile;
}

TEST(sources_are_one_profile) {
	const struct ddp_source sources[] = {SPEC("gtpu;port=2153"), TEXT(MINE_ON_BASE)};
	struct ddp_profile *profile = load(sources, 2);

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
	ddp_profile_destroy(profile);
}

// user, which requires mine, is required by needs_user.
TEST(a_part_knows_all_that_it_requires) {
	const struct ddp_source sources[] = {TEXT(MINE), SPEC("needs_user"),
					     TEXT("profile: other\n")};
	struct ddp_profile *profile = load(sources, 3);

	assert_int_equal(profile->n_parts, 4);
	assert_int_equal(profile->parts[0].requires, 0);
	assert_string_equal(profile->parts[1].name, "user");
	assert_int_equal(profile->parts[1].requires, 1);
	assert_false(profile->parts[1].named);
	assert_int_equal(profile->parts[2].requires, 3);
	assert_int_equal(profile->parts[3].requires, 0);
	ddp_profile_destroy(profile);
}

TEST(no_source_is_base_by_rss_hf) {
	struct ddp_profile *profile = load(NULL, 0);

	assert_string_equal(profile->spec, "base");
	assert_true(profile->by_rss_hf);
	ddp_profile_destroy(profile);
}

// The text is free to go when the call returns, and needs no NUL at its end.
TEST(a_text_is_copied) {
	struct ddp_source source = {.size = strlen(MINE)};
	char *text = malloc(source.size);
	struct ddp_profile *profile;

	memcpy(text, MINE, source.size);
	source.text = text;
	profile = load(&source, 1);
	memset(text, 'x', source.size);
	free(text);
	assert_string_equal(profile->parts[0].name, "mine");
	assert_string_equal(profile->parts[0].version, "3");
	assert_string_equal(profile->headers[0].name, "a");
	ddp_profile_destroy(profile);
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
