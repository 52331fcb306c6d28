/* SPDX-License-Identifier: BSD-3-Clause */
// The driver: creates a net_ddp port from its devargs.
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/exchange/exchange.h"
#include "port/lower/lower.h"
#include "port/mp/mp.h"
#include "port/quiesce/quiesce.h"
#include "port/run/run.h"
#include "port/state/control.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include <bus_vdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_interrupts.h>
#include <rte_malloc.h>

// Flags of the lower device that also apply to our port.
#define DEV_FLAGS_PASSED (RTE_ETH_DEV_INTR_LSC | RTE_ETH_DEV_INTR_RMV | RTE_ETH_DEV_NOLIVE_MAC_ADDR)

#define DRIVER "net_ddp"

static int dynfields_register(const char *name) {
	static const struct rte_mbuf_dynfield meta = {
		.name = RTE_PMD_DDP_META_DYNFIELD,
		.size = sizeof(struct rte_pmd_ddp_meta),
		.align = 4,
	};
	static const struct rte_mbuf_dynfield rx_tsc = {
		.name = RTE_PMD_DDP_RX_TSC_DYNFIELD,
		.size = sizeof(uint64_t),
		.align = sizeof(uint64_t),
	};

	// In this order they are adjacent, 16 bytes together.
	int rx_tsc_off = rte_mbuf_dynfield_register(&rx_tsc);
	int meta_off = rte_mbuf_dynfield_register(&meta);

	if (meta_off >= 0 && rx_tsc_off >= 0) {
		ddp_meta_off = meta_off;
		ddp_rx_tsc_off = rx_tsc_off;
		return 0;
	}
	return PORT_FAIL(name, -ENOMEM, "no room in mbufs for the dynamic fields %s and %s",
			 RTE_PMD_DDP_META_DYNFIELD, RTE_PMD_DDP_RX_TSC_DYNFIELD);
}

static int lower_rxqs_choose(struct ddp_port *port, uint16_t wanted) {
	struct ddp_lower *lower = &port->lower;
	uint16_t n = RTE_MIN(lower->info.max_rx_queues, DDP_PORT_QUEUES);

	if (n == 0 || wanted > n)
		return LOWER_FAIL(port, -EINVAL, "has %u Rx queues, %u are needed", n,
				  RTE_MAX(wanted, 1));
	lower->unshared = ddp_lower_is(port, "net_pcap");
	// Each queue of these two drivers is a source of its own, such as a capture.
	lower->n_rxq_fixed = wanted > 0 || lower->unshared || ddp_lower_is(port, "net_ring");
	if (wanted > 0)
		lower->n_rxq_max = wanted;
	else if (lower->n_rxq_fixed || ddp_offload_spreads(port))
		lower->n_rxq_max = n;
	else
		lower->n_rxq_max = RTE_MIN(n, RTE_MAX(lower->info.default_rxportconf.nb_queues, 1));
	return 0;
}

static int tables_alloc(struct rte_eth_dev_data *data) {
	struct ddp_port *port = data->dev_private;
	const unsigned int n = port->lower.n_rxq_max;

	port->lower_rxqs = rte_calloc_socket("ddp_port", n, sizeof(*port->lower_rxqs),
					     RTE_CACHE_LINE_SIZE, data->numa_node);
	port->lower_txqs = rte_calloc_socket("ddp_port", n, sizeof(*port->lower_txqs),
					     RTE_CACHE_LINE_SIZE, data->numa_node);
	data->mac_addrs = rte_calloc_socket("ddp_port", ddp_lower_n_macs(port),
					    sizeof(*data->mac_addrs), 0, data->numa_node);
	if (port->lower_rxqs == NULL || port->lower_txqs == NULL || data->mac_addrs == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		port->lower_rxqs[i].id = i;
		port->lower_rxqs[i].port = port;
		port->lower_txqs[i].id = i;
		port->lower_txqs[i].port = port;
	}
	return ddp_stats_reserve(port);
}

static void port_init(struct rte_eth_dev *dev) {
	struct ddp_port *port = dev->data->dev_private;

	port->layout = ddp_mp_layout();
	port->pid_ns = ddp_mp_pid_namespace();
	port->id = dev->data->port_id;
	port->name = dev->data->name;
	port->data = dev->data;
	port->lower.port_id = DDP_PORT_NONE;
	port->ptype_mask = UINT32_MAX;
	memcpy(port->rss.key, ddp_default_key, sizeof(port->rss.key));
	ddp_flow_list_init(&port->rules, &ddp_port_memory);
	for (unsigned int i = 0; i < DDP_PORT_QUEUES; i++) {
		port->rxqs[i].id = i;
		port->rxqs[i].port = port;
		port->txqs[i].id = i;
		port->txqs[i].port = port;
	}
	dev->dev_ops = &ddp_port_ops;
	dev->rx_pkt_burst = ddp_rx_burst;
	dev->tx_pkt_burst = ddp_tx_burst;
	dev->tx_pkt_prepare = ddp_tx_prepare;
	dev->rx_queue_count = ddp_rx_queue_count;
	dev->rx_descriptor_status = ddp_rx_descriptor_status;
	dev->tx_descriptor_status = ddp_tx_descriptor_status;
}

