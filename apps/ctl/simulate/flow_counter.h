/* SPDX-License-Identifier: BSD-3-Clause */
// Flows or UEs: packets of which a profile hashes equal bytes, and their queues with each
// candidate. A flow has another key inside of a tunnel than outside, a UE has not.
// The interpreter finds the fields of these bytes, once for each entry of the path cache: all
// packets of an entry have the same fields.
#ifndef DDPCTL_SIMULATE_FLOW_COUNTER_H
#define DDPCTL_SIMULATE_FLOW_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/seed.h"
#include "classify/cache/cache.h"
#include "ctl/capture/capture.h"
#include "ctl/steer/steer.h"
#include "personality/personality.h"
#include "profile/profile_format.h"
#include "rss/rss.h"

struct ddp_arena;
struct spread;

/* Tables */

// Counts of packets by a key of 64 bits: of a hash, a flow or a UE.
// A hash table that grows to n_max keys. Packets of further keys are only summed up. Entries are in
// the order of their first packets, so no result depends on the random seed.
//
//	flows_init(&flows, true, n_candidates, 64 << 20);
//	flows_prefetch(&flows, keys, n);
//	for (unsigned int i = 0; i < n; i++)
//		flow = flows_count(&flows, keys[i]);
#define FLOWS_LEAST 4096   // entries, even if the limit is smaller
#define FLOW_INPUT_SIZE 48 // bytes
#define FLOW_OUTER_SIZE 32 // bytes: two IPv6 addresses

// The queues of a flow's packets with one candidate. Packets are numbered from 1.
struct flow_slot {
	uint64_t n[2];     // the first packet, the first on another queue; 0: none
	uint16_t queue[2]; // their queues
	uint16_t slot;     // slot of the first packet, see steer.h
};

// Written once, by the user of the table at the first packet of a flow.
struct flow_detail {
	uint64_t pair;     // key of both directions, without outer headers
	uint16_t layout;   // index of the layout of input
	uint8_t direction; // 0 or 1; both are 0 if there is only one
	uint8_t input_len;
	uint8_t input[FLOW_INPUT_SIZE]; // hashed bytes
	uint8_t outer_len;              // bytes; 0: the packet has no outer IP header
	uint8_t outer[FLOW_OUTER_SIZE];
};

// Changed by each packet: one cache line if there is one candidate.
struct flow {
	uint64_t key;
	uint64_t packets;

	// Only in a table with details. The table sets detail.
	uint64_t bytes;
	struct flow_detail *detail;
	struct flow_slot slots[]; // by candidate
};

struct flows {
	struct ddp_seed seed;
	uint32_t n, n_max; // entries
	uint32_t mask;     // of slots in use, a power of two less one
	uint32_t stride;   // bytes of an entry
	uint64_t packets;  // of the keys that have an entry
	uint64_t n_beyond; // packets of others; 0: all keys are counted
	uint64_t *slots;   // part of the key's hash, and 1 + index of its entry; 0: free
	uint8_t *entries;
	struct flow_detail *details; // one per entry; NULL: no details
};

// The table uses about size bytes. Here and below, the process ends if memory is short.
void flows_init(struct flows *flows, bool detailed, unsigned int n_candidates, size_t size);
void flows_fini(struct flows *flows); // also if all zero

// Count a packet. Returns the entry, which never moves; a new one has packets 1. NULL: full.
struct flow *flows_count(struct flows *flows, uint64_t key);

// Prefetch the slots and entries of a burst before flows_count().
void flows_prefetch(const struct flows *flows, const uint64_t *keys, unsigned int n);

// Add packet n with its slot and queue. Packets may come in any order.
void flow_slot_add(struct flow_slot *slot, uint64_t n, uint16_t at, uint16_t queue);

// Entry i, below n_max.
static inline struct flow *flows_at(const struct flows *flows, uint32_t i) {
	return (struct flow *)(uintptr_t)(flows->entries + (size_t)i * flows->stride);
}

// The n largest flows or fewer, largest first, then oldest first. Returns their number.
unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n);

// Entropy of a packet's key in bits.
double flows_entropy(const struct flows *flows);

/* Flows and UEs */

#define LAYOUT_FIELDS 16   // fields of an input at most
#define VERDICTS_KNOWN 256 // entries, a cache of layouts by verdict

// The fields of an input in order: each is right-aligned in whole bytes.
struct input_layout {
	uint16_t type;
	uint8_t n_fields;
	uint8_t widths[LAYOUT_FIELDS]; // bits
	const char *names[LAYOUT_FIELDS];
	// The index of each byte in the input of the other direction.
	uint8_t opposite[FLOW_INPUT_SIZE];
};

// The last burst of a spread.
struct spread_burst {
	struct ddp_cache *cache;
	struct ddp_burst run; // its rows are valid for all packets with an input
	struct rte_mbuf *mbufs[DDP_BURST_MAX];
	uint16_t types[DDP_BURST_MAX];
	uint8_t input_lens[DDP_BURST_MAX];
	uint16_t slots[DDP_BURST_MAX]; // see steer.h
	unsigned int n_groups;
	uint64_t groups[DDP_BURST_MAX]; // keys, of packets with a group
};

struct flow_counter {
	const struct spread *by; // the spread that gathers the bytes; NULL: not wanted
	struct flows table;      // flows_init() with details
	struct input_layout *layouts;
	unsigned int n_layouts;

	// Valid while packets are counted.
	bool is_ue;
	const struct steer *const *steers; // of the candidates
	unsigned int n_candidates;         // number of candidates
	// The layouts of path cache entries, valid until the cache learns another entry.
	uint64_t learned;
	uint32_t n_entries;
	const struct ddp_verdict *verdicts[VERDICTS_KNOWN];
	uint16_t verdict_layouts[VERDICTS_KNOWN];
	uint64_t keys[DDP_HASH_ROWS]; // of the burst
};

void flow_counter_fini(struct flow_counter *counter);

// Count n packets of the batch, which are the last burst of counter->by. slots: those of the
// packets of the batch, by candidate.
void flow_counter_count(struct flow_counter *counter, const struct capture_batch *batch,
			unsigned int first, unsigned int n,
			uint16_t (*slots)[CAPTURE_BATCH_PACKETS]);

// "10.45.0.1:4000 > 198.51.100.7:443", other fields as "teid=4660".
const char *flow_text(struct flow_counter *counter, const struct flow *flow,
		      struct ddp_arena *arena);

// "192.0.2.1 > 192.0.2.2": the addresses of the outer IP header; NULL if there is only one.
const char *flow_outer_text(const struct flow *flow, struct ddp_arena *arena);

// The address of a UE, if no other field is hashed; else NULL.
const char *flow_address(struct flow_counter *counter, const struct flow *flow,
			 char text[FIELD_TEXT_SIZE]);

#endif
