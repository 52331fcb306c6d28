/* SPDX-License-Identifier: BSD-3-Clause */
// How the packets of a capture spread over queues with a candidate: a program, and how its hashes
// are made and used. Any number of them are run in one pass, with the flows and UEs that the
// capture has.
//
// Packets are classified through path caches, which agree with the interpreter on every packet, and
// counted in the order of the capture.
//
//	struct spread_totals totals = {0}; // nothing wanted besides
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

#define WINDOWS_MAX 4096
#define WINDOWS_SHOWN 240 // where nobody asked for a length
#define WINDOW_NS 1000000 // then this is the least length

// Packets by queue in equal parts of a capture's time. There are at most WINDOWS_MAX: a longer
// capture has longer windows.
struct windows {
	unsigned int n_queues;
	unsigned int n_max;
	unsigned int n;     // in use
	uint64_t start_ns;  // of the first one
	uint64_t length_ns; // of each
	uint64_t *packets;  // [n_max][n_queues]
	unsigned int at;    // the one used last,
	uint64_t at_ns;     // and its start
};

// length_ns 0: as short as WINDOWS_SHOWN of them allow. Without memory the process ends.
void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns);
void windows_fini(struct windows *windows);

// A packet of this time came to a queue; times before the start belong to the first window.
void windows_count(struct windows *windows, uint64_t time_ns, unsigned int queue);

// Twice the length.
void windows_coarsen(struct windows *windows);

// Packets of a window by queue.
const uint64_t *windows_queues(const struct windows *windows, unsigned int window);

struct spread_type {
	const char *name;
	uint16_t id;
	unsigned int number; // of the program's types; that of no type comes last
	uint64_t packets;
	uint64_t unhashed;       // of them
	uint64_t *queue_packets; // of the spread's n_queues
};

struct spread {
	// the candidate
	char *name; // NULL unless people see it
	const struct ddp_personality *loaded;
	const struct steer *steer;
	struct ddp_policy policy;
	struct rule_set rules; // compiled; where has_rules
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
	// Packets that no redirection table can part: those of one hash, the low 32 bits of the
	// key.
	struct flows groups;
	struct windows windows;
	struct balancer *balancer;   // NULL: not wanted, or the capture has no times
	struct balancing *balancing; // its result

	struct spread_burst *burst; // while it runs
};

// All must outlive the spread; rules may be NULL. 0, or -ENOMEM or -EINVAL, with the reason in
// diag.
int spread_init(struct spread *spread, const struct ddp_personality *loaded,
		const struct steer *steer, const struct rules *rules, struct ddp_diag *diag);
void spread_fini(struct spread *spread);

#define SPREADS_MAX 256

// Results of all spreads together.
struct spread_totals {
	unsigned int n_places; // the first so many spreads are those whose queues matter
	uint64_t window_ns;    // length of windows; 0: as the capture's time asks for
	uint64_t balance_ns;   // interval of load-aware RSS, of the first n_places; 0: not wanted
	size_t memory;         // bytes to use; 0: 200 MB
	struct sample *sample; // takes some of the packets; NULL: not wanted

	// Packets that belong together: those of which the spreads `by` hash the same. To be freed
	// with flow_counter_fini() if there are such spreads.
	struct flow_counter flows, ues;

	// the result
	uint64_t first_ns, last_ns; // times of packets; 0 where the capture has none
	uint64_t bytes;             // of frames
	double seconds;             // that it took
};

// Send the rest of the capture through all of the n spreads, 1 to SPREADS_MAX. If that takes long,
// a line on a terminal shows how far it is. Returns what capture_fill() said last, 0 or less.
// Without memory the process ends.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals);

// That line, after so many seconds.
#define PROGRESS_TEXT_SIZE 160
void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]);

#endif
