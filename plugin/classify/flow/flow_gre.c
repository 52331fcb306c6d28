/* SPDX-License-Identifier: BSD-3-Clause */
// GTP-U behind GRE. The parser of an 800-series NIC takes the GRE header and the IP header behind
// it as part of the way: a pattern may leave both out, and one that names them names no version of
// IP.
#include <string.h>

#include "flow.h"

static bool is_used(const struct ddp_flow *rule, unsigned int item) {
	for (unsigned int i = 0; i < rule->n_values; i++)
		if (rule->values[i].at.item == item)
			return true;
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		if (rule->inputs[i].item == item)
			return true;
	return rule->without[item] != NULL;
}

// Put GRE and an IP header in front of item at.
static void gre_insert(struct ddp_flow *rule, unsigned int at, const char *ip) {
	memmove(&rule->items[at + 2], &rule->items[at],
		(rule->n_items - at) * sizeof(rule->items[0]));
	memmove(&rule->without[at + 2], &rule->without[at],
		(rule->n_items - at) * sizeof(rule->without[0]));
	rule->without[at] = rule->without[at + 1] = NULL;
	rule->items[at] = "gre";
	rule->items[at + 1] = ip;
	rule->n_items += 2;
	for (unsigned int i = 0; i < rule->n_values; i++)
		rule->values[i].at.item += rule->values[i].at.item >= at ? 2 : 0;
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		rule->inputs[i].item += rule->inputs[i].item >= at ? 2 : 0;
}

bool ddp_flow_gre_either(const struct ddp_flow *rule, unsigned int item) {
	return !rule->exact && item > 0 && ddp_flow_names(rule, item - 1, "gre") &&
	       ddp_flow_names_ip(rule, item) && ddp_flow_names(rule, item + 1, "udp") &&
	       ddp_flow_names(rule, item + 2, "gtpu") && !is_used(rule, item);
}

unsigned int ddp_flow_gre_variants(const struct ddp_flow *rule,
				   struct ddp_flow variants[DDP_FLOW_VARIANTS]) {
	unsigned int udp = 0;

	while (udp < rule->n_items &&
	       !(ddp_flow_names(rule, udp, "udp") && ddp_flow_names(rule, udp + 1, "gtpu")))
		udp++;
	if (udp == rule->n_items || rule->exact || udp < 2 || !ddp_flow_names_ip(rule, udp - 1))
		return 0;
	if (ddp_flow_names(rule, udp - 2, "gre")) {
		if (!ddp_flow_gre_either(rule, udp - 1))
			return 0;
		variants[0] = *rule;
		variants[0].optional = true;
		variants[0].items[udp - 1] =
			ddp_flow_names(rule, udp - 1, "ipv4") ? "ipv6" : "ipv4";
		return 1;
	}
	if (rule->stage != DDP_FLOW_HASH || rule->n_items + 2 > DDP_FLOW_ITEMS)
		return 0;
	for (unsigned int i = 0; i < 2; i++) {
		variants[i] = *rule;
		variants[i].optional = true;
		gre_insert(&variants[i], udp, i == 0 ? "ipv4" : "ipv6");
	}
	return 2;
}
