/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: from a profile to a program.
#ifndef DDP_CLASSIFY_BUILD_BUILD_H
#define DDP_CLASSIFY_BUILD_BUILD_H

#include "classify/program.h"

// ddp_program_build() for any profile, in any memory. If profile->modelled, model finds the types
// of packets, and must outlive the program; else it is NULL.
struct ddp_program *program_build(const struct ddp_profile *profile, const struct model *model,
				  const struct ddp_memory *memory, struct ddp_diag *diag);

// build.c: the index of the other field of a reference's pair, -1 where it is not among them.
int partner_find(const struct ddp_profile *profile, const struct ddp_ref *refs, unsigned int n,
		 unsigned int of);

// automaton.c: the tables are arena's; what scratch is given is of no use afterwards. false with
// errors in diag.
bool automaton_build(struct automaton *automaton, const struct ddp_profile *profile,
		     struct ddp_arena *arena, struct ddp_arena *scratch, struct ddp_diag *diag);

// conditions.c: tests for all conditions; once everything else is built. n_types[a * n_nodes + b]:
// how many packet types can have header b behind a; those that always have it, on their shortest
// path, count three times. scratch is as with automaton_build().
void program_compile(struct ddp_program *program, const uint16_t *n_types,
		     struct ddp_arena *scratch);
// steps.c: steps for all headers; once their conditions have tests.
void steps_make(struct ddp_program *program, const uint16_t *n_types, struct ddp_arena *scratch);
// The runs of a set, into program; arena owns them.
void set_compile(struct ddp_program *program, struct ddp_arena *arena, struct prog_set *set);

// The byte that a bit of a header is in; bits before its end are negative.
static inline int floor8(int bit) {
	return bit >= 0 ? bit / 8 : -((7 - bit) / 8);
}

#endif
