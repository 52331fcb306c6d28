/* SPDX-License-Identifier: BSD-3-Clause */
// One packet as a person would tell it: a paragraph a header, then the packet type, then the hash.
#include "explain_report.h"

#include <inttypes.h>

#include "ctl/capture/cut.h"

#define INDENT 4

static void chain_write(struct explain_report *report, unsigned int n) {
	const char *separator = "";

	for (unsigned int i = 0; i < n; i++) {
		if (explain_report_header(report, i)->hidden)
			continue;
		fprintf(report->text.to, "%s%s", separator, explain_report_header(report, i)->name);
		separator = " ";
	}
}

// The text just written as a paragraph below a header.
static void line_print(struct explain_report *report) {
	output_blanks(report->out, INDENT);
	output_wrapped(report->out, strbuf_take(&report->text), INDENT, INDENT + 2);
}

// " (gtpu.yaml:36)"
static void place_write(struct explain_report *report, const struct ddp_place *place) {
	fputs(" (", report->text.to);
	format_place(report->text.to, place);
	fputs(")", report->text.to);
}

static void fields_print(struct explain_report *report, unsigned int at,
			 const struct ddp_step *step) {
	uint64_t fields = explain_report_fields(report, step);
	const char *separator = "";

	for (unsigned int i = 0; i < step->header->n_fields; i++) {
		struct ddp_ref ref = explain_report_ref(report, step, i);
		struct ddp_value value;

		if ((fields >> i & 1) == 0 ||
		    !ddp_explain_field(&report->explain, at, &ref, &value))
			continue;
		fputs(separator, report->text.to);
		reason_value(&report->reason, report->text.to, at, &ref);
		if (step->header->fields[i].anchor == DDP_AHEAD)
			fputs(" (ahead)", report->text.to);
		separator = ", ";
	}
	if (*separator != '\0')
		line_print(report);
}

// A rule that asks one field, which is there but has another value: it can stand in a list.
static const struct ddp_match *simple_match(const struct explain_report *report, unsigned int at,
					    const struct ddp_rule *rule) {
	const struct ddp_match *match = rule->cond.matches;
	struct ddp_value value;

	if (rule->kind != DDP_RULE_GOTO || rule->cond.n_matches != 1 || rule->cond.expr.n_ops > 0 ||
	    match->negate || !ddp_explain_field(&report->explain, at, &match->ref, &value))
		return NULL;
	return match;
}

// Rules from index on that ask the same field in vain: how many.
static unsigned int run_len(const struct explain_report *report, unsigned int at,
			    const struct ddp_step *step, unsigned int index, unsigned int end) {
	const struct ddp_match *first = simple_match(report, at, &step->header->rules[index]);
	unsigned int n = 1;

	while (first != NULL && index + n < end) {
		const struct ddp_match *match =
			simple_match(report, at, &step->header->rules[index + n]);

		if (match == NULL || match->ref.field != first->ref.field ||
		    match->ref.node != first->ref.node || match->ref.which != first->ref.which)
			break;
		n++;
	}
	return n;
}

// "dport 53: not gtpu (2152, gtpu.yaml:29), vxlan (4789, vxlan.yaml:20)"
static void run_print(struct explain_report *report, unsigned int at, const struct ddp_step *step,
		      unsigned int index, unsigned int n) {
	FILE *to = report->text.to;

	for (unsigned int i = index; i < index + n; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];

		if (i == index) {
			reason_value(&report->reason, to, at, &rule->cond.matches[0].ref);
			fputs(": not ", to);
		} else {
			fputs(", ", to);
		}
		explain_report_target(report, rule);
		fputs(" (", to);
		format_patterns(&report->reason.format, to, &rule->cond.matches[0]);
		fputs(", ", to);
		format_place(to, &rule->place);
		fputs(")", to);
	}
	line_print(report);
}

static void passed_write(struct explain_report *report, const struct ddp_rule *rule) {
	if (rule->kind == DDP_RULE_STOP) {
		fputs("does not end here: ", report->text.to);
		return;
	}
	fputs("not ", report->text.to);
	explain_report_target(report, rule);
	fputs(": ", report->text.to);
}

static void passed_print(struct explain_report *report, unsigned int at,
			 const struct ddp_step *step) {
	unsigned int end = step->rule < 0 ? step->header->n_rules : (unsigned int)step->rule;

	for (unsigned int i = 0; i < end;) {
		unsigned int n = run_len(report, at, step, i, end);

		if (n > 1) {
			run_print(report, at, step, i, n);
		} else {
			passed_write(report, &step->header->rules[i]);
			reason_rule(&report->reason, report->text.to, at, i);
			place_write(report, &step->header->rules[i].place);
			line_print(report);
		}
		i += n;
	}
}

