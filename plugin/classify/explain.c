/* SPDX-License-Identifier: BSD-3-Clause */
#include "explain.h"

#include <assert.h>

#include "classify/run/walk.h"

// What a header sees: itself and those before it.
static const struct ddp_seen *self_of(const struct ddp_explain *explain, unsigned int at,
				      struct ddp_class *class) {
	*class = explain->class;
	if (at == DDP_EXPLAIN_TYPE)
		return NULL;
	class->n_seen = at;
	return &class->seen[at];
}

static const struct prog_node *node_of(const struct ddp_explain *explain, unsigned int at) {
	return &explain->program->nodes[explain->class.seen[at].node];
}

static struct prog_ref ref_of(const struct ddp_explain *explain, const struct ddp_ref *ref) {
	unsigned int field = ref->field;

	for (unsigned int i = 0; i < ref->node; i++)
		field += explain->profile->headers[i].n_fields;
	return (struct prog_ref){
		.field = field,
		.node = ref->node,
		.which = ref->which,
		.nth = ref->nth,
		.skip = ref->skip,
		.bits = ref->bits,
	};
}

static bool holds_at(const struct ddp_explain *explain, unsigned int at,
		     const struct prog_cond *cond, bool *beyond) {
	struct ddp_class class;
	const struct ddp_seen *self = self_of(explain, at, &class);

	return cond_holds_at(explain->program, &explain->packet, &class, self, cond, NULL, beyond);
}

bool ddp_explain_field(const struct ddp_explain *explain, unsigned int at,
		       const struct ddp_ref *ref, struct ddp_value *value) {
	struct prog_ref prog_ref = ref_of(explain, ref);
	struct ddp_class class;
	const struct ddp_seen *self = self_of(explain, at, &class);

	if (!field_locate(explain->program, &class, &prog_ref, &value->bit))
		value->bit = 0;
	return field_value_at(explain->program, &explain->packet, &class, self, &prog_ref,
			      &value->hi, &value->lo, &value->beyond);
}

/* Conditions */

static const struct prog_cond *prog_cond_of(const struct ddp_explain *explain,
					    const struct ddp_question *q) {
	const struct ddp_program *program = explain->program;

	switch (q->asked) {
	case DDP_ASKED_RULE:
		return &program->rules[node_of(explain, q->at)->first_rule + q->index].cond;
	case DDP_ASKED_GROUP:
		return &node_of(explain, q->at)->groups[q->index];
	case DDP_ASKED_VALID:
		return &node_of(explain, q->at)->valid;
	case DDP_ASKED_FRAGMENT:
		return &node_of(explain, q->at)->fragment;
	case DDP_ASKED_TYPE:
		return &program->types[q->at].cond;
	default: // DDP_ASKED_SET
		return &program->sets[program->types[q->at].first_set + q->index].cond;
	}
}

const struct ddp_cond *ddp_explain_cond(const struct ddp_explain *explain,
					const struct ddp_question *q) {
	const struct ddp_profile *profile = explain->profile;
	const struct ddp_class *class = &explain->class;

	switch (q->asked) {
	case DDP_ASKED_RULE:
		return &profile->headers[class->seen[q->at].node].rules[q->index].cond;
	case DDP_ASKED_GROUP:
		return &profile->headers[class->seen[q->at].node].groups[q->index].cond;
	case DDP_ASKED_VALID:
		return &profile->headers[class->seen[q->at].node].valid;
	case DDP_ASKED_FRAGMENT:
		return &profile->headers[class->seen[q->at].node].fragment;
	case DDP_ASKED_TYPE:
		return &profile->types[q->at].cond;
	default: // DDP_ASKED_SET
		return &profile->types[q->at].sets[q->index].cond;
	}
}

static unsigned int asked_from(const struct ddp_question *q) {
	return q->asked == DDP_ASKED_TYPE || q->asked == DDP_ASKED_SET ? DDP_EXPLAIN_TYPE : q->at;
}

bool ddp_explain_holds(const struct ddp_explain *explain, const struct ddp_question *q) {
	bool beyond;

	return holds_at(explain, asked_from(q), prog_cond_of(explain, q), &beyond);
}

bool ddp_explain_match(const struct ddp_explain *explain, const struct ddp_question *q,
		       unsigned int match) {
	const struct prog_cond *cond = prog_cond_of(explain, q);
	struct ddp_class class;
	const struct ddp_seen *self = self_of(explain, asked_from(q), &class);

	return match_holds_at(explain->program, &explain->packet, &class, self,
			      &explain->program->matches[cond->first_match + match]);
}

/* Headers */

// Measure the header again, in the order of the walk.
static void measure(const struct ddp_explain *explain, unsigned int at, struct ddp_step *step) {
	const struct prog_node *node = node_of(explain, at);
	struct ddp_class class;
	const struct ddp_seen *self = self_of(explain, at, &class);

	step->fields_size = node->start_size;
	for (unsigned int g = 0; g < node->n_groups; g++)
		if ((self->groups & 1u << g) != 0)
			step->fields_size += node->group_bits[g] / 8;
	// Where the packet ends before these, they and the length are not known.
	step->size = step->fields_size;
	if (step->size > step->left)
		return;
	step->fields_size += node->end_size;
	step->size = step->fields_size;
	if (node->length.n_ops != 0)
		step->size = expr_value_at(explain->program, &explain->packet, &class, self,
					   &node->length);
}

