/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules as text, in the syntax of testpmd's flow commands, compiled as by net_ddp.
//
//	rules = rules_create(&steer.config);
//	rules_add(rules, "pattern eth / ipv4 / end actions queue index 3 / end", &diag);
//	for each profile, number of queues, ...:
//		rules_build(rules, profile, program, &steer.config, &set, &policy, &diag);
//		ddp_cache_run(cache, &policy, &hash, mbufs, n, &burst);
//		... ddp_flow_action_of(burst.steer[i]) ...
//		rule_set_fini(&set);
#ifndef DDPCTL_STEER_RULE_TEXT_H
#define DDPCTL_STEER_RULE_TEXT_H

#include <rte_flow.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "rules/rules.h"
#include "steer.h"

// A command. Items and actions end with END.
struct rule_text {
	struct ddp_place place;
	struct rte_flow_attr attr;
	struct rte_flow_item *items;
	struct rte_flow_action *actions;
	struct ddp_place *places;                  // of items, then of actions
	unsigned int n_items, n_actions, n_places; // with the END
};

// Parse a line that begins at place. port: see rules_create(). Returns whether it is a valid rule;
// false without errors in diag: it is empty, a comment or another command.
bool rule_parse(const char *line, const struct ddp_place *place, const struct steer_config *port,
		struct ddp_arena *arena, struct rule_text *rule, struct ddp_diag *diag);

struct rules;

// port must outlive the rules. RSS actions without queues or types get those of port.
struct rules *rules_create(const struct steer_config *port);

// The rules of a candidate, maybe empty. Errors go to stderr. Returns the exit status; with
// EXIT_GOOD the caller destroys the rules.
int rules_read_or_report(struct rules **rules, const struct rule_options *options,
			 const struct steer_config *port, unsigned int candidate);
void rules_destroy(struct rules *rules);

// Add the commands of text, one per line, or of the file after an '@'. "flow create 0 ingress" may
// be omitted; comments and testpmd's other commands are ignored. 0, or -EINVAL with errors in diag,
// which refers to strings of the rules.
int rules_add(struct rules *rules, const char *text, struct ddp_diag *diag);

unsigned int rules_count(const struct rules *rules); // NULL: 0

// Rules compiled for one candidate.
struct rule_set {
	struct ddp_flow_list list;
	struct ddp_flows *flows;
};

// Compile rules as a net_ddp port with these profiles, queues and RSS does, and set the policy's
// flows. A config->function other than Toeplitz acts as the oldest rule, for the whole port. Rules,
// profile and program must outlive the set; rules may be NULL. 0, or -EINVAL or
// -ENOMEM with errors in diag.
int rules_build(const struct rules *rules, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer_config *config,
		struct rule_set *set, struct ddp_policy *policy, struct ddp_diag *diag);
void rule_set_fini(struct rule_set *set);

#endif
