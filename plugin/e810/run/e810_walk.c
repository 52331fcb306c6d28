/* SPDX-License-Identifier: BSD-3-Clause */
// The walk of a packet through the parser's tables. Data path: never allocates, logs or waits.
//
// The walk ends. A step is stalled if it does not move the header offset beyond the greatest one so
// far, and the walk stops after MAX_STALLED stalled steps in a row. It also stops when the offset,
// of 16 bits, reaches the end of the packet, so a packet of n bytes takes at most MAX_STALLED * n
// steps with any tables. (With Intel's packages usual packets take 1 to 8 steps.)
#include "e810_walk.h"

// Load the registers that hold the packet after a change of the header offset.
static inline void head_load(struct e810_walk *w) {
	uint32_t offset = reg_get(w, REG_OFFSET);

	if (offset + E810_HEAD <= w->window) {
		memcpy(w->head, w->data + offset, E810_HEAD);
	} else {
		memset(w->head, 0, E810_HEAD);
		if (offset < w->window)
			memcpy(w->head, w->data + offset, w->window - offset);
	}
	memcpy(&w->regs[2 * REG_HEAD], w->head, E810_HEAD);
}

static inline void walk_init(struct e810_walk *w, const struct e810_parser *parser,
			     const uint8_t *data, uint32_t len) {
	w->parser = parser;
	w->data = data;
	w->len = len;
	w->window = len < E810_WINDOW ? len : E810_WINDOW;
	// In pieces that the compiler turns into stores: a string instruction is slow to start.
	_Static_assert(sizeof(w->regs) % 64 == 0, "in pieces of 64");
	for (unsigned int i = 0; i < sizeof(w->regs); i += 64)
		memset(w->regs + i, 0, 64);
	reg_set(w, REG_TSR, parser->first_tsr);
	reg_set(w, REG_NODE, parser->first_node);
	reg_set(w, REG_OFFSET, parser->first_offset);
	reg_set(w, REG_PC, parser->first_pc);
	flags_set(w, parser->first_flags);
	head_load(w);
	w->po = 0;
	w->markers = 0;
	w->markers_high = 0;
	memset(w->seen, 0, sizeof(w->seen));
}

static inline const struct instruction *boost_find(const struct e810_walk *w,
						   const struct boost_bucket *bucket) {
	const struct e810_parser *parser = w->parser;
	const uint8_t *list = parser->boost_lists + bucket->first;
	uint64_t key[BOOST_WORDS];

	memcpy(key, w->head, sizeof(key));
	for (unsigned int i = 0; i < bucket->n; i++) {
		const struct boost_row *row = &parser->boost_rows[list[i]];

		if (((key[0] ^ row->value[0]) & row->care[0]) != 0)
			continue; // most rows
		if ((((key[1] ^ row->value[1]) & row->care[1]) |
		     ((key[2] ^ row->value[2]) & row->care[2])) == 0)
			return &parser->instructions[E810_N_PCS + list[i]];
	}
	return NULL;
}

static inline uint16_t reg_or_zero(const struct e810_walk *w, unsigned int reg) {
	return reg < N_REGS ? reg_get(w, reg) : 0;
}

static inline uint32_t next_protocol(const struct e810_walk *w, const struct key_builder *key) {
	switch (key->op) {
	case KEY_BITS:
		return bits_get(w, key->bits);
	case KEY_REGISTERS:
		return reg_or_zero(w, key->low) | (uint32_t)reg_or_zero(w, key->high) << 16;
	case KEY_ZERO:
		return 0;
	default:
		return UINT32_MAX;
	}
}

static inline graph_state state_get(const struct e810_walk *w, const struct key_builder *key,
				    uint8_t boost) {
	uint64_t all = flags_get(w);
	unsigned int flags = 0;

	for (unsigned int i = 0; i < key->n_flags; i++)
		flags |= (all >> key->flags[i].flag & 1) << key->flags[i].bit;
	return graph_state_of(reg_get(w, REG_NODE), flags, boost, reg_get(w, key->alu));
}

/* ALUs. Their writes are pending until the end of the step. */

