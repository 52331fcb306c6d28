/* SPDX-License-Identifier: BSD-3-Clause */
// What one thread counts of all candidates together: flows and UEs, and the queues that they have
// in each.
#ifndef DDPCTL_SIMULATE_FLOW_COUNTER_H
#define DDPCTL_SIMULATE_FLOW_COUNTER_H

#include "flow_parts.h"

struct flow_counter {
	const struct spread_totals *wanted;
	struct layouts *layouts; // of all threads
	struct flows flows, ues;
	struct flow_parts_known flow_parts, ue_parts;
	uint64_t flow_keys[DDP_BURST_MAX], ue_keys[DDP_BURST_MAX]; // of the burst
};

// Flows and UEs get about so many bytes. Without memory the process ends.
void flow_counter_init(struct flow_counter *counter, const struct spread_totals *wanted,
		       struct layouts *layouts, size_t flows_size, size_t ues_size);
void flow_counter_fini(struct flow_counter *counter);

// The n packets of the burst that these shards, one for each spread, have just seen. First only
// those of flow_spread and ue_spread need have counted it.
void flow_counter_begin(struct flow_counter *counter, struct shard *const *shards, unsigned int n);
void flow_counter_count(struct flow_counter *counter, struct shard *const *shards,
			const struct capture_packet *const *packets, const uint64_t *numbers,
			unsigned int n);

#endif
