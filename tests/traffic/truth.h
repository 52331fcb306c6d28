/* SPDX-License-Identifier: BSD-3-Clause */
// The true figures of the flows of a capture, as CSV beside it: a line for each flow when it has
// ended.
#ifndef TRAFFIC_TRUTH_H
#define TRAFFIC_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct flow;

#define LIFE_REPLACES_NONE UINT32_MAX

// Times are in microseconds since the first packet.
struct life {
	uint32_t flow;     // its number
	uint32_t replaces; // the flow that had its place before, or LIFE_REPLACES_NONE
	bool elephant;
	uint64_t begin_us, end_us;
	uint64_t first_us, last_us; // packets
	uint64_t packets;
	uint64_t bytes; // of its frames
};

struct truth {
	FILE *file;
	int error; // 0, or -errno of what failed first
};

// Returns 0 or -errno.
int truth_open(struct truth *truth, const char *name);

void truth_tell(struct truth *truth, const struct life *life, const struct flow *flow);

// Returns 0 or -errno, also of what failed before.
int truth_close(struct truth *truth);

#endif
