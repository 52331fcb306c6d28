/* SPDX-License-Identifier: BSD-3-Clause */
// Proofs about a whole profile. After them the data path may rely on:
//
// - an expression never wraps or goes below zero (expr.c);
// - a header's size has a bound, and the walk refuses one that is smaller than its own layout;
// - headers without bytes of their own never lead back to themselves, so that a walk ends and every
//   step but a bounded number moves forward in the packet;
// - tables are sorted, every index is valid.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rte_ptype.h"
#include "loader.h"
#include "profile_format.h"

/* Sizes */

static void size_check(struct loader *l, struct ddp_header *header) {
	uint32_t fixed = (header->start_bits + header->end_bits) / 8;
	uint32_t optional = 0;
	uint64_t min, max;
	const char *what;

	for (unsigned int i = 0; i < header->n_groups; i++)
		optional += header->groups[i].bits / 8;
	header->min_size = fixed;
	header->max_size = fixed + optional;
	if (header->length.n_ops == 0) {
		if (header->open)
			ddp_error(l->diag, &header->place,
				  "header '%s': '...' in its layout needs a 'length'",
				  header->name);
		return;
	}
	if (!expr_range(&header->length, &min, &max, &what))
		return; // reported when it was read
	if (max < fixed)
		ddp_error(l->diag, &header->place,
			  "header '%s': its length is at most %llu bytes, its layout takes %u",
			  header->name, (unsigned long long)max, fixed);
	header->min_size = min > fixed ? min : fixed;
	header->max_size = max > UINT32_MAX ? UINT32_MAX : max;
	header->open = true;
}

/* Walks end */

typedef bool (*edge_fn)(struct loader *l, unsigned int target, void *arg);

// Call fn for every header that may follow. false as soon as fn says so.
static bool edges_each(struct loader *l, const struct ddp_header *header, edge_fn fn, void *arg) {
	for (unsigned int i = 0; i < header->n_rules; i++) {
		int target;

		for (unsigned int n = 0;
		     (target = ddp_rule_target(l->profile, &header->rules[i], n)) >= 0; n++)
			if (!fn(l, target, arg))
				return false;
	}
	return true;
}

enum mark {
	UNSEEN,
	OPEN,
	DONE,
};

// Depth-first among headers that may take no bytes: coming back to an open one is a loop.
static bool progress_visit(struct loader *l, unsigned int target, void *arg) {
	const struct ddp_header *header = &l->profile->headers[target];
	uint8_t *marks = arg;

	assert(target < l->profile->n_headers);
	if (header->min_size > 0 || marks[target] == DONE)
		return true;
	if (marks[target] == OPEN)
		return ddp_refuse(
			l->diag, &header->place,
			"header '%s' can take no bytes and lead back to itself: a walk would not "
			"end",
			header->name);
	marks[target] = OPEN;
	if (!edges_each(l, header, progress_visit, marks))
		return false;
	marks[target] = DONE;
	return true;
}

static bool reach_visit(struct loader *l, unsigned int target, void *arg) {
	uint8_t *marks = arg;

	if (marks[target] == UNSEEN) {
		marks[target] = DONE;
		edges_each(l, &l->profile->headers[target], reach_visit, marks);
	}
	return true;
}

static void walks_check(struct loader *l) {
	uint8_t marks[DDP_MAX_NODES] = {UNSEEN};

	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		if (!progress_visit(l, i, marks))
			return;
	memset(marks, UNSEEN, sizeof(marks));
	reach_visit(l, l->profile->first, marks);
	// A hidden header that nothing uses is an offer. A model finds headers without rules.
	for (unsigned int i = 0; i < l->profile->n_headers && !l->profile->modelled; i++)
		if (marks[i] == UNSEEN && !l->profile->headers[i].hidden)
			ddp_warn(l->diag, &l->profile->headers[i].place,
				 "header '%s' is never reached: nothing leads to it",
				 l->profile->headers[i].name);
}

/* Rules */

