/* SPDX-License-Identifier: BSD-3-Clause */
// The full interpreter reads fields, evaluates conditions, notes the bits that it read, and so
// processes one header and chooses the next node. walk.c has a faster way for most headers.

#include "walk.h"

// For functions that are not called for each packet.
#define COLD __attribute__((cold))

void trace_bits(struct trace *trace, uint32_t bit, unsigned int width) {
	trace_need(trace, (bit + width + 7) / 8);
	if (bit + width > TRACE_REACH * 8) {
		trace->lost = true;
		return;
	}
	for (uint32_t i = bit; i < bit + width; i++)
		trace->mask[i / 8] |= 0x80 >> i % 8;
}

void trace_mask(struct trace *trace, uint32_t byte, uint64_t mask) {
	for (; mask != 0; mask <<= 8, byte++) {
		if (mask >> 56 == 0)
			continue;
		trace_need(trace, byte + 1);
		if (byte >= TRACE_REACH)
			trace->lost = true;
		else
			trace->mask[byte] |= mask >> 56;
	}
}

// The first bit in which they differ proves that they do.
static uint64_t first_bit(uint64_t difference) {
	return difference == 0 ? 0 : UINT64_C(1) << (63 - __builtin_clzll(difference));
}

// The word is none of these values. false: there is no room to note it.
static bool trace_list(struct trace *trace, uint32_t byte, const uint16_t *values, unsigned int n) {
	struct trace_list *list = trace->lists, all;

	if (byte + 2 > TRACE_REACH)
		return false;
	while (list < trace->lists + trace->n_lists && list->byte != byte)
		list++;
	if (list == trace->lists + TRACE_WORDS)
		return false;
	if (list == trace->lists + trace->n_lists)
		*list = (struct trace_list){.byte = byte};
	all = *list;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int at = 0;

		while (at < all.n && all.values[at] != values[i])
			at++;
		if (at == TRACE_LIST)
			return false;
		all.values[at] = values[i];
		all.n += at == all.n;
	}
	*list = all;
	if (list == trace->lists + trace->n_lists)
		trace->n_lists++;
	return true;
}

void trace_word(struct trace *trace, uint32_t byte, const struct prog_word *word, bool holds) {
	trace_need(trace, byte + 2);
	if (holds && word->n_exceptions > 0 &&
	    trace_list(trace, byte, word->exceptions, word->n_exceptions))
		return;
	for (unsigned int i = 0; i < trace->n_words; i++)
		if (trace->words[i].byte == byte && trace->words[i].word == word)
			return;
	if (trace->n_words == TRACE_WORDS || byte + 2 > TRACE_REACH) {
		trace_bits(trace, byte * 8, 16);
		return;
	}
	trace->words[trace->n_words++] = (struct trace_word){byte, holds, word};
}

/* Fields */

// The first header of a kind before the second IP header.
static const struct ddp_seen *outer_find(const struct ddp_program *program,
					 const struct ddp_class *class, uint8_t node) {
	unsigned int n_l3 = 0;

	for (unsigned int i = 0; i < class->n_matched; i++) {
		n_l3 += program->nodes[class->seen[i].node].is_l3;
		if (n_l3 > 1)
			return NULL;
		if (class->seen[i].node == node)
			return &class->seen[i];
	}
	return NULL;
}

static inline const struct ddp_seen *seen_find(const struct ddp_program *program,
					       const struct ddp_class *class,
					       const struct ddp_seen *self,
					       const struct prog_ref *ref) {
	const struct ddp_seen *seen = class->seen;

	switch (ref->which) {
	case DDP_WHICH_SELF:
		return self;
	case DDP_WHICH_NEAREST:
	case DDP_WHICH_SINCE:
		for (int i = class->n_seen - 1; i >= 0; i--)
			if (seen[i].node == ref->node)
				return &seen[i];
		return NULL;
	case DDP_WHICH_INNER:
		if (class->inner_l3 < 0)
			return NULL;
		return nth_find(seen + class->inner_l3, seen + class->n_matched, ref->node, 1);
	case DDP_WHICH_OUTER:
		return outer_find(program, class, ref->node);
	case DDP_WHICH_NTH_SEEN:
		return nth_find(seen, seen + class->n_seen, ref->node, ref->nth);
	default:
		return nth_find(seen, seen + class->n_matched, ref->node, ref->nth);
	}
}

