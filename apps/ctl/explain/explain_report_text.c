/* SPDX-License-Identifier: BSD-3-Clause */
// One packet as a person would tell it: a paragraph a header, then the packet type, then the hash.
#include "explain_report.h"

#include <inttypes.h>

#define INDENT 4

static void chain_write(struct story *story, unsigned int n) {
	const char *separator = "";

	for (unsigned int i = 0; i < n; i++) {
		if (story_header(story, i)->hidden)
			continue;
		fprintf(story->text.to, "%s%s", separator, story_header(story, i)->name);
		separator = " ";
	}
}

static void indent(struct story *story) {
	output_printf(story->out, "%*s", INDENT, "");
}

// The text just written as a paragraph below a header.
static void line_print(struct story *story) {
	indent(story);
	text_wrap(story->out, text_take(&story->text), INDENT, INDENT + 2);
	output_char(story->out, '\n');
}

// " (gtpu.yaml:36)"
static void place_write(struct story *story, const struct ddp_place *place) {
	fputs(" (", story->text.to);
	words_place(story->text.to, place);
	fputs(")", story->text.to);
}

static void fields_print(struct story *story, unsigned int at, const struct ddp_step *step) {
	uint64_t fields = story_fields(story, step);
	const char *separator = "";

	for (unsigned int i = 0; i < step->header->n_fields; i++) {
		struct ddp_ref ref = story_ref(story, step, i);
		struct ddp_value value;

		if ((fields >> i & 1) == 0 || !ddp_explain_field(&story->explain, at, &ref, &value))
			continue;
		fputs(separator, story->text.to);
		why_value(&story->why, story->text.to, at, &ref);
		if (step->header->fields[i].anchor == DDP_AHEAD)
			fputs(" (ahead)", story->text.to);
		separator = ", ";
	}
	if (*separator != '\0')
		line_print(story);
}

// A rule that asks one field, which is there but has another value: it can stand in a list.
static const struct ddp_match *simple_match(const struct story *story, unsigned int at,
					    const struct ddp_rule *rule) {
	const struct ddp_match *match = rule->cond.matches;
	struct ddp_value value;

	if (rule->kind != DDP_RULE_GOTO || rule->cond.n_matches != 1 || rule->cond.expr.n_ops > 0 ||
	    match->negate || !ddp_explain_field(&story->explain, at, &match->ref, &value))
		return NULL;
	return match;
}

// Rules from index on that ask the same field in vain: how many.
static unsigned int run_len(const struct story *story, unsigned int at, const struct ddp_step *step,
			    unsigned int index, unsigned int end) {
	const struct ddp_match *first = simple_match(story, at, &step->header->rules[index]);
	unsigned int n = 1;

	while (first != NULL && index + n < end) {
		const struct ddp_match *match =
			simple_match(story, at, &step->header->rules[index + n]);

		if (match == NULL || match->ref.field != first->ref.field ||
		    match->ref.node != first->ref.node || match->ref.which != first->ref.which)
			break;
		n++;
	}
	return n;
}

// "dport 53: not gtpu (2152, gtpu.yaml:29), vxlan (4789, vxlan.yaml:20)"
static void run_print(struct story *story, unsigned int at, const struct ddp_step *step,
		      unsigned int index, unsigned int n) {
	FILE *to = story->text.to;

	for (unsigned int i = index; i < index + n; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];

		if (i == index) {
			why_value(&story->why, to, at, &rule->cond.matches[0].ref);
			fputs(": not ", to);
		} else {
			fputs(", ", to);
		}
		story_target(story, rule);
		fputs(" (", to);
		words_patterns(&story->why.words, to, &rule->cond.matches[0]);
		fputs(", ", to);
		words_place(to, &rule->place);
		fputs(")", to);
	}
	line_print(story);
}

static void passed_write(struct story *story, const struct ddp_rule *rule) {
	if (rule->kind == DDP_RULE_STOP) {
		fputs("does not end here: ", story->text.to);
		return;
	}
	fputs("not ", story->text.to);
	story_target(story, rule);
	fputs(": ", story->text.to);
}

static void passed_print(struct story *story, unsigned int at, const struct ddp_step *step) {
	unsigned int end = step->rule < 0 ? step->header->n_rules : (unsigned int)step->rule;

	for (unsigned int i = 0; i < end;) {
		unsigned int n = run_len(story, at, step, i, end);

		if (n > 1) {
			run_print(story, at, step, i, n);
		} else {
			passed_write(story, &step->header->rules[i]);
			why_rule(&story->why, story->text.to, at, i);
			place_write(story, &step->header->rules[i].place);
			line_print(story);
		}
		i += n;
	}
}

