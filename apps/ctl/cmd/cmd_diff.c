/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl diff FILE FILE: what one profile or package classifies that the other does not.
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/diff/diff.h"
#include "ctl/profile/profile_load.h"

static int both_diff(const struct ddp_personality loaded[2], const struct common_options *options,
		     struct output *out) {
	if ((loaded[0].package == NULL) == (loaded[1].package == NULL))
		return diff_write(loaded, options->files, options->format == FORMAT_JSON, out);
	error_print("diff: a package and a profile cannot be compared; 'ddpctl plan' shows what a "
		    "NIC can do of a profile");
	return EXIT_USAGE;
}

int cmd_diff(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct ddp_personality loaded[2] = {0};
	int status = load_or_report(&loaded[0], options->files[0]);

	if (status == EXIT_GOOD)
		status = load_or_report(&loaded[1], options->files[1]);
	if (status == EXIT_GOOD)
		status = both_diff(loaded, options, out);
	ddp_personality_unload(&loaded[0]);
	ddp_personality_unload(&loaded[1]);
	return status;
}
