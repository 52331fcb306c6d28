/* SPDX-License-Identifier: BSD-3-Clause */
// testpmd's flow commands, read into the structures of rte_flow.
#ifndef DDPCTL_STEER_RULE_PARSE_H
#define DDPCTL_STEER_RULE_PARSE_H

#include <rte_flow.h>

#include "base/arena.h"
#include "base/diag.h"
#include "steer.h"

// An item, and the fields that its structure has: name@bit:width, counted from the most significant
// bit of the first byte, and the kind of value: m MAC address, 4 and 6 IP addresses, s on or off,
// h in the host's byte order, p bytes of a packet, else a number.
struct rule_item {
	const char *name; // as in base/rte_item.h
	const char *fields;
	const char *message; // NULL, or the kind of message that has these fields behind its type
	uint16_t type;       // of such a message
};

extern const struct rule_item rule_items[];
extern const unsigned int rule_n_items;

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

enum rule_line {
	RULE_LINE_RULE,
	RULE_LINE_OTHER, // nothing, a comment, a command that makes no rule
	RULE_LINE_BAD,   // errors are in diag
};

// Read one line. place is where it begins. port has the queues and RSS types of an RSS action that
// names none.
enum rule_line rule_parse(const char *line, size_t len, const struct ddp_place *place,
			  const struct steer_config *port, struct ddp_arena *arena,
			  struct rule_text *rule, struct ddp_diag *diag);

#endif
