/* SPDX-License-Identifier: BSD-3-Clause */
// Bursts of packets, classified and hashed: what the data path runs.
//
// Most packets of a link take one of a few paths through the parse graph. The interpreter
// (ddp_classify()) notes which bits of a packet it looked at; these bits are an entry of the cache,
// and every packet that agrees with it in them would have been walked the same way. So it has its
// type and its bytes to hash at once. Packets without an entry are interpreted.
//
// Cache and interpreter agree on every packet, whichever instruction set runs.
//
// A cache is used by one thread at a time (net_ddp: under its lower Rx queue's lock), of any
// process: neither a cache nor a policy has pointers to code or static data.
//
//	cache = aligned_alloc(DDP_CACHE_ALIGN, ddp_cache_size());
//	ddp_cache_init(cache, ddp_isa_best(512));
//	ddp_cache_run(cache, &policy, &hash, mbufs, n, &burst);
//	for (i = 0; i < n; i++)
//		if (ddp_burst_verdict(&burst, i)->input_len > 0)
//			queue = reta[burst.hashes[i] & 511];
#pragma once

#include <endian.h>

#include "classify/flow/flow.h"

struct rte_mbuf;

#define DDP_CACHE_ALIGN 64          // bytes
#define DDP_BURST_MAX DDP_HASH_ROWS // packets of one call, at most

#define DDP_PTYPE_AS_FOUND UINT32_C(0x70000000) // no value; no packet type has these bits

// All that decides how a packet is classified and hashed. Only rules in flows change, and id.
struct ddp_policy {
	const struct ddp_program *program;
	const struct ddp_flow_set *flows; // NULL: no rules
	bool rss;                         // else only rules hash
	enum ddp_hash_function function;  // of what no rule hashes
	uint64_t rss_hf;
	// RTE_PTYPE_* that mbufs get, by packet type id, without ptype_hidden; else as found.
	const uint32_t *ptypes;
	unsigned int n_ptypes;
	uint32_t ptype_hidden;
	// Not 0; another one whenever something above is another, and after a rule came or went
	// unless it steers by keys: what else a rule decides is part of the cache's entries.
	uint64_t id;
};

static inline uint32_t ddp_policy_ptype(const struct ddp_policy *policy, uint16_t type_id,
					uint32_t found) {
	if (type_id < policy->n_ptypes && policy->ptypes[type_id] != DDP_PTYPE_AS_FOUND)
		found = policy->ptypes[type_id];
	return found & ~policy->ptype_hidden;
}

// The verdict that all packets of an entry share, that one packet has if no entry matched, or that
// packets of a type have that the lower device hashed (own, without a value).
struct ddp_verdict {
	uint32_t packet_type;
	uint16_t type_id;      // 0: none
	uint16_t l3_off;       // of the first IP header, UINT16_MAX: none
	uint16_t inner_l3_off; // UINT16_MAX: none
	uint8_t input_len;     // bytes hashed; 0: the packet has no hash
	uint8_t function;      // enum ddp_hash_function
	bool encapsulated : 1; // see struct ddp_class
	bool own : 1;          // value is the packet's extracted field,
	// else bits of the 8 bytes at value_byte are, as a big-endian number
	uint8_t value_shift;
	uint16_t value_byte;
	uint32_t value; // of an entry: which bits
};

// The results; they hold until the next call.
struct ddp_burst {
	const struct ddp_verdict *verdict; // of all packets, where they share one; else NULL, and
	const struct ddp_verdict *verdicts[DDP_BURST_MAX]; // each its own
	uint32_t hashes[DDP_BURST_MAX];                    // undefined where input_len is 0
	// Rule of DDP_FLOW_STEER, NULL: none; only with policy->flows.
	const struct ddp_flow_entry *steer[DDP_BURST_MAX];

	// for the implementation
	struct ddp_verdict own[DDP_BURST_MAX]; // of packets that no entry matched
	const uint8_t *bytes[DDP_BURST_MAX];
	// Of packets from the first one looked up on: their needs, or what differs from entries.
	union {
		uint8_t flags[DDP_BURST_MAX];
		uint32_t differing[DDP_BURST_MAX];
	} __attribute__((aligned(64)));
	uint64_t too_short;            // a bit for each: its buffer is
	bool heads_changed;            // of rows, after most were compared: hash them once more
	unsigned int n_longer;         // packets that may have more than one block to hash
	uint8_t longer[DDP_BURST_MAX]; // as ddp_rows_index_end() leaves it
	struct ddp_rows rows;
};

static inline const struct ddp_verdict *ddp_burst_verdict(const struct ddp_burst *burst,
							  unsigned int i) {
	return burst->verdict != NULL ? burst->verdict : burst->verdicts[i];
}

// The packet's extracted field, by a verdict that is an entry's: not own.
static inline uint32_t ddp_entry_value(const struct ddp_verdict *verdict, const uint8_t *bytes) {
	uint64_t word;

	memcpy(&word, bytes + verdict->value_byte, sizeof(word)); // the buffer is long enough
	return be64toh(word) >> verdict->value_shift & verdict->value;
}

// The packet's extracted field, 0 where it has none. bytes: where its first segment's data begins.
static inline uint32_t ddp_verdict_value(const struct ddp_verdict *verdict, const uint8_t *bytes) {
	return verdict->own ? verdict->value : ddp_entry_value(verdict, bytes);
}

// The hash by another key of classified packet i, which is hashed by this verdict; with flows only.
static inline uint32_t ddp_burst_hash(const struct ddp_burst *burst, unsigned int i,
				      const struct ddp_verdict *verdict,
				      const struct ddp_hash *hash) {
	uint8_t input[DDP_HASH_INPUT_MAX];

	ddp_rows_get(&burst->rows, i, input);
	return ddp_hash_compute_by(hash, (enum ddp_hash_function)verdict->function, input,
				   verdict->input_len);
}

struct ddp_cache_stats {
	uint64_t hits, misses; // packets
	uint64_t learned;      // entries ever made
	uint32_t entries;      // in use now
};

struct ddp_cache;

// A packet as the interpreter reads it.
void ddp_packet_of(const struct rte_mbuf *mbuf, struct ddp_packet *packet);

// Bytes that a cache takes, in one piece. It stays where it was initialised, without clean-up.
size_t ddp_cache_size(void);
// isa: one that this CPU has.
void ddp_cache_init(struct ddp_cache *cache, enum ddp_isa isa);

// Data path: never allocates, logs, waits or calls the kernel. n is at most DDP_BURST_MAX. Fills
// burst and changes no mbuf. hash has been initialised with DDP_HASH_TOEPLITZ or
// DDP_HASH_SYMMETRIC_TOEPLITZ; its key may change from call to call.
void ddp_cache_run(struct ddp_cache *cache, const struct ddp_policy *policy,
		   const struct ddp_hash *hash, struct rte_mbuf *const *mbufs, unsigned int n,
		   struct ddp_burst *burst);

// For tests and benchmarks.
enum ddp_cache_mode {
	DDP_CACHE_AUTO,
	DDP_CACHE_BYPASS,  // interpret every packet
	DDP_CACHE_UNIFORM, // try only the entry used last
	DDP_CACHE_TREE,    // always by the tree
};
void ddp_cache_force(struct ddp_cache *cache, enum ddp_cache_mode mode);

void ddp_cache_stats_get(const struct ddp_cache *cache, struct ddp_cache_stats *stats);
