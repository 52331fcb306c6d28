/* SPDX-License-Identifier: BSD-3-Clause */
// Where packets go: built aside, where it may fail, and exchanged without stopping anybody.
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

void ddp_rss_init(struct ddp_rss *rss) {
	memset(rss, 0, sizeof(*rss));
	memcpy(rss->key, ddp_default_key, sizeof(rss->key));
}

// RTE_PTYPE_* that mbufs get.
static uint32_t packet_type(const void *ctx, uint16_t type_id, uint32_t found) {
	const struct ddp_steering *steering = ctx;

	return ddp_mapping_apply(steering->mapping, type_id, found) & steering->ptype_mask;
}

// Is every packet classified, and are the same bytes of it hashed, as before? Then only the key or the
// redirection table changes.
static bool policy_stays(const struct ddp_steering *before, const struct ddp_steering *now) {
	return before->policy.program == now->policy.program && before->flows == now->flows &&
	       before->policy.rss == now->policy.rss &&
	       before->policy.rss_hf == now->policy.rss_hf && before->mapping == now->mapping &&
	       before->ptype_mask == now->ptype_mask;
}

// The objects of the old steering are still there, so no new one has the address of another.
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
	policy->rss = rss->enabled && rss->rss_hf != 0;
	policy->rss_hf = rss->rss_hf;
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
	steering->policy.id = policy_id(port->steering, steering);
	memcpy(steering->reta, rss->reta, sizeof(steering->reta));
	ddp_hash_init(&steering->hash, DDP_HASH_TOEPLITZ, rss->key);
	return steering;
}

// Its lock is held. Where nothing goes straight all Rx queues read from it.
static void lower_hw_ptypes_set(struct ddp_port *port, struct ddp_lower_rxq *lower,
				struct ddp_hw_ptypes *hw_ptypes) {
	bool bypasses = ddp_hw_ptypes_bypass(hw_ptypes) && lower->id < port->n_lower_rxqs;

	lower->hw_ptypes = hw_ptypes;
	port->rxqs[lower->id].last = NULL;
	__atomic_store_n(&port->rxqs[lower->id].own, bypasses ? lower : NULL, __ATOMIC_RELAXED);
}

// From here on nobody uses the old steering: no burst call had it outside a lock.
static void steering_exchange(struct ddp_port *port, struct ddp_steering *steering) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		lower->steering = steering;
		lower_hw_ptypes_set(port, lower, NULL);
		rte_spinlock_unlock(&lower->lock);
	}
	rte_free(port->steering);
	port->steering = steering;
	ddp_offload_watch(port);
	free(port->hw_ptypes);
	port->hw_ptypes = NULL;
}

// Packets that may wait on a lower queue; its lock is held. A driver does not count a burst that it took from the NIC
// and has not handed out yet, nor net_ddp one that it holds back.
static uint32_t lower_waiting(const struct ddp_port *port, uint16_t queue) {
	int n = rte_eth_rx_queue_count(port->lower.port_id, queue);

	return (n < 0 ? port->lower.n_rxd : n) + DDP_PORT_BURST;
}

void ddp_hw_ptypes_set(struct ddp_port *port, struct ddp_hw_ptypes *hw_ptypes, bool drain) {
	for (unsigned int i = 0; i < port->lower.n_rxq_max; i++) {
		struct ddp_lower_rxq *lower = &port->lower_rxqs[i];

		ddp_lower_rxq_lock(lower);
		lower_hw_ptypes_set(port, lower, hw_ptypes);
		// Nobody said yet what waits on its rings.
		for (unsigned int q = 0; hw_ptypes != NULL && q < port->n_rxqs; q++)
			__atomic_store_n(&port->rxqs[q].waiting, true, __ATOMIC_RELEASE);
		lower->drain = drain && i < port->lower.n_rxq ? lower_waiting(port, i) : 0;
		rte_spinlock_unlock(&lower->lock);
	}
	ddp_offload_watch(port);
	free(port->hw_ptypes);
	port->hw_ptypes = hw_ptypes;
}

