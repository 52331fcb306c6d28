/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl plan FILE --nic KIND: does a kind of NIC spread the traffic, and which packet types does
// it hash exactly as the profile? --port takes profiles and kind from a running port. Without both,
// all kinds are compared.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/rss_hf.h"
#include "common/json_writer.h"
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/plan/plan_report.h"
#include "ctl/profile/profile_load.h"
#include "ctl/simulate/candidates.h"
#include "offload/i40e_port.h"

#define KINDS_MAX 16 // kinds of NIC

struct plans {
	const struct plan_options *options;
	const struct ddp_nic *kind; // NULL: all
	uint64_t rss_hf;
	struct strbuf spec;
	struct ddp_personality loaded;
	struct plan_report report;
	struct planned planned[KINDS_MAX];
	unsigned int n;
	struct plan_capture capture;
};

/* Arguments */

// 0, or -EINVAL: the kind of the port's lower device is unknown.
static int info_take(struct plans *plans, const json_t *info) {
	const char *kind = json_string_value(json_object_get(info, "offload")), *unknown;
	json_t *item;
	uint64_t bits;
	size_t i, len;

	if (plans->kind == NULL)
		plans->kind = ddp_nic_find(kind[0] != '\0' ? kind : "none");
	json_array_foreach(json_object_get(info, "profile_specs"), i, item)
		if (plans->options->common.n_files == 0)
			fprintf(plans->spec.to, "%s%s", i > 0 ? "+" : "", json_string_value(item));
	plans->rss_hf = 0;
	json_array_foreach(json_object_get(info, "rss_hf"), i, item)
		if (ddp_rss_hf_parse(json_string_value(item), &bits, &unknown, &len) == 0)
			plans->rss_hf |= bits; // unknown names are of bits that no plan uses
	return plans->kind != NULL ? 0 : -EINVAL;
}

// Take lower device, profiles and hash fields of a running port unless the command line has them.
static int port_take(struct plans *plans) {
	const struct plan_options *options = plans->options;
	struct port port;
	json_t *info = NULL;

	if (port_open(&port, options->process.file_prefix, options->process.pid, options->port) ==
	    EXIT_GOOD)
		info = port_ask(&port, "info", NULL);
	if (info != NULL && info_take(plans, info) < 0)
		port_strange(&port, "info");
	json_decref(info);
	return port_close(&port);
}

static int arguments_take(struct plans *plans) {
	const struct plan_options *options = plans->options;
	int status = EXIT_GOOD;

	if (options->common.n_files > 0)
		fputs(options->common.files[0], plans->spec.to);
	if (options->port != NULL)
		status = port_take(plans);
	else if (options->common.n_files == 0)
		status = EXIT_USAGE;
	if (status == EXIT_USAGE)
		error_print("plan: of which FILE, or --port?");
	return status;
}

/* Planning */

static int package_find(const char *path, const struct ddp_nic *nic,
			const struct ddp_profile *profile, struct planned *planned) {
	struct ddp_diag *diag = &planned->diag;
	const bool wanted = ddp_i40e_package_wanted(profile);
	const struct ddp_place place = {.file = path};

	planned->takes_package = nic == ddp_nic_find("i40e") && (wanted || path != NULL);
	if (!planned->takes_package)
		return EXIT_GOOD;
	if (path == NULL) {
		ddp_error(diag, NULL, "none is given (--package)");
		return EXIT_GOOD;
	}
	planned->package = ddp_i40e_package_open(path, diag);
	if (planned->package == NULL) {
		ddp_diag_print(diag, stderr);
		return load_status(diag);
	}
	if (!wanted)
		ddp_error(diag, &place, "the profile has no GTP-U, for which packages are used");
	if (!wanted || !ddp_i40e_package_covers(planned->package, 0, diag)) {
		ddp_package_close(planned->package);
		planned->package = NULL;
	}
	if (diag->no_memory)
		no_memory_exit();
	return EXIT_GOOD;
}