static inline void reg_pend(struct e810_walk *w, uint8_t reg, uint16_t value) {
	RTE_ASSERT(w->n_pending < MAX_PENDING);
	w->pending[w->n_pending].reg = reg;
	w->pending[w->n_pending++].value = value;
}

static inline void flag_pend(struct e810_walk *w, unsigned int flag, bool value) {
	uint64_t bit = UINT64_C(1) << flag;

	w->pending_flags |= bit;
	w->pending_values = value ? w->pending_values | bit : w->pending_values & ~bit;
}

// As in the reference parser, an error bit also changes a pending flag of its number.
static inline void target_pend(struct e810_walk *w, const struct alu *alu, bool value) {
	uint64_t pending = w->pending_flags;

	if (alu->target == TARGET_NONE)
		return;
	flag_pend(w, alu->target_bit, value);
	if (alu->target == TARGET_ERROR)
		w->pending_flags = pending;
}

static inline void dedicated_flags(struct e810_walk *w, const struct alu *alu) {
	w->pending_flags |= alu->flags;
	w->pending_values = (w->pending_values & ~alu->flags) | alu->flag_values;
	for (unsigned int i = 0; i < alu->copy_from.len; i++) {
		struct bits bit = {alu->copy_from.start + i, 1};

		flag_pend(w, alu->copy_to + i, bits_get(w, bit));
	}
}

static inline void po_update(struct e810_walk *w, const struct alu *alu) {
	uint16_t offset = reg_get(w, REG_OFFSET);

	switch (alu->po_op) {
	case PO_HERE:
		w->po = offset;
		break;
	case PO_ADD:
		w->po = offset + alu->po;
		break;
	case PO_SUBTRACT:
		w->po = offset - alu->po;
		break;
	}
}

static inline void alu_run(struct e810_walk *w, const struct alu *alu) {
	uint16_t src, shifted;

	po_update(w, alu);
	dedicated_flags(w, alu);
	if (alu->opcode == ALU_NOTHING)
		return;
	src = bits_get(w, alu->src) & alu->src_mask;
	shifted = src << alu->shift;
	switch (alu->opcode) {
	case ALU_MOVE_ADD:
		reg_pend(w, alu->dst, shifted + alu->imm);
		return;
	case ALU_ADD:
		reg_pend(w, alu->dst, reg_get(w, alu->dst) + shifted + alu->imm);
		return;
	case ALU_MOVE_XOR:
		reg_pend(w, alu->dst, shifted ^ alu->imm);
		return;
	case ALU_SET_IF_EQUAL:
		target_pend(w, alu, src == alu->imm);
		break;
	case ALU_OR_IF_EQUAL:
		if (src == alu->imm)
			target_pend(w, alu, true);
		break;
	case ALU_OR_IF_LESS:
		if (src < alu->imm)
			target_pend(w, alu, true);
		break;
	}
	reg_pend(w, REG_PC, alu->branch);
}

static inline void graph_run(struct e810_walk *w, const struct e810_edge *entry) {
	reg_pend(w, REG_PC, entry->next_pc);
	reg_pend(w, REG_NODE, entry->next_node);
}

static inline void pending_commit(struct e810_walk *w, const struct e810_edge *entry) {
	bool moved = entry->ho_add != 0;

	for (unsigned int i = 0; i < w->n_pending; i++) {
		reg_set(w, w->pending[i].reg, w->pending[i].value);
		moved |= w->pending[i].reg == REG_OFFSET;
	}
	flags_set(w, (flags_get(w) & ~w->pending_flags) | (w->pending_values & w->pending_flags));
	if (!moved)
		return;
	reg_set(w, REG_OFFSET, reg_get(w, REG_OFFSET) + entry->ho_add);
	if (!entry->last) // else it is not used
		head_load(w);
}

static inline void record(struct e810_walk *w, const struct e810_edge *entry) {
	w->markers |= entry->markers;
	w->markers_high |= entry->markers_high;
	for (unsigned int i = 0; i < entry->n_protocols; i++) {
		const struct e810_protocol *protocol = &entry->protocols[i];

		w->seen[protocol->id / 64] |= UINT64_C(1) << protocol->id % 64;
		w->offsets[protocol->id] = w->po + protocol->offset;
	}
}

