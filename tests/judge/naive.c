/* SPDX-License-Identifier: BSD-3-Clause */
#include "naive.h"

#include "base/rte_ptype.h"
#include "unit.h"

/* Fields */

bool field_place(const struct ddp_header *header, uint32_t off, uint32_t len, uint32_t groups,
		 const struct ddp_field *field, uint32_t *bit) {
	if (field->group >= 0 && (groups >> field->group & 1) == 0)
		return false;
	*bit = 8 * off + field->bit_off;
	if (field->anchor == DDP_FROM_END)
		*bit = 8 * (off + len) - field->bit_off;
	if (field->anchor == DDP_AHEAD)
		*bit = 8 * (off + len) + field->bit_off;
	for (unsigned int g = 0; g < field->n_before; g++)
		*bit += (groups >> g & 1) != 0 ? header->groups[g].bits : 0;
	return true;
}

number naive_bits(const struct naive *n, uint32_t bit, unsigned int width) {
	number value = 0;

	for (uint32_t i = bit; i < bit + width; i++)
		value = value << 1 | (n->bytes[i / 8] >> (7 - i % 8) & 1);
	return value;
}

static bool is_l3(const struct naive *n, unsigned int index) {
	return (header_of(n, index)->rte_ptype & DDP_RTE_PTYPE_L3_MASK) != 0;
}

// The first and the last-but-one index where a reference of a packet type may find its header.
static void side_find(const struct naive *n, unsigned int which, unsigned int *first,
		      unsigned int *end) {
	unsigned int n_l3 = 0, last_l3 = n->n_matched, second_l3 = n->n_matched;

	for (unsigned int i = 0; i < n->n_matched; i++) {
		if (!is_l3(n, i))
			continue;
		last_l3 = i;
		if (++n_l3 == 2)
			second_l3 = i;
	}
	*first = which == DDP_WHICH_INNER ? last_l3 : 0;
	*end = which == DDP_WHICH_OUTER ? second_l3 : n->n_matched;
}

// The index of the header that a reference means, -1 for none.
static int header_find(const struct naive *n, const struct ddp_ref *ref) {
	unsigned int nth = ref->which == DDP_WHICH_NTH ? ref->nth : 1;
	unsigned int first, end;

	if (ref->which == DDP_WHICH_SELF)
		return n->n_headers;
	if (ref->which == DDP_WHICH_NEAREST || ref->which == DDP_WHICH_SINCE) {
		for (int i = (int)n->n_headers - 1; i >= 0; i--)
			if (n->headers[i].node == ref->node)
				return i;
		return -1;
	}
	side_find(n, ref->which, &first, &end);
	for (unsigned int i = first; i < end; i++)
		if (n->headers[i].node == ref->node && --nth == 0)
			return i;
	return -1;
}

// The leading bits of a field. false: the packet has no such field.
static bool field_read(struct naive *n, const struct ddp_ref *ref, number *value) {
	int index = header_find(n, ref);
	const struct naive_header *h = &n->headers[index < 0 ? 0 : index];
	const struct ddp_header *header;
	const struct ddp_field *field;
	uint32_t bit;

	if (index < 0)
		return false;
	if (ref->which == DDP_WHICH_SINCE) {
		*value = n->headers[n->n_headers].off + n->headers[n->n_headers].len - h->off;
		return true;
	}
	header = header_of(n, index);
	field = &header->fields[ref->field];
	if (!field_place(header, h->off, h->len, h->groups, field, &bit))
		return false;
	bit += ref->skip;
	if (bit + ref->bits > 8 * n->len) {
		assert_int_equal(field->anchor, DDP_AHEAD);
		n->beyond = true;
		return false;
	}
	*value = naive_bits(n, bit, ref->bits);
	return true;
}

/* Conditions */

static number op_of(enum ddp_op op, number a, number b) {
	switch (op) {
	case DDP_OP_ADD:
		return a + b;
	case DDP_OP_SUB:
		assert_true(a >= b);
		return a - b;
	case DDP_OP_MUL:
		return a * b;
	case DDP_OP_SHL:
		assert_true(b < 64);
		return a << b;
	case DDP_OP_SHR:
		assert_true(b < 64);
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
		return a && b;
	case DDP_OP_OR:
		return a || b;
	default:
		fail_msg("operator %d", op);
		return 0;
	}
}

static uint64_t expr_of(struct naive *n, const struct ddp_expr *expr) {
	number stack[DDP_EXPR_OPS];
	unsigned int depth = 0;

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		const struct ddp_expr_op *op = &expr->ops[i];

		if (op->op == DDP_OP_CONST) {
			stack[depth++] = op->value;
		} else if (op->op == DDP_OP_FIELD) {
			stack[depth] = 0;
			field_read(n, &op->ref, &stack[depth++]);
		} else if (op->op == DDP_OP_NOT) {
			stack[depth - 1] = !stack[depth - 1];
		} else {
			depth--;
			stack[depth - 1] = op_of(op->op, stack[depth - 1], stack[depth]);
		}
		assert_true(stack[depth - 1] <= UINT64_MAX);
	}
	assert_int_equal(depth, 1);
	return stack[0];
}

