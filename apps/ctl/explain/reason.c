/* SPDX-License-Identifier: BSD-3-Clause */
#include "reason.h"

#include <inttypes.h>

void why_init(struct why *why, const struct ddp_explain *explain) {
	why->explain = explain;
	words_init(&why->words, explain->profile);
}

static unsigned int asked_from(const struct ddp_question *question) {
	return question->asked == DDP_ASKED_TYPE || question->asked == DDP_ASKED_SET ?
		       DDP_EXPLAIN_TYPE :
		       question->at;
}

/* Values */

// Of a reference to a field's leading bits, such as ipv6.src/64, only these.
static void number_write(struct why *why, FILE *to, const struct ddp_ref *ref,
			 const struct ddp_value *value) {
	unsigned __int128 number = (unsigned __int128)value->hi << 64 | value->lo;
	unsigned int spare = words_field(&why->words, ref)->width - ref->bits;

	number = number >> spare << spare;
	words_value(&why->words, to, ref, number >> 64, number, words_is_hex(&why->words, ref));
}

// "is 0x85", "is not there"
static void is_write(struct why *why, FILE *to, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	if (ddp_explain_field(why->explain, at, ref, &value)) {
		fputs("is ", to);
		number_write(why, to, ref, &value);
	} else {
		fputs(value.beyond ? "lies beyond the packet's end" : "is not there", to);
	}
}

void why_value(struct why *why, FILE *to, unsigned int at, const struct ddp_ref *ref) {
	struct ddp_value value;

	fprintf(to, "%s ", ref->name);
	if (ddp_explain_field(why->explain, at, ref, &value))
		number_write(why, to, ref, &value);
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
static void operands_write(struct why *why, FILE *to, unsigned int at, const struct ddp_expr *expr) {
	const char *separator = " (";

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		if (expr->ops[i].op != DDP_OP_FIELD || is_repeat(expr, i))
			continue;
		fputs(separator, to);
		why_value(why, to, at, &expr->ops[i].ref);
		separator = ", ";
	}
	fputs(separator[0] == ',' ? ")" : "", to);
}

/* Conditions */

static bool is_exact(const struct words *words, const struct ddp_match *match) {
	const struct ddp_pattern *pattern = match->patterns;
	unsigned int width = words_field(words, &match->ref)->width;
	uint64_t lo = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

	return !match->negate && match->n_patterns == 1 && pattern->mask_lo == lo && width <= 64;
}

// "next_ext is 0xc0, not 0x85" where it fails; "next_ext is 0x85", and what else it might have been,
// where it holds.
static void match_write(struct why *why, FILE *to, const struct ddp_question *question,
			unsigned int index, bool holds) {
	const struct ddp_match *match = &ddp_explain_cond(why->explain, question)->matches[index];
	struct ddp_value value;
	bool there = ddp_explain_field(why->explain, asked_from(question), &match->ref, &value);

	fprintf(to, "%s ", match->ref.name);
	is_write(why, to, asked_from(question), &match->ref);
	if (!there || (holds ? is_exact(&why->words, match) : match->negate))
		return;
	fputs(!holds ? ", not " : match->negate ? " (not " : " (", to);
	words_patterns(&why->words, to, match);
	fputs(holds ? ")" : "", to);
}

// Fails by the first match that fails; the rest was not asked.
static bool matches_write(struct why *why, FILE *to, const struct ddp_question *question) {
	const struct ddp_cond *cond = ddp_explain_cond(why->explain, question);

	for (unsigned int i = 0; i < cond->n_matches; i++) {
		if (ddp_explain_match(why->explain, question, i))
			continue;
		match_write(why, to, question, i, false);
		return false;
	}
	for (unsigned int i = 0; i < cond->n_matches; i++) {
		fputs(i > 0 ? " and " : "", to);
		match_write(why, to, question, i, true);
	}
	return true;
}

