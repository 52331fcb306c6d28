/* SPDX-License-Identifier: BSD-3-Clause */
// The port's ethdev operations. Each reads, with the port's mutex held, or is a change.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/run/extras.h"
#include "port/run/run.h"
#include "port/start/start.h"
#include "port/state/control.h"

#include <stdlib.h>

#include <rte_interrupts.h>
#include <rte_malloc.h>

#define REMOVE_WAIT_S 2 // s: wait for burst calls when the port is removed

// Rx offloads of the lower device that do not alter hashed bytes: others are not offered.
#define RX_OFFLOADS_PASSED                                                          \
	(RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM |             \
	 RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_SCTP_CKSUM |             \
	 RTE_ETH_RX_OFFLOAD_OUTER_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_OUTER_UDP_CKSUM | \
	 RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_TIMESTAMP |                \
	 RTE_ETH_RX_OFFLOAD_VLAN_FILTER)

// Tx offloads of the lower device that our port cannot offer: FAST_FREE and LOCKFREE because our
// queues, each with mbufs of any pool, share its queues; the others need its port id.
#define TX_OFFLOADS_KEPT                                                      \
	(RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE | RTE_ETH_TX_OFFLOAD_MT_LOCKFREE | \
	 RTE_ETH_TX_OFFLOAD_SECURITY | RTE_ETH_TX_OFFLOAD_MACSEC_INSERT)

// RSS types on offer if the profile, not rss_hf, selects the fields: any of them enables RSS.
#define RSS_HF_USUAL (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP)

// A packet type has a value in each layer, RTE_PTYPE_L2_MASK to RTE_PTYPE_INNER_L4_MASK.
#define PTYPE_LAYERS 7
#define PTYPE_LAYER_BITS 4
#define PTYPE_LAYER_MAX 15U

static_assert(DDP_PTYPES_MAX == PTYPE_LAYERS * PTYPE_LAYER_MAX + 1, "all values fit the list");

static_assert(RTE_PTYPE_INNER_L4_MASK == PTYPE_LAYER_MAX << (PTYPE_LAYERS - 1) * PTYPE_LAYER_BITS,
	      "the last layer is the inner L4");

// Call a function of ethdev for the lower port.
#define LOWER(function, ...) DDP_LOWER_CALL(port, function(port->lower.port_id, ##__VA_ARGS__))

static struct rte_eth_desc_lim desc_lim(const struct rte_eth_desc_lim *lower) {
	return (struct rte_eth_desc_lim){
		.nb_max = DDP_PORT_DESC_MAX,
		.nb_min = 1,
		.nb_align = 1,
		.nb_seg_max = lower->nb_seg_max,
		.nb_mtu_seg_max = lower->nb_mtu_seg_max,
	};
}

static int info_fill(const struct ddp_port *port, struct rte_eth_dev_info *info) {
	const struct rte_eth_dev_portconf defaults = {
		.burst_size = DDP_PORT_BURST,
		.ring_size = DDP_PORT_DESC_DEFAULT,
		.nb_queues = 1,
	};
	const struct rte_eth_dev_info *lower = &port->lower.info;
	const struct ddp_personality *personality = port->personality;

	info->if_index = lower->if_index;
	info->min_mtu = lower->min_mtu;
	info->max_mtu = lower->max_mtu;
	info->min_rx_bufsize = lower->min_rx_bufsize;
	info->max_rx_pktlen = lower->max_rx_pktlen;
	info->max_rx_queues = DDP_PORT_QUEUES;
	info->max_tx_queues = lower->max_tx_queues > 0 ? DDP_PORT_QUEUES : 0;
	info->max_mac_addrs = ddp_lower_n_macs(port);
	info->rx_offload_capa = (lower->rx_offload_capa & RX_OFFLOADS_PASSED) | DDP_RX_CHECKSUMS |
				RTE_ETH_RX_OFFLOAD_RSS_HASH | RTE_ETH_RX_OFFLOAD_SCATTER;
	info->tx_offload_capa = ddp_lower_tx_capa(port) & ~TX_OFFLOADS_KEPT;
	if (info->max_tx_queues > 0)
		info->tx_offload_capa |= DDP_TX_CHECKSUMS;
	info->reta_size = DDP_RETA_SIZE;
	info->hash_key_size = port->rss_key_size;
	info->flow_type_rss_offloads = ddp_program_rss_hf(personality->program);
	if (!ddp_rss_emulates(port))
		info->flow_type_rss_offloads |= RTE_ETH_RSS_LEVEL_MASK;
	if (!ddp_rss_emulates(port) && !personality->profile->by_rss_hf)
		info->flow_type_rss_offloads |= RSS_HF_USUAL;
	for (int i = DDP_HASH_TOEPLITZ; i <= DDP_HASH_SIMPLE_XOR; i++)
		DPDK_RSS_FUNCTION_OFFER(info, ddp_flow_function(i));
	info->rx_desc_lim = desc_lim(&lower->rx_desc_lim);
	info->tx_desc_lim = desc_lim(&lower->tx_desc_lim);
	info->speed_capa = lower->speed_capa;
	info->dev_capa = RTE_ETH_DEV_CAPA_FLOW_RULE_KEEP;
	info->default_rxportconf = defaults;
	info->default_txportconf = defaults;
	return 0;
}