static int plan_make(struct plans *plans, const struct ddp_nic *nic) {
	struct ddp_plan_ask ask = {
		.rss_hf = plans->rss_hf, .n_queues = plans->report.n_queues, .spread = true};
	struct planned *planned = &plans->planned[plans->n++];
	int status;

	*planned = (struct planned){0};
	ddp_diag_init(&planned->diag);
	status = package_find(plans->options->package, nic, plans->loaded.profile, planned);
	ask.package = planned->package;
	if (status == EXIT_GOOD)
		planned->plan = nic_plan(nic, &plans->loaded, &ask);
	return status;
}

static void plans_fini(struct plans *plans) {
	while (plans->n > 0) {
		struct planned *planned = &plans->planned[--plans->n];

		ddp_plan_destroy(planned->plan);
		ddp_package_close(planned->package);
		ddp_diag_fini(&planned->diag);
	}
	plan_capture_fini(&plans->capture);
}

static void plans_json(const struct plans *plans, struct output *out) {
	struct json_writer json;

	jsonw_init(&json, out);
	jsonw_open(&json, '{');
	if (plans->kind == NULL)
		kinds_json(&plans->report, plans->planned, plans->n, &json);
	else
		plan_json(&plans->report, plans->planned, &json);
	if (plans->options->pcap != NULL)
		plan_capture_json(&plans->capture, &json);
	jsonw_write(&json, "}\n");
}

static void plans_show(const struct plans *plans, struct output *out) {
	const bool captured = plans->options->pcap != NULL;

	if (plans->options->common.format == FORMAT_JSON) {
		plans_json(plans, out);
	} else if (plans->kind == NULL) {
		kinds_print(&plans->report, plans->planned, plans->n, out);
	} else if (plans->options->commands) {
		plan_commands_print(plans->planned, out);
	} else {
		if (captured)
			plan_capture_warn(&plans->capture, out);
		plan_print(&plans->report, plans->planned, out);
		if (captured)
			plan_capture_print(&plans->capture, out);
	}
}

static int options_check(const struct plans *plans) {
	const struct plan_options *options = plans->options;
	const struct ddp_nic *kind = plans->kind;

	if (options->package != NULL && kind != NULL && kind != ddp_nic_find("i40e")) {
		error_print("plan: option --package is for NICs of kind i40e");
		return EXIT_USAGE;
	}
	if (kind == NULL && (options->commands || options->pcap != NULL)) {
		error_print("plan: option --%s needs --nic or --port",
			    options->commands ? "commands" : "pcap");
		return EXIT_USAGE;
	}
	return EXIT_GOOD;
}

static int plan(struct plans *plans, const char *spec, struct output *out) {
	const struct plan_options *options = plans->options;
	int status = load_or_report(&plans->loaded, spec);

	if (status != EXIT_GOOD)
		return status;
	plans->report = (struct plan_report){
		.spec = spec != NULL ? spec : "base",
		.program = plans->loaded.program,
		.n_queues = options->rss.steer.n_queues,
	};
	assert(ddp_n_nics <= KINDS_MAX);
	for (unsigned int i = 0; status == EXIT_GOOD && i < ddp_n_nics; i++)
		if (ddp_nics[i] == plans->kind ||
		    (plans->kind == NULL && nic_is_common(ddp_nics[i])))
			status = plan_make(plans, ddp_nics[i]);
	if (status == EXIT_GOOD && options->pcap != NULL)
		status = plan_capture_read(options->pcap, &options->rss.steer, spec, plans->planned,
					   &plans->capture);
	if (status == EXIT_GOOD || plans->capture.n_choices > 0)
		plans_show(plans, out);
	plans_fini(plans);
	ddp_personality_unload(&plans->loaded);
	return status;
}

int cmd_plan(const void *arg, struct output *out) {
	const struct plan_options *options = arg;
	static struct plans plans; // too large for some stacks
	const char *spec;
	int status;

	plans = (struct plans){
		.options = options, .kind = options->kind, .rss_hf = options->rss.steer.rss_hf};
	strbuf_init(&plans.spec);
	status = arguments_take(&plans);
	if (status == EXIT_GOOD)
		status = options_check(&plans);
	spec = strbuf_take(&plans.spec);
	if (status == EXIT_GOOD)
		status = plan(&plans, spec[0] != '\0' ? spec : NULL, out);
	strbuf_fini(&plans.spec);
	return status;
}
