/* SPDX-License-Identifier: BSD-3-Clause */
// A port in a secondary process; see mp.h.
//
// ethdev writes into the port's data, which all processes share, before it calls some operations,
// and resets it if they fail: a secondary process that configured a port would take the queues away
// from the primary process. So configure and the set-up of queues are left out, which ethdev
// refuses before it writes anything.
#include "port/app/app.h"
#include "port/lower/lower.h"
#include "port/mp/mp.h"
#include "port/quiesce/quiesce.h"
#include "port/run/run.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <bus_vdev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#define WAIT_US 50      // between looks at a request
#define WAIT_MAX_S 15   // a driver may wait 9 s for a link
#define ALIVE_LOOKS 512 // looks between those at the primary process

/* Requests */

static int primary_gone(const struct rte_eth_dev *dev) {
	PORT_LOG(ERR, dev->data->name, "the primary process has ended");
	return -ENODEV;
}

static int primary_silent(const struct rte_eth_dev *dev) {
	PORT_LOG(ERR, dev->data->name, "no answer from the primary process in %d s", WAIT_MAX_S);
	return -ETIMEDOUT;
}

static bool is_done(const struct ddp_mp_request *request) {
	return __atomic_load_n(&request->state, __ATOMIC_ACQUIRE) == DDP_MP_DONE;
}

static int request_wait(const struct rte_eth_dev *dev, const struct ddp_mp_request *request) {
	const uint64_t end = rte_rdtsc() + WAIT_MAX_S * rte_get_tsc_hz();

	for (unsigned int i = 0; !is_done(request); i++) {
		if (rte_rdtsc() > end)
			return primary_silent(dev);
		if (i % ALIVE_LOOKS == 0 && !rte_eal_primary_proc_alive(NULL))
			return primary_gone(dev);
		rte_delay_us_sleep(WAIT_US);
	}
	return 0;
}

static int request_send(const struct rte_eth_dev *dev, struct ddp_mp_request *request) {
	struct rte_mp_msg msg = {.name = DDP_MP_NAME, .len_param = sizeof(request)};

	memcpy(msg.param, &request, sizeof(request));
	return rte_mp_sendmsg(&msg) == 0 ? request_wait(dev, request) : primary_gone(dev);
}