uint32_t groups_size(const struct prog_node *node, unsigned int present, unsigned int n) {
	uint32_t size = 0;

	for (unsigned int g = 0; g < n; g++)
		if ((present & 1u << g) != 0)
			size += node->group_bits[g] / 8;
	return size;
}

const struct ddp_seen *seen_header(const struct ddp_program *program, const struct ddp_class *class,
				   const struct prog_ref *ref) {
	return seen_find(program, class, NULL, ref);
}

static bool seen_field(const struct ddp_program *program, const struct ddp_seen *seen,
		       const struct prog_field *field, uint32_t *bit) {
	const struct prog_node *node = &program->nodes[seen->node];
	uint32_t at = seen->off * 8u;

	switch (field->anchor) {
	case DDP_FROM_START:
		if (field->group >= 0 && (seen->groups & 1u << field->group) == 0)
			return false;
		at += field->bit_off;
		at += groups_size(node, seen->groups, field->n_before) * 8;
		break;
	case DDP_FROM_END:
		at += seen->len * 8u - field->bit_off;
		break;
	default: // DDP_AHEAD
		at += seen->len * 8u + field->bit_off;
		break;
	}
	*bit = at;
	return true;
}

struct number bits_gather(const struct ddp_packet *packet, uint32_t bit, unsigned int width) {
	uint32_t first = bit / 8, last = (bit + width - 1) / 8;
	unsigned int n = last - first + 1, spare = 7 - (bit + width - 1) % 8;
	unsigned __int128 value = 0;
	uint8_t buf[17];
	const uint8_t *bytes = packet_at(packet, first, n, buf);

	for (unsigned int i = 0; i < n && i < 16; i++)
		value = value << 8 | bytes[i];
	if (n == 17) // 128 bits, not at a byte's start: what falls out in front is no part of them
		value = value << (8 - spare) | bytes[16] >> spare;
	else
		value >>= spare;
	if (width < 128)
		value &= ((unsigned __int128)1 << width) - 1;
	return (struct number){.hi = value >> 64, .lo = value};
}

bool field_find(struct walk *w, const struct prog_ref *ref, uint32_t *bit) {
	const struct prog_field *field = &w->program->fields[ref->field];
	const struct ddp_seen *seen = seen_find(w->program, w->class, w->self, ref);

	if (seen == NULL || !seen_field(w->program, seen, field, bit))
		return false;
	*bit += ref->skip;
	if (*bit + ref->bits > w->packet->len * 8u) {
		beyond_set(w);
		return false;
	}
	return true;
}

// false: the packet has no such field.
static bool field_load(struct walk *w, const struct prog_ref *ref, struct number *value) {
	const struct ddp_seen *since;
	uint32_t bit;

	if (ref->which == DDP_WHICH_SINCE) { // it follows from the lengths, which were noted
		since = seen_find(w->program, w->class, w->self, ref);
		value->lo = since == NULL ? 0 : w->self->off + w->self->len - since->off;
		return since != NULL;
	}
	if (!field_find(w, ref, &bit))
		return false;
	if (w->trace != NULL)
		trace_bits(w->trace, bit, ref->bits);
	*value = bits_load(w->packet, bit, ref->bits);
	return true;
}

/* Conditions */

