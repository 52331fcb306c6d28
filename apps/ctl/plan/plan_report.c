/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_report.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/profile/profile_load.h"
#include "i40e/i40e.h"
#include "rss/rss.h"

#define INDENT 2                          // columns
#define NAMES_INDENT 6                    // columns
#define N_RANKS (DDP_SPREAD_UNWANTED + 1) // ranks: at least those of all type_write functions

static void paragraph_print(const char *text, unsigned int indent, struct output *out) {
	output_blanks(out, indent);
	output_wrapped(out, text, indent, indent);
}

/* Packet types with one paragraph */

// Write the paragraph of a packet type. Returns its rank; lower ranks come first.
typedef unsigned int type_write(const struct planned *planned, unsigned int type, FILE *to);

struct paragraph {
	unsigned int rank;
	char *text;
};

static bool is_same(const struct paragraph *a, const struct paragraph *b) {
	return a->rank == b->rank && strcmp(a->text, b->text) == 0;
}

// Print the paragraph of packet type `first` and the names of all types that share it, once.
static void group_print(const struct plan_report *report, const struct paragraph *paragraphs,
			unsigned int n, unsigned int first, struct strbuf *text,
			struct output *out) {
	assert(first < n);
	for (unsigned int i = 0; i < first; i++)
		if (is_same(&paragraphs[i], &paragraphs[first]))
			return;
	paragraph_print(paragraphs[first].text, INDENT, out);
	for (unsigned int i = first; i < n; i++)
		if (is_same(&paragraphs[i], &paragraphs[first]))
			fprintf(text->to, "%s%s", i > first ? " " : "",
				ddp_program_type(report->program, i)->name);
	paragraph_print(strbuf_take(text), NAMES_INDENT, out);
}

static void groups_print(const struct plan_report *report, const struct planned *planned,
			 type_write *write, struct output *out) {
	const unsigned int n = planned->plan->n_types;
	struct paragraph *paragraphs = calloc_or_exit(n + 1, sizeof(*paragraphs));
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned int i = 0; i < n; i++) {
		paragraphs[i].rank = write(planned, i, text.to);
		assert(paragraphs[i].rank < N_RANKS);
		paragraphs[i].text = strdup_or_exit(strbuf_take(&text));
	}
	for (unsigned int rank = 0; rank < N_RANKS; rank++)
		for (unsigned int i = 0; i < n; i++)
			if (paragraphs[i].rank == rank)
				group_print(report, paragraphs, n, i, &text, out);
	for (unsigned int i = 0; i < n; i++)
		free(paragraphs[i].text);
	free(paragraphs);
	strbuf_fini(&text);
}

/* Spread by the NIC alone */

static void verdict_write(const struct ddp_spread_plan *spread, FILE *to) {
	const char *of = spread->tunnels ? " of tunnels" : "";

	switch (spread->verdict) {
	case DDP_SPREAD_HARDWARE:
		fprintf(to,
			"The NIC alone spreads all %u packet types%s, %u of them by the same "
			"fields as the profile.",
			spread->n_wanted, of, spread->n_same);
		break;
	case DDP_SPREAD_BOTH:
		fprintf(to, "The NIC alone spreads %u of %u packet types%s", spread->n_spread,
			spread->n_wanted, of);
		if (spread->n_partly > 0)
			fprintf(to, ", and some packets of %u more", spread->n_partly);
		fputs(". net_ddp has to hash the rest in software.", to);
		break;
	case DDP_SPREAD_SOFTWARE:
		fprintf(to,
			"The NIC hashes no inner header of the %u packet types%s: packets with "
			"the same outer headers stay on one queue. net_ddp has to hash the inner "
			"headers in software.",
			spread->n_wanted, of);
		break;
	}
	if (spread->n_rules > 0)
		fprintf(to, " This takes %u RSS rule%s.", spread->n_rules, plural(spread->n_rules));
	if (spread->setup != NULL)
		fprintf(to, " The NIC needs %s.", spread->setup);
}

