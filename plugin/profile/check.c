/* SPDX-License-Identifier: BSD-3-Clause */
// Proofs about a whole profile. After them the data path may rely on:
//
// - an expression never wraps or goes below zero (range.c);
// - a header's size has a bound, and the walk refuses one that is smaller than its own layout;
// - headers without bytes of their own never lead back to themselves, so that every DDP_MAX_STEPS a
// walk
//   ends, and every step but a bounded number moves forward in the packet;
// - tables are sorted, every index is valid.
#include <stdlib.h>
#include <string.h>

#include "loader.h"

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
	if (!expr_range(l->profile, &header->length, &min, &max, &what))
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
		const struct ddp_rule *rule = &header->rules[i];

		if (rule->kind == DDP_RULE_GOTO && !fn(l, rule->target, arg))
			return false;
		if (rule->kind != DDP_RULE_LOOKUP)
			continue;
		for (unsigned int j = 0; j < l->profile->tables[rule->table].n_entries; j++)
			if (!fn(l, l->profile->tables[rule->table].entries[j].target, arg))
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

	if (header->min_size > 0 || marks[target] == DONE)
		return true;
	if (marks[target] == OPEN) {
		ddp_error(l->diag, &header->place,
			  "header '%s' can take no bytes and lead back to itself: a walk would not "
			  "end",
			  header->name);
		return false;
	}
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
	// A hidden header that nothing uses is a choice offered to other profiles.
	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		if (marks[i] == UNSEEN && !l->profile->headers[i].hidden)
			ddp_warn(l->diag, &l->profile->headers[i].place,
				 "header '%s' is never reached: nothing leads to it",
				 l->profile->headers[i].name);
}

/* Rules */

static bool is_always(const struct ddp_rule *rule) {
	return rule->kind != DDP_RULE_LOOKUP && rule->cond.n_matches == 0 &&
	       rule->cond.expr.n_ops == 0;
}

static void rules_check(struct loader *l, const struct ddp_header *header) {
	for (unsigned int i = 1; i < header->n_rules; i++) {
		if (!is_always(&header->rules[i - 1]))
			continue;
		ddp_warn(l->diag, &header->rules[i].place,
			 "this can never apply: the rule of header '%s' in %s:%u always does",
			 header->name, header->rules[i - 1].place.file,
			 header->rules[i - 1].place.line);
		return;
	}
}

static int entry_compare(const void *a, const void *b) {
	const struct ddp_table_entry *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Packet types */

static void path_headers(const struct ddp_path *path, bool *headers) {
	if (path == NULL)
		return;
	if (path->kind == DDP_PATH_HEADER)
		headers[path->node] = true;
	path_headers(path->left, headers);
	path_headers(path->right, headers);
}

static void type_check(struct loader *l, const struct ddp_packet_type *type) {
	bool headers[DDP_MAX_NODES] = {false};

	if (type->path == NULL)
		return;
	path_headers(type->path, headers);
	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		headers[i] |= l->profile->headers[i].hidden; // may stand anywhere between them
	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];
		bool any = false;

		for (unsigned int j = 0; j < set->n_inputs; j++)
			any |= headers[set->inputs[j].node];
		if (!any && set->n_inputs > 0 && !l->profile->modelled)
			ddp_error(l->diag, &set->place,
				  "packet type '%s' has none of the headers that are hashed here",
				  type->name);
	}
	for (unsigned int i = 0; i < type->n_extract; i++)
		if (!headers[type->extract[i].node])
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
}
