/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_flow_driver.h>
#include <rte_kvargs.h>

#include "base/dpdk_compat.h"
#include "bench.h"
#include "hand.h"
#include "rss/rss.h"

#define N_DEVICES 3
#define QUEUES_MAX 16

// A driver writes this of a packet: two times 16 bytes, as vector drivers do.
struct descriptor {
	uint8_t rearm[16];  // data_off, refcnt, nb_segs, port, ol_flags
	uint8_t fields[16]; // packet_type, pkt_len, data_len, vlan_tci, hash.rss
	struct rte_mbuf *mbuf;
} __attribute__((aligned(16)));

struct queue {
	unsigned int n, next;
	uint64_t served;
	struct descriptor *descriptors; // as many as there are packets
};

struct device {
	bool hashed;
	unsigned int n_queues;
	uint16_t reta[DDP_RETA_SIZE];
	struct queue queues[QUEUES_MAX];
};

static struct device devices[N_DEVICES];
static struct packets *prepared;

void template_packets_set(struct packets *packets) {
	prepared = packets;
}

uint64_t template_served(unsigned int number) {
	uint64_t served = 0;

	for (unsigned int q = 0; q < devices[number].n_queues; q++)
		served += devices[number].queues[q].served;
	return served;
}

/* Data path */

static uint16_t rx(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct queue *queue = rxq;
	const struct descriptor *descriptors = &queue->descriptors[queue->next];

	n = RTE_MIN(n, queue->n - queue->next);
	for (unsigned int i = 0; i < n; i++) {
		struct rte_mbuf *mbuf = descriptors[i].mbuf;

		memcpy(mbuf->rearm_data, descriptors[i].rearm, sizeof(descriptors[i].rearm));
		memcpy(mbuf->rx_descriptor_fields1, descriptors[i].fields,
		       sizeof(descriptors[i].fields));
		mbufs[i] = mbuf;
	}
	queue->next += n;
	if (queue->next == queue->n)
		queue->next = 0;
	queue->served += n;
	return n;
}

static uint16_t tx(void *queue, struct rte_mbuf **mbufs, uint16_t n) {
	return n;
}

/* Control path */

// Operation `name`, which returns `result`.
#define OP(name, result, ...)          \
	static int name(__VA_ARGS__) { \
		return result;         \
	}

OP(configure, 0, struct rte_eth_dev *dev)
OP(link_update, 0, struct rte_eth_dev *dev, int wait)
// RSS: any rule will do. It has the table that it started with: packets are prepared.
OP(rss_hash_update, 0, struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf)
OP(reta_update, -EBUSY, struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n)
OP(flow_validate, 0, struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
   const struct rte_flow_item items[], const struct rte_flow_action actions[],
   struct rte_flow_error *error)
OP(flow_destroy, 0, struct rte_eth_dev *dev, struct rte_flow *flow, struct rte_flow_error *error)

static int stop(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	return 0;
}

static int device_close(struct rte_eth_dev *dev) {
	struct device *device = dev->data->dev_private;

	for (unsigned int q = 0; q < QUEUES_MAX; q++) {
		free(device->queues[q].descriptors);
		device->queues[q].descriptors = NULL;
	}
	dev->data->mac_addrs = NULL; // neither is ethdev's to free
	dev->data->dev_private = NULL;
	return 0;
}

static int infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info) {
	const struct device *device = dev->data->dev_private;

	if (device->hashed) {
		info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH;
		info->hash_key_size = 52;
	}
	if (device->n_queues > 1) {
		info->reta_size = DDP_RETA_SIZE;
		info->flow_type_rss_offloads = RTE_ETH_RSS_IP;
	}
	info->max_rx_queues = device->n_queues;
	info->max_tx_queues = device->n_queues;
	info->max_rx_pktlen = RTE_ETHER_MAX_LEN;
	info->max_mac_addrs = 1;
	return 0;
}

static struct rte_flow *flow_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
				    const struct rte_flow_item items[],
				    const struct rte_flow_action actions[],
				    struct rte_flow_error *error) {
	return (struct rte_flow *)dev;
}

static int flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **flow_ops) {
	static const struct rte_flow_ops any = {
		.validate = flow_validate,
		.create = flow_create,
		.destroy = flow_destroy,
	};

	*flow_ops = &any;
	return 0;
}

static dpdk_queue_count_t rx_queue_count(void *queue) {
	return 0;
}

