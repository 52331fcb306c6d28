/* SPDX-License-Identifier: BSD-3-Clause */
// All workers together: who they are, which queues each has, their start and end. Control path.
#ifndef DDP_FWD_WORKERS_H
#define DDP_FWD_WORKERS_H

#include "ports.h"
#include "worker.h"

struct workers {
	struct control *control;
	struct worker *list;
	unsigned int n;
	struct queue **queues; // of all ports: port by port, n_rxq each
	unsigned int n_queues;
	unsigned int n_ports;
};

// How many lcores shall forward: all but the main one, or that if it is alone; not more than
// queues.
unsigned int workers_count(const struct config *config);

// Deal the queues of the started ports to n workers that obey control. 0, or -1 with error; either
// way workers_destroy() frees what there is.
int workers_create(struct workers *workers, const struct ports *ports, const struct config *config,
		   unsigned int n, struct control *control, struct error *error);
void workers_destroy(struct workers *workers);

// The worker that is the main lcore, or NULL when the main lcore has others to do the work.
struct worker *workers_main(const struct workers *workers);

// Let the workers run that are other lcores than the main one.
void workers_launch(struct workers *workers);

// Wait until they have ended: not before running and flushing are false.
void workers_wait(struct workers *workers);

// Rounds of the worker that has made the fewest since before[] (one a worker) was taken.
uint64_t workers_rounds_since(const struct workers *workers, const uint64_t *before);
void workers_rounds(const struct workers *workers, uint64_t *rounds);

#endif
