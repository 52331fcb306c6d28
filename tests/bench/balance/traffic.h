/* SPDX-License-Identifier: BSD-3-Clause */
// The traffic of a cell: flows of UEs as a UPF sees them behind GTP-U, each in the table's entry
// that the hash of its inner addresses and ports says. Packets come by chance (Poisson), so do the
// ends of flows; a flow that ends makes place for one of its size.
//
// All policies get the same: a window of packets, or of numbers of packets by entry where single
// packets do not matter.
#ifndef BALANCE_TRAFFIC_H
#define BALANCE_TRAFFIC_H

#include "cell.h"
#include "random.h"
#include "rss/rss.h"

#define TICKS 1024 // of a nanosecond

struct packet {
	uint64_t time; // in ticks
	uint32_t flow;
	uint16_t entry;
	bool first; // of its flow
};

struct window {
	uint32_t counts[WINDOW][MAX_ENTRIES];
	struct packet *packets;    // NULL: counts only
	unsigned int ends[WINDOW]; // behind the last packet of a slice
	unsigned int size;
};

struct traffic {
	struct cell cell;
	struct random random;
	struct ddp_hash hash;
	unsigned int n_flows; // the elephant is one more
	double *weights;
	uint16_t *entries;
	bool *fresh; // no packet yet
	// Alias method: slot i is flow i below the limit and another above it.
	uint32_t *limits, *others;
	double shares[MAX_ENTRIES]; // of all packets but the elephant's, by entry
	bool elephant;              // is there
	double elephant_left;       // ms until it comes or goes
	uint64_t now;
};

void traffic_init(struct traffic *traffic, const struct cell *cell, uint64_t seed);
void traffic_fini(struct traffic *traffic);

// The largest flow's part of the packets, without the elephant.
double traffic_largest(const struct traffic *traffic);

void window_init(struct window *window, const struct cell *cell, bool packets);
void window_fini(struct window *window);
void window_next(struct window *window, struct traffic *traffic);

#endif
