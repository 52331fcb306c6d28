/* SPDX-License-Identifier: BSD-3-Clause */
// Headers -> steps: what the walk needs of a header in most packets, without anything that has to
// be looked up or decided first. What no step can say is left to the interpreter of everything.

#include "build.h"
#include "classify/run/walk.h"

#define MULTIPLIERS 64 // multipliers that are tried for a table of one size

// Bytes to add to an offset from the header's start, or end, for the offset from the start.
static int given_shift(const struct steps *s, bool from_end, unsigned int n_before) {
	if (s->given == NULL || (from_end && s->given->any_length))
		return 0;
	return from_end ? s->given->seen.len :
			  (int)groups_size(s->node, s->given->seen.groups, n_before);
}

static bool test_is_bit_test(const struct steps *s, const struct prog_test *test) {
	if (test->kind != TEST_BITS && test->kind != TEST_NOT_BITS)
		return false;
	if (s->given != NULL && s->given->any_length && test->from_end)
		return false;
	if (s->given != NULL) // a group that is not there has decided already
		return test->byte + given_shift(s, test->from_end, test->n_before) >= 0;
	return !test->from_end && test->group < 0 && test->n_before == 0;
}

static void bit_test_fill(struct steps *s, const struct prog_test *test,
			  struct prog_bit_test *bit_test) {
	bit_test->mask = htobe64(test->mask);
	bit_test->value = htobe64(test->value);
	bit_test->byte = test->byte + given_shift(s, test->from_end, test->n_before);
	bit_test->negate = test->kind == TEST_NOT_BITS;
	if (s->step->need < bit_test->byte + sizeof(uint64_t))
		s->step->need = bit_test->byte + sizeof(uint64_t);
}

bool cond_bit_test(struct steps *s, const struct prog_cond *cond, struct prog_bit_test *bit_test) {
	const struct prog_op *op = &s->program->ops[cond->first_op];

	*bit_test = (struct prog_bit_test){0};
	if (cond->n_matches == 0 && cond->n_ops == 1 && op->op == DDP_OP_CONST) {
		bit_test->negate = op->value == 0;
		return true;
	}
	if (cond->n_tests == 0)
		return (cond->n_matches | cond->n_ops) == 0;
	if (cond->n_tests > 1 || !test_is_bit_test(s, &s->program->tests[cond->first_test]))
		return false;
	bit_test_fill(s, &s->program->tests[cond->first_test], bit_test);
	return true;
}

static bool bit_test_is_none(const struct prog_bit_test *bit_test) {
	return bit_test->mask == 0 && bit_test->value == 0 && !bit_test->negate;
}

/* Tables */

static bool slots_fit(const struct growing *rule, uint16_t factor, unsigned int log2,
		      uint8_t *taken) {
	memset(taken, 0, UINT64_C(1) << log2);
	for (unsigned int i = 0; i < rule->n; i++)
		if (taken[slot_index(rule->entries[i] >> 16, factor, log2)]++ > 0)
			return false;
	return true;
}

// A factor that gives every value its own slot. There is one at last: a slot for each value.
static uint16_t factor_find(struct steps *s, unsigned int *log2) {
	const struct growing *rule = &s->rule;

	for (*log2 = 0; *log2 < 16; ++*log2) {
		uint16_t factor = 1u << (16 - *log2);

		if (1u << *log2 < rule->n)
			continue;
		for (unsigned int i = 0; i < MULTIPLIERS; i++) {
			if (slots_fit(rule, factor, *log2, s->taken))
				return factor;
			factor = (factor * 25173u + 13849u) | 1;
		}
	}
	return 1;
}

static void slots_make(struct steps *s, struct prog_branch *branch) {
	const struct growing *rule = &s->rule;
	unsigned int log2;
	uint32_t *slots;

	branch->factor = factor_find(s, &log2);
	assert(log2 <= 16 && rule->n <= 1u << log2);
	branch->shift = 16 - log2;
	slots = ddp_arena_alloc(s->program->arena, sizeof(*slots) << log2);
	for (unsigned int i = 0; rule->n < 1u << log2 && i < 1u << log2; i++) {
		uint32_t value = 0; // of another slot: this one is empty

		while (slot_index(value, branch->factor, log2) == i)
			value++;
		slots[i] = value << 16;
	}
	for (unsigned int i = 0; i < rule->n; i++)
		slots[slot_index(rule->entries[i] >> 16, branch->factor, log2)] = rule->entries[i];
	branch->slots = slots;
}

/* Keys */