// Has each value of narrow also wide?
static bool pattern_covers(const struct ddp_pattern *wide, const struct ddp_pattern *narrow) {
	return (wide->mask_hi & ~narrow->mask_hi) == 0 && (wide->mask_lo & ~narrow->mask_lo) == 0 &&
	       (narrow->value_hi & wide->mask_hi) == wide->value_hi &&
	       (narrow->value_lo & wide->mask_lo) == wide->value_lo;
}

static bool patterns_are_apart(const struct ddp_pattern *a, const struct ddp_pattern *b) {
	return ((a->value_hi ^ b->value_hi) & a->mask_hi & b->mask_hi) != 0 ||
	       ((a->value_lo ^ b->value_lo) & a->mask_lo & b->mask_lo) != 0;
}

bool ddp_patterns_meet(const struct ddp_match *a, const struct ddp_match *b) {
	for (unsigned int i = 0; i < a->n_patterns; i++)
		for (unsigned int j = 0; j < b->n_patterns; j++)
			if (!patterns_are_apart(&a->patterns[i], &b->patterns[j]))
				return true;
	return false;
}

static bool is_covered(const struct ddp_pattern *pattern, const struct ddp_match *by) {
	for (unsigned int i = 0; i < by->n_patterns; i++)
		if (pattern_covers(&by->patterns[i], pattern))
			return true;
	return false;
}

static bool is_apart(const struct ddp_pattern *pattern, const struct ddp_match *from) {
	for (unsigned int i = 0; i < from->n_patterns; i++)
		if (!patterns_are_apart(&from->patterns[i], pattern))
			return false;
	return true;
}

// Does match b hold only where a does? Both test one field.
static bool match_implies(const struct ddp_match *b, const struct ddp_match *a) {
	if (!ddp_refs_equal(&a->ref, &b->ref) || (b->negate && !a->negate))
		return false;
	for (unsigned int i = 0; !b->negate && i < b->n_patterns; i++)
		if (a->negate ? !is_apart(&b->patterns[i], a) : !is_covered(&b->patterns[i], a))
			return false;
	for (unsigned int i = 0; b->negate && i < a->n_patterns; i++)
		if (!is_covered(&a->patterns[i], b))
			return false;
	return true;
}

// Does b hold only where a does, as far as their matches prove it?
static bool cond_implies(const struct ddp_cond *b, const struct ddp_cond *a) {
	for (unsigned int i = 0; i < a->n_matches; i++) {
		bool implied = false;

		for (unsigned int j = 0; j < b->n_matches && !implied; j++)
			implied = match_implies(&b->matches[j], &a->matches[i]);
		if (!implied)
			return false;
	}
	return a->expr.n_ops == 0;
}

// The first rule before this one, with another header, that applies wherever it does, or NULL.
static const struct ddp_rule *rule_before(const struct ddp_header *header, unsigned int i) {
	const struct ddp_rule *rule = &header->rules[i];

	for (const struct ddp_rule *before = header->rules; before < rule; before++) {
		const bool leads_there_too = rule->kind == DDP_RULE_GOTO &&
					     before->kind == DDP_RULE_GOTO &&
					     before->target == rule->target;

		if (before->kind != DDP_RULE_LOOKUP && !leads_there_too &&
		    cond_implies(&rule->cond, &before->cond))
			return before;
	}
	return NULL;
}

static void rules_check(struct loader *l, const struct ddp_header *header) {
	for (unsigned int i = 0; i < header->n_rules; i++)
		if (header->rules[i].kind == DDP_RULE_LOOKUP)
			ddp_ref_field(l->profile, &header->rules[i].key)->hex |=
				l->profile->tables[header->rules[i].table].hex;
	for (unsigned int i = 1; i < header->n_rules; i++) {
		const struct ddp_rule *before = rule_before(header, i);

		if (before == NULL)
			continue;
		ddp_warn(l->diag, &header->rules[i].place,
			 "this can never apply: the rule of header '%s' in %s:%u always does%s",
			 header->name, before->place.file, before->place.line,
			 format_is_always(&before->cond) ? "" : " where this one would");
		if (format_is_always(&before->cond))
			return;
	}
}

