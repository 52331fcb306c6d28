/* SPDX-License-Identifier: BSD-3-Clause */
// Paths of packet types, regular expressions over headers, as one deterministic automaton.
//
// Each path becomes a non-deterministic automaton in Thompson's manner; all of them together are
// made deterministic by the subset construction. It only follows transitions that the parse graph
// has: a state is the set of positions in paths together with the header just seen, so that two
// packet types conflict only if a packet can be both, and types of no packet are found.
#include <stdlib.h>

#include "build.h"

#define NFA_MAX 60000 // positions
#define DFA_MAX 8192  // states

#define FREELY (-1)     // no header
#define ANY_HEADER (-2) // any header

// A position in a path: leads on by a header, or freely to up to two others, or ends a type.
struct nfa_state {
	int16_t node;   // header to go on by, or one of those below
	int32_t to[2];  // -1: none
	int32_t accept; // type, -1: none
};

// A set of positions, sorted, and the header just seen.
struct state {
	int32_t *nfa;
	unsigned int n_nfa;
	int16_t node;   // -1 at the start
	int32_t parent; // state it was first reached from
};

struct builder {
	const struct ddp_profile *profile;
	struct ddp_arena *arena;
	struct ddp_diag *diag;
	struct nfa_state *nfa;
	unsigned int n_nfa;
	struct state *states;
	unsigned int n_states;
	int32_t *buckets; // states by hash, chained
	int32_t *chain;
	uint16_t *next;
	uint32_t *marks; // per position: the last closure that had it
	uint32_t mark;
	int32_t *stack;
	bool *successors;   // [node * n + node]; in row n, what a packet can begin with
	const bool *needed; // [node], or NULL: see automaton_build()
	bool *needs_hidden; // [node]: such a header can follow
	bool *matched;      // [type]
	bool failed;
	struct ddp_place whole; // the file that requests all of them
};

/* Non-deterministic */

static int32_t nfa_new(struct builder *b) {
	struct nfa_state *position;

	if (b->n_nfa == NFA_MAX) {
		if (!b->failed)
			ddp_error(b->diag, &b->whole,
				  "the paths of all packet types are too long together");
		b->failed = true;
		return b->n_nfa - 1;
	}
	position = DDP_APPEND(b->arena, b->nfa, b->n_nfa);
	*position = (struct nfa_state){.node = FREELY, .to = {-1, -1}, .accept = -1};
	return b->n_nfa - 1;
}

static void nfa_link(struct builder *b, int32_t from, int32_t to) {
	struct nfa_state *position = &b->nfa[from];

	position->to[position->to[0] >= 0] = to;
}

// Lay path from position `from` on. Returns the position of its end.
static int32_t path_lay(struct builder *b, const struct ddp_path *path, int32_t from) {
	int32_t start, middle, end;

	switch (path->any ? DDP_PATH_HEADER : path->kind) {
	case DDP_PATH_HEADER:
		end = nfa_new(b);
		start = nfa_new(b);
		nfa_link(b, from, start);
		b->nfa[start].node = path->any ? ANY_HEADER : path->node;
		b->nfa[start].to[0] = end;
		return end;
	case DDP_PATH_SEQUENCE:
		return path_lay(b, path->right, path_lay(b, path->left, from));
	case DDP_PATH_EITHER:
		start = nfa_new(b);
		nfa_link(b, from, start);
		middle = path_lay(b, path->left, start);
		end = nfa_new(b);
		nfa_link(b, middle, end);
		nfa_link(b, path_lay(b, path->right, start), end);
		return end;
	default: // optional, any, some
		start = nfa_new(b);
		nfa_link(b, from, start);
		middle = path_lay(b, path->left, start);
		end = nfa_new(b);
		nfa_link(b, middle, end);
		if (path->kind != DDP_PATH_SOME)
			nfa_link(b, start, end);
		if (path->kind != DDP_PATH_OPTIONAL)
			nfa_link(b, middle, start);
		return end;
	}
}

/* Headers that can follow each other, without hidden ones */

// Whether a hidden header is wanted; the positions of IP and ports are for every packet type.
static bool is_needed(const struct builder *b, unsigned int node) {
	const uint32_t always = DDP_RTE_PTYPE_L3_MASK | DDP_RTE_PTYPE_L4_MASK;

	return (b->profile->headers[node].rte_ptype & always) != 0 ||
	       (b->needed != NULL && b->needed[node]);
}

static void successors_mark(struct builder *b, unsigned int of, unsigned int node, bool *visited);

static void successor_mark(struct builder *b, unsigned int of, unsigned int target, bool *visited) {
	if (!b->profile->headers[target].hidden) {
		b->successors[of * b->profile->n_headers + target] = true;
	} else if (!visited[target]) {
		visited[target] = true;
		b->needs_hidden[of] = b->needs_hidden[of] || is_needed(b, target);
		successors_mark(b, of, target, visited);
	}
}

