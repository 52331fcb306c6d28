/* SPDX-License-Identifier: BSD-3-Clause */
// Conditions and lengths -> tests: one load, a mask and a comparison, if a header's bytes suffice.
//
// The interpreter's own evaluation tabulates a condition that reads only a few bits of its own
// header over all values of these bits, so that both mean the same. If the table equals a
// comparison it becomes one, else it stays a table.

#include "build.h"
#include "classify/run/walk.h"

#define WORD_BITS_MAX 14 // bits that are tabulated: 16384 evaluations

struct compiler {
	struct ddp_program *program;
	const struct prog_node *node;
	uint8_t node_index;
	bool sized;       // the header's size is known when the condition is evaluated
	uint64_t *values; // of what is tabulated, by the bits' value, these packed to the right
};

// Bits of a header, [bit, bit + width), from its start or its end.
struct place {
	bool from_end;
	int8_t group;
	uint8_t n_before;
	int bit;
	unsigned int width;
};

static bool place_find(const struct compiler *c, const struct prog_ref *ref, struct place *place) {
	const struct prog_field *field = &c->program->fields[ref->field];

	if (ref->which != DDP_WHICH_SELF)
		return false;
	*place = (struct place){
		.from_end = field->anchor != DDP_FROM_START,
		.group = -1,
		.bit = field->anchor == DDP_FROM_END ? -field->bit_off : field->bit_off,
		.width = ref->bits,
	};
	if (place->from_end)
		return c->sized;
	place->group = field->group;
	place->n_before = field->n_before;
	return true;
}

// The smallest range of bits that holds both; false if it takes more than size bytes.
static bool place_join(struct place *a, const struct place *b, unsigned int size) {
	int first = a->bit < b->bit ? a->bit : b->bit;
	int end_a = a->bit + (int)a->width, end_b = b->bit + (int)b->width;
	int end = end_a > end_b ? end_a : end_b;

	if (a->from_end != b->from_end || a->group != b->group || a->n_before != b->n_before ||
	    floor8(end - 1) - floor8(first) + 1 > (int)size)
		return false;
	a->bit = first;
	a->width = end - first;
	return true;
}

static struct prog_test *test_add(struct compiler *c, enum test_kind kind) {
	struct prog_test *test =
		DDP_APPEND(c->program->arena, c->program->tests, c->program->n_tests);

	test->kind = kind;
	test->group = -1;
	return test;
}

// The mask of these bits in the size bytes that begin at byte, as a big-endian number.
static uint64_t place_mask(const struct place *place, int byte, unsigned int size) {
	uint64_t ones = place->width == 64 ? UINT64_MAX : (UINT64_C(1) << place->width) - 1;

	return ones << (size * 8 - (place->bit - byte * 8) - place->width);
}

/* Matches */

static bool match_simple(const struct compiler *c, const struct prog_match *match,
			 struct place *place) {
	const struct ddp_pattern *pattern = &c->program->patterns[match->first_pattern];
	uint64_t ones = (UINT64_C(1) << (match->ref.bits & 63)) - 1;

	return match->n_patterns == 1 && match->ref.bits <= 57 &&
	       (pattern->value_lo & ~(pattern->mask_lo & ones)) == 0 && pattern->value_hi == 0 &&
	       place_find(c, &match->ref, place);
}

