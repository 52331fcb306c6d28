/* SPDX-License-Identifier: BSD-3-Clause */
// The interpreter: from header to header through the parse graph. This is the reference: whatever
// is faster must agree with it on every packet.
//
// It reads only bytes of the packet (every read is checked against its length, once per header or
// field), and it ends: at most DDP_MAX_STEPS headers are looked at.
#include <assert.h>
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "walk.h"

// Of functions that are not for packets: the compiler treats what they share with the walk as if
// they were not there.
#define COLD __attribute__((cold))

static void beyond_set(struct walk *w) {
	w->beyond = true;
	if (w->trace != NULL)
		w->trace->lost = true;
}

/* Notes */

void trace_bits(struct trace *trace, uint32_t bit, unsigned int width) {
	trace_need(trace, (bit + width + 7) / 8);
	if (bit + width > TRACE_REACH * 8) {
		trace->lost = true;
		return;
	}
	for (uint32_t i = bit; i < bit + width; i++)
		trace->mask[i / 8] |= 0x80 >> i % 8;
}

// Bits of 8 bytes, as a big-endian number.
static void trace_mask(struct trace *trace, uint32_t byte, uint64_t mask) {
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

// The first bit in which they differ: enough to tell that they do.
static uint64_t first_bit(uint64_t difference) {
	return difference == 0 ? 0 : UINT64_C(1) << (63 - __builtin_clzll(difference));
}

static bool is_listed(const struct trace_list *list, uint16_t value) {
	for (unsigned int i = 0; i < list->n; i++)
		if (list->values[i] == value)
			return true;
	return false;
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
		if (is_listed(&all, values[i]))
			continue;
		if (all.n == TRACE_LIST)
			return false;
		all.values[all.n++] = values[i];
	}
	*list = all;
	if (list == trace->lists + trace->n_lists)
		trace->n_lists++;
	return true;
}

