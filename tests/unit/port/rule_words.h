/* SPDX-License-Identifier: BSD-3-Clause */
// Patterns and actions of rte_flow that can be read.
#ifndef DDP_TESTS_RULE_WORDS_H
#define DDP_TESTS_RULE_WORDS_H

#include <rte_flow.h>

#define ITEM(kind, ...) \
	{ .type = RTE_FLOW_ITEM_TYPE_##kind, __VA_ARGS__ }
#define ITEMS(...)                       \
	(const struct rte_flow_item[]) { \
		__VA_ARGS__, ITEM(END)   \
	}
#define ACTION(kind, ...) \
	{ .type = RTE_FLOW_ACTION_TYPE_##kind, __VA_ARGS__ }
#define ACTIONS(...)                       \
	(const struct rte_flow_action[]) { \
		__VA_ARGS__, ACTION(END)   \
	}

#endif
