/* SPDX-License-Identifier: BSD-3-Clause */
// A slow, obvious second reading of flow rules: one rule after the other, straight from struct
// ddp_flow, over the headers that naive_classify() found. What ddp_flow_match() and
// ddp_flow_gather() must agree with.
#ifndef CLASSIFY_NAIVE_FLOW_H
#define CLASSIFY_NAIVE_FLOW_H

#include "classify/flow/flow.h"
#include "naive.h"

struct naive_hit {
	int32_t rules[DDP_FLOW_STAGES]; // -1: none
};

// Of the rules that match the last one. A rule that is NULL matches nothing.
void naive_flow_match(const struct naive *n, const struct ddp_flow *const *rules,
		      unsigned int n_rules, struct naive_hit *hit);

// As ddp_flow_gather().
unsigned int naive_flow_input(const struct naive *n, const struct ddp_flow *rule,
			      enum ddp_hash_function function, uint8_t input[DDP_MAX_INPUT_SIZE]);

// Flow rules in the tables of their shapes. Of those that match a packet the one that was added
// last is preferred.
#define FLOW_BOOK_MAX 1000

struct flow_book {
	struct ddp_flow_shapes shapes;
	unsigned int n;
	struct {
		struct ddp_flow_shape *shape;
		struct ddp_flow_entry *entry;
		bool in; // the table
	} rules[FLOW_BOOK_MAX];
};

void flow_book_init(struct flow_book *book);
// All sets that were built of it must be destroyed before.
void flow_book_fini(struct flow_book *book);
// Add rules and put them in.
void flow_book_add(struct flow_book *book, const struct ddp_flow *rules, unsigned int n);
// Take a rule out, or put it in again. Returns whether path caches must learn anew.
bool flow_book_toggle(struct flow_book *book, unsigned int rule);
// Of all shapes.
struct ddp_flow_set *flow_book_build(const struct flow_book *book,
				     const struct ddp_profile *profile,
				     const struct ddp_program *program, struct ddp_diag *diag);

// The index of a rule, -1 for none.
static inline int32_t flow_book_index(const struct ddp_flow_entry *entry) {
	return entry == NULL ? -1 : (int32_t)entry->number;
}

#endif
