/* SPDX-License-Identifier: BSD-3-Clause */
// The most that a packet can cost: of all walks through the parse graph within the limits the one
// that takes most steps, whatever the conditions of the rules; then the conditions of packet types
// on the way, and the input sets of one type.
#include <errno.h>
#include <stdlib.h>

#include "program.h"

static void ref_cost(const struct prog_ref *ref, struct ddp_header_cost *cost) {
	cost->own++;
	cost->searches += ref->which != DDP_WHICH_SELF && ref->which != DDP_WHICH_OFFSET;
}

static void match_cost(const struct prog_match *match, struct ddp_header_cost *cost) {
	ref_cost(&match->ref, cost);
	cost->own += match->n_patterns;
}

static void ops_cost(const struct ddp_program *program, const struct prog_cond *cond,
		     struct ddp_header_cost *cost) {
	const struct prog_op *op = &program->ops[cond->first_op];

	for (const struct prog_op *end = op + cond->n_ops; op < end; op++) {
		cost->own++;
		if (op->op == DDP_OP_FIELD)
			ref_cost(&op->ref, cost);
	}
}

static void cond_cost(const struct ddp_program *program, const struct prog_cond *cond,
		      struct ddp_header_cost *cost) {
	const struct prog_test *test = &program->tests[cond->first_test];

	for (const struct prog_test *end = test + cond->n_tests; test < end; test++) {
		if (test->kind == TEST_MATCH)
			match_cost(&program->matches[test->index], cost);
		else if (test->kind == TEST_EXPRESSION)
			ops_cost(program, cond, cost);
		else
			cost->own++;
	}
	if (cond->n_tests > 0)
		return;
	for (unsigned int i = 0; i < cond->n_matches; i++)
		match_cost(&program->matches[cond->first_match + i], cost);
	ops_cost(program, cond, cost);
}

static struct ddp_header_cost node_cost(const struct ddp_program *program,
					const struct prog_node *node) {
	struct ddp_header_cost cost = {.own = 1};

	for (unsigned int i = 0; i < node->n_groups; i++)
		cond_cost(program, &node->groups[i], &cost);
	ops_cost(program, &node->length, &cost);
	cond_cost(program, &node->valid, &cost);
	if (node->can_fragment)
		cond_cost(program, &node->fragment, &cost);
	for (unsigned int i = 0; i < node->n_rules; i++) {
		const struct prog_rule *rule = &program->rules[node->first_rule + i];
		const struct prog_table *table = &program->tables[rule->table];
		unsigned int run = 0, most = 0; // slots in use, side by side

		cond_cost(program, &rule->cond, &cost);
		if (rule->kind != DDP_RULE_LOOKUP)
			continue;
		ref_cost(&rule->key, &cost);
		for (size_t s = 0, n = (size_t)1 << (64 - table->shift); s < 2 * n && run < n;
		     s++) {
			run = table->slots[s & (n - 1)].target < 0 ? 0 : run + 1;
			most = run > most ? run : most;
		}
		cost.own += 1 + most;
	}
	return cost;
}

#define UNREACHED UINT64_MAX

// The most that conditions cost on any path through the path automaton, summed over its states.
static uint64_t states_cost(const struct ddp_program *program, uint64_t *costs, uint64_t *now,
			    uint64_t *next) {
	const struct automaton *a = &program->automaton;
	uint64_t most = 0;

	for (unsigned int s = 0; s < a->n_states; s++) {
		struct ddp_header_cost cost = {0};

		now[s] = UNREACHED;
		for (unsigned int i = 0; a->type[s] == TYPE_COND && i < a->n_accepts[s]; i++)
			cond_cost(program, &program->types[a->accepts[a->first_accept[s] + i]].cond,
				  &cost);
		costs[s] = ddp_cost_after(&cost, DDP_MAX_STEPS);
	}
	now[a->start] = 0;
	for (unsigned int n = 0; n < DDP_MAX_HEADERS; n++) {
		uint64_t *swap = now;

		memset(next, UINT8_MAX, a->n_states * sizeof(*next));
		for (unsigned int s = 1; s < a->n_states; s++)
			for (unsigned int t = 0; now[s] != UNREACHED && t < a->n_tokens; t++) {
				const unsigned int to = a->next[s * a->n_tokens + t];

				if (to == 0 || program->nodes[t].info.hidden)
					continue;
				if (next[to] == UNREACHED || next[to] < now[s] + costs[to])
					next[to] = now[s] + costs[to];
				most = next[to] > most ? next[to] : most;
			}
		now = next;
		next = swap;
	}
	return most;
}

static uint64_t types_cost(const struct ddp_program *program) {
	uint64_t most = 0;

	for (unsigned int i = 0; i < program->n_types; i++) {
		const struct prog_type *type = &program->types[i];
		struct ddp_header_cost cost = {0};

		for (unsigned int j = 0; j < type->n_sets; j++) {
			const struct prog_set *set = &program->sets[type->first_set + j];

			cond_cost(program, &set->cond, &cost);
			for (unsigned int k = 0; k < set->n_inputs; k++)
				ref_cost(&program->inputs[set->first_input + k].ref, &cost);
		}
		if (ddp_cost_after(&cost, DDP_MAX_STEPS) > most)
			most = ddp_cost_after(&cost, DDP_MAX_STEPS);
	}
	return most;
}

static uint32_t clamp(uint64_t cost) {
	return cost < UINT32_MAX ? cost : UINT32_MAX;
}

int ddp_program_cost(const struct ddp_program *program, const struct ddp_profile *profile,
		     struct ddp_cost *cost) {
	const size_t n_states = program->automaton.n_states;
	struct ddp_header_cost *costs = calloc(program->n_nodes, sizeof(*costs));
	uint64_t *states = calloc(3 * n_states, sizeof(*states));
	struct ddp_bound bound;
	int ret = -ENOMEM;

	*cost = (struct ddp_cost){0};
	for (unsigned int i = 0; costs != NULL && i < program->n_nodes; i++) {
		uint32_t own;

		costs[i] = node_cost(program, &program->nodes[i]);
		own = clamp(ddp_cost_after(&costs[i], DDP_MAX_STEPS));
		if (own > cost->header_steps)
			*cost = (struct ddp_cost){.header = i, .header_steps = own};
	}
	if (costs != NULL && states != NULL)
		ret = ddp_profile_bound(profile, DDP_MAX_HEADERS, DDP_MAX_STEPS, UINT16_MAX, costs,
					&bound);
	if (ret == 0)
		cost->steps = clamp(
			bound.cost +
			states_cost(program, states, states + n_states, states + 2 * n_states) +
			types_cost(program));
	free(costs);
	free(states);
	return ret;
}
