/* SPDX-License-Identifier: BSD-3-Clause */
// The changes that the stress test makes under traffic, one at a time: first planned, so that the
// verdicts of what comes are there before the first packet can meet it, then applied.
#ifndef DDP_TESTS_STRESS_CHANGES_H
#define DDP_TESTS_STRESS_CHANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stress_flows.h"

struct change {
	const char *name;
	// NULL: every port can do it.
	bool (*possible)(uint16_t port);
	// Alter next, which begins as what is in force.
	void (*plan)(struct setup *next, uint16_t n_queues, uint32_t *random);
	// Make the port so. 0 or -errno.
	int (*apply)(uint16_t port, const struct setup *now, const struct setup *next);
	bool resets;   // statistics
	bool stops;    // a queue, so that packets are missed whatever overflow says
	bool slow;     // calls a lower device, too
	bool unlocked; // rules: bursts may see the change while it is made
	bool steers;   // of these: flows move to other queues while it is made
	bool pairs;    // makes and takes back in turn: two for each round
};

extern const struct change changes[];
extern const unsigned int n_changes;

// Is load-aware RSS turned on and off, too?
extern bool changes_balance;
// Whether it moves entries at random. All else is that of net_ddp: the alarm, the exchange of the
// table, moves that are given up.
extern atomic_bool moves_random;
// A port that was just configured.
void setup_init(struct setup *setup, uint16_t n_queues);
// Spread packets over all queues again, as at first. 0 or -errno.
int changes_spread(uint16_t port, struct setup *setup, uint16_t n_queues);
// Take all rules away. 0 or -errno.
int changes_flush(uint16_t port, struct setup *setup);
// The statistics were just reset, and no worker polls: count from now on what rules drop.
void changes_count_drops(uint16_t port, const struct setup *setup);
// The packets that rules dropped, by their own counts; while no worker polls. A few packets come
// between the last read of a rule's count and its end: those as the port counts them.
uint64_t changes_n_dropped(uint16_t port, const struct setup *setup);

#endif
