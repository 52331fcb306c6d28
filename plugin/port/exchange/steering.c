/* SPDX-License-Identifier: BSD-3-Clause */
// The steering of packets: built aside, where errors can occur, and exchanged under traffic.
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

// Are packets classified as before, with the same bytes hashed?
static bool hashing_stays(const struct ddp_steering *before, const struct ddp_steering *now) {
	return before->policy.program == now->policy.program && before->flows == now->flows &&
	       before->policy.rss == now->policy.rss &&
	       before->policy.rss_hf == now->policy.rss_hf &&
	       before->policy.function == now->policy.function;
}

static uint64_t policy_id_new(void) {
	static uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static struct ddp_steering *steering_build(const struct ddp_port *port,
					   const struct ddp_change *change,
					   const struct ddp_program *program) {
	const struct ddp_rss *rss = change->rss != NULL ? change->rss : &port->rss;
	const struct ddp_steering *before = port->steering;
	struct ddp_steering *steering;
	struct ddp_policy *policy;

	steering = rte_zmalloc_socket("ddp_steering", sizeof(*steering), RTE_CACHE_LINE_SIZE,
				      port->data->numa_node);
	if (steering == NULL)
		return NULL;
	steering->flows = change->flows != NULL ? change->flows : port->flows;
	if (steering->flows != NULL && steering->flows->n == 0)
		steering->flows = NULL;
	steering->mapping = change->mapping != NULL ? change->mapping : port->mapping;
	steering->ptype_mask = change->ptype_mask != 0 ? change->ptype_mask : port->ptype_mask;
	policy = &steering->policy;
	policy->program = program;
	if (steering->flows != NULL)
		policy->flows = steering->flows->set;
	policy->rss = rss->enabled && (rss->rss_hf & ~DDP_RSS_LEVELS) != 0;
	policy->rss_hf = rss->rss_hf;
	policy->function = rss->function;
	if (steering->mapping != NULL) {
		policy->ptypes = steering->mapping->ptypes;
		policy->n_ptypes = steering->mapping->n;
	}
	// With decap=on inner layers become outer ones before the mask applies.
	policy->ptype_hidden = port->decap ? 0 : ~steering->ptype_mask;
	// The objects of the old steering still exist, so no new object has the address of an old
	// one. The id stays if only the key or the redirection table changes.
	policy->id = before != NULL && hashing_stays(before, steering) &&
				     before->mapping == steering->mapping &&
				     before->ptype_mask == steering->ptype_mask ?
			     before->policy.id :
			     policy_id_new();
	memcpy(steering->reta, rss->reta, sizeof(steering->reta));
	ddp_hash_init(&steering->hash, DDP_HASH_TOEPLITZ, rss->key);
	return steering;
}

// The lower queue's lock is held.
static void order_keep(struct ddp_lower_rxq *lower, const struct ddp_steering *before,
		       const struct ddp_steering *now, unsigned int patience_us) {
	if (before == NULL || before == now)
		return;
	// A flow may go to another queue, and not only because its entry of the table changed.
	if (!hashing_stays(before, now) ||
	    memcmp(before->hash.key, now->hash.key, sizeof(now->hash.key)) != 0)
		ddp_order_change_all(lower);
	else if (memcmp(before->reta, now->reta, sizeof(now->reta)) != 0)
		ddp_order_change_entries(lower, before->reta, now->reta,
					 patience_us != 0 ? patience_us : DDP_ORDER_WAIT_US,
					 patience_us != 0);
}

// After the loop no thread uses the old steering, because burst calls use it only under a lower
// queue's lock.
static void steering_exchange(struct ddp_port *port, struct ddp_steering *steering,
			      unsigned int patience_us) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		order_keep(lower, lower->steering, steering, patience_us);
		lower->steering = steering;
		ddp_hw_ptypes_lower_set(port, lower, NULL);
		ddp_unlock(&lower->lock);
	}
	rte_free(port->steering);
	port->steering = steering;
	ddp_hw_ptypes_replace(port, NULL);
	ddp_rx_intr_wake_all(port); // packets may wait for these queues to be polled
}

// Packages run by functions that only the primary process has at this address. After this call no
// burst call of a secondary process is in the port, nor can one begin.
static void mp_receives_set(struct ddp_port *port, bool receives) {
	__atomic_store_n(&port->mp_receives, receives, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; !receives && i < DDP_PORT_QUEUES; i++)
		ddp_call_wait(port, &port->rxqs[i].mp);
}

int ddp_change_apply(struct ddp_port *port, const struct ddp_change *change) {
	const struct ddp_personality *personality =
		change->personality != NULL ? change->personality : port->personality;
	struct ddp_steering *steering = steering_build(port, change, personality->program);

	assert(change->personality == NULL || change->personality != port->personality);
	if (steering == NULL)
		return -ENOMEM;
	if (personality->package != NULL)
		mp_receives_set(port, false);
	steering_exchange(port, steering, change->patience_us);
	if (personality->package == NULL)
		mp_receives_set(port, true);
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
		rte_free(port->mapping);
		port->mapping = change->mapping;
	}
	ddp_offload_renew(port);
	return 0;
}

// All lower queues see the rules and the new id from the same moment on. A packet that saw a rule
// before would not wait for older ones of its flow.
void ddp_steering_relearn_begin(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
		ddp_order_change_all(&port->lower_rxqs[i]);
	}
}

void ddp_steering_relearn_end(struct ddp_port *port) {
	// Release: who reads the new id sees the rules as they are now.
	__atomic_store_n(&port->steering->policy.id, policy_id_new(), __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++)
		ddp_unlock(&port->lower_rxqs[i].lock);
	ddp_rx_intr_wake_all(port);
}

void ddp_steering_wait(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
		ddp_unlock(&port->lower_rxqs[i].lock);
	}
}