static uint64_t op_apply(enum ddp_op op, uint64_t a, uint64_t b) {
	switch (op) {
	case DDP_OP_ADD:
		return a + b;
	case DDP_OP_SUB:
		return a - b;
	case DDP_OP_MUL:
		return a * b;
	case DDP_OP_SHL:
		return a << b;
	case DDP_OP_SHR:
		return a >> b;
	case DDP_OP_BIT_AND:
		return a & b;
	case DDP_OP_BIT_OR:
		return a | b;
	case DDP_OP_EQ:
		return a == b;
	case DDP_OP_NE:
		return a != b;
	case DDP_OP_LT:
		return a < b;
	case DDP_OP_LE:
		return a <= b;
	case DDP_OP_GT:
		return a > b;
	case DDP_OP_GE:
		return a >= b;
	case DDP_OP_AND:
		return a != 0 && b != 0;
	default: // DDP_OP_OR
		return a != 0 || b != 0;
	}
}

// stack has room for what the checker has proved; the result is the first number.
static void ops_run(struct walk *w, const struct prog_op *op, const struct prog_op *end,
		    uint64_t *stack) {
	unsigned int n = 0;

	for (; op < end; op++) {
		if (op->op == DDP_OP_CONST) {
			stack[n++] = op->value;
		} else if (op->op == DDP_OP_FIELD) {
			struct number value = {0, 0};

			field_load(w, &op->ref, &value);
			stack[n++] = value.lo;
		} else if (op->op == DDP_OP_NOT) {
			stack[n - 1] = stack[n - 1] == 0;
		} else {
			stack[n - 2] = op_apply(op->op, stack[n - 2], stack[n - 1]);
			n--;
		}
	}
}

// Is it an equality of sums? Then the lowest bits of both sides follow from those of the fields.
static bool is_equality(const struct prog_op *op, const struct prog_op *last) {
	for (; op < last; op++)
		if (op->op != DDP_OP_CONST && op->op != DDP_OP_FIELD && op->op != DDP_OP_ADD &&
		    op->op != DDP_OP_SUB && op->op != DDP_OP_MUL)
			return false;
	return last->op == DDP_OP_EQ || last->op == DDP_OP_NE;
}

// Note why sums differ: up to the first bit in which they do, from the right. So kinds are few.
static __attribute__((noinline)) uint64_t equality_trace(struct walk *w, const struct prog_op *op,
							 const struct prog_op *last) {
	struct trace *trace = w->trace;
	uint64_t stack[DDP_EXPR_STACK + 1], differs;
	unsigned int n;
	uint32_t bit;

	w->trace = NULL;
	ops_run(w, op, last, stack);
	differs = stack[0] ^ stack[1];
	n = differs == 0 ? 64 : __builtin_ctzll(differs) + 1;
	for (; op < last; op++) {
		const struct prog_ref *ref = &op->ref;
		unsigned int bits = ref->bits < n ? ref->bits : n;

		if (op->op == DDP_OP_FIELD && ref->which != DDP_WHICH_SINCE &&
		    field_find(w, ref, &bit))
			trace_bits(trace, bit + ref->bits - bits, bits);
	}
	w->trace = trace;
	trace->lost |= w->beyond;
	return (differs == 0) == (last->op == DDP_OP_EQ);
}

static uint64_t expr_eval(struct walk *w, const struct prog_cond *cond) {
	const struct prog_op *op = &w->program->ops[cond->first_op];
	const struct prog_op *last = op + cond->n_ops - 1;
	uint64_t stack[DDP_EXPR_STACK + 1];

	if (w->trace != NULL && is_equality(op, last))
		return equality_trace(w, op, last);
	ops_run(w, op, last + 1, stack);
	return stack[0];
}

