/* SPDX-License-Identifier: BSD-3-Clause */
#include "testsrc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_interrupts.h>
#include <rte_kvargs.h>
#include <rte_malloc.h>
#include <rte_mbuf_dyn.h>
#include <rte_ring.h>
#include <rte_spinlock.h>

#include "base/dpdk_compat.h"
#include "fake_nic.h"

// Operations of a driver have parameters that a fake does not need.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define N_DEVICES 4
#define N_MACS 3

struct queue {
	struct device *device;
	struct rte_ring *ring;
	bool inside;
	uint64_t packets;
	bool armed; // its interrupt
	int fd;
};

struct device {
	struct queue rx[TESTSRC_QUEUES];
	struct queue tx[TESTSRC_QUEUES];
	unsigned int n_rxq, n_txq, spread;
	bool paired;
	unsigned int tx_room[TESTSRC_QUEUES];
	bool running;
	struct rte_eth_dev *dev;
	struct rte_ether_addr macs[N_MACS];
	struct rte_eth_fc_conf flow_ctrl;
	uint64_t pauses; // an extended statistic
	struct fake_nic nic;
	FILE *capture; // NULL: none, or no more of it
	bool infinite;
	rte_spinlock_t capture_lock;
	struct rte_mempool *pool;
};

// They outlive the ports, so that a test can inspect sent packets after it closed everything.
static struct device devices[N_DEVICES];
static unsigned int n_faults;

static void (*hook)(void *arg);
static void *hook_arg;

static void (*control_hook)(const char *op, void *arg);
static void *control_hook_arg;

static struct device *device_of(struct rte_eth_dev *dev) {
	return *(struct device **)dev->data->dev_private;
}

static void called(const char *op) {
	if (control_hook != NULL)
		control_hook(op, control_hook_arg);
}

static void fault_if(bool fault) {
	if (fault)
		__atomic_add_fetch(&n_faults, 1, __ATOMIC_RELAXED);
}

static void queue_enter(struct queue *queue) {
	void (*fn)(void *arg) = __atomic_exchange_n(&hook, NULL, __ATOMIC_ACQ_REL);

	fault_if(__atomic_exchange_n(&queue->inside, true, __ATOMIC_ACQUIRE));
	fault_if(!__atomic_load_n(&queue->device->running, __ATOMIC_ACQUIRE));
	if (fn != NULL)
		fn(hook_arg);
}

static void queue_leave(struct queue *queue) {
	__atomic_store_n(&queue->inside, false, __ATOMIC_RELEASE);
}

#define CAPTURE_BURST 32
#define CAPTURE_HEADER 24

static bool capture_next(struct device *device, void *data, size_t size) {
	if (fread(data, size, 1, device->capture) == 1)
		return true;
	if (device->infinite && fseek(device->capture, CAPTURE_HEADER, SEEK_SET) == 0 &&
	    fread(data, size, 1, device->capture) == 1)
		return true;
	fclose(device->capture);
	device->capture = NULL;
	return false;
}

// The next packet; NULL: there is none.
static struct rte_mbuf *capture_read(struct device *device) {
	struct {
		uint32_t sec, usec, len, wire_len;
	} record;
	static int offset = -1;
	static uint64_t flag;
	struct rte_mbuf *mbuf;

	if (offset < 0 && rte_mbuf_dyn_rx_timestamp_register(&offset, &flag) < 0)
		abort();
	if (!capture_next(device, &record, sizeof(record)))
		return NULL;
	mbuf = rte_pktmbuf_alloc(device->pool);
	if (mbuf == NULL || record.len > rte_pktmbuf_tailroom(mbuf) ||
	    fread(rte_pktmbuf_append(mbuf, record.len), record.len, 1, device->capture) != 1)
		abort();
	*RTE_MBUF_DYNFIELD(mbuf, offset, rte_mbuf_timestamp_t *) =
		record.sec * UINT64_C(1000000) + record.usec;
	mbuf->ol_flags |= flag;
	return mbuf;
}

