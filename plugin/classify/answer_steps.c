/* SPDX-License-Identifier: BSD-3-Clause */
// The explanation of an answer. The walk records nothing for it: conditions are evaluated again
// afterwards, by the interpreter's own code, so the steps cannot differ from ddp_classify(). Header
// i of the profile is node i of the program, and its rules, groups and sets have the same order.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "answer.h"
#include "classify/run/walk.h"
#include "profile/profile_format.h"

struct explainer {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	struct ddp_packet packet; // no longer than a walk reads
	uint64_t rss_hf;
	const struct ddp_class *class;
	struct ddp_steps *steps;
	struct ddp_arena *arena;
	FILE *to; // the text that is being written
	char *text;
	size_t text_size;
	bool failed; // no memory for it
};

// From where a condition or a field is evaluated: a header of class.seen, or as packet types do.
#define FROM_TYPE UINT32_MAX

struct cond_test {
	const struct ddp_cond *cond;
	const struct prog_cond *prog;
	unsigned int from;
};

struct value {
	struct number number;
	uint32_t bit; // bits from the packet's start, where packet types find it
	bool there;
	bool beyond; // not there because the packet ends before
};

static const char *taken(struct explainer *b) {
	const char *text = "";

	if (fputc('\0', b->to) == EOF || fflush(b->to) != 0 || ferror(b->to) || b->text == NULL)
		b->failed = true;
	else
		text = ddp_arena_strdup(b->arena, b->text);
	rewind(b->to);
	return text;
}

// A header's conditions read itself and the headers before it.
static struct walk walk_of(const struct explainer *b, unsigned int from, struct ddp_class *class) {
	struct walk w = {.program = b->program, .packet = &b->packet, .class = class};

	*class = *b->class;
	if (from != FROM_TYPE) {
		class->n_seen = from;
		w.self = &class->seen[from];
	}
	return w;
}

static const struct prog_node *node_of(const struct explainer *b, unsigned int at) {
	assert(at < DDP_MAX_STEPS);
	return &b->program->nodes[b->class->seen[at].node];
}

static const struct ddp_header *header_of(const struct explainer *b, unsigned int at) {
	return &b->profile->headers[b->class->seen[at].node];
}

static struct value value_of(const struct explainer *b, unsigned int from,
			     const struct ddp_ref *ref) {
	const struct prog_ref prog_ref = prog_ref_of(b->program, ref);
	struct ddp_class class;
	struct walk w = walk_of(b, from, &class);
	struct value value = {0};

	// The end of a header that is cut, or too short for its own fields, is not known.
	if (ref->which == DDP_WHICH_SELF && w.self->len == 0 &&
	    header_of(b, from)->fields[ref->field].anchor == DDP_FROM_END)
		return value;
	if (from != FROM_TYPE || !field_locate(b->program, &class, &prog_ref, &value.bit))
		value.bit = 0;
	if (ref->which != DDP_WHICH_OFFSET) {
		value.there = walk_field(&w, &prog_ref, &value.number);
		value.beyond = w.beyond;
	} else if (field_locate(b->program, &class, &prog_ref, &value.bit)) {
		value.beyond = value.bit + ref->bits > 8 * b->packet.len;
		value.there = !value.beyond;
		if (value.there)
			value.number = bits_load(&b->packet, value.bit, ref->bits);
	}
	return value;
}

/* Values in text */

// "0x85", "(not there)"; as a verb "is 0x85", "is not there"
static void value_write(struct explainer *b, const struct ddp_ref *ref, const struct value *value,
			bool verb) {
	if (value->there) {
		fputs(verb ? "is " : "", b->to);
		format_value(b->profile, b->to, ref, value->number.hi, value->number.lo,
			     ddp_ref_field(b->profile, ref)->hex);
	} else if (value->beyond) {
		fputs(verb ? "lies beyond the packet's end" : "(beyond the packet's end)", b->to);
	} else {
		fputs(verb ? "is not there" : "(not there)", b->to);
	}
}

static void read_make(struct explainer *b, unsigned int from, const struct ddp_ref *ref,
		      struct ddp_read *read) {
	struct value value = value_of(b, from, ref);

	*read = (struct ddp_read){.name = ref->name, .bit = value.bit, .bits = ref->bits};
	value_write(b, ref, &value, false);
	read->text = taken(b);
	if (!value.there)
		return;
	format_value(b->profile, b->to, ref, value.number.hi, value.number.lo, false);
	read->value = taken(b);
}

