/* SPDX-License-Identifier: BSD-3-Clause */
// RSS types of a hash rule -> the fields that are hashed.
#ifndef DDP_CLASSIFY_FLOW_FLOW_RSS_H
#define DDP_CLASSIFY_FLOW_FLOW_RSS_H

#include "flow.h"

// Add to a rule, whose headers are given, what its RSS types (RTE_ETH_RSS_* bits, attributes among
// them) say is hashed, and which packets that leaves. The types mean what they mean to DPDK's ice
// and iavf drivers, and are refused where these refuse them. 0, or -EINVAL with the reason in
// error.
int ddp_flow_rss_apply(struct ddp_flow *rule, uint64_t types, bool symmetric, char *error,
		       size_t error_size);

#endif
