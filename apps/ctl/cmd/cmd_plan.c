/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl plan FILE --nic KIND: does a kind of NIC spread the traffic, and which packet types does
// it hash exactly as the profile? --port takes profiles and kind from a running port. Without both,
// all kinds are compared.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <rte_common.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/rss_hf.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ctl/command.h"
#include "ctl/plan/plan_report.h"
#include "ctl/profile/profile_load.h"
#include "ctl/simulate/candidates.h"
#include "ctl/steer/cut.h"
#include "ctl/telemetry/port_info.h"
#include "offload/i40e_port.h"

#define KINDS_MAX 16 // kinds of NIC

/* The packets of a capture with each choice: the NIC as it is, with the rules of the plan, and
 * together with net_ddp */

#define PLAN_CHOICES 3

struct plan_choice {
	const char *name;
	double imbalance;
};

struct plan_capture {
	const char *path;
	unsigned int n_queues;
	uint64_t n_packets;
	uint64_t by_class[DDP_OFFLOAD_NONE + 1];     // packets, by the plan's classes
	uint64_t by_spread[DDP_SPREAD_UNWANTED + 1]; // packets, by the NIC alone
	struct plan_choice choices[PLAN_CHOICES];
	unsigned int n_choices;
	char *cut_warning;    // unknown results because of cut packets; NULL: none
	unsigned int snaplen; // bytes, that the capture needs then
};

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
	struct ddp_plan_request request = {
		.rss_hf = plans->rss_hf, .n_queues = plans->report.n_queues, .spread = true};
	struct planned *planned = &plans->planned[plans->n++];
	int status;

	*planned = (struct planned){0};
	ddp_diag_init(&planned->diag);
	status = package_find(plans->options->package, nic, plans->loaded.profile, planned);
	request.package = planned->package;
	if (status == EXIT_GOOD)
		planned->plan = nic_plan(nic, &plans->loaded, &request);
	return status;
}

/* The packets of a capture */

static void type_count(const struct ddp_plan *plan, const struct spread_type *type,
		       struct plan_capture *capture) {
	const bool none = type->number == plan->n_types;

	assert(type->number <= plan->n_types);

	capture->by_class[none ? DDP_OFFLOAD_NONE : plan->types[type->number].class] +=
		type->packets;
	if (none)
		capture->by_spread[DDP_SPREAD_UNWANTED] += type->packets;
	else if (plan->spread != NULL)
		capture->by_spread[plan->spread->types[type->number].spread] += type->packets;
}

static void choice_add(struct plan_capture *capture, const char *name,
		       const struct spread *spread) {
	assert(capture->n_choices < PLAN_CHOICES);
	capture->choices[capture->n_choices++] =
		(struct plan_choice){name, ddp_imbalance(spread->queue_packets, capture->n_queues)};
}

static void choices_fill(const struct candidates *candidates, const struct planned *planned,
			 struct plan_capture *capture) {
	const struct spread *profile = &candidates->spreads[0];

	capture->n_packets = profile->packets;
	for (unsigned int i = 0; i < profile->n_types; i++)
		type_count(planned->plan, &profile->types[i], capture);
	choice_add(capture, "NIC without rules", candidates->nics[0].spread);
	if (planned->plan->spread != NULL)
		choice_add(capture, "NIC alone, with the rules", &candidates->spreads[1]);
	choice_add(capture, "NIC and net_ddp", profile);
}

// The choice with the most unknown packets counts for all.
static void cut_warn(const struct candidates *candidates, const struct capture *of,
		     struct plan_capture *capture) {
	uint32_t needed = 0;
	uint64_t most = 0;
	struct strbuf unknown, text;

	for (unsigned int i = 0; i < candidates->n_all; i++) {
		needed = RTE_MAX(needed, candidates->spreads[i].cut.needed);
		most = RTE_MAX(most, candidates->spreads[i].cut.packets);
	}
	if (most == 0)
		return;
	strbuf_init(&unknown);
	strbuf_init(&text);
	fprintf(unknown.to, "the shares and imbalances (%.1f %% of the packets)",
		100.0 * most / capture->n_packets);
	cut_warning_write(text.to, of, strbuf_take(&unknown), needed);
	capture->cut_warning = strdup_or_exit(strbuf_take(&text));
	capture->snaplen = cut_snaplen(needed);
	strbuf_fini(&text);
	strbuf_fini(&unknown);
}