void why_cond(struct why *why, FILE *to, const struct ddp_question *question) {
	const struct ddp_cond *cond = ddp_explain_cond(why->explain, question);

	if (!matches_write(why, to, question) || cond->expr.n_ops == 0)
		return;
	fputs(cond->n_matches > 0 ? " and " : "", to);
	words_expr(to, &cond->expr);
	fputs(ddp_explain_holds(why->explain, question) ? " is true" : " is false", to);
	operands_write(why, to, asked_from(question), &cond->expr);
}

/* Rules */

static void key_write(struct why *why, FILE *to, unsigned int at, const struct ddp_rule *rule,
		      const struct ddp_table_entry *entry) {
	const struct ddp_table *table = &why->explain->profile->tables[rule->table];
	struct ddp_value key;

	fprintf(to, "%s ", rule->key.name);
	is_write(why, to, at, &rule->key);
	if (!ddp_explain_field(why->explain, at, &rule->key, &key))
		return;
	if (entry != NULL)
		fprintf(to, ", its number in table %s", table->name);
	else
		fprintf(to, ", which table %s does not have", table->name);
}

void why_rule(struct why *why, FILE *to, unsigned int at, unsigned int index) {
	struct ddp_question question = {.asked = DDP_ASKED_RULE, .at = at, .index = index};
	const struct ddp_cond *cond = ddp_explain_cond(why->explain, &question);
	const struct ddp_rule *rule;
	struct ddp_step step;

	ddp_explain_step(why->explain, at, &step);
	rule = &step.header->rules[index];
	if (!words_is_always(cond))
		why_cond(why, to, &question);
	else if (rule->kind != DDP_RULE_LOOKUP)
		fputs("always", to);
	if (rule->kind != DDP_RULE_LOOKUP || !ddp_explain_holds(why->explain, &question))
		return;
	fputs(words_is_always(cond) ? "" : ", and ", to);
	key_write(why, to, at, rule, (int)index == step.rule ? step.entry : NULL);
}

/* Sizes */

static const char *bytes(uint64_t n) {
	return n == 1 ? "byte" : "bytes";
}

static void group_write(struct why *why, FILE *to, unsigned int at, const struct ddp_header *header,
			unsigned int group) {
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
	why_cond(why, to, &question);
}

void why_size(struct why *why, FILE *to, unsigned int at) {
	struct ddp_step step;

	ddp_explain_step(why->explain, at, &step);
	fprintf(to, "%" PRIu64 " %s", step.size, bytes(step.size));
	if (step.header->length.n_ops > 0) {
		fputs(": ", to);
		words_expr(to, &step.header->length);
		operands_write(why, to, at, &step.header->length);
		return;
	}
	if (step.seen->groups == 0)
		return;
	fprintf(to, ": %u", (step.header->start_bits + step.header->end_bits) / 8);
	for (unsigned int i = 0; i < step.header->n_groups; i++)
		if ((step.seen->groups & 1u << i) != 0)
			group_write(why, to, at, step.header, i);
}

void why_flaw(struct why *why, FILE *to, unsigned int at) {
	struct ddp_question question = {.asked = DDP_ASKED_VALID, .at = at};
	struct ddp_step step;

	ddp_explain_step(why->explain, at, &step);
	switch (step.flaw) {
	case DDP_FLAW_NONE:
		break;
	case DDP_FLAW_CUT:
		fprintf(to, "truncated: %s takes %" PRIu64 " %s, the packet has %u more",
			step.header->name, step.size, bytes(step.size), step.left);
		break;
	case DDP_FLAW_SHORT:
		fprintf(to, "malformed: %s says it has ", step.header->name);
		why_size(why, to, at);
		fprintf(to, ", its own fields take %u", step.fields_size);
		break;
	case DDP_FLAW_INVALID:
		fprintf(to, "malformed: no valid %s, ", step.header->name);
		why_cond(why, to, &question);
		break;
	case DDP_FLAW_AHEAD:
		fputs("truncated: what comes next cannot be known, ", to);
		why_rule(why, to, at, step.rule);
		break;
	}
}