static void decision_print(struct story *story, unsigned int at, const struct ddp_step *step) {
	const struct ddp_profile *profile = story->explain.profile;

	if (step->rule < 0) {
		fputs(step->header->n_rules == 0 ? "nothing follows it in this profile" :
						   "no rule applies: the path ends here",
		      story->text.to);
	} else {
		const struct ddp_rule *rule = &step->header->rules[step->rule];

		if (step->next < 0)
			fputs("the path ends here: ", story->text.to);
		else
			fprintf(story->text.to, "next is %s: ", profile->headers[step->next].name);
		why_rule(&story->why, story->text.to, at, step->rule);
		place_write(story, step->entry != NULL ? &step->entry->place : &rule->place);
	}
	line_print(story);
}

static void fragment_print(struct story *story, unsigned int at, const struct ddp_step *step) {
	struct ddp_question question = {.asked = DDP_ASKED_FRAGMENT, .at = at};

	if (!step->seen->fragment)
		return;
	fputs("a fragment: ", story->text.to);
	why_cond(&story->why, story->text.to, &question);
	fputs("; what follows it is no part of the packet type", story->text.to);
	line_print(story);
}

static void step_print(struct story *story, unsigned int at) {
	struct ddp_step step;

	ddp_explain_step(&story->explain, at, &step);
	fprintf(story->text.to, "byte %u: %s", step.seen->off, step.header->name);
	if (step.header->hidden)
		fputs(step.size == 0 ? ", hidden, without bytes" : ", hidden", story->text.to);
	if (step.size > 0 && step.flaw != DDP_FLAW_CUT && step.flaw != DDP_FLAW_SHORT) {
		fputs(", ", story->text.to);
		why_size(&story->why, story->text.to, at);
	}
	place_write(story, &step.header->place);
	text_wrap(story->out, text_take(&story->text), 0, INDENT);
	output_char(story->out, '\n');
	fields_print(story, at, &step);
	if (step.flaw != DDP_FLAW_NONE) {
		why_flaw(&story->why, story->text.to, at);
		line_print(story);
		return;
	}
	fragment_print(story, at, &step);
	passed_print(story, at, &step);
	decision_print(story, at, &step);
}

static void rivals_print(struct story *story) {
	uint16_t types[DDP_MAX_TYPES];
	unsigned int n = ddp_explain_rivals(&story->explain, types, DDP_MAX_TYPES);

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_question question = {.asked = DDP_ASKED_TYPE, .at = types[i]};
		const struct ddp_packet_type *type = &story->explain.profile->types[types[i]];

		fprintf(story->text.to, "not %s, which has the same path: ", type->name);
		why_cond(&story->why, story->text.to, &question);
		place_write(story, &type->place);
		line_print(story);
	}
}

static void matched_print(struct story *story) {
	const struct ddp_class *class = &story->explain.class;
	unsigned int n_matched = story_n_visible(story, class->n_matched);
	unsigned int n_seen = story_n_visible(story, class->n_seen);

	fputs("matched: ", story->text.to);
	chain_write(story, class->n_matched);
	if (n_matched < n_seen)
		fprintf(story->text.to, "; the first %u of %u headers", n_matched, n_seen);
	line_print(story);
}

static void type_print(struct story *story) {
	const struct ddp_class *class = &story->explain.class;
	struct ddp_question question = {.asked = DDP_ASKED_TYPE, .at = class->type};
	FILE *to = story->text.to;

	output_char(story->out, '\n');
	if (story->type == NULL) {
		output_text(story->out, "no packet type: none has a path that begins like this\n");
		return;
	}
	fprintf(to, "packet type %u: %s", class->type_id, story->type->name);
	place_write(story, &story->type->place);
	text_wrap(story->out, text_take(&story->text), 0, INDENT);
	output_char(story->out, '\n');
	fputs("path: ", to);
	words_path(&story->why.words, to, story->type->path);
	line_print(story);
	matched_print(story);
	rivals_print(story);
	if (!words_is_always(&story->type->cond)) {
		fputs("its condition holds: ", to);
		why_cond(&story->why, to, &question);
		line_print(story);
	}
	fputs("packet_type of the mbuf: ", to);
	words_ptype(to, class->rte_ptype);
	line_print(story);
}

static void extract_print(struct story *story) {
	FILE *to = story->text.to;

	if (story->type == NULL || story->type->n_extract == 0)
		return;
	fputs("extracted: ", to);
	for (unsigned int i = 0; i < story->type->n_extract; i++) {
		fputs(i > 0 ? ", " : "", to);
		why_value(&story->why, to, DDP_EXPLAIN_TYPE, &story->type->extract[i]);
		fputs(i == 0 ? " (into the mbuf)" : "", to);
	}
	line_print(story);
}

