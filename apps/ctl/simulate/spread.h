/* SPDX-License-Identifier: BSD-3-Clause */
// How the packets of a capture spread over queues, for any number of candidates (a program and how
// its hashes are made and used) in one pass.
//
//	spread_init(&spreads[0], loaded.profile, loaded.program, &steer, NULL, &diag);
//	spread_init(&spreads[1], ...);
//	spread_totals_init(&totals);
//	ret = spread_run(&capture, spreads, 2, &totals);
//	... spreads[0].queue_packets[3] ...
//	spread_totals_fini(&totals);
//	spread_fini(...);
//
// Packets are classified through path caches, which agree with the interpreter on every packet, and
// counted in the order of the capture.
#ifndef DDPCTL_SIMULATE_SPREAD_H
#define DDPCTL_SIMULATE_SPREAD_H

#include <stdint.h>

#include "balancing.h"
#include "classify/cache/cache.h"
#include "ctl/capture/capture.h"
#include "ctl/capture/sample.h"
#include "ctl/steer/cut.h"
#include "ctl/steer/rule_text.h"
#include "ctl/steer/steer.h"
#include "flow_counter.h"
#include "flows.h"
#include "windows.h"

#define SPREADS_MAX 256

struct spread_type {
	const char *name;
	uint16_t id;
	uint64_t packets;
	uint64_t unhashed;       // of them
	uint64_t *queue_packets; // of the spread's n_queues
};

struct spread {
	// the candidate
	const struct ddp_program *program;
	const struct steer *steer;
	struct ddp_policy policy;
	struct rule_set rules; // compiled; where has_rules
	bool judged;           // by many keys
	bool has_rules;        // or the hash is not plain Toeplitz, which is a rule, too
	bool is_view; // nobody asks for the spread itself, but for the flows or UEs it tells apart

	// the result
	uint64_t packets;     // that a queue gets
	uint64_t dropped;     // by rules
	uint64_t unhashed;    // of packets; on queue 0, for no rule knows better
	struct cut_count cut; // of packets
	uint64_t queue_packets[STEER_QUEUES_MAX];
	uint64_t queue_bytes[STEER_QUEUES_MAX]; // of the frames
	uint64_t *type_queues;                  // packets, by packet type's id and queue
	uint64_t *type_unhashed;                // packets, by packet type's id
	uint64_t *entry_packets;                // hashed packets, by entry of the redirection table
	uint64_t ruled[STEER_QUEUES_MAX];       // of queue_packets, those that rules put there
	struct spread_type
		*types; // each of the program and that of no type; after a run, most first
	unsigned int n_types;
	struct flows groups; // packets that no redirection table can part: those of one hash
	struct windows windows;
	struct balancer *balancer;   // NULL: not wanted, or the capture has no times
	struct balancing *balancing; // its result

	struct spread_burst *burst; // while it runs
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

// What is looked at of all spreads together.
struct spread_totals {
	unsigned int n_places; // the first so many spreads are those whose queues matter
	// Packets that belong together are those of which these spreads hash the same; -1: not
	// wanted.
	int flow_spread;
	int ue_spread;
	uint64_t window_ns;    // length of windows; 0: as the capture's time asks for
	uint64_t balance_ns;   // interval of load-aware RSS, of the first n_places; 0: not wanted
	size_t memory;         // bytes to use; 0: 200 MB
	struct sample *sample; // takes some of the packets; NULL: not wanted

	// the result; to be freed with spread_totals_fini()
	struct flow_counter flows, ues;
	uint64_t first_ns, last_ns; // times of packets; 0 where the capture has none
	uint64_t bytes;             // of frames
	double seconds;             // that it took
};

// All must outlive the spread; rules may be NULL. 0, or -ENOMEM or -EINVAL, with the reason in
// diag.
int spread_init(struct spread *spread, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer *steer,
		const struct rules *rules, struct ddp_diag *diag);
void spread_fini(struct spread *spread);

// Nothing wanted, and nothing to free yet.
void spread_totals_init(struct spread_totals *totals);
void spread_totals_fini(struct spread_totals *totals);

// Send the rest of the capture through all of the n spreads, 1 to SPREADS_MAX, and show how far it
// is. Returns what capture_fill() said last, 0 or less. Without memory the process ends.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals);

/* For spread_run() */

// Before the first packet and behind the last one.
void spread_begin(struct spread *spread);
void spread_end(struct spread *spread);

// Count the packets of a burst that begins with this one of the batch. Returns their number.
unsigned int spread_count(struct spread *spread, const struct capture_batch *batch,
			  unsigned int first);

// The key of packets of a hash; never 0.
static inline uint64_t spread_key(uint32_t hash) {
	return hash | UINT64_C(1) << 63;
}

#endif