static void refs_read(struct explainer *b, const struct ddp_ref *refs, unsigned int n,
		      struct ddp_reads *reads) {
	for (unsigned int i = 0; i < n; i++)
		read_make(b, FROM_TYPE, &refs[i], DDP_APPEND(b->arena, reads->reads, reads->n));
}

static bool is_repeat(const struct ddp_expr *expr, unsigned int op) {
	for (unsigned int i = 0; i < op; i++)
		if (expr->ops[i].op == DDP_OP_FIELD &&
		    ddp_refs_equal(&expr->ops[i].ref, &expr->ops[op].ref))
			return true;
	return false;
}

// The fields of an expression, in brackets; nothing for one without a field.
static void operands_write(struct explainer *b, unsigned int from, const struct ddp_expr *expr) {
	const char *separator = " (";

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		const struct ddp_ref *ref = &expr->ops[i].ref;
		struct value value;

		if (expr->ops[i].op != DDP_OP_FIELD || is_repeat(expr, i))
			continue;
		value = value_of(b, from, ref);
		fprintf(b->to, "%s%s ", separator, ref->name);
		value_write(b, ref, &value, false);
		separator = ", ";
	}
	fputs(separator[0] == ',' ? ")" : "", b->to);
}

/* Conditions in text */

// "next_ext is 0xc0, not 0x85" where it fails; else "next_ext is 0x85", and other values it lists.
static void match_write(struct explainer *b, const struct cond_test *test, unsigned int index,
			bool is_true) {
	const struct ddp_match *match = &test->cond->matches[index];
	const struct value value = value_of(b, test->from, &match->ref);
	unsigned int width = ddp_ref_field(b->profile, &match->ref)->width;
	uint64_t lo = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	bool is_exact = !match->negate && match->n_patterns == 1 &&
			match->patterns->mask_lo == lo && width <= 64;

	fprintf(b->to, "%s ", match->ref.name);
	value_write(b, &match->ref, &value, true);
	if (!value.there || (is_true ? is_exact : match->negate))
		return;
	fputs(!is_true ? ", not " : match->negate ? " (not " : " (", b->to);
	format_patterns(b->profile, b->to, match);
	fputs(is_true ? ")" : "", b->to);
}

// It fails by the first match that fails; what comes after was not evaluated.
static void cond_write(struct explainer *b, const struct cond_test *test) {
	const struct prog_match *matches = &b->program->matches[test->prog->first_match];
	struct ddp_class class;
	struct walk w = walk_of(b, test->from, &class);

	for (unsigned int i = 0; i < test->cond->n_matches; i++) {
		if (walk_match(&w, &matches[i]))
			continue;
		match_write(b, test, i, false);
		return;
	}
	for (unsigned int i = 0; i < test->cond->n_matches; i++) {
		fputs(i > 0 ? " and " : "", b->to);
		match_write(b, test, i, true);
	}
	if (test->cond->expr.n_ops == 0)
		return;
	fputs(test->cond->n_matches > 0 ? " and " : "", b->to);
	format_expr(b->to, &test->cond->expr);
	fputs(walk_holds(&w, test->prog) ? " is true" : " is false", b->to);
	operands_write(b, test->from, &test->cond->expr);
}

/* Headers */

struct explained {
	const struct ddp_header *header;
	const struct ddp_seen *seen;
	unsigned int at;
	struct ddp_step *step;
	uint32_t fields_size; // bytes of its own fields
	uint64_t fields;      // bit f: field f mattered
};

static void measure(const struct explainer *b, struct explained *explained) {
	const struct prog_node *node = node_of(b, explained->at);
	struct ddp_class class;
	struct walk w = walk_of(b, explained->at, &class);

	explained->fields_size =
		node->start_size + groups_size(node, w.self->groups, node->n_groups);
	// If the packet ends before these, their sizes and the length are unknown.
	explained->step->size = explained->fields_size;
	if (explained->step->size > b->packet.len - explained->seen->off)
		return;
	explained->fields_size += node->end_size;
	explained->step->size = explained->fields_size;
	if (node->length.n_ops != 0)
		explained->step->size = walk_value(&w, &node->length);
}

static const char *bytes(uint64_t n) {
	return n == 1 ? "byte" : "bytes";
}

