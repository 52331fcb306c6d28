/* SPDX-License-Identifier: BSD-3-Clause */
// Data path: which flow rules are a packet's.
#include "classify/flow/flow_set.h"
#include "classify/run/walk.h"

struct notes {
	struct trace *trace;
	flow_group_fn note;
	void *arg;
};

static const struct ddp_flow_entry *group_lookup(const struct ddp_flow_set *set,
						 const struct flow_group *group,
						 const struct ddp_packet *packet,
						 const struct ddp_class *class) {
	const struct flow_buckets *buckets = flow_buckets_of(group->table);
	uint64_t values[2 * DDP_FLOW_MATCHES];

	for (unsigned int i = 0; i < group->n_keys; i++) {
		const struct flow_key *key = &set->keys[group->first_key + i];

		if (!field_value(&set->view, packet, class, &key->ref, &values[2 * i],
				 &values[2 * i + 1]))
			return NULL;
		values[2 * i] &= key->mask_hi;
		values[2 * i + 1] &= key->mask_lo;
	}
	return flow_buckets_find(buckets, values, flow_values_hash(buckets, values, group->n_keys),
				 group->n_keys);
}

// Does the header that the group excludes follow the one at index i?
static bool is_excluded(const struct ddp_flow_set *set, const struct flow_group *group,
			const struct ddp_class *class, unsigned int i) {
	if (group->without == FLOW_NODE_NONE)
		return false;
	do
		i++;
	while (i < class->n_seen && (set->view.nodes[class->seen[i].node].info.hidden ||
				     class->seen[i].node == group->skipped));
	return i < class->n_seen && class->seen[i].node == group->without;
}

// The group's path ends with the header at index `at`.
static void group_match(const struct ddp_flow_set *set, const struct flow_group *group,
			const struct ddp_packet *packet, const struct ddp_class *class,
			unsigned int at, bool at_end, struct ddp_flow_hit *hit,
			const struct notes *notes) {
	const struct ddp_flow_entry **best = &hit->rules[group->stage], *entry;
	// A packet looks it up: the group may have other rules then.
	const bool later =
		notes->note != NULL && group->stage == DDP_FLOW_STEER && group->n_keys > 0;

	if ((group->ends && !at_end) || is_excluded(set, group, class, at))
		return;
	if (*best != NULL && !later && flow_table_is_outranked(group->table, *best))
		return;
	if (!cond_holds(&set->view, packet, class, &group->guards, notes->trace))
		return;
	if (notes->note != NULL)
		notes->note(notes->arg, group);
	if (later)
		return;
	entry = group_lookup(set, group, packet, class);
	if (entry == NULL || (*best != NULL && !ddp_flow_is_preferred(entry, *best)))
		return;
	*best = entry;
	if (group->stage == DDP_FLOW_HASH)
		hit->hashing = group - set->groups;
}

void flow_match_traced(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		       const struct ddp_class *class, struct ddp_flow_hit *hit, struct trace *trace,
		       flow_group_fn note, void *arg) {
	const struct notes notes = {trace, note, arg};
	const struct automaton *a = &set->automaton;
	const unsigned int n = seen_shown(&set->view, class, class->n_seen);
	uint16_t state = a->start;

	for (unsigned int i = 0; i < DDP_FLOW_STAGES; i++)
		hit->rules[i] = NULL;
	for (unsigned int i = set->n_paths; i < set->n_groups; i++)
		group_match(set, &set->groups[i], packet, class, 0, n == 0, hit, &notes);
	for (unsigned int i = 0; i < n && state != 0; i++) {
		const struct ddp_seen *seen = &class->seen[i];
		bool at_end = i + 1 == n || seen->fragment;

		if (set->view.nodes[seen->node].info.hidden)
			continue;
		state = a->next[state * a->n_tokens + seen->node];
		for (unsigned int j = 0; j < a->n_accepts[state]; j++)
			group_match(set, &set->groups[a->accepts[a->first_accept[state] + j]],
				    packet, class, i, at_end, hit, &notes);
		if (seen->fragment) // the next headers are in the first fragment only
			break;
	}
}

void ddp_flow_match(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		    const struct ddp_class *class, struct ddp_flow_hit *hit) {
	flow_match_traced(set, packet, class, hit, NULL, NULL, NULL);
}

const struct ddp_flow_hashing *ddp_flow_hashing_of(const struct ddp_flow_set *set,
						   const struct ddp_flow_hit *hit) {
	return hit->rules[DDP_FLOW_HASH] == NULL ? NULL : &set->groups[hit->hashing].hashing;
}

unsigned int ddp_flow_gather(const struct ddp_flow_set *set, const struct ddp_packet *packet,
			     const struct ddp_class *class, const struct ddp_flow_hit *hit,
			     enum ddp_hash_function function, uint8_t *input) {
	return set_gather(&set->view, packet, class, &set->groups[hit->hashing].inputs, function,
			  input);
}