static unsigned int spread_write(const struct planned *planned, unsigned int i, FILE *to) {
	const struct ddp_spread_type *type = &planned->plan->spread->types[i];

	fprintf(to, "%s", ddp_spread_name(type->spread));
	if (type->spread == DDP_SPREAD_UNWANTED) {
		fprintf(to, " (the profile has no input set)");
		return type->spread;
	}
	if (type->spread != DDP_SPREAD_NONE)
		fprintf(to, ": %s", type->by);
	if (type->hashed[0] != '\0')
		fprintf(to, " (profile: %s)", type->hashed);
	if (type->partly)
		fprintf(to, "; of the other packets the same fields");
	return type->spread;
}

static void spread_print(const struct plan_report *report, const struct planned *planned,
			 struct output *out) {
	struct strbuf text;

	strbuf_init(&text);
	verdict_write(planned->plan->spread, text.to);
	output_printf(out, "spread: %s\n", ddp_spread_verdict_name(planned->plan->spread->verdict));
	paragraph_print(strbuf_take(&text), INDENT, out);
	output_text(out, "\nhashed by the NIC alone:\n");
	groups_print(report, planned, spread_write, out);
	output_text(out, "\n");
	strbuf_fini(&text);
}

/* Equal hashes */

static unsigned int equal_write(const struct planned *planned, unsigned int i, FILE *to) {
	const struct ddp_offload_type *type = &planned->plan->types[i];
	int len = strlen(type->reason);

	if (type->note != NULL)
		len -= strlen(": ") + strlen(type->note);
	fprintf(to, "%s: %.*s", ddp_offload_class_name(type->class), len, type->reason);
	return type->class;
}

static unsigned int count(const struct ddp_plan *plan, enum ddp_offload_class class) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < plan->n_types; i++)
		n += plan->types[i].class == class;
	return n;
}

static void equal_print(const struct plan_report *report, const struct planned *planned,
			struct output *out) {
	const struct ddp_plan *plan = planned->plan;
	const char *note = NULL;
	struct strbuf text;

	strbuf_init(&text);
	output_text(out, "equal hashes, so that NIC and net_ddp can share the work "
			 "(offload=auto):\n");
	fprintf(text.to, "hardware %u, partly %u, software %u, not at all %u",
		count(plan, DDP_OFFLOAD_HARDWARE), count(plan, DDP_OFFLOAD_PARTLY),
		count(plan, DDP_OFFLOAD_SOFTWARE), count(plan, DDP_OFFLOAD_NONE));
	paragraph_print(strbuf_take(&text), INDENT, out);
	groups_print(report, planned, equal_write, out);
	for (unsigned int i = 0; i < plan->n_types; i++)
		if (plan->types[i].note != NULL)
			note = plan->types[i].note;
	if (note != NULL) {
		fprintf(text.to, "note: %s", note);
		paragraph_print(strbuf_take(&text), INDENT, out);
	}
	strbuf_fini(&text);
}

/* Packages */

#define NO_USE "with it the NIC would hash no more as the profile does"

static void package_print(const struct planned *planned, struct output *out) {
	const struct ddp_package *package = planned->package;

	if (!planned->takes_package)
		return;
	output_text(out, "\n");
	if (package == NULL)
		output_wrapped_printf(out, 0, "package: none: %s", ddp_diag_reason(&planned->diag));
	else if (planned->plan->package == NULL)
		output_wrapped_printf(out, 0, "package: %s knows such packets, but " NO_USE,
				      package->path);
	else
		output_wrapped_printf(out, 0, "package: %s (%s)", package->path,
				      package->i40e->name);
}

static void package_json(const struct planned *planned, struct json_writer *json) {
	const struct ddp_package *package = planned->package;
	const char *reason = NULL;

	if (planned->takes_package && planned->plan->package == NULL)
		reason = package == NULL ? ddp_diag_reason(&planned->diag) : NO_USE;
	jsonw_write(json, "package:%s package_why:%s", package != NULL ? package->path : NULL,
		    reason);
}

/* Commands */