// Compile a match, and the simple ones behind it that fit the same load. Returns how many.
static unsigned int match_compile(struct compiler *c, const struct prog_cond *cond,
				  unsigned int i) {
	const struct prog_match *match = &c->program->matches[cond->first_match + i];
	unsigned int n = 1;
	struct place all, next;
	struct prog_test *test;

	if (!match_simple(c, match, &all)) {
		test = test_add(c, TEST_MATCH);
		test->index = cond->first_match + i;
		return 1;
	}
	while (!match->negate && !all.from_end && all.group < 0 && i + n < cond->n_matches) {
		const struct prog_match *other = match + n;

		// Sharing bits, or what lies between those of all: that is on the safe side.
		if (other->negate || !match_simple(c, other, &next) ||
		    (all.bit < next.bit + (int)next.width && next.bit < all.bit + (int)all.width) ||
		    !place_join(&all, &next, sizeof(uint64_t)))
			break;
		n++;
	}
	test = test_add(c, match->negate ? TEST_NOT_BITS : TEST_BITS);
	test->from_end = all.from_end;
	test->group = all.group;
	test->n_before = all.n_before;
	test->byte = floor8(all.bit);
	test->size = floor8(all.bit + (int)all.width - 1) - test->byte + 1;
	for (unsigned int j = 0; j < n; j++, match++) {
		const struct ddp_pattern *p = &c->program->patterns[match->first_pattern];
		struct place one = {0};
		unsigned int right;

		place_find(c, &match->ref, &one);
		right = 64 - (one.bit - test->byte * 8) - one.width;
		test->mask |= p->mask_lo << right & place_mask(&one, test->byte, 8);
		test->value |= p->value_lo << right;
	}
	return n;
}

/* Expressions */

// Values of an expression over the bits that it looks at, which lie in two bytes of the header.
struct tabulated {
	struct place place;
	uint16_t bits; // of the two bytes
	int byte;      // the first of these two, both of which every such header has
	bool one;      // or the first only, and the second has no bits
	unsigned int n_bits;
};

static uint16_t bits_deposit(uint32_t packed, uint16_t bits) {
	uint16_t word = 0;

	for (unsigned int bit = 0; bit < 16; bit++)
		if ((bits >> bit & 1) != 0) {
			word |= (packed & 1) << bit;
			packed >>= 1;
		}
	return word;
}

static uint64_t expression_value(const struct compiler *c, const struct prog_cond *cond, int byte,
				 uint16_t word) {
	uint8_t header[DDP_MAX_LAYOUT_SIZE + 2] = {0};
	struct ddp_packet packet = {
		.data = header, .first_len = sizeof(header), .len = sizeof(header)};
	struct ddp_seen self = {.node = c->node_index, .len = sizeof(header)};
	struct ddp_class class = {.n_seen = 0};
	struct walk w = {.program = c->program, .packet = &packet, .class = &class, .self = &self};

	header[byte] = word >> 8;
	header[byte + 1] = word & 0xff;
	return walk_value(&w, cond);
}

// false where an expression looks at more than that.
static bool tabulate(const struct compiler *c, const struct prog_cond *cond, struct tabulated *t) {
	struct place place;
	bool any = false;
	int last;

	t->bits = 0;
	for (unsigned int i = 0; i < cond->n_ops; i++) {
		const struct prog_op *op = &c->program->ops[cond->first_op + i];

		if (op->op != DDP_OP_FIELD)
			continue;
		if (!place_find(c, &op->ref, &place) || place.from_end || place.group >= 0 ||
		    place.n_before > 0 || place.width > 16)
			return false;
		if (any && !place_join(&t->place, &place, 2))
			return false;
		if (!any)
			t->place = place;
		any = true;
	}
	if (!any)
		return false;
	// Two bytes, not beyond the fixed part of the header unless that is one byte.
	last = floor8(t->place.bit + (int)t->place.width - 1);
	t->byte = floor8(t->place.bit);
	t->one = last == 0 && c->node->start_size == 1;
	if (!t->one && last == t->byte && last + 1 == c->node->start_size)
		t->byte--;
	if (t->byte < 0 || last - t->byte > 1)
		return false;
	for (unsigned int i = 0; i < cond->n_ops; i++) {
		const struct prog_op *op = &c->program->ops[cond->first_op + i];

		if (op->op != DDP_OP_FIELD)
			continue;
		place_find(c, &op->ref, &place);
		t->bits |= place_mask(&place, t->byte, 2);
	}
	t->n_bits = __builtin_popcount(t->bits);
	if (t->n_bits > WORD_BITS_MAX)
		return false;
	for (uint32_t v = 0; v < 1u << t->n_bits; v++)
		c->values[v] = expression_value(c, cond, t->byte, bits_deposit(v, t->bits));
	return true;
}

