/* SPDX-License-Identifier: BSD-3-Clause */
#include "explain_report.h"

const struct ddp_header *explain_report_header(const struct explain_report *report,
					       unsigned int at) {
	return &report->explain.profile->headers[report->explain.class.seen[at].node];
}

unsigned int explain_report_n_visible(const struct explain_report *report, unsigned int n) {
	unsigned int visible = 0;

	for (unsigned int i = 0; i < n; i++)
		visible += !explain_report_header(report, i)->hidden;
	return visible;
}

void explain_report_target(struct explain_report *report, const struct ddp_rule *rule) {
	const struct ddp_profile *profile = report->explain.profile;

	if (rule->kind == DDP_RULE_STOP)
		fputs("stop", report->text.to);
	else if (rule->kind == DDP_RULE_GOTO)
		fputs(profile->headers[rule->target].name, report->text.to);
	else
		fprintf(report->text.to, "%s(%s)", profile->tables[rule->table].name,
			rule->key.name);
}

static uint64_t fields_of_expr(const struct ddp_expr *expr) {
	uint64_t fields = 0;

	for (unsigned int i = 0; i < expr->n_ops; i++)
		if (expr->ops[i].op == DDP_OP_FIELD && expr->ops[i].ref.which == DDP_WHICH_SELF)
			fields |= UINT64_C(1) << expr->ops[i].ref.field;
	return fields;
}

// Bit f: the condition asks field f of the header itself.
static uint64_t fields_of_cond(const struct ddp_cond *cond) {
	uint64_t fields = fields_of_expr(&cond->expr);

	for (unsigned int i = 0; i < cond->n_matches; i++)
		if (cond->matches[i].ref.which == DDP_WHICH_SELF)
			fields |= UINT64_C(1) << cond->matches[i].ref.field;
	return fields;
}

static uint64_t fields_of_rules(const struct ddp_step *step) {
	unsigned int n_asked =
		step->rule < 0 ? step->header->n_rules : (unsigned int)step->rule + 1;
	uint64_t fields = 0;

	for (unsigned int i = 0; i < n_asked; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];

		fields |= fields_of_cond(&rule->cond);
		if (rule->kind == DDP_RULE_LOOKUP && rule->key.which == DDP_WHICH_SELF)
			fields |= UINT64_C(1) << rule->key.field;
	}
	return fields;
}

// Those of refs that lie in this header.
static uint64_t fields_of_refs(const struct explain_report *report, const struct ddp_seen *seen,
			       const struct ddp_ref *refs, unsigned int n) {
	uint64_t fields = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_value value;

		if (refs[i].node == seen->node &&
		    ddp_explain_field(&report->explain, DDP_EXPLAIN_TYPE, &refs[i], &value) &&
		    value.bit / 8 >= seen->off && value.bit / 8 < seen->off + seen->len)
			fields |= UINT64_C(1) << refs[i].field;
	}
	return fields;
}

static uint64_t fields_of_question(const struct explain_report *report, const struct ddp_seen *seen,
				   const struct ddp_cond *cond) {
	uint64_t fields = 0;

	for (unsigned int i = 0; i < cond->n_matches; i++)
		fields |= fields_of_refs(report, seen, &cond->matches[i].ref, 1);
	for (unsigned int i = 0; i < cond->expr.n_ops; i++)
		if (cond->expr.ops[i].op == DDP_OP_FIELD)
			fields |= fields_of_refs(report, seen, &cond->expr.ops[i].ref, 1);
	return fields;
}

// Those that the packet type asks, hashes or extracts.
static uint64_t fields_of_type(const struct explain_report *report, const struct ddp_seen *seen) {
	const struct ddp_packet_type *type = report->type;
	unsigned int n_asked = report->set < 0 ? type->n_sets : (unsigned int)report->set + 1;
	uint64_t fields = fields_of_question(report, seen, &type->cond);

	for (unsigned int i = 0; i < n_asked; i++)
		fields |= fields_of_question(report, seen, &type->sets[i].cond);
	if (report->set >= 0)
		fields |= fields_of_refs(report, seen, type->sets[report->set].inputs,
					 type->sets[report->set].n_inputs);
	return fields | fields_of_refs(report, seen, type->extract, type->n_extract);
}

uint64_t explain_report_fields(const struct explain_report *report, const struct ddp_step *step) {
	const struct ddp_header *header = step->header;
	uint64_t fields = fields_of_expr(&header->length);

	for (unsigned int i = 0; i < header->n_groups; i++)
		fields |= fields_of_cond(&header->groups[i].cond);
	fields |= fields_of_cond(&header->valid);
	fields |= fields_of_cond(&header->fragment);
	if (step->flaw == DDP_FLAW_NONE || step->flaw == DDP_FLAW_AHEAD)
		fields |= fields_of_rules(step);
	if (report->type != NULL)
		fields |= fields_of_type(report, step->seen);
	return fields;
}

struct ddp_ref explain_report_ref(const struct explain_report *report, const struct ddp_step *step,
				  unsigned int field) {
	return (struct ddp_ref){
		.node = step->header - report->explain.profile->headers,
		.field = field,
		.which = DDP_WHICH_SELF,
		.bits = step->header->fields[field].width,
		.name = step->header->fields[field].name,
	};
}

void explain_report_set_reason(struct explain_report *report, unsigned int set) {
	const struct ddp_input_set *s = &report->type->sets[set];
	struct ddp_question question = {
		.asked = DDP_ASKED_SET,
		.at = report->explain.class.type,
		.index = set,
	};

	if (report->explain.profile->by_rss_hf &&
	    (s->rss_hf & report->options->steer.rss_hf) == 0) {
		fputs("rss_hf has none of ", report->text.to);
		format_rss_hf(report->text.to, s->rss_hf);
	} else if (!format_is_always(&s->cond)) {
		reason_cond(&report->reason, report->text.to, &question);
	}
}

unsigned int explain_report_reta_index(const struct explain_report *report) {
	return report->steered.hash & (report->options->steer.reta_size - 1);
}
