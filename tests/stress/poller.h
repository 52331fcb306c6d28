/* SPDX-License-Identifier: BSD-3-Clause */
// Threads that poll all Rx queues of a port in turn (a queue by one of them at a time), judge each
// packet, and send it on the Tx queue of the same number or free it.
//
// A packet is good when
//   - it is on the queue, and has the packet type, hash, mark and metadata, that follow from one
//     set-up alone of those in force while net_ddp had it: its stamp says which changes were then
//     complete, and which had begun. Of one that a NIC hashed nobody looked for metadata;
//   - no packet of its flow that was emitted later came before it on this queue, from the same
//     queue of the lower device;
//   - nor on any other queue, and no other queue has packets of its flow: see flow_order.h;
//   - its bytes are those of its flow.
#ifndef DDP_TESTS_STRESS_WORKER_H
#define DDP_TESTS_STRESS_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "stress_flows.h"

#define WORKERS_MAX 8
#define QUEUES_MAX 64
#define QUEUE_NONE UINT16_MAX

struct run {
	uint16_t port;
	uint16_t n_queues;
	unsigned int n_workers;
	bool forward;  // send packets; else free them
	bool bypass;   // packets may come with the hash of a NIC
	bool no_meta;  // and without dynamic fields
	bool unlocked; // changes are made that a burst which runs meanwhile may see
	bool even;     // no queue is polled more rarely than others
	// [change]: FLOWS verdicts, there before the change begins
	struct verdict **verdicts;
};

// Sums over all workers since workers_reset().
struct tally {
	uint64_t received;
	uint64_t sent;
	uint64_t amid; // received, and taken while a change was under way
};

// They are parked at first. run must stay as it is while they are not.
void workers_start(const struct run *run);
void workers_stop(void);
// No worker is inside the port when workers_park() returns.
void workers_park(void);
void workers_resume(void);

// Let a queue be, until another one is given or QUEUE_NONE. Afterwards no worker is inside it.
void workers_neglect(uint16_t queue);

// The rest only while they are parked, but for workers_received().
void workers_reset(void);
struct tally workers_tally(void);
uint64_t workers_received(void);
uint32_t workers_flow_received(uint32_t flow);
// The packet type seen with a ptype_id, N_TYPES for none.
uint8_t workers_type_of(uint16_t ptype_id);

#endif
