/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "personality/personality.h"
#include "scratch.h"
#include "unit.h"

#define PROFILE(version) \
	"profile: t\nversion: " version "\nheaders: {a: {first: true, layout: x:8}}\n"

static void folder_make(const char *name) {
	assert_int_equal(mkdir(scratch_path(name), 0700), 0);
}

static int setup(void **state) {
	folder_make("one");
	folder_make("two");
	scratch_write_text("one/t.yaml", PROFILE("1"));
	scratch_write_text("two/t.yaml", PROFILE("2"));
	scratch_write_text("two/only.yaml", "profile: only\nrequires: [t]\n");
	return 0;
}

// A text with the test's folder in place of each '@'; it stays until the next one.
static const char *here(const char *text) {
	static char whole[1000];
	size_t len = 0;

	for (; *text != '\0'; text++)
		len += snprintf(whole + len, sizeof(whole) - len, *text == '@' ? "%s" : "%.1s",
				*text == '@' ? scratch_dir() : text);
	return whole;
}

static void path_set(const char *path) {
	assert_int_equal(setenv("DDP_PROFILE_PATH", here(path), 1), 0);
}

static void version_is(const char *spec, const char *version) {
	assert_string_equal(scratch_load(here(spec))->parts[0].version, version);
}

static const struct found {
	const char *spec; // and the name of the test
	const char *path, *version;
} founds[] = {
	{"t", "@/one:@/two", "1"},
	{"only", "@/one:@/two", "1"}, // and so is a profile that it requires
	{"t", "@/two:@/one", "2"},
	{"t", "@/nowhere::@/two", "2"}, // folders that are not there and empty ones are left out
	{"t", ":@/one", "1"},
	{"t", "@/two:", "2"},
	{"@/two/t.yaml", "@/one", "2"},             // a path to a file is not searched
	{"only+@/one/../two/t.yaml", "@/two", "2"}, // one file by two names is one profile
	{"@/one/../two/t.yaml+only", "@/two", "2"},
};

ROWS_TEST(version_found_is, founds) {
	const struct found *row = *state;

	path_set(row->path);
	version_is(row->spec, row->version);
}

TEST(a_file_of_this_folder_needs_no_slash) {
	char before[512];

	path_set("@/one");
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(scratch_path("two")), 0);
	version_is("t.yaml", "2");
	version_is("t", "1");
	assert_int_equal(chdir(before), 0);
}

// The source tree's, then the installed one.
TEST(the_library_is_behind_the_folders_of_the_path) {
	struct ddp_arena *arena = ddp_arena_create();
	char **dirs;

	path_set("@/one:@/two");
	dirs = ddp_search_path(arena);
	assert_string_equal(dirs[0], scratch_path("one"));
	assert_string_equal(dirs[1], scratch_path("two"));
	assert_non_null(dirs[2]);
	assert_int_equal(unsetenv("DDP_PROFILE_PATH"), 0);
	dirs = ddp_search_path(arena);
	assert_non_null(dirs[0]);
	assert_non_null(dirs[1]);
	assert_null(dirs[2]);
	ddp_arena_destroy(arena);
	assert_string_equal(scratch_load("base")->parts[0].name, "base");
}

// Load what cannot be; the caller frees the messages.
static char *messages_of(const char *spec, bool unreadable) {
	const struct ddp_source source = {.spec = spec};
	const struct ddp_load load = {.sources = &source, .n_sources = 1};
	struct ddp_personality personality;
	struct ddp_diag *diag = diag_new();
	char *messages;

	assert_true(ddp_personality_load(&personality, &load, diag) < 0);
	assert_int_equal(diag->unreadable, unreadable);
	messages = scratch_messages(diag);
	return messages;
}

static const struct missing {
	const char *name;
	const char *spec;
	const char *begins; // the messages
	const char *holds;
	bool is_there; // the specification's own file, which is wrong then
} missing[] = {
	{"a_name_that_is_nowhere", "tt",
	 "error: profile 'tt' not found in one, gone (No such file or directory), two, /",
	 " (DDP_PROFILE_PATH adds folders)"},
	{"a_required_profile_that_is_nowhere", "u",
	 "one/u.yaml:3:5: error: profile 'tt' not found in one, gone (", "", true},
	{"a_name_that_may_have_been_meant", "tunel", "error: profile 'tunel' not found in ",
	 "; did you mean 'tunnel'?\n"},
	{"a_name_that_means_nothing", "qqqqqq", "error: profile 'qqqqqq' not found in ",
	 " (DDP_PROFILE_PATH adds folders)\n"},
	{"a_package_by_its_path", "/nowhere/ice.pkg",
	 "/nowhere/ice.pkg: error: cannot be read: No such file or directory\n", ""},
	{"a_package_of_this_folder", "mplsogreudp.pkgo",
	 "mplsogreudp.pkgo: error: cannot be read: No such file or directory\n", ""},
};

ROWS_TEST(what_is_not_there_is_told, missing) {
	const struct missing *row = *state;
	char *messages;

	path_set("@/one:@/gone:@/two");
	scratch_write_text("one/u.yaml", "profile: u\nrequires:\n  - tt\n");
	scratch_write_text("one/tunnel.yaml", "profile: tunnel\n");
	messages = messages_of(row->spec, !row->is_there);
	if (strncmp(messages, row->begins, strlen(row->begins)) != 0 ||
	    strstr(messages, row->holds) == NULL)
		fail_msg("%s", messages);
	free(messages);
}

// A name without '/' is never looked for in the current folder, which users try first.
TEST(a_file_in_the_current_folder_is_told) {
	char here[PATH_MAX], *messages;

	path_set("@/one:@/two");
	scratch_write_text("mine.yaml", "profile: mine\n");
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(scratch_path("")), 0);
	messages = messages_of("mine", true);
	assert_int_equal(chdir(here), 0);
	assert_non_null(strstr(messages, "; did you mean the file ./mine.yaml?\n"));
	free(messages);
}

TEST(two_files_of_one_name_are_not_mixed_up) {
	char *messages;

	path_set("@/two");
	messages = messages_of(here("only+@/one/t.yaml"), false);
	assert_string_equal(messages,
			    "error: two profiles of the name 't': two/t.yaml and one/t.yaml\n");
	free(messages);
}

static void defining_is(const char *header, const char *profile) {
	char *name = ddp_profile_defining(header);

	assert_string_equal(name != NULL ? name : "none", profile);
	free(name);
}

// A message names this profile: it must have the header.
TEST(a_header_leads_to_the_profile_that_defines_it) {
	path_set("");
	defining_is("vxlan", "vxlan");
	defining_is("gtpu_psc", "gtpu"); // not what requires it
	defining_is("ah", "ipsec");
	defining_is("ipv4", "base");
	defining_is("xvlan", "none");
}

TEST(the_first_folder_of_the_path_names_the_profile_of_a_header) {
	static const char other[] = "profile: mine\nversion: 1\nrequires: [base]\n"
				    "headers: {vxlan: {after: udp(dport=4789), layout: x:8}}\n";

	scratch_write_text("one/mine.yaml", other);
	scratch_write_text("one/broken.yaml", "headers: {vxlan: {layout: x:8}\n");
	scratch_write_text("one/vxlan.text", other);
	path_set("@/nowhere:@/one");
	defining_is("vxlan", "mine");
	defining_is("gtpu", "gtpu");
	path_set("@/two");
	defining_is("vxlan", "vxlan");
}

GROUP(setup, NULL)
