/* SPDX-License-Identifier: BSD-3-Clause */
// `ddpctl list` shows the summary of a file, whatever is wrong with the rest of it.
#include "profile/profile.h"
#include "scratch.h"
#include "unit.h"

static const struct row {
	const char *name;
	const char *text;
	const char *profile, *version, *summary;
	const char *error;
} rows[] = {
	{"all_three", "profile: t\nversion: 1.2\nsummary: a test\n", "t", "1.2", "a test", ""},
	{"only_a_name", "profile: t\n", "t", NULL, NULL, ""},
	{"a_profile_that_requires_what_is_not_there", "profile: t\nrequires: [nowhere]\n", "t",
	 NULL, NULL, ""},
	{"a_list_as_version", "profile: t\nversion: [1]\n", "t", NULL, NULL, ""},
	{"a_list_instead_of_a_profile", "- t\n", NULL, NULL, NULL, ""},
	{"what_is_no_yaml", "profile: [t\n", NULL, NULL, NULL,
	 "t.yaml:2:1: error: YAML: did not find expected ',' or ']', while parsing a flow "
	 "sequence in line 1\n"},
};

static bool same(const char *a, const char *b) {
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

ROWS_TEST(summary_is, rows) {
	const struct row *row = *state;
	struct ddp_profile_summary summary;
	struct ddp_diag diag;
	char *messages;
	int ret;

	scratch_write_text("t.yaml", row->text);
	ddp_diag_init(&diag);
	ret = ddp_profile_summary(scratch_path("t.yaml"), &summary, &diag);
	messages = scratch_messages(&diag);
	assert_string_equal(messages, row->error);
	assert_int_equal(ret < 0, *row->error != '\0');
	assert_true(same(summary.name, row->profile));
	assert_true(same(summary.version, row->version));
	assert_true(same(summary.summary, row->summary));
	free(messages);
	ddp_profile_summary_fini(&summary);
	assert_null(summary.name);
	ddp_diag_fini(&diag);
}
