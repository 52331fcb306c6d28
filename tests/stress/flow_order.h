/* SPDX-License-Identifier: BSD-3-Clause */
// Judges the order of each flow over all Rx queues of a port, and who has packets of it.
//
//   - A packet that comes after a later packet of its flow was overtaken.
//   - The queue from which packets of a flow were taken has the flow until it is polled again: only
//     then its last burst is done. Packets of the flow that another queue hands out before are a
//     conflict: two cores could be in one flow at once.
//
// Both are faults, except where net_ddp does not promise otherwise: see enum order_excuse. Each
// flow has one word that says which queue has it and since when, exchanged by the threads that
// poll.
#ifndef DDP_TESTS_STRESS_FLOW_ORDER_H
#define DDP_TESTS_STRESS_FLOW_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "stress_flows.h"

#define ORDER_QUEUES 64
#define ORDER_CHANGES_MAX UINT16_MAX // in one run

// Why a packet may be overtaken, or a flow be at two queues.
#define ORDER_EXCUSES(X)                                                                     \
	X(ORDER_NONE, "without a reason")                                                    \
	X(ORDER_BYPASS, "spread by the lower device") /* its order is that of the NIC */     \
	X(ORDER_STOPPED, "at a stop") /* what an application has of a queue that it stops */ \
	X(ORDER_RULE, "by a rule")    /* one that steers came or went; it moved this flow */ \
	X(ORDER_GIVEN_UP, "given up") /* its queue was not polled for long */

#define ORDER_ENUM(excuse, name) excuse,
enum order_excuse {
	ORDER_EXCUSES(ORDER_ENUM) N_ORDER_EXCUSES
};
#undef ORDER_ENUM

// The rules of the judgement. Constant while packets flow, but for what a change adds before it
// begins.
struct order_rules {
	const struct ddp_port *port;
	bool bypass;                     // packets may be spread by the lower device
	bool gives_up;                   // changes are made that do not wait for a queue for ever
	struct verdict *const *verdicts; // [change]: of all flows
	const bool *steers;              // [change]: of rules that steer
};

struct order_counts {
	uint64_t overtaken[N_ORDER_EXCUSES];
	uint64_t conflicts[N_ORDER_EXCUSES];
	uint64_t late; // polls after a long time, or of packets that waited for long
};

// A burst call, by the only thread that polls the queue now.
struct order_poll {
	uint16_t queue;
	uint8_t n_turns; // of the queue, before the call
	uint64_t tsc;
};

// Before the queue is polled: what it returned last is done, the n flows of these packets.
void order_poll_begin(struct order_poll *poll, uint16_t queue, const uint16_t *flows,
		      unsigned int n);
// After it. oldest: when the oldest of its packets was taken from the lower device, by TSC;
// UINT64_MAX: there are none.
void order_poll_end(struct order_poll *poll, uint64_t oldest);
void order_packet(const struct order_poll *poll, const struct stamp *stamp);

// The application is about to stop or start a queue.
void order_queue_stops(uint16_t queue);
void order_queue_starts(uint16_t queue);

// While nobody polls.
void order_reset(const struct order_rules *rules);
struct order_counts order_counts(void);
// In words, "": nothing of note. Returns text.
const char *order_text(const struct order_counts *counts, char *text, unsigned int size);

#endif
