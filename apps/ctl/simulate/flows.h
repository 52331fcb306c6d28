/* SPDX-License-Identifier: BSD-3-Clause */
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
#ifndef DDPCTL_SIMULATE_FLOWS_H
#define DDPCTL_SIMULATE_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/seed.h"

#define FLOWS_LEAST 4096 // entries, whatever the limit is
#define FLOW_INPUT_SIZE 48
#define FLOW_OUTER_SIZE 32

// Where one candidate puts the packets of a flow. Packets are numbered from 1.
struct flow_place {
	uint64_t n[2];     // the first one, the first one on another queue; 0: none
	uint16_t queue[2]; // their queues
	uint16_t place;    // of the first one, see steer.h
};

// What the first packet of a flow says of it. The table fills in nothing of it.
struct flow_detail {
	uint64_t pair;     // the same for both directions, whatever is around them
	uint16_t layout;   // of input, see flow_counter.h
	uint8_t direction; // 0 or 1; both are 0 if there is only one
	uint8_t input_len;
	uint8_t input[FLOW_INPUT_SIZE]; // what was hashed
	uint8_t outer_len;              // both addresses of the outer IP header; 0: of a single one
	uint8_t outer[FLOW_OUTER_SIZE];
};

// What each packet changes, so in one cache line if there is one candidate.
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

#endif
