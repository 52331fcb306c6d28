/* SPDX-License-Identifier: BSD-3-Clause */
// All that one process of DPDK tells of its net_ddp ports, read within a deadline.
//
// Whatever it answers, what is kept of it is bounded and can be written without a further check.
#ifndef EXPORTER_PROCESS_H
#define EXPORTER_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <jansson.h>

#include "common/telemetry_client.h"

#define PROCESS_PORTS_MAX 64
#define PROCESS_ROWS_MAX 40000 // queues and packet types, of all processes together
#define PROCESS_WORKERS_MAX 1024
#define LABEL_MAX 128 // characters

struct process {
	char path[256];  // of its socket
	char name[256];  // its file prefix, unique
	bool is_net_ddp; // it has the driver, or may have it
	bool up;         // it answered as it should
	unsigned int pid;
	double seconds; // that it took
	// Of each port one object: what /net_ddp/metrics says, with all pages joined. Empty if the
	// process is not up.
	json_t *ports;
	// Of ddp-fwd, NULL for others: what /ddp_fwd/latency says, and an array of the objects of
	// /ddp_fwd/workers.
	json_t *latency, *workers;
	char error[TELEMETRY_ERROR_SIZE]; // why not up; one line
};

// Fill in the rest of a process with path and name. rows: what is left of PROCESS_ROWS_MAX.
void process_read(struct process *process, unsigned int timeout_ms, atomic_int *rows);
void process_forget(struct process *process); // all that it answered
void process_fini(struct process *process);

double seconds_now(void);

#endif
