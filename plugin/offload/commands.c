/* SPDX-License-Identifier: BSD-3-Clause */
// A plan as commands for testpmd and ethtool.
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "draft.h"
#include "i40e_port.h"

// Length of a line of testpmd, which silently ignores a longer one.
#define TESTPMD_LINE 512 // characters

/* A rule */

static const char *type_name(unsigned int bit) {
#define ATTRIBUTE(name, bit, testpmd) [bit] = testpmd,
	static const char *const attributes[64] = {DDP_RSS_HF_ATTRIBUTES(ATTRIBUTE)};

	return attributes[bit] != NULL ? attributes[bit] : ddp_rss_hf_name(bit);
}

static void types_print(uint64_t types, FILE *to) {
	fprintf(to, " types");
	for (unsigned int bit = 0; bit < 64; bit++)
		if (types >> bit & 1)
			fprintf(to, " %s", type_name(bit));
	fprintf(to, " end");
}

static void hex_print(const uint8_t *bytes, unsigned int n, FILE *to) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "%02x", bytes[i]);
}

void ddp_offload_rule_print(const struct ddp_offload_rule *rule, FILE *to) {
	fprintf(to, "pattern");
	if (rule->n_items == 0) {
		fprintf(to, " raw pattern spec ");
		hex_print(rule->spec, rule->size, to);
		fprintf(to, " pattern mask ");
		hex_print(rule->mask, rule->size, to);
		fprintf(to, " / end actions rss queues end / end");
		return;
	}
	for (unsigned int i = 0; i < rule->n_items; i++) {
		fprintf(to, "%s %s", i > 0 ? " /" : "", rule->items[i]);
		if (strcmp(rule->items[i], "gtp_psc") == 0 && rule->pdu_type >= 0)
			fprintf(to, " pdu_t is %d", rule->pdu_type);
	}
	fprintf(to, " / end actions rss");
	types_print(rule->types, to);
	if (rule->level == 0) {
		fprintf(to, " key_len 0 queues end / end");
		return;
	}
	fprintf(to, " level %u queues", rule->level);
	for (unsigned int i = 0; i < rule->n_queues; i++)
		fprintf(to, " %u", i);
	fprintf(to, " end / end");
}

/* Commands */

__attribute__((format(printf, 3, 4))) static void command(ddp_command_fn fn, void *arg,
							  const char *fmt, ...) {
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fn(arg, text);
}

static int rule_command(const struct ddp_offload_rule *rule, ddp_command_fn fn, void *arg) {
	char text[TESTPMD_LINE + 2] = ""; // in a full buffer a NUL takes the last character's place
	FILE *to = fmemopen(text, sizeof(text), "w");
	bool fits;

	if (to == NULL)
		return -ENOMEM;
	fprintf(to, "flow create 0 ingress ");
	ddp_offload_rule_print(rule, to);
	fits = !ferror(to);
	fits &= fclose(to) == 0 && strlen(text) <= TESTPMD_LINE;
	if (fits)
		fn(arg, text);
	return fits;
}

// `ddp add` maps the ptypes itself.
static int package_commands(const struct ddp_plan *plan, ddp_command_fn fn, void *arg) {
	const struct i40e_package *i40e = plan->package->i40e;
	const char *slash = strrchr(plan->package->path, '/');
	char *add;

	assert(i40e != NULL);
	fn(arg, "port stop all");
	if (asprintf(&add, "ddp add 0 %s,%s.back", plan->package->path,
		     slash != NULL ? slash + 1 : plan->package->path) < 0)
		return -ENOMEM;
	fn(arg, add);
	free(add);
	for (unsigned int i = 0; i < plan->n_insets; i++) {
		const struct ddp_offload_inset *inset = &plan->insets[i];

		command(fn, arg, "port config 0 pctype %u hash_inset clear all", inset->pctype);
		for (unsigned int w = 0; w < inset->n; w++)
			command(fn, arg, "port config 0 pctype %u hash_inset set field %u",
				inset->pctype, inset->words[w]);
	}
	for (unsigned int i = 0; i < i40e->pctypes.n; i++)
		command(fn, arg, "port config 0 pctype mapping update %u %u",
			i40e->pctypes.types[i].id, DDP_I40E_FLOW_TYPE_FIRST + i);
	fn(arg, "port start all");
	return 0;
}

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
		command(fn, arg, "port config 0 udp_tunnel_port add vxlan %u",
			plan->vxlan_ports[i]);
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
		const char *flow;
	} flows[] = {
		{HF(IPV4_TCP), "tcp4"}, {HF(IPV4_UDP), "udp4"}, {HF(IPV4_SCTP), "sctp4"},
		{HF(IPV6_TCP), "tcp6"}, {HF(IPV6_UDP), "udp6"}, {HF(IPV6_SCTP), "sctp6"},
	};

	for (unsigned int i = 0; i < sizeof(flows) / sizeof(flows[0]); i++)
		if ((plan->rss_hf & flows[i].type) != 0)
			command(fn, arg, "ethtool -N eth0 rx-flow-hash %s sdfn", flows[i].flow);
	return plan->rss_hf != 0 && plan->n_rules == 0 && plan->n_insets == 0;
}
