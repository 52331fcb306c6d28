/* SPDX-License-Identifier: BSD-3-Clause */
// rte_flow rules: read, ordered, compiled. Of DPDK this needs rte_flow.h and none of its code, so
// that rules of an application (net_ddp) and rules as text (ddpctl) mean the same.
//
//	ddp_flow_list_init(&list, NULL);
//	flow = ddp_flow_create(&config, &attr, items, actions, &error, &ret);
//	ddp_flow_list_add(&list, flow, &compile, &error);
//	if (compile)
//		ddp_flow_list_compile(&list, profile, program, n_rxqs, &flows, reason, size);
//	ddp_flow_list_commit(&list, flow);
//	... flows->set in a struct ddp_policy, ddp_flow_action_of(burst.steer[i]) ...
//
// Hash rules (RSS with types) define the hashing of packets. Of those that match a packet the
// newest decides. Steering rules (everything else) direct, drop or mark packets; the smallest
// number of a priority decides, then the newest.
//
// Compiled are the shapes of the rules, of which there are few (classify/flow/flow.h). Most changes
// are an insertion into, or a removal from, a table that the data path is using. Memory that it may
// still read is freed later, by ddp_flow_list_reclaim().
#pragma once

#include <assert.h>
#include <errno.h>

#include <rte_flow.h>

#include "classify/cache/cache.h"

#define DDP_FLOW_QUEUES_MAX 256 // queues of one rule

// A packet, and which of its bits are hashed.
struct ddp_flow_raw {
	unsigned int n; // 0: the rule is no raw one
	uint8_t spec[DDP_FLOW_RAW_SIZE], mask[DDP_FLOW_RAW_SIZE];
};

// The queue, or none, that the packets of an rte_flow rule go to.
enum ddp_flow_fate {
	DDP_FLOW_PASS,   // goes where it would go without the rule
	DDP_FLOW_QUEUE,  // to one queue
	DDP_FLOW_SPREAD, // to one of several, by its hash; the first where it has none
	DDP_FLOW_DROP,
};

// The mark in their mbufs.
enum ddp_flow_tag {
	DDP_FLOW_UNTAGGED,
	DDP_FLOW_FLAGGED,
	DDP_FLOW_MARKED,
};

// A key, ready for use, of all rules that have it.
struct ddp_flow_key {
	struct ddp_flow_key *next;
	unsigned int n_users;
	struct ddp_hash hash;
};

// The queues of a rule that has several.
struct ddp_flow_spread {
	const struct ddp_hash *hash; // by the rule's own key; NULL: by the port's
	uint16_t queues[];
};

struct ddp_flow_count {
	uint64_t packets, bytes;
};

// The action of a steering rule. Small: in one cache line with the values of the rule.
struct ddp_flow_action {
	union {
		uint16_t queue;
		struct ddp_flow_spread *spread;
	};
	struct ddp_flow_count
		*counts; // n_counts of them, for who applies the rule; NULL: not counted
	uint32_t mark;
	uint16_t n_queues;
	uint8_t fate; // enum ddp_flow_fate
	uint8_t tag;  // enum ddp_flow_tag
};
static_assert(sizeof(struct ddp_flow_action) + sizeof(struct ddp_flow_entry) + 16 == 64,
	      "a rule with one value is one cache line");

// The action of a rule that was found.
static inline const struct ddp_flow_action *ddp_flow_action_of(const struct ddp_flow_entry *entry) {
	return (const struct ddp_flow_action *)entry - 1;
}

// n_queues of them.
static inline const uint16_t *ddp_flow_queues(const struct ddp_flow_action *action) {
	return action->fate == DDP_FLOW_SPREAD ? action->spread->queues : &action->queue;
}

// Which of the queues, for a packet with this hash, made by the rule's key if it has one.
static inline uint16_t ddp_flow_queue(const struct ddp_flow_action *action, bool hashed,
				      uint32_t hash) {
	if (action->fate == DDP_FLOW_QUEUE)
		return action->queue;
	return action->spread->queues[hashed ? hash % action->n_queues : 0];
}

// The key that packets are hashed by which have a hash; NULL: the port's.
static inline const struct ddp_hash *ddp_flow_key_of(const struct ddp_flow_action *action) {
	return action->fate == DDP_FLOW_SPREAD ? action->spread->hash : NULL;
}

#define DDP_FLOW_ENTRIES (1 + DDP_FLOW_VARIANTS)

// A rule. (rte_flow.h leaves it to drivers what this is.)
struct rte_flow {
	TAILQ_ENTRY(rte_flow) entry; // of the list, or of those to be freed
	uint64_t number;             // grows: of two rules, the newer has the larger
	uint32_t priority;
	bool dead;                 // a newer rule of the same pattern replaced it for good
	struct rte_flow *replaces; // until the rule is in force
	struct ddp_flow *rule;     // NULL in a list: it is the first shape's, and
	unsigned int n_entries;    // the values are in its entries
	struct ddp_flow_shape *shapes[DDP_FLOW_ENTRIES];
	struct ddp_flow_entry *entries[DDP_FLOW_ENTRIES];
	struct ddp_flow_raw *raw; // a raw pattern: its rule is made anew for each profile
	struct ddp_flow_action action;
	uint8_t *key_bytes; // of a rule with a key, DDP_KEY_SIZE,
	uint8_t key_len;    // which was given with this length
	struct ddp_flow_key *key;
	uint64_t rss_types;              // as given, for query;
	uint32_t rss_level;              // so is this
	struct ddp_flow_count base;      // subtracted since the last reset
	const struct ddp_memory *memory; // of queues and counts
};

TAILQ_HEAD(ddp_flow_queue, rte_flow);