static void trace_word(struct trace *trace, uint32_t byte, const struct prog_word *word,
		       bool holds) {
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

struct number {
	uint64_t hi, lo;
};

// Bits [bit, bit + width) of the packet, right-aligned: any width, any segments.
static struct number bits_gather(const struct ddp_packet *packet, uint32_t bit,
				 unsigned int width) {
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

// Like bits_gather(). Most fields are narrow and not the packet's last bytes: one load does.
static inline struct number bits_load(const struct ddp_packet *packet, uint32_t bit,
				      unsigned int width) {
	uint64_t word;

	if (width > 57 || bit / 8 + 8 > packet->first_len)
		return bits_gather(packet, bit, width);
	memcpy(&word, packet->data + bit / 8, sizeof(word));
	return (struct number){.lo = be64toh(word) << bit % 8 >> (64 - width)};
}

// The first bit of a field. false: the packet has no such field.
static bool field_find(struct walk *w, const struct prog_ref *ref, uint32_t *bit) {
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

// Note why sums differ: up to the first bit in which they do, from the right. A length that does
// not fit is one of few kinds so, whatever it is.
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

// Note bits of a field's number; end is where the field ends, in bits.
static void trace_number(struct trace *trace, uint32_t end, struct number mask) {
	for (unsigned int i = 0; i < 64; i++) {
		if ((mask.lo >> i & 1) != 0)
			trace_bits(trace, end - 1 - i, 1);
		if ((mask.hi >> i & 1) != 0)
			trace_bits(trace, end - 65 - i, 1);
	}
}

// Note why a number has the pattern, or why it has not.
static void trace_pattern(struct trace *trace, uint32_t end, const struct ddp_pattern *pattern,
			  struct number value, bool fits) {
	struct number mask = {pattern->mask_hi, pattern->mask_lo};

	if (!fits) {
		mask.hi = first_bit((value.hi & mask.hi) ^ pattern->value_hi);
		mask.lo = mask.hi != 0 ? 0 : first_bit((value.lo & mask.lo) ^ pattern->value_lo);
	}
	trace_number(trace, end, mask);
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

// Up to 8 bytes of the packet, which has size of them, as a big-endian number; what is missing is
// 0.
static inline uint64_t bytes_load(const struct ddp_packet *packet, uint32_t at, unsigned int size) {
	uint64_t word = 0;
	uint8_t buf[8];

	if (__builtin_expect(at + 8 <= packet->first_len, 1))
		memcpy(&word, packet->data + at, sizeof(word));
	else
		memcpy(&word, packet_at(packet, at, size, buf), size);
	return be64toh(word);
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

	if (ref->which == DDP_WHICH_PLACE) {
		*bit = class->places[ref->nth] * 8u + program->fields[ref->field].bit_off;
		return class->places[ref->nth] != UINT16_MAX;
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

void number_load(const struct ddp_packet *packet, uint32_t bit, unsigned int width, uint64_t *hi,
		 uint64_t *lo) {
	struct number value = bits_load(packet, bit, width);

	*hi = value.hi;
	*lo = value.lo;
}

COLD bool walk_holds(struct walk *w, const struct prog_cond *cond) {
	return walk_cond(w, cond);
}

COLD bool walk_match(struct walk *w, const struct prog_match *match) {
	return match_holds(w, match);
}

COLD uint64_t walk_value(struct walk *w, const struct prog_cond *cond) {
	return expr_eval(w, cond);
}

COLD bool walk_field(struct walk *w, const struct prog_ref *ref, uint64_t *hi, uint64_t *lo) {
	struct number value = {0, 0};
	bool found = field_load(w, ref, &value);

	*hi = value.hi;
	*lo = value.lo;
	return found;
}

/* Headers */

static inline uint64_t header_length(struct walk *w, const struct prog_node *node) {
	const struct prog_length *linear = &node->linear;
	uint32_t at = w->self->off + linear->byte;
	uint16_t word;

	// two bytes, of which the second may be behind the packet's end, and then plays no part
	if (linear->mask == 0 || at + 2 > w->packet->first_len)
		return expr_eval(w, &node->length);
	memcpy(&word, w->packet->data + at, sizeof(word));
	if (w->trace != NULL)
		trace_mask(w->trace, at, (uint64_t)(uint16_t)(linear->mask << linear->shift) << 48);
	return linear->base + linear->factor * (be16toh(word) >> linear->shift & linear->mask);
}

// Find out the header's size. Its length field may lie: nothing is read before it is known to be
// there.
static enum ddp_status header_measure(struct walk *w, const struct prog_node *node,
				      struct ddp_seen *seen) {
	uint32_t left = w->packet->len - seen->off;
	uint64_t size = node->start_size;

	if (size > left)
		return DDP_STATUS_TRUNCATED;
	for (unsigned int g = 0; g < node->n_groups; g++) {
		if (!walk_cond(w, &node->groups[g]))
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
	return walk_cond(w, &node->valid) ? DDP_STATUS_OK : DDP_STATUS_MALFORMED;
}

COLD bool header_look(const struct ddp_program *program, const struct ddp_packet *packet,
		      struct ddp_seen *seen, struct trace *trace) {
	const struct prog_node *node = &program->nodes[seen->node];
	struct ddp_class none = {0};
	struct walk w = {program, packet, &none, seen, false, trace, 0, 0};

	if (header_measure(&w, node, seen) != DDP_STATUS_OK)
		return false;
	seen->fragment = node->can_fragment && walk_cond(&w, &node->fragment);
	return !w.beyond && !trace->lost;
}

// The target of a rule that looks its key up, or -1.
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

/* DPDK's packet type */

static uint32_t layer_set(uint32_t word, uint32_t bits, uint32_t mask) {
	return (bits & mask) != 0 ? (word & ~mask) | (bits & mask) : word;
}

uint32_t outer_set(uint32_t word, uint32_t bits) {
	word = layer_set(word, bits, DDP_RTE_PTYPE_L2_MASK);
	word = layer_set(word, bits, DDP_RTE_PTYPE_L3_MASK);
	return layer_set(word, bits, DDP_RTE_PTYPE_L4_MASK);
}

uint32_t inner_set(uint32_t word, uint32_t bits) {
	word = layer_set(word, bits, DDP_RTE_PTYPE_INNER_L2_MASK);
	word = layer_set(word, bits, DDP_RTE_PTYPE_INNER_L3_MASK);
	return layer_set(word, bits, DDP_RTE_PTYPE_INNER_L4_MASK);
}

// The layers after a fragment's header, whose own layers are in word.
static uint32_t fragment_set(const struct ddp_program *program, unsigned int node,
			     unsigned int mode, uint32_t word) {
	if (program->nodes[node].is_tunnel)
		return word;
	return mode == LAYERS_INSIDE ? inner_set(word, DDP_RTE_PTYPE_L4_FRAG << 16) :
				       outer_set(word, DDP_RTE_PTYPE_L4_FRAG);
}

/* From header to header */

// The node that follows, by the rules from first on, or -1 for the end of the path.
static int next_find(struct walk *w, const struct prog_node *node, unsigned int first) {
	for (unsigned int i = first; i < node->n_rules; i++) {
		const struct prog_rule *rule = &w->program->rules[node->first_rule + i];
		bool holds = walk_cond(w, &rule->cond);
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

// The position of a walk: the header of kind next begins at off.
struct place {
	uint32_t off;
	uint16_t state;                // of the path automaton
	const struct prog_layers *row; // of the program's
	int next;                      // -1: none
	uint32_t layers;
	uint64_t l3; // as the walk's
};

// The header of kind place->next is there: what it is on the path, into seen.
static inline void place_pass(const struct ddp_program *program, struct place *place,
			      struct ddp_seen *seen) {
	const struct automaton *a = &program->automaton;
	const struct prog_layers *layers = place->row + place->next;

	place->state = a->next[place->state * a->n_tokens + place->next];
	place->layers = (place->layers & layers->keep) | layers->set;
	place->row = layers->row;
	place->l3 = place->l3 << 1 | layers->is_l3;
	seen->state = place->state;
	// Headers behind a fragmented IP header are no part of the packet type: only its first
	// fragment has them, and all fragments must go one way.
	if (seen->fragment) {
		place->layers = fragment_set(program, place->next, layers->mode, place->layers);
		place->state = 0;
	}
	seen->layers = place->layers;
}

static bool is_too_deep(const struct walk *w, bool hidden) {
	unsigned int n_chain = 0;

	if (w->class->n_seen < DDP_MAX_HEADERS)
		return false;
	for (unsigned int i = 0; i < w->class->n_seen; i++)
		n_chain += !w->program->nodes[w->class->seen[i].node].info.hidden;
	return w->class->n_seen == DDP_MAX_STEPS || (n_chain == DDP_MAX_HEADERS && !hidden);
}

// Collect one header of any kind into class->seen. Other than OK: the walk ends with it.
static __attribute__((noinline)) enum ddp_status header_walk(struct walk *w, struct place *place) {
	const struct prog_node *node = &w->program->nodes[place->next];
	struct ddp_class *class = w->class;
	struct ddp_seen *seen = &class->seen[class->n_seen];
	enum ddp_status status;

	if (is_too_deep(w, node->info.hidden))
		return DDP_STATUS_TOO_DEEP;
	*seen = (struct ddp_seen){.node = place->next, .off = place->off};
	w->self = seen;
	status = header_measure(w, node, seen);
	if (status != DDP_STATUS_OK)
		return status;
	seen->fragment = node->can_fragment && walk_cond(w, &node->fragment);
	place_pass(w->program, place, seen);
	w->beyond = false;
	place->next = place->state < w->n_final ? -1 : next_find(w, node, 0);
	class->n_seen++;
	place->off += seen->len;
	return DDP_STATUS_OK;
}

// The node behind the last header collected, if its branches do not decide.
static __attribute__((noinline)) unsigned int next_slow(struct walk *w,
							const struct prog_step *step) {
	const struct ddp_seen *seen = &w->class->seen[w->class->n_seen - 1];
	int next;

	w->self = seen;
	w->class->n_seen--; // it is not counted yet where rules look back
	next = next_find(w, &w->program->nodes[seen->node], step->slow_rule);
	w->class->n_seen++;
	return next < 0 ? STEP_END : next;
}

static inline bool bit_test_holds(const struct prog_bit_test *bit_test, const uint8_t *header) {
	uint64_t word;

	memcpy(&word, header + bit_test->byte, sizeof(word));
	return ((word & bit_test->mask) == bit_test->value) != bit_test->negate;
}

// Whether a branch has the value; then *next is what follows.
static inline bool branch_has(const struct prog_branch *branch, const uint8_t *header, uint32_t len,
			      uint16_t *next) {
	const uint8_t *from = header + (branch->from_end ? len : 0);
	uint16_t value;
	uint32_t slot;

	memcpy(&value, from + branch->byte, sizeof(value));
	value &= branch->mask;
	slot = branch->slots[(uint16_t)((uint32_t)value * branch->factor) >> branch->shift];
	*next = slot;
	return slot >> 16 == value;
}

// The nearest header of a kind before this one says what the branch asks.
static bool back_says(const struct prog_branch *branch, const uint8_t *header,
		      const struct ddp_seen *seen, const struct ddp_seen *first) {
	const uint8_t *packet = header - seen->off;
	uint16_t value;

	while (seen-- > first) {
		if (seen->node != branch->back_node)
			continue;
		memcpy(&value, packet + seen->off + branch->back_byte, sizeof(value));
		return (value & branch->back_mask) == branch->back_value;
	}
	return false;
}

static inline bool branch_asks(const struct prog_branch *branch, const uint8_t *header,
			       const struct ddp_seen *seen, const struct ddp_seen *first) {
	return bit_test_holds(&branch->guard, header) &&
	       (seen->groups & branch->groups) == branch->groups &&
	       (!branch->asks_back || back_says(branch, header, seen, first));
}

// The result of the branches behind a step's first one.
static inline uint16_t branches_find(const struct prog_step *step, const uint8_t *header,
				     const struct ddp_seen *seen, const struct ddp_seen *first) {
	const struct prog_branch *branch = step->branches;
	uint16_t next;

	for (unsigned int n = step->n_branches; n > 0; n--, branch++)
		if (branch_has(branch, header, seen->len, &next) &&
		    branch_asks(branch, header, seen, first))
			return next;
	return step->otherwise;
}

// The next node behind a header, or STEP_END or STEP_SLOW. first: of the packet.
static inline uint16_t branch_find(const struct prog_step *step, const uint8_t *header,
				   const struct ddp_seen *seen, const struct ddp_seen *first) {
	uint16_t next;

	if (branch_has(&step->branch, header, seen->len, &next) &&
	    ((step->has & STEP_GUARD) == 0 || branch_asks(&step->branch, header, seen, first)))
		return next;
	return branches_find(step, header, seen, first);
}

static inline bool form_fits(const struct prog_form *form, const uint8_t *header, uint32_t off,
			     uint32_t limit) {
	uint64_t word;

	if (off + form->need > limit)
		return false;
	memcpy(&word, header + form->at, sizeof(word));
	return (word & form->mask) == form->value;
}

// Whether a member of a form is as far from its first as in what is seen.
#define FORM_SEEN(member)                                                         \
	(offsetof(struct prog_form, member) - offsetof(struct prog_form, node) == \
	 offsetof(struct ddp_seen, member))

// Copy the first 8 bytes of a form, which equal those of struct ddp_seen up to seen->off.
static inline void form_copy(const struct prog_form *form, struct ddp_seen *seen) {
	const uint8_t *from = (const uint8_t *)form + offsetof(struct prog_form, node);

	static_assert(FORM_SEEN(groups) && FORM_SEEN(fragment) && FORM_SEEN(len),
		      "one load and one store copy them");
	memcpy(seen, from, sizeof(uint64_t));
}

// As branch_find(), of a form whose first branch asks for a value only.
static inline unsigned int form_follow(const struct prog_form *form, const uint8_t *header,
				       const struct ddp_seen *seen, const struct ddp_seen *first) {
	uint16_t value;
	uint32_t slot;

	memcpy(&value, header + form->byte, sizeof(value));
	value &= form->bits;
	if (__builtin_expect(value == form->usual[0].value, 1))
		return form->usual[0].next;
	if (value == form->usual[1].value)
		return form->usual[1].next;
	if (value == form->usual[2].value)
		return form->usual[2].next;
	slot = form->slots[(uint16_t)((uint32_t)value * form->factor) >> form->shift];
	return slot >> 16 == value ? slot & UINT16_MAX :
				     branches_find(form->step, header, seen, first);
}

static inline uint32_t step_length(const struct prog_step *step, const uint8_t *header) {
	uint16_t word;

	memcpy(&word, header + step->length_byte, sizeof(word));
	return step->base + (uint32_t)((be16toh(word) & step->length_bits) * step->factor >> 16);
}

// The size of the header that begins left bytes before the end of what can be loaded. false: the
// step cannot say, or it is no header as it should be.
static inline bool step_measure(const struct prog_step *step, const uint8_t *header, uint32_t left,
				uint32_t *len, unsigned int *groups) {
	uint32_t size = step->size;

	*len = size;
	*groups = 0;
	if (step->need > left)
		return false;
	if ((step->has & (STEP_LENGTH | STEP_OPTIONS | STEP_VALID)) == 0)
		return true;
	for (unsigned int g = 0; g < step->n_options; g++) {
		if (!bit_test_holds(&step->options[g].present, header))
			continue;
		size += step->options[g].size;
		*groups |= 1u << g;
	}
	*len = size;
	if ((step->has & STEP_LENGTH) != 0) {
		*len = step_length(step, header);
		if (*len < size)
			return false;
	}
	return (uint64_t)*len + step->tail <= left &&
	       ((step->has & STEP_VALID) == 0 || bit_test_holds(&step->valid, header));
}

// One header that no form fits. Returns what follows: a node, or STEP_END, and then *status says
// why.
static __attribute__((noinline)) unsigned int
header_other(struct walk *w, struct place *place, uint32_t limit, enum ddp_status *status) {
	const struct ddp_program *program = w->program;
	const struct prog_step *step = &program->steps[place->next];
	const uint8_t *header = w->packet->data + place->off;
	struct ddp_class *class = w->class;
	struct ddp_seen *seen = &class->seen[class->n_seen];
	unsigned int groups, follows;
	uint32_t len;

	// So few headers can never be too many.
	if (class->n_seen >= DDP_MAX_HEADERS || place->off > limit ||
	    !step_measure(step, header, limit - place->off, &len, &groups)) {
		*status = header_walk(w, place);
		return *status == DDP_STATUS_OK && place->next >= 0 ? (unsigned int)place->next :
								      STEP_END;
	}
	*seen = (struct ddp_seen){
		.node = place->next,
		.groups = groups,
		.fragment =
			(step->has & STEP_FRAGMENT) != 0 && bit_test_holds(&step->fragment, header),
		.len = len,
		.off = place->off,
	};
	place_pass(program, place, seen);
	class->n_seen++;
	if (place->state < w->n_final)
		return STEP_END;
	follows = branch_find(step, header, seen, class->seen);
	place->off += len;
	return follows == STEP_SLOW ? next_slow(w, step) : follows;
}

// The form of a header, of which the first of its kind is not, and the header's size. NULL: none
// fits, or its size is not what it should be.
static inline const struct prog_form *form_other(const struct prog_form *forms,
						 const struct prog_form *form,
						 const uint8_t *header, uint32_t off,
						 uint32_t limit, uint32_t *len) {
	while (form->other != 0) {
		form = &forms[form->other];
		if (!form_fits(form, header, off, limit))
			continue;
		*len = form->len;
		if ((form->has & FORM_LENGTH) == 0)
			return form;
		*len = step_length(form->step, header);
		if (*len >= form->len && (uint64_t)off + *len + form->step->tail <= limit)
			return form;
	}
	return NULL;
}

// Collect headers into class->seen. Returns how the walk ended. What forms and steps can say they
// do. What is known so far stays in registers: the next header waits for each load and store on the
// way to it.
static __attribute__((noinline)) enum ddp_status steps_walk(struct walk *w) {
	const struct ddp_program *program = w->program;
	const struct prog_form *forms = program->forms;
	const uint16_t *states = program->automaton.next;
	const struct prog_layers *row = program->layers;
	const size_t n_tokens = program->automaton.n_tokens;
	const unsigned int n_final = w->n_final;
	const struct ddp_packet *packet = w->packet;
	const uint32_t limit = packet->first_len < packet->len ? packet->first_len : packet->len;
	struct ddp_class *class = w->class;
	const struct ddp_seen *end = class->seen + DDP_MAX_HEADERS;
	struct ddp_seen *seen = class->seen;
	size_t state = program->automaton.start, next = program->first;
	uint32_t layers = 0, off = 0;
	uint64_t l3 = 0;
	enum ddp_status status = DDP_STATUS_OK;
	const uint8_t *header = packet->data;

	for (;;) {
		const struct prog_form *form = &forms[next];
		const struct prog_layers *l = row + next;
		uint32_t len = form->len;

		if (__builtin_expect(seen >= end, 0))
			form = NULL;
		else if (__builtin_expect(!form_fits(form, header, off, limit), 0))
			form = form_other(forms, form, header, off, limit, &len);
		if (__builtin_expect(form == NULL, 0)) {
			struct place place = {off, state, row, next, layers, l3};

			class->n_seen = seen - class->seen;
			next = header_other(w, &place, limit, &status);
			seen = class->seen + class->n_seen;
			state = place.state;
			row = place.row;
			layers = place.layers;
			l3 = place.l3;
			off = place.off;
			header = packet->data + off;
			if (next == STEP_END)
				break;
			continue;
		}
		state = states[state * n_tokens + next];
		layers = (layers & l->keep) | l->set;
		l3 = l3 << 1 | l->is_l3;
		row = l->row;
		form_copy(form, seen);
		seen->off = off;
		seen->state = state;
		seen->layers = layers;
		if (__builtin_expect(form->has == 0, 1)) {
			next = state < n_final ? STEP_END :
						 form_follow(form, header, seen, class->seen);
		} else {
			seen->len = len;
			if (form->has & FORM_FRAGMENT) {
				state = 0;
				seen->layers = layers =
					fragment_set(program, next, l->mode, layers);
			}
			if (state < n_final)
				next = STEP_END;
			else if (form->has & FORM_BRANCH)
				next = branch_find(form->step, header, seen, class->seen);
			else
				next = form_follow(form, header, seen, class->seen);
		}
		header += len;
		off += len;
		seen++;
		if (next >= STEP_SLOW) {
			class->n_seen = seen - class->seen;
			if (next == STEP_SLOW)
				next = next_slow(w, form->step);
			if (next == STEP_END)
				break;
		}
	}
	w->l3 = l3;
	if (status != DDP_STATUS_OK)
		return status;
	return w->beyond ? DDP_STATUS_TRUNCATED : DDP_STATUS_OK;
}

// Like steps_walk(), with header_walk() alone, which notes each bit that it reads.
static __attribute__((noinline)) enum ddp_status headers_walk(struct walk *w) {
	struct place place = {.state = w->program->automaton.start,
			      .row = w->program->layers,
			      .next = w->program->first};

	while (place.next >= 0) {
		enum ddp_status status = header_walk(w, &place);

		w->l3 = place.l3;
		if (status != DDP_STATUS_OK)
			return status;
	}
	return w->beyond ? DDP_STATUS_TRUNCATED : DDP_STATUS_OK;
}

/* The packet type */

static int16_t inner_l3_find(const struct ddp_program *program, const struct ddp_class *class) {
	int16_t i = class->n_matched - 1;

	while (i >= 0 && !program->nodes[class->seen[i].node].is_l3)
		i--;
	return i;
}

// Of the types that end in a state, the best whose condition holds.
static __attribute__((noinline)) bool type_ask(struct walk *w, uint16_t state) {
	const struct automaton *a = &w->program->automaton;
	struct ddp_class *class = w->class;

	class->inner_l3 = inner_l3_find(w->program, class);
	for (unsigned int i = 0; i < a->n_accepts[state]; i++) {
		uint16_t type = a->accepts[a->first_accept[state] + i];

		if (walk_cond(w, &w->program->types[type].cond)) {
			class->type = type;
			return true;
		}
	}
	return false;
}

// The longest part of the path, from its start, that makes up a packet type.
static inline void type_find(struct walk *w) {
	const uint16_t *types = w->program->automaton.type;
	struct ddp_class *class = w->class;

	w->self = NULL;
	for (unsigned int n = class->n_seen; n > 0; n--) {
		uint16_t state = class->seen[n - 1].state;

		class->n_matched = n;
		class->type = types[state];
		if (class->type < TYPE_ASK || (class->type == TYPE_ASK && type_ask(w, state)))
			return;
	}
	class->type = DDP_TYPE_NONE;
	class->n_matched = 0;
	class->inner_l3 = -1;
}

// The IP headers of those that are matched, bit 0 is the last one. false: there may be more headers
// than bits.
static inline bool l3_bits(const struct walk *w, uint64_t *bits) {
	const struct ddp_class *class = w->class;

	if (class->n_seen > 64 || w->program->model != NULL)
		return false;
	*bits = w->l3 >> (class->n_seen - class->n_matched);
	return true;
}

// The first and the last IP header of those that are matched.
static inline void l3_find(const struct walk *w) {
	struct ddp_class *class = w->class;
	int16_t first = 0, last;
	uint64_t bits;

	if (l3_bits(w, &bits)) {
		first = bits == 0 ? -1 : class->n_matched - 64 + __builtin_clzll(bits);
		last = bits == 0 ? -1 : class->n_matched - 1 - __builtin_ctzll(bits);
	} else {
		last = inner_l3_find(w->program, class);
		while (first < last && !w->program->nodes[class->seen[first].node].is_l3)
			first++;
	}
	class->inner_l3 = last;
	if (last < 0)
		return;
	class->l3_off = class->seen[first].off;
	class->encapsulated = first < last;
	if (first < last)
		class->inner_l3_off = class->seen[last].off;
	for (int16_t i = 0; i < last && !class->encapsulated; i++)
		class->encapsulated = !w->program->nodes[class->seen[i].node].is_link;
}

// DPDK's packet type. What followed a hidden header at the end of those that are matched, if
// anything, is no part of it.
static inline uint32_t rte_ptype_find(const struct ddp_program *program,
				      const struct ddp_class *class, const struct prog_type *type) {
	const unsigned int n = seen_shown(program, class, class->n_matched);

	return ((n > 0 ? class->seen[n - 1].layers : 0) & type->rte_keep) | type->rte_set;
}

// The first field that the type extracts, 0 where the packet has none.
static inline uint32_t value_find(struct walk *w, const struct prog_type *type) {
	const struct prog_run *run = &type->value;
	const struct ddp_seen *seen;
	uint32_t bit;

	if (run->size > 0) {
		seen = seen_find(w->program, w->class, NULL, &run->ref);
		if (seen == NULL)
			return 0;
		return bytes_load(w->packet, seen->off + run->byte, run->size)
			       << type->value_left >>
		       (64 - run->ref.bits);
	}
	return field_locate(w->program, w->class, &run->ref, &bit) ?
		       bits_load(w->packet, bit, run->ref.bits).lo :
		       0;
}

static inline void type_fill(struct walk *w) {
	const struct prog_type *type = &w->program->types[w->class->type];
	struct ddp_class *class = w->class;

	l3_find(w);
	class->type_id = type->info.id;
	class->rte_ptype = rte_ptype_find(w->program, class, type);
	if (type->n_extract > 0)
		class->value = value_find(w, type);
}

/* Packages */

// The headers that the NIC's parser found, with the library's layouts for their fields. A header
// that is cut or malformed has only the fields that are there.
static enum ddp_status model_headers(struct walk *w) {
	struct ddp_class *class = w->class;
	const struct model *model = w->program->model;
	enum ddp_status status = model->walk(model, w->packet, class, w->trace);
	unsigned int n = class->n_seen;

	class->n_seen = 0; // those before the one that is looked at
	for (; class->n_seen < n; class->n_seen++) {
		struct ddp_seen *seen = &class->seen[class->n_seen];
		const struct prog_node *node = &w->program->nodes[seen->node];

		w->self = seen;
		if (seen->off > w->packet->len || header_measure(w, node, seen) != DDP_STATUS_OK)
			beyond_set(w);
		else
			seen->fragment = node->can_fragment && walk_cond(w, &node->fragment);
	}
	w->self = NULL;
	class->n_matched = class->type == DDP_TYPE_NONE ? 0 : n;
	return status;
}

static __attribute__((noinline)) void packet_walk(const struct ddp_program *program,
						  const struct ddp_packet *packet,
						  struct ddp_class *class, struct trace *trace,
						  unsigned int n_final) {
	struct ddp_packet clipped = *packet; // offsets have 16 bits
	struct walk w = {.program = program,
			 .packet = &clipped,
			 .class = class,
			 .trace = trace,
			 .n_final = n_final};

	if (clipped.len > UINT16_MAX)
		clipped.len = UINT16_MAX;
	class->type = DDP_TYPE_NONE;
	class->type_id = 0;
	class->n_seen = 0;
	class->n_matched = 0;
	class->l3_off = UINT16_MAX;
	class->inner_l3_off = UINT16_MAX;
	class->rte_ptype = 0;
	class->value = 0;
	class->inner_l3 = -1;
	class->encapsulated = false;
	class->unhashed = false;
	if (program->model != NULL) {
		class->status = model_headers(&w);
	} else {
		class->status = trace != NULL ? headers_walk(&w) : steps_walk(&w);
		type_find(&w);
	}
	if (class->type != DDP_TYPE_NONE)
		type_fill(&w);
	if (trace != NULL && class->status != DDP_STATUS_OK)
		trace->lost = true;
}

void classify_traced(const struct ddp_program *program, const struct ddp_packet *packet,
		     struct ddp_class *class, struct trace *trace) {
	packet_walk(program, packet, class, trace, 0);
}

void classify_type_traced(const struct ddp_program *program, const struct ddp_packet *packet,
			  struct ddp_class *class, struct trace *trace) {
	packet_walk(program, packet, class, trace, program->automaton.n_final);
}

void ddp_classify(const struct ddp_program *program, const struct ddp_packet *packet,
		  struct ddp_class *class) {
	packet_walk(program, packet, class, NULL, 0);
}

void ddp_classify_type(const struct ddp_program *program, const struct ddp_packet *packet,
		       struct ddp_class *class) {
	packet_walk(program, packet, class, NULL, program->automaton.n_final);
}
