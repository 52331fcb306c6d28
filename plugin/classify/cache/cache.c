/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache: a kind of lookup for each burst, packets without an entry, and new entries.
#include "cache_set.h"

// Learning. An entry costs a few packets' time, a new tree more; both must pay. Some entries may be
// made, and others when these turned out to be of use. If they are of none, there is a pause, then
// one may be made, as a probe: paths that do not come twice would only crowd out those that do.
#define WINDOW 4096       // packets
#define TOKENS_MAX 128    // entries that are made at once
#define FEW (WINDOW / 16) // packets in a window: fewer misses are no flood, fewer hits do not pay
#define PAUSE_MAX 16      // windows without learning; then also without a lookup, if few hits

#define SAMPLE 8     // packets, of which one is sampled for the entries in use
#define OTHERS_MAX 4 // packets of a burst that may be of another path than all the others

// With AVX-512, packets of one entry are compared with it as with AVX2, which is no slower.
static const struct {
	const struct cache_kernel *one, *many;
} kernels[DDP_ISA_LEVELS] = {
	[DDP_ISA_SCALAR] = {&cache_kernel_scalar, &cache_kernel_scalar},
	[DDP_ISA_PMULL] = {&cache_kernel_scalar, &cache_kernel_scalar}, // it is for hashes
#ifdef __x86_64__
	[DDP_ISA_V2] = {&cache_kernel_v2, &cache_kernel_v2},
	[DDP_ISA_V3] = {&cache_kernel_v3, &cache_kernel_v3},
	[DDP_ISA_AVX512] = {&cache_kernel_v3, &cache_kernel_avx512},
#endif
};

const uint8_t cache_zeros[TRACE_REACH + 64];

size_t ddp_cache_size(void) {
	return sizeof(struct ddp_cache);
}

static void n_entries_set(struct ddp_cache *cache, unsigned int n) {
	RTE_ASSERT(n > 0 && n <= CACHE_ENTRIES);
	__atomic_store_n(&cache->n_entries, n, __ATOMIC_RELAXED);
}

static void cache_clear(struct ddp_cache *cache) {
	const size_t first = offsetof(struct ddp_cache, last);
	struct cache_entry *none = &cache->entries[0];

	memset(none, 0, sizeof(*none));
	none->min_len = UINT16_MAX;             // of no use: a packet may have as many
	none->pairs[0].value[0] = 1;            // which its mask cannot give
	none->expect = 1u << CACHE_SELECT_MORE; // nor this
	memset((char *)cache + first, 0, offsetof(struct ddp_cache, entries) - first);
	cache_exclusion_clear(&none->exclusions[0]);
	cache->n_tried = 1;
	cache->tokens = TOKENS_MAX;
	n_entries_set(cache, 1);
	cache_tree_build(cache);
}

void ddp_cache_init(struct ddp_cache *cache, enum ddp_isa isa) {
	assert(ddp_isa_supported(isa));
	memset(cache, 0, offsetof(struct ddp_cache, entries));
	cache->isa = isa;
	cache_clear(cache);
}

void ddp_cache_force(struct ddp_cache *cache, enum ddp_cache_mode mode) {
	cache->mode = mode;
}

void ddp_cache_stats_get(const struct ddp_cache *cache, struct ddp_cache_stats *stats) {
	stats->hits = __atomic_load_n(&cache->stats.hits, __ATOMIC_RELAXED);
	stats->misses = __atomic_load_n(&cache->stats.misses, __ATOMIC_RELAXED);
	stats->learned = __atomic_load_n(&cache->stats.learned, __ATOMIC_RELAXED);
	stats->entries = __atomic_load_n(&cache->n_entries, __ATOMIC_RELAXED);
	stats->entries -= stats->entries > 0; // 0 while a lower queue's thread clears the cache
}

static void stat_add(uint64_t *stat, uint64_t n) {
	__atomic_store_n(stat, *stat + n, __ATOMIC_RELAXED);
}