// The profiles are our firmware.
static int version_print(const struct ddp_port *port, char *version, size_t size) {
	const struct ddp_profile *profile = port->personality->profile;
	size_t len = 0;

	for (unsigned int i = 0; i < profile->n_parts; i++) {
		const struct ddp_profile_part *part = &profile->parts[i];
		bool room = len < size;

		if (part->named)
			len += snprintf(room ? version + len : NULL, room ? size - len : 0,
					"%s%s %s", len > 0 ? "+" : "", part->name,
					part->version != NULL ? part->version : "?");
	}
	return len < size ? 0 : (int)len + 1;
}

// Refuse options without effect, which an application would not notice.
static int conf_check(const struct ddp_port *port) {
	const struct rte_eth_conf *conf = &port->data->dev_conf;
	const struct rte_eth_txmode *tx = &conf->txmode;
	const char *refused = NULL;

	if ((conf->rxmode.mq_mode & ~RTE_ETH_MQ_RX_RSS_FLAG) != 0 ||
	    tx->mq_mode != RTE_ETH_MQ_TX_NONE || conf->dcb_capability_en != 0)
		refused = "RSS is the only multi-queue mode supported (no DCB, no VMDq)";
	else if (conf->lpbk_mode != 0)
		refused = "loopback modes are not supported";
	else if (tx->pvid != 0 || tx->hw_vlan_reject_tagged || tx->hw_vlan_reject_untagged ||
		 tx->hw_vlan_insert_pvid)
		refused = "VLAN tags are not inserted or rejected by port";
	if (refused == NULL)
		return 0;
	return PORT_FAIL(port->name, -ENOTSUP, "%s", refused);
}

static int flows_check(const struct ddp_port *port) {
	struct ddp_flows *flows;
	char reason[200];
	int ret = ddp_flows_compile(port, port->personality, port->data->nb_rx_queues, &flows,
				    reason, sizeof(reason));

	if (ret == 0)
		ddp_flows_destroy(flows);
	else
		PORT_LOG(ERR, port->name, "%u Rx queues: %s", port->data->nb_rx_queues, reason);
	return ret;
}

static int port_configure(struct ddp_port *port) {
	struct rte_eth_conf *conf = &port->data->dev_conf;
	const uint64_t rx_checksums = conf->rxmode.offloads & DDP_RX_CHECKSUMS;
	const uint64_t tx_checksums = conf->txmode.offloads & DDP_TX_CHECKSUMS;
	int ret;

	if (port->lower.gone)
		return -ENODEV;
	// Software verifies all checksums unless the lower device can verify each one that was
	// enabled: one packet has the flags of one of the two. When sending, each does its part.
	port->rx_checksums = 0;
	if (port->decap || (rx_checksums & ~port->lower.info.rx_offload_capa) != 0)
		port->rx_checksums = rx_checksums;
	port->tx_checksums = tx_checksums & ~port->lower.info.tx_offload_capa;
	port->rx_extras = port->decap || port->rx_checksums != 0;
	ret = conf_check(port);
	if (ret == 0 && conf->intr_conf.rxq)
		ret = ddp_rx_intr_check(port);
	if (ret == 0)
		ret = flows_check(port);
	if (ret == 0)
		ret = ddp_lower_configure(port, conf);
	if (ret == 0)
		ret = ddp_rss_configure(port);
	if (ret < 0)
		return ret;
	if (conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG)
		conf->rxmode.offloads |= RTE_ETH_RX_OFFLOAD_RSS_HASH;
	// Now the lower device has it. If the bit stayed here, ethdev would use the state of the
	// last interrupt, which some drivers do not send at each change.
	conf->intr_conf.lsc = 0;
	return 0;
}