// Are the values for which an expression is (or is not) true all those with some bits alike?
static bool is_cube(const struct compiler *c, const struct tabulated *t, bool truth, uint32_t *mask,
		    uint32_t *value) {
	uint32_t all = (1u << t->n_bits) - 1, same_1 = all, same_0 = all, n = 0;

	for (uint32_t v = 0; v <= all; v++) {
		if ((c->values[v] != 0) != truth)
			continue;
		same_1 &= v;
		same_0 &= ~v;
		n++;
	}
	*mask = same_1 | same_0;
	*value = same_1;
	return n > 0 && n == 1u << (t->n_bits - __builtin_popcount(*mask));
}

static uint32_t word_get(struct ddp_program *program, struct prog_word *word) {
	unsigned int n = 0;

	for (uint32_t v = 0; v < 65536 && n <= TRACE_LIST; v++) {
		if (word_holds(word, v))
			continue;
		if (n < TRACE_LIST)
			word->exceptions[n] = v;
		n++;
	}
	word->n_exceptions = n <= TRACE_LIST ? n : 0;
	for (unsigned int i = 0; i < program->n_words; i++)
		if (memcmp(program->words[i], word, sizeof(*word)) == 0)
			return i;
	*DDP_APPEND(program->arena, program->words, program->n_words) = word;
	return program->n_words - 1;
}

static void word_compile(struct compiler *c, const struct tabulated *t, struct prog_test *test) {
	struct prog_word *word = ddp_arena_alloc(c->program->arena, sizeof(*word));
	uint16_t bits = t->bits;

	for (uint32_t v = 0; v < 65536; v++) {
		uint32_t packed = 0;
		unsigned int n = 0;

		for (unsigned int bit = 0; bit < 16; bit++)
			if ((bits >> bit & 1) != 0)
				packed |= (v >> bit & 1) << n++;
		if (c->values[packed] != 0)
			word->holds[v / 64] |= UINT64_C(1) << v % 64;
	}
	test->kind = TEST_WORD;
	test->index = word_get(c->program, word);
}

static void expression_compile(struct compiler *c, const struct prog_cond *cond) {
	struct prog_test *test;
	struct tabulated t;
	uint32_t mask, value;

	if (!tabulate(c, cond, &t)) {
		test_add(c, TEST_EXPRESSION);
		return;
	}
	test = test_add(c, TEST_BITS);
	test->byte = t.byte;
	test->size = t.one ? 1 : 2;
	if (is_cube(c, &t, true, &mask, &value)) {
		test->kind = TEST_BITS;
	} else if (is_cube(c, &t, false, &mask, &value)) {
		test->kind = TEST_NOT_BITS;
	} else if (t.one) {
		*test = (struct prog_test){.kind = TEST_EXPRESSION, .group = -1};
		return;
	} else {
		word_compile(c, &t, test);
		return;
	}
	test->mask = (uint64_t)bits_deposit(mask, t.bits) << 48;
	test->value = (uint64_t)bits_deposit(value, t.bits) << 48;
}

static void cond_compile(struct compiler *c, struct prog_cond *cond) {
	uint32_t first = c->program->n_tests;

	for (unsigned int i = 0; i < cond->n_matches;)
		i += match_compile(c, cond, i);
	if (cond->n_ops > 0)
		expression_compile(c, cond);
	cond->first_test = first;
	cond->n_tests = c->program->n_tests - first;
}

static void length_compile(struct compiler *c, struct prog_node *node) {
	struct prog_length *linear = &node->linear;
	const uint64_t *values = c->values;
	unsigned int shift;
	struct tabulated t;

	if (node->length.n_ops == 0 || !tabulate(c, &node->length, &t))
		return;
	shift = __builtin_ctz(t.bits);
	if ((((t.bits >> shift) + 1) & (t.bits >> shift)) != 0) // not side by side
		return;
	for (uint32_t v = 0; v < 1u << t.n_bits; v++)
		if (values[v] > UINT16_MAX * UINT64_C(16) ||
		    values[v] != values[0] + v * (values[1] - values[0]))
			return;
	linear->base = values[0];
	linear->factor = values[1] - values[0];
	linear->byte = t.byte;
	linear->shift = shift;
	linear->mask = t.bits >> shift;
}

