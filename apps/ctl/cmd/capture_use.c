/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture_use.h"

#include "common/strbuf.h"
#include "ctl/package/package_spec.h"
#include "ctl/profile/profile_load.h"

// What a package cannot be set to is a warning.
static int file_load(struct ddp_personality *loaded, const struct packet_options *options) {
	struct ddp_diag diag;
	struct strbuf spec;
	bool failed;

	strbuf_init(&spec);
	ddp_diag_init(&diag);
	failed = load_profile(loaded, package_spec(options->common.files[0], &options->nic, &spec),
			      &diag) < 0;
	strbuf_fini(&spec);
	if (!failed && loaded->package != NULL) {
		ddp_diag_print(&diag, stderr);
		for (unsigned int i = 0; i < loaded->n_types; i++) // as the NIC numbers them
			ddp_program_number(loaded->program, i, loaded->ptypes[i]);
	}
	return load_end(&diag, failed);
}

int capture_use(const void *arg, struct output *out,
		int (*command)(const void *options, const struct ddp_personality *loaded,
			       struct capture *capture, struct output *out)) {
	const struct packet_options *options = arg;
	struct ddp_personality loaded;
	struct capture capture;
	int status = package_options_check(options->common.files[0], &options->nic,
					   options->rss.steer.function);

	if (status != EXIT_GOOD)
		return status;
	status = file_load(&loaded, options);
	if (status != EXIT_GOOD)
		return status;
	status = capture_open_or_report(&capture, &options->capture);
	if (status == EXIT_GOOD) {
		status = command(arg, &loaded, &capture, out);
		capture_close(&capture);
	}
	ddp_personality_unload(&loaded);
	return status;
}
