/* SPDX-License-Identifier: BSD-3-Clause */
// The most that a walk can take: the longest way through the parse graph, each header as large and
// as costly as it can be, whatever the conditions of the rules. Where the graph leads back to a
// header, the limits of the walk end it, and every way within them is tried.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "profile.h"

#define UNREACHED UINT32_MAX

// The most of walks: bytes that layouts name, all bytes up to where they stand, and steps.
struct most {
	uint32_t named, reach;
	uint64_t cost;
};

// Walks of one number of steps, by the header they stand before and the number of headers behind
// them that are part of a path.
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

// Put a walk that goes on with node into front.
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

// One step of all walks, from now to next. false when none goes on within the limits.
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
