/* SPDX-License-Identifier: BSD-3-Clause */
// Which packet types the packets of a set's rules can have.
//
// The paths of packet types and those of rules are two automata over the same headers. Both are
// followed together, header by header: as soon as a rule has all of its headers, its packets can
// have the type of the path so far, and those of all paths that go on from there. Values that a
// rule asks for, and headers that must not follow, only make it match fewer packets: they are not
// looked at.
#include <string.h>

#include "flow_set.h"

#define POINTS_MAX 4096 // more than the library's profiles need

// Where packets can be in both automata. best: the state of the last packet type on their way.
struct point {
	uint16_t type, rule, best;
};

struct search {
	const struct ddp_program *program;
	const struct automaton *types, *rules;
	bool *reached; // by packet type
	bool *passed;  // by state of types: reached behind the last header of a rule
	struct point points[POINTS_MAX];
	unsigned int n_points;
};

static uint16_t next_of(const struct automaton *a, uint16_t state, unsigned int node) {
	return a->next[state * a->n_tokens + node];
}

static void types_reach(struct search *s, uint16_t state) {
	const struct automaton *a = s->types;

	for (unsigned int i = 0; i < a->n_accepts[state]; i++)
		s->reached[a->accepts[a->first_accept[state] + i]] = true;
}

// Whatever header follows.
static void rest_reach(struct search *s) {
	const struct automaton *a = s->types;
	bool grows = true;

	while (grows) {
		grows = false;
		for (unsigned int state = 1; state < a->n_states; state++)
			for (unsigned int t = 0; s->passed[state] && t < a->n_tokens; t++) {
				const uint16_t next = next_of(a, state, t);

				grows |= next != 0 && !s->passed[next];
				s->passed[next] = true;
			}
	}
	for (unsigned int state = 1; state < a->n_states; state++)
		if (s->passed[state])
			types_reach(s, state);
}

// false: there is no room for it.
static bool point_add(struct search *s, const struct point *point) {
	for (unsigned int i = 0; i < s->n_points; i++)
		if (memcmp(&s->points[i], point, sizeof(*point)) == 0)
			return true;
	if (s->n_points == POINTS_MAX)
		return false;
	s->points[s->n_points++] = *point;
	return true;
}

// Does a path that ends in this state have the type of a shorter one? Perhaps, if it has none of
// its own, or one with a condition.
static bool keeps_best(const struct search *s, uint16_t state) {
	return s->types->type[state] == DDP_TYPE_NONE || s->types->type[state] == TYPE_ASK;
}

static bool arrive(struct search *s, struct point point) {
	bool ok = !keeps_best(s, point.type) || point_add(s, &point);

	point.best = point.type;
	return ok && (s->types->type[point.type] == DDP_TYPE_NONE || point_add(s, &point));
}

static bool step(struct search *s, const struct point *from, unsigned int node) {
	const struct point to = {
		.type = next_of(s->types, from->type, node),
		.rule = next_of(s->rules, from->rule, node),
		.best = from->best,
	};

	if (to.rule == 0 || s->program->nodes[node].info.hidden)
		return true;
	if (s->rules->n_accepts[to.rule] == 0)
		return arrive(s, to);
	if (keeps_best(s, to.type))
		types_reach(s, to.best);
	s->passed[to.type] = true;
	return true;
}

void flow_reach_find(struct ddp_flow_set *set, const struct ddp_program *program,
		     struct ddp_arena *scratch) {
	struct search *s = ddp_arena_alloc(scratch, sizeof(*s));
	bool ok = set->any.n_groups == 0 && program->model == NULL;

	set->reached = ddp_arena_alloc(set->arena, program->n_types + 1);
	*s = (struct search){
		.program = program,
		.types = &program->automaton,
		.rules = &set->automaton,
		.reached = set->reached,
	};
	if (ok) {
		s->passed = ddp_arena_alloc(scratch, s->types->n_states);
		arrive(s, (struct point){.type = s->types->start, .rule = s->rules->start});
	}
	for (unsigned int i = 0; i < s->n_points && ok; i++)
		for (unsigned int node = 0; node < s->rules->n_tokens && ok; node++) {
			const struct point from = s->points[i];

			ok = step(s, &from, node);
		}
	if (ok)
		rest_reach(s);
	else
		memset(set->reached, true, program->n_types);
}

bool ddp_flow_set_reaches(const struct ddp_flow_set *set, unsigned int type) {
	assert(type < set->view.n_types);
	return set->reached[type];
}
