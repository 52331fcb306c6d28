/* SPDX-License-Identifier: BSD-3-Clause */
#include "chains.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "profile/profile_format.h"

/* Chains of a path expression */

static void chains_add(struct chains *chains, const struct chain *chain) {
	for (unsigned int i = 0; i < chains->n; i++)
		if (chains->chains[i].n == chain->n &&
		    memcmp(chains->chains[i].headers, chain->headers,
			   chain->n * sizeof(chain->headers[0])) == 0)
			return;
	if (chains->n < CHAINS_MAX)
		chains->chains[chains->n++] = *chain;
}

static int chain_compare(const void *a, const void *b) {
	const struct chain *x = a, *y = b;

	return (x->n > y->n) - (x->n < y->n);
}

static void chains_sort(struct chains *chains) {
	qsort(chains->chains, chains->n, sizeof(chains->chains[0]), chain_compare);
}

// Add to chains each chain of so_far followed by the path.
static void path_follow(const struct ddp_profile *profile, const struct ddp_path *path,
			const struct chains *so_far, struct chains *chains) {
	struct chains *middle;

	if (path == NULL) { // packages have no headers
		*chains = *so_far;
		return;
	}
	switch (path->kind) {
	case DDP_PATH_HEADER:
		for (unsigned int i = 0; i < so_far->n; i++) {
			struct chain chain = so_far->chains[i];

			if (chain.n == CHAIN_MAX)
				continue;
			chain.headers[chain.n++] = profile->headers[path->node].name;
			chains_add(chains, &chain);
		}
		return;
	case DDP_PATH_SEQUENCE:
		middle = calloc_or_exit(1, sizeof(*middle));
		path_follow(profile, path->left, so_far, middle);
		chains_sort(middle); // keep the shortest
		path_follow(profile, path->right, middle, chains);
		free(middle);
		return;
	case DDP_PATH_OPTIONAL:
	case DDP_PATH_ANY:
		for (unsigned int i = 0; i < so_far->n; i++)
			chains_add(chains, &so_far->chains[i]);
		path_follow(profile, path->left, so_far, chains);
		return;
	case DDP_PATH_SOME:
		path_follow(profile, path->left, so_far, chains);
		return;
	case DDP_PATH_EITHER:
		path_follow(profile, path->left, so_far, chains);
		path_follow(profile, path->right, so_far, chains);
		return;
	}
}

void chains_of_type(const struct ddp_profile *profile, unsigned int type, struct chains *chains) {
	static const struct chains empty = {.n = 1};
	struct chains *all = calloc_or_exit(1, sizeof(*all));

	path_follow(profile, profile->types[type].path, &empty, all);
	chains_sort(all);
	chains->n = 0;
	for (unsigned int i = 0; i < all->n; i++) {
		struct chain_answer answer =
			chain_ask(profile, &all->chains[i], profile->types[type].name);

		if (profile->modelled ||
		    (answer.type == (int)type && answer.n_matched == all->chains[i].n))
			chains->chains[chains->n++] = all->chains[i];
	}
	free(all);
}

/* Paths through a parse graph */

static bool leads_to(const struct ddp_profile *profile, unsigned int from, unsigned int to,
		     bool *visited);

static bool is_way(const struct ddp_profile *profile, unsigned int target, unsigned int to,
		   bool *visited) {
	if (target == to)
		return true;
	if (!profile->headers[target].hidden || visited[target])
		return false;
	visited[target] = true;
	return leads_to(profile, target, to, visited);
}

// Does a rule lead from one header to another, maybe by hidden headers?
static bool leads_to(const struct ddp_profile *profile, unsigned int from, unsigned int to,
		     bool *visited) {
	const struct ddp_header *header = &profile->headers[from];
	int target;

	for (unsigned int i = 0; i < header->n_rules; i++)
		for (unsigned int n = 0;
		     (target = ddp_rule_target(profile, &header->rules[i], n)) >= 0; n++)
			if (is_way(profile, target, to, visited))
				return true;
	return false;
}