// An instruction with the parts that a hit in the boost TCAM replaces.
struct chosen {
	const struct key_builder *key;
	uint8_t index;
	const struct alu *alus[3];
};

static inline void choose(const struct instruction *instruction, const struct instruction *hit,
			  struct chosen *chosen) {
	unsigned int replaced = hit != NULL ? instruction->boost : 0;

	chosen->key = replaced & 8 ? &hit->key : &instruction->key;
	chosen->index = replaced & 8 ? hit->index : 0;
	for (unsigned int k = 0; k < 3; k++)
		chosen->alus[k] = replaced >> k & 1 ? &hit->alus[k] : &instruction->alus[k];
}

static inline const struct e810_edge *entry_find(const struct e810_walk *w, graph_state state,
						 uint32_t next) {
	const struct e810_parser *parser = w->parser;
	const struct graph_slot *slot = graph_find(&parser->match, state, next);

	if (slot == NULL)
		slot = graph_find(&parser->no_match, state, 0);
	return slot != NULL ? &parser->graph[slot->entry - 1] : NULL;
}

/* Text output */

static void step_begin(struct e810_step *step, const struct e810_walk *w,
		       const struct instruction *instruction, uint8_t selector) {
	*step = (struct e810_step){
		.node = reg_get(w, REG_NODE),
		.pc = instruction - w->parser->instructions,
		.offset = reg_get(w, REG_OFFSET),
	};
	for (unsigned int i = 0; i < BOOST_BYTES; i++)
		step->key[BOOST_BYTES - 1 - i] = w->head[i];
	step->key[BOOST_BYTES] = selector;
}

/* Result */

static uint16_t ptype_find(const struct e810_parser *parser, uint64_t markers, uint8_t high) {
	const struct graph_slot *exact = graph_find(&parser->markers, markers, high);
	unsigned int index = exact != NULL ? exact->entry - 1 : parser->n_marker_rows;

	for (unsigned int i = 0; i < parser->n_marker_wild && parser->marker_wild[i] < index; i++) {
		const struct marker_row *row = &parser->marker_rows[parser->marker_wild[i]];

		if (((row->value ^ markers) & row->care) == 0 &&
		    ((row->value_high ^ high) & row->care_high) == 0)
			index = parser->marker_wild[i];
	}
	return index < parser->n_marker_rows ? parser->marker_rows[index].ptype : E810_NO_PTYPE;
}

static inline void flags_resolve(const struct e810_walk *w, struct e810_result *result) {
	const struct e810_parser *parser = w->parser;
	uint64_t flags = flags_get(w), packet = 0, blocks = 0;

	result->parser_flags = flags;
	for (; flags != 0; flags &= flags - 1) {
		unsigned int flag = __builtin_ctzll(flags);

		packet |= parser->flag_packet[flag];
		blocks |= parser->flag_blocks[flag];
	}
	result->packet_flags = packet;
	result->rss_flags = blocks >> FLAG_BLOCK_RSS;
	result->fd_flags = blocks >> FLAG_BLOCK_FD;
	result->sw_flags = blocks >> FLAG_BLOCK_SW;
}

static inline void resolve(const struct e810_walk *w, struct e810_result *result) {
	result->ptype = result->status == E810_LOOP ?
				E810_NO_PTYPE :
				ptype_find(w->parser, w->markers, w->markers_high);
	flags_resolve(w, result);
	result->end = reg_get(w, REG_OFFSET);
	result->node = reg_get(w, REG_NODE);
	result->n_protocols = 0;
	for (unsigned int word = 0; word < 4; word++)
		for (uint64_t left = w->seen[word]; left != 0; left &= left - 1) {
			unsigned int id = 64 * word + __builtin_ctzll(left);

			result->protocols[result->n_protocols].id = id;
			result->protocols[result->n_protocols++].offset = w->offsets[id];
		}
}

/* The walk */