// Returns whether the primary process has just made it done.
static bool give_up(struct ddp_mp_request *request) {
	uint32_t pending = DDP_MP_PENDING;

	return !__atomic_compare_exchange_n(&request->state, &pending, DDP_MP_GIVEN_UP, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

// Ask the primary process. Data is the argument, and then the result.
static int ask(const struct rte_eth_dev *dev, enum ddp_mp_op op, uint32_t n, void *data,
	       size_t size) {
	struct ddp_mp_request *request =
		rte_zmalloc("ddp_request", sizeof(*request) + size, RTE_CACHE_LINE_SIZE);
	int ret;

	if (request == NULL)
		return -ENOMEM;
	request->op = op;
	request->port_id = dev->data->port_id;
	request->n = n;
	request->size = size;
	if (size > 0)
		memcpy(request->data, data, size);
	ret = request_send(dev, request);
	if (ret < 0 && !give_up(request))
		return ret;
	ret = request->ret;
	if (size > 0)
		memcpy(data, request->data, size);
	rte_free(request);
	return ret;
}

/* Operations */

// An operation that is a request, and its parameters beside dev.
#define ASK(op, request, n, data, size, ...)                      \
	static int op(struct rte_eth_dev *dev, ##__VA_ARGS__) {   \
		return ask(dev, DDP_MP_##request, n, data, size); \
	}

static size_t reta_size(uint16_t n) {
	return RTE_ALIGN_CEIL(n, RTE_ETH_RETA_GROUP_SIZE) / RTE_ETH_RETA_GROUP_SIZE *
	       sizeof(struct rte_eth_rss_reta_entry64);
}

ASK(infos_get, INFO, 0, info, sizeof(*info), struct rte_eth_dev_info *info)
ASK(fw_version_get, FW_VERSION, 0, version, size, char *version, size_t size)
ASK(link_update, LINK, wait_to_complete, NULL, 0, int wait_to_complete)
ASK(set_link_up, LINK_UP, 0, NULL, 0)
ASK(set_link_down, LINK_DOWN, 0, NULL, 0)
ASK(promiscuous_enable, PROMISCUOUS_ENABLE, 0, NULL, 0)
ASK(promiscuous_disable, PROMISCUOUS_DISABLE, 0, NULL, 0)
ASK(allmulticast_enable, ALLMULTICAST_ENABLE, 0, NULL, 0)
ASK(allmulticast_disable, ALLMULTICAST_DISABLE, 0, NULL, 0)
ASK(mtu_set, MTU, mtu, NULL, 0, uint16_t mtu)
ASK(reta_update, RETA_UPDATE, n, conf, reta_size(n), struct rte_eth_rss_reta_entry64 *conf,
    uint16_t n)
ASK(reta_query, RETA_QUERY, n, conf, reta_size(n), struct rte_eth_rss_reta_entry64 *conf,
    uint16_t n)
ASK(stats_get, STATS, 0, stats, sizeof(*stats), struct rte_eth_stats *stats)
DPDK_STATS_GET_OP(stats_get_op, stats_get)
ASK(stats_reset, STATS_RESET, 0, NULL, 0)
// An application that asks for the number of statistics passes no array.
ASK(xstats_get, XSTATS, values != NULL ? n : 0, values, values != NULL ? n * sizeof(*values) : 0,
    struct rte_eth_xstat *values, unsigned int n)
ASK(xstats_get_names, XSTATS_NAMES, names != NULL ? n : 0, names,
    names != NULL ? n * sizeof(*names) : 0, struct rte_eth_xstat_name *names, unsigned int n)

static int rss_ask(const struct rte_eth_dev *dev, enum ddp_mp_op op, struct ddp_mp_rss *rss,
		   const struct rte_eth_rss_conf *conf) {
	rss->conf = *conf;
	rss->has_key = conf->rss_key != NULL;
	if (rss->has_key)
		memcpy(rss->key, conf->rss_key, RTE_MIN(conf->rss_key_len, DDP_KEY_SIZE));
	return ask(dev, op, 0, rss, sizeof(*rss));
}

static int rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	struct ddp_mp_rss rss = {0};

	return rss_ask(dev, DDP_MP_RSS_HASH_UPDATE, &rss, conf);
}

static int rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	size_t room = RTE_MIN(conf->rss_key_len, DDP_KEY_SIZE);
	uint8_t *key = conf->rss_key;
	struct ddp_mp_rss rss = {0};
	int ret = rss_ask(dev, DDP_MP_RSS_HASH_CONF_GET, &rss, conf);

	if (ret < 0)
		return ret;
	*conf = rss.conf;
	conf->rss_key = key;
	if (key != NULL)
		memcpy(key, rss.key, room);
	return ret;
}

static const uint32_t *supported_ptypes_get(struct rte_eth_dev *dev, size_t *n_ptypes) {
	uint32_t *ptypes = ddp_ptypes_list();
	int n = ask(dev, DDP_MP_PTYPES, 0, ptypes, DDP_PTYPES_MAX * sizeof(*ptypes));

	*n_ptypes = RTE_MAX(n, 0);
	ptypes[*n_ptypes] = RTE_PTYPE_UNKNOWN;
	return ptypes;
}

DPDK_PTYPES_GET_OP(supported_ptypes_get_op, supported_ptypes_get)

// These and the next are in shared memory, constant while the port is started.
static void rxq_info_get(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_rxq_info *info) {
	const struct ddp_port *port = dev->data->dev_private;

	ddp_rxq_info_get(port, id, info);
}

static void txq_info_get(struct rte_eth_dev *dev, uint16_t id, struct rte_eth_txq_info *info) {
	const struct ddp_port *port = dev->data->dev_private;

	ddp_txq_info_get(port, id, info);
}

static int is_removed(struct rte_eth_dev *dev) {
	const struct ddp_port *port = dev->data->dev_private;

	return ddp_lower_is_unplugged(port);
}

/* What only the primary process can do */

static int refuse(const struct rte_eth_dev *dev, const char *what) {
	PORT_LOG(ERR, dev->data->name, "only the primary process can %s", what);
	return -ENOTSUP;
}

static int start(struct rte_eth_dev *dev) {
	return refuse(dev, "start the port");
}

static int stop(struct rte_eth_dev *dev) {
	return refuse(dev, "stop the port");
}

// ethdev detaches from the port.
static int port_close(struct rte_eth_dev *dev) {
	RTE_SET_USED(dev);
	return 0;
}

static int flow_refuse(struct rte_flow_error *error) {
	return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
				  "only the primary process has flow rules");
}

