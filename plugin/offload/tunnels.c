/* SPDX-License-Identifier: BSD-3-Clause */
#include "tunnels.h"

#include <string.h>

unsigned int tunnels_find(const struct ddp_profile *profile, const char *header,
			  struct ddp_offload_tunnel tunnels[DDP_OFFLOAD_TUNNELS]) {
	int udp = ddp_header_find(profile, "udp"), target = ddp_header_find(profile, header);
	unsigned int n = 0;

	if (udp < 0 || target < 0)
		return 0;
	for (unsigned int i = 0; i < profile->headers[udp].n_rules; i++) {
		const struct ddp_rule *rule = &profile->headers[udp].rules[i];

		if (rule->kind != DDP_RULE_GOTO || rule->target != target)
			continue;
		for (unsigned int m = 0; m < rule->cond.n_matches; m++)
			for (unsigned int p = 0; p < rule->cond.matches[m].n_patterns; p++) {
				uint64_t port = rule->cond.matches[m].patterns[p].value_lo;

				if (strstr(rule->cond.matches[m].ref.name, "dport") != NULL &&
				    n < DDP_OFFLOAD_TUNNELS && port > 0 && port <= UINT16_MAX)
					tunnels[n++] = (struct ddp_offload_tunnel){header, port};
			}
	}
	return n;
}
