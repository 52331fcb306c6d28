/* SPDX-License-Identifier: BSD-3-Clause */
#include "ports.h"

#include <inttypes.h>
#include <string.h>

#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "port/state/rte_pmd_ddp.h"
#include "rx_capture.h"

#define POOL_CACHE 256 // mbufs in the cache of an lcore

static int port_find(struct fwd_port *port, uint16_t id, struct error *error) {
	const struct rte_devargs *devargs;
	struct rte_eth_dev_info info;
	int ret;

	port->id = id;
	ret = rte_eth_dev_get_name_by_port(id, port->name);
	if (ret == 0)
		ret = rte_eth_dev_info_get(id, &info);
	if (ret == 0)
		ret = rte_eth_macaddr_get(id, &port->mac);
	if (ret < 0)
		return error_set(error, EXIT_FAILED, "port %u: %s", id, rte_strerror(-ret));
	devargs = rte_dev_devargs(info.device);
	port->devargs = devargs == NULL ? NULL : devargs->args;
	port->driver = info.driver_name;
	port->is_ddp = strcmp(port->driver, "net_ddp") == 0;
	return 0;
}

int ports_find(struct ports *ports, struct error *error) {
	uint16_t id;

	RTE_ETH_FOREACH_DEV(id) {
		if (port_find(&ports->list[ports->n], id, error) < 0)
			return -1;
		ports->n++;
	}
	return 0;
}

bool ports_are_finite(const struct ports *ports) {
	for (unsigned int i = 0; i < ports->n; i++)
		if (!capture_is_finite(ports->list[i].devargs))
			return false;
	return true;
}

// The mbufs that a port can hold. net_ddp has a ring from each lower queue to each of its Rx
// queues, and one for each Tx queue. Captures have no descriptors, but are read so fast that all
// rings may become full; of other devices one queue is expected to fill its rings.
static uint64_t port_mbufs(const struct fwd_port *port, const struct config *config) {
	uint64_t n_rx = config->n_rxq * config->n_rxd;
	uint64_t n_tx = config->mode == MODE_RXONLY ? 0 : config->n_txq * config->n_txd;
	unsigned int n_captures = 0; // net_pcap has a queue for each
	char path[PATH_MAX];
	size_t pos = 0;

	if (!port->is_ddp)
		return n_rx + n_tx;
	while (port->devargs != NULL && capture_next(port->devargs, &pos, path))
		n_captures++;
	if (n_captures != 0)
		return n_captures * n_rx + n_tx;
	return 2 * (n_rx + n_tx);
}

static int pool_create(struct ports *ports, const struct config *config, struct error *error) {
	// mbufs of lcores (bursts and caches), ports and captures.
	uint64_t n_needed = rte_lcore_count() * (2 * POOL_CACHE + 2 * config->burst);
	uint64_t n_kept = 0, n_max = INT32_MAX, n;

	for (unsigned int i = 0; i < ports->n; i++) {
		n_kept += captures_kept(ports->list[i].devargs);
		n_needed += port_mbufs(&ports->list[i], config);
	}
	n_needed += n_kept;
	n = config->n_mbufs == CONFIG_AUTO ? n_needed : config->n_mbufs;
	if (n_kept != 0 && n <= n_kept)
		return error_set(error, EXIT_USAGE,
				 "--mbufs %" PRIu64 ": with infinite_rx=1 the %" PRIu64
				 " packets of the captures stay in buffers: use --mbufs %" PRIu64,
				 n, n_kept, n_needed);
	if (n <= n_max)
		ports->pool = rte_pktmbuf_pool_create("ddp-fwd", n, RTE_MIN(n / 8, POOL_CACHE), 0,
						      RTE_MBUF_DEFAULT_BUF_SIZE, rte_socket_id());
	else
		rte_errno = ENOMEM;
	if (ports->pool == NULL)
		return error_set(error, EXIT_FAILED,
				 "cannot create %" PRIu64
				 " packet buffers: %s: give EAL more memory "
				 "(-m), or ask for fewer queues, descriptors or --mbufs",
				 n, rte_strerror(rte_errno));
	return 0;
}

static int queues_check(const struct fwd_port *port, const struct config *config,
			const struct rte_eth_dev_info *info, struct error *error) {
	if (config->n_rxq > info->max_rx_queues)
		return error_set(error, EXIT_USAGE,
				 "--rxq %" PRIu64 ": port %u (%s) has at most %u Rx queues",
				 config->n_rxq, port->id, port->name, info->max_rx_queues);
	if (config->n_txq > info->max_tx_queues)
		return error_set(error, EXIT_USAGE,
				 "--txq %" PRIu64 ": port %u (%s) has at most %u Tx queues",
				 config->n_txq, port->id, port->name, info->max_tx_queues);
	return 0;
}

// Only net_ddp has load-aware RSS.
static int balance_check(const struct fwd_port *port, const struct config *config,
			 const struct rte_eth_dev_info *info, struct error *error) {
	if (config->balance_ms == 0)
		return 0;
	if (!port->is_ddp)
		return error_set(error, EXIT_USAGE, "--balance: port %u (%s) is no net_ddp port",
				 port->id, port->name);
	if ((config->rss_hf & info->flow_type_rss_offloads) == 0)
		return error_set(error, EXIT_USAGE, "--balance: port %u (%s) hashes no packets",
				 port->id, port->name);
	return 0;
}

