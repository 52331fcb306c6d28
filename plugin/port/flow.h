/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules of a port: how they are read and kept. What they do to packets: struct ddp_flows in
// port.h, plugin/classify/flow.h.
#ifndef DDP_PORT_FLOW_H
#define DDP_PORT_FLOW_H

#include <stdio.h>
#include <sys/queue.h>

#include <rte_flow.h>

#include "classify/flow.h"
#include "port/port.h"

// A packet, and which of its bits are hashed.
struct ddp_flow_raw {
	unsigned int n; // 0: the rule is no raw one
	uint8_t spec[DDP_FLOW_RAW_SIZE], mask[DDP_FLOW_RAW_SIZE];
};

struct rte_flow {
	TAILQ_ENTRY(rte_flow) entry;
	uint64_t number; // grows: of two rules, the newer has the larger
	uint32_t priority;
	bool leaving;                       // on its way out
	bool dead;                          // a newer rule of the same pattern took its place,
	const struct rte_flow *replaced_by; // this one, if it is still there
	struct ddp_flow rule;
	unsigned int n_values;   // that the pattern gave; the rest comes of the RSS types
	struct ddp_flow_raw raw; // a raw pattern: its rule is made anew for each personality
	struct ddp_flow_hashing hashing; // of a hash rule
	struct ddp_flow_action action;   // of a steering rule
	uint64_t rss_types;              // as given, for query
	struct ddp_flow_count base;      // subtracted since the last reset
};

// flow_pattern.c: all refuse with -EINVAL and the reason in error.
// Add the headers and values of a pattern to a rule.
int ddp_flow_pattern_parse(const struct rte_flow_item *pattern, struct ddp_flow *rule,
			   struct rte_flow_error *error);
bool ddp_flow_is_raw(const struct rte_flow_item *pattern);
int ddp_flow_raw_parse(const struct rte_flow_item *item, struct ddp_flow_raw *raw,
		       struct rte_flow_error *error);

// flow_action.c: what becomes of the packets; the pattern is in flow->rule already.
int ddp_flow_actions_parse(const struct ddp_port *port, const struct rte_flow_action *actions,
			   struct rte_flow *flow, struct rte_flow_error *error);

// flow.c: counted since the last reset; the rule counts.
struct ddp_flow_count ddp_flow_count(const struct ddp_port *port, const struct rte_flow *flow);

// flow_dump.c: one line.
void ddp_flow_print(const struct ddp_port *port, const struct rte_flow *flow, FILE *out);

#endif