/* Rows that are hashed last */

// Packets whose rows are still to be hashed: interpreted ones, and longer rows of others.
struct unhashed {
	unsigned int words; // of the longest
	unsigned int n;
	uint8_t rows[DDP_BURST_MAX]; // as ddp_rows_index_end() leaves it
};

static void unhashed_add(struct unhashed *unhashed, unsigned int i, unsigned int len) {
	RTE_ASSERT(unhashed->n < DDP_BURST_MAX);
	unhashed->rows[unhashed->n++] = i;
	if (unhashed->words < (len + 3) / 4)
		unhashed->words = (len + 3) / 4;
}

/* Packets that are interpreted */

static const void *segments_read(const void *ctx, uint32_t off, uint32_t len, void *buf) {
	const struct rte_mbuf *mbuf = ctx;
	uint8_t *out = buf;

	while (off >= mbuf->data_len) {
		off -= mbuf->data_len;
		mbuf = mbuf->next;
	}
	if (off + len <= mbuf->data_len)
		return cache_bytes(mbuf) + off;
	for (; len > 0; mbuf = mbuf->next, off = 0) {
		uint32_t n = mbuf->data_len - off < len ? mbuf->data_len - off : len;

		memcpy(out, cache_bytes(mbuf) + off, n);
		out += n;
		len -= n;
	}
	return buf;
}

void ddp_packet_of(const struct rte_mbuf *mbuf, struct ddp_packet *packet) {
	*packet = (struct ddp_packet){
		.data = cache_bytes(mbuf),
		.first_len = mbuf->data_len,
		.len = mbuf->pkt_len,
		.read = segments_read,
		.ctx = mbuf,
	};
}

static void input_gather(const struct ddp_policy *policy, const struct ddp_packet *packet,
			 const struct ddp_class *class, const struct ddp_flow_hit *hit,
			 struct ddp_verdict *own, uint8_t *input) {
	const struct ddp_flow_hashing *hashing = ddp_flow_hashing_of(policy->flows, hit);
	const struct ddp_program *program;
	const struct prog_set *set = cache_set_choose(policy, packet, class, hit, NULL, &program);

	own->function = hashing == NULL ? policy->function : hashing->function;
	own->input_len =
		set == NULL ? 0 : set_gather(program, packet, class, set, own->function, input);
}

static void cache_evict(struct ddp_cache *cache) {
	uint16_t n = 1;

	for (unsigned int i = 1; i < cache->n_entries; i++) {
		if (!cache->entries[i].used)
			continue;
		if (n != i)
			cache->entries[n] = cache->entries[i];
		cache->entries[n++].used = false;
	}
	n_entries_set(cache, n > CACHE_ENTRIES * 3 / 4 ? 1 : n);
	cache->last = 0;
	cache->n_tried = cache->window_entries = cache->n_entries;
	cache->to_evict = false;
	cache_tree_build(cache);
}

// Packets of one path in one burst make the same entry, as do those that the tree guesses wrong.
static bool entry_is_known(const struct ddp_cache *cache) {
	const struct cache_cond *made = &cache->entries[cache->n_entries].cond;
	unsigned int i = 1;

	while (i < cache->n_entries && memcmp(&cache->entries[i].cond, made, sizeof(*made)) != 0)
		i++;
	return i < cache->n_entries;
}

static void cache_learn(struct ddp_cache *cache, const struct ddp_policy *policy,
			const struct ddp_packet *packet, const struct ddp_class *class,
			const struct ddp_verdict *own, struct trace *trace,
			const struct rte_mbuf *mbuf) {
	struct cache_entry *entry = &cache->entries[cache->n_entries];

	RTE_ASSERT(cache->tokens > 0 && cache->n_entries < CACHE_ENTRIES);
	cache->tokens--;
	if (!cache_entry_make(entry, cache->isa, policy, packet, class, own, trace))
		return;
	// Headers in several segments, and buffers that end early, would never match it.
	if (entry->min_len > mbuf->data_len || entry->reach > mbuf->buf_len - mbuf->data_off ||
	    64 * entry->n_lines > mbuf->buf_len - mbuf->data_off || entry_is_known(cache))
		return;
	n_entries_set(cache, cache->n_entries + 1);
	stat_add(&cache->stats.learned, 1);
}

