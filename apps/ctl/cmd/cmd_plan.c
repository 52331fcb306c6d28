/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl plan FILE --nic KIND: what of a profile a kind of NIC can do, and how. With --port, the
// profiles of a running port, and its lower device. With neither, all kinds side by side.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/rss_hf.h"
#include "common/json_writer.h"
#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "offload/i40e_port.h"

static void line_write(void *arg, const char *command) {
	output_escaped_printf(arg, "  %s\n", command);
}

static void types_print(const struct ddp_plan *plan, const struct ddp_program *program,
			struct output *out) {
	struct table table;

	table_init(&table, out, "PACKET TYPE|WHERE|WHY");
	for (unsigned int i = 0; i < plan->n_types; i++) {
		table_text(&table, ddp_program_type(program, i)->name);
		table_text(&table, ddp_offload_class_name(plan->types[i].class));
		table_text(&table, plan->types[i].reason);
	}
	table_fini(&table);
}

static unsigned int count(const struct ddp_plan *plan, enum ddp_offload_class class) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->n_types; i++)
		n += plan->types[i].class == class;
	return n;
}

// Of a 700-series NIC.
struct capabilities {
	bool possible; // it takes packages
	struct ddp_package *package;
	struct ddp_diag diag; // why there is none
};

#define NO_USE "with it the NIC would hash no more as the profile does"

static void capabilities_print(const struct capabilities *capabilities, const struct ddp_plan *plan,
			       struct output *out) {
	const struct ddp_package *package = capabilities->package;

	if (!capabilities->possible)
		return;
	if (package == NULL)
		output_escaped_printf(out, "package: none: %s\n",
				      ddp_diag_reason(&capabilities->diag));
	else if (plan->package == NULL)
		output_escaped_printf(out, "package: %s knows such packets, but " NO_USE "\n",
				      package->path);
	else
		output_escaped_printf(out, "package: %s (%s)\n", package->path,
				      package->i40e->name);
}

static void capabilities_json(const struct capabilities *capabilities, const struct ddp_plan *plan,
			      struct json_writer *json) {
	const char *reason = NULL;

	if (capabilities->possible && plan->package == NULL)
		reason = capabilities->package == NULL ? ddp_diag_reason(&capabilities->diag) :
							 NO_USE;
	jsonw_key_text(json, "package",
		       capabilities->package != NULL ? capabilities->package->path : NULL);
	jsonw_key_text(json, "package_why", reason);
}

static void plan_print(const struct ddp_plan *plan, const struct ddp_program *program,
		       const struct capabilities *capabilities, struct output *out) {
	int n_too_long;

	types_print(plan, program, out);
	output_printf(out, "\n%s: hardware %u, partly %u, software %u, not at all %u\n",
		      ddp_nic_title(plan->nic), count(plan, DDP_OFFLOAD_HARDWARE),
		      count(plan, DDP_OFFLOAD_PARTLY), count(plan, DDP_OFFLOAD_SOFTWARE),
		      count(plan, DDP_OFFLOAD_NONE));
	capabilities_print(capabilities, plan, out);
	if (plan->rss_hf == 0 && plan->n_rules == 0 && plan->n_insets == 0)
		return;
	output_text(out, "\nby hand, in testpmd:\n");
	n_too_long = ddp_plan_testpmd(plan, line_write, out);
	if (n_too_long < 0)
		no_memory_exit();
	if (n_too_long > 0)
		output_printf(
			out,
			"  (testpmd's lines are too short for %d of the %u rules; offload=auto makes "
			"them all)\n",
			n_too_long, plan->n_rules);
	output_text(out, "\nby hand, with Linux's driver:\n");
	if (!ddp_plan_ethtool(plan, line_write, out))
		output_text(out, "  (ethtool has no words for the rest)\n");
}

static void item_emit(void *arg, const char *command) {
	jsonw_text(arg, command);
}

static void types_json(const struct ddp_plan *plan, const struct ddp_program *program,
		       struct json_writer *json) {
	jsonw_key_open(json, "packet_types", '[');
	for (unsigned int i = 0; i < plan->n_types; i++)
		jsonw_object(json, "name:%s where:%s why:%s", ddp_program_type(program, i)->name,
			     ddp_offload_class_name(plan->types[i].class), plan->types[i].reason);
	jsonw_close(json, ']');
}