static void group_write(struct explainer *b, const struct explained *explained,
			unsigned int group) {
	const struct ddp_header *header = explained->header;
	const struct cond_test test = {&header->groups[group].cond,
				       &node_of(b, explained->at)->groups[group], explained->at};
	const char *separator = "";

	fprintf(b->to, " and %u for [", header->groups[group].bits / 8);
	for (unsigned int i = 0; i < header->n_fields; i++) {
		if (header->fields[i].group != (int)group)
			continue;
		fprintf(b->to, "%s%s", separator, header->fields[i].name);
		separator = " ";
	}
	fputs("] because ", b->to);
	cond_write(b, &test);
}

// "12 bytes: 8 and 4 for [seq npdu next_ext] because e | s | pn is true (e 1, s 0, pn 0)"
static void size_write(struct explainer *b, const struct explained *explained) {
	const struct ddp_header *header = explained->header;

	fprintf(b->to, "%" PRIu64 " %s", explained->step->size, bytes(explained->step->size));
	if (header->length.n_ops > 0) {
		fputs(": ", b->to);
		format_expr(b->to, &header->length);
		operands_write(b, explained->at, &header->length);
		return;
	}
	if (explained->seen->groups == 0)
		return;
	fprintf(b->to, ": %u", (header->start_bits + header->end_bits) / 8);
	for (unsigned int i = 0; i < header->n_groups; i++)
		if ((explained->seen->groups & 1u << i) != 0)
			group_write(b, explained, i);
}

/* Rules */

struct tried {
	struct cond_test test;
	bool is_true;
	bool beyond;                         // only the packet's end says that it does not apply
	struct value key;                    // of a lookup whose condition is true,
	const struct ddp_table_entry *entry; // and the entry it found
};

static struct tried rule_evaluate(const struct explainer *b, unsigned int at, unsigned int index) {
	const struct ddp_rule *rule = &header_of(b, at)->rules[index];
	const struct prog_rule *prog = &b->program->rules[node_of(b, at)->first_rule + index];
	struct tried tried = {.test = {&rule->cond, &prog->cond, at}};
	struct ddp_class class;
	struct walk w = walk_of(b, at, &class);
	const struct ddp_table *table;

	tried.is_true = walk_holds(&w, &prog->cond);
	tried.beyond = w.beyond;
	if (!tried.is_true || rule->kind != DDP_RULE_LOOKUP)
		return tried;
	table = &b->profile->tables[rule->table]; // a profile may have none
	tried.key = value_of(b, at, &rule->key);
	tried.beyond = !tried.key.there && tried.key.beyond;
	for (unsigned int i = 0; tried.key.there && i < table->n_entries; i++)
		if (tried.entry == NULL && table->entries[i].value == tried.key.number.lo)
			tried.entry = &table->entries[i];
	return tried;
}

static const char *rule_why(struct explainer *b, const struct ddp_rule *rule,
			    const struct tried *tried) {
	const bool always = format_is_always(&rule->cond);

	if (!always)
		cond_write(b, &tried->test);
	else if (rule->kind != DDP_RULE_LOOKUP)
		fputs("always", b->to);
	if (rule->kind != DDP_RULE_LOOKUP || !tried->is_true)
		return taken(b);
	fprintf(b->to, "%s%s ", always ? "" : ", and ", rule->key.name);
	value_write(b, &rule->key, &tried->key, true);
	if (tried->key.there)
		fprintf(b->to,
			tried->entry != NULL ? ", its number in table %s" :
					       ", which table %s does not have",
			b->profile->tables[rule->table].name);
	return taken(b);
}