static int entry_compare(const void *a, const void *b) {
	const struct ddp_table_entry *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Packet types */

// Was the profile requested, with packet types? Others, and base, offer headers for paths.
static bool has_types(const struct ddp_profile *profile, const char *name) {
	bool named = false;

	if (strcmp(name, "base") == 0)
		return false;
	for (unsigned int i = 0; i < profile->n_parts; i++)
		named |= profile->parts[i].named && strcmp(profile->parts[i].name, name) == 0;
	for (unsigned int i = 0; named && i < profile->n_types; i++)
		if (strcmp(profile->types[i].profile, name) == 0)
			return true;
	return false;
}

// The number of times that a header can be in a path. enough: at least as often as required.
static unsigned int path_most(const struct ddp_path *path, uint8_t node, unsigned int enough) {
	unsigned int left, right;

	if (path == NULL)
		return 0;
	if (path->kind == DDP_PATH_HEADER)
		return path->node == node;
	left = path_most(path->left, node, enough);
	right = path_most(path->right, node, enough);
	switch (path->kind) {
	case DDP_PATH_SEQUENCE:
		return left + right < enough ? left + right : enough;
	case DDP_PATH_ANY:
	case DDP_PATH_SOME:
		return left > 0 ? enough : 0;
	default:
		return left > right ? left : right;
	}
}

// A header that is in no packet type only shows in the path: neither mbufs nor RSS know it.
static void headers_check(struct loader *l) {
	const struct ddp_profile *profile = l->profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];
		unsigned int n = 0;

		while (n < profile->n_types && path_most(profile->types[n].path, i, 1) == 0)
			n++;
		if (n == profile->n_types && !header->hidden && has_types(profile, header->profile))
			ddp_warn(l->diag, &header->place, "header '%s' is in no packet type",
				 header->name);
	}
}

static bool path_without_ip(const struct ddp_profile *profile, const struct ddp_path *path) {
	switch (path->kind) {
	case DDP_PATH_HEADER:
		return (profile->headers[path->node].rte_ptype & DDP_RTE_PTYPE_L3_MASK) == 0;
	case DDP_PATH_SEQUENCE:
		return path_without_ip(profile, path->left) &&
		       path_without_ip(profile, path->right);
	case DDP_PATH_EITHER:
		return path_without_ip(profile, path->left) ||
		       path_without_ip(profile, path->right);
	case DDP_PATH_SOME:
		return path_without_ip(profile, path->left);
	default:
		return true;
	}
}

// Whether no IP header may follow a header: it is the last one, or in what that carries.
static bool path_has_inner(const struct ddp_profile *profile, const struct ddp_path *path,
			   uint8_t node) {
	if (path == NULL)
		return false;
	switch (path->kind) {
	case DDP_PATH_HEADER:
		return path->node == node;
	case DDP_PATH_SEQUENCE:
		return path_has_inner(profile, path->right, node) ||
		       (path_has_inner(profile, path->left, node) &&
			path_without_ip(profile, path->right));
	default:
		return path_has_inner(profile, path->left, node) ||
		       path_has_inner(profile, path->right, node);
	}
}

static bool input_is_possible(const struct ddp_profile *profile, const struct ddp_packet_type *type,
			      const struct ddp_ref *input) {
	unsigned int nth = input->which == DDP_WHICH_NTH ? input->nth : 1;

	if (profile->headers[input->node].hidden)
		return true;
	if (input->which == DDP_WHICH_INNER)
		return path_has_inner(profile, type->path, input->node);
	return path_most(type->path, input->node, nth) >= nth;
}

// An input set of several packet types may name what only one of them has.
static bool input_is_used(const struct ddp_profile *profile, const struct ddp_input_set *set,
			  unsigned int input, const struct ddp_packet_type **first) {
	*first = NULL;
	for (unsigned int i = 0; i < profile->n_types; i++) {
		const struct ddp_packet_type *type = &profile->types[i];

		for (unsigned int j = 0; j < type->n_sets; j++) {
			const struct ddp_place *place = &type->sets[j].place;

			if (place->file != set->place.file || place->line != set->place.line ||
			    place->col != set->place.col)
				continue;
			if (*first == NULL)
				*first = type;
			if (input_is_possible(profile, type, &type->sets[j].inputs[input]))
				return true;
		}
	}
	return false;
}

