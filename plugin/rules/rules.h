/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules: read, ordered, compiled. Of DPDK this needs rte_flow.h and none of its code, so
// that net_ddp, which has them of an application, and ddpctl, which has them as text, mean the
// same.
//
//	flow = ddp_flow_create(&config, &attr, items, actions, &error);
//	ddp_flow_list_add(&list, flow, &error);
//	ddp_flows_compile(&list, profile, program, n_rxqs, &flows, why, sizeof(why));
//	... flows->set and flows->hashings in a struct ddp_policy, flows->actions[burst.steer[i]]
//...
//
// Hash rules (RSS with types) say how packets are hashed. Of those that match a packet the newest
// decides. Steering rules (everything else) say what becomes of packets; the smallest number of a
// priority decides, then the newest.
#ifndef DDP_RULES_RULES_H
#define DDP_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_flow.h>

#include "base/memory.h"
#include "classify/cache/cache.h"
#include "classify/flow/flow.h"
#include "profile/profile.h"

#define DDP_FLOW_QUEUES_MAX 256 // of one rule

// A packet, and which of its bits are hashed.
struct ddp_flow_raw {
	unsigned int n; // 0: the rule is no raw one
	uint8_t spec[DDP_FLOW_RAW_SIZE], mask[DDP_FLOW_RAW_SIZE];
};

// What becomes of the packets of an rte_flow rule.
enum ddp_flow_fate {
	DDP_FLOW_PASS,   // goes where it would go without the rule
	DDP_FLOW_QUEUES, // to one of queues, by its hash; the first where it has none
	DDP_FLOW_DROP,
};

struct ddp_flow_count {
	uint64_t packets, bytes;
};

// What a rule that says where to does with packets.
struct ddp_flow_action {
	enum ddp_flow_fate fate;
	uint16_t n_queues;
	uint16_t *queues;
	uint64_t flags; // RTE_MBUF_F_RX_FDIR*, with
	uint32_t mark;
	struct ddp_flow_count
		*counts; // n_counts of them, for who applies the rule; NULL: not counted
};

// A rule. (rte_flow.h leaves it to drivers what this is.)
struct rte_flow {
	TAILQ_ENTRY(rte_flow) entry;
	uint64_t number; // grows: of two rules, the newer has the larger
	uint32_t priority;
	bool leaving;                       // on its way out
	bool dead;                          // a newer rule of the same pattern took its place,
	const struct rte_flow *replaced_by; // this one, if it is still there
	struct ddp_flow rule;
	unsigned int n_values;           // that the pattern gave; the rest comes of the RSS types
	struct ddp_flow_raw raw;         // a raw pattern: its rule is made anew for each profile
	struct ddp_flow_hashing hashing; // of a hash rule
	struct ddp_flow_action action;   // of a steering rule
	uint64_t rss_types;              // as given, for query
	struct ddp_flow_count base;      // subtracted since the last reset
	const struct ddp_memory *memory; // of queues and counts
};

TAILQ_HEAD(ddp_flow_list, rte_flow); // oldest first

// Rules compiled for a program. Never changes once built; queues and counts are the rules'.
struct ddp_flows {
	const struct ddp_memory *memory; // the program's
	struct ddp_flow_set *set;
	struct ddp_flow_hashing *hashings; // by index in the set, as actions are
	unsigned int n;
	struct ddp_flow_action actions[];
};

// What a rule is read for.
struct ddp_flow_config {
	unsigned int n_rxqs;
	unsigned int n_counts;           // that a rule which counts has
	uint64_t rss_hf;                 // of the port: RSS types that mean none
	const struct ddp_memory *memory; // of what the data path reads. NULL: the C library's
};

// Set *error, which may be NULL, as rte_flow_error_set() does, but for rte_errno. Returns -err.
static inline int ddp_flow_error(struct rte_flow_error *error, int err,
				 enum rte_flow_error_type type, const void *cause,
				 const char *message) {
	if (error != NULL)
		*error = (struct rte_flow_error){.type = type, .cause = cause, .message = message};
	return -err;
}

// action.c: what ethdev calls a hash function, and back; DEFAULT is Toeplitz. -EINVAL: there is no
// such function.
enum rte_eth_hash_function ddp_flow_function(enum ddp_hash_function function);
int ddp_flow_function_read(enum rte_eth_hash_function from, enum ddp_hash_function *function);

// rule.c: read a rule. NULL: *ret is -EINVAL or -ENOMEM, with the reason in error; it lives until
// the thread's next call.
struct rte_flow *ddp_flow_create(const struct ddp_flow_config *config,
				 const struct rte_flow_attr *attr,
				 const struct rte_flow_item *pattern,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error, int *ret);
void ddp_flow_destroy(struct rte_flow *flow);

// Add a rule as the newest, which may put another out of force. -EEXIST with error.
int ddp_flow_list_add(struct ddp_flow_list *list, struct rte_flow *flow,
		      struct rte_flow_error *error);
// Take the newest rule off again, as if it had never been there.
void ddp_flow_list_take_back(struct ddp_flow_list *list, struct rte_flow *flow);
void ddp_flow_list_destroy(struct ddp_flow_list *list);

// compile.c: compile rules for a profile's program and a number of Rx queues. -EINVAL or -ENOMEM
// with the reason, which names the rule, in why (may be NULL).
int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size);
// Can this rule be compiled for the program? 0, -EINVAL; -ENOMEM: not known.
int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 struct rte_flow *flow);
// Where a rule failed for a header that the profile does not parse: append to why which profile
// does.
void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size);
void ddp_flows_destroy(struct ddp_flows *flows);

// pattern.c: all refuse with -EINVAL and the reason in error.
// Add the headers and values of a pattern to a rule.
int ddp_flow_pattern_parse(const struct rte_flow_item *pattern, struct ddp_flow *rule,
			   struct rte_flow_error *error);
bool ddp_flow_is_raw(const struct rte_flow_item *pattern);
int ddp_flow_raw_parse(const struct rte_flow_item *item, struct ddp_flow_raw *raw,
		       struct rte_flow_error *error);

// action.c: what becomes of the packets; the pattern is in flow->rule already.
int ddp_flow_actions_parse(const struct ddp_flow_config *config,
			   const struct rte_flow_action *actions, struct rte_flow *flow,
			   struct rte_flow_error *error);

#endif
