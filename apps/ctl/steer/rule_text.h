/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules as text, in the words of testpmd's flow commands: what net_ddp would do with them.
//
//	rules = rules_create(&steer.config);
//	rules_add(rules, "pattern eth / ipv4 / end actions queue index 3 / end", &diag);
//	rules_add(rules, "@rules.txt", &diag);
//	for each profile, number of queues, ...:
//		rules_build(rules, profile, program, &steer.config, &set, &policy, &diag);
//		ddp_cache_run(cache, &policy, &hash, mbufs, n, &burst);
//		... rule_queue(burst.steer[i], hashed, burst.hashes[i], queue) ...
//		rule_set_fini(&set);
#ifndef DDPCTL_STEER_RULE_TEXT_H
#define DDPCTL_STEER_RULE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "classify/cache/cache.h"
#include "profile/profile.h"
#include "rules/rules.h"
#include "steer.h"

struct rules;

// port outlives the rules. RSS actions that name no queues or types have those of it.
struct rules *rules_create(const struct steer_config *port);

// The rules of a candidate, an empty set if there are none. What is wrong goes to stderr. Returns
// the exit status, and with EXIT_GOOD rules to destroy.
int rules_read_or_report(struct rules **rules, const struct rule_options *options,
			 const struct steer_config *port, unsigned int candidate);
void rules_destroy(struct rules *rules);

// Add one command, or several in lines, or those of the file after an '@'. Of a command
// "flow create 0 ingress" may be left out; comments, and testpmd's other commands, are passed over.
// 0, or -EINVAL with what is wrong and where in diag, which borrows names of rules.
int rules_add(struct rules *rules, const char *text, struct ddp_diag *diag);

unsigned int rules_count(const struct rules *rules); // of NULL: 0

// Rules compiled for one candidate.
struct rule_set {
	struct ddp_flow_list list;
	struct ddp_flows *flows;
};

// Compile rules as a net_ddp port would that has these profiles, queues and RSS, and set the
// policy's flows. config->function, where it is not Toeplitz, is as an oldest rule for the whole
// port. Rules, profile and program must outlive the set; rules may be NULL. 0, or -EINVAL or
// -ENOMEM with errors in diag and nothing to end.
int rules_build(const struct rules *rules, const struct ddp_profile *profile,
		const struct ddp_program *program, const struct steer_config *config,
		struct rule_set *set, struct ddp_policy *policy, struct ddp_diag *diag);
void rule_set_fini(struct rule_set *set);

enum rule_fate {
	RULE_PASS,  // as RSS says
	RULE_QUEUE, // to one queue
	RULE_RSS,   // to one of several, by the hash
	RULE_DROP,
};

// What a rule (struct ddp_burst: steer; struct ddp_flow_hit: rules[DDP_FLOW_STEER]), NULL for none,
// does with its packets; the queues are in *queues.
enum rule_fate rule_fate(const struct ddp_flow_entry *rule, const uint16_t **queues,
			 unsigned int *n_queues);

// Where such a rule sends a packet that would go to queue without it; RULE_DROPPED: nowhere. hash:
// by the rule's key.
#define RULE_DROPPED (-1)
int rule_queue(const struct ddp_flow_entry *rule, bool hashed, uint32_t hash, unsigned int queue);

// The key of the rule, by which its packets are hashed; NULL: by the port's.
const struct ddp_hash *rule_key(const struct ddp_flow_entry *rule);

// As ddp_answer_steer(), with rules. This is the interpreter's way; a path cache with the policy
// says the same. Returns the rule that steers the packet, NULL for none.
const struct ddp_flow_entry *rule_steer(const struct ddp_policy *policy, const struct steer *steer,
					const struct ddp_packet *packet, struct ddp_answer *answer);

#endif