// Find the headers of a chain in the profile, as far as its parse graph has the path.
static unsigned int chain_follow(const struct ddp_profile *profile, const struct chain *chain,
				 uint8_t nodes[CHAIN_MAX]) {
	int before = -1;

	for (unsigned int i = 0; i < chain->n; i++) {
		int header = ddp_header_find(profile, chain->headers[i]);
		bool visited[DDP_MAX_NODES] = {false};

		if (header < 0 || profile->headers[header].hidden)
			return i;
		if (!profile->modelled &&
		    !(before < 0 ? is_way(profile, profile->first, header, visited) :
				   leads_to(profile, before, header, visited)))
			return i;
		nodes[i] = header;
		before = header;
	}
	return chain->n;
}

/* Matching: sets of positions in a chain, bit i before header i */

static uint32_t path_ends(const struct ddp_path *path, const uint8_t *nodes, unsigned int n,
			  uint32_t from);

static uint32_t repeated_ends(const struct ddp_path *path, const uint8_t *nodes, unsigned int n,
			      uint32_t from) {
	uint32_t ends = path_ends(path, nodes, n, from), all = ends;

	while (ends != 0) {
		ends = path_ends(path, nodes, n, ends) & ~all;
		all |= ends;
	}
	return all;
}

static uint32_t path_ends(const struct ddp_path *path, const uint8_t *nodes, unsigned int n,
			  uint32_t from) {
	uint32_t ends = 0;

	if (path == NULL || from == 0)
		return 0;
	switch (path->kind) {
	case DDP_PATH_HEADER:
		for (unsigned int i = 0; i < n; i++)
			if ((from >> i & 1) != 0 && nodes[i] == path->node)
				ends |= UINT32_C(1) << (i + 1);
		return ends;
	case DDP_PATH_SEQUENCE:
		return path_ends(path->right, nodes, n, path_ends(path->left, nodes, n, from));
	case DDP_PATH_EITHER:
		return path_ends(path->left, nodes, n, from) |
		       path_ends(path->right, nodes, n, from);
	case DDP_PATH_OPTIONAL:
		return from | path_ends(path->left, nodes, n, from);
	case DDP_PATH_ANY:
		return from | repeated_ends(path->left, nodes, n, from);
	case DDP_PATH_SOME:
		return repeated_ends(path->left, nodes, n, from);
	}
	return 0;
}

// Is a type preferred to another that matches as many headers?
static bool is_better(const struct ddp_packet_type *type, const struct ddp_packet_type *than,
		      const char *name) {
	const bool always = format_is_always(&type->cond);
	bool named = strcmp(type->name, name) == 0, than_named = strcmp(than->name, name) == 0;

	// A type with a condition may match or not.
	if (always != format_is_always(&than->cond))
		return named != than_named ? named : always;
	if (type->priority != than->priority)
		return type->priority > than->priority;
	return named && !than_named;
}

struct chain_answer chain_ask(const struct ddp_profile *profile, const struct chain *chain,
			      const char *name) {
	struct chain_answer answer = {.type = -1};
	uint8_t nodes[CHAIN_MAX];
	const unsigned int n_followed = chain_follow(profile, chain, nodes);

	assert(n_followed <= CHAIN_MAX);

	for (unsigned int i = 0; i < profile->n_types; i++) {
		const struct ddp_packet_type *type = &profile->types[i];
		uint32_t ends = path_ends(type->path, nodes, n_followed, 1);
		unsigned int n = ends == 0 ? 0 : 31 - __builtin_clz(ends);

		if (n == 0 || n < answer.n_matched)
			continue;
		if (n == answer.n_matched && !is_better(type, &profile->types[answer.type], name))
			continue;
		answer.type = i;
		answer.n_matched = n;
	}
	return answer;
}
