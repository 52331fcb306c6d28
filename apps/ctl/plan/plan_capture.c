/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_report.h"

#include <inttypes.h>
#include <rte_common.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/profile/profile_load.h"
#include "ctl/simulate/candidates.h"
#include "ctl/steer/cut.h"
#include "rss/rss.h"

static void type_count(const struct ddp_plan *plan, const struct spread_type *type,
		       struct plan_capture *capture) {
	const bool none = type->number == plan->n_types;

	capture->by_class[none ? DDP_OFFLOAD_NONE : plan->types[type->number].class] +=
		type->packets;
	if (none)
		capture->by_spread[DDP_SPREAD_UNASKED] += type->packets;
	else if (plan->spread != NULL)
		capture->by_spread[plan->spread->types[type->number].spread] += type->packets;
}

static void choice_add(struct plan_capture *capture, const char *name,
		       const struct spread *spread) {
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

// The choice with the most packets of which too little was captured stands for all.
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

int plan_capture_read(const char *path, const struct steer_config *steer, const char *spec,
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

void plan_capture_fini(struct plan_capture *capture) {
	free(capture->cut_warning);
	capture->cut_warning = NULL;
}

/* Showing */

void plan_capture_warn(const struct plan_capture *capture, struct output *out) {
	if (capture->cut_warning == NULL)
		return;
	output_wrapped_to(out, capture->cut_warning, 0, 0, output_columns(out));
	output_text(out, "\n");
}

static double percent(const struct plan_capture *capture, uint64_t n) {
	return capture->n_packets == 0 ? 0 : 100.0 * n / capture->n_packets;
}

void plan_capture_print(const struct plan_capture *capture, struct output *out) {
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
	for (enum ddp_spread i = 0; i <= DDP_SPREAD_UNASKED; i++)
		if (capture->by_spread[i] > 0) {
			table_text(&table, ddp_spread_name(i));
			table_cell(&table, "%.1f%%", percent(capture, capture->by_spread[i]));
		}
	table_fini(&table);
	output_text(out, "\n");
	table_init(&table, out, "PACKETS WHOSE EQUAL HASH COMES FROM|>SHARE");
	for (enum ddp_offload_class i = 0; i <= DDP_OFFLOAD_NONE; i++)
		if (capture->by_class[i] > 0) {
			table_text(&table, ddp_offload_class_name(i));
			table_cell(&table, "%.1f%%", percent(capture, capture->by_class[i]));
		}
	table_fini(&table);
}

void plan_capture_json(const struct plan_capture *capture, struct json_writer *json) {
	jsonw_key_open(json, "capture", '{');
	jsonw_write(json, "path:%s packets:%ju queues:%u choices:[", capture->path,
		    capture->n_packets, capture->n_queues);
	for (unsigned int i = 0; i < capture->n_choices; i++)
		jsonw_object(json, "name:%s imbalance:%g", capture->choices[i].name,
			     capture->choices[i].imbalance);
	jsonw_write(json, "] alone:[");
	for (enum ddp_spread i = 0; i <= DDP_SPREAD_UNASKED; i++)
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
