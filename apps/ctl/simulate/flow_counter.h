/* SPDX-License-Identifier: BSD-3-Clause */
// Flows, or UEs: packets of which a profile hashes the same bytes, and the queues that each
// candidate puts them on. A flow in a tunnel is another one than the same outside, a UE is not.
//
// Which fields these bytes are is found by the interpreter. All packets of an entry of the path
// cache are alike, so it is run once for each of these.
#ifndef DDPCTL_SIMULATE_FLOW_COUNTER_H
#define DDPCTL_SIMULATE_FLOW_COUNTER_H

#include "classify/cache/cache.h"
#include "ctl/capture/capture.h"
#include "ctl/steer/steer.h"
#include "flows.h"
#include "personality/personality.h"
#include "profile/field_format.h"
#include "rss/rss.h"

struct ddp_arena;
struct spread;

#define LAYOUT_FIELDS 16
#define VERDICTS_KNOWN 256

// Which fields an input has, in order: each takes whole bytes, its bits are the last ones.
struct layout {
	uint16_t type;
	uint8_t n_fields;
	uint8_t widths[LAYOUT_FIELDS]; // bits
	const char *names[LAYOUT_FIELDS];
	// Where the other direction of a flow has each byte.
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
	struct fields fields; // for texts

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