static void successors_mark(struct builder *b, unsigned int of, unsigned int node, bool *visited) {
	const struct ddp_header *header = &b->profile->headers[node];

	int target;

	for (unsigned int i = 0; i < header->n_rules; i++)
		for (unsigned int n = 0;
		     (target = ddp_rule_target(b->profile, &header->rules[i], n)) >= 0; n++)
			successor_mark(b, of, target, visited);
}

static void successors_find(struct builder *b) {
	unsigned int n = b->profile->n_headers;

	b->successors = ddp_arena_alloc(b->arena, (size_t)(n + 1) * n * sizeof(bool));
	b->needs_hidden = ddp_arena_alloc(b->arena, (n + 1) * sizeof(*b->needs_hidden));
	for (unsigned int i = 0; i <= n; i++) {
		bool visited[DDP_MAX_NODES] = {false};

		if (i < n)
			successors_mark(b, i, i, visited);
		else
			successor_mark(b, i, b->profile->first, visited);
	}
}

/* Deterministic */

static int int_compare(const void *a, const void *b) {
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

// Put the position and all that it leads to freely into set, as far as they matter.
static void closure_add(struct builder *b, int32_t position, int32_t *set, unsigned int *n) {
	unsigned int depth = 0;

	b->stack[depth++] = position;
	while (depth > 0) {
		const struct nfa_state *p;
		int32_t at = b->stack[--depth];

		if (b->marks[at] == b->mark)
			continue;
		b->marks[at] = b->mark;
		p = &b->nfa[at];
		if (p->node != FREELY || p->accept >= 0)
			set[(*n)++] = at;
		for (unsigned int i = 0; i < 2 && p->node == FREELY; i++)
			if (p->to[i] >= 0)
				b->stack[depth++] = p->to[i];
	}
}

static uint16_t state_get(struct builder *b, int32_t *set, unsigned int n, int node, int parent) {
	uint32_t hash = 2166136261u ^ (uint32_t)node;
	unsigned int bucket;
	struct state *state;

	if (n == 0)
		return 0;
	qsort(set, n, sizeof(*set), int_compare);
	for (unsigned int i = 0; i < n; i++)
		hash = (hash ^ (uint32_t)set[i]) * 16777619u;
	bucket = hash % DFA_MAX;
	for (int32_t i = b->buckets[bucket]; i >= 0; i = b->chain[i]) {
		state = &b->states[i];
		if (state->node == node && state->n_nfa == n &&
		    memcmp(state->nfa, set, n * sizeof(*set)) == 0)
			return i;
	}
	if (b->n_states == DFA_MAX) {
		if (!b->failed)
			ddp_error(b->diag, &b->whole,
				  "the packet types have too many paths together");
		b->failed = true;
		return 0;
	}
	state = DDP_APPEND(b->arena, b->states, b->n_states);
	state->nfa = ddp_arena_alloc(b->arena, n * sizeof(*set));
	memcpy(state->nfa, set, n * sizeof(*set));
	state->n_nfa = n;
	state->node = node;
	state->parent = parent;
	b->chain[b->n_states - 1] = b->buckets[bucket];
	b->buckets[bucket] = b->n_states - 1;
	return b->n_states - 1;
}

static uint16_t state_step(struct builder *b, unsigned int from, unsigned int node, int32_t *set) {
	const struct state *state = &b->states[from];
	unsigned int n = 0;

	assert(from < b->n_states);
	b->mark++;
	for (unsigned int i = 0; i < state->n_nfa; i++) {
		const struct nfa_state *position = &b->nfa[state->nfa[i]];

		if (position->node == (int)node || position->node == ANY_HEADER)
			closure_add(b, position->to[0], set, &n);
	}
	return state_get(b, set, n, node, from);
}

static void states_explore(struct builder *b, struct automaton *a) {
	unsigned int n_nodes = b->profile->n_headers;
	int32_t *set = ddp_arena_alloc(b->arena, b->n_nfa * sizeof(*set));

	for (unsigned int s = 1; s < b->n_states && !b->failed; s++) {
		a->next = ddp_arena_grow(b->arena, a->next, s, n_nodes * sizeof(*a->next));
		for (unsigned int node = 0; node < n_nodes; node++) {
			int last = b->states[s].node < 0 ? (int)n_nodes : b->states[s].node;

			if (b->successors[last * n_nodes + node])
				a->next[s * n_nodes + node] = state_step(b, s, node, set);
		}
	}
}

/* Packet types of a state */

static void state_path(const struct builder *b, unsigned int s, char *text, size_t size) {
	int16_t nodes[32];
	unsigned int n = 0;
	size_t len = 0;

	for (; b->states[s].node >= 0 && n < 32; s = b->states[s].parent)
		nodes[n++] = b->states[s].node;
	*text = '\0';
	while (n-- > 0 && len + 40 < size)
		len += snprintf(text + len, size - len, "%s%s", len > 0 ? " " : "",
				b->profile->headers[nodes[n]].name);
}

static bool is_conditional(const struct ddp_packet_type *type) {
	return type->cond.n_matches > 0 || type->cond.expr.n_ops > 0;
}

static bool types_conflict(const struct ddp_packet_type *a, const struct ddp_packet_type *b) {
	const struct ddp_match *x = a->cond.matches, *y = b->cond.matches;

	if (a->priority != b->priority || is_conditional(a) != is_conditional(b))
		return false;
	if (!is_conditional(a))
		return true;
	if (strcmp(a->profile, b->profile) == 0) // one author's conditions are tried in order
		return false;
	// Unless one field of both conditions proves that they exclude each other.
	for (unsigned int i = 0; i < a->cond.n_matches; i++)
		for (unsigned int j = 0; j < b->cond.n_matches; j++)
			if (strcmp(x[i].ref.name, y[j].ref.name) == 0 && !x[i].negate &&
			    !y[j].negate && !ddp_patterns_meet(&x[i], &y[j]))
				return false;
	return true;
}

static bool type_before(const struct ddp_profile *profile, uint16_t a, uint16_t b) {
	const struct ddp_packet_type *x = &profile->types[a], *y = &profile->types[b];

	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (is_conditional(x) != is_conditional(y))
		return is_conditional(x);
	return a < b;
}

static void accept_insert(struct builder *b, struct automaton *a, unsigned int state,
			  unsigned int *n_all, uint16_t type) {
	unsigned int first = a->first_accept[state], at = *n_all;

	DDP_APPEND(b->arena, a->accepts, *n_all);
	while (at > first && type_before(b->profile, type, a->accepts[at - 1])) {
		a->accepts[at] = a->accepts[at - 1];
		at--;
	}
	a->accepts[at] = type;
	a->n_accepts[state]++;
	b->matched[type] = true;
}

static bool conflict_is_new(uint32_t *reported, unsigned int *n, uint16_t first, uint16_t second) {
	uint32_t pair = (uint32_t)first << 16 | second;

	for (unsigned int i = 0; i < *n; i++)
		if (reported[i] == pair)
			return false;
	if (*n < DDP_DIAG_MAX)
		reported[(*n)++] = pair;
	return true;
}

static void conflicts_check(struct builder *b, const struct automaton *a, unsigned int state,
			    uint32_t *reported, unsigned int *n_reported) {
	const unsigned int first = a->first_accept[state], end = first + a->n_accepts[state];
	char path[400];

	for (unsigned int i = first; i < end; i++) {
		for (unsigned int j = i + 1; j < end; j++) {
			const struct ddp_packet_type *x = &b->profile->types[a->accepts[i]];
			const struct ddp_packet_type *y = &b->profile->types[a->accepts[j]];

			if (!types_conflict(x, y) ||
			    !conflict_is_new(reported, n_reported, a->accepts[i], a->accepts[j]))
				continue;
			state_path(b, state, path, sizeof(path));
			ddp_error(b->diag, &y->place,
				  "packet type '%s' (profile '%s') and '%s' in %s:%u (profile "
				  "'%s') both match '%s'; give one of them a priority",
				  y->name, y->profile, x->name, x->place.file, x->place.line,
				  x->profile, path);
		}
	}
}

static void accepts_find(struct builder *b, struct automaton *a) {
	uint32_t reported[DDP_DIAG_MAX];
	unsigned int n_all = 0, n_reported = 0;

	a->first_accept = ddp_arena_alloc(b->arena, b->n_states * sizeof(*a->first_accept));
	a->n_accepts = ddp_arena_alloc(b->arena, b->n_states * sizeof(*a->n_accepts));
	for (unsigned int s = 0; s < b->n_states; s++) {
		a->first_accept[s] = n_all;
		// A packet without a header is of no type.
		for (unsigned int i = 0; b->states[s].node >= 0 && i < b->states[s].n_nfa; i++) {
			int32_t type = b->nfa[b->states[s].nfa[i]].accept;

			if (type >= 0)
				accept_insert(b, a, s, &n_all, type);
		}
		conflicts_check(b, a, s, reported, &n_reported);
	}
}

static bool state_is_final(const struct builder *b, const struct automaton *a, unsigned int s) {
	for (unsigned int node = 0; node < a->n_tokens; node++)
		if (a->next[s * a->n_tokens + node] != 0)
			return false;
	return s == 0 || (b->states[s].node >= 0 && !b->needs_hidden[b->states[s].node]);
}

// Only the tables outlive the construction. Final states get the lowest numbers; 0 keeps its own.
static void tables_keep(struct builder *b, struct automaton *a, struct ddp_arena *arena) {
	uint16_t *numbers = ddp_arena_alloc(b->arena, a->n_states * sizeof(*numbers));
	const struct automaton made = *a;
	const size_t n = a->n_states;
	size_t n_accepts = a->first_accept[n - 1] + a->n_accepts[n - 1];

	for (size_t s = 0; s < n; s++)
		if (state_is_final(b, &made, s))
			numbers[s] = a->n_final++;
	for (size_t s = 0, other = a->n_final; s < n; s++)
		if (!state_is_final(b, &made, s))
			numbers[s] = other++;
	a->next = ddp_arena_alloc(arena, n * a->n_tokens * sizeof(*a->next));
	a->first_accept = ddp_arena_alloc(arena, n * sizeof(*a->first_accept));
	a->n_accepts = ddp_arena_alloc(arena, n * sizeof(*a->n_accepts));
	a->accepts = ddp_arena_alloc(arena, n_accepts * sizeof(*a->accepts));
	for (size_t s = 0; s < n; s++) {
		const size_t to = numbers[s];

		for (size_t node = 0; node < a->n_tokens; node++)
			a->next[to * a->n_tokens + node] =
				numbers[made.next[s * a->n_tokens + node]];
		a->first_accept[to] = made.first_accept[s];
		a->n_accepts[to] = made.n_accepts[s];
	}
	if (n_accepts > 0)
		memcpy(a->accepts, made.accepts, n_accepts * sizeof(*a->accepts));
	assert(made.start < n && a->n_final <= n);
	a->start = numbers[made.start];
}

static void nfa_build(struct builder *b) {
	int32_t root = nfa_new(b);

	for (unsigned int i = 0; i < b->profile->n_types && !b->failed; i++) {
		int32_t fork = nfa_new(b), start = nfa_new(b), end;

		// Each type hangs on a fork of its own: root -> fork -> (type, next fork).
		nfa_link(b, root, fork);
		nfa_link(b, fork, start);
		end = path_lay(b, b->profile->types[i].path, start);
		b->nfa[end].accept = i;
		root = fork;
	}
}

static void dfa_build(struct builder *b, struct automaton *a) {
	unsigned int n = 0;
	int32_t *set;

	b->marks = ddp_arena_alloc(b->arena, b->n_nfa * sizeof(*b->marks));
	b->stack = ddp_arena_alloc(b->arena, (2 * b->n_nfa + 2) * sizeof(*b->stack));
	b->buckets = ddp_arena_alloc(b->arena, DFA_MAX * sizeof(*b->buckets));
	b->chain = ddp_arena_alloc(b->arena, DFA_MAX * sizeof(*b->chain));
	memset(b->buckets, 0xff, DFA_MAX * sizeof(*b->buckets));
	DDP_APPEND(b->arena, b->states, b->n_states); // state 0: nothing, for ever
	a->n_tokens = b->profile->n_headers;
	a->next = ddp_arena_grow(b->arena, NULL, 0, a->n_tokens * sizeof(*a->next));
	set = ddp_arena_alloc(b->arena, b->n_nfa * sizeof(*set));
	b->mark = 1;
	closure_add(b, 0, set, &n);
	a->start = state_get(b, set, n, -1, 0);
	states_explore(b, a);
	a->n_states = b->n_states;
}

bool automaton_build(struct automaton *automaton, const struct ddp_profile *profile,
		     const bool *needed, struct ddp_arena *arena, struct ddp_arena *scratch,
		     struct ddp_diag *diag) {
	struct builder b = {.profile = profile, .needed = needed, .arena = scratch, .diag = diag};
	unsigned int n_failures = ddp_diag_failures(diag);

	b.whole.file = profile->parts[profile->n_parts - 1].file;
	b.matched = ddp_arena_alloc(scratch, profile->n_types + 1);
	successors_find(&b);
	nfa_build(&b);
	if (!b.failed)
		dfa_build(&b, automaton);
	if (!b.failed)
		accepts_find(&b, automaton);
	for (unsigned int i = 0; i < profile->n_types && !b.failed; i++)
		if (!b.matched[i])
			ddp_warn(diag, &profile->types[i].place,
				 "packet type '%s' never matches: no packet takes its path",
				 profile->types[i].name);
	if (ddp_diag_failures(diag) == n_failures)
		tables_keep(&b, automaton, arena);
	return ddp_diag_failures(diag) == n_failures;
}
