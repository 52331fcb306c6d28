/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl plan FILE --nic KIND: what of a profile a kind of NIC can do, and how. With --port, the profiles of a
// running port, and its lower device.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/rss_hf.h"
#include "command.h"
#include "emit.h"
#include "load.h"
#include "offload/offload.h"
#include "port.h"
#include "table.h"
#include "text.h"

static void line_write(void *arg, const char *command) {
	output_text(arg, "  ");
	text_write(arg, command);
	output_text(arg, "\n");
}

static void types_print(const struct ddp_plan *plan, const struct ddp_program *program,
			struct output *out) {
	static const struct table_column columns[] = {
		{.title = "PACKET TYPE"},
		{.title = "WHERE"},
		{.title = "WHY"},
	};
	struct table table;

	table_init(&table, out, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < plan->n_types; i++) {
		table_printf(&table, "%s", ddp_program_type(program, i)->name);
		table_next(&table);
		table_printf(&table, "%s", ddp_offload_class_name(plan->types[i].class));
		table_next(&table);
		table_printf(&table, "%s", plan->types[i].reason);
		table_next(&table);
	}
	table_fini(&table);
}

static unsigned int count(const struct ddp_plan *plan, enum ddp_offload_class class) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->n_types; i++)
		n += plan->types[i].class == class;
	return n;
}

static void summary_print(const struct ddp_plan *plan, struct output *out) {
	output_printf(out, "\n%s: hardware %u, partly %u, software %u, not at all %u\n",
		      ddp_nic_title(plan->nic), count(plan, DDP_OFFLOAD_HARDWARE),
		      count(plan, DDP_OFFLOAD_PARTLY), count(plan, DDP_OFFLOAD_SOFTWARE),
		      count(plan, DDP_OFFLOAD_NONE));
}

static bool has_any(const struct ddp_plan *plan) {
	return plan->rss_hf != 0 || plan->n_rules > 0;
}

static void plan_print(const struct ddp_plan *plan, const struct ddp_program *program,
		       struct output *out) {
	types_print(plan, program, out);
	summary_print(plan, out);
	if (!has_any(plan))
		return;
	output_text(out, "\nby hand, in testpmd:\n");
	ddp_plan_testpmd(plan, line_write, out);
	output_text(out, "\nby hand, with Linux's driver:\n");
	if (!ddp_plan_ethtool(plan, line_write, out))
		output_text(out, "  (ethtool has no words for the rest)\n");
}

static void item_emit(void *arg, const char *command) {
	emit_text(arg, command);
}

