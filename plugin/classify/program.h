/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: the program, a profile as the data path uses it. Conditions, fields and
// rules lie in flat arrays; whoever needs some holds the index of the first and their number.
#ifndef DDP_CLASSIFY_PROGRAM_H
#define DDP_CLASSIFY_PROGRAM_H

#include "base/arena.h"
#include "classify.h"
#include "profile/profile.h"
#include "profile/rte_ptype.h"

struct prog_field {
	uint16_t bit_off;
	uint8_t width;
	uint8_t anchor; // enum ddp_anchor
	int8_t group;
	uint8_t n_before;
};

struct prog_ref {
	uint16_t field; // in fields
	uint8_t node;
	uint8_t which; // enum ddp_which
	uint8_t nth;
	uint8_t bits;
};

struct prog_op {
	uint64_t value;
	struct prog_ref ref;
	uint8_t op; // enum ddp_op
};

struct prog_match {
	struct prog_ref ref;
	bool negate;
	uint32_t first_pattern, n_patterns;
};

struct prog_cond {
	uint32_t first_match, n_matches;
	uint32_t first_op, n_ops;
};

struct prog_rule {
	struct prog_cond cond;
	struct prog_ref key;
	uint16_t table;
	uint8_t kind; // enum ddp_rule_kind
	uint8_t target;
};

struct prog_slot {
	uint64_t value;
	int16_t target; // -1: empty
};

struct prog_table {
	struct prog_slot *slots; // open addressing
	unsigned int shift;      // 64 - log2 of the number of slots
};

struct prog_node {
	struct ddp_node_info info;
	struct prog_cond length; // an expression; none: the layout's size
	struct prog_cond valid, fragment;
	struct prog_cond groups[DDP_MAX_GROUPS];
	uint16_t group_bits[DDP_MAX_GROUPS];
	uint32_t first_rule, n_rules;
	uint16_t start_size, end_size; // bytes of the layout
	uint8_t n_groups;
	bool can_fragment;
	bool is_l3;
	uint32_t rte_outer, rte_inner; // its share of packet_type outside and inside a tunnel
};

// One field of an input set.
struct prog_input {
	struct prog_ref ref;
	int8_t partner; // index in the set of the other field of its pair, -1 for none
	const char *name;
};

struct prog_set {
	struct prog_cond cond;
	uint64_t rss_hf;
	uint32_t first_input;
	uint8_t n_inputs;
};

struct prog_type {
	struct ddp_type_info info;
	struct prog_cond cond;
	uint32_t rte_given; // layers of packet_type that the profile gives
	uint32_t first_set, n_sets;
	uint32_t first_extract, n_extract; // in inputs
};

// The path automaton: which packet types the headers up to here make up. State 0 is none, and stays.
struct automaton {
	uint16_t *next; // [state * n_tokens + node]
	unsigned int n_states;
	unsigned int n_tokens;
	uint32_t *first_accept; // [state], into accepts
	uint16_t *n_accepts;    // [state]
	uint16_t *accepts;      // types, best first
	uint16_t start;
};

struct ddp_program {
	struct ddp_arena *arena;
	bool by_rss_hf;
	uint64_t rss_hf;
	uint8_t first;
	struct prog_node *nodes;
	unsigned int n_nodes;
	struct prog_field *fields;
	unsigned int n_fields;
	struct prog_op *ops;
	unsigned int n_ops;
	struct prog_match *matches;
	unsigned int n_matches;
	struct ddp_pattern *patterns;
	unsigned int n_patterns;
	struct prog_rule *rules;
	unsigned int n_rules;
	struct prog_table *tables;
	unsigned int n_tables;
	struct prog_input *inputs;
	unsigned int n_inputs;
	struct prog_set *sets;
	unsigned int n_sets;
	struct prog_type *types;
	unsigned int n_types;
	struct automaton automaton;
};

// automaton.c: false with errors in diag.
bool automaton_build(struct automaton *automaton, const struct ddp_profile *profile,
		     struct ddp_arena *arena, struct ddp_diag *diag);

// Where a table would keep value.
static inline uint64_t slot_of(const struct prog_table *table, uint64_t value) {
	return value * UINT64_C(0x9e3779b97f4a7c15) >> table->shift;
}

// build.c: the index of the other field of a reference's pair, -1 where it is not among them.
int partner_find(const struct ddp_profile *profile, const struct ddp_ref *refs, unsigned int n,
		 unsigned int of);

// inputset.c, data path: ddp_input_gather() for one set.
unsigned int set_gather(const struct ddp_program *program, const struct ddp_packet *packet,
			const struct ddp_class *class, const struct prog_set *set, bool symmetric,
			uint8_t *input);

// walk.c, data path: what a condition or a field says of a classified packet.
bool cond_holds(const struct ddp_program *program, const struct ddp_packet *packet,
		const struct ddp_class *class, const struct prog_cond *cond);
// The place of a field in the packet, in bits. false: the packet has no such field.
bool field_locate(const struct ddp_program *program, const struct ddp_class *class,
		  const struct prog_ref *ref, uint32_t *bit);
// Its value, right-aligned. false: the packet has no such field, or ends before it.
bool field_value(const struct ddp_program *program, const struct ddp_packet *packet,
		 const struct ddp_class *class, const struct prog_ref *ref, uint64_t *hi,
		 uint64_t *lo);
// For explain.c: the same, and what conditions are made of, as header self sees it, class holding those
// before it. beyond: that it is false says nothing, the packet ends before what was asked.
bool cond_holds_at(const struct ddp_program *program, const struct ddp_packet *packet,
		   const struct ddp_class *class, const struct ddp_seen *self,
		   const struct prog_cond *cond, bool *beyond);
bool match_holds_at(const struct ddp_program *program, const struct ddp_packet *packet,
		    const struct ddp_class *class, const struct ddp_seen *self,
		    const struct prog_match *match);
uint64_t expr_value_at(const struct ddp_program *program, const struct ddp_packet *packet,
		       const struct ddp_class *class, const struct ddp_seen *self,
		       const struct prog_cond *cond);
bool field_value_at(const struct ddp_program *program, const struct ddp_packet *packet,
		    const struct ddp_class *class, const struct ddp_seen *self,
		    const struct prog_ref *ref, uint64_t *hi, uint64_t *lo, bool *beyond);
// DPDK's packet type of n headers; given replaces what they say of a layer.
uint32_t rte_ptype_of(const struct ddp_program *program, const struct ddp_seen *seen,
		      unsigned int n, uint32_t given);
// len bytes from off, which must lie in the packet; buf has room for them.
static inline const uint8_t *packet_at(const struct ddp_packet *packet, uint32_t off, uint32_t len,
				       uint8_t *buf) {
	if (off + len <= packet->first_len)
		return packet->data + off;
	return packet->read(packet->ctx, off, len, buf);
}

#endif
