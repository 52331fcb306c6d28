/* SPDX-License-Identifier: BSD-3-Clause */
// What one thread counts of all candidates together: flows and UEs, and the queues that they have in each.
#ifndef DDPCTL_SIMULATE_FLOW_COUNTER_H
#define DDPCTL_SIMULATE_FLOW_COUNTER_H

#include "shard.h"

struct view {
	const struct spread_view *wanted;
	struct layouts *layouts; // of all threads
	struct flows flows, ues;
};

// 0 or -ENOMEM.
int view_init(struct view *view, const struct spread_view *wanted, struct layouts *layouts);
void view_fini(struct view *view);

// The n packets of the burst that these lanes, one for each spread, have just seen.
void view_count(struct view *view, struct lane *const *lanes,
		const struct capture_packet *const *packets, const uint64_t *numbers,
		unsigned int n);

#endif
