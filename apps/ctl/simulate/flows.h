/* SPDX-License-Identifier: BSD-3-Clause */
// Packets that belong together, counted: of one hash, one flow, one UE. Each has a key of 64 bits.
//
// Memory has a limit, n_max. Until that many keys are known every one is counted, and the result is
// exact. Then a sample of less than SAMPLE_MAX is kept: by a hash of the keys, half of them are
// dropped, or 3 of 4, or 7 of 8, and from then on only keys of the same part are counted; whenever
// the sample is full again it is halved again (Gibbons, "Distinct Sampling for Highly-Accurate
// Answers", VLDB 2001). A key of the sample has all of its packets, and stands for 2^level keys. So
// a count of keys has an error of about 0.3 %, and costs less than an exact one: most packets
// change nothing.
//
// A sample says nothing of the few keys that have most packets. These are counted beside it: of
// those outside of the sample, one packet in a few begins a count (Estan, Varghese: sample and
// hold), HEAVY_MAX are known, and when they are more the smaller half is forgotten (Manku, Motwani:
// lossy counting). Their counts may be too low by up to `error`, and a key with more packets than
// that is known.
//
// Tables are an index of slots, a dense list of entries and one of their details. What most packets
// change or ask for is in the entry: with millions of flows, time goes with the lines of memory
// that a packet needs. Slots and entries are prefetched for a burst of packets before its first one
// is counted.
//
//	flows_init(&flows, true, n_places);
//	flows_prefetch_slots(&flows, keys, n);
//	... other work ...
//	flows_prefetch_entries(&flows, keys, n);
//	flow = flows_count(&flows, key);
//	if (flows_wants_detail(&flows, flow))
//		... fill in flow_detail(&flows, flow), set flow->is_told ...
#ifndef DDPCTL_SIMULATE_FLOWS_H
#define DDPCTL_SIMULATE_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/seed.h"
#include "ctl/profile/steer.h"

#define FLOWS_MAX (1U << 17) // n_max unless flows_limit() says otherwise
#define FLOWS_LEAST 4096     // whatever it says
#define SAMPLE_MAX (1U << 18)
#define HEAVY_MAX 4096
#define FLOW_INPUT_SIZE 48
#define FLOW_OUTER_SIZE 32

// Where its packets are put by one candidate. Packets are numbered from 1.
struct flow_place {
	uint64_t n[2];     // the first one, the first one on another queue; 0: none
	uint16_t queue[2]; // their queues
	uint16_t place;    // of the first one, see steer.h
};

// Without details it ends before bytes.
struct flow {
	uint64_t key; // never 0
	uint64_t packets;
	uint64_t bytes;
	bool is_told;    // what it is: details are filled in
	uint16_t seen[]; // by candidate: a place, STEER_PLACE_NONE or FLOW_SEEN_ALL
};

// What is known besides, of those that people will see.
struct flow_detail {
	uint64_t pair;     // the same for both directions, whatever is around them
	uint16_t type;     // packet type in the program that made the key
	uint8_t layout;    // of input, see spread.h
	uint8_t direction; // 0 or 1; both are 0 if there is only one
	uint8_t input_len;
	uint8_t input[FLOW_INPUT_SIZE]; // what was hashed
	uint8_t outer_len;              // both addresses of the outer IP header; 0: of a single one
	uint8_t outer[FLOW_OUTER_SIZE];
	struct flow_place places[];
};

struct flow_table {
	uint32_t n, room; // entries
	uint32_t mask;    // of slots in use, a power of two less one
	uint64_t *slots;  // part of the hash of a key, and the number of its entry from 1; 0: free
	uint8_t *entries;
	uint8_t *details; // of entries, in the same order
};