static inline void alus_run(struct e810_walk *w, const struct chosen *chosen,
			    const struct e810_edge *entry, struct e810_trace *trace) {
	w->n_pending = 0;
	w->pending_flags = 0;
	w->pending_values = 0;
	for (unsigned int k = 0; k < 3; k++) {
		if (chosen->key->priority == k)
			graph_run(w, entry);
		if (trace != NULL)
			e810_trace_alu(trace, w, chosen->alus[k], entry->last);
		alu_run(w, chosen->alus[k]);
	}
	if (chosen->key->priority == 3)
		graph_run(w, entry);
}

static inline const struct e810_edge *step_run(struct e810_walk *w,
					       const struct instruction *instruction,
					       struct e810_trace *trace, struct e810_step *step) {
	uint8_t selector = instruction->use_tsr ? w->regs[2 * REG_TSR] : instruction->constant;
	const struct boost_bucket *bucket = &w->parser->buckets[selector];
	const struct instruction *hit = instruction->boost != 0 ? boost_find(w, bucket) : NULL;
	const struct e810_edge *entry;
	struct chosen chosen;
	graph_state state;
	uint32_t next;

	choose(instruction, hit, &chosen);
	state = state_get(w, chosen.key, chosen.index);
	next = next_protocol(w, chosen.key);
	entry = entry_find(w, state, next);
	if (trace != NULL) {
		if (instruction->boost != 0)
			e810_trace_boost(trace, w, bucket, hit);
		e810_trace_key(trace, w, chosen.key, state, next,
			       entry != NULL && !entry->no_match);
	}
	if (step != NULL) {
		step_begin(step, w, instruction, selector);
		step->boost = hit != NULL ? hit->address : -1;
		step->boost_index = chosen.index;
		step->next_protocol = next;
	}
	if (entry == NULL)
		return NULL;
	alus_run(w, &chosen, entry, trace);
	pending_commit(w, entry);
	record(w, entry);
	if (step != NULL) {
		step->edge = entry;
		step->next_node = reg_get(w, REG_NODE);
		step->next_pc = reg_get(w, REG_PC);
		step->next_offset = reg_get(w, REG_OFFSET);
		step->protocol_offset = w->po;
	}
	return entry;
}

static inline __attribute__((always_inline)) enum e810_status walk_run(struct e810_walk *w,
								       unsigned int *n_steps,
								       struct e810_trace *trace,
								       e810_step_fn fn, void *arg) {
	uint32_t furthest = reg_get(w, REG_OFFSET);
	unsigned int stalled = 0, n;
	struct e810_step step;

	for (n = 1;; n++) {
		uint16_t pc = reg_get(w, REG_PC);
		const struct instruction *instruction = &w->parser->instructions[pc];
		const struct e810_edge *entry;
		uint32_t offset;

		*n_steps = n;
		if (pc >= E810_N_PCS)
			return E810_ERROR;
		entry = step_run(w, instruction, trace, fn != NULL ? &step : NULL);
		if (fn != NULL)
			fn(arg, &step);
		if (entry == NULL)
			return E810_ERROR;
		offset = reg_get(w, REG_OFFSET);
		if (entry->last)
			return E810_OK;
		if (offset >= w->len) {
			if (trace != NULL)
				trace->lost = true; // the walk of a longer packet continues
			return E810_OK;
		}
		if (trace != NULL && trace->min_len <= offset)
			trace->min_len = offset + 1;
		if (offset > furthest) {
			furthest = offset;
			stalled = 0;
		} else if (++stalled == MAX_STALLED) {
			return E810_LOOP;
		}
	}
}

void e810_parse(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
		struct e810_result *result) {
	struct e810_walk w;

	walk_init(&w, parser, data, len);
	result->status = walk_run(&w, &result->n_steps, NULL, NULL, NULL);
	resolve(&w, result);
}

void e810_parse_watched(const struct e810_parser *parser, const uint8_t *data, uint32_t len,
			struct e810_result *result, struct e810_trace *trace, e810_step_fn fn,
			void *arg) {
	struct e810_walk w;

	if (trace != NULL) {
		memset(trace, 0, sizeof(*trace));
		trace->lost = parser->writes_head; // registers differ from the packet
	}
	walk_init(&w, parser, data, len);
	result->status = walk_run(&w, &result->n_steps, trace, fn, arg);
	resolve(&w, result);
}
