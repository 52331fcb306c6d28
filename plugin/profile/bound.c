/* SPDX-License-Identifier: BSD-3-Clause */
// The most that a walk can take: the longest way through the parse graph, each header as large as
// it can be, whatever the conditions of the rules. Where the graph leads back to a header, the
// limits of the walk end it, and every way within them is tried.
#include <errno.h>
#include <stdlib.h>

#include "profile.h"

#define UNREACHED UINT32_MAX

// Walks of one number of steps, by the header they stand before and the number of headers behind
// them that have a place in a path; the value is the most bytes behind them.
struct front {
	unsigned int n_nodes, max_headers;
	uint32_t *bytes; // [n_headers * n_nodes + node]
};

// Which bytes count.
struct measure {
	bool named;    // those that layouts name; else all of a header
	uint32_t max;  // counted
	uint32_t most; // of all walks
};

static uint32_t *front_at(const struct front *front, unsigned int n_headers, unsigned int node) {
	return &front->bytes[n_headers * front->n_nodes + node];
}

static size_t front_len(const struct front *front) {
	return (front->max_headers + 1) * (size_t)front->n_nodes;
}

static void front_clear(struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		front->bytes[i] = UNREACHED;
}

// Put a walk that goes on with node into front.
static void front_add(const struct front *front, unsigned int n_headers, unsigned int node,
		      uint32_t bytes) {
	uint32_t *known = front_at(front, n_headers, node);

	if (*known == UNREACHED || *known < bytes)
		*known = bytes;
}

static void follow(const struct ddp_profile *profile, const struct ddp_header *header,
		   const struct front *next, unsigned int n_headers, uint32_t bytes) {
	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *rule = &header->rules[i];
		const struct ddp_table *table;

		if (rule->kind == DDP_RULE_GOTO)
			front_add(next, n_headers, rule->target, bytes);
		if (rule->kind != DDP_RULE_LOOKUP)
			continue;
		table = &profile->tables[rule->table];
		for (unsigned int j = 0; j < table->n_entries; j++)
			front_add(next, n_headers, table->entries[j].target, bytes);
	}
}

static uint32_t add(uint32_t a, uint64_t b, const struct measure *measure) {
	return a + b < measure->max ? a + b : measure->max;
}

// Count a header after those before it. Returns the bytes up to its end.
static uint32_t header_count(const struct ddp_header *header, uint32_t before,
			     struct measure *measure) {
	uint32_t ahead = (header->ahead_bits + 7) / 8;
	uint32_t named = (header->start_bits + header->end_bits) / 8 + ahead;
	uint32_t size = measure->named ? named : header->max_size;
	uint32_t looked = measure->named ? 0 : ahead; // beyond the end, where the next one begins
	uint32_t end;

	for (unsigned int i = 0; measure->named && i < header->n_groups; i++)
		size += header->groups[i].bits / 8;
	end = add(before, size, measure);
	if (measure->most < add(end, looked, measure))
		measure->most = add(end, looked, measure);
	return end;
}

// One step of all walks, from now to next. false when none goes on within the limits.
static bool step(const struct ddp_profile *profile, const struct front *now,
		 const struct front *next, struct measure *measure, struct ddp_bound *bound) {
	bool any = false;

	for (unsigned int n = 0; n <= now->max_headers; n++) {
		for (unsigned int i = 0; i < profile->n_headers; i++) {
			const struct ddp_header *header = &profile->headers[i];
			unsigned int n_headers = n + !header->hidden;
			uint32_t bytes = *front_at(now, n, i);

			if (bytes == UNREACHED)
				continue;
			if (n_headers > now->max_headers) {
				bound->by_graph = false;
				continue;
			}
			any = true;
			if (bound->n_headers < n_headers)
				bound->n_headers = n_headers;
			follow(profile, header, next, n_headers,
			       header_count(header, bytes, measure));
		}
	}
	return any;
}

static bool is_empty(const struct front *front) {
	for (size_t i = 0; i < front_len(front); i++)
		if (front->bytes[i] != UNREACHED)
			return false;
	return true;
}

static void walk_all(const struct ddp_profile *profile, struct front *now, struct front *next,
		     unsigned int max_steps, struct measure *measure, struct ddp_bound *bound) {
	unsigned int n = 0;

	front_clear(now);
	front_add(now, 0, profile->first, 0);
	for (; n < max_steps; n++) {
		uint32_t *bytes = now->bytes;

		front_clear(next);
		if (!step(profile, now, next, measure, bound))
			break;
		now->bytes = next->bytes;
		next->bytes = bytes;
	}
	bound->n_steps = n;
	if (n == max_steps && !is_empty(now)) // whoever still stands somewhere would have gone on
		bound->by_graph = false;
}

int ddp_profile_bound(const struct ddp_profile *profile, unsigned int max_headers,
		      unsigned int max_steps, uint32_t max_bytes, struct ddp_bound *bound) {
	struct measure named = {.named = true, .max = UNREACHED - 1};
	struct measure reach = {.named = false, .max = max_bytes};
	struct front now = {.n_nodes = profile->n_headers, .max_headers = max_headers};
	struct front next = now;
	int ret = 0;

	*bound = (struct ddp_bound){.by_graph = true};
	now.bytes = calloc(front_len(&now), sizeof(*now.bytes));
	next.bytes = calloc(front_len(&next), sizeof(*next.bytes));
	if (now.bytes != NULL && next.bytes != NULL) {
		walk_all(profile, &now, &next, max_steps, &named, bound);
		walk_all(profile, &now, &next, max_steps, &reach, bound);
		bound->n_bytes = named.most < reach.most ? named.most : reach.most;
		bound->end = reach.most;
	} else {
		errno = ENOMEM;
		ret = -ENOMEM;
	}
	free(now.bytes);
	free(next.bytes);
	return ret;
}
