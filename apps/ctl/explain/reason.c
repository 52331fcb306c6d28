/* SPDX-License-Identifier: BSD-3-Clause */
#include "reason.h"

#include <inttypes.h>

void reason_init(struct reason *reason, const struct ddp_explain *explain) {
	reason->explain = explain;
	format_init(&reason->format, explain->profile);
}

static unsigned int asked_from(const struct ddp_question *question) {
	return question->asked == DDP_ASKED_TYPE || question->asked == DDP_ASKED_SET ?
		       DDP_EXPLAIN_TYPE :
		       question->at;
}

/* Values */

static void number_write(struct reason *reason, FILE *to, const struct ddp_ref *ref,
			 const struct ddp_value *value) {
	format_value(&reason->format, to, ref, value->hi, value->lo,
		     format_is_hex(&reason->format, ref));
}

// "is 0x85", "is not there"
static void is_write(struct reason *reason, FILE *to, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	if (ddp_explain_field(reason->explain, at, ref, &value)) {
		fputs("is ", to);
		number_write(reason, to, ref, &value);
	} else {
		fputs(value.beyond ? "lies beyond the packet's end" : "is not there", to);
	}
}

void reason_value(struct reason *reason, FILE *to, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	fprintf(to, "%s ", ref->name);
	if (ddp_explain_field(reason->explain, at, ref, &value))
		number_write(reason, to, ref, &value);
	else
		fputs(value.beyond ? "(beyond the packet's end)" : "(not there)", to);
}

static bool is_same_ref(const struct ddp_ref *a, const struct ddp_ref *b) {
	return a->node == b->node && a->field == b->field && a->which == b->which &&
	       a->nth == b->nth;
}

static bool is_repeat(const struct ddp_expr *expr, unsigned int op) {
	for (unsigned int i = 0; i < op; i++)
		if (expr->ops[i].op == DDP_OP_FIELD &&
		    is_same_ref(&expr->ops[i].ref, &expr->ops[op].ref))
			return true;
	return false;
}

// The fields of an expression, in brackets; nothing for one without a field.
static void operands_write(struct reason *reason, FILE *to, unsigned int at,
			   const struct ddp_expr *expr) {
	const char *separator = " (";

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		if (expr->ops[i].op != DDP_OP_FIELD || is_repeat(expr, i))
			continue;
		fputs(separator, to);
		reason_value(reason, to, at, &expr->ops[i].ref);
		separator = ", ";
	}
	fputs(separator[0] == ',' ? ")" : "", to);
}

/* Conditions */

static bool is_exact(const struct profile_format *format, const struct ddp_match *match) {
	const struct ddp_pattern *pattern = match->patterns;
	unsigned int width = format_field(format, &match->ref)->width;
	uint64_t lo = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

	return !match->negate && match->n_patterns == 1 && pattern->mask_lo == lo && width <= 64;
}

// "next_ext is 0xc0, not 0x85" where it fails; "next_ext is 0x85", and what else it might have
// been, where it holds.
static void match_write(struct reason *reason, FILE *to, const struct ddp_question *question,
			unsigned int index, bool holds) {
	const struct ddp_match *match =
		&ddp_explain_cond(reason->explain, question)->matches[index];
	struct ddp_value value;
	bool there = ddp_explain_field(reason->explain, asked_from(question), &match->ref, &value);

	fprintf(to, "%s ", match->ref.name);
	is_write(reason, to, asked_from(question), &match->ref);
	if (!there || (holds ? is_exact(&reason->format, match) : match->negate))
		return;
	fputs(!holds ? ", not " : match->negate ? " (not " : " (", to);
	format_patterns(&reason->format, to, match);
	fputs(holds ? ")" : "", to);
}

// Fails by the first match that fails; the rest was not asked.
static bool matches_write(struct reason *reason, FILE *to, const struct ddp_question *question) {
	const struct ddp_cond *cond = ddp_explain_cond(reason->explain, question);

	for (unsigned int i = 0; i < cond->n_matches; i++) {
		if (ddp_explain_match(reason->explain, question, i))
			continue;
		match_write(reason, to, question, i, false);
		return false;
	}
	for (unsigned int i = 0; i < cond->n_matches; i++) {
		fputs(i > 0 ? " and " : "", to);
		match_write(reason, to, question, i, true);
	}
	return true;
}