static void capture_play(struct device *device) {
	struct rte_mbuf *mbuf;

	if (!rte_spinlock_trylock(&device->capture_lock))
		return;
	if (rte_mempool_avail_count(device->pool) > 2 * CAPTURE_BURST)
		for (unsigned int i = 0; i < CAPTURE_BURST && device->capture != NULL; i++) {
			mbuf = capture_read(device);
			if (mbuf != NULL)
				testsrc_arrive(device - devices, &mbuf, 1);
		}
	rte_spinlock_unlock(&device->capture_lock);
}

static uint16_t rx(void *arg, struct rte_mbuf **mbufs, uint16_t n) {
	struct queue *queue = arg;

	queue_enter(queue);
	if (queue->device->nic.n_starved > 0) {
		queue->device->nic.n_starved--;
		n = 0;
	}
	if (queue->device->capture != NULL && rte_ring_empty(queue->ring))
		capture_play(queue->device);
	n = rte_ring_dequeue_burst(queue->ring, (void **)mbufs, n, NULL);
	for (uint16_t i = 0;
	     i < n && queue->device->nic.kind != FAKE_NIC_NONE && queue->device->capture == NULL;
	     i++)
		fake_nic_receive(&queue->device->nic, mbufs[i]);
	__atomic_store_n(&queue->packets, queue->packets + n, __ATOMIC_RELAXED);
	queue_leave(queue);
	return n;
}

static dpdk_queue_count_t rx_count(void *arg) {
	const struct queue *queue = arg;
	unsigned int n = rte_ring_count(queue->ring);

	return n - RTE_MIN(n, queue->device->nic.n_staged);
}

static uint16_t tx(void *arg, struct rte_mbuf **mbufs, uint16_t n) {
	struct queue *queue = arg;
	unsigned int *room = &queue->device->tx_room[queue - queue->device->tx];

	queue_enter(queue);
	n = rte_ring_enqueue_burst(queue->ring, (void *const *)mbufs, RTE_MIN(n, *room), NULL);
	*room -= n;
	__atomic_store_n(&queue->packets, queue->packets + n, __ATOMIC_RELAXED);
	queue_leave(queue);
	return n;
}

static int configure(struct rte_eth_dev *dev) {
	const struct device *device = device_of(dev);

	called("configure");
	return device->paired && dev->data->nb_rx_queues != dev->data->nb_tx_queues ? -EINVAL : 0;
}

static void interrupt(struct queue *queue) {
	const uint64_t one = 1;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (rte_ring_count(queue->ring) == 0 ||
	    !__atomic_exchange_n(&queue->armed, false, __ATOMIC_ACQ_REL))
		return;
	if (write(queue->fd, &one, sizeof(one)) != sizeof(one))
		abort();
}

static int rx_intr_enable(struct rte_eth_dev *dev, uint16_t id) {
	struct queue *queue = dev->data->rx_queues[id];

	__atomic_store_n(&queue->armed, true, __ATOMIC_RELEASE);
	interrupt(queue);
	return 0;
}

static int rx_intr_disable(struct rte_eth_dev *dev, uint16_t id) {
	struct queue *queue = dev->data->rx_queues[id];

	__atomic_store_n(&queue->armed, false, __ATOMIC_RELEASE);
	return 0;
}

static void interrupts_set(struct rte_eth_dev *dev, bool on) {
	struct device *device = device_of(dev);

	rte_intr_free_epoll_fd(dev->intr_handle);
	rte_intr_vec_list_free(dev->intr_handle);
	rte_intr_nb_efd_set(dev->intr_handle, 0);
	if (!on)
		return;
	rte_intr_type_set(dev->intr_handle, RTE_INTR_HANDLE_VDEV);
	rte_intr_efd_counter_size_set(dev->intr_handle, sizeof(uint64_t));
	rte_intr_vec_list_alloc(dev->intr_handle, NULL, dev->data->nb_rx_queues);
	rte_intr_nb_efd_set(dev->intr_handle, dev->data->nb_rx_queues);
	for (unsigned int i = 0; i < dev->data->nb_rx_queues; i++) {
		device->rx[i].armed = false;
		rte_intr_efds_index_set(dev->intr_handle, i, device->rx[i].fd);
		rte_intr_vec_list_index_set(dev->intr_handle, i, RTE_INTR_VEC_RXTX_OFFSET + i);
	}
}

