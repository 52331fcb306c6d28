/* SPDX-License-Identifier: BSD-3-Clause */
// Flows, or UEs, and the queues that each candidate puts them on.
#ifndef DDPCTL_SIMULATE_FLOW_COUNTER_H
#define DDPCTL_SIMULATE_FLOW_COUNTER_H

#include "flow_parts.h"

struct flow_counter {
	struct shard *by; // has the keys: its spread has a second one
	bool is_flow;     // else a UE
	struct spread_totals *totals;
	struct flows *flows;          // of totals
	const struct spread *spreads; // the first n_places are the candidates
	struct flow_parts_known known;
	uint64_t keys[DDP_BURST_MAX]; // of the burst
};

// What was counted is in totals.
void flow_counter_init(struct flow_counter *counter, struct shard *by, bool is_flow,
		       struct spread_totals *totals, const struct spread *spreads);

// A burst that the shard has just counted. places: of its packets, by candidate.
void flow_counter_count(struct flow_counter *counter, const struct shard_packets *packets,
			const uint16_t *const *places);

#endif