static int rxq_setup(struct ddp_port *port, uint16_t id, uint16_t n_desc,
		     const struct rte_eth_rxconf *conf, struct rte_mempool *pool) {
	int ret = id == 0 ? ddp_lower_pool_check(port, pool) : 0;

	if (ret < 0)
		return ret;
	port->rxqs[id].n_desc = n_desc;
	port->rxqs[id].pool = pool;
	port->rxqs[id].deferred = conf->rx_deferred_start;
	port->data->rx_queues[id] = &port->rxqs[id];
	return 0;
}

static int txq_setup(struct ddp_port *port, uint16_t id, uint16_t n_desc,
		     const struct rte_eth_txconf *conf) {
	port->txqs[id].n_desc = n_desc;
	port->txqs[id].deferred = conf->tx_deferred_start;
	port->data->tx_queues[id] = &port->txqs[id];
	return 0;
}

static int port_start(struct ddp_port *port) {
	struct rte_ether_addr *mac = &port->data->mac_addrs[0];
	int ret = ddp_port_start(port);

	if (ret == 0 && rte_is_zero_ether_addr(mac)) // bonding has none before it is started
		LOWER(rte_eth_macaddr_get, mac);
	return ret;
}

// Not of a port that is being closed: ethdev would mark its id as one with a removed device.
static int is_removed(struct rte_eth_dev *dev) {
	return DDP_PORT_READ(ddp_port_id(dev), port,
			     ddp_lower_is_unplugged(port) || LOWER(rte_eth_dev_is_removed)) > 0;
}

// All zero if the lower device has no link to report.
static int link_set(struct rte_eth_dev *dev, struct ddp_port *port, bool wait) {
	struct rte_eth_link link = {0};

	if ((wait ? LOWER(rte_eth_link_get, &link) : LOWER(rte_eth_link_get_nowait, &link)) < 0)
		memset(&link, 0, sizeof(link));
	return rte_eth_linkstatus_set(dev, &link);
}

// A device without this operation (capture, ring) delivers all packets.
static int enabled_anyway(int ret) {
	return ret == -ENOTSUP ? 0 : ret;
}

// A promiscuous lower port receives packets for all MAC addresses.
static int received_anyway(const struct ddp_port *port, int ret) {
	return rte_eth_promiscuous_get(port->lower.port_id) == 1 ? enabled_anyway(ret) : ret;
}

static int lower_mtu_set(struct ddp_port *port, uint16_t mtu) {
	int ret = LOWER(rte_eth_dev_set_mtu, mtu);

	// Without a limit on packets (net_pcap, net_ring, ...) there is nothing to set.
	if (ret == -ENOTSUP && port->lower.info.max_rx_pktlen == UINT32_MAX)
		ret = 0;
	if (ret == 0)
		port->lower.conf.rxmode.mtu = mtu;
	return ret;
}

static int lower_mac_set(struct ddp_port *port, struct rte_ether_addr *addr) {
	struct rte_ether_addr now;

	if (port->lower.gone)
		return -ENODEV;
	// ethdev calls this at each start, also for devices without the operation
	if (rte_eth_macaddr_get(port->lower.port_id, &now) == 0 &&
	    rte_is_same_ether_addr(&now, addr))
		return 0;
	return received_anyway(port, LOWER(rte_eth_dev_default_mac_addr_set, addr));
}

static void mac_addr_remove(struct rte_eth_dev *dev, uint32_t index) {
	DDP_PORT_CHANGE(ddp_port_id(dev), port,
			LOWER(rte_eth_dev_mac_addr_remove, &dev->data->mac_addrs[index]));
}

// Only the VLAN filter is offered.
static int lower_vlan_set(struct ddp_port *port) {
	uint64_t *offloads = &port->lower.conf.rxmode.offloads;
	uint64_t offload = port->data->dev_conf.rxmode.offloads & RTE_ETH_RX_OFFLOAD_VLAN_FILTER;
	int ret =
		LOWER(rte_eth_dev_set_vlan_offload, offload != 0 ? RTE_ETH_VLAN_FILTER_OFFLOAD : 0);

	if (ret == 0)
		*offloads = (*offloads & ~RTE_ETH_RX_OFFLOAD_VLAN_FILTER) | offload;
	return ret;
}

void ddp_rxq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_rxq_info *info) {
	assert(id < RTE_DIM(port->rxqs));
	info->mp = port->rxqs[id].pool;
	info->nb_desc = port->rxqs[id].n_desc;
	info->conf.rx_deferred_start = port->rxqs[id].deferred;
	info->conf.offloads = port->data->dev_conf.rxmode.offloads;
}