struct flows {
	struct ddp_seed seed; // of the slots
	bool detailed;
	uint32_t stride, detail_stride; // bytes of an entry, of its details
	uint32_t n_places;              // of each; only with details
	uint32_t n_max;                 // entries of kept
	unsigned int level;             // a key of kept stands for 2^level
	uint64_t packets;               // of all keys
	uint64_t n_outside;             // packets that might have begun a heavy entry
	uint64_t error;                 // counts of heavy may be so much too low
	struct flow_table kept;
	struct flow_table heavy; // with level 0: empty
};

// Here and below, without memory the process ends.
void flows_init(struct flows *flows, bool detailed, unsigned int n_places);
void flows_fini(struct flows *flows);

// Of an empty one: use about so many bytes.
void flows_limit(struct flows *flows, size_t size);

// Count a packet. Returns the entry, valid until the next call; a new one has packets 1, and its
// detail is zero but for pair. NULL: the key is outside of the sample, and not counted for itself.
struct flow *flows_count(struct flows *flows, uint64_t key);

// The same in two steps, where the sample is to have both directions of a flow or none. If the
// first returns NULL there is no entry yet; pair is what both directions have in common.
struct flow *flows_count_known(struct flows *flows, uint64_t key);
struct flow *flows_count_new(struct flows *flows, uint64_t key, uint64_t pair);

// Of one that is in flows.
struct flow_detail *flow_detail(const struct flows *flows, const struct flow *flow);

// Whether detail is to be filled in, not only counted: that takes time, and of most keys outside of
// the sample nobody will ask.
bool flows_wants_detail(const struct flows *flows, const struct flow *flow);

// Have memory bring what is known of the keys of a burst: much of its time would be spent waiting
// for one after another. First slots, and some time later entries.
void flows_prefetch_slots(const struct flows *flows, const uint64_t *keys, unsigned int n);
void flows_prefetch_entries(const struct flows *flows, const uint64_t *keys, unsigned int n);

// NULL: not there.
const struct flow *flows_find(const struct flows *flows, uint64_t key);

// Whether the place that candidate p gives a packet may say anything new of its flow, if packets
// come in the order of their numbers: it is another one than the last, and less than two queues are
// known.
#define FLOW_SEEN_ALL (UINT16_MAX - 1) // two are
static inline bool flow_is_elsewhere(const struct flow *flow, unsigned int p, uint16_t place) {
	return place != flow->seen[p] && place != STEER_PLACE_NONE &&
	       flow->seen[p] != FLOW_SEEN_ALL;
}

// Then: packet n of the capture is there, on this queue.
void flow_put(const struct flows *flows, struct flow *flow, unsigned int p, uint64_t n,
	      uint16_t place, uint16_t queue);

// The parts of it. Packets may be in any order.
void flow_place_add(struct flow_place *place, uint64_t n, uint16_t at, uint16_t queue);
void flow_places_merge(struct flow_place *to, const struct flow_place *from, unsigned int n);

// Whether all keys are counted.
static inline bool flows_are_exact(const struct flows *flows) {
	return flows->level == 0;
}

// How many different keys there were; about so many if they are not exact.
static inline uint64_t flows_number(const struct flows *flows) {
	return (uint64_t)flows->kept.n << flows->level;
}

// Entry i of the sample, of kept.n, and its details.
static inline const struct flow *flows_kept(const struct flows *flows, uint32_t i) {
	return (const struct flow *)(flows->kept.entries + (size_t)i * flows->stride);
}

static inline const struct flow_detail *flows_kept_detail(const struct flows *flows, uint32_t i) {
	return (const struct flow_detail *)(flows->kept.details + (size_t)i * flows->detail_stride);
}

// The next entry after flow (NULL: the first one), of the sample or heavy; NULL at the end.
const struct flow *flows_next(const struct flows *flows, const struct flow *flow);

// The most frequent ones, at most n, most first; of two as frequent the one with the smaller key.
// Returns how many.
unsigned int flows_top(const struct flows *flows, const struct flow **top, unsigned int n);

// Entropy of a packet's key in bits.
double flows_entropy(const struct flows *flows);

#endif
