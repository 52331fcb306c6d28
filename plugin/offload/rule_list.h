/* SPDX-License-Identifier: BSD-3-Clause */
// Inside of plugin/offload: the rules of a plan while it is made, in the order of creation.
#ifndef DDP_OFFLOAD_RULE_LIST_H
#define DDP_OFFLOAD_RULE_LIST_H

#include "nic_rule.h"

struct rule_list {
	struct rule *rules;
	unsigned int n, room;
	bool failed; // no memory
};

void rule_list_fini(struct rule_list *list);
bool rule_list_has(const struct rule_list *list, const struct rule *rule);
// Insert a rule after all wider and equally wide ones. false: no memory.
bool rule_list_insert(struct rule_list *list, const struct rule *rule);
void rule_list_remove(struct rule_list *list, unsigned int at);
// Join a rule for uplink and an equal one for downlink.
void rule_list_join(struct rule_list *list);
// A copy of the rules for a plan; NULL: no memory.
struct ddp_offload_rule *rule_list_copy(const struct rule_list *list);

#endif