static void running_set(struct device *device, bool running) {
	__atomic_store_n(&device->running, running, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < TESTSRC_QUEUES; i++) {
		fault_if(__atomic_load_n(&device->rx[i].inside, __ATOMIC_ACQUIRE));
		fault_if(__atomic_load_n(&device->tx[i].inside, __ATOMIC_ACQUIRE));
	}
}

static int start(struct rte_eth_dev *dev) {
	struct device *device = device_of(dev);

	called("start");
	if (device->nic.fail_start > 0 && --device->nic.fail_start == 0)
		return -EIO;
	running_set(device, true);
	if (dev->intr_handle != NULL)
		interrupts_set(dev, dev->data->dev_conf.intr_conf.rxq);
	device->nic.rss_hf = dev->data->dev_conf.rx_adv_conf.rss_conf.rss_hf;
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

static int stop(struct rte_eth_dev *dev) {
	called("stop");
	if (dev->intr_handle != NULL)
		interrupts_set(dev, false);
	running_set(device_of(dev), false);
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	return 0;
}

// As NICs do, it forgets what was configured and set up.
static int reset(struct rte_eth_dev *dev) {
	called("reset");
	for (unsigned int i = 0; i < dev->data->nb_rx_queues; i++)
		dev->data->rx_queues[i] = NULL;
	for (unsigned int i = 0; i < dev->data->nb_tx_queues; i++)
		dev->data->tx_queues[i] = NULL;
	dev->data->nb_rx_queues = dev->data->nb_tx_queues = 0;
	return 0;
}

static int device_close(struct rte_eth_dev *dev) {
	dev->data->mac_addrs = NULL; // not ethdev's to free
	stop(dev);
	rte_intr_instance_free(dev->intr_handle);
	dev->intr_handle = NULL;
	return 0;
}

static int infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info) {
	const struct device *device = device_of(dev);

	called("infos_get");
	info->max_rx_queues = device->n_rxq;
	info->max_tx_queues = device->n_txq;
	info->max_rx_pktlen = 9618;
	info->max_mtu = 9600;
	info->max_mac_addrs = N_MACS;
	info->default_rxportconf.nb_queues = device->spread;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_VLAN_STRIP |
				RTE_ETH_RX_OFFLOAD_VLAN_FILTER | RTE_ETH_RX_OFFLOAD_SCATTER;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE |
				RTE_ETH_TX_OFFLOAD_MT_LOCKFREE;
	info->flow_type_rss_offloads = RTE_ETH_RSS_IP;
	info->speed_capa = RTE_ETH_LINK_SPEED_25G;
	if (device->nic.kind != FAKE_NIC_NONE)
		fake_nic_info(&device->nic, info);
	return 0;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_rxconf *conf,
			  struct rte_mempool *pool) {
	struct device *device = device_of(dev);

	called("rx_queue_setup");
	device->pool = pool;
	dev->data->rx_queues[id] = &device->rx[id];
	return 0;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_txconf *conf) {
	struct device *device = device_of(dev);

	called("tx_queue_setup");
	dev->data->tx_queues[id] = &device->tx[id];
	return 0;
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats) {
	const struct device *device = device_of(dev);

	called("stats_get");
	for (unsigned int i = 0; i < device->n_rxq; i++)
		stats->ipackets += __atomic_load_n(&device->rx[i].packets, __ATOMIC_RELAXED);
	stats->imissed = 7; // the value that a test expects
	return 0;
}

DPDK_STATS_GET_OP(stats_get_op, stats_get)

static void link_set(struct rte_eth_dev *dev, bool up) {
	dev->data->dev_link.link_status = up;
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}

static struct fake_nic *nic_of(struct rte_eth_dev *dev) {
	return &device_of(dev)->nic;
}