static void decision_print(struct explain_report *report, unsigned int at,
			   const struct ddp_step *step) {
	const struct ddp_profile *profile = report->explain.profile;

	if (step->rule < 0) {
		fputs(step->header->n_rules == 0 ? "nothing follows it in this profile" :
						   "no rule applies: the path ends here",
		      report->text.to);
	} else {
		const struct ddp_rule *rule = &step->header->rules[step->rule];

		if (step->next < 0)
			fputs("the path ends here: ", report->text.to);
		else
			fprintf(report->text.to, "next is %s: ", profile->headers[step->next].name);
		reason_rule(&report->reason, report->text.to, at, step->rule);
		place_write(report, step->entry != NULL ? &step->entry->place : &rule->place);
	}
	line_print(report);
}

static void fragment_print(struct explain_report *report, unsigned int at,
			   const struct ddp_step *step) {
	struct ddp_question question = {.asked = DDP_ASKED_FRAGMENT, .at = at};

	if (!step->seen->fragment)
		return;
	fputs("a fragment: ", report->text.to);
	reason_cond(&report->reason, report->text.to, &question);
	fputs("; what follows it is no part of the packet type", report->text.to);
	line_print(report);
}

static void step_print(struct explain_report *report, unsigned int at) {
	struct ddp_step step;

	ddp_explain_step(&report->explain, at, &step);
	fprintf(report->text.to, "byte %u: %s", step.seen->off, step.header->name);
	if (step.header->hidden)
		fputs(step.size == 0 ? ", hidden, without bytes" : ", hidden", report->text.to);
	if (step.size > 0 && step.flaw != DDP_FLAW_CUT && step.flaw != DDP_FLAW_SHORT) {
		fputs(", ", report->text.to);
		reason_size(&report->reason, report->text.to, at);
	}
	place_write(report, &step.header->place);
	output_wrapped(report->out, strbuf_take(&report->text), 0, INDENT);
	fields_print(report, at, &step);
	if (step.flaw != DDP_FLAW_NONE) {
		reason_flaw(&report->reason, report->text.to, at);
		line_print(report);
		return;
	}
	fragment_print(report, at, &step);
	passed_print(report, at, &step);
	decision_print(report, at, &step);
}

static void rivals_print(struct explain_report *report) {
	uint16_t types[DDP_MAX_TYPES];
	unsigned int n = ddp_explain_rivals(&report->explain, types, DDP_MAX_TYPES);

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_question question = {.asked = DDP_ASKED_TYPE, .at = types[i]};
		const struct ddp_packet_type *type = &report->explain.profile->types[types[i]];

		fprintf(report->text.to, "not %s, which has the same path: ", type->name);
		reason_cond(&report->reason, report->text.to, &question);
		place_write(report, &type->place);
		line_print(report);
	}
}

static void matched_print(struct explain_report *report) {
	const struct ddp_class *class = &report->explain.class;
	unsigned int n_matched = explain_report_n_visible(report, class->n_matched);
	unsigned int n_seen = explain_report_n_visible(report, class->n_seen);

	fputs("matched: ", report->text.to);
	chain_write(report, class->n_matched);
	if (n_matched < n_seen)
		fprintf(report->text.to, "; the first %u of %u headers", n_matched, n_seen);
	line_print(report);
}

static void type_print(struct explain_report *report) {
	const struct ddp_class *class = &report->explain.class;
	struct ddp_question question = {.asked = DDP_ASKED_TYPE, .at = class->type};
	FILE *to = report->text.to;

	output_char(report->out, '\n');
	if (report->type == NULL) {
		output_text(report->out, "no packet type: none has a path that begins like this\n");
		return;
	}
	fprintf(to, "packet type %u: %s", class->type_id, report->type->name);
	place_write(report, &report->type->place);
	output_wrapped(report->out, strbuf_take(&report->text), 0, INDENT);
	fputs("path: ", to);
	format_path(&report->reason.format, to, report->type->path);
	line_print(report);
	matched_print(report);
	rivals_print(report);
	if (!format_is_always(&report->type->cond)) {
		fputs("its condition holds: ", to);
		reason_cond(&report->reason, to, &question);
		line_print(report);
	}
	fputs("packet_type of the mbuf: ", to);
	format_ptype(to, class->rte_ptype);
	line_print(report);
}

static void extract_print(struct explain_report *report) {
	FILE *to = report->text.to;

	if (report->type == NULL || report->type->n_extract == 0)
		return;
	fputs("extracted: ", to);
	for (unsigned int i = 0; i < report->type->n_extract; i++) {
		fputs(i > 0 ? ", " : "", to);
		reason_value(&report->reason, to, DDP_EXPLAIN_TYPE, &report->type->extract[i]);
		fputs(i == 0 ? " (into the mbuf)" : "", to);
	}
	line_print(report);
}

