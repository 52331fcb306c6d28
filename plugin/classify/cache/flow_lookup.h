/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: the values of packets in the tables of flow rules. Data path.
#ifndef DDP_CLASSIFY_CACHE_FLOW_LOOKUP_H
#define DDP_CLASSIFY_CACHE_FLOW_LOOKUP_H

#include "classify/flow/flow_set.h"

static inline const struct flow_buckets *flow_buckets_of(const struct ddp_flow_table *table) {
	return __atomic_load_n(&table->buckets, __ATOMIC_ACQUIRE);
}

static inline const struct flow_bucket *flow_bucket_first(const struct flow_buckets *buckets,
							  uint64_t hash) {
	return &buckets->buckets[flow_hash_bucket(hash) & buckets->mask];
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
	uint32_t at = flow_hash_bucket(hash) & buckets->mask;

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

#endif