static void rxq_info_get(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_rxq_info *info) {
	DDP_PORT_READ(ddp_port_id(dev), port, (ddp_rxq_info_get(port, id, info), 0));
}

void ddp_txq_info_get(const struct ddp_port *port, uint16_t id, struct rte_eth_txq_info *info) {
	assert(id < RTE_DIM(port->txqs));
	info->nb_desc = port->txqs[id].n_desc;
	info->conf.tx_deferred_start = port->txqs[id].deferred;
	info->conf.offloads = port->data->dev_conf.txmode.offloads;
}

static void txq_info_get(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_txq_info *info) {
	DDP_PORT_READ(ddp_port_id(dev), port, (ddp_txq_info_get(port, id, info), 0));
}

unsigned int ddp_ptypes_get(const struct ddp_port *port, uint32_t ptypes[DDP_PTYPES_MAX]) {
	const struct ddp_personality *personality = port->personality;
	uint16_t values[PTYPE_LAYERS] = {0}; // bits
	unsigned int n = 0;

	for (unsigned int i = 0; i < personality->n_types; i++) {
		uint32_t ptype = ddp_mapping_of(port, ddp_program_type(personality->program, i));

		for (unsigned int layer = 0; layer < PTYPE_LAYERS; layer++)
			values[layer] |= 1 << (ptype >> layer * PTYPE_LAYER_BITS & PTYPE_LAYER_MAX);
	}
	for (unsigned int layer = 0; layer < PTYPE_LAYERS; layer++)
		for (uint32_t value = 1; value <= PTYPE_LAYER_MAX; value++)
			if ((values[layer] & 1 << value) != 0)
				ptypes[n++] = value << layer * PTYPE_LAYER_BITS;
	ptypes[n] = RTE_PTYPE_UNKNOWN;
	return n;
}

__thread uint32_t ddp_ptypes[DDP_PTYPES_MAX];

static const uint32_t *supported_ptypes_get(struct rte_eth_dev *dev, size_t *n_ptypes) {
	int n = DDP_PORT_READ(ddp_port_id(dev), port, ddp_ptypes_get(port, ddp_ptypes));

	*n_ptypes = RTE_MAX(n, 0);
	return n < 0 ? NULL : ddp_ptypes;
}

DPDK_PTYPES_GET_OP(supported_ptypes_get_op, supported_ptypes_get)

static int mode_print(struct rte_eth_burst_mode *mode, const char *isa) {
	snprintf(mode->info, sizeof(mode->info), "net_ddp%s%s", *isa != '\0' ? " " : "", isa);
	return 0;
}

static int tx_burst_mode_get(__rte_unused struct rte_eth_dev *dev, __rte_unused uint16_t queue,
			     struct rte_eth_burst_mode *mode) {
	return mode_print(mode, "");
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats) {
	return DDP_PORT_READ(ddp_port_id(dev), port, ddp_stats_get(port, stats));
}

DPDK_STATS_GET_OP(stats_get_op, stats_get)

static int flow_ops_get(__rte_unused struct rte_eth_dev *dev, const struct rte_flow_ops **ops) {
	*ops = &ddp_flow_ops;
	return 0;
}

/* Closing */

// Set in a thread while it is in our remove, which must not remove others (lower/lower.c).
static __thread bool removing;

void ddp_port_tables_free(struct ddp_port *port) {
	free(port->balance);
	free(port->stats_now);
	free(port->stats_base);
	for (unsigned int i = 0; port->lower_rxqs != NULL && i < port->lower.n_rxq_max; i++)
		rte_free(port->lower_rxqs[i].types);
	rte_free(port->lower_rxqs);
	rte_free(port->lower_txqs);
	rte_free(port->steering);
	rte_free(port->hw_ptypes);
	ddp_flows_destroy(port->flows);
	ddp_flow_list_fini(&port->rules);
	ddp_personality_destroy(port->personality);
	ddp_package_close(port->offload.package);
	rte_free(port->mapping);
	ddp_types_forget(port, 0);
}

