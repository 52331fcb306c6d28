/* SPDX-License-Identifier: BSD-3-Clause */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>

#define N_DEVICES 4

// What a NIC would have written of a packet.
struct descriptor {
	struct rte_mbuf *mbuf;
	uint16_t len;
};

struct device {
	unsigned int next;
	uint64_t served, rearm;
	struct descriptor descriptors[TEMPLATE_PACKETS];
};

static struct device devices[N_DEVICES];
static struct packets *prepared;

void template_packets_set(struct packets *packets) {
	prepared = packets;
}

uint64_t template_served(unsigned int number) {
	return devices[number].served;
}

/* Data path */

static void mbuf_fill(struct rte_mbuf *mbuf, uint64_t rearm, uint16_t len) {
	memcpy(mbuf->rearm_data, &rearm, sizeof(rearm));
	mbuf->ol_flags = 0;
	mbuf->packet_type = 0;
	mbuf->pkt_len = len;
	mbuf->data_len = len;
	mbuf->vlan_tci = 0;
	mbuf->hash.rss = 0;
}

static uint16_t rx(void *queue, struct rte_mbuf **mbufs, uint16_t n) {
	struct device *device = queue;
	const struct descriptor *descriptors = &device->descriptors[device->next];

	n = RTE_MIN(n, TEMPLATE_PACKETS - device->next);
	for (unsigned int i = 0; i < n; i++) {
		mbuf_fill(descriptors[i].mbuf, device->rearm, descriptors[i].len);
		mbufs[i] = descriptors[i].mbuf;
	}
	device->next = (device->next + n) % TEMPLATE_PACKETS;
	device->served += n;
	return n;
}

static uint16_t tx(void *queue, struct rte_mbuf **mbufs, uint16_t n) {
	RTE_SET_USED(queue);
	RTE_SET_USED(mbufs);
	return n;
}

/* Control path */

static int configure(struct rte_eth_dev *dev) {
	RTE_SET_USED(dev);
	return 0;
}

static int start(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

static int stop(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	return 0;
}

static int device_close(struct rte_eth_dev *dev) {
	dev->data->mac_addrs = NULL; // not ethdev's to free
	return 0;
}

static int infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info) {
	RTE_SET_USED(dev);
	info->max_rx_queues = 1;
	info->max_tx_queues = 1;
	info->max_rx_pktlen = RTE_ETHER_MAX_LEN;
	info->max_mac_addrs = 1;
	return 0;
}

// What a driver writes to data_off, refcnt, nb_segs and port in one go.
static uint64_t rearm_data(uint16_t port) {
	struct rte_mbuf mbuf = {
		.data_off = RTE_PKTMBUF_HEADROOM,
		.refcnt = 1,
		.nb_segs = 1,
		.port = port,
	};
	uint64_t rearm;

	memcpy(&rearm, mbuf.rearm_data, sizeof(rearm));
	return rearm;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc, unsigned int socket,
			  const struct rte_eth_rxconf *conf, struct rte_mempool *pool) {
	struct device *device = *(struct device **)dev->data->dev_private;

	RTE_SET_USED(n_desc);
	RTE_SET_USED(socket);
	RTE_SET_USED(conf);
	RTE_SET_USED(pool);
	if (prepared == NULL || prepared->n < TEMPLATE_PACKETS)
		return -EINVAL;
	for (unsigned int i = 0; i < TEMPLATE_PACKETS; i++)
		device->descriptors[i] = (struct descriptor){
			.mbuf = prepared->mbufs[i],
			.len = rte_pktmbuf_pkt_len(prepared->mbufs[i]),
		};
	device->next = 0;
	device->served = 0;
	device->rearm = rearm_data(dev->data->port_id);
	dev->data->rx_queues[id] = device;
	return 0;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_txconf *conf) {
	RTE_SET_USED(n_desc);
	RTE_SET_USED(socket);
	RTE_SET_USED(conf);
	dev->data->tx_queues[id] = *(struct device **)dev->data->dev_private;
	return 0;
}

static int link_update(struct rte_eth_dev *dev, int wait) {
	RTE_SET_USED(dev);
	RTE_SET_USED(wait);
	return 0;
}

static const struct eth_dev_ops ops = {
	.dev_configure = configure,
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = device_close,
	.dev_infos_get = infos_get,
	.rx_queue_setup = rx_queue_setup,
	.tx_queue_setup = tx_queue_setup,
	.link_update = link_update,
};

static int probe(struct rte_vdev_device *vdev) {
	static struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1}};
	const char *number = rte_vdev_device_name(vdev) + strlen("net_template");
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, sizeof(struct device *));

	if (dev == NULL)
		return -ENOMEM;
	*(struct device **)dev->data->dev_private = &devices[atoi(number) % N_DEVICES];
	dev->data->mac_addrs = &mac;
	dev->data->promiscuous = 1;
	dev->dev_ops = &ops;
	dev->rx_pkt_burst = rx;
	dev->tx_pkt_burst = tx;
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int remove_device(struct rte_vdev_device *vdev) {
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	return dev == NULL ? 0 : rte_eth_dev_release_port(dev);
}

static struct rte_vdev_driver driver = {
	.probe = probe,
	.remove = remove_device,
};

RTE_PMD_REGISTER_VDEV(net_template, driver);