// false: it is in no two bytes at a known offset.
static bool key_place(const struct steps *s, struct key *key, bool from_end, int group,
		      unsigned int n_before, int first, int last) {
	*key = (struct key){
		true, from_end, group, first, given_shift(s, from_end, n_before), last - first + 1};
	return (n_before == 0 || s->given != NULL) && key->size <= 2;
}

static int ref_bit(const struct steps *s, const struct prog_ref *ref) {
	const struct prog_field *field = &s->program->fields[ref->field];

	return field->anchor == DDP_FROM_END ? -field->bit_off : field->bit_off;
}

static bool ref_key(const struct steps *s, const struct prog_ref *ref, struct key *key) {
	const struct prog_field *field = &s->program->fields[ref->field];
	int bit = ref_bit(s, ref);
	bool from_end = field->anchor != DDP_FROM_START;

	return ref->which == DDP_WHICH_SELF &&
	       key_place(s, key, from_end, from_end ? -1 : field->group,
			 from_end ? 0 : field->n_before, floor8(bit), floor8(bit + ref->bits - 1));
}

static bool test_key(const struct steps *s, const struct prog_test *test, struct key *key) {
	unsigned int first, last;

	if (test->kind == TEST_MATCH)
		return ref_key(s, &s->program->matches[test->index].ref, key);
	if (test->kind == TEST_WORD)
		return key_place(s, key, test->from_end, test->group, test->n_before, test->byte,
				 test->byte + 1);
	if (test->kind > TEST_NOT_BITS || test->mask == 0)
		return false;
	first = __builtin_clzll(test->mask) / 8;
	last = 7 - __builtin_ctzll(test->mask) / 8;
	if (test->from_end) { // the packet must have all of it, regardless of the mask
		first = 0;
		last = test->size - 1;
	}
	return key_place(s, key, test->from_end, test->group, test->n_before, test->byte + first,
			 test->byte + last);
}

// A field's value where the key's bytes are value.
static uint64_t ref_value(const struct steps *s, const struct prog_ref *ref, const struct key *key,
			  uint32_t value) {
	unsigned int right = (key->byte + key->size) * 8 - ref_bit(s, ref) - ref->bits;

	return value >> right & ((1u << ref->bits) - 1);
}

static bool test_says(const struct steps *s, const struct prog_test *test, const struct key *key,
		      uint32_t value) {
	unsigned int left = (key->byte - test->byte) * 8;

	if (test->kind == TEST_MATCH) {
		const struct prog_match *match = &s->program->matches[test->index];
		const struct ddp_pattern *pattern = &s->program->patterns[match->first_pattern];
		uint64_t number = ref_value(s, &match->ref, key, value);

		for (unsigned int i = 0; i < match->n_patterns; i++, pattern++)
			if ((number & pattern->mask_lo) == pattern->value_lo &&
			    pattern->value_hi == 0)
				return !match->negate;
		return match->negate;
	}
	if (test->kind == TEST_WORD)
		return word_holds(s->program->words[test->index], value);
	return (((uint64_t)value << (64 - key->size * 8) >> left & test->mask) == test->value) ==
	       (test->kind == TEST_BITS);
}

static uint32_t key_bits(const struct key *key, const struct prog_test *test, uint64_t bits) {
	return bits << (key->byte - test->byte) * 8 >> (64 - key->size * 8);
}

/* Rules */

// A rule of the profile: a guard, a test by key, or both.
struct parts {
	struct key key;
	struct prog_bit_test guard;
	const struct prog_test *test; // the one that key stands for
	const struct prog_rule *rule;
	const struct prog_match *back; // of an earlier header, or NULL
};

enum rule_can {
	RULE_CAN,
	RULE_NEVER, // it does not hold
	RULE_SLOW,  // only the interpreter can say
};

static int outcome(const struct steps *s, const struct parts *parts, uint32_t value) {
	if (parts->test != NULL && !test_says(s, parts->test, &parts->key, value))
		return -1;
	if (parts->rule->kind == DDP_RULE_GOTO)
		return parts->rule->target;
	if (parts->rule->kind == DDP_RULE_STOP)
		return STEP_END;
	return table_lookup(&s->program->tables[parts->rule->table],
			    ref_value(s, &parts->rule->key, &parts->key, value));
}

static bool entry_is(const struct growing *rule, uint32_t entry, uint32_t bits) {
	for (unsigned int i = 0; i < rule->n; i++)
		if (((rule->entries[i] ^ entry) & bits) == 0)
			return true;
	return false;
}

