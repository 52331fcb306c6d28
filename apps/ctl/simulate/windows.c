/* SPDX-License-Identifier: BSD-3-Clause */
#include "windows.h"

#include <stdlib.h>
#include <string.h>

#include "common/output.h"

#define CELLS_MAX (1U << 18) // many queues have fewer windows

void windows_init(struct windows *windows, unsigned int n_queues, uint64_t start_ns,
		  uint64_t length_ns) {
	memset(windows, 0, sizeof(*windows));
	windows->n_queues = n_queues;
	windows->n_max = length_ns != 0 ? WINDOWS_MAX : WINDOWS_SHOWN;
	if (windows->n_max > CELLS_MAX / n_queues)
		windows->n_max = CELLS_MAX / n_queues;
	windows->start_ns = start_ns;
	windows->length_ns = length_ns != 0 ? length_ns : WINDOW_NS;
	windows->at_ns = start_ns;
}

void windows_fini(struct windows *windows) {
	free(windows->packets);
	windows->packets = NULL;
}

static uint64_t *window_at(const struct windows *windows, unsigned int window) {
	return windows->packets + (uint64_t)window * windows->n_queues;
}

void windows_coarsen(struct windows *windows) {
	for (unsigned int i = 0; i < windows->n; i++) {
		uint64_t *from = window_at(windows, i), *to = window_at(windows, i / 2);

		for (unsigned int q = 0; q < windows->n_queues; q++) {
			uint64_t packets = from[q];

			from[q] = 0;
			to[q] += packets;
		}
	}
	windows->n = (windows->n + 1) / 2;
	windows->length_ns *= 2;
	windows->at = 0;
	windows->at_ns = windows->start_ns;
}

static int grow(struct windows *windows, unsigned int n) {
	unsigned int room = windows->n_room;
	uint64_t *packets;

	if (n <= room)
		return 0;
	while (room < n)
		room = room > 0 ? 2 * room : 16;
	if (room > windows->n_max)
		room = windows->n_max;
	packets = realloc(windows->packets, (size_t)room * windows->n_queues * sizeof(*packets));
	if (packets == NULL)
		return -ENOMEM;
	windows->packets = packets;
	memset(window_at(windows, windows->n_room), 0,
	       (size_t)(room - windows->n_room) * windows->n_queues * sizeof(*packets));
	windows->n_room = room;
	return 0;
}

int windows_move(struct windows *windows, uint64_t time_ns) {
	uint64_t since = time_ns > windows->start_ns ? time_ns - windows->start_ns : 0;

	while (since / windows->length_ns >= windows->n_max)
		windows_coarsen(windows);
	windows->at = since / windows->length_ns;
	windows->at_ns = windows->start_ns + windows->at * windows->length_ns;
	if (grow(windows, windows->at + 1) < 0)
		return -ENOMEM;
	if (windows->n <= windows->at)
		windows->n = windows->at + 1;
	return 0;
}