static void absent_make(struct ddp_program *program, struct prog_table *table) {
	struct prog_word *word = ddp_arena_alloc(program->arena, sizeof(*word));
	uint32_t index;

	memset(word->holds, 0xff, sizeof(word->holds));
	for (uint64_t i = 0; i < UINT64_C(1) << (64 - table->shift); i++)
		if (table->slots[i].target >= 0 && table->slots[i].value < 65536)
			word->holds[table->slots[i].value / 64] &=
				~(UINT64_C(1) << table->slots[i].value % 64);
	index = word_get(program, word); // may move the array
	table->absent = program->words[index];
}

// Has each such header the field at one offset? A flow rule may need bytes that some lack.
static bool is_placed(const struct ddp_program *program, const struct prog_ref *ref) {
	const struct prog_field *field = &program->fields[ref->field];

	return ref->which != DDP_WHICH_OFFSET && field->anchor == DDP_FROM_START &&
	       field->group < 0 && field->n_before == 0 &&
	       field->bit_off + ref->skip + ref->bits <= program->nodes[ref->node].start_size * 8;
}

static void run_begin(const struct ddp_program *program, const struct prog_input *input,
		      struct prog_run *run) {
	const unsigned int at = program->fields[input->ref.field].bit_off + input->ref.skip;

	*run = (struct prog_run){.ref = input->ref};
	if (!is_placed(program, &input->ref) || at % 8 != 0 || input->ref.bits % 8 != 0)
		return;
	run->byte = at / 8;
	run->size = input->ref.bits / 8;
}

static void value_compile(const struct ddp_program *program, struct prog_type *type) {
	const struct prog_ref *ref = &program->inputs[type->first_extract].ref;
	const unsigned int at = program->fields[ref->field].bit_off + ref->skip;

	type->value = (struct prog_run){.ref = *ref};
	if (!is_placed(program, ref))
		return;
	type->value.byte = at / 8;
	type->value.size = (at % 8 + ref->bits + 7) / 8;
	type->value_left = at % 8;
}

void set_compile(struct ddp_program *program, struct ddp_arena *arena, struct prog_set *set) {
	set->first_run = program->n_runs;
	for (unsigned int i = 0; i < set->n_inputs; i++) {
		struct prog_run *last = program->runs + program->n_runs - 1, run;

		run_begin(program, &program->inputs[set->first_input + i], &run);
		if (set->n_runs > 0 && last->size > 0 && run.size > 0 &&
		    last->ref.node == run.ref.node && last->ref.which == run.ref.which &&
		    last->ref.nth == run.ref.nth && run.byte == last->byte + last->size) {
			last->size += run.size; // it goes on
			continue;
		}
		*DDP_APPEND(arena, program->runs, program->n_runs) = run;
		set->n_runs++;
	}
}

void program_compile(struct ddp_program *program, const unsigned int *n_named,
		     struct ddp_arena *scratch) {
	struct compiler c = {
		.program = program,
		.values = ddp_arena_alloc(scratch, sizeof(*c.values) << WORD_BITS_MAX),
	};

	for (unsigned int i = 0; i < program->n_nodes; i++) {
		struct prog_node *node = &program->nodes[i];

		c.node = node;
		c.node_index = i;
		c.sized = false;
		for (unsigned int g = 0; g < node->n_groups; g++)
			cond_compile(&c, &node->groups[g]);
		length_compile(&c, node);
		c.sized = true;
		cond_compile(&c, &node->valid);
		cond_compile(&c, &node->fragment);
		for (unsigned int r = 0; r < node->n_rules; r++)
			cond_compile(&c, &program->rules[node->first_rule + r].cond);
	}
	steps_make(program, n_named, scratch);
	for (unsigned int i = 0; i < program->n_tables; i++)
		absent_make(program, &program->tables[i]);
	for (unsigned int i = 0; i < program->n_sets; i++)
		set_compile(program, program->arena, &program->sets[i]);
	for (unsigned int i = 0; i < program->n_types; i++)
		if (program->types[i].n_extract > 0)
			value_compile(program, &program->types[i]);
}