// The two bytes that are loaded, of which the key's are value and the others masked out.
static uint16_t key_load(const struct key *key, const struct prog_branch *branch, uint32_t value) {
	unsigned int left = (branch->byte + 2 - key->byte - key->shift - key->size) * 8;

	return key->any ? htobe16(value << left) : 0;
}

// The offset of the two bytes that a branch loads: they end with the key if a byte is before it.
static void branch_place(struct steps *s, const struct key *key, struct prog_branch *branch) {
	struct prog_step *step = s->step;
	int end;

	if (!key->any)
		return;
	branch->byte = key->byte + key->shift;
	branch->from_end = key->from_end && (s->given == NULL || s->given->any_length);
	if (key->size == 1 && branch->byte > (branch->from_end ? -(int)step->size : 0))
		branch->byte--;
	branch->mask = key_load(key, branch, key->size == 1 ? 0xff : 0xffff);
	end = branch->byte + 2;
	if (branch->from_end && step->tail < end)
		step->tail = end;
	if (!branch->from_end && (int)step->need < end)
		step->need = end;
}

// false: too many.
static bool entries_add(const struct steps *s, const struct parts *parts, struct growing *rule) {
	uint32_t open = parts->key.any ? (1u << parts->key.size * 8) - 1 : 0, given = 0, value = 0;

	// Not all values where most cannot be: a header attaches to one port of 65536.
	if (parts->test != NULL && parts->test->kind == TEST_BITS) {
		open &= ~key_bits(&parts->key, parts->test, parts->test->mask);
		given = key_bits(&parts->key, parts->test, parts->test->value);
	}
	do {
		int target = outcome(s, parts, given | value);
		uint32_t loaded = key_load(&rule->key, &rule->place, given | value);

		if (target >= 0 && !entry_is(rule, loaded << 16, 0xffff0000)) {
			if (rule->n == ENTRIES_MAX)
				return false;
			rule->entries[rule->n++] = loaded << 16 | target;
		}
		value = (value - open) & open; // the next in the open bits
	} while (value != 0);
	return true;
}

// A test can be a key if it is true for few values.
static bool test_is_key(const struct steps *s, const struct prog_test *test, struct key *key) {
	unsigned int n = 0;

	if (!test_key(s, test, key))
		return false;
	if (test->kind == TEST_BITS)
		return 1u << (key->size * 8 - __builtin_popcountll(test->mask)) <= ENTRIES_MAX / 4;
	for (uint32_t value = 0; value < 1u << key->size * 8; value++)
		n += test_says(s, test, key, value);
	return n <= ENTRIES_MAX / 4;
}

// A test that an earlier header's two bytes, at a known offset, have one value.
static bool back_find(const struct steps *s, const struct prog_test *test, struct parts *parts) {
	const struct prog_match *match;
	const struct prog_field *field;

	if (test->kind != TEST_MATCH || parts->back != NULL)
		return false;
	match = &s->program->matches[test->index];
	field = &s->program->fields[match->ref.field];
	if (match->ref.which != DDP_WHICH_NEAREST || match->negate || match->n_patterns != 1 ||
	    field->anchor != DDP_FROM_START || field->group >= 0 || field->n_before > 0 ||
	    field->bit_off % 16 + match->ref.bits > 16 || field->bit_off > UINT8_MAX * 8 ||
	    field->bit_off / 16 * 2 + 2 > s->program->nodes[match->ref.node].start_size)
		return false;
	parts->back = match;
	return true;
}

// A later test is the key rather than an earlier one: that there is a field often is the earlier.
static enum rule_can parts_find(struct steps *s, const struct prog_rule *rule,
				struct parts *parts) {
	const struct prog_test *tests = s->program->tests;
	int first = rule->cond.first_test, n = rule->cond.n_tests;
	int says = s->given == NULL ? -1 : given_says(s, &rule->cond);

	*parts = (struct parts){.rule = rule, .key = {.group = -1}};
	if (says == 0)
		return RULE_NEVER;
	if (says > 0)
		n = 0;
	else if (n == 0 && (rule->cond.n_matches | rule->cond.n_ops) != 0)
		return RULE_SLOW;
	if (rule->kind == DDP_RULE_LOOKUP) {
		if (!ref_key(s, &rule->key, &parts->key))
			return RULE_SLOW;
		if (s->given != NULL && parts->key.group >= 0 &&
		    (s->given->seen.groups & 1u << parts->key.group) == 0)
			return RULE_NEVER;
	}
	for (int i = first + n - 1; i >= first; i--) {
		struct prog_cond one = rule->cond;
		struct key key;

		one.first_test = i;
		one.n_tests = 1;
		if (s->given != NULL && given_says(s, &one) > 0)
			continue;
		if (!parts->key.any && test_is_key(s, &tests[i], &key)) {
			parts->test = &tests[i];
			parts->key = key;
			continue;
		}
		if (back_find(s, &tests[i], parts))
			continue;
		if (!test_is_bit_test(s, &tests[i]) || !bit_test_is_none(&parts->guard))
			return RULE_SLOW;
		bit_test_fill(s, &tests[i], &parts->guard);
	}
	return RULE_CAN;
}

