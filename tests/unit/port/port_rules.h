/* SPDX-License-Identifier: BSD-3-Clause */
// Rules of rte_flow for tests: patterns that can be read, and what they did to a packet.
#ifndef DDP_TESTS_PORT_RULES_H
#define DDP_TESTS_PORT_RULES_H

#include "harness.h"
#include "rule_words.h"

#define N_QUEUES 4

#define VALUE(type, ...) (&(const struct rte_flow_item_##type){__VA_ARGS__})
#define SPEC(type, ...) .spec = VALUE(type, __VA_ARGS__)
#define MASK(type, ...) .mask = VALUE(type, __VA_ARGS__)

#define RSS_ACTIONS(rss) ACTIONS(ACTION(RSS, .conf = &(rss)))

// To queue n, 0 to N_QUEUES: the last one there is not.
extern const struct rte_flow_action_queue queue_of[N_QUEUES + 1];
#define TO_QUEUE(n) ACTION(QUEUE, .conf = &queue_of[n])

extern const struct rte_flow_attr ingress;
extern const struct rte_flow_item *const udp_items; // eth / ipv4 / udp
// These match packets of one flow only; they stay until the next call.
const struct rte_flow_item *items_of_flow(unsigned int flow);

// net_ddp0 over net_testsrc0; profile may be NULL. Of rules it has N_QUEUES.
uint16_t profile_start(const char *profile, uint16_t n_rxq);
uint16_t rules_start(const char *profile);

struct rte_flow *rule_create_at(uint16_t port, uint32_t priority, const struct rte_flow_item *items,
				const struct rte_flow_action *actions);
struct rte_flow *rule_create(uint16_t port, const struct rte_flow_item *items,
			     const struct rte_flow_action *actions);
void rule_destroy(uint16_t port, struct rte_flow *flow);
void rule_refused(uint16_t port, const struct rte_flow_attr *attr,
		  const struct rte_flow_item *items, const struct rte_flow_action *actions, int err,
		  const char *message);

#define DROPPED (-1)
struct seen {
	int queue; // or DROPPED
	uint64_t flags;
	uint32_t hash, mark;
};

struct seen seen_of(uint16_t port, struct rte_mbuf *mbuf);
struct seen seen_of_flow(uint16_t port, unsigned int flow);
uint32_t hash_by(unsigned int flow, const uint8_t *key);
uint32_t hash_of(unsigned int flow); // by the default key
bool is_by_hash(uint16_t port, unsigned int flow);

// The number of packet types with unexpected hashes, after a check as by the alarm.
unsigned int mismatched(uint16_t port_id);

#endif