// Operation `name`, which returns `result`. What is asked of some is in what ethdev keeps.
#define OP(name, result, ...)          \
	static int name(__VA_ARGS__) { \
		called(#name);         \
		return result;         \
	}

OP(link_update, 0, struct rte_eth_dev *dev, int wait)
OP(mac_addr_add, 0, struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t index,
   uint32_t vmdq)
OP(vlan_offload_set, 0, struct rte_eth_dev *dev, int mask)
OP(vlan_filter_set, 0, struct rte_eth_dev *dev, uint16_t vlan, int on)
// As some drivers do, these notify of the change before they return.
OP(set_link_up, (link_set(dev, true), 0), struct rte_eth_dev *dev)
OP(set_link_down, (link_set(dev, false), 0), struct rte_eth_dev *dev)
OP(rss_hash_update, fake_nic_rss(nic_of(dev), conf), struct rte_eth_dev *dev,
   struct rte_eth_rss_conf *conf)
OP(reta_update, fake_nic_reta_update(nic_of(dev), reta, n), struct rte_eth_dev *dev,
   struct rte_eth_rss_reta_entry64 *reta, uint16_t n)
OP(reta_query, fake_nic_reta_query(nic_of(dev), reta, n), struct rte_eth_dev *dev,
   struct rte_eth_rss_reta_entry64 *reta, uint16_t n)
OP(tunnel_add, fake_nic_tunnel(nic_of(dev), tunnel, true), struct rte_eth_dev *dev,
   struct rte_eth_udp_tunnel *tunnel)
OP(tunnel_del, fake_nic_tunnel(nic_of(dev), tunnel, false), struct rte_eth_dev *dev,
   struct rte_eth_udp_tunnel *tunnel)
OP(flow_validate, fake_nic_validate(nic_of(dev), items, actions, error), struct rte_eth_dev *dev,
   const struct rte_flow_attr *attr, const struct rte_flow_item items[],
   const struct rte_flow_action actions[], struct rte_flow_error *error)
OP(flow_destroy, fake_nic_destroy(nic_of(dev), flow, error), struct rte_eth_dev *dev,
   struct rte_flow *flow, struct rte_flow_error *error)

static void mac_addr_remove(struct rte_eth_dev *dev, uint32_t index) {
	called("mac_addr_remove");
}

static struct rte_flow *flow_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
				    const struct rte_flow_item items[],
				    const struct rte_flow_action actions[],
				    struct rte_flow_error *error) {
	called("flow_create");
	return fake_nic_create(nic_of(dev), items, actions, error);
}

static int flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **flow_ops) {
	static const struct rte_flow_ops fake_ops = {
		.validate = flow_validate,
		.create = flow_create,
		.destroy = flow_destroy,
	};

	if (nic_of(dev)->kind == FAKE_NIC_NONE)
		return -ENOTSUP;
	*flow_ops = &fake_ops;
	return 0;
}

// The rest has fixed answers.

OP(flow_ctrl_get, (*conf = device_of(dev)->flow_ctrl, 0), struct rte_eth_dev *dev,
   struct rte_eth_fc_conf *conf)
OP(flow_ctrl_set, (device_of(dev)->flow_ctrl = *conf, 0), struct rte_eth_dev *dev,
   struct rte_eth_fc_conf *conf)
OP(tx_done_cleanup, n, void *txq, uint32_t n)
OP(module_info_get, (info->type = 2, info->eeprom_len = 256, 0), struct rte_eth_dev *dev,
   struct rte_eth_dev_module_info *info)
OP(module_eeprom_get, (memset(info->data, 0x5a, info->length), 0), struct rte_eth_dev *dev,
   struct rte_dev_eeprom_info *info)
OP(read_clock, (*clock = 123456789, 0), struct rte_eth_dev *dev, uint64_t *clock)
OP(pool_ops_supported, strcmp(pool, "stack") == 0 ? -ENOTSUP : 0, struct rte_eth_dev *dev,
   const char *pool)
OP(xstats_reset, (device_of(dev)->pauses = 0, 0), struct rte_eth_dev *dev)

static int xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *values, unsigned int n) {
	called("xstats_get");
	if (n > 0)
		values[0] = (struct rte_eth_xstat){
			.value = device_of(dev)->pauses,
		};
	return 1;
}

static int xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names,
			    unsigned int n) {
	called("xstats_get_names");
	if (names != NULL && n > 0)
		snprintf(names[0].name, sizeof(names[0].name), "rx_pauses");
	return 1;
}