static bool node_is_fixed(const struct prog_node *node) {
	return node->n_groups == 0 && node->length.n_ops == 0;
}

// Leave out a bit of the values that changes no outcome, such as one beside a field of a few bits.
static void bit_drop(struct growing *rule, struct prog_branch *branch, uint32_t bit) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n; i++)
		n += (rule->entries[i] >> 16 & bit) != 0;
	if (2 * n != rule->n)
		return;
	for (unsigned int i = 0; i < rule->n; i++)
		if (!entry_is(rule, rule->entries[i] ^ bit << 16, UINT32_MAX))
			return;
	n = 0;
	for (unsigned int i = 0; i < rule->n; i++)
		if ((rule->entries[i] >> 16 & bit) == 0)
			rule->entries[n++] = rule->entries[i];
	rule->n = n;
	branch->mask &= ~bit;
}

static void branch_add(struct steps *s) {
	struct growing *rule = &s->rule;
	struct prog_branch *branch;

	if (rule->n > 0) {
		branch = &s->branches[s->step->n_branches++];
		*branch = rule->place;
		branch->guard = rule->guard;
		if (branch->from_end &&
		    node_is_fixed(s->node)) { // then its end is as good as its start
			branch->byte += s->step->size;
			branch->from_end = false;
		}
		if (rule->key.any && rule->key.group >= 0 && s->given == NULL)
			branch->groups = 1u << rule->key.group;
		if (rule->back != NULL) {
			const struct prog_ref *ref = &rule->back->ref;
			const struct ddp_pattern *pattern =
				&s->program->patterns[rule->back->first_pattern];
			unsigned int at = s->program->fields[ref->field].bit_off;
			unsigned int left = 16 - at % 16 - ref->bits;

			branch->asks_back = true;
			branch->back_node = ref->node;
			branch->back_byte = at / 16 * 2;
			branch->back_mask = htobe16((uint16_t)(pattern->mask_lo << left));
			branch->back_value = htobe16((uint16_t)(pattern->value_lo << left));
		}
		for (uint32_t bit = 1; bit <= UINT16_MAX; bit <<= 1)
			if ((branch->mask & bit) != 0)
				bit_drop(rule, branch, bit);
		slots_make(s, branch);
	}
	rule->n = 0;
}

// Whether a rule reads the same bytes, under the same conditions, as the one that grows.
static bool rule_joins(const struct growing *rule, const struct parts *parts) {
	const struct key *key = &rule->key, *other = &parts->key;
	const struct prog_bit_test *guard = &rule->guard, *wanted = &parts->guard;

	return rule->n > 0 && key->any == other->any && key->from_end == other->from_end &&
	       key->group == other->group && key->byte == other->byte &&
	       key->shift == other->shift && key->size == other->size &&
	       guard->mask == wanted->mask && guard->value == wanted->value &&
	       guard->byte == wanted->byte && guard->negate == wanted->negate &&
	       rule->back == parts->back;
}

void branches_make(struct steps *s) {
	const struct prog_node *node = s->node;
	struct prog_step *step = s->step;
	struct prog_branch *branches;

	step->otherwise = STEP_END;
	s->rule.n = 0;
	for (unsigned int i = 0; i < node->n_rules; i++) {
		enum rule_can can = RULE_SLOW;
		struct parts parts;

		if (i < RULES_MAX)
			can = parts_find(s, &s->program->rules[node->first_rule + i], &parts);
		if (can == RULE_NEVER)
			continue;
		if (can == RULE_SLOW) {
			step->otherwise = STEP_SLOW;
			step->slow_rule = i;
			break;
		}
		if (!rule_joins(&s->rule, &parts)) {
			branch_add(s);
			s->rule.key = parts.key;
			s->rule.guard = parts.guard;
			s->rule.back = parts.back;
			s->rule.place = (struct prog_branch){0};
			branch_place(s, &parts.key, &s->rule.place);
		}
		if (!entries_add(s, &parts, &s->rule)) {
			step->need = NEED_NEVER;
			step->n_branches = 0;
			return;
		}
	}
	branch_add(s);
	if (step->n_branches == 0) { // one that says nothing
		step->branch = (struct prog_branch){
			.slots = ddp_arena_alloc(s->program->arena, sizeof(*branches->slots)),
			.shift = 16,
			.guard.negate = true,
		};
		return;
	}
	step->n_branches--;
	step->branch = s->branches[0];
	branches = ddp_arena_alloc(s->program->arena, (step->n_branches + 1) * sizeof(*branches));
	memcpy(branches, s->branches + 1, step->n_branches * sizeof(*branches));
	step->branches = branches;
}