// Try a rule. Returns whether that ends the walk's questions to this header.
static bool rule_try(struct explainer *b, struct explained *explained, unsigned int index) {
	const struct ddp_rule *rule = &explained->header->rules[index];
	const struct tried tried = rule_evaluate(b, explained->at, index);
	const struct ddp_match *match = rule->cond.matches;
	const struct ddp_table_entry *entry = tried.entry;
	struct ddp_step *step = explained->step;
	struct ddp_try *try = DDP_APPEND(b->arena, step->tries, step->n_tries);

	*try = (struct ddp_try){.what = "stop", .place = &rule->place};
	if (rule->kind == DDP_RULE_GOTO)
		try->what = b->profile->headers[rule->target].name;
	else if (rule->kind == DDP_RULE_LOOKUP)
		try->what = ddp_arena_printf(b->arena, "%s(%s)",
					     b->profile->tables[rule->table].name, rule->key.name);
	try->why = rule_why(b, rule, &tried);
	format_cond(b->profile, b->to, &rule->cond);
	try->when = taken(b);
	if (tried.beyond) {
		step->flaw = DDP_FLAW_AHEAD;
		return true;
	}
	if (!tried.is_true || (rule->kind == DDP_RULE_LOOKUP && entry == NULL)) {
		// One field that is there, but has another value, can stand in a list.
		if (rule->kind != DDP_RULE_GOTO || rule->cond.n_matches != 1 ||
		    rule->cond.expr.n_ops > 0 || match->negate ||
		    !value_of(b, explained->at, &match->ref).there)
			return false;
		try->compared = ddp_arena_alloc(b->arena, sizeof(*try->compared));
		read_make(b, explained->at, &match->ref, try->compared);
		format_patterns(b->profile, b->to, match);
		try->wanted = taken(b);
		return false;
	}
	try->decides = true;
	if (entry != NULL)
		try->place = &entry->place;
	if (rule->kind != DDP_RULE_STOP)
		step->next = b->profile->headers[entry != NULL ? entry->target : rule->target].name;
	return true;
}

static void flaw_write(struct explainer *b, const struct explained *explained) {
	const struct cond_test valid = {&explained->header->valid,
					&node_of(b, explained->at)->valid, explained->at};
	const struct ddp_step *step = explained->step;

	switch (step->flaw) {
	case DDP_FLAW_NONE:
		break;
	case DDP_FLAW_CUT:
		fprintf(b->to, "truncated: %s takes %" PRIu64 " %s, the packet has %u more",
			step->name, step->size, bytes(step->size),
			b->packet.len - explained->seen->off);
		break;
	case DDP_FLAW_SHORT:
		fprintf(b->to, "malformed: %s says it has ", step->name);
		size_write(b, explained);
		fprintf(b->to, ", its own fields take %u", explained->fields_size);
		break;
	case DDP_FLAW_INVALID:
		fprintf(b->to, "malformed: no valid %s, ", step->name);
		cond_write(b, &valid);
		break;
	case DDP_FLAW_AHEAD:
		fprintf(b->to, "truncated: what comes next cannot be known, %s",
			step->tries[step->n_tries - 1].why);
		break;
	}
}

/* Fields that mattered */

// ref, as it is seen from there, may lie in the header that is explained.
static void ref_mark(const struct explainer *b, struct explained *explained, unsigned int from,
		     const struct ddp_ref *ref) {
	const struct value value = value_of(b, from, ref);
	const bool is_here = value.bit / 8 >= explained->seen->off &&
			     value.bit / 8 < (uint32_t)explained->seen->off + explained->seen->len;

	if (from != FROM_TYPE ? ref->which == DDP_WHICH_SELF :
				ref->node == explained->seen->node && value.there && is_here)
		explained->fields |= UINT64_C(1) << ref->field;
}

static void cond_mark(const struct explainer *b, struct explained *explained, unsigned int from,
		      const struct ddp_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		ref_mark(b, explained, from, &cond->matches[i].ref);
	for (unsigned int i = 0; i < cond->expr.n_ops; i++)
		if (cond->expr.ops[i].op == DDP_OP_FIELD)
			ref_mark(b, explained, from, &cond->expr.ops[i].ref);
}

// Mark the fields that the header's own rules or the packet type read, hash or extract.
static void fields_mark(const struct explainer *b, struct explained *explained) {
	const struct ddp_header *header = explained->header;
	const struct ddp_packet_type *type = b->steps->type;
	const struct ddp_input_set *set = b->steps->set;

	cond_mark(b, explained, explained->at, &(struct ddp_cond){.expr = header->length});
	for (unsigned int i = 0; i < header->n_groups; i++)
		cond_mark(b, explained, explained->at, &header->groups[i].cond);
	cond_mark(b, explained, explained->at, &header->valid);
	cond_mark(b, explained, explained->at, &header->fragment);
	for (unsigned int i = 0; i < explained->step->n_tries; i++) {
		cond_mark(b, explained, explained->at, &header->rules[i].cond);
		if (header->rules[i].kind == DDP_RULE_LOOKUP)
			ref_mark(b, explained, explained->at, &header->rules[i].key);
	}
	if (type == NULL)
		return;
	cond_mark(b, explained, FROM_TYPE, &type->cond);
	for (unsigned int i = 0; i < b->steps->n_sets; i++)
		cond_mark(b, explained, FROM_TYPE, &type->sets[i].cond);
	for (unsigned int i = 0; set != NULL && i < set->n_inputs; i++)
		ref_mark(b, explained, FROM_TYPE, &set->inputs[i]);
	for (unsigned int i = 0; i < type->n_extract; i++)
		ref_mark(b, explained, FROM_TYPE, &type->extract[i]);
}

