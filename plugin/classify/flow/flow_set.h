/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: compiled flow rules.
#pragma once

#include <assert.h>

#include "base/seed.h"
#include "classify/program.h"
#include "flow.h"

// One value that a group's packets are looked up by.
struct flow_key {
	struct prog_ref ref;
	uint64_t mask_hi, mask_lo;
};

// Entries in one cache line, with bits of their hashes. An entry is in the bucket of its hash or,
// if that was full, in one of the next: a full bucket that another entry was meant for has more
// set, and keeps it. A table whose entry would be too far away gets new buckets with another seed.
#define FLOW_BUCKET 7
#define FLOW_RUN_MAX 32 // buckets that an entry may be in; millions of random entries use 10
struct flow_bucket {
	uint8_t tags[FLOW_BUCKET]; // 0 where there is no entry
	uint8_t more;              // not 0: search the next bucket, too
	struct ddp_flow_entry *entries[FLOW_BUCKET];
} __attribute__((aligned(64)));
static_assert(sizeof(struct flow_bucket) == 64, "a bucket is one cache line");

struct flow_buckets {
	struct flow_buckets *outgrown; // that were used before these
	struct ddp_seed seed;          // of the hash: no sender knows which values share a bucket
	uint32_t mask;                 // number of buckets - 1
	struct flow_bucket buckets[];
};

// Written by one thread, read by others.
struct ddp_flow_table {
	struct flow_buckets *buckets;
	// No entry is preferred to one with these.
	uint64_t newest;
	uint32_t priority;
	uint32_t n_keys;

	// for the one that writes
	const struct ddp_memory *memory; // of the table, its buckets and entries
	unsigned int n_used;             // different values
	bool reserved;                   // there is room for an entry to come
	unsigned int n_overflowed;       // buckets with more
	unsigned int n_removed;          // entries, since the buckets were made
	size_t entry_size, data_size;
	void *free;         // entries, each with a pointer to the next
	void *chunks;       // of entries, each with a pointer to the next
	unsigned int n_new; // entries of the next chunk
};

static inline bool flow_table_is_outranked(const struct ddp_flow_table *table,
					   const struct ddp_flow_entry *entry) {
	const uint32_t priority = __atomic_load_n(&table->priority, __ATOMIC_RELAXED);

	if (entry->priority != priority)
		return entry->priority < priority;
	return entry->number >= __atomic_load_n(&table->newest, __ATOMIC_RELAXED);
}

#define FLOW_NODE_NONE UINT8_MAX
static_assert(DDP_MAX_NODES <= FLOW_NODE_NONE, "it is none");

// Rules of one shape: one of them matches at most.
struct flow_group {
	enum ddp_flow_stage stage;
	bool ends;
	// without: a header that follows neither the last one nor one of `skipped` there;
	// FLOW_NODE_NONE: none.
	uint8_t without, skipped;
	const struct ddp_flow_table *table;
	struct prog_cond guards;
	uint32_t first_key, n_keys;
	struct ddp_flow_hashing hashing;
	struct prog_set inputs;
};

struct ddp_flow_set {
	struct ddp_arena *arena;
	// The program with the rules' fields, conditions and inputs behind its own.
	struct ddp_program view;
	struct automaton automaton; // accepts the groups' paths
	struct flow_group *groups;
	unsigned int n_groups;
	unsigned int n_paths; // groups with a path; the others need no header: every packet
	struct flow_key *keys;
	unsigned int n_keys;
	bool *reached; // by packet type: see ddp_flow_set_reaches()
};

static inline uint64_t flow_values_hash(const struct flow_buckets *buckets, const uint64_t *values,
					unsigned int n_keys) {
	uint64_t hash = buckets->seed.start;

	for (unsigned int i = 0; i < n_keys; i++)
		hash = ddp_seed_add(&buckets->seed, hash, values[2 * i], values[2 * i + 1]);
	return ddp_seed_end(hash);
}

