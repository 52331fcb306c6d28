/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl plan FILE --nic KIND: will a kind of NIC spread this traffic, and which packet types can
// it hash exactly as the profile does? With --port, the profiles of a running port, and its lower
// device. With neither, all kinds side by side.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/rss_hf.h"
#include "common/json_writer.h"
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/plan/nic_plan.h"
#include "ctl/plan/plan_capture.h"
#include "ctl/plan/plan_report.h"
#include "ctl/profile/profile_load.h"
#include "offload/i40e_port.h"

/* What is asked */

struct asked {
	const struct ddp_nic *kind;
	uint64_t rss_hf;
	struct strbuf spec;
};

static void specs_join(const json_t *specs, FILE *to) {
	json_t *spec;
	size_t i;

	json_array_foreach(specs, i, spec)
		fprintf(to, "%s%s", i > 0 ? "+" : "", json_string_value(spec));
}

// Names that are unknown here stand for bits that no plan asks for.
static uint64_t rss_hf_join(const json_t *names) {
	uint64_t rss_hf = 0, bits;
	const char *unknown;
	json_t *name;
	size_t i, len;

	json_array_foreach(names, i, name)
		if (ddp_rss_hf_parse(json_string_value(name), &bits, &unknown, &len) == 0)
			rss_hf |= bits;
	return rss_hf;
}

// 0, or -EINVAL: the port's lower device is of a kind that is unknown here.
static int info_take(const struct plan_options *options, const json_t *info, struct asked *asked) {
	const char *kind = json_string_value(json_object_get(info, "offload"));

	if (asked->kind == NULL)
		asked->kind = ddp_nic_find(kind[0] != '\0' ? kind : "none");
	if (options->common.n_files == 0)
		specs_join(json_object_get(info, "profile_specs"), asked->spec.to);
	asked->rss_hf = rss_hf_join(json_object_get(info, "rss_hf"));
	return asked->kind != NULL ? 0 : -EINVAL;
}

// Of a running port: its lower device, its profiles and its hash fields, unless the command line
// says others.
static int port_take(const struct plan_options *options, struct asked *asked) {
	struct port port;
	json_t *info = NULL;

	if (port_open(&port, options->process.file_prefix, options->process.pid, options->port) ==
	    EXIT_GOOD)
		info = port_ask(&port, "info", NULL);
	if (info != NULL && info_take(options, info, asked) < 0)
		port_strange(&port, "info");
	json_decref(info);
	return port_close(&port);
}

static int asked_take(const struct plan_options *options, struct asked *asked) {
	int status = EXIT_GOOD;

	asked->kind = options->kind;
	asked->rss_hf = options->rss.steer.rss_hf;
	if (options->common.n_files > 0)
		fputs(options->common.files[0], asked->spec.to);
	if (options->port != NULL)
		status = port_take(options, asked);
	else if (options->common.n_files == 0)
		status = EXIT_USAGE;
	if (status == EXIT_USAGE)
		error_print("plan: of which FILE, or --port?");
	return status;
}

static int capabilities_find(const struct plan_options *options, const struct ddp_nic *nic,
			     const struct ddp_profile *profile, struct capabilities *capabilities) {
	ddp_diag_init(&capabilities->diag);
	capabilities->possible = nic == ddp_nic_find("i40e") && ddp_i40e_package_wanted(profile);
	capabilities->package = NULL;
	if (!capabilities->possible)
		return EXIT_GOOD;
	if (options->package == NULL) {
		ddp_error(&capabilities->diag, NULL, "none is given (--package)");
	} else {
		capabilities->package =
			ddp_i40e_package_open(options->package, &capabilities->diag);
		if (capabilities->package == NULL)
			return load_end(&capabilities->diag, true);
		if (!ddp_i40e_package_covers(capabilities->package, 0, profile,
					     &capabilities->diag)) {
			ddp_package_close(capabilities->package);
			capabilities->package = NULL;
		}
	}
	if (capabilities->diag.no_memory)
		no_memory_exit();
	return EXIT_GOOD;
}

static void planned_fini(struct planned *planned) {
	ddp_spread_destroy(planned->spread);
	ddp_plan_destroy(planned->plan);
	ddp_package_close(planned->capabilities.package);
	ddp_diag_fini(&planned->capabilities.diag);
}

// EXIT_GOOD, or nothing is left to be freed.
static int planned_make(const struct plan_options *options, const struct asked *asked,
			const struct ddp_nic *nic, const struct ddp_personality *loaded,
			struct planned *planned) {
	struct ddp_plan_ask ask = {.rss_hf = asked->rss_hf,
				   .n_queues = options->rss.steer.n_queues};
	int status = capabilities_find(options, nic, loaded->profile, &planned->capabilities);

	planned->plan = NULL;
	planned->spread = NULL;
	if (status != EXIT_GOOD) {
		planned_fini(planned);
		return status;
	}
	ask.package = planned->capabilities.package;
	planned->plan = nic_plan(nic, loaded, &ask, &planned->spread);
	return EXIT_GOOD;
}

