/* SPDX-License-Identifier: BSD-3-Clause */
// Flows, or UEs: packets of which a profile hashes the same bytes, and the queues that each
// candidate puts them on. A flow in a tunnel is another one than the same outside, a UE is not.
//
// Which fields these bytes are is found by the interpreter. All packets of an entry of the path
// cache are alike, so it is run once for each of these.
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

// Packets that belong together, counted: of one hash, one flow, one UE. Each has a key of 64 bits.
//
// A hash table that grows until it has n_max keys. From then on packets of other keys are summed up
// only, and what the table says is of the keys that came first. Entries have the order in which
// their keys came, so no result depends on the random seed.
//
//	flows_init(&flows, true, n_places, 64 << 20);
//	flows_prefetch(&flows, keys, n);
//	for (unsigned int i = 0; i < n; i++)
//		flow = flows_count(&flows, keys[i]);
#define FLOWS_LEAST 4096 // entries, whatever the limit is
#define FLOW_INPUT_SIZE 48
#define FLOW_OUTER_SIZE 32

// The queues on which one candidate puts the packets of a flow. Packets are numbered from 1.
struct flow_place {
	uint64_t n[2];     // the first one, the first one on another queue; 0: none
	uint16_t queue[2]; // their queues
	uint16_t place;    // of the first one, see steer.h
};

// Written once, by the first packet of a flow, and not by the table.
struct flow_detail {
	uint64_t pair;     // the same for both directions, whatever is around them
	uint16_t layout;   // of input, see flow_counter.h
	uint8_t direction; // 0 or 1; both are 0 if there is only one
	uint8_t input_len;
	uint8_t input[FLOW_INPUT_SIZE]; // what was hashed
	uint8_t outer_len;              // both addresses of the outer IP header; 0: of a single one
	uint8_t outer[FLOW_OUTER_SIZE];
};

// Each packet changes this: it is in one cache line if there is one candidate.
struct flow {
	uint64_t key;
	uint64_t packets;

	// Only in a table with details. The table fills in detail.
	uint64_t bytes;
	struct flow_detail *detail;
	struct flow_place places[]; // by candidate
};

struct flows {
	struct ddp_seed seed;
	uint32_t n, n_max; // entries
	uint32_t mask;     // of slots in use, a power of two less one
	uint32_t stride;   // bytes of an entry
	uint64_t packets;  // of the keys that have an entry
	uint64_t n_beyond; // packets of others; 0: all keys are counted
	uint64_t *slots;   // part of the hash of a key, and the number of its entry from 1; 0: free
	uint8_t *entries;
	struct flow_detail *details; // of the entries; NULL: without
};

// It uses about size bytes. Here and below, without memory the process ends.
void flows_init(struct flows *flows, bool detailed, unsigned int n_places, size_t size);
void flows_fini(struct flows *flows); // also of zeros

// Count a packet. Returns the entry, which stays where it is; packets is 1 if it is new, and what
// follows 0. NULL: there is no room for it.
struct flow *flows_count(struct flows *flows, uint64_t key);

// Before the packets of a burst are counted: have memory bring what they need all at once.
void flows_prefetch(const struct flows *flows, const uint64_t *keys, unsigned int n);

// Packet n, at a place that belongs to a queue. Packets may come in any order.
void flow_place_add(struct flow_place *place, uint64_t n, uint16_t at, uint16_t queue);

// Entry i of n.
static inline struct flow *flows_at(const struct flows *flows, uint32_t i) {
	return (struct flow *)(uintptr_t)(flows->entries + (size_t)i * flows->stride);
}

// The most frequent ones, at most n, most first; of two as frequent the one that came first.
// Returns how many.
unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n);

// Entropy of a packet's key in bits.
double flows_entropy(const struct flows *flows);

/* Flows and UEs */

#define LAYOUT_FIELDS 16
#define VERDICTS_KNOWN 256

// Which fields an input has, in order: each takes whole bytes, its bits are the last ones.
struct layout {
	uint16_t type;
	uint8_t n_fields;
	uint8_t widths[LAYOUT_FIELDS]; // bits
	const char *names[LAYOUT_FIELDS];
	// The place of each byte in the other direction of a flow.
	uint8_t opposite[FLOW_INPUT_SIZE];
};

// The last burst of a spread.
struct spread_burst {
	struct ddp_cache *cache;
	struct ddp_burst run; // its rows are right for all packets that have an input
	struct rte_mbuf *mbufs[DDP_BURST_MAX];
	uint16_t types[DDP_BURST_MAX];
	uint8_t input_lens[DDP_BURST_MAX];
	uint16_t places[DDP_BURST_MAX]; // see steer.h
	unsigned int n_groups;
	uint64_t groups[DDP_BURST_MAX]; // of packets that belong to one
};

struct flow_counter {
	const struct spread *by; // gathers the bytes; NULL: neither flows nor UEs are wanted
	struct flows table;
	struct layout *layouts;
	unsigned int n_layouts;

	// while packets are counted
	bool is_ue;
	const struct ddp_personality *loaded; // of by, and so the next three
	const struct steer *steer;
	uint64_t rss_hf;
	const struct spread_burst *burst;
	const struct steer *const *steers; // of the candidates
	unsigned int n_places;             // their number
	// The path cache's entries whose layout is known, as long as it learns no other.
	uint64_t learned;
	uint32_t n_entries;
	const struct ddp_verdict *verdicts[VERDICTS_KNOWN];
	uint16_t verdict_layouts[VERDICTS_KNOWN];
	uint64_t keys[DDP_HASH_ROWS]; // of the burst
};

// Of what is by, the rest of it zeros, and of what by has; with size bytes of memory, about.
// steers: of the n_places candidates. Here and below, without memory the process ends.
void flow_counter_init(struct flow_counter *counter, bool is_ue,
		       const struct ddp_personality *loaded, const struct steer *steer,
		       uint64_t rss_hf, const struct steer *const *steers, unsigned int n_places,
		       size_t size);
void flow_counter_fini(struct flow_counter *counter);

// n packets of the batch, which are the last burst of counter->by. places: of packets of the batch,
// by candidate.
void flow_counter_count(struct flow_counter *counter, const struct spread_burst *burst,
			const struct capture_batch *batch, unsigned int first, unsigned int n,
			uint16_t (*places)[CAPTURE_BATCH_PACKETS]);

// "10.45.0.1:4000 > 198.51.100.7:443", other fields as "teid=4660".
const char *flow_text(struct flow_counter *counter, const struct flow *flow,
		      struct ddp_arena *arena);

// "192.0.2.1 > 192.0.2.2": the addresses of the outer IP header; NULL if there is only one.
const char *flow_outer_text(const struct flow *flow, struct ddp_arena *arena);

// Of a UE: its address, if that alone is hashed; else NULL.
const char *flow_address(struct flow_counter *counter, const struct flow *flow,
			 char text[FIELD_TEXT_SIZE]);

#endif
