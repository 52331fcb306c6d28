/* SPDX-License-Identifier: BSD-3-Clause */
// How the packets of a capture spread over queues, for any number of candidates (a program and how
// its hashes are made and used) in one pass.
//
//	spread_init(&spreads[0], loaded.profile, loaded.program, &steer, NULL, &diag);
//	spread_init(&spreads[1], ...);
//	spread_totals_init(&view);
//	ret = spread_run(&capture, spreads, 2, &view, 0);
//	... spreads[0].queue_packets[3] ...
//	spread_totals_fini(&view);
//	spread_fini(...);
//
// The calling thread reads. It and others take a batch of packets and a candidate at a time, each
// candidate's in the order of the capture, so results do not depend on the threads. Packets are
// classified through path caches, which agree with the interpreter on every packet.
#ifndef DDPCTL_SIMULATE_SPREAD_H
#define DDPCTL_SIMULATE_SPREAD_H

#include <pthread.h>
#include <stdint.h>

#include "balancing.h"
#include "classify/cache/cache.h"
#include "ctl/capture/capture.h"
#include "ctl/capture/cut.h"
#include "ctl/capture/sample.h"
#include "ctl/flow_rule/rule_text.h"
#include "ctl/profile/steer.h"
#include "flows.h"
#include "keys.h"
#include "windows.h"

#define SPREADS_MAX 256
#define MEMORY_DEFAULT (200U << 20)
#define SPREAD_THREADS_MAX 6 // besides this one: a capture is not read faster

struct spread_type {
	const char *name;
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
	// Not NULL: nobody asks for the spread itself, but for keys of flows or UEs, made of its
	// hash and of that by this key.
	const struct ddp_hash *second;
	bool has_rules;     // or the hash is not plain Toeplitz, which is a rule, too
	unsigned int n_ids; // of packet types: 0 to n_ids - 1

	// the result
	uint64_t packets;     // that a queue gets
	uint64_t dropped;     // by rules
	uint64_t unhashed;    // of packets; on queue 0, for no rule knows better
	struct cut_count cut; // of packets
	uint64_t queue_packets[STEER_QUEUES_MAX];
	uint64_t queue_bytes[STEER_QUEUES_MAX]; // of the frames
	uint64_t *type_queues;                  // of types
	uint64_t *entry_packets;                // hashed packets, by entry of the redirection table
	uint64_t ruled[STEER_QUEUES_MAX];       // of queue_packets, those that rules put there
	struct spread_type
		*types; // each of the program and that of no type; after a run, most first
	unsigned int n_types;
	struct flows groups; // packets that no redirection table can part: those of one hash
	struct windows windows;
	struct balancer *balancer;   // NULL: not wanted, or the capture has no times
	struct balancing *balancing; // its result
};

#define LAYOUT_FIELDS 16
#define LAYOUTS_MAX 250

// Which fields an input has, in order: each takes whole bytes, its bits are the last ones.
struct layout {
	uint16_t type;
	uint8_t n_fields;
	uint8_t widths[LAYOUT_FIELDS]; // bits
	const char *names[LAYOUT_FIELDS];
};

struct layouts {
	pthread_mutex_t lock; // while a spread runs
	unsigned int n;
	struct layout list[LAYOUTS_MAX];
};

// What is looked at of all spreads together.
struct spread_totals {
	unsigned int n_places; // the first so many spreads are those whose queues matter
	// Packets that belong together are those that these spreads, which have a second key, hash
	// alike; -1: not wanted.
	int flow_spread;
	int ue_spread;
	uint64_t window_ns;    // length of windows; 0: as the capture's time asks for
	uint64_t balance_ns;   // interval of load-aware RSS, of the first n_places; 0: not wanted
	size_t memory;         // bytes to use; 0: MEMORY_DEFAULT
	struct sample *sample; // takes some of the packets; NULL: not wanted

	// the result; to be freed with spread_totals_fini()
	struct flows flows, ues;
	struct layouts layouts;     // of their inputs
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
// is. With n_threads threads, this one included, at most SPREAD_THREADS_MAX besides it; 0: as many
// as this machine has processors. Returns what capture_fill() said last, 0 or less. Without memory
// the process ends.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals, unsigned int n_threads);

#endif
