/* SPDX-License-Identifier: BSD-3-Clause */
// The steering of packets, built before it is exchanged: errors change nothing; and its RSS.
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/run/order.h"

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

// After the loop no thread uses the old steering: burst calls do so under a lower queue's lock.
static void steering_exchange(struct ddp_port *port, struct ddp_steering *steering,
			      unsigned int wait_us) {
	const struct ddp_steering *before = port->steering;
	// A flow may go to another queue, and not only because its entry of the table changed.
	const bool all =
		before != NULL && (!hashing_stays(before, steering) ||
				   memcmp(before->hash.key, steering->hash.key, DDP_KEY_SIZE) != 0);
	const bool entries = before != NULL && !all &&
			     memcmp(before->reta, steering->reta, sizeof(before->reta)) != 0;

	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		assert(lower->steering == before);
		if (all)
			ddp_order_change_all(lower);
		if (entries)
			ddp_order_change_entries(lower, before->reta, steering->reta,
						 wait_us != 0 ? wait_us : DDP_ORDER_WAIT_US,
						 wait_us != 0);
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
	steering_exchange(port, steering, change->wait_us);
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

// All lower queues see rules and new id at once: else a packet would not wait for older ones.
void ddp_steering_relearn_begin(struct ddp_port *port) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		ddp_lower_rxq_lock(&port->lower_rxqs[i]);
		ddp_order_change_all(&port->lower_rxqs[i]);
	}
}

void ddp_steering_relearn_end(struct ddp_port *port) {
	// Release: a thread that reads the new id sees the present rules.
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

/* RSS as the application configures it: hash fields, key and redirection table */

static int rss_apply(struct ddp_port *port, const struct ddp_rss *rss) {
	const struct ddp_change change = {.rss = rss};
	int ret = ddp_change_apply(port, &change);

	assert(rss->n_queues <= DDP_PORT_QUEUES);
	if (ret < 0)
		PORT_LOG(ERR, port->name, "RSS cannot be changed: out of memory");
	return ret;
}

bool ddp_rss_emulates(const struct ddp_port *port) {
	const struct ddp_profile *profile = port->personality->profile;

	return profile->by_rss_hf && (profile->modelled || profile->n_parts > 1); // one: base
}

// The key and the hash function stay if conf names none.
static int conf_apply(struct ddp_port *port, struct ddp_rss *rss,
		      const struct rte_eth_rss_conf *conf) {
	const uint64_t checksums = RTE_ETH_RSS_IPV4_CHKSUM | RTE_ETH_RSS_L4_CHKSUM;
	const uint64_t offered = ddp_program_rss_hf(port->personality->program);
	enum rte_eth_hash_function function = DPDK_RSS_FUNCTION(conf);

	rss->rss_hf = conf->rss_hf;
	// An application that enables all RSS types on offer, as testpmd's "rss default" does, does
	// not intend checksums: they would spread the packets of one flow over all queues.
	if ((offered & ~checksums) != 0 && (rss->rss_hf & offered) == offered)
		rss->rss_hf &= ~checksums;
	if (conf->rss_key != NULL && ddp_key_read(rss->key, conf->rss_key, conf->rss_key_len) < 0)
		return PORT_FAIL(port->name, -EINVAL, "an RSS key has %d or %d bytes, not %u",
				 DDP_KEY_SHORT, DDP_KEY_SIZE, conf->rss_key_len);
	if (function != RTE_ETH_HASH_FUNCTION_DEFAULT &&
	    ddp_flow_function_read(function, &rss->function) < 0)
		return PORT_FAIL(port->name, -EINVAL, "there is no RSS hash function %d",
				 (int)function);
	return rss_apply(port, rss);
}

int ddp_rss_configure(struct ddp_port *port) {
	const struct rte_eth_conf *conf = &port->data->dev_conf;
	uint16_t n_queues = port->data->nb_rx_queues;
	struct ddp_rss rss = port->rss;

	rss.enabled = (conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) != 0;
	rss.function = DDP_HASH_TOEPLITZ;
	memcpy(rss.key, ddp_default_key, sizeof(rss.key));
	if (rss.n_queues != n_queues)
		ddp_reta_fill(rss.reta, DDP_RETA_SIZE, RTE_MAX(n_queues, 1));
	rss.n_queues = n_queues;
	return conf_apply(port, &rss, &conf->rx_adv_conf.rss_conf);
}

// Applications that change rss_hf alone, as testpmd, do not want to lose a symmetric hash.
int ddp_rss_hash_update(struct ddp_port *port, const struct rte_eth_rss_conf *conf) {
	struct ddp_rss rss = port->rss;

	return conf_apply(port, &rss, conf);
}

void ddp_rss_hash_get(const struct ddp_port *port, struct rte_eth_rss_conf *conf) {
	conf->rss_hf = port->rss.enabled ? port->rss.rss_hf : 0;
	if (conf->rss_key != NULL)
		memcpy(conf->rss_key, port->rss.key, RTE_MIN(conf->rss_key_len, DDP_KEY_SIZE));
	conf->rss_key_len = port->rss_key_size;
	DPDK_RSS_FUNCTION_SET(conf, ddp_flow_function(port->rss.function));
}

static int reta_size_check(const struct ddp_port *port, uint16_t size) {
	if (size == DDP_RETA_SIZE)
		return 0;
	return PORT_FAIL(port->name, -EINVAL, "the redirection table has %d entries, not %u",
			 DDP_RETA_SIZE, size);
}

static bool reta_entry(struct rte_eth_rss_reta_entry64 *conf, unsigned int i, uint16_t **entry) {
	struct rte_eth_rss_reta_entry64 *group = &conf[i / RTE_ETH_RETA_GROUP_SIZE];

	*entry = &group->reta[i % RTE_ETH_RETA_GROUP_SIZE];
	return (group->mask >> (i % RTE_ETH_RETA_GROUP_SIZE)) & 1;
}

int ddp_rss_reta_update(struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
			uint16_t size) {
	struct ddp_rss rss = port->rss;
	int ret = reta_size_check(port, size);
	uint16_t *entry;

	for (unsigned int i = 0; ret == 0 && i < DDP_RETA_SIZE; i++) {
		if (!reta_entry(conf, i, &entry))
			continue;
		if (*entry >= rss.n_queues) {
			PORT_LOG(ERR, port->name,
				 "entry %u of the redirection table: there is no Rx queue %u", i,
				 *entry);
			ret = -EINVAL;
		}
		rss.reta[i] = *entry;
	}
	return ret < 0 ? ret : rss_apply(port, &rss);
}

int ddp_rss_reta_query(const struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf,
		       uint16_t size) {
	int ret = reta_size_check(port, size);
	uint16_t *entry;

	for (unsigned int i = 0; ret == 0 && i < DDP_RETA_SIZE; i++)
		if (reta_entry(conf, i, &entry))
			*entry = port->rss.reta[i];
	return ret;
}