static bool match_holds(struct naive *n, const struct ddp_match *match) {
	bool any = false;
	number value;

	if (!field_read(n, &match->ref, &value))
		return false;
	for (unsigned int i = 0; i < match->n_patterns; i++) {
		const struct ddp_pattern *p = &match->patterns[i];
		number mask = (number)p->mask_hi << 64 | p->mask_lo;

		any |= (value & mask) == ((number)p->value_hi << 64 | p->value_lo);
	}
	return any != match->negate;
}

static bool cond_holds(struct naive *n, const struct ddp_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		if (!match_holds(n, &cond->matches[i]))
			return false;
	return cond->expr.n_ops == 0 || expr_of(n, &cond->expr) != 0;
}

/* Headers */

// Of headers[n_headers], whose node and offset are known.
static enum ddp_status measure(struct naive *n) {
	struct naive_header *h = &n->headers[n->n_headers];
	const struct ddp_header *header = header_of(n, n->n_headers);
	uint32_t left = n->len - h->off;
	uint64_t size = header->start_bits / 8;

	if (size > left)
		return DDP_STATUS_TRUNCATED;
	for (unsigned int g = 0; g < header->n_groups; g++) {
		if (cond_holds(n, &header->groups[g].cond)) {
			h->groups |= 1U << g;
			size += header->groups[g].bits / 8;
		}
		if (size > left)
			return DDP_STATUS_TRUNCATED;
	}
	size += header->end_bits / 8;
	if (header->length.n_ops > 0) {
		uint64_t length = expr_of(n, &header->length);

		assert_true(length <= header->max_size || header->max_size == UINT32_MAX);
		if (length < size)
			return DDP_STATUS_MALFORMED;
		size = length;
	}
	assert_true(size >= header->min_size);
	if (size > left)
		return DDP_STATUS_TRUNCATED;
	h->len = size;
	return cond_holds(n, &header->valid) ? DDP_STATUS_OK : DDP_STATUS_MALFORMED;
}

// The node that comes next, -1 for none.
static int next_of(struct naive *n) {
	const struct ddp_header *header = header_of(n, n->n_headers);

	for (unsigned int i = 0; i < header->n_rules && !n->beyond; i++) {
		const struct ddp_rule *rule = &header->rules[i];
		bool holds = cond_holds(n, &rule->cond);
		const struct ddp_table *table;
		number key;

		if (n->beyond)
			return -1;
		if (!holds)
			continue;
		if (rule->kind == DDP_RULE_STOP)
			return -1;
		if (rule->kind == DDP_RULE_GOTO)
			return rule->target;
		if (!field_read(n, &rule->key, &key))
			continue;
		table = &n->profile->tables[rule->table];
		for (unsigned int j = 0; j < table->n_entries; j++)
			if (table->entries[j].value == key)
				return table->entries[j].target;
	}
	return -1;
}

static enum ddp_status walk(struct naive *n) {
	unsigned int n_visible = 0;
	uint32_t off = 0;
	int node = n->profile->first;

	while (node >= 0) {
		struct naive_header *h = &n->headers[n->n_headers];
		const struct ddp_header *header = &n->profile->headers[node];
		enum ddp_status status;

		if (n->n_headers == DDP_MAX_STEPS ||
		    (!header->hidden && n_visible == DDP_MAX_HEADERS))
			return DDP_STATUS_TOO_DEEP;
		*h = (struct naive_header){.node = node, .off = off};
		status = measure(n);
		if (status != DDP_STATUS_OK)
			return status;
		h->fragment = header->can_fragment && cond_holds(n, &header->fragment);
		n_visible += !header->hidden;
		n->beyond = false;
		node = next_of(n);
		off += h->len;
		n->n_headers++;
	}
	return n->beyond ? DDP_STATUS_TRUNCATED : DDP_STATUS_OK;
}

/* Packet types */

// Positions between headers: bit i is set when i of them are behind.
typedef number positions;