static void asked_json(const struct ddp_plan *plan, struct json_writer *json) {
	jsonw_key_open(json, "rss_hf", '[');
	for (unsigned int bit = 0; bit < 64; bit++)
		if (plan->rss_hf >> bit & 1)
			jsonw_text(json, ddp_rss_hf_name(bit));
	jsonw_write(json, "] tunnels:[");
	for (unsigned int i = 0; i < plan->n_tunnels; i++)
		jsonw_object(json, "header:%s port:%u", plan->tunnels[i].header,
			     plan->tunnels[i].port);
	jsonw_write(json, "] rules:%u", plan->n_rules);
}

static void plan_json(const struct ddp_plan *plan, const struct ddp_program *program,
		      const char *spec, const struct capabilities *capabilities,
		      struct output *out) {
	struct json_writer json;

	jsonw_init(&json, out);
	jsonw_write(&json, "{profile:%s nic:%s", spec, ddp_nic_name(plan->nic));
	capabilities_json(capabilities, plan, &json);
	types_json(plan, program, &json);
	asked_json(plan, &json);
	jsonw_key_open(&json, "testpmd", '[');
	if (ddp_plan_testpmd(plan, item_emit, &json) < 0)
		no_memory_exit();
	jsonw_write(&json, "] ethtool:[");
	ddp_plan_ethtool(plan, item_emit, &json);
	jsonw_write(&json, "]}\n");
}

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
static int info_take(const struct options *options, const json_t *info, struct asked *asked) {
	const char *kind = json_string_value(json_object_get(info, "offload"));

	if (asked->kind == NULL)
		asked->kind = ddp_nic_find(kind[0] != '\0' ? kind : "none");
	if (options->n_files == 0)
		specs_join(json_object_get(info, "profile_specs"), asked->spec.to);
	asked->rss_hf = rss_hf_join(json_object_get(info, "rss_hf"));
	return asked->kind != NULL ? 0 : -EINVAL;
}

// Of a running port: its lower device, its profiles and its hash fields, unless the command line
// says others.
static int port_take(const struct options *options, struct asked *asked) {
	struct port port;
	json_t *info = NULL;

	if (port_open(&port, options->file_prefix, options->pid, options->port) == EXIT_GOOD)
		info = port_ask(&port, "info", NULL);
	if (info != NULL && info_take(options, info, asked) < 0)
		port_strange(&port, "info");
	json_decref(info);
	return port_close(&port);
}

static int asked_take(const struct options *options, struct asked *asked) {
	int status = EXIT_GOOD;

	asked->kind = options->kind;
	asked->rss_hf = options->steer.rss_hf;
	if (options->n_files > 0)
		fputs(options->files[0], asked->spec.to);
	if (options->port != NULL)
		status = port_take(options, asked);
	else if (options->n_files == 0)
		status = EXIT_USAGE;
	if (status == EXIT_USAGE)
		error_print("plan: of which FILE, or --port?");
	return status;
}

static int capabilities_find(const struct options *options, const struct ddp_nic *nic,
			     const struct ddp_profile *profile, struct capabilities *capabilities) {
	struct ddp_sysroot root;

	ddp_diag_init(&capabilities->diag);
	capabilities->possible = nic == ddp_nic_find("i40e") && ddp_i40e_package_wanted(profile);
	capabilities->package = NULL;
	if (!capabilities->possible)
		return EXIT_GOOD;
	if (ddp_sysroot_open(&root, options->root, &capabilities->diag) < 0) {
		ddp_diag_print(&capabilities->diag, stderr);
		return EXIT_UNREADABLE;
	}
	capabilities->package = ddp_i40e_package_pick(profile, 0, &root, &capabilities->diag);
	ddp_sysroot_close(&root);
	if (capabilities->diag.no_memory)
		no_memory_exit();
	return EXIT_GOOD;
}

// What a kind of NIC can do, and by which package.
struct planned {
	struct capabilities capabilities;
	struct ddp_plan *plan;
};

static void planned_fini(struct planned *planned) {
	ddp_plan_destroy(planned->plan);
	ddp_package_close(planned->capabilities.package);
	ddp_diag_fini(&planned->capabilities.diag);
}

// EXIT_GOOD, or nothing is left to be freed.
static int planned_make(const struct options *options, const struct asked *asked,
			const struct ddp_nic *nic, const struct ddp_personality *loaded,
			struct planned *planned) {
	struct ddp_plan_ask ask = {.rss_hf = asked->rss_hf};
	int status = capabilities_find(options, nic, loaded->profile, &planned->capabilities);

	planned->plan = NULL;
	ask.package = planned->capabilities.package;
	if (status == EXIT_GOOD)
		planned->plan = ddp_plan_build(nic, loaded->profile, loaded->program, &ask);
	if (planned->plan != NULL)
		return EXIT_GOOD;
	if (status == EXIT_GOOD)
		no_memory_exit();
	planned_fini(planned);
	return status;
}

