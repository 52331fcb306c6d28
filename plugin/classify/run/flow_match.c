/* SPDX-License-Identifier: BSD-3-Clause */
// Data path: which flow rules are a packet's.
#include <string.h>

#include "flow_match.h"
#include "walk.h"

struct notes {
	struct trace *trace;
	flow_group_fn note;
	void *arg;
};

// The rule of the group with these values of its keys (not yet masked), or -1.
static int32_t slot_find(const struct ddp_flow_set *set, const struct flow_group *group,
			 uint64_t numbers[2 * DDP_FLOW_MATCHES]) {
	uint32_t n_slots = 1u << (64 - group->shift), at;
	uint64_t hash = 0;

	for (unsigned int i = 0; i < group->n_keys; i++) {
		const struct flow_key *key = &set->keys[group->first_key + i];
		uint64_t *n = &numbers[2 * i];

		n[0] &= key->mask_hi;
		n[1] &= key->mask_lo;
		hash = flow_hash(hash, n[0], n[1]);
	}
	at = group->n_keys > 0 ? hash >> group->shift : 0;
	for (uint32_t tried = 0; tried < n_slots; tried++, at = (at + 1) & (n_slots - 1)) {
		const struct flow_slot *slot = &set->slots[group->first_slot + at];

		if (slot->rule < 0)
			return -1;
		if (group->n_keys == 0 || memcmp(&set->values[slot->values], numbers,
						 group->n_keys * 2 * sizeof(*numbers)) == 0)
			return slot->rule;
	}
	return -1;
}

static int32_t group_lookup(const struct ddp_flow_set *set, const struct flow_group *group,
			    const struct ddp_packet *packet, const struct ddp_class *class) {
	uint64_t numbers[2 * DDP_FLOW_MATCHES];

	for (unsigned int i = 0; i < group->n_keys; i++)
		if (!field_value(&set->view, packet, class, &set->keys[group->first_key + i].ref,
				 &numbers[2 * i], &numbers[2 * i + 1]))
			return -1;
	return slot_find(set, group, numbers);
}

int32_t flow_group_find(const struct ddp_flow_set *set, const struct flow_group *group,
			const struct ddp_packet *packet, const uint16_t *bits) {
	uint64_t numbers[2 * DDP_FLOW_MATCHES];

	for (unsigned int i = 0; i < group->n_keys; i++)
		number_load(packet, bits[i], set->keys[group->first_key + i].ref.bits,
			    &numbers[2 * i], &numbers[2 * i + 1]);
	return slot_find(set, group, numbers);
}

static void path_match(const struct ddp_flow_set *set, const struct flow_path *path,
		       const struct ddp_packet *packet, const struct ddp_class *class, bool at_end,
		       struct ddp_flow_hit *hit, const struct notes *notes) {
	for (unsigned int i = 0; i < path->n_groups; i++) {
		const struct flow_group *group = &set->groups[path->first_group + i];
		int32_t *best = &hit->rules[group->stage];
		int32_t rule;

		if (group->last <= *best || (group->ends && !at_end) ||
		    !cond_holds(&set->view, packet, class, &group->guards, notes->trace))
			continue;
		if (notes->note != NULL) {
			notes->note(notes->arg, group);
			if (group->stage == DDP_FLOW_STEER && group->n_keys > 0)
				continue;
		}
		rule = group_lookup(set, group, packet, class);
		if (rule > *best)
			*best = rule;
	}
}

void flow_match_traced(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		       const struct ddp_class *class, struct ddp_flow_hit *hit, struct trace *trace,
		       flow_group_fn note, void *arg) {
	const struct notes notes = {trace, note, arg};
	const struct automaton *a = &set->automaton;
	const unsigned int n = seen_shown(&set->view, class, class->n_seen);
	uint16_t state = a->start;

	for (unsigned int i = 0; i < DDP_FLOW_STAGES; i++)
		hit->rules[i] = -1;
	path_match(set, &set->any, packet, class, n == 0, hit, &notes);
	for (unsigned int i = 0; i < n && state != 0; i++) {
		const struct ddp_seen *seen = &class->seen[i];
		bool at_end = i + 1 == n || seen->fragment;

		if (set->view.nodes[seen->node].info.hidden)
			continue;
		state = a->next[state * a->n_tokens + seen->node];
		for (unsigned int j = 0; j < a->n_accepts[state]; j++)
			path_match(set, &set->paths[a->accepts[a->first_accept[state] + j]], packet,
				   class, at_end, hit, &notes);
		if (seen->fragment) // what follows is in the first fragment only
			break;
	}
}

void ddp_flow_match(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		    const struct ddp_class *class, struct ddp_flow_hit *hit) {
	flow_match_traced(set, packet, class, hit, NULL, NULL, NULL);
}

unsigned int ddp_flow_gather(const struct ddp_flow_set *set, const struct ddp_packet *packet,
			     const struct ddp_class *class, int32_t rule,
			     enum ddp_hash_function function, uint8_t *input) {
	return set_gather(&set->view, packet, class, &set->inputs[rule], function, input);
}
