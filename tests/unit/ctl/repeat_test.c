/* SPDX-License-Identifier: BSD-3-Clause */
// A command run twice in one process says the same twice. A command that keeps what an earlier run
// left in its static structures frees memory twice, or tells a user what was true of another file.
#include "capture_files.h"

#include "ctl/command.h"
#include "known_frames.h"

#define ARGS_MAX 16

struct row {
	const char *name;
	int status;
	const char *args[ARGS_MAX]; // CAPTURE: a capture of some packets
};

#define CAPTURE "capture"
#define RULE "pattern eth / ipv4 / end actions queue index 3 / end"

static const struct row rows[] = {
	{"list", 0, {"list"}},
	{"info", 0, {"info", "gtpu"}},
	{"info_json", 0, {"info", "gtpu", "vxlan", "--json"}},
	{"check", 0, {"check", "gtpu"}},
	{"graph", 0, {"graph", "gtpu"}},
	{"plan", 0, {"plan", "gtpu"}},
	{"classify", 0, {"classify", "gtpu", CAPTURE}},
	{"classify_with_rules", 0, {"classify", "gtpu", CAPTURE, "--queues", "4", "--rule", RULE}},
	{"explain", 0, {"explain", "gtpu", CAPTURE, "-n", "2"}},
	{"explain_json", 0, {"explain", "gtpu", CAPTURE, "-n", "1", "--json"}},
	{"simulate", 0, {"simulate", "gtpu", CAPTURE}},
	{"simulate_with_rules",
	 0,
	 {"simulate", "gtpu", CAPTURE, "--rule", RULE, "--with", "vxlan", "--rule", RULE,
	  "--queues", "4"}},
	{"simulate_a_missing_profile",
	 3,
	 {"simulate", "gtpu", CAPTURE, "--with", "./nowhere.yaml"}},
	{"simulate_a_bad_rule", 1, {"simulate", "gtpu", CAPTURE, "--rule", "pattern nonsense"}},
	{"advise", 0, {"advise", CAPTURE}},
	{"advise_json", 0, {"advise", CAPTURE, "--json"}},
	{"diff", 1, {"diff", "gtpu", "vxlan"}},
	{"diff_json", 0, {"diff", "gtpu", "gtpu", "--json"}},
};

static char *said(const struct row *row, const char *capture) {
	const char *args[ARGS_MAX];
	static struct output out;
	int n;

	for (n = 0; n < ARGS_MAX && row->args[n] != NULL; n++)
		args[n] = strcmp(row->args[n], CAPTURE) == 0 ? capture : row->args[n];
	output_begin(&out);
	assert_int_equal(ctl_run(n, args, &out), row->status);
	return output_end(&out);
}

// The other rows have run before, and each has left what it leaves.
ROWS_TEST(a_row, rows) {
	const struct row *row = *state;
	struct capture_file file;
	const char *capture;
	char *first, *again;

	capture_create(&file, "small.pcap", ETHERNET);
	for (unsigned int i = 0; i < 8; i++)
		capture_put(&file, frame_tcp, sizeof(frame_tcp), sizeof(frame_tcp));
	capture = capture_done(&file);
	first = said(row, capture);
	again = said(row, capture);
	assert_string_equal(first, again);
	free(first);
	free(again);
}