static void sets_passed_print(struct story *story) {
	unsigned int end = story->set < 0 ? story->type->n_sets : (unsigned int)story->set;

	for (unsigned int i = 0; i < end; i++) {
		const struct ddp_input_set *set = &story->type->sets[i];

		fputs("not ", story->text.to);
		words_refs(story->text.to, set->inputs, set->n_inputs);
		fputs(": ", story->text.to);
		story_set_why(story, i);
		place_write(story, &set->place);
		line_print(story);
	}
}

// "inner.ipv4.src 10.0.0.1, bytes 62 to 65"
static void input_print(struct story *story, const struct ddp_ref *ref) {
	struct ddp_value value;
	uint32_t first, last;

	if (!ddp_explain_field(&story->explain, DDP_EXPLAIN_TYPE, ref, &value))
		return;
	first = value.bit / 8;
	last = (value.bit + ref->bits - 1) / 8;
	why_value(&story->why, story->text.to, DDP_EXPLAIN_TYPE, ref);
	fprintf(story->text.to, first == last ? ", byte %u" : ", bytes %u to %u", first, last);
	line_print(story);
}

static void absent_print(struct story *story, const struct ddp_input_set *set) {
	bool any = false;

	for (unsigned int i = 0; i < set->n_inputs; i++) {
		struct ddp_value value;

		if (ddp_explain_field(&story->explain, DDP_EXPLAIN_TYPE, &set->inputs[i], &value))
			continue;
		fprintf(story->text.to, "%s %s",
			any ? "" : "left out, as the packet has none:", set->inputs[i].name);
		any = true;
	}
	if (any)
		line_print(story);
}

static void input_bytes_write(struct story *story) {
	for (unsigned int i = 0; i < story->steered.input_len; i++)
		fprintf(story->text.to, "%s%02x", i > 0 && i % 4 == 0 ? " " : "",
			story->steered.input[i]);
}

static void queue_print(struct story *story) {
	const struct steer_config *config = &story->options->steer;

	fprintf(story->text.to, "%u bytes: ", story->steered.input_len);
	input_bytes_write(story);
	if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		fputs(" (source and destination replaced by their exclusive or)", story->text.to);
	else if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ_SORT)
		fputs(" (of source and destination, the smaller first)", story->text.to);
	line_print(story);
	fprintf(story->text.to,
		"%s: 0x%08" PRIx32
		", whose low bits pick entry %u of the redirection table's %u: queue "
		"%u of %u",
		ddp_hash_function_name(config->function), story->steered.hash,
		story_reta_index(story), config->reta_size, story->steered.queue, config->n_queues);
	line_print(story);
}

static void hash_print(struct story *story) {
	const struct ddp_input_set *set;

	if (story->type == NULL || story->type->n_sets == 0) {
		output_text(story->out, "not hashed: no input set, so queue 0\n");
		return;
	}
	if (story->set < 0) {
		output_printf(story->out, "not hashed, so queue 0: %s\n",
			      story->options->steer.rss_hf == 0 ? "rss_hf is none" :
								  "none of its input sets applies");
		if (story->options->steer.rss_hf != 0)
			sets_passed_print(story);
		return;
	}
	set = &story->type->sets[story->set];
	fprintf(story->text.to, "hashed: ");
	words_refs(story->text.to, set->inputs, set->n_inputs);
	place_write(story, &set->place);
	text_wrap(story->out, text_take(&story->text), 0, INDENT);
	output_char(story->out, '\n');
	sets_passed_print(story);
	if (!words_is_always(&set->cond)) {
		fputs("because ", story->text.to);
		story_set_why(story, story->set);
		line_print(story);
	}
	for (unsigned int i = 0; i < set->n_inputs; i++)
		input_print(story, &set->inputs[i]);
	absent_print(story, set);
	queue_print(story);
}

static void deep_print(struct story *story) {
	if (story->explain.class.status == DDP_STATUS_TOO_DEEP)
		output_printf(story->out,
			      "and so on: the walk ends after %u headers, %u with hidden ones\n",
			      DDP_MAX_HEADERS, DDP_MAX_STEPS);
}

void story_print(struct story *story) {
	fprintf(story->text.to, "packet %" PRIu64 " of %s, %u bytes captured, as %s sees it",
		story->n, story->pcap, story->len, story->explain.profile->spec);
	text_write(story->out, text_take(&story->text));
	output_text(story->out, "\n\n");
	for (unsigned int i = 0; i < story->explain.n_steps; i++)
		step_print(story, i);
	deep_print(story);
	type_print(story);
	extract_print(story);
	hash_print(story);
}