static int candidates_load(struct candidates *candidates, const char *spec,
			   const struct planned *planned) {
	int status = candidates_add_spec(candidates, "profile", spec);
	struct ddp_personality loaded;

	if (status == EXIT_GOOD && planned->plan->spread != NULL)
		status = nic_profile_load(&loaded, spec, planned->plan->spread);
	if (status == EXIT_GOOD && planned->plan->spread != NULL)
		status = candidates_add(candidates, "alone", &loaded, NULL);
	if (status == EXIT_GOOD)
		status = candidates_add_nics(candidates, planned->plan->nic);
	return status;
}

static int capture_run(const char *path, struct candidates *candidates,
		       const struct planned *planned, struct plan_capture *result) {
	const struct capture_config config = {.path = path};
	struct capture capture;
	int status, ret;

	status = capture_open_or_report(&capture, &config);
	if (status != EXIT_GOOD)
		return status;
	ret = candidates_run(candidates, &capture);
	choices_fill(candidates, planned, result);
	cut_warn(candidates, &capture, result);
	status = capture_end_or_report(&capture, ret);
	capture_close(&capture);
	return status;
}

// Read the packets of path. spec NULL: base. Returns the exit status; errors go to stderr.
static int plan_capture_read(const char *path, const struct steer_config *steer, const char *spec,
			     const struct planned *planned, struct plan_capture *capture) {
	static struct candidates candidates; // too large for some stacks
	int status;

	*capture = (struct plan_capture){.path = path, .n_queues = steer->n_queues};
	candidates_init(&candidates, steer);
	status = candidates_load(&candidates, spec, planned);
	if (status == EXIT_GOOD)
		status = capture_run(path, &candidates, planned, capture);
	candidates_fini(&candidates);
	return status;
}

static void plan_capture_print(const struct plan_capture *capture, struct output *out) {
	struct table table;

	output_escaped_printf(out, "\n%s: %" PRIu64 " packets on %u queues\n", capture->path,
			      capture->n_packets, capture->n_queues);
	table_init(&table, out, "CHOICE|>IMBALANCE");
	for (unsigned int i = 0; i < capture->n_choices; i++) {
		table_text(&table, capture->choices[i].name);
		table_cell(&table, "%.3f", capture->choices[i].imbalance);
	}
	table_fini(&table);
	output_text(out, "\n");
	table_init(&table, out, "PACKETS THAT THE NIC ALONE HASHES BY|>SHARE");
	for (enum ddp_spread i = 0; i <= DDP_SPREAD_UNWANTED; i++)
		if (capture->by_spread[i] > 0) {
			table_text(&table, ddp_spread_name(i));
			table_cell(&table, "%.1f%%",
				   percent(capture->by_spread[i], capture->n_packets));
		}
	table_fini(&table);
	output_text(out, "\n");
	table_init(&table, out, "PACKETS WHOSE EQUAL HASH COMES FROM|>SHARE");
	for (enum ddp_offload_class i = 0; i <= DDP_OFFLOAD_NONE; i++)
		if (capture->by_class[i] > 0) {
			table_text(&table, ddp_offload_class_name(i));
			table_cell(&table, "%.1f%%",
				   percent(capture->by_class[i], capture->n_packets));
		}
	table_fini(&table);
}

static void plan_capture_json(const struct plan_capture *capture, struct json_writer *json) {
	jsonw_key_open(json, "capture", '{');
	jsonw_write(json, "path:%s packets:%ju queues:%u choices:[", capture->path,
		    capture->n_packets, capture->n_queues);
	for (unsigned int i = 0; i < capture->n_choices; i++)
		jsonw_object(json, "name:%s imbalance:%g", capture->choices[i].name,
			     capture->choices[i].imbalance);
	jsonw_write(json, "] alone:[");
	for (enum ddp_spread i = 0; i <= DDP_SPREAD_UNWANTED; i++)
		jsonw_object(json, "spread:%s packets:%ju", ddp_spread_name(i),
			     capture->by_spread[i]);
	jsonw_write(json, "] shared:[");
	for (enum ddp_offload_class i = 0; i <= DDP_OFFLOAD_NONE; i++)
		jsonw_object(json, "where:%s packets:%ju", ddp_offload_class_name(i),
			     capture->by_class[i]);
	jsonw_close(json, ']');
	jsonw_key_text(json, "warning", capture->cut_warning);
	jsonw_key_uint_or_null(json, "snaplen", capture->cut_warning != NULL, capture->snaplen);
	jsonw_close(json, '}');
}

/* Output */

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
		if (plans->capture.cut_warning != NULL) {
			output_wrapped(out, plans->capture.cut_warning, 0, 0);
			output_text(out, "\n");
		}
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
	while (plans->n > 0) {
		struct planned *planned = &plans->planned[--plans->n];

		ddp_plan_destroy(planned->plan);
		ddp_package_close(planned->package);
		ddp_diag_fini(&planned->diag);
	}
	free(plans->capture.cut_warning);
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