static void fields_read(struct explainer *b, struct explained *explained) {
	const struct ddp_field *fields = explained->header->fields;

	fields_mark(b, explained);
	for (unsigned int i = 0; i < explained->header->n_fields; i++) {
		const struct ddp_ref ref = {
			.node = explained->seen->node,
			.field = i,
			.which = DDP_WHICH_SELF,
			.bits = fields[i].width,
			.name = fields[i].name,
		};
		struct ddp_read *read;

		if ((explained->fields >> i & 1) == 0)
			continue;
		read = DDP_APPEND(b->arena, explained->step->reads.reads, explained->step->reads.n);
		read_make(b, explained->at, &ref, read);
		read->ahead = fields[i].anchor == DDP_AHEAD;
	}
}

static void step_make(struct explainer *b, unsigned int at) {
	const struct ddp_class *class = b->class;
	struct explained explained = {
		.header = header_of(b, at),
		.seen = &class->seen[at],
		.at = at,
		.step = DDP_APPEND(b->arena, b->steps->steps, b->steps->n_steps),
	};
	const struct cond_test fragment = {&explained.header->fragment, &node_of(b, at)->fragment,
					   at};
	struct ddp_step *step = explained.step;
	bool decided = false;

	*step = (struct ddp_step){
		.name = explained.header->name,
		.place = &explained.header->place,
		.hidden = explained.header->hidden,
		.offset = explained.seen->off,
		.fragment = at < class->n_seen && explained.seen->fragment,
	};
	measure(b, &explained);
	for (unsigned int i = 0; at < class->n_seen && i < explained.header->n_rules && !decided;
	     i++)
		decided = rule_try(b, &explained, i);
	if (at >= class->n_seen && class->status != DDP_STATUS_MALFORMED)
		step->flaw = DDP_FLAW_CUT;
	else if (at >= class->n_seen)
		step->flaw = step->size < explained.fields_size ? DDP_FLAW_SHORT : DDP_FLAW_INVALID;
	size_write(b, &explained);
	step->size_why = taken(b);
	if (step->fragment) {
		cond_write(b, &fragment);
		step->fragment_why = taken(b);
	}
	flaw_write(b, &explained);
	step->flaw_why = taken(b);
	fields_read(b, &explained);
}

/* Packet type and input set */

static void types_try(struct explainer *b) {
	const struct ddp_class *class = b->class;
	const struct automaton *a = &b->program->automaton;
	const uint16_t *accepts;

	if (b->steps->type == NULL || b->program->model != NULL)
		return;
	assert(class->n_matched > 0);
	accepts = &a->accepts[a->first_accept[class->seen[class->n_matched - 1].state]];
	for (unsigned int i = 0;; i++) {
		const struct ddp_packet_type *type = &b->profile->types[accepts[i]];
		const struct cond_test test = {&type->cond, &b->program->types[accepts[i]].cond,
					       FROM_TYPE};

		cond_write(b, &test);
		*DDP_APPEND(b->arena, b->steps->types, b->steps->n_types) = (struct ddp_try){
			.what = type->name,
			.place = &type->place,
			.when = "which has the same path",
			.decides = accepts[i] == class->type,
			.why = taken(b),
		};
		if (accepts[i] == class->type)
			return;
	}
}

static void set_try(struct explainer *b, unsigned int index) {
	const struct ddp_input_set *set = &b->steps->type->sets[index];
	const struct cond_test test = {
		&set->cond,
		&b->program->sets[b->program->types[b->class->type].first_set + index].cond,
		FROM_TYPE,
	};
	struct ddp_try *try = DDP_APPEND(b->arena, b->steps->sets, b->steps->n_sets);
	struct ddp_class class;
	struct walk w = walk_of(b, FROM_TYPE, &class);
	bool is_selected = !b->profile->by_rss_hf || (set->rss_hf & b->rss_hf) != 0;

	assert(index < b->steps->type->n_sets);
	format_refs(b->to, set->inputs, set->n_inputs);
	try->what = taken(b);
	try->place = &set->place;
	try->decides =
		b->rss_hf != 0 && is_selected && walk_holds(&w, test.prog) && !b->class->unhashed;
	if (is_selected) {
		cond_write(b, &test);
	} else {
		fputs("rss_hf has none of ", b->to);
		format_rss_hf(b->to, set->rss_hf);
	}
	try->why = taken(b);
	if (try->decides)
		b->steps->set = set;
}

