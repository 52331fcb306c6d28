/* SPDX-License-Identifier: BSD-3-Clause */
// Exchanged under traffic: profiles, mappings, flow rules, RSS, and the steering made of them.
#pragma once

#include "port/state/port.h"

// A change of parts of the steering. NULL: unchanged.
struct ddp_change {
	struct ddp_personality *personality;
	struct ddp_mapping *mapping;
	const struct ddp_rss *rss;
	struct ddp_flows *flows;
	uint32_t ptype_mask; // 0: unchanged
	// us: moves of entries of a new redirection table are given up then; 0: they are final.
	unsigned int wait_us;
};

// Below, "under the port's mutex" means for functions that change anything: within a change.

// port_personality.c: all under the port's mutex (except while the port is set up). The first
// personality, from a specification (NULL: none). -errno (logged).
int ddp_personality_init(struct ddp_port *port, const char *spec);
// Forget the ids of packet types from n on, which must not have been used.
void ddp_types_forget(struct ddp_port *port, unsigned int n);
// Change the personality under traffic, or fail with one line in error and leave everything as it
// was. They return what the public functions of rte_pmd_ddp.h document.
typedef int ddp_personality_change_fn(struct ddp_port *port, const struct ddp_source *source,
				      char *error);
ddp_personality_change_fn ddp_personality_add;
ddp_personality_change_fn ddp_personality_set; // source->spec NULL: no profile
ddp_personality_change_fn ddp_personality_del; // source->spec: a name, or as it was given
// UDP ports of tunnels, in addition to those in the profiles; errors are logged. Declared ports
// remain when a profile is deleted. -ENOTSUP: no profile has this tunnel; -EEXIST: the port is
// declared for some tunnel; -EINVAL: a profile uses the port for another header; -ENOSPC.
int ddp_tunnel_add(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);
// -ENOENT: it was not declared.
int ddp_tunnel_del(struct ddp_port *port, const struct rte_eth_udp_tunnel *tunnel);

// RTE_PTYPE_* that mbufs of a type of the current personality get.
uint32_t ddp_mapping_of(const struct ddp_port *port, const struct ddp_type_info *type);
// As documented in rte_pmd_ddp.h.
int ddp_mapping_update(struct ddp_port *port, const struct rte_pmd_ddp_ptype_mapping *items,
		       unsigned int n, bool exclusive);
int ddp_mapping_replace(struct ddp_port *port, uint32_t target, bool mask, uint32_t rte_ptype);
int ddp_mapping_reset(struct ddp_port *port);
// Let mbufs have only these layers of packet types. -ENOMEM leaves everything as it was.
int ddp_ptypes_set(struct ddp_port *port, uint32_t mask);

// steering.c: under the port's mutex (except while the port is set up). Build the steering and
// exchange it under traffic, in one step; the replaced objects are freed. Then let the lower device
// follow. The port owns what the change refers to, except rss, which is copied. -ENOMEM: all is as
// it was.
int ddp_change_apply(struct ddp_port *port, const struct ddp_change *change);

// Between these two, rules come or go that path caches learn, and no packet is classified. After it
// the path caches learn again, and packets wait for the older ones of their flow.
void ddp_steering_relearn_begin(struct ddp_port *port);
void ddp_steering_relearn_end(struct ddp_port *port);
// Wait until no burst call uses entries that were removed from the rules' tables before.
void ddp_steering_wait(struct ddp_port *port);

// RSS; errors are logged.
int ddp_rss_configure(struct ddp_port *port);
int ddp_rss_hash_update(struct ddp_port *port, const struct rte_eth_rss_conf *conf);
// Does the personality resemble an 800-series NIC, in the fields that rss_hf chooses too?
bool ddp_rss_emulates(const struct ddp_port *port);
void ddp_rss_hash_get(const struct ddp_port *port, struct rte_eth_rss_conf *conf);
int ddp_rss_reta_update(struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
			uint16_t size);
int ddp_rss_reta_query(const struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
		       uint16_t size);

// port_flow.c: under the port's mutex. Compile the port's rules for a personality and a number of
// Rx queues (DDP_PORT_QUEUES: unchanged). -EINVAL or -ENOMEM with the reason, which names the rule,
// in reason (may be NULL if its size is 0).
int ddp_flows_compile(const struct ddp_port *port, const struct ddp_personality *personality,
		      uint16_t n_rxqs, struct ddp_flows **flows, char *reason, size_t reason_size);
// The hash function for packets that no rule with a pattern matches.
enum ddp_hash_function ddp_flows_function(const struct ddp_port *port);
// Name in error the rules that cannot be compiled for a personality. Returns how many, or -ENOMEM.
int ddp_flows_unserved(const struct ddp_port *port, const struct ddp_personality *personality,
		       char *error);
extern const struct rte_flow_ops ddp_flow_ops;

// port_balance.c

// Read "off", "on" or a number of milliseconds. -EINVAL: it is none of these.
int ddp_balance_ms_read(const char *text, unsigned int *ms);
// Under the port's mutex, within a change. ms: 0 turns it off. -EINVAL, -ENOMEM: logged.
int ddp_balance_set(struct ddp_port *port, unsigned int ms);
struct ddp_balancer_queue ddp_balance_queue_read(const struct ddp_rxq *queue, unsigned int id);
