/* SPDX-License-Identifier: BSD-3-Clause */
// A profile that hashes what a NIC hashes.
#include <string.h>

#include "base/arena.h"
#include "draft.h"

struct builder {
	struct ddp_profile *profile;
	struct ddp_input_set *set;
	const struct ddp_path *path;
};

static bool path_has(const struct ddp_path *path, unsigned int node) {
	if (path == NULL)
		return false;
	if (path->kind == DDP_PATH_HEADER)
		return path->node == node;
	return path_has(path->left, node) || path_has(path->right, node);
}

static void input_add(struct builder *b, const char *header, const char *name, bool outer) {
	const int h = ddp_header_find(b->profile, header);
	const struct ddp_header *in = h < 0 ? NULL : &b->profile->headers[h];
	const int f = in == NULL ? -1 : ddp_field_find(in, name);

	if (f < 0 || !path_has(b->path, h))
		return;
	b->set->inputs[b->set->n_inputs++] = (struct ddp_ref){
		.node = h,
		.field = f,
		.which = outer ? DDP_WHICH_OUTER : DDP_WHICH_INNER,
		.bits = in->fields[f].width,
		.name = name,
	};
	b->set->size += (in->fields[f].width + 7) / 8;
}

static void side_add(struct builder *b, uint32_t fields, bool outer) {
	static const char *const ips[] = {"ipv4", "ipv6"}, *const l4s[] = {"udp", "tcp", "sctp"};

	for (unsigned int i = 0; i < 2; i++) {
		if (fields & FIELD_SRC)
			input_add(b, ips[i], "src", outer);
		if (fields & FIELD_DST)
			input_add(b, ips[i], "dst", outer);
	}
	for (unsigned int i = 0; i < (outer ? 1 : 3); i++) {
		if (fields & FIELD_SPORT)
			input_add(b, l4s[i], "sport", outer);
		if (fields & FIELD_DPORT)
			input_add(b, l4s[i], "dport", outer);
	}
}

#define INPUTS_MAX 24

static bool set_make(struct ddp_profile *profile, const struct ddp_path *path, uint32_t fields,
		     struct ddp_input_set *set) {
	struct builder b = {.profile = profile, .set = set, .path = path};

	*set = (struct ddp_input_set){0};
	set->inputs = ddp_arena_try_alloc(profile->arena, INPUTS_MAX * sizeof(*set->inputs));
	if (set->inputs == NULL)
		return false;
	side_add(&b, fields >> FIELDS_OUTER_SHIFT & 0xff, true);
	if (fields & FIELD_TEID)
		input_add(&b, "gtpu", "teid", false);
	side_add(&b, fields & 0xff, false);
	return true;
}

// A NIC with rules for its kinds of packets can tell the condition of a set, unless it is about an
// address.
static bool is_kept(const struct ddp_profile *profile, const struct ddp_input_set *set) {
	if (set->cond.n_matches == 0 || set->cond.expr.n_ops > 0)
		return false;
	for (unsigned int i = 0; i < set->cond.n_matches; i++) {
		const struct ddp_ref *ref = &set->cond.matches[i].ref;

		if (strncmp(profile->headers[ref->node].name, "ipv", 3) == 0)
			return false;
	}
	return true;
}

static bool type_apply(const struct ddp_spread_type *type, struct ddp_profile *profile,
		       struct ddp_packet_type *of) {
	struct ddp_input_set *sets =
		ddp_arena_try_alloc(profile->arena, (of->n_sets + 1) * sizeof(*sets));
	unsigned int n = 0;

	if (sets == NULL)
		return false;
	for (unsigned int i = 0; type->partly && i < of->n_sets; i++)
		if (is_kept(profile, &of->sets[i]))
			sets[n++] = of->sets[i];
	if (type->spread != DDP_SPREAD_NONE) {
		if (!set_make(profile, of->path, type->fields, &sets[n]))
			return false;
		n += sets[n].n_inputs > 0;
	}
	of->sets = sets;
	of->n_sets = n;
	return true;
}

bool ddp_spread_apply(const struct ddp_spread_plan *spread, struct ddp_profile *profile) {
	profile->by_rss_hf = false;
	for (unsigned int i = 0; i < spread->n_types; i++) {
		enum ddp_spread how = spread->types[i].spread;

		if (how != DDP_SPREAD_SAME && how != DDP_SPREAD_UNASKED &&
		    !type_apply(&spread->types[i], profile, &profile->types[i]))
			return false;
	}
	return true;
}