static int flow_validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
			 const struct rte_flow_item *pattern, const struct rte_flow_action *actions,
			 struct rte_flow_error *error) {
	RTE_SET_USED(dev);
	RTE_SET_USED(attr);
	RTE_SET_USED(pattern);
	RTE_SET_USED(actions);
	return flow_refuse(error);
}

static struct rte_flow *flow_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
				    const struct rte_flow_item *pattern,
				    const struct rte_flow_action *actions,
				    struct rte_flow_error *error) {
	flow_validate(dev, attr, pattern, actions, error);
	return NULL;
}

static int flow_flush(struct rte_eth_dev *dev, struct rte_flow_error *error) {
	RTE_SET_USED(dev);
	return flow_refuse(error);
}

static const struct rte_flow_ops flow_ops = {
	.validate = flow_validate,
	.create = flow_create,
	.flush = flow_flush,
};

static int flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **found) {
	RTE_SET_USED(dev);
	*found = &flow_ops;
	return 0;
}

/* Packets */

static bool is_running(const struct ddp_port *port) {
	return __atomic_load_n(&port->running, __ATOMIC_ACQUIRE);
}

// Can the lower device send and receive in this process?
static bool lower_is_here(const struct ddp_port *port) {
	const uint16_t id = port->lower.port_id;
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[id];

	return id != DDP_PORT_NONE && rte_eth_devices[id].state == RTE_ETH_DEV_ATTACHED &&
	       ops->rx_pkt_burst != NULL && ops->rxq.data != NULL &&
	       (port->n_lower_txqs == 0 || (ops->tx_pkt_burst != NULL && ops->txq.data != NULL));
}

// Say why not when an application polls, not when it attaches: most only look.
static bool refused(const struct ddp_port *port, const char *reason) {
	static const char *told[RTE_MAX_ETHPORTS];

	if (__atomic_exchange_n(&told[port->id], reason, __ATOMIC_RELAXED) != reason)
		PORT_LOG(ERR, port->name,
			 "only the primary process can receive and send packets: %s", reason);
	return false;
}

static bool may_send(const struct ddp_port *port) {
	if (port->lower.unshared)
		return refused(port, "each process would read its own copy of the capture");
	if (!lower_is_here(port))
		return refused(port, "the driver of the lower device does not work in others");
	return true;
}

static bool may_receive(const struct ddp_port *port) {
	if (!__atomic_load_n(&port->mp_receives, __ATOMIC_SEQ_CST))
		return refused(port, "packages do not work in others");
	if (port->rx_intr)
		return refused(port, "its queues may sleep, and no other process can wake them");
	return may_send(port);
}

static uint16_t rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_rxq *queue = rxq;
	uint16_t got = 0;

	if (!ddp_trylock(&queue->mp))
		return 0;
	if (is_running(queue->port) && may_receive(queue->port))
		got = ddp_rx_burst(queue, mbufs, n);
	ddp_unlock(&queue->mp);
	return got;
}

static uint16_t tx_burst(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	const struct ddp_port *port = ((struct ddp_txq *)txq)->port;

	return is_running(port) && may_send(port) ? ddp_tx_burst(txq, mbufs, n) : 0;
}

static uint16_t tx_prepare(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	const struct ddp_port *port = ((struct ddp_txq *)txq)->port;

	if (is_running(port) && may_send(port))
		return ddp_tx_prepare(txq, mbufs, n);
	rte_errno = ENOTSUP;
	return 0;
}

static int tx_done_cleanup(void *txq, uint32_t n) {
	const struct ddp_port *port;

	if (txq == NULL) // not set up: ethdev does not look
		return -EINVAL;
	port = ((struct ddp_txq *)txq)->port;
	return is_running(port) && may_send(port) ? ddp_tx_done_cleanup(txq, n) : -ENOTSUP;
}

/* Attaching */