// Note why a number has the pattern, or why it has not; end is where its field ends, in bits.
static void trace_pattern(struct trace *trace, uint32_t end, const struct ddp_pattern *pattern,
			  struct number value, bool fits) {
	struct number mask = {pattern->mask_hi, pattern->mask_lo};

	if (!fits) {
		mask.hi = first_bit((value.hi & mask.hi) ^ pattern->value_hi);
		mask.lo = mask.hi != 0 ? 0 : first_bit((value.lo & mask.lo) ^ pattern->value_lo);
	}
	for (unsigned int i = 0; i < 64; i++) {
		if ((mask.lo >> i & 1) != 0)
			trace_bits(trace, end - 1 - i, 1);
		if ((mask.hi >> i & 1) != 0)
			trace_bits(trace, end - 65 - i, 1);
	}
}

static inline bool match_holds(struct walk *w, const struct prog_match *match) {
	const struct ddp_pattern *pattern = &w->program->patterns[match->first_pattern];
	struct number value;
	uint32_t bit;

	if (!field_find(w, &match->ref, &bit))
		return false;
	if (w->trace != NULL)
		trace_need(w->trace, (bit + match->ref.bits + 7) / 8);
	value = bits_load(w->packet, bit, match->ref.bits);
	for (unsigned int i = 0; i < match->n_patterns; i++, pattern++) {
		bool fits = (value.lo & pattern->mask_lo) == pattern->value_lo &&
			    (value.hi & pattern->mask_hi) == pattern->value_hi;

		if (w->trace != NULL)
			trace_pattern(w->trace, bit + match->ref.bits, pattern, value, fits);
		if (fits)
			return !match->negate;
	}
	return match->negate;
}

static bool test_other(struct walk *w, const struct prog_test *test, const struct prog_cond *cond,
		       uint32_t at) {
	bool holds;

	switch (test->kind) {
	case TEST_MATCH:
		return match_holds(w, &w->program->matches[test->index]);
	case TEST_EXPRESSION:
		return expr_eval(w, cond) != 0;
	case TEST_WORD:
		holds = word_holds(w->program->words[test->index],
				   bytes_load(w->packet, at, 2) >> 48);
		if (w->trace != NULL)
			trace_word(w->trace, at, w->program->words[test->index], holds);
		return holds;
	default:
		return false;
	}
}

static void trace_test(struct trace *trace, uint32_t at, const struct prog_test *test,
		       uint64_t differs) {
	const uint16_t value = test->value >> 48;

	trace_need(trace, at + test->size);
	if (differs != 0 && test->mask == UINT64_C(0xffff) << 48 &&
	    trace_list(trace, at, &value, 1))
		return;
	trace_mask(trace, at, differs != 0 ? first_bit(differs) : test->mask);
}

static inline bool test_holds(struct walk *w, const struct prog_test *test,
			      const struct prog_cond *cond) {
	const struct ddp_seen *self = w->self;
	uint32_t at;
	uint64_t differs;

	if (test->kind >= TEST_MATCH)
		return test_other(w, test, cond, 0);
	at = self->off + test->byte;
	if (test->from_end)
		at += self->len;
	if (test->n_before > 0)
		at += groups_size(&w->program->nodes[self->node], self->groups, test->n_before);
	if (test->group >= 0 && (self->groups & 1u << test->group) == 0)
		return false;
	if (at + test->size > w->packet->len) {
		beyond_set(w);
		return false;
	}
	if (test->kind > TEST_NOT_BITS)
		return test_other(w, test, cond, at);
	differs = (bytes_load(w->packet, at, test->size) & test->mask) ^ test->value;
	if (w->trace != NULL)
		trace_test(w->trace, at, test, differs);
	return (differs == 0) == (test->kind == TEST_BITS);
}

static bool cond_holds_slowly(struct walk *w, const struct prog_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		if (!match_holds(w, &w->program->matches[cond->first_match + i]))
			return false;
	return cond->n_ops == 0 || expr_eval(w, cond) != 0;
}

static inline bool walk_cond(struct walk *w, const struct prog_cond *cond) {
	const struct prog_test *test = &w->program->tests[cond->first_test];

	if (cond->n_tests == 0)
		return (cond->n_matches | cond->n_ops) == 0 || cond_holds_slowly(w, cond);
	for (const struct prog_test *end = test + cond->n_tests; test < end; test++)
		if (!test_holds(w, test, cond))
			return false;
	return true;
}