static const struct eth_dev_ops ops = {
	.dev_configure = configure,
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = device_close,
	.dev_reset = reset,
	.dev_infos_get = infos_get,
	.rx_queue_setup = rx_queue_setup,
	.tx_queue_setup = tx_queue_setup,
	.link_update = link_update,
	.dev_set_link_up = set_link_up,
	.dev_set_link_down = set_link_down,
	.mac_addr_add = mac_addr_add,
	.mac_addr_remove = mac_addr_remove,
	.vlan_offload_set = vlan_offload_set,
	.vlan_filter_set = vlan_filter_set,
	.stats_get = stats_get_op,
	.xstats_get = xstats_get,
	.xstats_get_names = xstats_get_names,
	.xstats_reset = xstats_reset,
	.flow_ctrl_get = flow_ctrl_get,
	.flow_ctrl_set = flow_ctrl_set,
	.tx_done_cleanup = tx_done_cleanup,
	.get_module_info = module_info_get,
	.get_module_eeprom = module_eeprom_get,
	.read_clock = read_clock,
	.pool_ops_supported = pool_ops_supported,
	.rss_hash_update = rss_hash_update,
	.reta_update = reta_update,
	.reta_query = reta_query,
	.udp_tunnel_port_add = tunnel_add,
	.udp_tunnel_port_del = tunnel_del,
	.flow_ops_get = flow_ops_get,
};

static unsigned int arg_get(const struct rte_kvargs *args, const char *key, unsigned int value) {
	const char *text = rte_kvargs_get(args, key);

	return text == NULL ? value : (unsigned int)atoi(text);
}

static void rings_create(struct device *device) {
	for (unsigned int i = 0; i < 2 * TESTSRC_QUEUES; i++) {
		struct queue *queue = i % 2 ? &device->tx[i / 2] : &device->rx[i / 2];
		char name[RTE_RING_NAMESIZE];

		queue->device = device;
		if (queue->ring != NULL)
			continue;
		snprintf(name, sizeof(name), "testsrc%u_%u", (unsigned int)(device - devices), i);
		queue->ring = rte_ring_create(name, TESTSRC_RING, SOCKET_ID_ANY, 0);
	}
}

static void capture_open(struct device *device, const struct rte_kvargs *args) {
	const char *path = rte_kvargs_get(args, "pcap");
	char header[CAPTURE_HEADER];

	device->capture = path == NULL ? NULL : fopen(path, "rb");
	device->infinite = arg_get(args, "infinite", 0);
	if (path != NULL &&
	    (device->capture == NULL || fread(header, sizeof(header), 1, device->capture) != 1))
		abort();
}

static void interrupts_add(struct rte_eth_dev *dev, struct device *device) {
	static struct eth_dev_ops intr_ops;

	intr_ops = ops;
	intr_ops.rx_queue_intr_enable = rx_intr_enable;
	intr_ops.rx_queue_intr_disable = rx_intr_disable;
	dev->dev_ops = &intr_ops;
	dev->intr_handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	for (unsigned int i = 0; i < TESTSRC_QUEUES; i++)
		if (device->rx[i].fd == 0)
			device->rx[i].fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

static int probe(struct rte_vdev_device *vdev) {
	const char *name = rte_vdev_device_name(vdev);
	struct device *device = &devices[(name[strlen(name) - 1] - '0') % N_DEVICES];
	struct rte_kvargs *args = rte_kvargs_parse(rte_vdev_device_args(vdev), NULL);
	struct rte_eth_dev *dev;

	if (args == NULL || rte_kvargs_get(args, "fail") != NULL) {
		rte_kvargs_free(args);
		return -EIO;
	}
	device->n_rxq = arg_get(args, "rxq", 1);
	device->n_txq = arg_get(args, "txq", 1);
	device->spread = arg_get(args, "spread", 0);
	device->paired = arg_get(args, "paired", 0);
	device->pauses = 9; // the value that a test expects
	fake_nic_init(&device->nic, arg_get(args, "nic", FAKE_NIC_NONE));
	for (unsigned int i = 0; i < TESTSRC_QUEUES; i++)
		device->tx_room[i] = UINT32_MAX;
	rings_create(device);
	capture_open(device, args);
	dev = rte_eth_vdev_allocate(vdev, sizeof(struct device *));
	if (dev == NULL) {
		rte_kvargs_free(args);
		return -ENOMEM;
	}
	*(struct device **)dev->data->dev_private = device;
	device->dev = dev;
	memset(device->macs, 0, sizeof(device->macs));
	device->macs[0] = (struct rte_ether_addr){{2, 0, 0, 0, 0, 1}};
	dev->data->mac_addrs = device->macs;
	dev->data->promiscuous = arg_get(args, "promisc", 1);
	dev->data->dev_flags |= RTE_ETH_DEV_INTR_LSC | RTE_ETH_DEV_INTR_RMV;
	dev->dev_ops = &ops;
	if (arg_get(args, "intr", 0))
		interrupts_add(dev, device);
	rte_kvargs_free(args);
	dev->rx_pkt_burst = rx;
	dev->rx_queue_count = rx_count;
	dev->tx_pkt_burst = tx;
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int remove_device(struct rte_vdev_device *vdev) {
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));
	struct device *device;

	if (dev == NULL)
		return 0;
	device = device_of(dev);
	fake_nic_fini(&device->nic);
	rte_intr_instance_free(dev->intr_handle);
	dev->data->mac_addrs = NULL;
	rte_eth_dev_release_port(dev);
	running_set(device, false); // a use after its last event is an error
	return 0;
}