static int port_setup(struct rte_eth_dev *dev, const struct ddp_devargs *devargs) {
	struct ddp_port *port = dev->data->dev_private;
	uint16_t lower;
	int ret;

	port->meta = devargs->meta;
	port->decap = devargs->decap;
	port->overflow = devargs->overflow;
	port->offload.mode = devargs->offload;
	port->offload.nic_given = devargs->nic;
	ret = ddp_personality_init(port, devargs->profile);
	if (ret == 0)
		ret = ddp_lower_attach(port, devargs->lower);
	if (ret < 0)
		return ret;
	// Most applications with a key have 40 bytes, and read the length once: it stays.
	port->rss_key_size = ddp_rss_emulates(port) ? DDP_KEY_SIZE : DDP_KEY_SHORT;
	if (devargs->rss_key_len != 0)
		port->rss_key_size = devargs->rss_key_len;
	ret = ddp_package_find(port, devargs->package);
	if (ret < 0)
		return ret;
	dev->data->numa_node = rte_eth_dev_socket_id(port->lower.port_id);
	ret = lower_rxqs_choose(port, devargs->lower_queues);
	if (ret < 0)
		return ret;
	ret = tables_alloc(dev->data);
	if (ret < 0)
		PORT_LOG(ERR, port->name, "no memory for a port");
	if (ret == 0)
		ret = ddp_balance_set(port, devargs->balance_ms);
	if (ret < 0)
		return ret;
	// attributes of the lower device that our port shares
	lower = port->lower.port_id;
	dev->data->dev_flags |= *port->lower.info.dev_flags & DEV_FLAGS_PASSED;
	dev->data->dev_flags |= RTE_ETH_DEV_FLOW_OPS_THREAD_SAFE; // ethdev then holds no lock
	rte_eth_macaddr_get(lower, &dev->data->mac_addrs[0]);
	rte_eth_dev_get_mtu(lower, &dev->data->mtu);
	dev->data->promiscuous = rte_eth_promiscuous_get(lower) == 1;
	dev->data->all_multicast = rte_eth_allmulticast_get(lower) == 1;
	return 0;
}

static int port_create(struct rte_vdev_device *vdev, const struct ddp_devargs *devargs) {
	const char *name = rte_vdev_device_name(vdev);
	struct ddp_port *port;
	struct rte_eth_dev *dev;
	int ret;

	// Allocated before the lower device's port, so that ours has the lower id.
	dev = rte_eth_vdev_allocate(vdev, sizeof(*port));
	if (dev == NULL)
		return PORT_FAIL(
			name, -ENOMEM,
			"no Ethernet port can be allocated: all are in use, or out of memory");
	port = dev->data->dev_private;
	port_init(dev);
	ddp_registry_add(port);
	ret = port_setup(dev, devargs);
	if (ret < 0) {
		ddp_registry_del(port);
		ddp_lower_release(port);
		ddp_port_tables_free(port);
		rte_eth_dev_release_port(dev);
		return ret;
	}
	pthread_mutex_lock(port->mutex);
	__atomic_store_n(&port->ready, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(port->mutex);
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int port_probe(struct rte_vdev_device *vdev) {
	const char *name = rte_vdev_device_name(vdev);
	struct ddp_devargs devargs;
	char error[DDP_ERROR_SIZE];
	unsigned int year, month;
	int ret;

	// The layout of ethdev's structures differs between DPDK releases.
	if (sscanf(rte_version(), "%*s %u.%u", &year, &month) != 2 || year != RTE_VER_YEAR ||
	    month != RTE_VER_MONTH)
		return PORT_FAIL(name, -ENOTSUP,
				 "this net_ddp was built for DPDK %u.%02u and cannot work with %s",
				 RTE_VER_YEAR, RTE_VER_MONTH, rte_version());
	ret = dynfields_register(name); // in a secondary process: finds them
	if (ret < 0)
		return ret;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return ddp_mp_attach(vdev);
	ddp_mp_serve();
	ret = ddp_devargs_parse(rte_vdev_device_args(vdev), &devargs, error);
	if (ret < 0)
		PORT_LOG(ERR, name, "%s", error);
	else
		ret = port_create(vdev, &devargs);
	ddp_devargs_fini(&devargs);
	return ret;
}

static int port_remove(struct rte_vdev_device *vdev) {
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));
	int ret;

	if (dev == NULL)
		return 0; // the application closed it
	if (rte_eal_process_type() != RTE_PROC_PRIMARY)
		return ddp_mp_remove(dev);
	ret = ddp_port_remove(dev); // fails, too, in a change, or while another thread closes it
	return ret < 0 ? ret : rte_eth_dev_release_port(dev);
}

static struct rte_vdev_driver ddp_driver = {
	.probe = port_probe,
	.remove = port_remove,
};

// Does the process have a driver of this name? The buses parse it without EAL's error message.
static bool driver_is_there(void) {
	int level = rte_log_get_level(RTE_LOGTYPE_EAL);
	struct rte_devargs devargs = {0};
	bool found;

	rte_log_set_level(RTE_LOGTYPE_EAL, RTE_LOG_EMERG);
	found = rte_devargs_parse(&devargs, DRIVER) == 0;
	rte_log_set_level(RTE_LOGTYPE_EAL, level);
	rte_devargs_reset(&devargs);
	return found;
}

// An application with a built-in copy of the driver may also load the plugin. Both would register
// one driver name and one set of telemetry names, and each would know only its own ports.
RTE_INIT(ddp_register) {
	Dl_info info = {.dli_fname = ""};

	ddp_port_logtype = rte_log_register_type_and_pick_level("pmd.net.ddp", RTE_LOG_NOTICE);
	if (driver_is_there()) {
		dladdr(&ddp_driver, &info); // of a static program: leaves it as it is
		PORT_LOG(NOTICE, DRIVER,
			 "this process already has the driver; the copy in %s is not used",
			 info.dli_fname);
		return;
	}
	ddp_driver.driver.name = DRIVER;
	rte_vdev_register(&ddp_driver);
	ddp_telemetry_register();
}

#define PARAM(name, values) " " #name "=" values

DPDK_PMD_EXPORT_NAME(net_ddp);
RTE_PMD_REGISTER_PARAM_STRING(net_ddp, "dev(<devargs>)" DDP_DEVARGS(PARAM));