// The positions at which path can end if it starts at any of from.
static positions path_follow(const struct ddp_path *path, const unsigned int *nodes,
			     unsigned int n_nodes, positions from) {
	positions to = 0, more;

	if (from == 0)
		return 0;
	switch (path->kind) {
	case DDP_PATH_HEADER:
		for (unsigned int i = 0; i < n_nodes; i++)
			if ((from >> i & 1) != 0 && nodes[i] == path->node)
				to |= (positions)1 << (i + 1);
		return to;
	case DDP_PATH_SEQUENCE:
		return path_follow(path->right, nodes, n_nodes,
				   path_follow(path->left, nodes, n_nodes, from));
	case DDP_PATH_EITHER:
		return path_follow(path->left, nodes, n_nodes, from) |
		       path_follow(path->right, nodes, n_nodes, from);
	case DDP_PATH_OPTIONAL:
		return from | path_follow(path->left, nodes, n_nodes, from);
	default: // any, some
		to = path->kind == DDP_PATH_ANY ? from : 0;
		for (more = from; more != 0;) {
			more = path_follow(path->left, nodes, n_nodes, more) & ~to;
			to |= more;
		}
		return to;
	}
}

static bool is_conditional(const struct ddp_packet_type *type) {
	return type->cond.n_matches > 0 || type->cond.expr.n_ops > 0;
}

// True when a is tried before b.
static bool is_before(const struct ddp_packet_type *a, const struct ddp_packet_type *b) {
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (is_conditional(a) != is_conditional(b))
		return is_conditional(a);
	return a < b;
}

// The type of exactly these nodes, conditions evaluated with n_matched headers.
static const struct ddp_packet_type *type_of(struct naive *n, const unsigned int *nodes,
					     unsigned int n_nodes) {
	const struct ddp_packet_type *best = NULL;

	for (unsigned int i = 0; i < n->profile->n_types; i++) {
		const struct ddp_packet_type *type = &n->profile->types[i];

		if ((path_follow(type->path, nodes, n_nodes, 1) >> n_nodes & 1) != 0 &&
		    (best == NULL || is_before(type, best)) && cond_holds(n, &type->cond))
			best = type;
	}
	return best;
}

static void type_find(struct naive *n) {
	unsigned int nodes[DDP_MAX_HEADERS];
	unsigned int ends[DDP_MAX_HEADERS + 1] = {0}; // headers in front of the next visible one
	unsigned int n_nodes = 0;
	bool fragment = false;

	for (unsigned int i = 0; i < n->n_headers && !fragment; i++) {
		if (!header_of(n, i)->hidden)
			nodes[n_nodes++] = n->headers[i].node;
		ends[n_nodes] = i + 1;
		fragment = n->headers[i].fragment;
	}
	for (; n_nodes > 0 && n->type == NULL; n_nodes--) {
		n->n_matched = ends[n_nodes];
		n->type = type_of(n, nodes, n_nodes);
	}
	if (n->type == NULL)
		n->n_matched = 0;
}

static uint32_t ptype_word(const char *prefix, uint32_t bits) {
	static const struct {
		const char *name;
		uint32_t bits;
	} words[] = {
#define X(name, bits) {#name, bits},
		DDP_RTE_PTYPES(X)
#undef X
	};
	char name[64] = "";

	for (unsigned int i = 0; i < COUNT(words); i++)
		if (words[i].bits == bits)
			snprintf(name, sizeof(name), "%s%s", prefix, words[i].name);
	for (unsigned int i = 0; i < COUNT(words); i++)
		if (strcmp(words[i].name, name) == 0)
			return words[i].bits;
	return 0;
}

// DPDK's packet type, one layer after the other.
static uint32_t ptype_of(const struct naive *n) {
	static const uint32_t masks[] = {DDP_RTE_PTYPE_L2_MASK, DDP_RTE_PTYPE_L3_MASK,
					 DDP_RTE_PTYPE_L4_MASK};
	static const uint32_t all[] = {0xf, 0xf0, 0xf00, 0xf000, 0xf0000, 0xf00000, 0xf000000};
	uint32_t outer[3] = {0}, inner[3] = {0}, tunnel = 0, word;
	unsigned int n_headers = n->n_matched;
	bool inside = false;

	while (n_headers > 0 && header_of(n, n_headers - 1)->hidden)
		n_headers--;
	for (unsigned int i = 0; i < n_headers; i++) {
		uint32_t bits = header_of(n, i)->rte_ptype;

		if ((bits & DDP_RTE_PTYPE_TUNNEL_MASK) != 0) {
			tunnel = tunnel == 0 ? bits & DDP_RTE_PTYPE_TUNNEL_MASK : tunnel;
			inside = true;
			memset(inner, 0, sizeof(inner));
			continue;
		}
		if (is_l3(n, i) && outer[1] != 0 && !inside) {
			tunnel = DDP_RTE_PTYPE_TUNNEL_IP;
			inside = true;
		}
		if (n->headers[i].fragment)
			bits = (bits & ~DDP_RTE_PTYPE_L4_MASK) | DDP_RTE_PTYPE_L4_FRAG;
		for (unsigned int layer = 0; layer < 3; layer++) {
			uint32_t share = bits & masks[layer];

			if (inside)
				share = share == 0 ? 0 : ptype_word("INNER_", share);
			if (share != 0)
				(inside ? inner : outer)[layer] = share;
		}
	}
	word = outer[0] | outer[1] | outer[2] | tunnel | inner[0] | inner[1] | inner[2];
	for (unsigned int i = 0; i < COUNT(all); i++)
		if ((n->type->rte_ptype & all[i]) != 0)
			word = (word & ~all[i]) | (n->type->rte_ptype & all[i]);
	return word;
}