static int plan(const struct options *options, const struct asked *asked, const char *spec,
		const struct ddp_personality *loaded, struct output *out) {
	struct planned planned;
	int status = planned_make(options, asked, asked->kind, loaded, &planned);

	if (status != EXIT_GOOD)
		return status;
	if (options->format == FORMAT_JSON)
		plan_json(planned.plan, loaded->program, spec[0] != '\0' ? spec : "base",
			  &planned.capabilities, out);
	else
		plan_print(planned.plan, loaded->program, &planned.capabilities, out);
	planned_fini(&planned);
	return EXIT_GOOD;
}

/* All kinds side by side */

#define KINDS_MAX 16

struct kinds {
	const struct ddp_personality *loaded;
	struct planned planned[KINDS_MAX];
	unsigned int n;
};

static int kinds_plan(const struct options *options, const struct asked *asked,
		      struct kinds *kinds) {
	int status = EXIT_GOOD;

	for (unsigned int i = 0; status == EXIT_GOOD && i < ddp_n_nics && i < KINDS_MAX; i++)
		if (ddp_nics[i] != ddp_nic_find("none")) // of which there is nothing to tell
			status = planned_make(options, asked, ddp_nics[i], kinds->loaded,
					      &kinds->planned[kinds->n++]);
	if (status != EXIT_GOOD)
		kinds->n--; // of which nothing is left
	return status;
}

static void kinds_print(const struct kinds *kinds, struct output *out) {
	const struct ddp_program *program = kinds->loaded->program;
	struct table table;

	table_init(&table, out, "PACKET TYPE");
	for (unsigned int k = 0; k < kinds->n; k++)
		table_column(&table, ddp_nic_name(kinds->planned[k].plan->nic));
	for (unsigned int i = 0; i < kinds->planned[0].plan->n_types; i++) {
		table_text(&table, ddp_program_type(program, i)->name);
		for (unsigned int k = 0; k < kinds->n; k++) {
			enum ddp_offload_class class = kinds->planned[k].plan->types[i].class;

			table_cell(&table, "%s",
				   class == DDP_OFFLOAD_NONE ? "-" : ddp_offload_class_name(class));
		}
	}
	table_fini(&table);
	output_text(out, "\nwhy, and how: --nic KIND\n");
}

static void kinds_json(const struct kinds *kinds, const char *spec, struct output *out) {
	struct json_writer json;

	jsonw_init(&json, out);
	jsonw_write(&json, "{profile:%s nics:[", spec);
	for (unsigned int k = 0; k < kinds->n; k++) {
		jsonw_write(&json, "{nic:%s title:%s", ddp_nic_name(kinds->planned[k].plan->nic),
			    ddp_nic_title(kinds->planned[k].plan->nic));
		capabilities_json(&kinds->planned[k].capabilities, kinds->planned[k].plan, &json);
		types_json(kinds->planned[k].plan, kinds->loaded->program, &json);
		jsonw_close(&json, '}');
	}
	jsonw_write(&json, "]}\n");
}

static int plans(const struct options *options, const struct asked *asked, const char *spec,
		 const struct ddp_personality *loaded, struct output *out) {
	struct kinds kinds = {.loaded = loaded};
	int status = kinds_plan(options, asked, &kinds);

	if (status == EXIT_GOOD && options->format == FORMAT_JSON)
		kinds_json(&kinds, spec, out);
	else if (status == EXIT_GOOD)
		kinds_print(&kinds, out);
	while (kinds.n > 0)
		planned_fini(&kinds.planned[--kinds.n]);
	return status;
}

int cmd_plan(const struct options *options, struct output *out) {
	struct ddp_personality loaded;
	const char *spec = NULL;
	struct asked asked;
	int status;

	strbuf_init(&asked.spec);
	status = asked_take(options, &asked);
	if (status == EXIT_GOOD) {
		spec = strbuf_take(&asked.spec);
		status = load_or_report(&loaded, spec[0] != '\0' ? spec : NULL);
	}
	if (status == EXIT_GOOD) {
		status = asked.kind == NULL ? plans(options, &asked, spec, &loaded, out) :
					      plan(options, &asked, spec, &loaded, out);
		ddp_personality_unload(&loaded);
	}
	strbuf_fini(&asked.spec);
	return status;
}
