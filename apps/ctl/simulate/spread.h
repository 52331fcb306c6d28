/* SPDX-License-Identifier: BSD-3-Clause */
// The spread of a capture's packets over queues with a candidate: a program, and the settings of
// its hash and queues. Several candidates run in one pass, which also counts flows and UEs.
//
// Packets are classified through path caches, which agree with the interpreter on every packet, and
// counted in the order of the capture.
//
//	struct spread_totals totals = {0}; // no further results
//
//	spread_init(&spreads[0], &loaded, &steer, NULL, &diag);
//	spread_init(&spreads[1], ...);
//	ret = spread_run(&capture, spreads, 2, &totals);
//	... spreads[0].queue_packets[3] ...
//	spread_fini(...);
#ifndef DDPCTL_SIMULATE_SPREAD_H
#define DDPCTL_SIMULATE_SPREAD_H

#include <stdint.h>

#include "balancing.h"
#include "ctl/capture/capture.h"
#include "ctl/steer/cut.h"
#include "ctl/steer/rule_text.h"
#include "ctl/steer/steer.h"
#include "flow_counter.h"
#include "personality/personality.h"

#define WINDOWS_MAX 4096  // windows
#define WINDOWS_SHOWN 240 // windows at most, if no length is given
#define WINDOW_NS 1000000 // ns: shortest window, if no length is given

// Packets by queue in equal parts of a capture's time, at most n_max.
struct windows {
	unsigned int n_queues;
	unsigned int n_max;
	unsigned int n;     // windows in use
	uint64_t start_ns;  // of the first window
	uint64_t length_ns; // of each window
	uint64_t *packets;  // [n_max][n_queues]
	unsigned int at;    // the window used last
	uint64_t at_ns;     // start of that window
};

// length_ns 0: as short as WINDOWS_SHOWN windows allow. The process ends if memory is short.
void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns);
void windows_fini(struct windows *windows);

// Count a packet of this time on a queue; times before the start belong to the first window.
void windows_count(struct windows *windows, uint64_t time_ns, unsigned int queue);

// Double the length of the windows.
void windows_coarsen(struct windows *windows);

// Packets of a window by queue.
const uint64_t *windows_queues(const struct windows *windows, unsigned int window);

struct spread_type {
	const char *name;
	uint16_t id;
	unsigned int number; // index of the program's type; their number: no type
	uint64_t packets;
	uint64_t unhashed;       // of packets
	uint64_t *queue_packets; // of the spread's n_queues
};

struct spread {
	// the candidate
	char *name; // NULL: it is not shown
	const struct ddp_personality *loaded;
	const struct steer *steer;
	struct ddp_policy policy;
	struct rule_set rules; // compiled, if has_rules
	bool has_rules;        // also if the hash is not Toeplitz, which is a rule, too
	bool is_view;          // used only to count flows or UEs

	// the result
	uint64_t packets;     // packets on queues
	uint64_t dropped;     // packets dropped by rules
	uint64_t unhashed;    // of packets: without hash and rule, so on queue 0
	struct cut_count cut; // of packets: unknown ones
	uint64_t queue_packets[STEER_QUEUES_MAX];
	uint64_t queue_bytes[STEER_QUEUES_MAX]; // of frames
	uint64_t *type_queues;                  // packets, by packet type's id and queue
	uint64_t *type_unhashed;                // packets, by packet type's id
	uint64_t *entry_packets;                // hashed packets, by entry of the redirection table
	uint64_t ruled[STEER_QUEUES_MAX];       // of queue_packets: steered by rules
	struct spread_type
		*types; // the program's types and no type; after a run, most packets first
	unsigned int n_types;
	// Packets by hash, the low 32 bits of the key: no redirection table splits a group.
	struct flows groups;
	struct windows windows;
	struct balancer *balancer;   // NULL: not wanted, or the capture has no times
	struct balancing *balancing; // its result

	struct spread_burst *burst; // NULL unless it runs
};

// All but diag must outlive the spread. rules may be NULL. 0, or -ENOMEM or -EINVAL with diag set.
int spread_init(struct spread *spread, const struct ddp_personality *loaded,
		const struct steer *steer, const struct rules *rules, struct ddp_diag *diag);
void spread_fini(struct spread *spread);

#define SPREADS_MAX 256 // of a run

// Settings and results of a run of spreads.
struct spread_totals {
	unsigned int n_candidates; // candidates: the first spreads, whose slots are kept
	uint64_t window_ns;        // length of windows; 0: by the time of the capture
	uint64_t balance_ns; // interval of load-aware RSS, of the first n_candidates; 0: not wanted
	size_t memory;       // bytes to use; 0: 200 MB
	struct sample *sample; // gets a sample of the packets; NULL: not wanted

	// Packets of which the spread `by` hashes equal bytes. If `by` is set, the caller frees
	// them with flow_counter_fini().
	struct flow_counter flows, ues;

	// the result
	uint64_t first_ns, last_ns; // times of packets; 0 where the capture has none
	uint64_t bytes;             // of frames
	double seconds;             // run time
};

// Run the rest of the capture through the n spreads, 1 to SPREADS_MAX, with progress on a terminal.
// Returns the last result of capture_fill(). The process ends if memory is short.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals);

// The line of progress after a number of seconds.
#define PROGRESS_TEXT_SIZE 160 // bytes
void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]);

#endif