static void plan_show(const struct plan_options *options, const struct plan_report *report,
		      const struct planned *planned, const struct plan_capture *capture,
		      struct output *out) {
	struct json_writer json;

	if (options->common.format == FORMAT_JSON) {
		jsonw_init(&json, out);
		jsonw_open(&json, '{');
		plan_json(report, planned, &json);
		if (capture != NULL)
			plan_capture_json(capture, &json);
		jsonw_write(&json, "}\n");
	} else if (options->commands) {
		plan_commands_print(planned, out);
	} else {
		if (capture != NULL)
			plan_capture_warn(capture, out);
		plan_print(report, planned, out);
		if (capture != NULL)
			plan_capture_print(capture, out);
	}
}

static int plan(const struct plan_options *options, const struct asked *asked,
		const struct plan_report *report, const char *spec,
		const struct ddp_personality *loaded, struct output *out) {
	struct plan_capture capture = {0};
	struct planned planned;
	int status = planned_make(options, asked, asked->kind, loaded, &planned);

	if (status != EXIT_GOOD)
		return status;
	if (options->pcap != NULL)
		status = plan_capture_read(options->pcap, &options->rss.steer, spec, &planned,
					   &capture);
	if (status == EXIT_GOOD || capture.n_choices > 0)
		plan_show(options, report, &planned, options->pcap != NULL ? &capture : NULL, out);
	plan_capture_fini(&capture);
	planned_fini(&planned);
	return status;
}

/* All kinds side by side */

#define KINDS_MAX 16

struct kinds {
	struct planned planned[KINDS_MAX];
	unsigned int n;
};

static int kinds_plan(const struct plan_options *options, const struct asked *asked,
		      const struct ddp_personality *loaded, struct kinds *kinds) {
	int status = EXIT_GOOD;

	for (unsigned int i = 0; status == EXIT_GOOD && i < ddp_n_nics && i < KINDS_MAX; i++)
		if (ddp_nics[i] != ddp_nic_find("none")) // of which there is nothing to tell
			status = planned_make(options, asked, ddp_nics[i], loaded,
					      &kinds->planned[kinds->n++]);
	if (status != EXIT_GOOD)
		kinds->n--; // of which nothing is left
	return status;
}

static void kinds_show(const struct plan_options *options, const struct plan_report *report,
		       const struct kinds *kinds, struct output *out) {
	struct json_writer json;

	if (options->common.format != FORMAT_JSON) {
		kinds_print(report, kinds->planned, kinds->n, out);
		return;
	}
	jsonw_init(&json, out);
	jsonw_open(&json, '{');
	kinds_json(report, kinds->planned, kinds->n, &json);
	jsonw_write(&json, "}\n");
}

static int plans(const struct plan_options *options, const struct asked *asked,
		 const struct plan_report *report, const struct ddp_personality *loaded,
		 struct output *out) {
	static struct kinds kinds; // too large for some stacks
	int status = kinds_plan(options, asked, loaded, &kinds);

	if (status == EXIT_GOOD)
		kinds_show(options, report, &kinds, out);
	while (kinds.n > 0)
		planned_fini(&kinds.planned[--kinds.n]);
	return status;
}

static int options_check(const struct plan_options *options, const struct asked *asked) {
	if (options->package != NULL && asked->kind != NULL &&
	    asked->kind != ddp_nic_find("i40e")) {
		error_print("plan: option --package is for NICs of kind i40e");
		return EXIT_USAGE;
	}
	if (asked->kind == NULL && (options->commands || options->pcap != NULL)) {
		error_print("plan: option --%s needs --nic or --port",
			    options->commands ? "commands" : "pcap");
		return EXIT_USAGE;
	}
	return EXIT_GOOD;
}

static int loaded_plan(const struct plan_options *options, const struct asked *asked,
		       const char *spec, struct output *out) {
	struct plan_report report = {.spec = spec[0] != '\0' ? spec : "base",
				     .columns = output_columns(out),
				     .n_queues = options->rss.steer.n_queues};
	struct ddp_personality loaded;
	int status = load_or_report(&loaded, spec[0] != '\0' ? spec : NULL);

	if (status != EXIT_GOOD)
		return status;
	report.program = loaded.program;
	status = asked->kind == NULL ?
			 plans(options, asked, &report, &loaded, out) :
			 plan(options, asked, &report, spec[0] != '\0' ? spec : NULL, &loaded, out);
	ddp_personality_unload(&loaded);
	return status;
}

int cmd_plan(const void *arg, struct output *out) {
	const struct plan_options *options = arg;
	struct asked asked;
	int status;

	strbuf_init(&asked.spec);
	status = asked_take(options, &asked);
	if (status == EXIT_GOOD)
		status = options_check(options, &asked);
	if (status == EXIT_GOOD)
		status = loaded_plan(options, &asked, strbuf_take(&asked.spec), out);
	strbuf_fini(&asked.spec);
	return status;
}
