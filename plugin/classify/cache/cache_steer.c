/* SPDX-License-Identifier: BSD-3-Clause */
// Which rules steer the packets of a burst that entries match. All packets take each step together:
// with many rules, each is in a cache line of its own that memory takes its time for.

#include "cache_set.h"

#define PREFETCH_BUCKETS 256 // buckets of a table: a smaller one stays in the CPU's cache

// The packet's entry, if it is looked up in another table than the first `lookup`; else NULL.
static inline const struct cache_lookup *lookup_of(const struct cache_steering *s, unsigned int i,
						   unsigned int lookup) {
	const struct cache_entry *entry = s->entry;

	if (entry != NULL) // it has as many
		return &entry->lookups[lookup];
	if ((s->misses >> (i - s->first) & 1) != 0)
		return NULL;
	entry = cache_entry_of(ddp_burst_verdict(s->burst, i));
	return lookup < entry->n_lookups ? &entry->lookups[lookup] : NULL;
}

static inline uint64_t word_at(const uint8_t *bytes, unsigned int byte) {
	uint64_t word;

	memcpy(&word, bytes + byte, sizeof(word)); // the buffer is long enough
	return be64toh(word);
}

static inline void probe_make(const struct cache_steering *s, const struct cache_lookup *lookup,
			      const struct rte_mbuf *mbuf, struct cache_probe *probe) {
	const struct flow_group *group = lookup->group;
	const struct flow_key *keys = &s->policy->flows->keys[group->first_key];
	const uint8_t *bytes = cache_bytes(mbuf);

	probe->buckets = flow_buckets_of(group->table);
	for (unsigned int i = 0; i < group->n_keys; i++) {
		const struct cache_key *key = &lookup->keys[i];
		const uint64_t high =
			key->is_long ? word_at(bytes, key->high) >> key->high_down : 0;
		const uint64_t low = word_at(bytes, key->low) << key->low_up >> key->low_down;

		probe->values[2 * i] = high & keys[i].mask_hi;
		probe->values[2 * i + 1] = low & keys[i].mask_lo;
	}
	probe->hash = flow_values_hash(probe->buckets, probe->values, group->n_keys);
}

// Is a packet looked up by one number of at most 64 bits?
static bool is_plain(const struct cache_lookup *lookup) {
	return lookup->group->n_keys == 1 && !lookup->keys[0].is_long;
}

// Like probes_make(), for packets of one entry that are looked up by one plain number.
static bool plain_probes_make(struct cache_steering *s, const struct cache_lookup *lookup) {
	const struct ddp_flow_table *table = lookup->group->table;
	const struct flow_buckets *buckets = flow_buckets_of(table);
	const struct ddp_seed seed = buckets->seed;
	const uint64_t mask = s->policy->flows->keys[lookup->group->first_key].mask_lo;
	const struct cache_key key = lookup->keys[0];

	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct rte_mbuf *mbuf = s->mbufs[i];
		struct cache_probe *probe = &s->probes[i];
		const uint64_t word = word_at(cache_bytes(mbuf), key.low);

		probe->values[0] = 0;
		probe->values[1] = word << key.low_up >> key.low_down & mask;
		probe->hash = ddp_seed_hash(&seed, probe->values[1]);
		__builtin_prefetch(flow_bucket_first(buckets, probe->hash));
	}
	s->buckets = buckets;
	return buckets->mask >= PREFETCH_BUCKETS;
}

static bool probes_make(struct cache_steering *s, unsigned int l) {
	uint32_t mask = 0;

	if (s->entry != NULL && is_plain(&s->entry->lookups[l]))
		return plain_probes_make(s, &s->entry->lookups[l]);
	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct cache_lookup *lookup = lookup_of(s, i, l);
		struct cache_probe *probe = &s->probes[i];

		if (lookup == NULL)
			continue;
		probe_make(s, lookup, s->mbufs[i], probe);
		__builtin_prefetch(flow_bucket_first(probe->buckets, probe->hash));
		mask |= probe->buckets->mask;
	}
	return mask >= PREFETCH_BUCKETS;
}

// A rule's cache line: the caller's data comes first.
static inline const struct ddp_flow_entry *entry_prefetch(const struct flow_buckets *buckets,
							  size_t data_size, uint64_t hash) {
	const struct ddp_flow_entry *entry = flow_buckets_guess(buckets, hash);

	if (entry != NULL)
		__builtin_prefetch((const char *)entry - data_size);
	return entry;
}