static void line_write(void *arg, const char *command) {
	output_escaped_printf(arg, "%s\n", command);
}

static void spread_commands_print(const struct ddp_spread_plan *spread, struct output *out) {
	output_printf(out, "# testpmd: the NIC spreads alone (%s)\n",
		      ddp_spread_verdict_name(spread->verdict));
	if (spread->setup != NULL)
		output_printf(out, "# needed before: %s\n", spread->setup);
	if (spread->n_rules == 0)
		output_text(out, "# no rule is needed, or none helps\n");
	if (ddp_spread_testpmd(spread, line_write, out) < 0)
		no_memory_exit();
	output_text(out, "\n");
}

void plan_commands_print(const struct planned *planned, struct output *out) {
	const struct ddp_plan *plan = planned->plan;
	int n_too_long;

	if (planned->plan->spread != NULL)
		spread_commands_print(planned->plan->spread, out);
	output_text(out, "# testpmd: hashes equal to those of the profile; net_ddp with "
			 "offload=auto does this itself\n");
	n_too_long = ddp_plan_testpmd(plan, line_write, out);
	if (n_too_long < 0)
		no_memory_exit();
	if (n_too_long > 0)
		output_printf(
			out,
			"# testpmd's lines are too short for %d of the %u rules; offload=auto "
			"makes them all\n",
			n_too_long, plan->n_rules);
	output_text(out, "\n# the same with Linux's driver\n");
	if (!ddp_plan_ethtool(plan, line_write, out))
		output_text(out, "# ethtool has no words for the rest\n");
}

/* One kind of NIC */

// Imbalance because some queues have one entry of net_ddp's table more.
static double reta_imbalance(const struct plan_report *report) {
	const unsigned int n = report->n_queues;

	return (double)((DDP_RETA_SIZE + n - 1) / n) * n / DDP_RETA_SIZE;
}

static void reta_print(const struct plan_report *report, struct output *out) {
	if (DDP_RETA_SIZE % report->n_queues != 0)
		output_printf(
			out,
			"\nredirection table: %u entries for %u queues, %u for the fullest: up to "
			"%.2f times\n  the mean, however even the hashes are\n",
			DDP_RETA_SIZE, report->n_queues, DDP_RETA_SIZE / report->n_queues + 1,
			reta_imbalance(report));
}

void plan_print(const struct plan_report *report, const struct planned *planned,
		struct output *out) {
	const struct ddp_plan *plan = planned->plan;

	output_escaped_printf(out, "%s on %s (%s)\n", report->spec, ddp_nic_name(plan->nic),
			      ddp_nic_title(plan->nic));
	if (plan->spread != NULL)
		spread_print(report, planned, out);
	equal_print(report, planned, out);
	package_print(planned, out);
	reta_print(report, out);
	if (plan->rss_hf != 0 || plan->n_rules > 0 || plan->n_insets > 0 ||
	    (plan->spread != NULL && plan->spread->n_rules > 0))
		output_text(out, "\nfor the commands to set up the NIC, add --commands\n");
}

static void item_emit(void *arg, const char *command) {
	jsonw_text(arg, command);
}

