/* SPDX-License-Identifier: BSD-3-Clause */
// The same story for machines.
#include "explain_report.h"

#include <limits.h>
#include <string.h>

#include "ctl/profile/profile_load.h"

// The text just written.
static void key_words(struct explain_report *report, const char *key) {
	jsonw_key_text(&report->json, key, strbuf_take(&report->text));
}

static void key_place(struct explain_report *report, const struct ddp_place *place) {
	fprintf(report->text.to, "%s:%u:%u", place->file, place->line, place->col);
	key_words(report, "place");
}

// A number where it is one, else its text; null where the packet has no such field.
static void value_json(struct explain_report *report, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	if (!ddp_explain_field(&report->explain, at, ref, &value)) {
		jsonw_null(&report->json);
		return;
	}
	format_value(&report->reason.format, report->text.to, ref, value.hi, value.lo, false);
	if (strspn(strbuf_take(&report->text), "0123456789") == strlen(report->text.s))
		jsonw_number(&report->json, report->text.s);
	else
		jsonw_text(&report->json, report->text.s);
}

static void fields_json(struct explain_report *report, unsigned int at,
			const struct ddp_step *step) {
	uint64_t fields = explain_report_fields(report, step);

	jsonw_key_open(&report->json, "fields", '{');
	for (unsigned int i = 0; i < step->header->n_fields; i++) {
		struct ddp_ref ref = explain_report_ref(report, step, i);

		if ((fields >> i & 1) == 0)
			continue;
		jsonw_key(&report->json, ref.name);
		value_json(report, at, &ref);
	}
	jsonw_close(&report->json, '}');
}

static void rules_json(struct explain_report *report, unsigned int at,
		       const struct ddp_step *step) {
	unsigned int n = step->rule < 0 ? step->header->n_rules : (unsigned int)step->rule + 1;
	struct json_writer *json = &report->json;

	jsonw_key_open(json, "rules", '[');
	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];
		bool decides = (int)i == step->rule && step->flaw == DDP_FLAW_NONE;

		jsonw_open(json, '{');
		explain_report_target(report, rule);
		key_words(report, "then");
		format_cond(&report->reason.format, report->text.to, &rule->cond);
		key_words(report, "when");
		key_place(report,
			  decides && step->entry != NULL ? &step->entry->place : &rule->place);
		reason_rule(&report->reason, report->text.to, at, i);
		jsonw_write(json, "decides:%d why:%s}", decides, strbuf_take(&report->text));
	}
	jsonw_close(json, ']');
}

static void step_json(struct explain_report *report, unsigned int at) {
	struct json_writer *json = &report->json;
	struct ddp_step step;

	ddp_explain_step(&report->explain, at, &step);
	jsonw_write(json, "{name:%s hidden:%d offset:%u size:%ju", step.header->name,
		    step.header->hidden, step.seen->off, step.size);
	reason_size(&report->reason, report->text.to, at);
	key_words(report, "size_why");
	key_place(report, &step.header->place);
	fields_json(report, at, &step);
	jsonw_key_bool(json, "fragment", step.seen->fragment);
	if (step.flaw != DDP_FLAW_NONE) {
		reason_flaw(&report->reason, report->text.to, at);
		key_words(report, "flaw");
	}
	if (step.flaw == DDP_FLAW_NONE || step.flaw == DDP_FLAW_AHEAD)
		rules_json(report, at, &step);
	jsonw_key_text(json, "next",
		       step.next < 0 ? NULL : report->explain.profile->headers[step.next].name);
	jsonw_close(json, '}');
}

static void set_json(struct explain_report *report, unsigned int index) {
	const struct ddp_input_set *set = &report->type->sets[index];
	struct json_writer *json = &report->json;

	jsonw_open(json, '{');
	format_refs(report->text.to, set->inputs, set->n_inputs);
	key_words(report, "hash");
	key_place(report, &set->place);
	explain_report_set_reason(report, index);
	jsonw_write(json, "chosen:%d why:%s}", (int)index == report->set,
		    strbuf_take(&report->text));
}

static void sets_json(struct explain_report *report) {
	unsigned int n = report->type == NULL ? 0 : report->type->n_sets;

	jsonw_key_open(&report->json, "input_sets", '[');
	for (unsigned int i = 0; i < n && (report->set < 0 || i <= (unsigned int)report->set); i++)
		set_json(report, i);
	jsonw_close(&report->json, ']');
}

static void inputs_json(struct explain_report *report) {
	const struct ddp_input_set *set = report->set < 0 ? NULL : &report->type->sets[report->set];
	struct json_writer *json = &report->json;

	jsonw_key_open(json, "hashed", '[');
	for (unsigned int i = 0; set != NULL && i < set->n_inputs; i++) {
		struct ddp_value value;

		if (!ddp_explain_field(&report->explain, DDP_EXPLAIN_TYPE, &set->inputs[i], &value))
			continue;
		jsonw_write(json, "{name:%s value:", set->inputs[i].name);
		value_json(report, DDP_EXPLAIN_TYPE, &set->inputs[i]);
		jsonw_write(json, "offset:%u bits:%u}", value.bit / 8, set->inputs[i].bits);
	}
	jsonw_close(json, ']');
}

static void extract_json(struct explain_report *report) {
	unsigned int n = report->type == NULL ? 0 : report->type->n_extract;

	jsonw_key_open(&report->json, "extracted", '{');
	for (unsigned int i = 0; i < n; i++) {
		jsonw_key(&report->json, report->type->extract[i].name);
		value_json(report, DDP_EXPLAIN_TYPE, &report->type->extract[i]);
	}
	jsonw_close(&report->json, '}');
}

static void steered_json(struct explain_report *report) {
	struct json_writer *json = &report->json;

	if (report->steered.input_len == 0) {
		jsonw_key_text(json, "input", NULL);
		jsonw_key_text(json, "hash", NULL);
		jsonw_key_text(json, "reta_index", NULL);
	} else {
		bytes_write(report->text.to, report->steered.input, report->steered.input_len,
			    UINT_MAX);
		jsonw_write(json, "input:%s hash:%08x reta_index:%u", strbuf_take(&report->text),
			    report->steered.hash, explain_report_reta_index(report));
	}
	jsonw_write(json, "queue:%u}\n", report->steered.queue);
}

void explain_report_json(struct explain_report *report) {
	const struct ddp_class *class = &report->explain.class;
	struct json_writer *json = &report->json;

	jsonw_write(json, "{n:%ju len:%u wire_len:%u", report->n, report->len, report->wire_len);
	jsonw_key_uint_or_null(json, "snaplen", report->snaplen > 0, report->snaplen);
	jsonw_write(json, "status:%s headers:[", status_name(class->status));
	for (unsigned int i = 0; i < report->explain.n_steps; i++)
		step_json(report, i);
	jsonw_write(json, "] ptype:%s ptype_id:%u", type_name(report->explain.program, class->type),
		    class->type_id);
	if (report->type != NULL)
		format_path(&report->reason.format, report->text.to, report->type->path);
	key_words(report, "path");
	jsonw_key_uint(json, "matched", explain_report_n_visible(report, class->n_matched));
	format_ptype(report->text.to, class->rte_ptype);
	key_words(report, "rte_ptype");
	sets_json(report);
	inputs_json(report);
	extract_json(report);
	steered_json(report);
}