// Fill in what an 800-series NIC reports of a packet of kind gtpu: net_ddp checks the hash
// now and then.
static void packet_hash(struct rte_mbuf *mbuf) {
	static struct ddp_hash hash;
	struct hand_flow flow;
	uint32_t tuple[10];
	unsigned int n;

	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	hand_find(mbuf, &flow);
	n = hand_tuple(mbuf, &flow, tuple);
	mbuf->ol_flags = RTE_MBUF_F_RX_RSS_HASH;
	mbuf->hash.rss = ddp_hash_compute(&hash, (const uint8_t *)tuple, 4 * n);
	mbuf->packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4_EXT_UNKNOWN |
			    RTE_PTYPE_TUNNEL_GTPU | RTE_PTYPE_INNER_L3_IPV4_EXT_UNKNOWN |
			    RTE_PTYPE_INNER_L4_UDP;
}

static void packet_put(struct device *device, uint16_t port, struct rte_mbuf *mbuf) {
	struct descriptor *descriptor;
	struct queue *queue;

	mbuf->port = port;
	mbuf->packet_type = 0;
	mbuf->ol_flags = 0;
	mbuf->vlan_tci = 0;
	mbuf->hash.rss = 0;
	if (device->hashed)
		packet_hash(mbuf);
	queue = &device->queues[device->reta[mbuf->hash.rss % DDP_RETA_SIZE]];
	descriptor = &queue->descriptors[queue->n++];
	memcpy(descriptor->rearm, mbuf->rearm_data, sizeof(descriptor->rearm));
	memcpy(descriptor->fields, mbuf->rx_descriptor_fields1, sizeof(descriptor->fields));
	descriptor->mbuf = mbuf;
}

// Packets to the queues that their hashes choose; whole bursts only.
static void packets_spread(struct device *device, uint16_t port) {
	for (unsigned int q = 0; q < device->n_queues; q++)
		device->queues[q].n = device->queues[q].next = 0;
	for (unsigned int i = 0; i < prepared->n; i++)
		packet_put(device, port, prepared->mbufs[i]);
	for (unsigned int q = 0; q < device->n_queues; q++)
		device->queues[q].n -= device->queues[q].n % BURST;
}

static int start(struct rte_eth_dev *dev) {
	struct device *device = dev->data->dev_private;

	packets_spread(device, dev->data->port_id);
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

static int reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n) {
	const struct device *device = dev->data->dev_private;

	for (unsigned int i = 0; i < n; i++)
		reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] =
			device->reta[i];
	return 0;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_rxconf *conf,
			  struct rte_mempool *pool) {
	struct device *device = dev->data->dev_private;
	struct queue *queue = &device->queues[id];

	if (prepared == NULL)
		return -EINVAL;
	free(queue->descriptors);
	queue->descriptors = aligned_alloc(alignof(struct descriptor),
					   prepared->n * sizeof(*queue->descriptors));
	if (queue->descriptors == NULL)
		return -ENOMEM;
	queue->served = 0;
	dev->data->rx_queues[id] = queue;
	return 0;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_txconf *conf) {
	dev->data->tx_queues[id] = dev->data->dev_private;
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
	.rss_hash_update = rss_hash_update,
	.reta_update = reta_update,
	.reta_query = reta_query,
	.flow_ops_get = flow_ops_get,
};

static int probe(struct rte_vdev_device *vdev) {
	static struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1}};
	const char *number = rte_vdev_device_name(vdev) + strlen("net_template");
	struct rte_kvargs *args = rte_kvargs_parse(rte_vdev_device_args(vdev), NULL);
	const char *queues = args != NULL ? rte_kvargs_get(args, "queues") : NULL;
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, 0);
	struct device *device = &devices[atoi(number) % N_DEVICES];

	device->hashed = args != NULL && rte_kvargs_get(args, "hashed") != NULL;
	device->n_queues = queues != NULL ? RTE_MIN(atoi(queues), QUEUES_MAX) : 1;
	ddp_reta_fill(device->reta, DDP_RETA_SIZE, device->n_queues); // net_ddp's, too
	rte_kvargs_free(args);
	if (dev == NULL)
		return -ENOMEM;
	dev->data->dev_private = device;
	dev->data->mac_addrs = &mac;
	dev->data->promiscuous = 1;
	dev->dev_ops = &ops;
	dev->rx_pkt_burst = rx;
	dev->rx_queue_count = rx_queue_count;
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
