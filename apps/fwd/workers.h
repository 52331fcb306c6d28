/* SPDX-License-Identifier: BSD-3-Clause */
// All workers: creation, queues of each, start and end. Control path.
#ifndef DDP_FWD_WORKERS_H
#define DDP_FWD_WORKERS_H

#include "ports.h"
#include "worker.h"

struct workers {
	struct control *control;
	struct worker *list;
	unsigned int n;
	struct rx_queue **queues; // n_rxq of each port, sorted by port
	unsigned int n_queues;
	unsigned int n_ports;
};

// The number of workers: all lcores but the main one, or the main one if it is alone; not more than
// queues.
unsigned int workers_count(const struct config *config);

// Create n workers with the queues of the started ports. 0, or -1 with error; workers_destroy() is
// required in both cases.
int workers_create(struct workers *workers, const struct ports *ports, const struct config *config,
		   unsigned int n, struct control *control, struct error *error);
void workers_destroy(struct workers *workers);

// The worker on the main lcore, or NULL: all workers are on other lcores.
struct worker *workers_main(const struct workers *workers);

// Start the workers on other lcores than the main one.
void workers_launch(struct workers *workers);

// Wait for their end, after running and flushing became false.
void workers_wait(struct workers *workers);

// The smallest number of rounds of a worker since before[], which workers_rounds() stored.
uint64_t workers_rounds_since(const struct workers *workers, const uint64_t *before);
void workers_rounds(const struct workers *workers, uint64_t *rounds);

// Start to answer telemetry commands with the counters of these workers. Once in a process.
void telemetry_start(const struct workers *workers);

// Afterwards the workers may be freed. Without telemetry_start() it does nothing.
void telemetry_stop(void);

#endif
