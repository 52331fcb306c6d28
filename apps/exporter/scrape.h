/* SPDX-License-Identifier: BSD-3-Clause */
// One look at all processes: found by their telemetry sockets, asked at the same time, so that one
// that hangs delays no other.
#ifndef EXPORTER_SCRAPE_H
#define EXPORTER_SCRAPE_H

#include "options.h"
#include "process.h"

#define SCRAPE_PROCESSES_MAX 256

struct scrape {
	unsigned int n_processes;
	unsigned int n_left_out;            // sockets beyond SCRAPE_PROCESSES_MAX
	double seconds;                     // that it took
	char trouble[TELEMETRY_ERROR_SIZE]; // why sockets may be missing, "" for nothing
	struct process processes[SCRAPE_PROCESSES_MAX];
};

// Processes without net_ddp are not among those returned. NULL: out of memory.
struct scrape *scrape_run(const struct exporter_options *options);
void scrape_destroy(struct scrape *scrape);

#endif
