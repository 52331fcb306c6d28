/* SPDX-License-Identifier: BSD-3-Clause */
// RSS types of a hash rule -> the fields that are hashed.
#ifndef DDP_CLASSIFY_FLOW_FLOW_RSS_H
#define DDP_CLASSIFY_FLOW_FLOW_RSS_H

#include "flow.h"

// Whose RSS types a rule has.
enum ddp_flow_dialect {
	DDP_FLOW_ICE,  // as DPDK's ice and iavf drivers take them
	DDP_FLOW_I40E, // as its i40e driver does, where a profile stands in for a 700-series NIC
};

// Add to a rule, whose headers are given, what its RSS types (RTE_ETH_RSS_* bits, attributes among
// them) say is hashed, and which packets that leaves. They are refused where the dialect's drivers
// refuse them. 0, or -EINVAL with the reason in error.
int ddp_flow_rss_apply(struct ddp_flow *rule, uint64_t types, enum ddp_flow_dialect dialect,
		       bool symmetric, char *error, size_t error_size);

#endif