// The sets in the order of ddp_input_gather().
static void sets_try(struct explainer *b) {
	const struct ddp_packet_type *type = b->steps->type;

	for (unsigned int i = 0; type != NULL && i < type->n_sets && b->steps->set == NULL; i++)
		set_try(b, i);
	if (b->steps->set != NULL)
		refs_read(b, b->steps->set->inputs, b->steps->set->n_inputs, &b->steps->hashed);
	else if (b->steps->n_sets > 0)
		b->steps->unhashed =
			b->rss_hf == 0 ? "rss_hf is none" : "none of its input sets applies";
	if (type != NULL)
		refs_read(b, type->extract, type->n_extract, &b->steps->extracted);
}

static void steps_build(void *arg) {
	struct explainer *b = arg;
	const struct ddp_class *class = b->class;

	b->steps = ddp_arena_alloc(b->arena, sizeof(*b->steps));
	if (class->type != DDP_TYPE_NONE) {
		b->steps->type = &b->profile->types[class->type];
		if (b->steps->type->path != NULL)
			format_path(b->profile, b->to, b->steps->type->path);
		b->steps->path = taken(b);
	}
	types_try(b);
	sets_try(b);
	if (b->program->model != NULL)
		return; // the steps are those of the model
	for (unsigned int i = 0; i < class->n_seen; i++)
		step_make(b, i);
	if ((class->status == DDP_STATUS_TRUNCATED || class->status == DDP_STATUS_MALFORMED) &&
	    (b->steps->n_steps == 0 || b->steps->steps[b->steps->n_steps - 1].next != NULL))
		step_make(b, class->n_seen); // which was looked at and is no good
}

int ddp_answer_steps(const struct ddp_profile *profile, const struct ddp_program *program,
		     const struct ddp_answer_rss *rss, const struct ddp_packet *packet,
		     struct ddp_arena *arena, struct ddp_answer *answer) {
	struct explainer b = {
		.profile = profile,
		.program = program,
		.packet = *packet,
		.rss_hf = rss->rss_hf,
		.class = &answer->class,
		.arena = arena,
	};
	int ret;

	if (b.packet.len > UINT16_MAX)
		b.packet.len = UINT16_MAX;
	b.to = open_memstream(&b.text, &b.text_size);
	if (b.to == NULL)
		return -ENOMEM;
	ddp_answer(program, rss, packet, answer);
	ret = ddp_arena_run(steps_build, &b);
	if (b.failed)
		ret = -ENOMEM;
	fclose(b.to);
	free(b.text);
	answer->steps = ret == 0 ? b.steps : NULL;
	return ret;
}

bool ddp_answer_end(const struct ddp_profile *profile, const struct ddp_program *program,
		    const struct ddp_packet *packet, const struct ddp_class *class,
		    const struct ddp_rule **rule, uint64_t *value) {
	struct explainer b = {
		.profile = profile,
		.program = program,
		.packet = *packet,
		.class = class,
	};
	const unsigned int at = class->n_seen - 1u;

	*rule = NULL;
	if (class->status != DDP_STATUS_OK || class->n_seen == 0 || program->model != NULL)
		return false;
	if (b.packet.len > UINT16_MAX)
		b.packet.len = UINT16_MAX;
	for (unsigned int i = 0; i < header_of(&b, at)->n_rules; i++) {
		const struct ddp_rule *r = &header_of(&b, at)->rules[i];
		const struct tried tried = rule_evaluate(&b, at, i);

		if (tried.beyond || tried.entry != NULL ||
		    (tried.is_true && r->kind != DDP_RULE_LOOKUP))
			return false;
		if (*rule == NULL && tried.key.there && r->key.which == DDP_WHICH_SELF) {
			*rule = r;
			*value = tried.key.number.lo;
		}
	}
	return true;
}