static void entries_prefetch(struct cache_steering *s, unsigned int l) {
	if (s->entry != NULL && is_plain(&s->entry->lookups[l])) {
		const size_t data_size = s->entry->lookups[l].group->table->data_size;

		for (unsigned int i = s->first; i < s->first + s->n; i++)
			s->probes[i].guess =
				entry_prefetch(s->buckets, data_size, s->probes[i].hash);
		return;
	}
	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct cache_lookup *lookup = lookup_of(s, i, l);

		if (lookup != NULL)
			entry_prefetch(s->probes[i].buckets, lookup->group->table->data_size,
				       s->probes[i].hash);
	}
}

static void rule_prefer(const struct ddp_flow_entry **best, const struct ddp_flow_entry *rule) {
	if (rule != NULL && (*best == NULL || ddp_flow_is_preferred(rule, *best)))
		*best = rule;
}

// guessed: what plain_entries_prefetch() found is there. only: no other rule is for these packets.
static inline __attribute__((always_inline)) void
plain_rules_take(const struct cache_steering *s, const bool guessed, const bool only) {
	const struct flow_buckets *buckets = s->buckets;

	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct cache_probe *probe = &s->probes[i];
		const struct ddp_flow_entry *rule = guessed ? probe->guess : NULL;

		if (rule == NULL || !flow_values_same(rule->values, probe->values, 1))
			rule = flow_buckets_find(buckets, probe->values, probe->hash, 1);
		if (only)
			s->burst->steer[i] = rule;
		else
			rule_prefer(&s->burst->steer[i], rule);
	}
}

static void rules_find(const struct cache_steering *s, unsigned int l) {
	if (s->entry != NULL && is_plain(&s->entry->lookups[l])) {
		const bool only = s->entry->steer == NULL && s->n_lookups == 1;

		if (s->fetched && only)
			plain_rules_take(s, true, true);
		else if (only)
			plain_rules_take(s, false, true);
		else
			plain_rules_take(s, s->fetched, false);
		return;
	}
	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct cache_lookup *lookup = lookup_of(s, i, l);
		const struct cache_probe *probe = &s->probes[i];
		const struct ddp_flow_entry **best = &s->burst->steer[i];

		if (lookup == NULL ||
		    (*best != NULL && flow_table_is_outranked(lookup->group->table, *best)))
			continue;
		rule_prefer(best, flow_buckets_find(probe->buckets, probe->values, probe->hash,
						    lookup->group->n_keys));
	}
}

// Take the lookups of the entries. Returns the largest number that a packet needs.
static unsigned int known_take(const struct cache_steering *s) {
	unsigned int most = 0;

	if (s->entry != NULL) {
		for (unsigned int i = s->first; i < s->first + s->n; i++)
			s->burst->steer[i] = s->entry->steer;
		return s->entry->n_lookups;
	}

	for (unsigned int i = s->first; i < s->first + s->n; i++) {
		const struct cache_entry *entry;

		if ((s->misses >> (i - s->first) & 1) != 0)
			continue;
		entry = cache_entry_of(ddp_burst_verdict(s->burst, i));
		s->burst->steer[i] = entry->steer;
		most = most < entry->n_lookups ? entry->n_lookups : most;
	}
	return most;
}

static void look_up_begin(struct cache_steering *s, unsigned int l) {
	s->fetched = probes_make(s, l);
	if (s->fetched)
		entries_prefetch(s, l);
}

void cache_steer_begin(struct cache_steering *s, const struct ddp_policy *policy,
		       struct rte_mbuf *const *mbufs, unsigned int first, unsigned int n,
		       uint64_t misses, struct ddp_burst *burst) {
	s->policy = policy;
	s->mbufs = mbufs;
	s->first = first;
	s->n = n;
	s->misses = misses;
	s->burst = burst;
	s->entry = s->burst->verdict == NULL ? NULL : cache_entry_of(s->burst->verdict);
	s->n_lookups = known_take(s);
	if (s->n_lookups > 0)
		look_up_begin(s, 0);
}

void cache_steer_end(struct cache_steering *s) {
	for (unsigned int l = 0; l < s->n_lookups; l++) {
		if (l > 0)
			look_up_begin(s, l);
		rules_find(s, l);
	}
}

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