static int change_apply(struct ddp_port *port, const struct ddp_change *change) {
	struct ddp_steering *steering = steering_build(port, change);

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

int ddp_steering_apply(struct ddp_port *port, const struct ddp_change *change) {
	int ret = change_apply(port, change);

	if (ret == 0)
		ddp_offload_renew(port);
	return ret;
}

int ddp_ptypes_set(struct ddp_port *port, uint32_t mask) {
	const struct ddp_change change = {.ptype_mask = mask};

	return ddp_steering_apply(port, &change);
}

static int rss_apply(struct ddp_port *port, const struct ddp_rss *rss) {
	const struct ddp_change change = {.rss = rss};
	int ret = ddp_steering_apply(port, &change);

	if (ret < 0)
		PORT_LOG(ERR, port->name, "RSS cannot be changed: out of memory");
	return ret;
}

static int key_set(const struct ddp_port *port, struct ddp_rss *rss,
		   const struct rte_eth_rss_conf *conf) {
	if (conf->rss_key_len != DDP_KEY_SIZE) {
		PORT_LOG(ERR, port->name, "an RSS key has %d bytes, not %u", DDP_KEY_SIZE,
			 conf->rss_key_len);
		return -EINVAL;
	}
	memcpy(rss->key, conf->rss_key, sizeof(rss->key));
	return 0;
}

// Who asks for everything on offer, as testpmd's "rss default" and many applications do, does not
// mean checksums: with these in the hash, each packet of a flow has another queue.
static uint64_t rss_hf_meant(const struct ddp_port *port, uint64_t rss_hf) {
	const uint64_t checksums = RTE_ETH_RSS_IPV4_CHKSUM | RTE_ETH_RSS_L4_CHKSUM;
	uint64_t offered = ddp_program_rss_hf(port->personality->program);

	if ((offered & ~checksums) != 0 && (rss_hf & offered) == offered)
		return rss_hf & ~checksums;
	return rss_hf;
}

int ddp_rss_configure(struct ddp_port *port) {
	const struct rte_eth_conf *conf = &port->data->dev_conf;
	const struct rte_eth_rss_conf *rss_conf = &conf->rx_adv_conf.rss_conf;
	uint16_t n_queues = port->data->nb_rx_queues;
	struct ddp_rss rss = port->rss;
	int ret = 0;

	rss.enabled = (conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) != 0;
	rss.rss_hf = rss_hf_meant(port, rss_conf->rss_hf);
	if (rss_conf->rss_key != NULL)
		ret = key_set(port, &rss, rss_conf);
	else
		memcpy(rss.key, ddp_default_key, sizeof(rss.key));
	if (ret < 0)
		return ret;
	if (rss.n_queues != n_queues)
		ddp_reta_fill(rss.reta, DDP_RETA_SIZE, RTE_MAX(n_queues, 1));
	rss.n_queues = n_queues;
	return rss_apply(port, &rss);
}

int ddp_rss_hash_update(struct ddp_port *port, const struct rte_eth_rss_conf *conf) {
	struct ddp_rss rss = port->rss;
	int ret = 0;

	rss.rss_hf = rss_hf_meant(port, conf->rss_hf);
	if (conf->rss_key != NULL)
		ret = key_set(port, &rss, conf);
	return ret < 0 ? ret : rss_apply(port, &rss);
}

void ddp_rss_hash_get(const struct ddp_port *port, struct rte_eth_rss_conf *conf) {
	conf->rss_hf = port->rss.enabled ? port->rss.rss_hf : 0;
	if (conf->rss_key != NULL)
		memcpy(conf->rss_key, port->rss.key, RTE_MIN(conf->rss_key_len, DDP_KEY_SIZE));
	conf->rss_key_len = DDP_KEY_SIZE;
}

static int reta_size_check(const struct ddp_port *port, uint16_t size) {
	if (size == DDP_RETA_SIZE)
		return 0;
	PORT_LOG(ERR, port->name, "the redirection table has %d entries, not %u", DDP_RETA_SIZE,
		 size);
	return -EINVAL;
}

// The group of 64 entries that entry i is in, and whether it is meant.
static bool reta_entry(struct rte_eth_rss_reta_entry64 *conf, unsigned int i, uint16_t **entry) {
	struct rte_eth_rss_reta_entry64 *group = &conf[i / RTE_ETH_RETA_GROUP_SIZE];

	*entry = &group->reta[i % RTE_ETH_RETA_GROUP_SIZE];
	return (group->mask >> (i % RTE_ETH_RETA_GROUP_SIZE)) & 1;
}

static int reta_set(const struct ddp_port *port, struct ddp_rss *rss,
		    struct rte_eth_rss_reta_entry64 *conf) {
	uint16_t *entry;

	for (unsigned int i = 0; i < DDP_RETA_SIZE; i++) {
		if (!reta_entry(conf, i, &entry))
			continue;
		if (*entry >= rss->n_queues) {
			PORT_LOG(ERR, port->name,
				 "entry %u of the redirection table: there is no Rx queue %u", i,
				 *entry);
			return -EINVAL;
		}
		rss->reta[i] = *entry;
	}
	return 0;
}

int ddp_rss_reta_update(struct ddp_port *port, struct rte_eth_rss_reta_entry64 *conf, uint16_t size) {
	struct ddp_rss rss = port->rss;
	int ret = reta_size_check(port, size);

	if (ret == 0)
		ret = reta_set(port, &rss, conf);
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
