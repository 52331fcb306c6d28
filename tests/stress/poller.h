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
//   - its bytes are those of its flow;
//   - nor did such a packet come on any other queue: it was overtaken;
//   - no other queue has its flow. The queue from which packets of a flow were taken has the flow
//     until it is polled again: only then its last burst is done. Packets of the flow that another
//     queue hands out before are a conflict: two cores could be in one flow at once.
//
// The last two are faults, except where net_ddp does not promise otherwise: see enum order_excuse.
#ifndef DDP_TESTS_STRESS_WORKER_H
#define DDP_TESTS_STRESS_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stress_flows.h"

#define WORKERS_MAX 8
#define QUEUES_MAX 64
#define QUEUE_NONE UINT16_MAX
#define ORDER_CHANGES_MAX UINT16_MAX // in one run

// Reasons why a packet may be overtaken, or a flow be at two queues.
#define ORDER_EXCUSES(X)                                                                     \
	X(ORDER_NONE, "without a reason")                                                    \
	X(ORDER_BYPASS, "spread by the lower device") /* its order is that of the NIC */     \
	X(ORDER_STOPPED, "at a stop")                 /* packets of a queue that it stops */ \
	X(ORDER_RULE, "by a rule")    /* one that steers came or went; it moved this flow */ \
	X(ORDER_GIVEN_UP, "given up") /* its queue was not polled for long */

#define ORDER_ENUM(excuse, name) excuse,
enum order_excuse {
	ORDER_EXCUSES(ORDER_ENUM) N_ORDER_EXCUSES
};
#undef ORDER_ENUM

// A port that the changes are made on.
struct stage {
	uint16_t n_queues, n_lower, n_desc;
	bool wait;
	bool forward;    // send packets; else free them
	bool no_meta;    // packets come without dynamic fields
	const char *nic; // the lower device that hashes; NULL: none does
};

struct run {
	uint16_t port;
	const struct stage *stage;
	unsigned int n_workers;
	bool bypass;   // packets may come with the hash of a NIC
	bool unlocked; // changes are made that a burst which runs meanwhile may see
	bool gives_up; // changes are made that do not wait for a queue for ever
	const struct ddp_port *ddp;
	// [change]: there before it begins.
	struct made {
		struct verdict *verdicts; // of FLOWS
		uint64_t stopped;         // queues, as bits
		bool steers;              // a change of rules that steer
	} * made;
};

// Sums over all workers since workers_reset(). Only for reading, as are the next two.
extern struct tally {
	_Atomic uint64_t received, sent;
	_Atomic uint64_t amid; // received, and taken while a change was under way
} tally;
extern atomic_uint flows_received[FLOWS];
// The packet type seen with a ptype_id, plus 1; 0: none.
extern _Atomic uint8_t types_seen[UINT16_MAX + 1];

// They are parked at first. run must stay as it is while they are not.
void workers_start(const struct run *run);
void workers_stop(void);
// No worker is inside the port when workers_park() returns.
void workers_park(void);
void workers_resume(void);

// Let a queue be, until another one is given or QUEUE_NONE. Afterwards no worker is inside it.
void workers_neglect(uint16_t queue);

// Only while they are parked.
void workers_reset(void);

// Only for reading.
extern struct order_counts {
	_Atomic uint64_t overtaken[N_ORDER_EXCUSES];
	_Atomic uint64_t conflicts[N_ORDER_EXCUSES];
	_Atomic uint64_t late; // polls after a long time, or of packets that waited for long
} order_counts;

// The application is about to stop or start a queue.
void order_queue_stops(uint16_t queue);
void order_queue_starts(uint16_t queue);
// While nobody polls.
void order_reset(void);
// The counts as text, "": nothing of note. Returns text.
const char *order_text(char *text, unsigned int size);

// reader.c: a thread that reads all of a port's state while others change it.
void reader_start(uint16_t port);
// The thread reads no queue from reader_park() until reader_resume(): ethdev does not allow that
// while a port is stopped or started.
void reader_park(void);
void reader_resume(void);
void reader_stop(void);

#endif
