/* SPDX-License-Identifier: BSD-3-Clause */
// The full interpreter: one header, and the node that follows it.

#include "walk.h"

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

__attribute__((cold)) bool header_look(const struct ddp_program *program,
				       const struct ddp_packet *packet, struct ddp_seen *seen,
				       struct trace *trace) {
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

/* DPDK's packet type */

uint32_t fragment_set(const struct ddp_program *program, unsigned int node, unsigned int mode,
		      uint32_t word) {
	const unsigned int shift = mode == LAYERS_INSIDE ? 16 : 0;

	if (program->nodes[node].is_tunnel)
		return word;
	return (word & ~(DDP_RTE_PTYPE_L4_MASK << shift)) | DDP_RTE_PTYPE_L4_FRAG << shift;
}

/* From header to header */

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
