/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl simulate FILE PCAP: how the packets of a capture spread over the queues of a NIC with this
// profile and with others, and beside them of a fixed-function NIC with the same key, hash and redirection table.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "command.h"
#include "load.h"
#include "nic.h"
#include "simulation_out.h"

static int no_memory(void) {
	fprintf(stderr, "ddpctl: %s\n", strerror(ENOMEM));
	return CTL_NO;
}

static int candidate_load(struct candidates *candidates, const char *name, const char *spec) {
	struct loaded loaded;
	int status = load_or_tell(&loaded, spec);

	if (status != CTL_GOOD)
		return status;
	return candidates_add(candidates, name, &loaded) < 0 ? no_memory() : CTL_GOOD;
}

// FILE is loaded with the settings that options give to packages.
static int all_load(struct candidates *candidates, const struct options *options) {
	struct text spec;
	int status;

	text_init(&spec);
	status = candidate_load(candidates, options->files[0], nic_spec(options, &spec));
	text_fini(&spec);
	for (unsigned int i = 0; i < options->n_with && status == CTL_GOOD; i++)
		status = candidate_load(candidates, options->with[i], options->with[i]);
	if (status == CTL_GOOD)
		status = candidate_load(candidates, "fixed-function NIC", NULL);
	if (status == CTL_GOOD && candidates_look(candidates, options->files[0]) < 0)
		status = no_memory();
	return status;
}

static void simulation_show(const struct simulation *simulation, enum format format,
			    struct output *out) {
	struct emit emit;

	if (format != FORMAT_JSON) {
		simulation_print(simulation, out);
		return;
	}
	emit_init(&emit, out);
	emit_open(&emit, '{');
	simulation_json(simulation, &emit);
	emit_close(&emit, '}');
	emit_end(&emit);
}

static int simulate(const struct options *options, struct candidates *candidates,
		    struct capture *capture, struct output *out) {
	static struct simulation simulation;
	int ret = candidates_run(candidates, capture);

	if (ret == -ENOMEM)
		return no_memory();
	simulation_make(&simulation, options, candidates, capture);
	simulation.partial = ret < 0 || (capture->interrupted && !capture->is_live);
	simulation_show(&simulation, options->format, out);
	simulation_free(&simulation);
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_tell(capture, ret);
}

static int loaded_simulate(const struct options *options, struct candidates *candidates,
			   struct output *out) {
	struct capture capture;
	int status = all_load(candidates, options);

	if (status == CTL_GOOD)
		status = capture_open_or_tell(&capture, options);
	if (status != CTL_GOOD)
		return status;
	status = simulate(options, candidates, &capture, out);
	capture_close(&capture);
	return status;
}

int cmd_simulate(const struct options *options, struct output *out) {
	static struct candidates candidates;
	int status = nic_options_check(options);

	if (status != CTL_GOOD)
		return status;
	if (candidates_init(&candidates, &options->steer) < 0)
		return no_memory();
	candidates.view.window_ns = options->window_ns;
	status = loaded_simulate(options, &candidates, out);
	candidates_fini(&candidates);
	return status;
}