#define DRIVER(name)                           \
	static struct rte_vdev_driver name = { \
		.probe = probe,                \
		.remove = remove_device,       \
	};                                     \
	RTE_PMD_REGISTER_VDEV(net_##name, name);

DRIVER(testsrc)
DRIVER(i40e) // a NIC of the 700 series by its driver's name
DRIVER(ice)  // and of the 800 series

void testsrc_feed(unsigned int dev, unsigned int queue, struct rte_mbuf **mbufs, unsigned int n) {
	if (rte_ring_enqueue_bulk(devices[dev].rx[queue].ring, (void *const *)mbufs, n, NULL) != n)
		abort();
	interrupt(&devices[dev].rx[queue]);
}

void testsrc_arrive(unsigned int dev, struct rte_mbuf **mbufs, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		fake_nic_receive(&devices[dev].nic, mbufs[i]);
		testsrc_feed(dev, fake_nic_queue(&devices[dev].nic, mbufs[i]), &mbufs[i], 1);
	}
}

struct fake_nic *testsrc_nic(unsigned int dev) {
	return &devices[dev].nic;
}

unsigned int testsrc_left(unsigned int dev) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < TESTSRC_QUEUES; i++)
		n += rte_ring_count(devices[dev].rx[i].ring);
	return n;
}

struct rte_mbuf *testsrc_sent(unsigned int dev, unsigned int queue) {
	struct rte_mbuf *mbuf = NULL;

	rte_ring_dequeue(devices[dev].tx[queue].ring, (void **)&mbuf);
	return mbuf;
}

void testsrc_clear(void) {
	for (unsigned int i = 0; i < N_DEVICES * 2 * TESTSRC_QUEUES; i++) {
		struct device *device = &devices[i / (2 * TESTSRC_QUEUES)];
		unsigned int q = i / 2 % TESTSRC_QUEUES;
		struct queue *queue = i % 2 ? &device->tx[q] : &device->rx[q];
		struct rte_mbuf *mbuf;

		while (queue->ring != NULL && rte_ring_dequeue(queue->ring, (void **)&mbuf) == 0)
			rte_pktmbuf_free(mbuf);
	}
}

void testsrc_tx_room(unsigned int dev, unsigned int n) {
	for (unsigned int i = 0; i < TESTSRC_QUEUES; i++)
		devices[dev].tx_room[i] = n;
}

void testsrc_hook(void (*fn)(void *arg), void *arg) {
	hook_arg = arg;
	__atomic_store_n(&hook, fn, __ATOMIC_RELEASE);
}

void testsrc_control_hook(void (*fn)(const char *op, void *arg), void *arg) {
	control_hook_arg = arg;
	control_hook = fn;
}

void testsrc_link(unsigned int dev, bool up) {
	link_set(devices[dev].dev, up);
}

void testsrc_unplug(unsigned int dev) {
	testsrc_tell(dev, RTE_ETH_EVENT_INTR_RMV);
}

void testsrc_tell(unsigned int dev, enum rte_eth_event_type type) {
	rte_eth_dev_callback_process(devices[dev].dev, type, NULL);
}

unsigned int testsrc_faults(void) {
	return __atomic_load_n(&n_faults, __ATOMIC_RELAXED);
}
