/* SPDX-License-Identifier: BSD-3-Clause */
// A plan as commands to type.
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "i40e_port.h"
#include "nic.h"

// Length of a line of testpmd, which silently ignores a longer one.
#define TESTPMD_LINE 512

static void command_printf(ddp_command_fn fn, void *arg, const char *fmt, const char *what,
			   unsigned int n) {
	char command[128];

	snprintf(command, sizeof(command), fmt, what, n);
	fn(arg, command);
}

// Returns whether the rule fits a line of testpmd; -ENOMEM.
static int rule_command(const struct ddp_offload_rule *rule, ddp_command_fn fn, void *arg) {
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	bool failed, fits;

	if (to == NULL)
		return -ENOMEM;
	fprintf(to, "flow create 0 ingress ");
	ddp_offload_rule_print(rule, to);
	failed = ferror(to);
	if (fclose(to) != 0 || failed || text == NULL) {
		free(text);
		return -ENOMEM;
	}
	fits = size <= TESTPMD_LINE;
	if (fits)
		fn(arg, text);
	free(text);
	return fits;
}

static void inset_commands(const struct ddp_offload_inset *inset, ddp_command_fn fn, void *arg) {
	char command[128];

	snprintf(command, sizeof(command), "port config 0 pctype %u hash_inset clear all",
		 inset->pctype);
	fn(arg, command);
	for (unsigned int i = 0; i < inset->n; i++) {
		snprintf(command, sizeof(command),
			 "port config 0 pctype %u hash_inset set field %u", inset->pctype,
			 inset->words[i]);
		fn(arg, command);
	}
}

// `ddp add` maps the ptypes itself.
static int package_commands(const struct ddp_plan *plan, ddp_command_fn fn, void *arg) {
	const struct i40e_package *i40e = plan->package->i40e;
	const char *slash = strrchr(plan->package->path, '/');
	char *command;

	assert(plan->package->i40e != NULL);
	fn(arg, "port stop all");
	if (asprintf(&command, "ddp add 0 %s,%s.back", plan->package->path,
		     slash != NULL ? slash + 1 : plan->package->path) < 0)
		return -ENOMEM;
	fn(arg, command);
	free(command);
	for (unsigned int i = 0; i < plan->n_insets; i++)
		inset_commands(&plan->insets[i], fn, arg);
	for (unsigned int i = 0; i < i40e->pctypes.n; i++) {
		char mapping[128];

		snprintf(mapping, sizeof(mapping), "port config 0 pctype mapping update %u %u",
			 i40e->pctypes.types[i].id, DDP_I40E_FLOW_TYPE_FIRST + i);
		fn(arg, mapping);
	}
	fn(arg, "port start all");
	return 0;
}

// Returns how many rules testpmd's lines are too short for, or -ENOMEM.
static int rules_commands(const struct ddp_offload_rule *rules, unsigned int n, ddp_command_fn fn,
			  void *arg) {
	int n_too_long = 0;

	for (unsigned int i = 0; i < n; i++) {
		int fits = rule_command(&rules[i], fn, arg);

		if (fits < 0)
			return fits;
		n_too_long += fits == 0;
	}
	return n_too_long;
}

int ddp_plan_testpmd(const struct ddp_plan *plan, ddp_command_fn fn, void *arg) {
	if (plan->package != NULL && package_commands(plan, fn, arg) < 0)
		return -ENOMEM;
	if (plan->package != NULL)
		fn(arg, "port config all rss default"); // includes the mapped flow types
	else if (plan->rss_hf != 0)
		fn(arg, "port config all rss all");
	else if (plan->n_rules > 0)
		fn(arg, "port config all rss none");
	for (unsigned int i = 0; i < plan->n_tunnels; i++)
		command_printf(fn, arg, "port config 0 udp_tunnel_port add %s %u",
			       plan->tunnels[i].header, plan->tunnels[i].port);
	return rules_commands(plan->rules, plan->n_rules, fn, arg);
}

int ddp_spread_testpmd(const struct ddp_spread_plan *spread, ddp_command_fn fn, void *arg) {
	if (spread->n_rules > 0)
		fn(arg, "port config all rss all");
	return rules_commands(spread->rules, spread->n_rules, fn, arg);
}

// ethtool has names for TCP, UDP and SCTP over IP, and for the TEID of GTP-U.
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
	return plan->rss_hf != 0 && plan->n_rules == 0 && plan->n_insets == 0;
}