void reason_cond(struct reason *reason, FILE *to, const struct ddp_question *question) {
	const struct ddp_cond *cond = ddp_explain_cond(reason->explain, question);

	if (!matches_write(reason, to, question) || cond->expr.n_ops == 0)
		return;
	fputs(cond->n_matches > 0 ? " and " : "", to);
	format_expr(to, &cond->expr);
	fputs(ddp_explain_holds(reason->explain, question) ? " is true" : " is false", to);
	operands_write(reason, to, asked_from(question), &cond->expr);
}

/* Rules */

static void key_write(struct reason *reason, FILE *to, unsigned int at, const struct ddp_rule *rule,
		      const struct ddp_table_entry *entry) {
	const struct ddp_table *table = &reason->explain->profile->tables[rule->table];
	struct ddp_value key;

	fprintf(to, "%s ", rule->key.name);
	is_write(reason, to, at, &rule->key);
	if (!ddp_explain_field(reason->explain, at, &rule->key, &key))
		return;
	if (entry != NULL)
		fprintf(to, ", its number in table %s", table->name);
	else
		fprintf(to, ", which table %s does not have", table->name);
}

void reason_rule(struct reason *reason, FILE *to, unsigned int at, unsigned int index) {
	struct ddp_question question = {.asked = DDP_ASKED_RULE, .at = at, .index = index};
	const struct ddp_cond *cond = ddp_explain_cond(reason->explain, &question);
	const struct ddp_rule *rule;
	struct ddp_step step;

	ddp_explain_step(reason->explain, at, &step);
	rule = &step.header->rules[index];
	if (!format_is_always(cond))
		reason_cond(reason, to, &question);
	else if (rule->kind != DDP_RULE_LOOKUP)
		fputs("always", to);
	if (rule->kind != DDP_RULE_LOOKUP || !ddp_explain_holds(reason->explain, &question))
		return;
	fputs(format_is_always(cond) ? "" : ", and ", to);
	key_write(reason, to, at, rule, (int)index == step.rule ? step.entry : NULL);
}

/* Sizes */

static const char *bytes(uint64_t n) {
	return n == 1 ? "byte" : "bytes";
}

static void group_write(struct reason *reason, FILE *to, unsigned int at,
			const struct ddp_header *header, unsigned int group) {
	struct ddp_question question = {.asked = DDP_ASKED_GROUP, .at = at, .index = group};
	bool any = false;

	fprintf(to, " and %u for [", header->groups[group].bits / 8);
	for (unsigned int i = 0; i < header->n_fields; i++) {
		if (header->fields[i].group != (int)group)
			continue;
		fprintf(to, "%s%s", any ? " " : "", header->fields[i].name);
		any = true;
	}
	fputs("] because ", to);
	reason_cond(reason, to, &question);
}

void reason_size(struct reason *reason, FILE *to, unsigned int at) {
	struct ddp_step step;

	ddp_explain_step(reason->explain, at, &step);
	fprintf(to, "%" PRIu64 " %s", step.size, bytes(step.size));
	if (step.header->length.n_ops > 0) {
		fputs(": ", to);
		format_expr(to, &step.header->length);
		operands_write(reason, to, at, &step.header->length);
		return;
	}
	if (step.seen->groups == 0)
		return;
	fprintf(to, ": %u", (step.header->start_bits + step.header->end_bits) / 8);
	for (unsigned int i = 0; i < step.header->n_groups; i++)
		if ((step.seen->groups & 1u << i) != 0)
			group_write(reason, to, at, step.header, i);
}

void reason_flaw(struct reason *reason, FILE *to, unsigned int at) {
	struct ddp_question question = {.asked = DDP_ASKED_VALID, .at = at};
	struct ddp_step step;

	ddp_explain_step(reason->explain, at, &step);
	switch (step.flaw) {
	case DDP_FLAW_NONE:
		break;
	case DDP_FLAW_CUT:
		fprintf(to, "truncated: %s takes %" PRIu64 " %s, the packet has %u more",
			step.header->name, step.size, bytes(step.size), step.left);
		break;
	case DDP_FLAW_SHORT:
		fprintf(to, "malformed: %s says it has ", step.header->name);
		reason_size(reason, to, at);
		fprintf(to, ", its own fields take %u", step.fields_size);
		break;
	case DDP_FLAW_INVALID:
		fprintf(to, "malformed: no valid %s, ", step.header->name);
		reason_cond(reason, to, &question);
		break;
	case DDP_FLAW_AHEAD:
		fputs("truncated: what comes next cannot be known, ", to);
		reason_rule(reason, to, at, step.rule);
		break;
	}
}
