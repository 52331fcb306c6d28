/* SPDX-License-Identifier: BSD-3-Clause */
// testpmd's flow commands, read into the structures of rte_flow.
#ifndef DDPCTL_FLOW_RULE_RULE_PARSE_H
#define DDPCTL_FLOW_RULE_RULE_PARSE_H

#include <rte_flow.h>

#include "base/arena.h"
#include "base/diag.h"

// One command. Items and actions end with an END, as rte_flow has them; each has a place.
struct rule_text {
	struct ddp_place place;
	struct rte_flow_attr attr;
	struct rte_flow_item *items;
	struct rte_flow_action *actions;
	struct ddp_place *item_places, *action_places;
	unsigned int n_items, n_actions; // with the END
	bool validated;                  // flow validate
};

// What of an RSS action the text left to the port.
struct rule_rss {
	struct rte_flow_action_rss conf; // first: an RSS action points here
	bool no_types, no_queues;
};

enum rule_line {
	RULE_LINE_RULE,
	RULE_LINE_OTHER, // nothing, a comment, a command that makes no rule
	RULE_LINE_BAD,   // errors are in diag
};

// Read one line. place is where it begins.
enum rule_line rule_parse(const char *line, size_t len, const struct ddp_place *place,
			  struct ddp_arena *arena, struct rule_text *rule, struct ddp_diag *diag);

#endif