// Callers prefetch two lines of a packet. Others arrive while the packet before is interpreted.
static inline void deep_prefetch(const struct rte_mbuf *mbuf) {
	const uint8_t *bytes = cache_bytes(mbuf);

	for (unsigned int off = 128; off < TRACE_REACH && off < mbuf->data_len; off += 64)
		__builtin_prefetch(bytes + off);
}

static void packet_interpret(struct ddp_cache *cache, const struct ddp_policy *policy,
			     const struct rte_mbuf *mbuf, unsigned int i, struct unhashed *unhashed,
			     struct ddp_burst *burst) {
	bool learn = cache->tokens > 0 && cache->bypass == 0 && cache->n_entries < CACHE_ENTRIES;
	struct ddp_verdict *own = &burst->own[i];
	uint8_t input[DDP_HASH_INPUT_MAX] = {0};
	struct ddp_flow_hit hit = {{NULL, NULL}, 0};
	struct ddp_packet packet;
	struct ddp_class class;
	struct trace trace;

	ddp_packet_of(mbuf, &packet);
	if (learn)
		memset(&trace, 0, sizeof(trace));
	if (policy->flows == NULL) {
		classify_type_traced(policy->program, &packet, &class, learn ? &trace : NULL);
	} else { // rules may be of headers behind
		classify_traced(policy->program, &packet, &class, learn ? &trace : NULL);
		ddp_flow_match(policy->flows, &packet, &class, &hit);
	}
	own->type_id = class.type_id;
	own->l3_off = class.l3_off;
	own->inner_l3_off = class.inner_l3_off;
	own->encapsulated = class.encapsulated;
	own->packet_type = ddp_policy_ptype(policy, class.type_id, class.rte_ptype);
	input_gather(policy, &packet, &class, &hit, own, input);
	ddp_rows_put(&burst->rows, i, input);
	if (own->function == DDP_HASH_SIMPLE_XOR)
		burst->hashes[i] = ddp_hash_simple_xor(input, own->input_len);
	else
		unhashed_add(unhashed, i, own->input_len);
	burst->verdicts[i] = own;
	own->own = true;
	own->value = class.value;
	burst->steer[i] = hit.rules[DDP_FLOW_STEER];
	if (learn)
		cache_learn(cache, policy, &packet, &class, own, &trace, mbuf);
}

/* Packets that an entry matches */

static void row_pair(struct ddp_burst *burst, unsigned int i, const struct cache_entry *entry) {
	uint8_t plain[DDP_HASH_INPUT_MAX], input[DDP_HASH_INPUT_MAX];

	ddp_rows_get(&burst->rows, i, plain);
	memcpy(input, plain, sizeof(input));
	for (const struct cache_side *s = entry->sides; s < entry->sides + entry->n_sides; s++)
		pair_put(entry->verdict.function, input, plain, s->at, s->other, s->size);
	ddp_rows_put(&burst->rows, i, input);
}

static void row_xor(struct ddp_burst *burst, unsigned int i, unsigned int len) {
	uint8_t input[DDP_HASH_INPUT_MAX];

	ddp_rows_get(&burst->rows, i, input);
	burst->hashes[i] = ddp_hash_simple_xor(input, len);
}

