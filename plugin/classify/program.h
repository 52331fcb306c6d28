/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: the program, a profile as the data path uses it. Conditions, fields
// and rules lie in flat arrays; users of some have the index of the first and their number.
//
//	build/build.h   makes it, and may allocate, fail and say why
//	run/walk.h      what is done with it and packets, which never does
#pragma once

#include "base/arena.h"
#include "base/rte_ptype.h"
#include "classify.h"

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
	uint8_t skip; // leading bits of the field that are not meant
	uint8_t bits; // that are, behind them
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

// A condition compiled (conditions.c): tests that must all hold. Most read the header itself, with
// one load; the others are matches and expressions of any kind.
enum test_kind {
	TEST_BITS,       // bits of the 8 bytes have this value
	TEST_NOT_BITS,   // or have not
	TEST_WORD,       // a table over the values of the first 2 bytes says so
	TEST_MATCH,      // matches[index]
	TEST_EXPRESSION, // the condition's expression is not 0
};

struct prog_test {
	uint8_t kind;     // enum test_kind
	bool from_end;    // of the header; else from its start
	int8_t group;     // group that must be there, -1: none
	uint8_t n_before; // groups that move the offset if they are there
	int16_t byte;     // offset of the 8 (TEST_WORD: 2) bytes
	uint8_t size;     // bytes of them that matter: the packet must have so many
	uint32_t index;
	uint64_t mask, value; // of the bytes as a big-endian number
};

#define TRACE_LIST 16 // values in a list of exceptions

// The 16-bit values for which a test holds; and as a list those for which not, if few.
struct prog_word {
	uint64_t holds[65536 / 64];
	unsigned int n_exceptions; // 0: none, or too many for the list
	uint16_t exceptions[TRACE_LIST];
};

struct prog_cond {
	uint32_t first_match, n_matches;
	uint32_t first_op, n_ops;
	uint32_t first_test, n_tests; // n_tests 0: not compiled, or always true
};

// A length that is base + factor * the value of up to 16 bits; mask 0: see the expression.
struct prog_length {
	uint32_t base, factor;
	uint8_t byte; // of the header, where two bytes with the field begin
	uint8_t shift;
	uint16_t mask;
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
	struct prog_slot *slots;  // open addressing
	unsigned int shift;       // 64 - log2 of the number of slots
	struct prog_word *absent; // which 16-bit numbers are not in it
};

// The effect of a header on DPDK's packet type, by what was before it: no IP header, one, a tunnel.
#define LAYERS_INSIDE 2
#define LAYERS_MODES 3
struct prog_layers {
	uint32_t keep, set;
	const struct prog_layers *row; // of the next header's mode
	uint8_t mode;
	bool is_l3, hidden; // the header's, as here they are at hand
};

struct prog_node {
	struct ddp_node_info info;
	struct prog_cond length;   // an expression; none: the layout's size
	struct prog_length linear; // length as a linear function, if it is one
	struct prog_cond valid, fragment;
	struct prog_cond groups[DDP_MAX_GROUPS];
	uint16_t group_bits[DDP_MAX_GROUPS];
	uint32_t first_rule, n_rules;
	uint16_t first_field;
	uint16_t start_size, end_size; // bytes of the layout
	uint8_t n_groups;
	bool can_fragment;
	bool is_l3;
	bool is_tunnel;
	bool is_link; // the Ethernet header or a VLAN tag
};

// A header as a step (steps.c): its size and the next header, by loads at known offsets.
#define STEP_END UINT16_MAX        // no header follows
#define STEP_SLOW (UINT16_MAX - 1) // see the node's rules from slow_rule on

// Bits of 8 bytes of a header, in memory's order.
struct prog_bit_test {
	uint64_t mask, value;
	uint16_t byte;
	bool negate; // the bits must not be value
};

// Bytes that a header has where something is present.
struct prog_option {
	struct prog_bit_test present;
	uint16_t size;
};

// If guard holds and the header has these groups, a value of up to 16 bits may decide the next.
struct prog_branch {
	struct prog_bit_test guard;
	int16_t byte;  // of the two that are loaded
	uint16_t mask; // of these, in memory's order, as the values
	uint16_t factor;
	uint8_t shift;
	uint8_t groups;
	bool from_end;
	const uint32_t *slots; // a value's own: value << 16 | node, STEP_END; or another value's
	// Also two bytes of the nearest header of another kind: asks_back, with mask the value.
	bool asks_back;
	uint8_t back_node, back_byte;
	uint16_t back_mask, back_value; // in memory's order
};

// The parts of a step beyond its layout's size and a branch by a value alone; read if there.
enum step_has {
	STEP_LENGTH = 1 << 0,
	STEP_OPTIONS = 1 << 1,
	STEP_VALID = 1 << 2,
	STEP_FRAGMENT = 1 << 3,
	STEP_GUARD = 1 << 4, // or another test of the first branch beside its value
};

struct prog_step {
	uint32_t need; // bytes from the header's start that are loaded, or must be there
	uint16_t size; // of the layout without optional groups
	uint8_t has;   // enum step_has
	uint8_t n_branches;
	uint16_t tail;      // bytes behind the header that are loaded, where its size is not fixed
	uint16_t otherwise; // next if no branch applies: STEP_END, STEP_SLOW
	struct prog_branch branch;          // the first
	const struct prog_branch *branches; // the others

	int64_t factor; // of the bits of two bytes, / 65536
	uint32_t base;
	uint16_t length_bits;
	uint8_t length_byte;
	uint8_t n_options, slow_rule;
	const struct prog_option *options;
	struct prog_bit_test valid, fragment;
};

