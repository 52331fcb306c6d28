/* SPDX-License-Identifier: BSD-3-Clause */
// How the packets of a capture spread over queues, for any number of candidates (a program and how its hashes
// are made and used) in one pass.
//
//	spread_init(&spreads[0], loaded.profile, loaded.program, &steer);
//	spread_init(&spreads[1], ...);
//	ret = spread_run(&capture, spreads, 2, 0, &seconds);
//	... spreads[0].queue_packets[3] ...
//	spread_fini(...);
//
// One thread reads; others classify, a batch of packets at a time, through path caches of their own. All
// results are sums, so they do not depend on which thread had which packets; and the path cache agrees with the
// interpreter on every packet.
#ifndef DDPCTL_SPREAD_H
#define DDPCTL_SPREAD_H

#include <stdint.h>

#include "capture.h"
#include "classify/cache.h"
#include "steer.h"

#define SPREADS_MAX 64
#define SPREAD_WORKERS_MAX 6 // one thread cannot read for more

struct type_count {
	const char *name;
	uint64_t packets;
};

struct spread {
	// the candidate
	const struct ddp_program *program;
	const struct steer *steer;
	struct ddp_policy policy;
	struct ddp_flow_set *flows; // one rule for all packets, where the hash is not plain Toeplitz
	struct ddp_flow_hashing hashing;
	unsigned int n_ids; // of packet types: 0 to n_ids - 1

	// the result
	uint64_t packets;
	uint64_t queue_packets[STEER_QUEUES_MAX];
	uint64_t queue_bytes[STEER_QUEUES_MAX]; // of the frames, as captured
	struct type_count *types; // each of the program and that of no type; after a run, most first
	unsigned int n_types;
};

// profile, program and steer must outlive the spread. 0 or -ENOMEM.
int spread_init(struct spread *spread, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer *steer);
void spread_fini(struct spread *spread);

// Send the rest of the capture through all of the n spreads, 1 to SPREADS_MAX, and show how far it is. n_workers
// threads classify, at most SPREAD_WORKERS_MAX; 0: as this machine has processors. Returns what capture_fill()
// said last, 0 or less; or -ENOMEM. *seconds: how long it took.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       unsigned int n_workers, double *seconds);

#endif