#define DDP_FLOW_KEYS_MAX 64 // different keys of all rules

struct ddp_flow_list {
	const struct ddp_memory *memory; // of what the data path reads. NULL: the C library's
	struct ddp_flow_queue flows;     // oldest first
	struct ddp_flow_queue left;      // to be freed
	unsigned int n, n_left;
	uint64_t last_number;
	uint16_t queue_max; // that a rule ever named
	struct ddp_flow_shapes shapes;
	void *by_address; // index of flows, for tfind()
	struct ddp_flow_key *keys;
	unsigned int n_keys;
};

// Shapes of rules compiled for a program.
struct ddp_flows {
	struct ddp_flow_set *set;
	unsigned int n;              // shapes
	struct ddp_flow_shapes raws; // that were made for this program
};

// The port that a rule is read for.
struct ddp_flow_config {
	unsigned int n_rxqs;
	unsigned int n_counts;           // that a rule which counts has
	uint64_t rss_hf;                 // of the port: RSS types that mean none
	enum ddp_flow_dialect dialect;   // of the profile
	const uint8_t *key;              // of the port, DDP_KEY_SIZE bytes
	const struct ddp_memory *memory; // as a list's
};

// Set *error, which may be NULL, as rte_flow_error_set() does, but for rte_errno. Returns -err.
static inline int ddp_flow_error(struct rte_flow_error *error, int err,
				 enum rte_flow_error_type type, const void *cause,
				 const char *message) {
	if (error != NULL)
		*error = (struct rte_flow_error){.type = type, .cause = cause, .message = message};
	return -err;
}

static inline int ddp_flow_no_memory(struct rte_flow_error *error) {
	return ddp_flow_error(error, ENOMEM, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
			      "out of memory");
}

// rule_read.c: what ethdev calls a hash function, and back; DEFAULT is Toeplitz. -EINVAL: none.
enum rte_eth_hash_function ddp_flow_function(enum ddp_hash_function function);
int ddp_flow_function_read(enum rte_eth_hash_function from, enum ddp_hash_function *function);

// rule_read.c: whose RSS types the rules of a port with this profile have.
enum ddp_flow_dialect ddp_flow_dialect_of(const struct ddp_profile *profile);

// rule_read.c: read a rule. NULL: *ret is -EINVAL or -ENOMEM, with the reason in error; it lives
// until the thread's next call.
struct rte_flow *ddp_flow_create(const struct ddp_flow_config *config,
				 const struct rte_flow_attr *attr,
				 const struct rte_flow_item *pattern,
				 const struct rte_flow_action *actions,
				 struct rte_flow_error *error, int *ret);
// Of a rule that is in no list.
void ddp_flow_destroy(struct rte_flow *flow);
// The headers and values of the packets that the rule is for.
void ddp_flow_rule_get(const struct rte_flow *flow, struct ddp_flow *rule);
// As ddp_flow_rule_get(), but without values if the rule is in a list.
const struct ddp_flow *ddp_flow_rule(const struct rte_flow *flow);

// rule_list.c.
void ddp_flow_list_init(struct ddp_flow_list *list, const struct ddp_memory *memory);
// No thread may be using flows that were compiled of it.
void ddp_flow_list_fini(struct ddp_flow_list *list);
// Is there such a rule? It is not read: it may have been freed.
bool ddp_flow_list_has(const struct ddp_flow_list *list, const struct rte_flow *flow);

// Add a rule as the newest. It is in force after ddp_flow_list_commit(), and may then have put
// another out of force. *compile: what was compiled last lacks the rule's shape, or has one of
// which no rule is left. -EEXIST, -ENOSPC or -ENOMEM with error; the list is unchanged.
int ddp_flow_list_add(struct ddp_flow_list *list, struct rte_flow *flow, bool *compile,
		      struct rte_flow_error *error);
// Take the rule that was added last off again, instead of a commit, and free it.
void ddp_flow_list_take_back(struct ddp_flow_list *list, struct rte_flow *flow);
void ddp_flow_list_commit(struct ddp_flow_list *list, struct rte_flow *flow);
void ddp_flow_list_remove(struct ddp_flow_list *list, struct rte_flow *flow);
// Do path caches learn the rule's action? Otherwise they look it up for each packet. If they do,
// no packet may be classified while the rule comes or goes, and caches must be cleared.
bool ddp_flow_is_learned(const struct rte_flow *flow);
// Before ddp_flow_list_remove(): compile without this rule. Returns whether that gives something
// else than what was compiled last; else it is not to be compiled.
bool ddp_flow_leave(struct rte_flow *flow);
// Undo that.
void ddp_flow_stay(struct rte_flow *flow);
// Free what was removed. All packets that were looked at before have been done with since.
void ddp_flow_list_reclaim(struct ddp_flow_list *list);

// Compile the rules for a profile's program and a number of Rx queues. -EINVAL or
// -ENOMEM with the reason, which names the rule, in reason (NULL if size is 0).
int ddp_flow_list_compile(const struct ddp_flow_list *list, const struct ddp_profile *profile,
			  const struct ddp_program *program, unsigned int n_rxqs,
			  struct ddp_flows **flows, char *reason, size_t size);
// Can rules of this shape be compiled? 0, -EINVAL with the reason, or -ENOMEM: not known.
int ddp_flow_serve_check(const struct ddp_profile *profile, const struct ddp_program *program,
			 const struct ddp_flow_shape *shape, char *reason, size_t size);
// If a rule failed because of a header that is not parsed, append which profile parses it.
void ddp_flow_profile_suggest(const struct ddp_profile *profile, const struct ddp_flow *rule,
			      char *reason, size_t size);
void ddp_flows_destroy(struct ddp_flows *flows);