static void sets_passed_print(struct explain_report *report) {
	unsigned int end = report->set < 0 ? report->type->n_sets : (unsigned int)report->set;

	for (unsigned int i = 0; i < end; i++) {
		const struct ddp_input_set *set = &report->type->sets[i];

		fputs("not ", report->text.to);
		format_refs(report->text.to, set->inputs, set->n_inputs);
		fputs(": ", report->text.to);
		explain_report_set_reason(report, i);
		place_write(report, &set->place);
		line_print(report);
	}
}

// "inner.ipv4.src 10.0.0.1, bytes 62 to 65"
static void input_print(struct explain_report *report, const struct ddp_ref *ref) {
	struct ddp_value value;
	uint32_t first, last;

	if (!ddp_explain_field(&report->explain, DDP_EXPLAIN_TYPE, ref, &value))
		return;
	first = value.bit / 8;
	last = (value.bit + ref->bits - 1) / 8;
	reason_value(&report->reason, report->text.to, DDP_EXPLAIN_TYPE, ref);
	fprintf(report->text.to, first == last ? ", byte %u" : ", bytes %u to %u", first, last);
	line_print(report);
}

static void absent_print(struct explain_report *report, const struct ddp_input_set *set) {
	bool any = false;

	for (unsigned int i = 0; i < set->n_inputs; i++) {
		struct ddp_value value;

		if (ddp_explain_field(&report->explain, DDP_EXPLAIN_TYPE, &set->inputs[i], &value))
			continue;
		fprintf(report->text.to, "%s %s",
			any ? "" : "left out, as the packet has none:", set->inputs[i].name);
		any = true;
	}
	if (any)
		line_print(report);
}

static void queue_print(struct explain_report *report) {
	const struct steer_config *config = &report->options->steer;

	fprintf(report->text.to, "%u bytes: ", report->steered.input_len);
	bytes_write(report->text.to, report->steered.input, report->steered.input_len, 4);
	if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		fputs(" (source and destination replaced by their exclusive or)", report->text.to);
	else if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT)
		fputs(" (of source and destination, the smaller first)", report->text.to);
	line_print(report);
	fprintf(report->text.to,
		"%s: 0x%08" PRIx32
		", whose low bits pick entry %u of the redirection table's %u: queue "
		"%u of %u",
		ddp_hash_function_name(config->function), report->steered.hash,
		explain_report_reta_index(report), config->reta_size, report->steered.queue,
		config->n_queues);
	line_print(report);
}

static void hash_print(struct explain_report *report) {
	const struct ddp_input_set *set;

	if (report->type == NULL || report->type->n_sets == 0) {
		output_text(report->out, "not hashed: no input set, so queue 0\n");
		return;
	}
	if (report->set < 0) {
		output_printf(report->out, "not hashed, so queue 0: %s\n",
			      report->options->steer.rss_hf == 0 ?
				      "rss_hf is none" :
				      "none of its input sets applies");
		if (report->options->steer.rss_hf != 0)
			sets_passed_print(report);
		return;
	}
	set = &report->type->sets[report->set];
	fprintf(report->text.to, "hashed: ");
	format_refs(report->text.to, set->inputs, set->n_inputs);
	place_write(report, &set->place);
	output_wrapped(report->out, strbuf_take(&report->text), 0, INDENT);
	sets_passed_print(report);
	if (!format_is_always(&set->cond)) {
		fputs("because ", report->text.to);
		explain_report_set_reason(report, report->set);
		line_print(report);
	}
	for (unsigned int i = 0; i < set->n_inputs; i++)
		input_print(report, &set->inputs[i]);
	absent_print(report, set);
	queue_print(report);
}

static void head_print(struct explain_report *report) {
	if (report->snaplen > 0)
		cut_packet_warning_print(report->len, report->wire_len, report->snaplen,
					 report->out);
	output_escaped_printf(report->out, "packet %" PRIu64 " of %s, %u", report->n, report->pcap,
			      report->len);
	if (report->wire_len > report->len)
		output_printf(report->out, " of %u", report->wire_len);
	output_escaped_printf(report->out, " bytes captured, as %s sees it\n\n",
			      report->explain.profile->spec);
}

void explain_report_print(struct explain_report *report) {
	head_print(report);
	for (unsigned int i = 0; i < report->explain.n_steps; i++)
		step_print(report, i);
	if (report->explain.class.status == DDP_STATUS_TOO_DEEP)
		output_printf(report->out,
			      "and so on: the walk ends after %u headers, %u with hidden ones\n",
			      DDP_MAX_HEADERS, DDP_MAX_STEPS);
	type_print(report);
	extract_print(report);
	hash_print(report);
}
