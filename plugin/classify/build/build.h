/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: from a profile to a program.
#pragma once

#include <assert.h>

#include "classify/program.h"

// ddp_program_build() for any profile, in any memory. If modelled, model, which stays, finds types.
struct ddp_program *program_build(const struct ddp_profile *profile, const struct model *model,
				  const struct ddp_memory *memory, struct ddp_diag *diag);

// build.c: the index of the other field of a reference's pair, -1 where it is not among them.
int partner_find(const struct ddp_profile *profile, const struct ddp_ref *refs, unsigned int n,
		 unsigned int of);

// automaton.c: the tables are arena's; allocations in scratch are unused afterwards. needed, by
// header: a rule reads it, so it is wanted even if hidden; NULL: none. false: see diag.
bool automaton_build(struct automaton *automaton, const struct ddp_profile *profile,
		     const bool *needed, struct ddp_arena *arena, struct ddp_arena *scratch,
		     struct ddp_diag *diag);

// conditions.c: tests for all conditions; once everything else is built. n_named, by header: how
// often paths of packet types name it, three times where it must be. scratch: as above.
void program_compile(struct ddp_program *program, const unsigned int *n_named,
		     struct ddp_arena *scratch);
// steps.c: steps for all headers; once their conditions have tests.
void steps_make(struct ddp_program *program, const unsigned int *n_named,
		struct ddp_arena *scratch);
// The runs of a set, into program; arena owns them.
void set_compile(struct ddp_program *program, struct ddp_arena *arena, struct prog_set *set);

// The byte that a bit of a header is in; bits before its end are negative.
static inline int floor8(int bit) {
	return bit >= 0 ? bit / 8 : -((7 - bit) / 8);
}

/* Steps of headers, and forms, which are steps for headers of which some bytes are known */

#define ENTRIES_MAX 1024 // entries of a table
#define RULES_MAX 255    // rules of a header; the interpreter runs further ones
#define NEED_NEVER (1u << 24)

// The bytes that a rule looks a value up by.
struct key {
	bool any; // false: the rule looks at none
	bool from_end;
	int8_t group;
	int byte;
	int shift;         // in a form: bytes from byte to its offset from the start
	unsigned int size; // 1 or 2
};

#define FORM_BYTES 8    // adjacent bytes of a header that identify a form
#define FORMS_MAX 5     // forms of a kind of header
#define SAMPLE_SIZE 256 // bytes of the header that represents all of a form

// The known bytes of a header while the step of a form is made.
struct given {
	uint8_t bytes[SAMPLE_SIZE];
	uint64_t mask; // known bits that identify it, in memory's order
	struct ddp_seen seen;
	uint32_t min_len; // bytes that the packet must have
	bool any_length;  // seen.len is the smallest
};

// The forms of a kind of header, the more usual ones first.
struct forms {
	struct given given[FORMS_MAX];
	unsigned int n;
};

// A rule while it grows.
struct growing {
	struct key key;
	struct prog_bit_test guard;
	const struct prog_match *back;
	struct prog_branch place; // only where its bytes are
	unsigned int n;
	uint32_t entries[ENTRIES_MAX]; // value << 16 | outcome
};

struct steps {
	struct ddp_program *program;
	const unsigned int *n_named; // see program_compile()
	const struct prog_node *node;
	struct prog_step *step;
	const struct given *given; // NULL: the step is for all headers of its kind
	unsigned int at;           // offset of the bytes that identify forms of this kind
	struct prog_branch branches[RULES_MAX];
	struct growing rule;
	struct forms forms;
	uint8_t taken[65536]; // entries by slot
};

// steps.c: what a condition is as one test of bits; false: it is more than that.
bool cond_bit_test(struct steps *s, const struct prog_cond *cond, struct prog_bit_test *bit_test);
void branches_make(struct steps *s);
// The length of s->node, into s->step. false: it is more than base + factor * a field.
bool length_make(struct steps *s);
// Whether the first branch tests more than a value.
bool branch_is_guarded(const struct prog_branch *branch);

// The slot of a value in a table of 1 << log2.
static inline unsigned int slot_index(uint16_t value, uint16_t factor, unsigned int log2) {
	return (uint16_t)((uint32_t)value * factor) >> (16 - log2);
}

// forms.c: the forms of s->node, whose step is made: at most FORMS_MAX. Returns their number.
unsigned int forms_make(struct steps *s, const struct prog_step *step, struct prog_form *forms);
// The value of a condition on the form that is made: 1 or 0; -1: unknown.
int given_says(struct steps *s, const struct prog_cond *cond);