static void types_json(const struct plan_report *report, const struct planned *planned,
		       struct json_writer *json) {
	const struct ddp_plan *plan = planned->plan;

	jsonw_key_open(json, "packet_types", '[');
	for (unsigned int i = 0; i < plan->n_types; i++) {
		jsonw_write(json, "{name:%s where:%s why:%s",
			    ddp_program_type(report->program, i)->name,
			    ddp_offload_class_name(plan->types[i].class), plan->types[i].reason);
		if (planned->plan->spread != NULL) {
			const struct ddp_spread_type *type = &planned->plan->spread->types[i];

			jsonw_write(json, "spread:%s by:%s spread_partly:%d",
				    ddp_spread_name(type->spread), type->by, type->partly);
		}
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static void spread_json(const struct planned *planned, struct json_writer *json) {
	const struct ddp_spread_plan *spread = planned->plan->spread;

	if (spread == NULL)
		return;
	jsonw_write(json,
		    "spread:{verdict:%s types:%u spread_types:%u same_types:%u rules:%u setup:%s "
		    "testpmd:[",
		    ddp_spread_verdict_name(spread->verdict), spread->n_wanted, spread->n_spread,
		    spread->n_same, spread->n_rules, spread->setup);
	if (ddp_spread_testpmd(spread, item_emit, json) < 0)
		no_memory_exit();
	jsonw_write(json, "]}");
}

void plan_json(const struct plan_report *report, const struct planned *planned,
	       struct json_writer *json) {
	const struct ddp_plan *plan = planned->plan;

	jsonw_write(json, "profile:%s nic:%s", report->spec, ddp_nic_name(plan->nic));
	spread_json(planned, json);
	package_json(planned, json);
	types_json(report, planned, json);
	jsonw_write(json, "rss_hf:[");
	for (unsigned int bit = 0; bit < 64; bit++)
		if (plan->rss_hf >> bit & 1)
			jsonw_text(json, ddp_rss_hf_name(bit));
	jsonw_write(json, "] tunnels:[");
	for (unsigned int i = 0; i < plan->n_tunnels; i++)
		jsonw_object(json, "header:%s port:%u", "vxlan", plan->vxlan_ports[i]);
	jsonw_write(json, "] rules:%u testpmd:[", plan->n_rules);
	if (ddp_plan_testpmd(plan, item_emit, json) < 0)
		no_memory_exit();
	jsonw_write(json, "] ethtool:[");
	ddp_plan_ethtool(plan, item_emit, json);
	jsonw_close(json, ']');
}

/* All kinds side by side */

static void verdicts_print(const struct planned *planned, unsigned int n, struct output *out) {
	struct table table;

	table_init(&table, out, "NIC|SPREAD|>RSS RULES");
	for (unsigned int k = 0; k < n; k++) {
		const struct ddp_spread_plan *spread = planned[k].plan->spread;

		table_text(&table, ddp_nic_name(planned[k].plan->nic));
		table_text(&table, ddp_spread_verdict_name(spread->verdict));
		table_number(&table, spread->n_rules);
	}
	table_fini(&table);
	output_text(out, "\n");
}

static const char *const short_names[] = {
	[DDP_OFFLOAD_HARDWARE] = "hw",
	[DDP_OFFLOAD_PARTLY] = "part",
	[DDP_OFFLOAD_SOFTWARE] = "sw",
	[DDP_OFFLOAD_NONE] = "-",
};

void kinds_print(const struct plan_report *report, const struct planned *planned, unsigned int n,
		 struct output *out) {
	struct table table;

	if (planned[0].plan->spread != NULL)
		verdicts_print(planned, n, out);
	output_text(out, "equal hashes (hw; part: of some packets; sw: net_ddp hashes them):\n");
	table_init(&table, out, "PACKET TYPE");
	for (unsigned int k = 0; k < n; k++)
		table_column(&table, ddp_nic_name(planned[k].plan->nic));
	for (unsigned int i = 0; i < planned[0].plan->n_types; i++) {
		table_text(&table, ddp_program_type(report->program, i)->name);
		for (unsigned int k = 0; k < n; k++)
			table_text(&table, short_names[planned[k].plan->types[i].class]);
	}
	table_fini(&table);
	reta_print(report, out);
	output_text(out, "\nfor reasons and commands, add --nic KIND\n");
}

void kinds_json(const struct plan_report *report, const struct planned *planned, unsigned int n,
		struct json_writer *json) {
	jsonw_write(json, "profile:%s reta_imbalance:%g nics:[", report->spec,
		    reta_imbalance(report));
	for (unsigned int k = 0; k < n; k++) {
		jsonw_write(json, "{nic:%s title:%s", ddp_nic_name(planned[k].plan->nic),
			    ddp_nic_title(planned[k].plan->nic));
		spread_json(&planned[k], json);
		package_json(&planned[k], json);
		types_json(report, &planned[k], json);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}