// All packets but these others are of one entry.
static void one_finish(const struct ddp_cache *cache, const struct ddp_policy *policy,
		       const struct ddp_hash *hash, const struct cache_entry *entry,
		       struct rte_mbuf *const *mbufs, unsigned int n, uint64_t others,
		       struct ddp_burst *burst) {
	unsigned int len = entry->verdict.input_len;
	struct cache_steering steering;

	burst->verdict = others == 0 ? &entry->verdict : NULL;
	for (unsigned int i = 0; others != 0 && i < n; i++)
		burst->verdicts[i] = &entry->verdict;
	if (policy->flows != NULL)
		cache_steer_begin(&steering, policy, mbufs, 0, n, others, burst);
	for (unsigned int i = 0; entry->n_sides > 0 && i < n; i++)
		row_pair(burst, i, entry);
	if (len > 0 && entry->verdict.function != DDP_HASH_SIMPLE_XOR)
		ddp_hash_rows(hash, cache->isa, (len + 3) / 4, &burst->rows, 0, n, burst->hashes);
	else
		for (unsigned int i = 0; i < n && len > 0; i++)
			row_xor(burst, i, len);
	if (policy->flows != NULL)
		cache_steer_end(&steering);
}

static void heads_hash(const struct ddp_cache *cache, const struct ddp_hash *hash,
		       unsigned int first, unsigned int n, struct ddp_burst *burst) {
	if (cache->head_words > 0)
		ddp_hash_rows(hash, cache->isa, cache->head_words, &burst->rows, first, n,
			      burst->hashes);
}

// Hash the bytes of rows behind their heads; with those of interpreted packets, if there are any.
static void rest_hash(const struct ddp_cache *cache, const struct ddp_policy *policy,
		      const struct ddp_hash *hash, unsigned int first, uint64_t misses,
		      struct unhashed *unhashed, struct ddp_burst *burst) {
	if (burst->n_longer == 0 || cache->most_words <= cache->head_words)
		return;
	if (misses == 0 || policy->flows != NULL || cache->any_xor) {
		ddp_hash_rows_at(hash, cache->isa, cache->head_words, cache->most_words,
				 &burst->rows, burst->longer, burst->n_longer, burst->hashes);
		return;
	}
	for (unsigned int i = 0; i < burst->n_longer; i++)
		if ((misses >> (burst->longer[i] - first) & 1) == 0)
			unhashed_add(unhashed, burst->longer[i], 4 * cache->most_words);
}

// Heads that are all there are hashed early; with rules to look up, until memory answers.
static uint64_t many_run(struct ddp_cache *cache, const struct ddp_policy *policy,
			 const struct ddp_hash *hash, struct rte_mbuf *const *mbufs,
			 unsigned int first, unsigned int n, struct unhashed *unhashed,
			 struct ddp_burst *burst) {
	const struct cache_kernel *kernel = kernels[cache->isa].many;
	const bool early = !cache->rare && !cache->any_symmetric && policy->flows == NULL;
	struct cache_steering steering;
	uint64_t misses;

	RTE_ASSERT(first + n <= DDP_BURST_MAX);
	kernel->many_begin(cache, mbufs, first, n, burst);
	if (early)
		heads_hash(cache, hash, first, n, burst);
	burst->heads_changed = false;
	misses = kernel->many_end(cache, mbufs, first, n, burst);
	if (policy->flows != NULL)
		cache_steer_begin(&steering, policy, mbufs, first, n, misses, burst);
	for (unsigned int i = first; cache->any_symmetric && i < first + n; i++)
		if (ddp_hash_is_symmetric(burst->verdicts[i]->function))
			row_pair(burst, i, cache_entry_of(burst->verdicts[i]));
	if (!early || burst->heads_changed)
		heads_hash(cache, hash, first, n, burst);
	rest_hash(cache, policy, hash, first, misses, unhashed, burst);
	for (unsigned int i = first; cache->any_xor && i < first + n; i++)
		if (burst->verdicts[i]->function == DDP_HASH_SIMPLE_XOR)
			row_xor(burst, i, burst->verdicts[i]->input_len);
	if (policy->flows != NULL)
		cache_steer_end(&steering);
	return misses;
}

