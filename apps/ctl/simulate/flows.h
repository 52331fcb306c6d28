/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that belong together, counted: of one hash, one flow, one UE. Each has a key of 64 bits.
//
// Memory has a limit: when FLOWS_MAX are known, the smaller half is forgotten (lossy counting), and
// from then on counts may be too low by up to `error`; how many there are is estimated
// (HyperLogLog, 1.6 % at 4096 registers). What has more than a thousandth of the packets is never
// forgotten for good.
//
//	flows_init(&flows, true, n_places);
//	flow = flows_count(&flows, key);
//	if (flow != NULL && flow->packets == 1)
//		... it is new: fill in flow_detail(flow) ...
#ifndef DDPCTL_SIMULATE_FLOWS_H
#define DDPCTL_SIMULATE_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#define FLOWS_MAX (1U << 17) // known at once
#define FLOWS_REGISTERS 4096
#define FLOW_INPUT_SIZE 48

// Where its packets are put by one candidate. Packets are numbered from 1.
struct flow_place {
	uint64_t n[2];     // the first one, the first one on another queue; 0: none
	uint16_t queue[2]; // their queues
	uint16_t place;    // of the first one, as balancer_count() takes it
};

struct flow {
	uint64_t key; // 0: free
	uint64_t packets;
};

// What is known besides, of those that people will see.
struct flow_detail {
	uint64_t bytes;
	uint64_t ends,
		reverse; // key of its addresses and ports whatever is around them; the same of the
			 // other direction, its own if there is none
	uint16_t type;   // packet type in the program that made the key
	uint8_t layout;  // of input, see view.h
	uint8_t input_len;
	uint8_t input[FLOW_INPUT_SIZE]; // what was hashed
	struct flow_place places[];
};

struct flows {
	uint32_t stride;   // bytes of an entry
	uint32_t n_places; // of each; only with details
	bool detailed;
	bool full;      // no memory for more: the newest are not counted
	uint32_t n_max; // of entries
	uint32_t mask;  // of entries there is room for, a power of two less one
	uint32_t n;     // entries
	uint64_t error; // a count may be so much too low
	uint8_t *entries;
	uint8_t *registers;
};

// Here and below, without memory the process ends.
void flows_init(struct flows *flows, bool detailed, unsigned int n_places);
void flows_fini(struct flows *flows);

// Count a packet. Returns the entry, valid until the next call; a new one has packets 1, and its
// detail is zero. NULL: there was no memory.
struct flow *flows_count(struct flows *flows, uint64_t key);
static inline struct flow_detail *flow_detail(const struct flow *flow) {
	return (struct flow_detail *)(uintptr_t)(flow + 1);
}

// Have memory bring the entry meanwhile: much of the time of a burst would be spent waiting for it.
void flows_prefetch(const struct flows *flows, uint64_t key);

// NULL: not there.
const struct flow *flows_find(const struct flows *flows, uint64_t key);

// A packet is on this queue. In any order of n, each after flow_place_begin().
void flow_place_change(struct flow_place *place, uint64_t n, uint16_t queue);
static inline void flow_place_begin(struct flow_place *place, uint64_t n, uint16_t at) {
	if (n != 0 && (n < place->n[0] || place->n[0] == 0))
		place->place = at;
}

static inline void flow_place_add(struct flow_place *place, uint64_t n, uint16_t queue) {
	if (queue != place->queue[0] || n <= place->n[0] || place->n[0] == 0)
		flow_place_change(place, n, queue);
}

// Add what was counted of a flow, under a key that may be another.
void flows_add(struct flows *flows, uint64_t key, const struct flow *from);

// Add all of from, which counted other packets.
void flows_merge(struct flows *flows, const struct flows *from);

// How many different keys there were; exactly so if error is 0.
uint64_t flows_number(const struct flows *flows);

// The next entry after flow (NULL: the first one), in no order; NULL at the end.
const struct flow *flows_next(const struct flows *flows, const struct flow *flow);

// The most frequent ones, at most n, most first; of two as frequent the one with the smaller key.
// Returns how many.
unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n);

#endif
