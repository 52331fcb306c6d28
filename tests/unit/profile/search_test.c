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

// DDP_PROFILE_PATH of folders of the test, "one:two".
static void path_set(const char *first, const char *between, const char *second) {
	char path[600];

	snprintf(path, sizeof(path), "%s%s%s%s%s%s", *first == '\0' ? "" : scratch_dir(),
		 *first == '\0' ? "" : "/", first, between, *second == '\0' ? "" : scratch_dir(),
		 second);
	assert_int_equal(setenv("DDP_PROFILE_PATH", path, 1), 0);
}

static void version_is(const char *spec, const char *version) {
	struct ddp_diag *diag = diag_new();
	struct ddp_profile *profile;

	profile = ddp_profile_load(spec, diag);
	assert_string_equal(ddp_diag_first(diag), "");
	assert_string_equal(profile->parts[0].version, version);
	ddp_profile_destroy(profile);
}

TEST(the_first_folder_of_the_path_wins) {
	path_set("one", ":", "/two");
	version_is("t", "1");
	version_is("only", "1"); // and so is a profile that it requires
	path_set("two", ":", "/one");
	version_is("t", "2");
}

TEST(folders_that_are_not_there_and_empty_ones_are_passed_over) {
	path_set("nowhere", "::", "/two");
	version_is("t", "2");
	path_set("", ":", "/one");
	version_is("t", "1");
	path_set("two", ":", "");
	version_is("t", "2");
}

TEST(a_path_to_a_file_is_not_searched) {
	char spec[400];

	path_set("one", "", "");
	snprintf(spec, sizeof(spec), "%s/two/t.yaml", scratch_dir());
	version_is(spec, "2");
}

TEST(a_file_of_this_folder_needs_no_slash) {
	char before[512];

	path_set("one", "", "");
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(scratch_path("two")), 0);
	version_is("t.yaml", "2");
	version_is("t", "1");
	assert_int_equal(chdir(before), 0);
}

TEST(the_library_is_found_when_run_from_a_build) {
	struct ddp_diag *diag = diag_new();
	struct ddp_arena *arena = ddp_arena_create();
	struct ddp_profile *profile;
	char **dirs;

	assert_int_equal(unsetenv("DDP_PROFILE_PATH"), 0);
	dirs = ddp_search_path(arena);
	assert_non_null(dirs[0]);
	assert_non_null(dirs[1]); // the source tree, then the installed library
	assert_null(dirs[2]);
	ddp_arena_destroy(arena);
	profile = ddp_profile_load("base", diag);
	assert_string_equal(ddp_diag_first(diag), "");
	assert_non_null(profile);
	ddp_profile_destroy(profile);
}

TEST(the_path_has_its_folders_in_front_of_the_library) {
	struct ddp_arena *arena = ddp_arena_create();
	char **dirs;

	path_set("one", ":", "/two");
	dirs = ddp_search_path(arena);
	assert_string_equal(dirs[0], scratch_path("one"));
	assert_string_equal(dirs[1], scratch_path("two"));
	assert_non_null(dirs[2]);
	ddp_arena_destroy(arena);
}

// Load what cannot be; the caller frees the messages.
static char *messages_of(const char *spec, bool unreadable) {
	struct ddp_personality personality;
	struct ddp_diag *diag = diag_new();
	char *messages;

	assert_true(ddp_personality_load_spec(&personality, spec, diag) < 0);
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
	{"a_name_that_is_nowhere", "tt", "error: profile 'tt' not found in one, two, /",
	 " (DDP_PROFILE_PATH adds folders)"},
	{"a_required_profile_that_is_nowhere", "u",
	 "one/u.yaml:3:5: error: profile 'tt' not found in one, two, /", "", true},
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

	path_set("one", ":", "/two");
	scratch_write_text("one/u.yaml", "profile: u\nrequires:\n  - tt\n");
	scratch_write_text("one/tunnel.yaml", "profile: tunnel\n");
	messages = messages_of(row->spec, !row->is_there);
	if (strncmp(messages, row->begins, strlen(row->begins)) != 0 ||
	    strstr(messages, row->holds) == NULL)
		fail_msg("%s", messages);
	free(messages);
}

// A name without '/' is never looked for in the current folder, which is what people try first.
TEST(a_file_in_the_current_folder_is_told) {
	char here[PATH_MAX], *messages;

	path_set("one", ":", "/two");
	scratch_write_text("mine.yaml", "profile: mine\n");
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(scratch_path("")), 0);
	messages = messages_of("mine", true);
	assert_int_equal(chdir(here), 0);
	assert_non_null(strstr(messages, "; did you mean the file ./mine.yaml?\n"));
	free(messages);
}

TEST(one_file_by_two_names_is_one_profile) {
	char spec[600];

	path_set("two", "", "");
	snprintf(spec, sizeof(spec), "only+%s/one/../two/t.yaml", scratch_dir());
	version_is(spec, "2");
	snprintf(spec, sizeof(spec), "%s/one/../two/t.yaml+only", scratch_dir());
	version_is(spec, "2");
}

TEST(two_files_of_one_name_are_not_mixed_up) {
	char spec[600];
	char *messages;

	path_set("two", "", "");
	snprintf(spec, sizeof(spec), "only+%s/one/t.yaml", scratch_dir());
	messages = messages_of(spec, false);
	assert_string_equal(messages,
			    "error: two profiles of the name 't': two/t.yaml and one/t.yaml\n");
	free(messages);
}

static void defining_is(const char *header, const char *profile) {
	char *name = ddp_profile_defining(header);

	if (profile == NULL)
		assert_null(name);
	else
		assert_string_equal(name, profile);
	free(name);
}

// A message names this profile: it must have the header.
TEST(a_header_leads_to_the_profile_that_defines_it) {
	path_set("", "", "");
	defining_is("vxlan", "vxlan");
	defining_is("gtpu_psc", "gtpu"); // not what requires it
	defining_is("ah", "ipsec");
	defining_is("ipv4", "base");
	defining_is("xvlan", NULL);
}

TEST(the_first_folder_of_the_path_names_the_profile_of_a_header) {
	static const char other[] = "profile: mine\nversion: 1\nrequires: [base]\n"
				    "headers: {vxlan: {after: udp(dport=4789), layout: x:8}}\n";

	scratch_write_text("one/mine.yaml", other);
	scratch_write_text("one/broken.yaml", "headers: {vxlan: {layout: x:8}\n");
	scratch_write_text("one/vxlan.text", other);
	path_set("nowhere", ":", "/one");
	defining_is("vxlan", "mine");
	defining_is("gtpu", "gtpu");
	path_set("two", "", "");
	defining_is("vxlan", "vxlan");
}

GROUP(setup, NULL)