bool cond_holds(const struct ddp_program *program, const struct ddp_packet *packet,
		const struct ddp_class *class, const struct prog_cond *cond, struct trace *trace) {
	struct walk w = {.program = program,
			 .packet = packet,
			 .class = (struct ddp_class *)class,
			 .trace = trace};

	return walk_cond(&w, cond);
}

bool field_locate(const struct ddp_program *program, const struct ddp_class *class,
		  const struct prog_ref *ref, uint32_t *bit) {
	const struct ddp_seen *seen;

	if (ref->which == DDP_WHICH_OFFSET) {
		*bit = class->offsets[ref->nth] * 8u + program->fields[ref->field].bit_off;
		return class->offsets[ref->nth] != UINT16_MAX;
	}
	seen = seen_find(program, class, NULL, ref);
	if (seen == NULL || !seen_field(program, seen, &program->fields[ref->field], bit))
		return false;
	*bit += ref->skip;
	return true;
}

bool field_value(const struct ddp_program *program, const struct ddp_packet *packet,
		 const struct ddp_class *class, const struct prog_ref *ref, uint64_t *hi,
		 uint64_t *lo) {
	struct walk w = {.program = program, .packet = packet, .class = (struct ddp_class *)class};
	struct number value;

	if (!field_load(&w, ref, &value))
		return false;
	*hi = value.hi;
	*lo = value.lo;
	return true;
}

// Not inlined, as it is long.
__attribute__((noinline)) bool walk_holds(struct walk *w, const struct prog_cond *cond) {
	return walk_cond(w, cond);
}

COLD bool walk_match(struct walk *w, const struct prog_match *match) {
	return match_holds(w, match);
}

uint64_t walk_value(struct walk *w, const struct prog_cond *cond) {
	return expr_eval(w, cond);
}

COLD bool walk_field(struct walk *w, const struct prog_ref *ref, struct number *value) {
	*value = (struct number){0, 0};
	return field_load(w, ref, value);
}

/* One header, and the node that follows it */

static inline uint64_t header_length(struct walk *w, const struct prog_node *node) {
	const struct prog_length *linear = &node->linear;
	uint32_t at = w->self->off + linear->byte;
	uint16_t word;

	// two bytes, of which the second may be behind the packet's end, and then plays no part
	if (linear->mask == 0 || at + 2 > w->packet->first_len)
		return walk_value(w, &node->length);
	memcpy(&word, w->packet->data + at, sizeof(word));
	if (w->trace != NULL)
		trace_mask(w->trace, at, (uint64_t)(uint16_t)(linear->mask << linear->shift) << 48);
	return linear->base + linear->factor * (be16toh(word) >> linear->shift & linear->mask);
}

enum ddp_status header_measure(struct walk *w, const struct prog_node *node,
			       struct ddp_seen *seen) {
	uint32_t left = w->packet->len - seen->off;
	uint64_t size = node->start_size;

	if (size > left)
		return DDP_STATUS_TRUNCATED;
	for (unsigned int g = 0; g < node->n_groups; g++) {
		if (!walk_holds(w, &node->groups[g]))
			continue;
		seen->groups |= 1u << g;
		size += node->group_bits[g] / 8;
		if (size > left)
			return DDP_STATUS_TRUNCATED;
	}
	size += node->end_size;
	if (node->length.n_ops != 0) {
		uint64_t length = header_length(w, node);

		if (length < size)
			return DDP_STATUS_MALFORMED;
		size = length;
	}
	if (size > left)
		return DDP_STATUS_TRUNCATED;
	seen->len = size;
	if (w->trace != NULL)
		trace_need(w->trace, seen->off + size);
	return walk_holds(w, &node->valid) ? DDP_STATUS_OK : DDP_STATUS_MALFORMED;
}