// All of a burst that the tree looked up are of one entry: the next burst may be, too. Packets that
// match nothing are often led to one entry, which says nothing about the next burst.
static void last_choose(struct ddp_cache *cache, unsigned int n, uint64_t misses,
			struct ddp_burst *burst) {
	const unsigned int n_misses = __builtin_popcountll(misses);
	uintptr_t differs = 0;

	cache->last = 0;
	if (n_misses > OTHERS_MAX || n_misses == n)
		return;
	// In groups: whether one packet differs from the first is anyone's guess.
	for (unsigned int i = 1; i < n && (i % 8 != 0 || differs == 0); i++)
		differs |= (uintptr_t)burst->verdicts[i] ^ (uintptr_t)burst->verdicts[0];
	if (differs == 0)
		cache->last = cache_entry_of(burst->verdicts[0]) - cache->entries;
}

// Returns which packets are to be interpreted.
static uint64_t burst_look_up(struct ddp_cache *cache, const struct ddp_policy *policy,
			      const struct ddp_hash *hash, struct rte_mbuf *const *mbufs,
			      unsigned int n, struct unhashed *unhashed, struct ddp_burst *burst) {
	struct cache_entry *entry = &cache->entries[cache->last];
	uint64_t others, misses = 0;

	if (cache->last != 0 && cache->mode != DDP_CACHE_TREE) {
		others = kernels[cache->isa].one->one(cache, entry, mbufs, n, burst);
		cache->clean = others == 0;
		if (__builtin_popcountll(others) <= OTHERS_MAX ||
		    cache->mode == DDP_CACHE_UNIFORM) {
			one_finish(cache, policy, hash, entry, mbufs, n, others, burst);
			entry->used = true;
			if (cache->mode == DDP_CACHE_UNIFORM) {
				if (others == ~UINT64_C(0) >> (64 - n))
					cache->last = 0;
				return others;
			}
			for (; others != 0; others &= others - 1) {
				unsigned int i = __builtin_ctzll(others);

				misses |=
					many_run(cache, policy, hash, mbufs, i, 1, unhashed, burst)
					<< i;
			}
			return misses;
		}
	}
	misses = many_run(cache, policy, hash, mbufs, 0, n, unhashed, burst);
	last_choose(cache, n, misses, burst);
	// The sample begins at another packet in each burst: traffic may come in turns.
	for (unsigned int i = cache->sample++ % SAMPLE; i < n; i += SAMPLE) {
		struct cache_entry *sampled =
			&cache->entries[cache_entry_of(burst->verdicts[i]) - cache->entries];

		if ((misses >> i & 1) != 0) // a guess that was wrong
			continue;
		sampled->used = true;
		cache->sampled[sampled->n_needed]++;
		cache->sampled_rare += (sampled->extra & CACHE_RARE) != 0;
	}
	return misses;
}

/* Whether learning is worth its cost */

// A new tree, which costs about what the last one did, must be paid by the packets that are
// interpreted without it: a few hundred comparisons each.
static void tree_renew(struct ddp_cache *cache, unsigned int n_misses) {
	if (cache->n_treed == cache->n_entries)
		return;
	cache->untreed_misses += n_misses;
	if (cache->untreed_misses * 32 < cache->tree_work)
		return;
	cache->untreed_misses = 0;
	cache_tree_build(cache);
}

