/* SPDX-License-Identifier: BSD-3-Clause */
// The plan as commands for people.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic.h"

static void command_printf(ddp_command_fn fn, void *arg, const char *fmt, const char *what,
			   unsigned int n) {
	char command[128];

	snprintf(command, sizeof(command), fmt, what, n);
	fn(arg, command);
}

static void rule_command(const struct ddp_offload_rule *rule, ddp_command_fn fn, void *arg) {
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return;
	fprintf(to, "flow create 0 ingress ");
	ddp_offload_rule_print(rule, to);
	fclose(to);
	if (text != NULL)
		fn(arg, text);
	free(text);
}

void ddp_plan_testpmd(const struct ddp_plan *plan, ddp_command_fn fn, void *arg) {
	if (plan->rss_hf != 0)
		fn(arg, "port config all rss all");
	else if (plan->n_rules > 0)
		fn(arg, "port config all rss none");
	for (unsigned int i = 0; i < plan->n_tunnels; i++)
		command_printf(fn, arg, "port config 0 udp_tunnel_port add %s %u",
			       plan->tunnels[i].header, plan->tunnels[i].port);
	for (unsigned int i = 0; i < plan->n_rules; i++)
		rule_command(&plan->rules[i], fn, arg);
}

// Linux has words for TCP, UDP and SCTP over IP, and for the TEID of GTP-U.
bool ddp_plan_ethtool(const struct ddp_plan *plan, ddp_command_fn fn, void *arg) {
	static const struct {
		uint64_t type;
		const char *flow, *fields;
	} flows[] = {
		{HF(IPV4_TCP), "tcp4", "sdfn"},   {HF(IPV4_UDP), "udp4", "sdfn"},
		{HF(IPV4_SCTP), "sctp4", "sdfn"}, {HF(IPV6_TCP), "tcp6", "sdfn"},
		{HF(IPV6_UDP), "udp6", "sdfn"},   {HF(IPV6_SCTP), "sctp6", "sdfn"},
	};
	char command[128];

	for (unsigned int i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		if ((plan->rss_hf & flows[i].type) == 0)
			continue;
		snprintf(command, sizeof(command), "ethtool -N eth0 rx-flow-hash %s %s",
			 flows[i].flow, flows[i].fields);
		fn(arg, command);
	}
	return plan->rss_hf != 0 && plan->n_rules == 0;
}