void naive_classify(const struct ddp_profile *profile, const uint8_t *bytes, uint32_t len,
		    struct naive *n) {
	unsigned int n_l3 = 0;
	bool others = false;
	number value = 0;

	memset(n, 0, sizeof(*n));
	n->profile = profile;
	n->bytes = bytes;
	n->len = len;
	n->l3_off = UINT16_MAX;
	n->inner_l3_off = UINT16_MAX;
	n->status = walk(n);
	type_find(n);
	if (n->type == NULL)
		return;
	for (unsigned int i = 0; i < n->n_matched; i++) {
		const char *name = header_of(n, i)->name;

		if (is_l3(n, i)) {
			*(n_l3++ == 0 ? &n->l3_off : &n->inner_l3_off) = n->headers[i].off;
			n->encapsulated = others;
		}
		if (strcmp(name, "eth") != 0 && strcmp(name, "vlan") != 0)
			others = true;
	}
	n->rte_ptype = ptype_of(n);
	if (n->type->n_extract > 0)
		field_read(n, &n->type->extract[0], &value);
	n->value = value;
}

/* Hash input */

static const struct ddp_input_set *set_of(struct naive *n, uint64_t rss_hf) {
	for (unsigned int i = 0; n->type != NULL && i < n->type->n_sets; i++) {
		const struct ddp_input_set *set = &n->type->sets[i];

		if (n->profile->by_rss_hf && (set->rss_hf & rss_hf) == 0)
			continue;
		if (cond_holds(n, &set->cond))
			return set;
	}
	return NULL;
}

static bool are_pair(const struct naive *n, const struct ddp_ref *a, const struct ddp_ref *b) {
	const struct ddp_header *header = &n->profile->headers[a->node];
	bool pair = false;

	for (unsigned int i = 0; header->has_pair && i < 2; i++)
		pair |= header->pair[i] == a->field && header->pair[1 - i] == b->field;
	return pair && a->node == b->node && a->which == b->which && a->nth == b->nth &&
	       a->skip == b->skip && a->bits == b->bits;
}

number naive_paired(enum ddp_hash_function function, number value, number other, bool first) {
	switch (function) {
	case DDP_HASH_SYMMETRIC_TOEPLITZ:
		return value ^ other;
	case DDP_HASH_SYMMETRIC_TOEPLITZ_SORT:
		return (first ? value > other : value < other) ? other : value;
	default:
		return value;
	}
}

unsigned int naive_input(struct naive *n, uint64_t rss_hf, enum ddp_hash_function function,
			 uint8_t input[DDP_MAX_INPUT_SIZE]) {
	const struct ddp_input_set *set = set_of(n, rss_hf);
	unsigned int len = 0;

	memset(input, 0, DDP_MAX_INPUT_SIZE);
	for (unsigned int i = 0; set != NULL && i < set->n_inputs; i++) {
		const struct ddp_ref *ref = &set->inputs[i];
		unsigned int size = (ref->bits + 7) / 8;
		number value, other;

		if (!field_read(n, ref, &value))
			continue;
		for (unsigned int j = 0; j < set->n_inputs; j++)
			if (are_pair(n, ref, &set->inputs[j]) &&
			    field_read(n, &set->inputs[j], &other))
				value = naive_paired(function, value, other, i < j);
		for (unsigned int b = 0; b < size; b++)
			input[len + b] = value >> 8 * (size - 1 - b);
		len += size;
	}
	return len;
}

/* Hash */

uint32_t naive_hash(enum ddp_hash_function function, const uint8_t key[DDP_KEY_SIZE],
		    const uint8_t *input, unsigned int len) {
	uint32_t hash = 0;

	for (unsigned int i = 0; i < len && function == DDP_HASH_SIMPLE_XOR; i++)
		hash ^= (uint32_t)input[i] << (24 - i % 4 * 8);
	for (unsigned int bit = 0; bit < 8 * len && function != DDP_HASH_SIMPLE_XOR; bit++)
		for (unsigned int b = bit;
		     b < bit + 32 && (input[bit / 8] >> (7 - bit % 8) & 1) != 0; b++)
			hash ^= (uint32_t)(key[b / 8] >> (7 - b % 8) & 1) << (31 - (b - bit));
	return hash;
}