// The new entries that were in the tree during the whole window are of use if a quarter of them
// matched a packet. A path that comes back later is still learned, after a while.
static void window_end(struct ddp_cache *cache) {
	const uint32_t n_hits = cache->window_packets - cache->window_misses;
	unsigned int n = 0, n_used = 0;

	RTE_ASSERT(cache->window_entries <= cache->n_entries);
	for (; cache->n_tried < cache->window_entries; cache->n_tried++, n++)
		n_used += cache->entries[cache->n_tried].used;
	if (cache->window_misses < FEW || (n > 0 && 4 * n_used >= n)) {
		cache->pause = cache->waiting = 0;
	} else if (n > 0) {
		if (cache->pause < PAUSE_MAX)
			cache->pause = cache->pause == 0 ? 1 : 4 * cache->pause;
		cache->waiting = cache->pause;
		cache->to_evict = true;
	}
	if (cache->pause == PAUSE_MAX && n_hits < FEW) {
		cache->bypass = PAUSE_MAX * WINDOW;
		cache->waiting = 0;
	}
	if (cache->waiting > 0)
		cache->waiting--;
	if (cache->waiting == 0 &&
	    (cache->n_tried == cache->n_entries || cache->window_misses < FEW))
		cache->tokens = cache->pause == 0 ? TOKENS_MAX : 1;
	cache_common_renew(cache);
	cache->window_packets = cache->window_misses = 0;
	cache->window_entries = cache->n_treed;
}

static void packets_interpret(struct ddp_cache *cache, const struct ddp_policy *policy,
			      const struct ddp_hash *hash, struct rte_mbuf *const *mbufs,
			      uint64_t which, struct unhashed *unhashed, struct ddp_burst *burst) {
	RTE_ASSERT(which != 0);
	deep_prefetch(mbufs[__builtin_ctzll(which)]);
	while (which != 0) {
		unsigned int i = __builtin_ctzll(which);

		which &= which - 1;
		if (which != 0)
			deep_prefetch(mbufs[__builtin_ctzll(which)]);
		packet_interpret(cache, policy, mbufs[i], i, unhashed, burst);
	}
	if (unhashed->words == 0)
		return;
	// All at once, without the tables of a hash of one packet: they are as large as the nearest
	// cache, which the next burst has its packets in.
	ddp_rows_index_end(unhashed->rows, unhashed->n);
	ddp_hash_rows_at(hash, cache->isa, 0, unhashed->words, &burst->rows, unhashed->rows,
			 unhashed->n, burst->hashes);
}

void ddp_cache_run(struct ddp_cache *cache, const struct ddp_policy *policy,
		   const struct ddp_hash *hash, struct rte_mbuf *const *mbufs, unsigned int n,
		   struct ddp_burst *burst) {
	// Before rules are looked at: they are at least as new.
	const uint64_t id = __atomic_load_n(&policy->id, __ATOMIC_ACQUIRE);
	struct unhashed unhashed;
	unsigned int n_misses;
	uint64_t misses;

	RTE_ASSERT(n <= DDP_BURST_MAX);
	unhashed.n = unhashed.words = 0;
	burst->verdict = NULL;
	if (n == 0)
		return;
	if (cache->policy != id)
		cache_clear(cache);
	cache->policy = id;
	if (cache->mode == DDP_CACHE_BYPASS)
		cache->bypass = n;
	if (cache->bypass > 0) {
		packets_interpret(cache, policy, hash, mbufs, UINT64_MAX >> (64 - n), &unhashed,
				  burst);
		stat_add(&cache->stats.misses, n);
		cache->bypass -= cache->bypass < n ? cache->bypass : n;
		return;
	}
	// Not later: results point to entries.
	if (cache->n_entries == CACHE_ENTRIES || cache->to_evict)
		cache_evict(cache);
	misses = burst_look_up(cache, policy, hash, mbufs, n, &unhashed, burst);
	n_misses = __builtin_popcountll(misses);
	stat_add(&cache->stats.hits, n - n_misses);
	stat_add(&cache->stats.misses, n_misses);
	cache->window_packets += n;
	cache->window_misses += n_misses;
	if (cache->window_packets >= WINDOW && cache->mode == DDP_CACHE_AUTO)
		window_end(cache);
	if (misses == 0)
		return;
	packets_interpret(cache, policy, hash, mbufs, misses, &unhashed, burst);
	tree_renew(cache, n_misses);
}
