/* SPDX-License-Identifier: BSD-3-Clause */
// One cell of the grid: a port and its traffic. Time is virtual.
#ifndef BALANCE_CELL_H
#define BALANCE_CELL_H

#include <stdbool.h>
#include <stdint.h>

#define SLICE_MS 20 // policies decide at multiples of it
#define WINDOW 5    // slices: 100 ms, for which max/mean is told
#define WINDOW_MS (WINDOW * SLICE_MS)
#define RING 512 // descriptors of a queue
#define BURST 32 // packets that a poll takes at most
#define MAX_QUEUES 256
#define MAX_ENTRIES 512
#define FLOWS_OF_UE 8

struct cell {
	unsigned int n_queues, n_entries;
	unsigned int n_ues;
	double zipf;       // of the sizes of flows; 0: equal
	double churn;      // percent of the flows that end, and others begin, in 100 ms
	bool elephant;     // of 30 % of a core, that comes and goes
	double load;       // percent of what all queues can serve, without the elephant
	unsigned int ns;   // that a packet takes
	bool even_entries; // every entry has the same, on average; there are no flows
};

// Packets that a queue serves in a second.
static inline double cell_capacity(const struct cell *cell) {
	return 1e9 / cell->ns;
}

// Packets that come in a second, without the elephant's.
static inline double cell_rate(const struct cell *cell) {
	return cell->n_queues * cell->load / 100 * cell_capacity(cell);
}

#endif
