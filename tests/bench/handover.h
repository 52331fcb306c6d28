/* SPDX-License-Identifier: BSD-3-Clause */
// Ways to give packets to another core.
#ifndef BENCH_HANDOVER_H
#define BENCH_HANDOVER_H

#include <stdbool.h>

#include "methods.h"

struct handover {
	const char *id, *title;
	// Both return when n packets (a multiple of BURST) have come through. arg is a method, or
	// NULL.
	void (*produce)(const struct method *method, struct packets *packets, unsigned int n);
	void (*consume)(unsigned int n);
	const struct method *method;
	const char *absent; // why it cannot be measured; NULL: it can
};

// The mbufs of a burst to come, for who is going to read or write them: a driver would have.
static inline void mbufs_prefetch(const struct packets *packets, unsigned int first) {
	for (unsigned int i = first; i < first + BURST; i++)
		__builtin_prefetch(packets->visits[i % packets->n_visits], 1);
}

// Packets that the consumer has got, since the round began.
void handover_got(unsigned int n);
// Has it got n?
bool handover_all_got(unsigned int n);

// What DPDK has for it. Sets absent where it cannot.
void distributor_init(struct handover *handover);

#endif
