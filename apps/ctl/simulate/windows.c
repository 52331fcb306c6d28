/* SPDX-License-Identifier: BSD-3-Clause */
#include "windows.h"

#include <stdlib.h>

#include "common/output.h"

#define CELLS_MAX (1U << 18) // many queues have fewer windows

void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns) {
	*windows = (struct windows){
		.n_queues = n_queues,
		.n_max = length_ns != 0 ? WINDOWS_MAX : WINDOWS_SHOWN,
		.start_ns = start_ns,
		.length_ns = length_ns != 0 ? length_ns : WINDOW_NS,
		.at_ns = start_ns,
	};
	if (windows->n_max > CELLS_MAX / n_queues)
		windows->n_max = CELLS_MAX / n_queues;
	windows->packets =
		calloc_or_exit((size_t)windows->n_max * n_queues, sizeof(*windows->packets));
}

void windows_fini(struct windows *windows) {
	free(windows->packets);
	windows->packets = NULL;
}

void windows_coarsen(struct windows *windows) {
	const size_t n_queues = windows->n_queues;

	for (size_t i = 0; i < windows->n * n_queues; i++) {
		uint64_t packets = windows->packets[i];

		windows->packets[i] = 0;
		windows->packets[i / n_queues / 2 * n_queues + i % n_queues] += packets;
	}
	windows->n = (windows->n + 1) / 2;
	windows->length_ns *= 2;
	windows->at = 0;
	windows->at_ns = windows->start_ns;
}

void windows_move(struct windows *windows, uint64_t time_ns) {
	uint64_t since = time_ns > windows->start_ns ? time_ns - windows->start_ns : 0;

	while (since / windows->length_ns >= windows->n_max)
		windows_coarsen(windows);
	windows->at = since / windows->length_ns;
	windows->at_ns = windows->start_ns + windows->at * windows->length_ns;
	if (windows->n <= windows->at)
		windows->n = windows->at + 1;
}