/* Headers */

static bool groups_make(struct steps *s) {
	const struct prog_node *node = s->node;
	struct prog_option *option =
		ddp_arena_alloc(s->program->arena, (node->n_groups + 1) * sizeof(*option));

	s->step->options = option;
	s->step->n_options = node->n_groups;
	for (unsigned int g = 0; g < node->n_groups; g++, option++) {
		option->size = node->group_bits[g] / 8;
		if (!cond_bit_test(s, &node->groups[g], &option->present))
			return false;
	}
	return true;
}

bool length_make(struct steps *s) {
	const struct prog_node *node = s->node;
	const struct prog_length *linear = &node->linear;
	struct prog_step *step = s->step;

	if (node->length.n_ops == 0)
		return true;
	step->base = linear->base;
	step->factor = (int64_t)(int32_t)linear->factor * (1 << (16 - linear->shift));
	step->length_bits = linear->mask << linear->shift;
	step->length_byte = linear->byte;
	if (step->need < linear->byte + 2u)
		step->need = linear->byte + 2u;
	return linear->mask != 0;
}

bool branch_is_guarded(const struct prog_branch *branch) {
	return !bit_test_is_none(&branch->guard) || branch->groups != 0 || branch->asks_back;
}

static void step_make(struct steps *s) {
	const struct prog_node *node = s->node;
	struct prog_step *step = s->step;
	bool simple;

	step->size = node->start_size + node->end_size;
	step->need = node->start_size;
	if (step->need < sizeof(uint64_t)) // a bit test of no bits loads as much
		step->need = sizeof(uint64_t);
	step->fragment.negate = true;
	simple = groups_make(s) && length_make(s) && cond_bit_test(s, &node->valid, &step->valid);
	simple = simple &&
		 (!node->can_fragment || cond_bit_test(s, &node->fragment, &step->fragment));
	branches_make(s);
	step->has = (node->length.n_ops > 0 ? STEP_LENGTH : 0) |
		    (step->n_options > 0 ? STEP_OPTIONS : 0) |
		    (!bit_test_is_none(&step->valid) ? STEP_VALID : 0) |
		    (node->can_fragment ? STEP_FRAGMENT : 0) |
		    (branch_is_guarded(&step->branch) ? STEP_GUARD : 0);
	if (node_is_fixed(node) && step->need < (uint32_t)step->size + step->tail)
		step->need = step->size + step->tail;
	if (!simple)
		step->need = NEED_NEVER;
}

// The first form of header i is form i, the others are behind all of these.
static void forms_add(struct steps *s, unsigned int node, unsigned int *n_forms) {
	struct prog_form forms[FORMS_MAX];
	const unsigned int n = forms_make(s, &s->program->steps[node], forms);
	struct ddp_program *program = s->program;
	struct prog_form *last = &program->forms[node];

	assert(n <= FORMS_MAX);
	*last = (struct prog_form){.value = 1, .need = UINT16_MAX}; // that no header has
	for (unsigned int i = 0; i < n; i++) {
		// The walk looks at once for a size that is fixed only.
		if (i > 0 || (forms[i].has & FORM_LENGTH) != 0) {
			last->other = *n_forms;
			last = &program->forms[(*n_forms)++];
		}
		*last = forms[i];
	}
}

void steps_make(struct ddp_program *program, const unsigned int *n_named,
		struct ddp_arena *scratch) {
	struct steps *s = ddp_arena_alloc(scratch, sizeof(*s));
	unsigned int n_forms = program->n_nodes;

	s->program = program;
	s->n_named = n_named;
	program->steps =
		ddp_arena_alloc(program->arena, program->n_nodes * sizeof(*program->steps));
	program->forms = ddp_arena_alloc(program->arena, (FORMS_MAX + 1) * program->n_nodes *
								 sizeof(*program->forms));
	for (unsigned int i = 0; i < program->n_nodes; i++) {
		s->node = &program->nodes[i];
		s->step = &program->steps[i];
		step_make(s);
		forms_add(s, i, &n_forms);
	}
}
