/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/classify: compiled flow rules and packets. Data path.
#ifndef DDP_CLASSIFY_CACHE_FLOW_MATCH_H
#define DDP_CLASSIFY_CACHE_FLOW_MATCH_H

#include "classify/flow/flow_set.h"

// ddp_flow_match() with notes: trace is what it looked at but for the keys, and note is called
// with each group whose keys decide. Rules that steer by keys are not looked up then, whatever
// rules the group has now: the preferred of those that flow_table_find() finds is the packet's.
typedef void (*flow_group_fn)(void *arg, const struct flow_group *group);
void flow_match_traced(const struct ddp_flow_set *set, const struct ddp_packet *packet,
		       const struct ddp_class *class, struct ddp_flow_hit *hit, struct trace *trace,
		       flow_group_fn note, void *arg);
#endif
