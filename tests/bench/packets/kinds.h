/* SPDX-License-Identifier: BSD-3-Clause */
// The kinds of traffic that are measured.
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

#include <stdbool.h>

#include "bench_frame.h"

struct kind {
	const char *id, *title;
	const char *group;      // of the table it is in: "one", "mixed"
	unsigned int n_packets; // distinct ones
	// Each packet has a path of its own: too many to be hot, so they are prefetched.
	bool ahead;
	// As ddpctl prints it; NULL where packets differ in it.
	const char *chain;
	// Add the headers of packet i.
	void (*make)(const struct kind *kind, struct frame *frame, unsigned int i);
	unsigned int n_paths; // of many
};

extern const struct kind kinds[];
extern const unsigned int n_kinds;

// NULL: unknown.
const struct kind *kind_find(const char *id);
// Packet i of a kind.
void kind_frame(const struct kind *kind, unsigned int i, struct random *random,
		struct frame *frame);

// Traffic of several kinds: an operator's links.
void n3_make(const struct kind *kind, struct frame *frame, unsigned int i);
void bng_make(const struct kind *kind, struct frame *frame, unsigned int i);
// Combinations of headers: n_paths of them in turn; a new one for each packet.
void paths_make(const struct kind *kind, struct frame *frame, unsigned int i);
void adversarial_make(const struct kind *kind, struct frame *frame, unsigned int i);

#endif