COLD bool header_look(const struct ddp_program *program, const struct ddp_packet *packet,
		      struct ddp_seen *seen, struct trace *trace) {
	const struct prog_node *node = &program->nodes[seen->node];
	struct ddp_class none = {0};
	struct walk w = {program, packet, &none, seen, false, trace, 0, 0};

	if (header_measure(&w, node, seen) != DDP_STATUS_OK)
		return false;
	seen->fragment = node->can_fragment && walk_holds(&w, &node->fragment);
	return !w.beyond && !trace->lost;
}

static int lookup(struct walk *w, const struct prog_rule *rule) {
	const struct prog_table *table = &w->program->tables[rule->table];
	struct number key;
	uint32_t bit;
	int target;

	if (!field_find(w, &rule->key, &bit))
		return -1;
	key = bits_load(w->packet, bit, rule->key.bits);
	target = table_lookup(table, key.lo);
	if (w->trace != NULL) {
		if (target < 0 && rule->key.bits == 16 && bit % 8 == 0)
			trace_word(w->trace, bit / 8, table->absent, true);
		else
			trace_bits(w->trace, bit, rule->key.bits);
	}
	return target;
}

uint32_t fragment_set(const struct ddp_program *program, unsigned int node, unsigned int mode,
		      uint32_t word) {
	const unsigned int shift = mode == LAYERS_INSIDE ? 16 : 0;

	if (program->nodes[node].is_tunnel)
		return word;
	return (word & ~(DDP_RTE_PTYPE_L4_MASK << shift)) | DDP_RTE_PTYPE_L4_FRAG << shift;
}

int next_find(struct walk *w, const struct prog_node *node, unsigned int first) {
	for (unsigned int i = first; i < node->n_rules; i++) {
		const struct prog_rule *rule = &w->program->rules[node->first_rule + i];
		bool holds = walk_holds(w, &rule->cond);
		int target;

		if (w->beyond) // whether it holds lies beyond the packet's end
			return -1;
		if (!holds)
			continue;
		if (rule->kind == DDP_RULE_GOTO)
			return rule->target;
		if (rule->kind == DDP_RULE_STOP)
			return -1;
		target = lookup(w, rule);
		if (target >= 0)
			return target;
	}
	return -1;
}

enum ddp_status header_walk(struct walk *w, struct position *position) {
	const struct prog_node *node = &w->program->nodes[position->next];
	struct ddp_class *class = w->class;
	struct ddp_seen *seen = &class->seen[class->n_seen];
	unsigned int n_chain = 0;
	enum ddp_status status;

	for (unsigned int i = 0; class->n_seen >= DDP_MAX_HEADERS && i < class->n_seen; i++)
		n_chain += !w->program->nodes[class->seen[i].node].info.hidden;
	if (class->n_seen == DDP_MAX_STEPS || (n_chain == DDP_MAX_HEADERS && !node->info.hidden))
		return DDP_STATUS_TOO_DEEP;
	*seen = (struct ddp_seen){.node = position->next, .off = position->off};
	w->self = seen;
	status = header_measure(w, node, seen);
	if (status != DDP_STATUS_OK)
		return status;
	seen->fragment = node->can_fragment && walk_holds(w, &node->fragment);
	position_pass(w->program, position, seen);
	w->beyond = false;
	position->next = position->state < w->n_final ? -1 : next_find(w, node, 0);
	class->n_seen++;
	position->off += seen->len;
	return DDP_STATUS_OK;
}

enum ddp_status headers_walk(struct walk *w) {
	struct position position = {.state = w->program->automaton.start,
				    .row = w->program->layers,
				    .next = w->program->first};

	while (position.next >= 0) {
		enum ddp_status status = header_walk(w, &position);

		w->l3 = position.l3;
		if (status != DDP_STATUS_OK)
			return status;
	}
	return w->beyond ? DDP_STATUS_TRUNCATED : DDP_STATUS_OK;
}
