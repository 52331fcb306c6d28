/* SPDX-License-Identifier: BSD-3-Clause */
// Where packets go: built aside, where errors can occur, and exchanged under traffic.
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

// The RTE_PTYPE_* for mbufs.
static uint32_t packet_type(const void *ctx, uint16_t type_id, uint32_t found) {
	const struct ddp_steering *steering = ctx;

	uint32_t ptype = ddp_mapping_apply(steering->mapping, type_id, found);

	// With decap=on inner layers become outer ones before the mask applies.
	return steering->decap ? ptype : ptype & steering->ptype_mask;
}

// Are all packets classified as before, with the same bytes hashed? Then only the key or the
// redirection table changes.
static bool policy_stays(const struct ddp_steering *before, const struct ddp_steering *now) {
	return before->policy.program == now->policy.program && before->flows == now->flows &&
	       before->policy.rss == now->policy.rss &&
	       before->policy.rss_hf == now->policy.rss_hf &&
	       before->policy.function == now->policy.function && before->mapping == now->mapping &&
	       before->ptype_mask == now->ptype_mask;
}

// The objects of the old steering still exist, so no new object has the address of an old one.
static uint64_t policy_id(const struct ddp_steering *before, const struct ddp_steering *now) {
	static uint64_t last;

	if (before != NULL && policy_stays(before, now))
		return before->policy.id;
	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static void policy_build(struct ddp_policy *policy, const struct ddp_personality *personality,
			 const struct ddp_steering *steering, const struct ddp_rss *rss) {
	policy->program = personality->program;
	if (steering->flows != NULL) {
		policy->flows = steering->flows->set;
		policy->hashings = steering->flows->hashings;
	}
	policy->rss = rss->enabled && (rss->rss_hf & ~DDP_RSS_LEVELS) != 0;
	policy->rss_hf = rss->rss_hf;
	policy->function = rss->function;
	policy->packet_type = packet_type;
	policy->ctx = steering;
}

static struct ddp_steering *steering_build(const struct ddp_port *port,
					   const struct ddp_change *change) {
	const struct ddp_rss *rss = change->rss != NULL ? change->rss : &port->rss;
	struct ddp_steering *steering;

	steering = rte_zmalloc_socket("ddp_steering", sizeof(*steering), RTE_CACHE_LINE_SIZE,
				      port->data->numa_node);
	if (steering == NULL)
		return NULL;
	steering->flows = change->flows != NULL ? change->flows : port->flows;
	if (steering->flows != NULL && steering->flows->n == 0)
		steering->flows = NULL;
	steering->mapping = change->mapping != NULL ? change->mapping : port->mapping;
	steering->ptype_mask = change->ptype_mask != 0 ? change->ptype_mask : port->ptype_mask;
	policy_build(&steering->policy,
		     change->personality != NULL ? change->personality : port->personality,
		     steering, rss);
	steering->decap = port->decap;
	steering->policy.id = policy_id(port->steering, steering);
	memcpy(steering->reta, rss->reta, sizeof(steering->reta));
	ddp_hash_init(&steering->hash, DDP_HASH_TOEPLITZ, rss->key);
	return steering;
}

// After the loop no thread uses the old steering, because burst calls use it only under a lower
// queue's lock.
static void steering_exchange(struct ddp_port *port, struct ddp_steering *steering) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		lower->steering = steering;
		ddp_hw_ptypes_lower_set(port, lower, NULL);
		rte_spinlock_unlock(&lower->lock);
	}
	rte_free(port->steering);
	port->steering = steering;
	ddp_hw_ptypes_replace(port, NULL);
}

int ddp_steering_apply(struct ddp_port *port, const struct ddp_change *change) {
	struct ddp_steering *steering = steering_build(port, change);

	assert(change->personality == NULL || change->personality != port->personality);
	if (steering == NULL)
		return -ENOMEM;
	steering_exchange(port, steering);
	port->ptype_mask = steering->ptype_mask;
	if (change->rss != NULL)
		port->rss = *change->rss;
	if (change->personality != NULL) {
		ddp_personality_destroy(port->personality);
		port->personality = change->personality;
	}
	if (change->flows != NULL) {
		ddp_flows_destroy(port->flows);
		port->flows = change->flows;
	}
	if (change->mapping != NULL) {
		free(port->mapping);
		port->mapping = change->mapping;
	}
	return 0;
}