static int port_close(struct rte_eth_dev *dev) {
	int ret;
	struct ddp_port *port = ddp_registry_change(ddp_port_id(dev), &ret);

	if (port == NULL)
		return ret;
	if (removing) {
		// Some applications clean up in a signal handler. If the signal interrupted a burst
		// call, that call never ends, nor would waiting for it. The port then stays.
		__atomic_store_n(&port->running, false, __ATOMIC_SEQ_CST);
		port->stuck = !ddp_port_quiesce(port, REMOVE_WAIT_S);
		if (port->stuck) {
			PORT_LOG(WARNING, port->name,
				 "the port is not removed, because a burst call does not end");
			ddp_change_end(port);
			return -EBUSY;
		}
	}
	ddp_port_stop(port);
	ddp_change_end(port);
	ddp_registry_del(port);
	ddp_lower_close(port, !removing);
	ddp_port_tables_free(port);
	rte_intr_instance_free(dev->intr_handle);
	dev->intr_handle = NULL;
	return 0;
}

int ddp_port_remove(struct rte_eth_dev *dev) {
	const bool outermost = !removing;
	int ret;

	removing = true;
	ret = port_close(dev);
	if (outermost)
		removing = false;
	return ret;
}

/* All operations */

// Operations that are one call, which reads or changes the port: X(access, operation, call,
// parameters beside dev). -ENODEV: another thread closes the port; -EBUSY.
//
//   - dev_reset: ethdev has stopped the port. What the application set of our port stays: MAC
//     addresses and filters of the lower device are restored by ethdev, which sets those of our
//     port when it is started.
//   - rx_queue_intr_enable, rx_queue_intr_disable: no changes, because the thread that polls a
//     queue must not wait for the end of one.
//   - mac_addr_add: the lower port has its own table; the pool is VMDq's.
//   - dev_ptypes_set: ethdev has checked that the mask consists of whole layers. Applications that
//     do not read packet types pass 0, as testpmd does at each start by default. This would not
//     save time here, and users read the types in testpmd's output, so 0 means all types.
#define OPERATIONS(X)                                                                              \
	X(READ, dev_infos_get, info_fill(port, info), struct rte_eth_dev_info *info)               \
	X(READ, fw_version_get, version_print(port, version, size), char *version, size_t size)    \
	X(CHANGE, dev_configure, port_configure(port))                                             \
	X(CHANGE, rx_queue_setup, rxq_setup(port, id, n_desc, conf, pool), uint16_t id,            \
	  uint16_t n_desc, __rte_unused unsigned int socket, const struct rte_eth_rxconf *conf,    \
	  struct rte_mempool *pool)                                                                \
	X(CHANGE, tx_queue_setup, txq_setup(port, id, n_desc, conf), uint16_t id, uint16_t n_desc, \
	  __rte_unused unsigned int socket, const struct rte_eth_txconf *conf)                     \
	X(CHANGE, dev_start, port_start(port))                                                     \
	X(CHANGE, dev_stop, (ddp_port_stop(port), 0))                                              \
	X(CHANGE, dev_reset, port->lower.started ? -EBUSY : ddp_lower_reset(port))                 \
	X(CHANGE, rx_queue_start, ddp_rxq_start(port, id), uint16_t id)                            \
	X(CHANGE, rx_queue_stop, (ddp_rxq_stop(port, id), 0), uint16_t id)                         \
	X(CHANGE, tx_queue_start, (ddp_txq_start(port, id), 0), uint16_t id)                       \
	X(CHANGE, tx_queue_stop, (ddp_txq_stop(port, id), 0), uint16_t id)                         \
	X(READ, rx_queue_intr_enable, ddp_rx_intr_enable(port, id), uint16_t id)                   \
	X(READ, rx_queue_intr_disable, ddp_rx_intr_disable(port, id), uint16_t id)                 \
	X(READ, link_update, link_set(dev, port, wait_to_complete), int wait_to_complete)          \
	X(CHANGE, dev_set_link_up, LOWER(rte_eth_dev_set_link_up))                                 \
	X(CHANGE, dev_set_link_down, LOWER(rte_eth_dev_set_link_down))                             \
	X(CHANGE, promiscuous_enable, enabled_anyway(LOWER(rte_eth_promiscuous_enable)))           \
	X(CHANGE, promiscuous_disable, LOWER(rte_eth_promiscuous_disable))                         \
	X(CHANGE, allmulticast_enable, enabled_anyway(LOWER(rte_eth_allmulticast_enable)))         \
	X(CHANGE, allmulticast_disable, LOWER(rte_eth_allmulticast_disable))                       \
	X(CHANGE, mtu_set, lower_mtu_set(port, mtu), uint16_t mtu)                                 \
	X(CHANGE, mac_addr_set, lower_mac_set(port, addr), struct rte_ether_addr *addr)            \
	X(CHANGE, mac_addr_add,                                                                    \
	  pool != 0 ? -ENOTSUP : received_anyway(port, LOWER(rte_eth_dev_mac_addr_add, addr, 0)),  \
	  struct rte_ether_addr * addr, __rte_unused uint32_t index, uint32_t pool)                \
	X(CHANGE, set_mc_addr_list,                                                                \
	  received_anyway(port, LOWER(rte_eth_dev_set_mc_addr_list, addrs, n)),                    \
	  struct rte_ether_addr *addrs, uint32_t n)                                                \
	X(CHANGE, vlan_filter_set, LOWER(rte_eth_dev_vlan_filter, vlan, on), uint16_t vlan,        \
	  int on)                                                                                  \
	X(CHANGE, vlan_offload_set, lower_vlan_set(port), __rte_unused int mask)                   \
	X(READ, flow_ctrl_get, LOWER(rte_eth_dev_flow_ctrl_get, conf),                             \
	  struct rte_eth_fc_conf *conf)                                                            \
	X(CHANGE, flow_ctrl_set, LOWER(rte_eth_dev_flow_ctrl_set, conf),                           \
	  struct rte_eth_fc_conf *conf)                                                            \
	X(READ, get_module_info, LOWER(rte_eth_dev_get_module_info, info),                         \
	  struct rte_eth_dev_module_info *info)                                                    \
	X(READ, get_module_eeprom, LOWER(rte_eth_dev_get_module_eeprom, info),                     \
	  struct rte_dev_eeprom_info *info)                                                        \
	X(READ, pool_ops_supported, LOWER(rte_eth_dev_pool_ops_supported, pool), const char *pool) \
	X(READ, read_clock, LOWER(rte_eth_read_clock, clock), uint64_t *clock)                     \
	X(CHANGE, udp_tunnel_port_add, ddp_tunnel_add(port, tunnel),                               \
	  struct rte_eth_udp_tunnel *tunnel)                                                       \
	X(CHANGE, udp_tunnel_port_del, ddp_tunnel_del(port, tunnel),                               \
	  struct rte_eth_udp_tunnel *tunnel)                                                       \
	X(CHANGE, rss_hash_update, ddp_rss_hash_update(port, conf), struct rte_eth_rss_conf *conf) \
	X(READ, rss_hash_conf_get, (ddp_rss_hash_get(port, conf), 0),                              \
	  struct rte_eth_rss_conf *conf)                                                           \
	X(CHANGE, reta_update, ddp_rss_reta_update(port, conf, size),                              \
	  struct rte_eth_rss_reta_entry64 *conf, uint16_t size)                                    \
	X(READ, reta_query, ddp_rss_reta_query(port, conf, size),                                  \
	  struct rte_eth_rss_reta_entry64 *conf, uint16_t size)                                    \
	X(READ, rx_burst_mode_get,                                                                 \
	  mode_print(mode, port->data->dev_started ? ddp_isa_name(port->isa) : ""),                \
	  __rte_unused uint16_t queue, struct rte_eth_burst_mode *mode)                            \
	X(CHANGE, dev_ptypes_set, ddp_ptypes_set(port, mask != 0 ? mask : UINT32_MAX),             \
	  uint32_t mask)                                                                           \
	X(READ, stats_reset, ddp_stats_reset(port))                                                \
	X(READ, xstats_get, ddp_xstats_get(port, NULL, values, n), struct rte_eth_xstat *values,   \
	  unsigned int n)                                                                          \
	X(READ, xstats_get_names, ddp_xstats_get(port, names, NULL, n),                            \
	  struct rte_eth_xstat_name *names, unsigned int n)

#define OP(access, op, call, ...)                                       \
	static int op(struct rte_eth_dev *dev, ##__VA_ARGS__) {         \
		return DDP_PORT_##access(ddp_port_id(dev), port, call); \
	}
OPERATIONS(OP)

// clang-format off
#define MEMBER(access, op, ...) .op = op,
const struct eth_dev_ops ddp_port_ops = {
	OPERATIONS(MEMBER)
	.dev_close = port_close,
	.flow_ops_get = flow_ops_get,
	.is_removed = is_removed,
	.mac_addr_remove = mac_addr_remove,
	.tx_done_cleanup = ddp_tx_done_cleanup,
	.dev_supported_ptypes_get = supported_ptypes_get_op,
	.rxq_info_get = rxq_info_get,
	.txq_info_get = txq_info_get,
	.tx_burst_mode_get = tx_burst_mode_get,
	.stats_get = stats_get_op,
};
// clang-format on
