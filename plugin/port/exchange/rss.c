/* SPDX-License-Identifier: BSD-3-Clause */
// RSS as the application configures it: hash fields, key and redirection table.
#include "port/exchange/exchange.h"

#include <errno.h>
#include <string.h>

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

// An application that enables all RSS types on offer, as testpmd's "rss default" does, does not
// intend checksums: they would spread the packets of one flow over all queues.
static uint64_t rss_hf_meant(const struct ddp_port *port, uint64_t rss_hf) {
	const uint64_t checksums = RTE_ETH_RSS_IPV4_CHKSUM | RTE_ETH_RSS_L4_CHKSUM;
	uint64_t offered = ddp_program_rss_hf(port->personality->program);

	if ((offered & ~checksums) != 0 && (rss_hf & offered) == offered)
		return rss_hf & ~checksums;
	return rss_hf;
}

// The key and the hash function stay if conf names none.
static int conf_apply(struct ddp_port *port, struct ddp_rss *rss,
		      const struct rte_eth_rss_conf *conf) {
	enum rte_eth_hash_function function = DPDK_RSS_FUNCTION(conf);

	rss->rss_hf = rss_hf_meant(port, conf->rss_hf);
	if (conf->rss_key != NULL && ddp_key_read(rss->key, conf->rss_key, conf->rss_key_len) < 0) {
		PORT_LOG(ERR, port->name, "an RSS key has %d or %d bytes, not %u", DDP_KEY_SHORT,
			 DDP_KEY_SIZE, conf->rss_key_len);
		return -EINVAL;
	}
	if (function != RTE_ETH_HASH_FUNCTION_DEFAULT &&
	    ddp_flow_function_read(function, &rss->function) < 0) {
		PORT_LOG(ERR, port->name, "there is no RSS hash function %d", (int)function);
		return -EINVAL;
	}
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

// An application that changes rss_hf alone, such as testpmd's "port config all rss", does not
// intend to lose a symmetric hash.
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
	PORT_LOG(ERR, port->name, "the redirection table has %d entries, not %u", DDP_RETA_SIZE,
		 size);
	return -EINVAL;
}

// Find entry i. Returns whether its mask bit is set.
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
