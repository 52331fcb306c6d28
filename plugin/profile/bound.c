/* SPDX-License-Identifier: BSD-3-Clause */
// The most that a walk can take: the longest way through the parse graph, each header as large as
// it can be, whatever the conditions of the rules. Where the graph leads back to a header, the
// limits of the walk end it, and every way within them is tried.
#include <errno.h>
#include <stdlib.h>

#include "profile.h"

#define UNREACHED UINT32_MAX

// The most bytes of walks: those that layouts name, and all up to where they stand.
struct bytes {
	uint32_t named, reach;
};

// Walks of one number of steps, by the header they stand before and the number of headers behind
// them that have a place in a path.
struct front {
	unsigned int n_nodes, max_headers;
	struct bytes *bytes; // [n_headers * n_nodes + node]; named is UNREACHED without a walk
};

static struct bytes *front_at(const struct front *front, unsigned int n_headers,
			      unsigned int node) {
	return &front->bytes[n_headers * front->n_nodes + node];
}

static size_t front_len(const struct front *front) {
	return (front->max_headers + 1) * (size_t)front->n_nodes;
}

static void front_clear(struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		front->bytes[i].named = UNREACHED;
}

static uint32_t larger(uint32_t a, uint32_t b) {
	return a > b ? a : b;
}

static uint32_t add(uint32_t a, uint64_t b, uint32_t max) {
	return a + b < max ? a + b : max;
}

// Put a walk that goes on with node into front.
static void front_add(const struct front *front, unsigned int n_headers, unsigned int node,
		      struct bytes bytes) {
	struct bytes *known = front_at(front, n_headers, node);
	const bool first = known->named == UNREACHED;

	known->named = first ? bytes.named : larger(known->named, bytes.named);
	known->reach = first ? bytes.reach : larger(known->reach, bytes.reach);
}

static void follow(const struct ddp_profile *profile, const struct ddp_header *header,
		   const struct front *next, unsigned int n_headers, struct bytes bytes) {
	int target;

	for (unsigned int i = 0; i < header->n_rules; i++)
		for (unsigned int n = 0;
		     (target = ddp_rule_target(profile, &header->rules[i], n)) >= 0; n++)
			front_add(next, n_headers, target, bytes);
}

// Count a header after those before it. Returns the bytes up to its end.
static struct bytes header_count(const struct ddp_header *header, struct bytes before,
				 uint32_t max_bytes, struct ddp_bound *bound) {
	const uint32_t ahead = (header->ahead_bits + 7) / 8; // where the next header begins
	uint32_t named = (header->start_bits + header->end_bits) / 8 + ahead;
	struct bytes end;

	for (unsigned int i = 0; i < header->n_groups; i++)
		named += header->groups[i].bits / 8;
	end.named = add(before.named, named, UNREACHED - 1);
	end.reach = add(before.reach, header->max_size, max_bytes);
	bound->n_bytes = larger(bound->n_bytes, end.named);
	bound->end = larger(bound->end, add(end.reach, ahead, max_bytes));
	return end;
}

// One step of all walks, from now to next. false when none goes on within the limits.
static bool step(const struct ddp_profile *profile, const struct front *now,
		 const struct front *next, uint32_t max_bytes, struct ddp_bound *bound) {
	bool any = false;

	for (unsigned int n = 0; n <= now->max_headers; n++) {
		for (unsigned int i = 0; i < profile->n_headers; i++) {
			const struct ddp_header *header = &profile->headers[i];
			unsigned int n_headers = n + !header->hidden;
			struct bytes bytes = *front_at(now, n, i);

			if (bytes.named == UNREACHED)
				continue;
			if (n_headers > now->max_headers) {
				bound->by_graph = false;
				continue;
			}
			any = true;
			bound->n_headers = larger(bound->n_headers, n_headers);
			follow(profile, header, next, n_headers,
			       header_count(header, bytes, max_bytes, bound));
		}
	}
	return any;
}

static bool is_empty(const struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		if (front->bytes[i].named != UNREACHED)
			return false;
	return true;
}

static void walk_all(const struct ddp_profile *profile, struct front *now, struct front *next,
		     unsigned int max_steps, uint32_t max_bytes, struct ddp_bound *bound) {
	front_clear(now);
	front_add(now, 0, profile->first, (struct bytes){0});
	for (; bound->n_steps < max_steps; bound->n_steps++) {
		struct bytes *bytes = now->bytes;

		front_clear(next);
		if (!step(profile, now, next, max_bytes, bound))
			return;
		now->bytes = next->bytes;
		next->bytes = bytes;
	}
	bound->by_graph &= is_empty(now); // a walk that still stands somewhere would go on
}

int ddp_profile_bound(const struct ddp_profile *profile, unsigned int max_headers,
		      unsigned int max_steps, uint32_t max_bytes, struct ddp_bound *bound) {
	struct front now = {.n_nodes = profile->n_headers, .max_headers = max_headers};
	struct front next = now;
	int ret = 0;

	*bound = (struct ddp_bound){.by_graph = true};
	now.bytes = calloc(front_len(&now), sizeof(*now.bytes));
	next.bytes = calloc(front_len(&next), sizeof(*next.bytes));
	if (now.bytes != NULL && next.bytes != NULL) {
		walk_all(profile, &now, &next, max_steps, max_bytes, bound);
		bound->n_bytes = bound->n_bytes < bound->end ? bound->n_bytes : bound->end;
	} else {
		errno = ENOMEM;
		ret = -ENOMEM;
	}
	free(now.bytes);
	free(next.bytes);
	return ret;
}
