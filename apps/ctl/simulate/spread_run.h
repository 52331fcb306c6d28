/* SPDX-License-Identifier: BSD-3-Clause */
// A run of a capture through any number of spreads, and the flows and UEs that it has.
//
//	struct spread_totals totals = {0}; // nothing wanted besides
//
//	spread_init(&spreads[0], &loaded, &steer, NULL, &diag);
//	spread_init(&spreads[1], ...);
//	ret = spread_run(&capture, spreads, 2, &totals);
//	... spreads[0].queue_packets[3] ...
//	spread_totals_fini(&totals);
//	spread_fini(...);
#ifndef DDPCTL_SIMULATE_SPREAD_RUN_H
#define DDPCTL_SIMULATE_SPREAD_RUN_H

#include "ctl/capture/sample.h"
#include "flow_counter.h"

#define SPREADS_MAX 256

// What is looked at of all spreads together.
struct spread_totals {
	unsigned int n_places; // the first so many spreads are those whose queues matter
	uint64_t window_ns;    // length of windows; 0: as the capture's time asks for
	uint64_t balance_ns;   // interval of load-aware RSS, of the first n_places; 0: not wanted
	size_t memory;         // bytes to use; 0: 200 MB
	struct sample *sample; // takes some of the packets; NULL: not wanted

	// Packets that belong together: those of which the spreads `by` hash the same.
	struct flow_counter flows, ues;

	// the result; to be freed with spread_totals_fini()
	uint64_t first_ns, last_ns; // times of packets; 0 where the capture has none
	uint64_t bytes;             // of frames
	double seconds;             // that it took
};

void spread_totals_fini(struct spread_totals *totals);

// Send the rest of the capture through all of the n spreads, 1 to SPREADS_MAX. If that takes long,
// a line on a terminal shows how far it is. Returns what capture_fill() said last, 0 or less.
// Without memory the process ends.
int spread_run(struct capture *capture, struct spread *spreads, unsigned int n,
	       struct spread_totals *totals);

// That line, after so many seconds.
#define PROGRESS_TEXT_SIZE 160
void progress_text(const struct capture *capture, double seconds, char text[PROGRESS_TEXT_SIZE]);

#endif