// Its lower half says which bucket is the first.
static inline uint8_t flow_hash_tag(uint64_t hash) {
	const uint8_t tag = hash >> 56;

	return tag == 0 ? 1 : tag;
}

/* The values of packets in tables: data path */

static inline const struct flow_buckets *flow_buckets_of(const struct ddp_flow_table *table) {
	return __atomic_load_n(&table->buckets, __ATOMIC_ACQUIRE);
}

static inline const struct flow_bucket *flow_bucket_first(const struct flow_buckets *buckets,
							  uint64_t hash) {
	return &buckets->buckets[(uint32_t)hash & buckets->mask];
}

// Bit 8i + 7 is set if tag i may be this one; it is if it is.
static inline uint64_t flow_tags_match(const struct flow_bucket *bucket, uint8_t tag) {
	const uint64_t ones = UINT64_C(0x0001010101010101);
	uint64_t tags = 0;

	static_assert(offsetof(struct flow_bucket, more) == FLOW_BUCKET, "one load has all tags");
	__atomic_load((const uint64_t *)(const void *)bucket, &tags, __ATOMIC_RELAXED);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	tags = __builtin_bswap64(tags);
#endif
	tags ^= ones * tag;
	return (tags - ones) & ~tags & ones << 7;
}

static inline bool flow_values_same(const uint64_t *a, const uint64_t *b, unsigned int n_keys) {
	uint64_t differs = 0;

	for (unsigned int i = 0; i < 2 * n_keys; i++)
		differs |= a[i] ^ b[i];
	return differs == 0;
}

static inline const struct ddp_flow_entry *flow_bucket_find(const struct flow_bucket *bucket,
							    uint8_t tag, const uint64_t *values,
							    unsigned int n_keys) {
	for (uint64_t bits = flow_tags_match(bucket, tag); bits != 0; bits &= bits - 1) {
		const struct ddp_flow_entry *entry = __atomic_load_n(
			&bucket->entries[__builtin_ctzll(bits) / 8], __ATOMIC_ACQUIRE);

		if (entry != NULL && flow_values_same(entry->values, values, n_keys))
			return entry;
	}
	return NULL;
}

// The preferred entry with these values, of which this is the hash in these buckets; NULL for none.
static inline const struct ddp_flow_entry *flow_buckets_find(const struct flow_buckets *buckets,
							     const uint64_t *values, uint64_t hash,
							     unsigned int n_keys) {
	const uint8_t tag = flow_hash_tag(hash);
	uint32_t at = (uint32_t)hash & buckets->mask;

	for (unsigned int tried = 0; tried < FLOW_RUN_MAX; tried++, at = (at + 1) & buckets->mask) {
		const struct flow_bucket *bucket = &buckets->buckets[at];
		const struct ddp_flow_entry *entry = flow_bucket_find(bucket, tag, values, n_keys);

		if (entry != NULL || __atomic_load_n(&bucket->more, __ATOMIC_ACQUIRE) == 0)
			return entry;
	}
	return NULL;
}

// The first entry that this would compare; NULL: none of the first bucket.
static inline const struct ddp_flow_entry *flow_buckets_guess(const struct flow_buckets *buckets,
							      uint64_t hash) {
	const struct flow_bucket *bucket = flow_bucket_first(buckets, hash);
	const uint64_t bits = flow_tags_match(bucket, flow_hash_tag(hash));

	return bits == 0 ? NULL :
			   __atomic_load_n(&bucket->entries[__builtin_ctzll(bits) / 8],
					   __ATOMIC_ACQUIRE);
}

// cache/cache_steer.c: ddp_flow_match() with notes: trace is what it looked at but for the keys,
// and note is called with each group whose keys decide. Rules that steer by keys are not looked up
// then: the preferred one with the packet's keys is the packet's.
typedef void (*flow_group_fn)(void *arg, const struct flow_group *group);
void flow_match_traced(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		       const struct ddp_class *class, struct ddp_flow_hit *hit, struct trace *trace,
		       flow_group_fn note, void *arg);