static enum ddp_flaw flaw_find(const struct ddp_explain *explain, const struct ddp_step *step) {
	if (explain->class.status == DDP_STATUS_MALFORMED)
		return step->size < step->fields_size ? DDP_FLAW_SHORT : DDP_FLAW_INVALID;
	return DDP_FLAW_CUT;
}

static const struct ddp_table_entry *entry_find(const struct ddp_explain *explain, unsigned int at,
						const struct ddp_rule *rule, bool *beyond) {
	const struct ddp_table *table = &explain->profile->tables[rule->table];
	struct ddp_value key;

	if (!ddp_explain_field(explain, at, &rule->key, &key)) {
		*beyond = key.beyond;
		return NULL;
	}
	for (unsigned int i = 0; i < table->n_entries; i++)
		if (table->entries[i].value == key.lo)
			return &table->entries[i];
	return NULL;
}

// Ask the rules again. false: what the rule wants to see lies beyond the packet.
static bool decide(const struct ddp_explain *explain, unsigned int at, struct ddp_step *step) {
	const struct prog_node *node = node_of(explain, at);

	for (unsigned int i = 0; i < step->header->n_rules; i++) {
		const struct ddp_rule *rule = &step->header->rules[i];
		bool beyond;
		bool holds = holds_at(explain, at,
				      &explain->program->rules[node->first_rule + i].cond, &beyond);

		step->rule = i;
		if (beyond)
			return false;
		if (!holds)
			continue;
		if (rule->kind == DDP_RULE_STOP)
			return true;
		if (rule->kind == DDP_RULE_GOTO) {
			step->next = rule->target;
			return true;
		}
		step->entry = entry_find(explain, at, rule, &beyond);
		if (beyond)
			return false;
		if (step->entry != NULL) {
			step->next = step->entry->target;
			return true;
		}
	}
	step->rule = -1;
	return true;
}

void ddp_explain_step(const struct ddp_explain *explain, unsigned int at, struct ddp_step *step) {
	const struct ddp_seen *seen = &explain->class.seen[at];

	*step = (struct ddp_step){
		.header = &explain->profile->headers[seen->node],
		.seen = seen,
		.left = explain->packet.len - seen->off,
		.rule = -1,
		.next = -1,
	};
	measure(explain, at, step);
	if (at >= explain->class.n_seen)
		step->flaw = flaw_find(explain, step);
	else if (!decide(explain, at, step))
		step->flaw = DDP_FLAW_AHEAD;
	assert(at + 1 >= explain->n_steps || step->next == explain->class.seen[at + 1].node);
}

// True when the header after those found was looked at and is no good.
static bool ends_inside(const struct ddp_explain *explain) {
	const struct ddp_class *class = &explain->class;
	struct ddp_step last = {.next = explain->profile->first};

	if (class->status != DDP_STATUS_TRUNCATED && class->status != DDP_STATUS_MALFORMED)
		return false;
	if (class->n_seen > 0)
		ddp_explain_step(explain, class->n_seen - 1, &last);
	return last.next >= 0;
}

void ddp_explain_init(struct ddp_explain *explain, const struct ddp_profile *profile,
		      const struct ddp_program *program, const struct ddp_packet *packet) {
	struct ddp_class *class = &explain->class;

	*explain = (struct ddp_explain){
		.profile = profile,
		.program = program,
		.packet = *packet,
	};
	if (explain->packet.len > UINT16_MAX) // the walk looks no farther
		explain->packet.len = UINT16_MAX;
	ddp_classify(program, &explain->packet, class);
	explain->n_steps = class->n_seen + (ends_inside(explain) ? 1 : 0);
}

unsigned int ddp_explain_rivals(const struct ddp_explain *explain, uint16_t *types,
				unsigned int max) {
	const struct automaton *a = &explain->program->automaton;
	const struct ddp_class *class = &explain->class;
	const uint16_t *accepts;
	unsigned int n = 0;

	if (class->type == DDP_TYPE_NONE)
		return 0;
	accepts = &a->accepts[a->first_accept[class->seen[class->n_matched - 1].state]];
	for (; n < max && accepts[n] != class->type; n++)
		types[n] = accepts[n];
	return n;
}

int ddp_explain_set(const struct ddp_explain *explain, uint64_t rss_hf) {
	const struct ddp_profile *profile = explain->profile;
	struct ddp_question q = {.asked = DDP_ASKED_SET, .at = explain->class.type};
	const struct ddp_packet_type *type;

	if (explain->class.type == DDP_TYPE_NONE || rss_hf == 0)
		return -1;
	type = &profile->types[explain->class.type];
	for (q.index = 0; q.index < type->n_sets; q.index++)
		if ((!profile->by_rss_hf || (type->sets[q.index].rss_hf & rss_hf) != 0) &&
		    ddp_explain_holds(explain, &q))
			return q.index;
	return -1;
}