// The parts of a form beyond a fixed size and a first branch by a value alone.
enum form_has {
	FORM_LENGTH = 1 << 0, // len is the smallest: the step says which it is
	FORM_FRAGMENT = 1 << 1,
	FORM_BRANCH = 1 << 2, // the step has the branches
};

// A header as 8 of its bytes have it in most packets: its size, or where to find it, which groups
// it has and whether it is a fragment's are known. The walk does with few loads what a step takes
// many tests for, and by comparisons, which a CPU predicts, where a table makes it wait.
#define FORM_USUAL 3
struct prog_form {
	uint64_t mask, value;         // of these bytes, in memory's order
	const uint32_t *slots;        // of the first branch, as the next five
	const struct prog_step *step; // of this header
	uint8_t node, groups;         // as ddp_seen's, like the next
	bool fragment;
	uint8_t at; // of the header, where the 8 bytes begin
	uint16_t len;
	uint16_t need; // as a step's
	uint16_t byte, bits, factor;
	uint8_t shift;
	uint8_t has; // enum form_has
	struct {
		uint16_t value, next;
	} usual[FORM_USUAL]; // values of the first branch that most packets have
	uint16_t other;      // the next form of this kind of header, 0: none
};

_Static_assert(sizeof(struct prog_form) == 64, "one cache line");

struct prog_input {
	struct prog_ref ref;
	int8_t partner; // index in the set of the other field of its pair, -1 for none
	const char *name;
};

// Inputs that lie side by side in a header, whole bytes each. size 0: the one input, anywhere.
struct prog_run {
	struct prog_ref ref; // the first
	uint16_t byte;       // of the header
	uint8_t size;
};

struct prog_set {
	struct prog_cond cond;
	uint64_t rss_hf;
	uint32_t first_input;
	uint8_t n_inputs;
	uint8_t n_runs;
	uint32_t first_run;
};

struct prog_type {
	struct ddp_type_info info;
	struct prog_cond cond;
	uint32_t rte_keep, rte_set; // layers of packet_type that the profile gives
	uint32_t first_set, n_sets;
	uint32_t first_extract, n_extract; // in inputs
	struct prog_run value;             // the first of these: all bytes that it has bits of,
	uint8_t value_left;                // and how many bits of the first byte are in front of it
};

// The path automaton: the packet types of the headers up to here. State 0 is none, and stays.
#define TYPE_COND (DDP_TYPE_NONE - 1)
struct automaton {
	uint16_t *next; // [state * n_tokens + node]; a hidden node leads to the same state
	unsigned int n_states;
	unsigned int n_final; // the first of them: no header that follows changes the packet type
	unsigned int n_tokens;
	uint32_t *first_accept; // [state], into accepts
	uint16_t *n_accepts;    // [state]
	uint16_t *accepts;      // types, best first
	uint16_t *type;         // [state]: the best, DDP_TYPE_NONE, or TYPE_COND: conditions say
	uint16_t start;
};

struct trace;

// A model of a NIC's parser, which finds headers and types of packets instead of the parse graph.
struct model {
	// Data path: fills in the headers in class->seen with node and offset, the packet type,
	// offsets and unhashed. The caller fills in the rest of each header.
	enum ddp_status (*walk)(const struct model *model, const struct ddp_packet *packet,
				struct ddp_class *class, struct trace *trace);
};

struct ddp_program {
	struct ddp_arena *arena;
	const struct model *model; // that finds out instead of headers and their rules; or NULL
	bool by_rss_hf;
	uint64_t rss_hf;
	uint8_t first;
	struct prog_node *nodes;
	struct prog_layers *layers; // a row of n_nodes for each mode
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
	struct prog_step *steps; // of each node
	struct prog_form *forms; // the first of each node, then others
	struct prog_table *tables;
	unsigned int n_tables;
	struct prog_test *tests;
	unsigned int n_tests;
	struct prog_word **words; // each different one once
	unsigned int n_words;
	struct prog_input *inputs;
	unsigned int n_inputs;
	struct prog_run *runs;
	unsigned int n_runs;
	struct prog_set *sets;
	unsigned int n_sets;
	const struct prog_set *outermost; // for rss_hf with the outermost level; NULL: none
	struct prog_type *types;
	unsigned int n_types;
	struct automaton automaton;
};

// A reference of the profile that the program was built of.
static inline struct prog_ref prog_ref_of(const struct ddp_program *program,
					  const struct ddp_ref *ref) {
	return (struct prog_ref){
		.field = program->nodes[ref->node].first_field + ref->field,
		.node = ref->node,
		.which = ref->which,
		.nth = ref->nth,
		.skip = ref->skip,
		.bits = ref->bits,
	};
}

static inline uint64_t slot_of(const struct prog_table *table, uint64_t value) {
	return value * UINT64_C(0x9e3779b97f4a7c15) >> table->shift;
}

// The target of a value, or -1.
static inline int table_lookup(const struct prog_table *table, uint64_t value) {
	uint64_t mask = (UINT64_C(1) << (64 - table->shift)) - 1;
	uint64_t at = slot_of(table, value);

	while (table->slots[at].target >= 0) {
		if (table->slots[at].value == value)
			return table->slots[at].target;
		at = (at + 1) & mask;
	}
	return -1;
}

static inline bool word_holds(const struct prog_word *word, uint16_t value) {
	return word->holds[value / 64] >> value % 64 & 1;
}
