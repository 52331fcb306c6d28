/* SPDX-License-Identifier: BSD-3-Clause */
// Packets by queue in equal parts of a capture's time. There are at most WINDOWS_MAX: a longer
// capture has longer windows.
#ifndef DDPCTL_SIMULATE_WINDOWS_H
#define DDPCTL_SIMULATE_WINDOWS_H

#include <stdint.h>

#define WINDOWS_MAX 4096
#define WINDOWS_SHOWN 240 // where nobody asked for a length
#define WINDOW_NS 1000000 // then this is the least length

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

// Go to the window of a time; times before the start belong to the first one.
void windows_move(struct windows *windows, uint64_t time_ns);

// A packet came that no queue gets: windows last as long as the capture.
static inline void windows_pass(struct windows *windows, uint64_t time_ns) {
	if (time_ns - windows->at_ns >= windows->length_ns || windows->n == 0)
		windows_move(windows, time_ns);
}

static inline void windows_count(struct windows *windows, uint64_t time_ns, unsigned int queue) {
	windows_pass(windows, time_ns);
	windows->packets[(uint64_t)windows->at * windows->n_queues + queue]++;
}

// Twice the length.
void windows_coarsen(struct windows *windows);

static inline const uint64_t *windows_queues(const struct windows *windows, unsigned int window) {
	return windows->packets + (uint64_t)window * windows->n_queues;
}

#endif
