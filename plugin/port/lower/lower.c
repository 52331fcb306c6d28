/* SPDX-License-Identifier: BSD-3-Clause */
// The lower port: configured, set up, started and stopped with our port.
#include "port/lower/lower.h"
#include "port/state/control.h"

#include <errno.h>
#include <string.h>

#include <rte_errno.h>

bool ddp_lower_can_hash(const struct ddp_port *port) {
	return port->offload.mode != DDP_OFFLOAD_OFF &&
	       (port->lower.info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0 &&
	       port->lower.info.hash_key_size > 0;
}

// Drivers that support segments without announcing SCATTER and MULTI_SEGS.
static bool takes_segments(const struct ddp_port *port) {
	return ddp_lower_is(port, "net_pcap") || ddp_lower_is(port, "net_ring") ||
	       ddp_lower_is(port, "net_null") || ddp_lower_is(port, "net_memif");
}

uint64_t ddp_lower_tx_capa(const struct ddp_port *port) {
	uint64_t capa = port->lower.info.tx_offload_capa;

	return takes_segments(port) ? capa | RTE_ETH_TX_OFFLOAD_MULTI_SEGS : capa;
}

static void conf_fill(struct rte_eth_conf *out, const struct ddp_port *port,
		      const struct rte_eth_conf *conf, uint16_t n_rxq) {
	const struct ddp_lower *lower = &port->lower;
	const bool hashes = ddp_lower_can_hash(port);
	// net_i40e accepts no types later if it is configured with none.
	uint64_t rss_hf =
		n_rxq > 1 || hashes ? lower->info.flow_type_rss_offloads & DDP_LOWER_SPREAD_HF : 0;

	memset(out, 0, sizeof(*out)); // including padding: it is compared by memcmp()
	out->link_speeds = conf->link_speeds;
	out->rxmode.mtu = conf->rxmode.mtu;
	out->rxmode.offloads =
		conf->rxmode.offloads & ~(RTE_ETH_RX_OFFLOAD_RSS_HASH | port->rx_checksums);
	if ((lower->info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) == 0)
		out->rxmode.offloads &= ~RTE_ETH_RX_OFFLOAD_SCATTER;
	out->txmode.offloads = conf->txmode.offloads & ~port->tx_checksums;
	if ((lower->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS) == 0)
		out->txmode.offloads &= ~RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	if (hashes)
		out->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	out->rxmode.mq_mode = rss_hf != 0 || hashes ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE;
	out->rx_adv_conf.rss_conf.rss_hf = rss_hf;
	out->intr_conf.lsc = conf->intr_conf.lsc;
	out->intr_conf.rmv = conf->intr_conf.rmv;
	out->intr_conf.rxq = conf->intr_conf.rxq;
}

static int conf_apply(struct ddp_port *port, const struct rte_eth_conf *conf, uint16_t n_rxq,
		      uint16_t n_txq) {
	struct ddp_lower *lower = &port->lower;
	int ret;

	assert(conf != &lower->conf);
	// On failure ethdev has released the queues: no configuration is applied then.
	lower->n_rxq = lower->n_txq = 0;
	lower->queues_ready = false;
	memset(&lower->conf, 0, sizeof(lower->conf));
	ret = DDP_LOWER_CALL(port, rte_eth_dev_configure(lower->port_id, n_rxq, n_txq, conf));
	if (ret < 0) {
		PORT_LOG(ERR, port->name,
			 "lower device %s cannot have %u Rx and %u Tx queues as configured: %s",
			 lower->name, n_rxq, n_txq, rte_strerror(-ret));
		return ret;
	}
	lower->n_rxq = n_rxq;
	lower->n_txq = n_txq;
	memcpy(&lower->conf, conf, sizeof(*conf));
	return 0;
}

// Does nothing if nothing changed: setting up the queues again would make net_pcap read its whole
// file again (infinite_rx) and lose what it has read.
int ddp_lower_configure(struct ddp_port *port, const struct rte_eth_conf *upper_conf) {
	struct ddp_lower *lower = &port->lower;
	uint16_t n_rxq = port->data->nb_rx_queues, n_txq;
	struct rte_eth_conf conf;

	if (n_rxq > 0 && (lower->n_rxq_fixed || n_rxq > lower->n_rxq_max))
		n_rxq = lower->n_rxq_max;
	// As many as Rx queues: some devices require that, and more would be of no use.
	n_txq = RTE_MIN(lower->info.max_tx_queues, RTE_MAX(n_rxq, 1));
	conf_fill(&conf, port, upper_conf, n_rxq);
	if (lower->n_rxq == n_rxq && lower->n_txq == n_txq &&
	    memcmp(&lower->conf, &conf, sizeof(conf)) == 0)
		return 0;
	return conf_apply(port, &conf, n_rxq, n_txq);
}

int ddp_lower_reset(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	uint16_t n_rxq = lower->n_rxq, n_txq = lower->n_txq;
	struct rte_eth_conf conf;
	int ret;

	assert(!lower->started);
	memcpy(&conf, &lower->conf, sizeof(conf));
	ret = DDP_LOWER_CALL(port, rte_eth_dev_reset(lower->port_id));
	if (ret == 0)
		return n_rxq > 0 ? conf_apply(port, &conf, n_rxq, n_txq) : 0;
	PORT_LOG(ERR, port->name, "lower device %s cannot be reset: %s", lower->name,
		 rte_strerror(-ret));
	if (ret != -ENOTSUP) // it may have forgotten its configuration
		lower->n_rxq = lower->n_txq = 0;
	return ret;
}

// An application that enables SCATTER may have mbufs smaller than packets.
static int scatter_check(const struct ddp_port *port, struct rte_mempool *pool) {
	const struct rte_eth_rxmode *mode = &port->data->dev_conf.rxmode;
	unsigned int room = pool == NULL ? 0 : rte_pktmbuf_data_room_size(pool);
	unsigned int packet = mode->mtu + RTE_ETHER_HDR_LEN;

	if ((mode->offloads & RTE_ETH_RX_OFFLOAD_SCATTER) == 0 || pool == NULL ||
	    takes_segments(port) ||
	    (port->lower.info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_SCATTER) != 0 ||
	    packet + RTE_PKTMBUF_HEADROOM <= room)
		return 0;
	PORT_LOG(ERR, port->name,
		 "lower device %s cannot scatter packets of %u bytes over mbufs of %u",
		 port->lower.name, packet, room);
	return -ENOTSUP;
}

// Each thread that polls an Rx queue takes mbufs for all of them, and frees mbufs of any. One that
// sends on a lower Tx queue makes it free mbufs that other threads sent there.
int ddp_lower_pool_check(const struct ddp_port *port, const struct rte_mempool *pool) {
	const char *ops = rte_mempool_get_ops(pool->ops_index)->name;
	const uint16_t n_rxq = port->data->nb_rx_queues, n_txq = port->data->nb_tx_queues;
	const bool single = (pool->flags & (RTE_MEMPOOL_F_SP_PUT | RTE_MEMPOOL_F_SC_GET)) != 0 ||
			    strcmp(ops, "ring_sp_sc") == 0 || strcmp(ops, "ring_sp_mc") == 0 ||
			    strcmp(ops, "ring_mp_sc") == 0;

	if ((n_rxq <= 1 && n_txq <= port->lower.n_txq) || !single)
		return 0;
	PORT_LOG(
		ERR, port->name,
		"mempool %s (%s) is for one thread, but those of %u Rx and %u Tx queues, over %u of "
		"the lower device, use it: give Rx queue 0 one for several threads (ring_mp_mc)",
		pool->name, ops, n_rxq, n_txq, port->lower.n_txq);
	return -EINVAL;
}

// again: the queues were set up before.
static int all_setup(struct ddp_port *port, bool again) {
	struct ddp_lower *lower = &port->lower;
	struct rte_eth_rxconf rxconf = lower->info.default_rxconf;
	struct rte_eth_txconf txconf = lower->info.default_txconf;
	int socket = rte_eth_dev_socket_id(lower->port_id), ret = 0;

	assert(lower->n_rxq <= lower->n_rxq_max);
	rxconf.offloads = lower->conf.rxmode.offloads;
	txconf.offloads = lower->conf.txmode.offloads;
	for (uint16_t i = 0; i < lower->n_rxq; i++) {
		ret = DDP_LOWER_CALL(port, rte_eth_rx_queue_setup(lower->port_id, i, lower->n_rxd,
								  socket, &rxconf, lower->pool));

		// net_pcap with infinite_rx reads its capture when a queue is set up, and cannot
		// read it again. By then it has taken the new mempool, and it goes on with the
		// packets that it has read.
		if (ret < 0 && !(again && ret == -ENOENT && ddp_lower_is(port, "net_pcap")))
			return ret;
	}
	ret = 0;
	for (uint16_t i = 0; ret >= 0 && i < lower->n_txq; i++)
		ret = DDP_LOWER_CALL(port, rte_eth_tx_queue_setup(lower->port_id, i, lower->n_txd,
								  socket, &txconf));
	return ret;
}

static int queues_setup(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	struct rte_mempool *pool = port->rxqs[0].pool;
	uint16_t n_rxd = port->n_rxqs > 0 ? port->rxqs[0].n_desc : DDP_PORT_DESC_DEFAULT;
	uint16_t n_txd = port->n_txqs > 0 ? port->txqs[0].n_desc : DDP_PORT_DESC_DEFAULT;
	bool again;
	int ret;

	ret = scatter_check(port, pool);
	if (ret == 0 && pool != NULL) // queue 0 may have been set up for fewer queues
		ret = ddp_lower_pool_check(port, pool);
	if (ret < 0)
		return ret;
	DDP_LOWER_CALL(port, rte_eth_dev_adjust_nb_rx_tx_desc(lower->port_id, &n_rxd, &n_txd));
	if (lower->queues_ready && lower->pool == pool && lower->n_rxd == n_rxd &&
	    lower->n_txd == n_txd)
		return 0;
	again = lower->pool != NULL;
	lower->queues_ready = false;
	lower->pool = pool;
	lower->n_rxd = n_rxd;
	lower->n_txd = n_txd;
	ret = all_setup(port, again);
	if (ret < 0) {
		PORT_LOG(ERR, port->name, "queues of lower device %s cannot be set up: %s",
			 lower->name, rte_strerror(-ret));
		return ret;
	}
	lower->queues_ready = true;
	return 0;
}

int ddp_lower_start(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	int ret = queues_setup(port);

	if (ret < 0)
		return ret;
	ret = DDP_LOWER_CALL(port, rte_eth_dev_start(lower->port_id));
	if (ret < 0) {
		PORT_LOG(ERR, port->name, "lower device %s cannot be started: %s", lower->name,
			 rte_strerror(-ret));
		return ret;
	}
	lower->started = !lower->gone;
	return 0;
}

void ddp_lower_stop(struct ddp_port *port) {
	struct ddp_lower *lower = &port->lower;
	int ret;

	if (!lower->started)
		return;
	ret = DDP_LOWER_CALL(port, rte_eth_dev_stop(lower->port_id));
	if (ret < 0 && !lower->gone)
		PORT_LOG(ERR, port->name, "lower device %s cannot be stopped: %s", lower->name,
			 rte_strerror(-ret));
	lower->started = false;
}