static void types_json(const struct ddp_plan *plan, const struct ddp_program *program,
		       struct emit *emit) {
	emit_key(emit, "packet_types");
	emit_open(emit, '[');
	for (unsigned int i = 0; i < plan->n_types; i++) {
		emit_open(emit, '{');
		emit_key_text(emit, "name", ddp_program_type(program, i)->name);
		emit_key_text(emit, "where", ddp_offload_class_name(plan->types[i].class));
		emit_key_text(emit, "why", plan->types[i].reason);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void asked_json(const struct ddp_plan *plan, struct emit *emit) {
	emit_key(emit, "rss_hf");
	emit_open(emit, '[');
	for (unsigned int bit = 0; bit < 64; bit++)
		if (plan->rss_hf >> bit & 1)
			emit_text(emit, ddp_rss_hf_name(bit));
	emit_close(emit, ']');
	emit_key(emit, "tunnels");
	emit_open(emit, '[');
	for (unsigned int i = 0; i < plan->n_tunnels; i++) {
		emit_open(emit, '{');
		emit_key_text(emit, "header", plan->tunnels[i].header);
		emit_key_uint(emit, "port", plan->tunnels[i].port);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
	emit_key_uint(emit, "rules", plan->n_rules);
}

static void plan_json(const struct ddp_plan *plan, const struct ddp_program *program,
		      const char *spec, struct output *out) {
	struct emit emit;

	emit_init(&emit, out);
	emit_open(&emit, '{');
	emit_key_text(&emit, "profile", spec);
	emit_key_text(&emit, "nic", ddp_nic_name(plan->nic));
	types_json(plan, program, &emit);
	asked_json(plan, &emit);
	emit_key(&emit, "testpmd");
	emit_open(&emit, '[');
	ddp_plan_testpmd(plan, item_emit, &emit);
	emit_close(&emit, ']');
	emit_key(&emit, "ethtool");
	emit_open(&emit, '[');
	ddp_plan_ethtool(plan, item_emit, &emit);
	emit_close(&emit, ']');
	emit_close(&emit, '}');
	emit_end(&emit);
}

/* What is asked */

struct asked {
	const struct ddp_nic *kind;
	uint64_t rss_hf;
	struct text spec;
};

static void specs_join(const json_t *specs, FILE *to) {
	json_t *spec;
	size_t i;

	json_array_foreach(specs, i, spec)
		fprintf(to, "%s%s", i > 0 ? "+" : "", json_string_value(spec));
}

// Of a running port: its lower device, its profiles and its hash fields, unless the command line says others.
static int port_take(const struct options *options, struct asked *asked) {
	struct options of_port = *options;
	struct port port;
	json_t *info = NULL;

	of_port.files = &options->port;
	of_port.n_files = 1;
	if (port_open(&port, &of_port) == CTL_GOOD)
		info = port_ask(&port, "info", NULL);
	if (info != NULL) {
		json_t *names = json_object_get(info, "rss_hf");
		const char *kind = json_string_value(json_object_get(info, "offload"));
		uint64_t rss_hf = 0, bit;
		const char *unknown;
		size_t i, len;
		json_t *name;

		if (asked->kind == NULL && kind != NULL)
			asked->kind = ddp_nic_find(kind[0] != '\0' ? kind : "none");
		if (options->n_files == 0)
			specs_join(json_object_get(info, "profile_specs"), asked->spec.to);
		json_array_foreach(names, i, name)
			if (ddp_rss_hf_parse(json_string_value(name), &bit, &unknown, &len) == 0)
				rss_hf |= bit;
		asked->rss_hf = rss_hf;
	}
	json_decref(info);
	return port_close(&port);
}

static int asked_take(const struct options *options, struct asked *asked) {
	int status = CTL_GOOD;

	asked->kind = options->kind;
	asked->rss_hf = options->steer.rss_hf;
	if (options->n_files > 0)
		fputs(options->files[0], asked->spec.to);
	if (options->port != NULL)
		status = port_take(options, asked);
	else if (options->n_files == 0)
		status = CTL_USAGE;
	if (status == CTL_USAGE)
		fprintf(stderr, "ddpctl: plan: of which FILE, or --port?\n");
	if (status == CTL_GOOD && asked->kind == NULL) {
		fprintf(stderr, "ddpctl: plan: which kind of NIC? --nic %s\n",
			option_specs[OPTION_NIC].words);
		status = CTL_USAGE;
	}
	return status;
}

static int plan(const struct options *options, const struct asked *asked, const char *spec,
		struct output *out) {
	const struct ddp_plan_ask ask = {.rss_hf = asked->rss_hf};
	struct ddp_plan *plan;
	struct loaded loaded;
	int status = load_or_tell(&loaded, spec[0] != '\0' ? spec : NULL);

	if (status != CTL_GOOD)
		return status;
	plan = ddp_plan_build(asked->kind, loaded.profile, loaded.program, &ask);
	if (plan == NULL) {
		fprintf(stderr, "ddpctl: %s\n", strerror(ENOMEM));
		status = CTL_NO;
	} else if (options->format == FORMAT_JSON) {
		plan_json(plan, loaded.program, spec[0] != '\0' ? spec : "base", out);
	} else {
		plan_print(plan, loaded.program, out);
	}
	ddp_plan_destroy(plan);
	unload_profile(&loaded);
	return status;
}

int cmd_plan(const struct options *options, struct output *out) {
	struct asked asked;
	int status;

	text_init(&asked.spec);
	status = asked_take(options, &asked);
	if (status == CTL_GOOD)
		status = plan(options, &asked, text_take(&asked.spec), out);
	text_fini(&asked.spec);
	return status;
}