static int rss_key_set(const struct fwd_port *port, const struct config *config,
		       const struct rte_eth_dev_info *info, struct rte_eth_rss_conf *rss,
		       struct error *error) {
	unsigned int size = info->hash_key_size == 0 ? DDP_KEY_SIZE : info->hash_key_size;

	if (config->key == NULL)
		return 0;
	// A shorter key must equal the repeated one: see ddp_key_read().
	if (size > DDP_KEY_SIZE ||
	    memcmp(config->key + size, config->key, DDP_KEY_SIZE - size) != 0)
		return error_set(error, EXIT_USAGE, "--key: port %u (%s) has a key of %u bytes",
				 port->id, port->name, size);
	rss->rss_key = (uint8_t *)(uintptr_t)config->key; // the driver only reads it
	rss->rss_key_len = size;
	return 0;
}

// Set the requested RSS types that the device has. None is an error.
static int rss_set(const struct fwd_port *port, const struct config *config,
		   const struct rte_eth_dev_info *info, struct rte_eth_conf *conf,
		   struct error *error) {
	uint64_t rss_hf = config->rss_hf & info->flow_type_rss_offloads;

	if (rss_hf == 0 && config->rss_hf != 0 && config->rss_hf != DDP_RSS_HF_ALL)
		return error_set(error, EXIT_USAGE, "--rss-hf: port %u (%s) can hash none of it",
				 port->id, port->name);
	if (rss_hf == 0)
		return 0;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_RSS_HASH;
	conf->rx_adv_conf.rss_conf.rss_hf = rss_hf;
	return rss_key_set(port, config, info, &conf->rx_adv_conf.rss_conf, error);
}

static int port_fail(const struct fwd_port *port, const char *what, int ret, struct error *error) {
	return error_set(error, EXIT_FAILED, "port %u (%s): cannot %s: %s", port->id, port->name,
			 what, rte_strerror(-ret));
}

static int queues_setup(const struct fwd_port *port, const struct config *config,
			struct rte_mempool *pool, struct error *error) {
	int socket = rte_eth_dev_socket_id(port->id);
	uint16_t n_rxd = config->n_rxd, n_txd = config->n_txd;
	int ret;

	ret = rte_eth_dev_adjust_nb_rx_tx_desc(port->id, &n_rxd, &n_txd);
	for (uint16_t q = 0; q < config->n_rxq && ret == 0; q++)
		ret = rte_eth_rx_queue_setup(port->id, q, n_rxd, socket, NULL, pool);
	if (ret < 0)
		return port_fail(port, "set up its Rx queues", ret, error);
	for (uint16_t q = 0; q < config->n_txq && ret == 0; q++)
		ret = rte_eth_tx_queue_setup(port->id, q, n_txd, socket, NULL);
	if (ret < 0)
		return port_fail(port, "set up its Tx queues", ret, error);
	return 0;
}

static int port_start(struct fwd_port *port, const struct config *config, struct rte_mempool *pool,
		      struct error *error) {
	struct rte_eth_conf conf = {0};
	struct rte_eth_dev_info info;
	int ret;

	ret = rte_eth_dev_info_get(port->id, &info);
	if (ret < 0)
		return port_fail(port, "report its limits", ret, error);
	if (queues_check(port, config, &info, error) < 0 ||
	    rss_set(port, config, &info, &conf, error) < 0)
		return -1;
	conf.txmode.offloads = info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	ret = rte_eth_dev_configure(port->id, config->n_rxq, config->n_txq, &conf);
	if (ret < 0)
		return port_fail(port, "be configured", ret, error);
	if (queues_setup(port, config, pool, error) < 0)
		return -1;
	ret = rte_eth_dev_start(port->id);
	if (ret < 0)
		return port_fail(port, "start", ret, error);
	port->started = true;
	ret = config->promiscuous ? rte_eth_promiscuous_enable(port->id) :
				    rte_eth_promiscuous_disable(port->id);
	if (ret < 0 && ret != -ENOTSUP) // without the operation (net_pcap) it receives all packets
		say(LOG_WARNING, "port %u (%s): promiscuous mode: %s", port->id, port->name,
		    rte_strerror(-ret));
	ret = 0;
	if (config->balance_ms != 0) // else the device arguments decide
		ret = rte_pmd_ddp_balance_set(port->id, config->balance_ms);
	return ret < 0 ? port_fail(port, "be balanced", ret, error) : 0;
}

int ports_start(struct ports *ports, const struct config *config, unsigned int n_workers,
		struct error *error) {
	struct rte_eth_dev_info info;

	// Report wrong options before memory is allocated.
	for (unsigned int i = 0; i < ports->n; i++)
		if (rte_eth_dev_info_get(ports->list[i].id, &info) == 0 &&
		    (queues_check(&ports->list[i], config, &info, error) < 0 ||
		     balance_check(&ports->list[i], config, &info, error) < 0))
			return -1;
	if (config->mode != MODE_RXONLY && config->n_txq < n_workers)
		return error_set(error, EXIT_USAGE,
				 "--txq %" PRIu64
				 ": a Tx queue serves one lcore only and %u lcores "
				 "forward: use at least %u",
				 config->n_txq, n_workers, n_workers);
	if (pool_create(ports, config, error) < 0)
		return -1;
	for (unsigned int i = 0; i < ports->n; i++)
		if (port_start(&ports->list[i], config, ports->pool, error) < 0)
			return -1;
	// Counters of a NIC may be left over from an earlier program.
	for (unsigned int i = 0; i < ports->n; i++) {
		rte_eth_stats_reset(ports->list[i].id);
		rte_eth_xstats_reset(ports->list[i].id);
	}
	return 0;
}

void ports_stop(struct ports *ports) {
	for (unsigned int i = 0; i < ports->n; i++)
		if (ports->list[i].started)
			rte_eth_dev_stop(ports->list[i].id);
	for (unsigned int i = 0; i < ports->n; i++)
		rte_eth_dev_close(ports->list[i].id);
	rte_mempool_free(ports->pool);
	ports->pool = NULL;
}