static const struct eth_dev_ops secondary_ops = {
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = port_close,
	.dev_infos_get = infos_get,
	.fw_version_get = fw_version_get,
	.is_removed = is_removed,
	.link_update = link_update,
	.dev_set_link_up = set_link_up,
	.dev_set_link_down = set_link_down,
	.promiscuous_enable = promiscuous_enable,
	.promiscuous_disable = promiscuous_disable,
	.allmulticast_enable = allmulticast_enable,
	.allmulticast_disable = allmulticast_disable,
	.mtu_set = mtu_set,
	.flow_ops_get = flow_ops_get,
	.tx_done_cleanup = tx_done_cleanup,
	.rss_hash_update = rss_hash_update,
	.rss_hash_conf_get = rss_hash_conf_get,
	.reta_update = reta_update,
	.reta_query = reta_query,
	.dev_supported_ptypes_get = supported_ptypes_get_op,
	.rxq_info_get = rxq_info_get,
	.txq_info_get = txq_info_get,
	.stats_get = stats_get_op,
	.stats_reset = stats_reset,
	.xstats_get = xstats_get,
	.xstats_get_names = xstats_get_names,
};

uint64_t ddp_mp_layout(void) {
	const size_t sizes[] = {
		sizeof(struct ddp_port),     sizeof(struct ddp_lower_rxq),
		sizeof(struct ddp_steering), sizeof(struct ddp_mp_request),
		sizeof(struct ddp_flows),    ddp_cache_size(),
	};
	uint64_t sum = 0xcbf29ce484222325; // FNV-1a

	for (const char *c = DDP_VERSION; *c != '\0'; c++)
		sum = (sum ^ (uint8_t)*c) * 0x100000001b3;
	for (unsigned int i = 0; i < RTE_DIM(sizes); i++)
		sum = (sum ^ sizes[i]) * 0x100000001b3;
	return sum;
}

static int port_check(const struct rte_eth_dev *dev, const char *name) {
	const struct ddp_port *port = dev->data->dev_private;

	if (port == NULL || !__atomic_load_n(&port->ready, __ATOMIC_ACQUIRE)) {
		PORT_LOG(ERR, name, "the primary process has not set up the port yet");
		return -EAGAIN;
	}
	if (port->layout != ddp_mp_layout()) {
		PORT_LOG(ERR, name,
			 "the primary process has another build of net_ddp than " DDP_VERSION);
		return -ENOTSUP;
	}
	return 0;
}

// A lower device that was attached before this process began is on its bus already.
static void lower_attach(const struct ddp_port *port) {
	if (strcmp(port->lower.bus, "vdev") == 0 && !lower_is_here(port))
		rte_vdev_init(port->lower.name, "");
}

// Process ids of one namespace mean nothing in another one.
static int owner_of(const struct ddp_port *port) {
	bool known = port->pid_ns != 0 && port->pid_ns == ddp_mp_pid_namespace();

	return known ? getpid() : INT_MAX;
}

int ddp_mp_attach(struct rte_vdev_device *vdev) {
	const char *name = rte_vdev_device_name(vdev);
	struct rte_eth_dev *dev = rte_eth_dev_attach_secondary(name);
	int ret;

	if (dev == NULL)
		return -ENODEV; // ethdev has logged it
	ret = port_check(dev, name);
	if (ret == 0)
		ret = ask(dev, DDP_MP_ATTACH, 0, NULL, 0);
	if (ret < 0)
		return ret;
	ddp_lock_owner = owner_of(dev->data->dev_private);
	dev->device = &vdev->device;
	dev->dev_ops = &secondary_ops;
	dev->rx_pkt_burst = rx_burst;
	dev->tx_pkt_burst = tx_burst;
	dev->tx_pkt_prepare = tx_prepare;
	dev->rx_queue_count = ddp_rx_queue_count;
	dev->rx_descriptor_status = ddp_rx_descriptor_status;
	dev->tx_descriptor_status = ddp_tx_descriptor_status;
	rte_eth_dev_probing_finish(dev);
	lower_attach(dev->data->dev_private);
	return 0;
}

// The lower device stays on its bus, which may be walking over its devices now; see lower/attach.c.
// When the bus removes it, its driver must not find the port by its name once more: net_pcap would
// close what is closed, and crash.
static void lower_close(uint16_t id) {
	rte_eth_dev_close(id);
	rte_eth_devices[id].data = NULL;
}

int ddp_mp_remove(struct rte_eth_dev *dev) {
	const struct ddp_port *port = dev->data->dev_private;

	if (port != NULL && port->lower.port_id != DDP_PORT_NONE &&
	    rte_eth_devices[port->lower.port_id].state == RTE_ETH_DEV_ATTACHED)
		lower_close(port->lower.port_id);
	return rte_eth_dev_release_port(dev);
}