static void inputs_check(struct loader *l, const struct ddp_packet_type *type) {
	const struct ddp_packet_type *first;

	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];

		for (unsigned int j = 0; j < set->n_inputs; j++)
			if (!input_is_possible(l->profile, type, &set->inputs[j]) &&
			    !input_is_used(l->profile, set, j, &first) && first == type)
				ddp_warn(
					l->diag, &set->place,
					"no packet of type '%s' has the field '%s' that is hashed here",
					type->name, set->inputs[j].name);
	}
}

// Hidden headers may stand anywhere between those of the path.
static bool type_may_have(struct loader *l, const struct ddp_packet_type *type,
			  const struct ddp_ref *ref) {
	return l->profile->headers[ref->node].hidden || path_most(type->path, ref->node, 1) > 0;
}

static void type_check(struct loader *l, const struct ddp_packet_type *type) {
	if (type->path == NULL)
		return;
	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];
		bool any = false;

		for (unsigned int j = 0; j < set->n_inputs; j++)
			any |= type_may_have(l, type, &set->inputs[j]);
		if (!any && set->n_inputs > 0 && !l->profile->modelled)
			ddp_error(l->diag, &set->place,
				  "packet type '%s' has none of the headers that are hashed here",
				  type->name);
	}
	for (unsigned int i = 0; i < type->n_extract; i++)
		if (!type_may_have(l, type, &type->extract[i]))
			ddp_error(l->diag, &type->place,
				  "packet type '%s' extracts '%s', but its path has no such header",
				  type->name, type->extract[i].name);
}

void profile_check(struct loader *l) {
	struct ddp_profile *profile = l->profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		size_check(l, &profile->headers[i]);
		if (l->diag->n_errors == 0) // else rules may be incomplete
			rules_check(l, &profile->headers[i]);
	}
	for (unsigned int i = 0; i < profile->n_tables; i++)
		if (profile->tables[i].n_entries > 0)
			qsort(profile->tables[i].entries, profile->tables[i].n_entries,
			      sizeof(profile->tables[i].entries[0]), entry_compare);
	if (l->diag->n_errors == 0)
		walks_check(l);
	for (unsigned int i = 0; i < profile->n_types; i++)
		type_check(l, &profile->types[i]);
	if (l->diag->n_errors > 0 || profile->modelled)
		return;
	headers_check(l);
	for (unsigned int i = 0; i < profile->n_types; i++)
		inputs_check(l, &profile->types[i]);
}

/* The most that a walk can take: the longest way through the parse graph, each header as large and
 * as costly as it can be, whatever the conditions of the rules. Where the graph leads back to a
 * header, the limits of the walk end it, and every way within them is tried. */

#define UNREACHED UINT32_MAX

// The most of walks: bytes that layouts name, all bytes up to where they stand, and steps.
struct most {
	uint32_t named, reach;
	uint64_t cost;
};

// Walks of a number of steps, by the header they stand before and how many of a path are behind.
struct front {
	unsigned int n_nodes, max_headers;
	struct most *most; // [n_headers * n_nodes + node]; named is UNREACHED without a walk
};

static size_t front_len(const struct front *front) {
	return (front->max_headers + 1) * (size_t)front->n_nodes;
}

static void front_clear(struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		front->most[i].named = UNREACHED;
}

static uint64_t larger(uint64_t a, uint64_t b) {
	return a > b ? a : b;
}

static uint32_t add(uint32_t a, uint64_t b, uint32_t max) {
	return a + b < max ? a + b : max;
}

static void front_add(const struct front *front, unsigned int n_headers, unsigned int node,
		      struct most most) {
	struct most *known = &front->most[n_headers * front->n_nodes + node];

	assert(n_headers <= front->max_headers && node < front->n_nodes);
	if (known->named == UNREACHED)
		*known = most;
	known->named = larger(known->named, most.named);
	known->reach = larger(known->reach, most.reach);
	known->cost = larger(known->cost, most.cost);
}

static void follow(const struct ddp_profile *profile, const struct ddp_header *header,
		   const struct front *next, unsigned int n_headers, struct most most) {
	int target;

	for (unsigned int i = 0; i < header->n_rules; i++)
		for (unsigned int n = 0;
		     (target = ddp_rule_target(profile, &header->rules[i], n)) >= 0; n++)
			front_add(next, n_headers, target, most);
}

// Count a header after those before it. Returns the most up to its end.
static struct most header_count(const struct ddp_header *header, struct most before,
				const struct ddp_header_cost *cost, uint32_t max_bytes,
				struct ddp_bound *bound) {
	const uint32_t ahead = (header->ahead_bits + 7) / 8; // offset of the next header
	uint32_t named = (header->start_bits + header->end_bits) / 8 + ahead;
	struct most end;

	for (unsigned int i = 0; i < header->n_groups; i++)
		named += header->groups[i].bits / 8;
	end.named = add(before.named, named, UNREACHED - 1);
	end.reach = add(before.reach, header->max_size, max_bytes);
	end.cost = before.cost + (cost == NULL ? 0 : ddp_cost_after(cost, bound->n_steps));
	bound->cost = larger(bound->cost, end.cost);
	bound->n_bytes = larger(bound->n_bytes, end.named);
	bound->end = larger(bound->end, add(end.reach, ahead, max_bytes));
	return end;
}

static bool step(const struct ddp_profile *profile, const struct ddp_header_cost *costs,
		 const struct front *now, const struct front *next, uint32_t max_bytes,
		 struct ddp_bound *bound) {
	bool any = false;

	for (unsigned int n = 0; n <= now->max_headers; n++) {
		for (unsigned int i = 0; i < profile->n_headers; i++) {
			const struct ddp_header *header = &profile->headers[i];
			unsigned int n_headers = n + !header->hidden;
			struct most most = now->most[n * now->n_nodes + i];

			if (most.named == UNREACHED)
				continue;
			if (n_headers > now->max_headers) {
				bound->by_graph = false;
				continue;
			}
			any = true;
			bound->n_headers = larger(bound->n_headers, n_headers);
			follow(profile, header, next, n_headers,
			       header_count(header, most, costs != NULL ? &costs[i] : NULL,
					    max_bytes, bound));
		}
	}
	return any;
}

static bool is_empty(const struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		if (front->most[i].named != UNREACHED)
			return false;
	return true;
}

static void walk_all(const struct ddp_profile *profile, const struct ddp_header_cost *costs,
		     struct front *now, struct front *next, unsigned int max_steps,
		     uint32_t max_bytes, struct ddp_bound *bound) {
	front_clear(now);
	front_add(now, 0, profile->first, (struct most){0});
	for (; bound->n_steps < max_steps; bound->n_steps++) {
		struct most *most = now->most;

		front_clear(next);
		if (!step(profile, costs, now, next, max_bytes, bound))
			return;
		now->most = next->most;
		next->most = most;
	}
	bound->by_graph &= is_empty(now); // a walk that still stands somewhere would go on
}

int ddp_profile_bound(const struct ddp_profile *profile, unsigned int max_headers,
		      unsigned int max_steps, uint32_t max_bytes,
		      const struct ddp_header_cost *costs, struct ddp_bound *bound) {
	struct front now = {.n_nodes = profile->n_headers, .max_headers = max_headers};
	struct front next = now;
	int ret = 0;

	*bound = (struct ddp_bound){.by_graph = true};
	now.most = calloc(front_len(&now), sizeof(*now.most));
	next.most = calloc(front_len(&next), sizeof(*next.most));
	if (now.most != NULL && next.most != NULL) {
		walk_all(profile, costs, &now, &next, max_steps, max_bytes, bound);
		bound->n_bytes = bound->n_bytes < bound->end ? bound->n_bytes : bound->end;
	} else {
		errno = ENOMEM;
		ret = -ENOMEM;
	}
	free(now.most);
	free(next.most);
	return ret;
}
