/* SPDX-License-Identifier: BSD-3-Clause */
// Requests of secondary processes, and a port in one; see mp.h.
//
// ethdev writes into the port's data, which all processes share, before it calls some operations,
// and resets it if they fail: a secondary process that configured a port would take the queues away
// from the primary process. So configure and the set-up of queues are left out, which ethdev
// refuses before it writes anything.
#include "port/mp/mp.h"
#include "port/app/app.h"
#include "port/counts/stats.h"
#include "port/lower/lower.h"
#include "port/quiesce/quiesce.h"
#include "port/run/run.h"
#include "port/state/control.h"

#include <limits.h>
#include <unistd.h>

#include <bus_vdev_driver.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_jhash.h>
#include <rte_malloc.h>

#define MESSAGE "net_ddp" // name of the messages; each has the address of a request
#define WAIT_US 50        // us: between two checks of a request
#define WAIT_MAX_S 15     // s: a driver may wait 9 s for a link
#define ALIVE_CHECKS 512  // checks of a request between two checks of the primary process

/* Requests */

// Operations that are requests: X(operation, the call that the primary process makes of it; of the
// request: n, data and its size; parameters beside dev). data is the argument, and then the result.
// An application that requests the number of statistics passes no array.
#define OPERATIONS(X)                                                                              \
	X(dev_infos_get, ops->dev_infos_get(dev, data), 0, info, sizeof(*info),                    \
	  struct rte_eth_dev_info *info)                                                           \
	X(fw_version_get, ops->fw_version_get(dev, data, request->size), 0, version, size,         \
	  char *version, size_t size)                                                              \
	X(link_update, ops->link_update(dev, request->n), wait, NULL, 0, int wait)                 \
	X(dev_set_link_up, ops->dev_set_link_up(dev), 0, NULL, 0)                                  \
	X(dev_set_link_down, ops->dev_set_link_down(dev), 0, NULL, 0)                              \
	X(promiscuous_enable, ops->promiscuous_enable(dev), 0, NULL, 0)                            \
	X(promiscuous_disable, ops->promiscuous_disable(dev), 0, NULL, 0)                          \
	X(allmulticast_enable, ops->allmulticast_enable(dev), 0, NULL, 0)                          \
	X(allmulticast_disable, ops->allmulticast_disable(dev), 0, NULL, 0)                        \
	X(mtu_set, ops->mtu_set(dev, request->n), mtu, NULL, 0, uint16_t mtu)                      \
	X(reta_update, ops->reta_update(dev, data, request->n), n, conf, reta_size(n),             \
	  struct rte_eth_rss_reta_entry64 *conf, uint16_t n)                                       \
	X(reta_query, ops->reta_query(dev, data, request->n), n, conf, reta_size(n),               \
	  struct rte_eth_rss_reta_entry64 *conf, uint16_t n)                                       \
	X(stats_reset, ops->stats_reset(dev), 0, NULL, 0)                                          \
	X(xstats_get, ops->xstats_get(dev, data, request->n), values != NULL ? n : 0, values,      \
	  values != NULL ? n * sizeof(*values) : 0, struct rte_eth_xstat * values, unsigned int n) \
	X(xstats_get_names, ops->xstats_get_names(dev, data, request->n), names != NULL ? n : 0,   \
	  names, names != NULL ? n * sizeof(*names) : 0, struct rte_eth_xstat_name * names,        \
	  unsigned int n)

// All requests: X(name, the call that the primary process makes of it).
#define REQUESTS(X)                                                                      \
	OPERATIONS(X)                                                                    \
	X(stats_get, DDP_PORT_READ(request->port_id, port, ddp_stats_get(port, data)))   \
	X(attach, DDP_PORT_READ(request->port_id, port, (ddp_mp_watch(port), 0)))        \
	X(ptypes_get, DDP_PORT_READ(request->port_id, port, ddp_ptypes_get(port, data))) \
	X(rss_hash_conf_get, ops->rss_hash_conf_get(dev, rss_conf(data)))                \
	X(rss_hash_update, ops->rss_hash_update(dev, rss_conf(data)))

enum request_op {
#define OP(name, ...) REQUEST_##name,
	REQUESTS(OP)
};

// The primary process sets DONE, the secondary one GIVEN_UP; the later one frees the request.
enum request_state {
	PENDING,
	DONE,
	GIVEN_UP,
};

struct request {
	uint32_t state; // enum request_state; atomic
	uint16_t op;    // enum request_op
	uint16_t port_id;
	uint32_t n; // items in data, or the value of a change
	int ret;
	size_t size;
	uint8_t data[] __rte_aligned(16); // argument and result
};

// The configuration only points to its key, or has none: NULL.
struct rss_data {
	struct rte_eth_rss_conf conf;
	uint8_t key[DDP_KEY_SIZE];
};

static bool request_end(struct request *request, enum request_state state) {
	uint32_t pending = PENDING;

	assert(state != PENDING);
	return __atomic_compare_exchange_n(&request->state, &pending, state, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* The primary process */

static struct rte_eth_rss_conf *rss_conf(struct rss_data *rss) {
	if (rss->conf.rss_key != NULL)
		rss->conf.rss_key = rss->key;
	return &rss->conf;
}

static int request_run(struct request *request) {
	const struct eth_dev_ops *ops = &ddp_port_ops;
	struct rte_eth_dev *dev;
	void *data = request->data;

	if (request->port_id >= RTE_MAX_ETHPORTS)
		return -ENODEV;
	dev = &rte_eth_devices[request->port_id];
	switch (request->op) {
#define CASE(name, call, ...) \
	case REQUEST_##name:  \
		return call;
		REQUESTS(CASE)
	default:
		return -ENOTSUP;
	}
}

static void *request_thread(void *arg) {
	struct request *request = arg;

	request->ret = request_run(request);
	if (!request_end(request, DONE))
		rte_free(request);
	return NULL;
}

static int message_receive(const struct rte_mp_msg *msg, __rte_unused const void *peer) {
	struct request *request;
	pthread_t thread;
	int ret;

	if (msg->len_param != sizeof(request))
		return -EINVAL;
	memcpy(&request, msg->param, sizeof(request));
	ret = pthread_create(&thread, NULL, request_thread, request);
	if (ret == 0)
		return pthread_detach(thread);
	request->ret = -ret;
	if (!request_end(request, DONE))
		rte_free(request);
	return 0;
}

void ddp_mp_serve(void) {
	rte_mp_action_register(MESSAGE, message_receive);
}

/* Requests to it */

static int primary_gone(const struct rte_eth_dev *dev) {
	return PORT_FAIL(dev->data->name, -ENODEV, "the primary process has ended");
}

static int request_wait(const struct rte_eth_dev *dev, const struct request *request) {
	const uint64_t end = rte_rdtsc() + WAIT_MAX_S * rte_get_tsc_hz();

	for (unsigned int i = 0; __atomic_load_n(&request->state, __ATOMIC_ACQUIRE) != DONE; i++) {
		if (rte_rdtsc() > end)
			return PORT_FAIL(dev->data->name, -ETIMEDOUT,
					 "no answer from the primary process in %d s", WAIT_MAX_S);
		if (i % ALIVE_CHECKS == 0 && !rte_eal_primary_proc_alive(NULL))
			return primary_gone(dev);
		rte_delay_us_sleep(WAIT_US);
	}
	return 0;
}

static int request_send(const struct rte_eth_dev *dev, enum request_op op, uint32_t n, void *data,
			size_t size) {
	struct rte_mp_msg msg = {.name = MESSAGE, .len_param = sizeof(struct request *)};
	struct request *request =
		rte_zmalloc("ddp_request", sizeof(*request) + size, RTE_CACHE_LINE_SIZE);
	int ret;

	assert(data != NULL || size == 0);
	if (request == NULL)
		return -ENOMEM;
	request->op = op;
	request->port_id = dev->data->port_id;
	request->n = n;
	request->size = size;
	if (size > 0)
		memcpy(request->data, data, size);
	memcpy(msg.param, &request, sizeof(request));
	ret = rte_mp_sendmsg(&msg) == 0 ? request_wait(dev, request) : primary_gone(dev);
	if (ret < 0 && request_end(request, GIVEN_UP)) // else it has just been done
		return ret;
	ret = request->ret;
	if (size > 0)
		memcpy(data, request->data, size);
	rte_free(request);
	return ret;
}

/* Operations of a secondary process */

static size_t reta_size(uint16_t n) {
	return RTE_ALIGN_CEIL(n, RTE_ETH_RETA_GROUP_SIZE) / RTE_ETH_RETA_GROUP_SIZE *
	       sizeof(struct rte_eth_rss_reta_entry64);
}

#define SEND(op, call, n, data, size, ...)                             \
	static int op(struct rte_eth_dev *dev, ##__VA_ARGS__) {        \
		return request_send(dev, REQUEST_##op, n, data, size); \
	}
OPERATIONS(SEND)
SEND(stats_get, , 0, stats, sizeof(*stats), struct rte_eth_stats *stats)
DPDK_STATS_GET_OP(stats_get_op, stats_get)

static int rss_request(const struct rte_eth_dev *dev, enum request_op op,
		       struct rte_eth_rss_conf *conf) {
	const size_t room = RTE_MIN(conf->rss_key_len, DDP_KEY_SIZE);
	struct rss_data rss = {.conf = *conf};
	uint8_t *key = conf->rss_key;
	int ret;

	if (key != NULL)
		memcpy(rss.key, key, room);
	ret = request_send(dev, op, 0, &rss, sizeof(rss));
	if (ret < 0 || op == REQUEST_rss_hash_update)
		return ret;
	*conf = rss.conf;
	conf->rss_key = key;
	if (key != NULL)
		memcpy(key, rss.key, room);
	return ret;
}

static int rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	return rss_request(dev, REQUEST_rss_hash_update, conf);
}

static int rss_hash_conf_get(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	return rss_request(dev, REQUEST_rss_hash_conf_get, conf);
}

static const uint32_t *supported_ptypes_get(struct rte_eth_dev *dev, size_t *n_ptypes) {
	int n = request_send(dev, REQUEST_ptypes_get, 0, ddp_ptypes, sizeof(ddp_ptypes));

	*n_ptypes = RTE_MAX(n, 0);
	ddp_ptypes[*n_ptypes] = RTE_PTYPE_UNKNOWN;
	return ddp_ptypes;
}

DPDK_PTYPES_GET_OP(supported_ptypes_get_op, supported_ptypes_get)

// The next functions read shared memory, which is constant while the port is started.
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

/* Operations of the primary process only */

static int refuse(const struct rte_eth_dev *dev, const char *what) {
	return PORT_FAIL(dev->data->name, -ENOTSUP, "only the primary process can %s", what);
}

static int start(struct rte_eth_dev *dev) {
	return refuse(dev, "start the port");
}

static int stop(struct rte_eth_dev *dev) {
	return refuse(dev, "stop the port");
}

// ethdev detaches from the port.
static int port_close(__rte_unused struct rte_eth_dev *dev) {
	return 0;
}

static int flow_validate(__rte_unused struct rte_eth_dev *dev,
			 __rte_unused const struct rte_flow_attr *attr,
			 __rte_unused const struct rte_flow_item *pattern,
			 __rte_unused const struct rte_flow_action *actions,
			 struct rte_flow_error *error) {
	return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, NULL,
				  "only the primary process has flow rules");
}

static struct rte_flow *flow_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
				    const struct rte_flow_item *pattern,
				    const struct rte_flow_action *actions,
				    struct rte_flow_error *error) {
	flow_validate(dev, attr, pattern, actions, error);
	return NULL;
}

static int flow_flush(struct rte_eth_dev *dev, struct rte_flow_error *error) {
	return flow_validate(dev, NULL, NULL, NULL, error);
}

static const struct rte_flow_ops flow_ops = {
	.validate = flow_validate,
	.create = flow_create,
	.flush = flow_flush,
};

static int flow_ops_get(__rte_unused struct rte_eth_dev *dev, const struct rte_flow_ops **found) {
	*found = &flow_ops;
	return 0;
}

/* Packets */

static bool lower_is_here(const struct ddp_port *port) {
	const uint16_t id = port->lower.port_id;
	const struct rte_eth_fp_ops *ops = &rte_eth_fp_ops[id];

	return id != DDP_PORT_NONE && rte_eth_devices[id].state == RTE_ETH_DEV_ATTACHED &&
	       ops->rx_pkt_burst != NULL && ops->rxq.data != NULL &&
	       (port->n_lower_txqs == 0 || (ops->tx_pkt_burst != NULL && ops->txq.data != NULL));
}

// Log the reason when an application polls, not when it attaches: most only read.
static bool refused(const struct ddp_port *port, const char *reason) {
	static const char *logged[RTE_MAX_ETHPORTS];

	RTE_ASSERT(port->id < RTE_MAX_ETHPORTS);
	if (__atomic_exchange_n(&logged[port->id], reason, __ATOMIC_RELAXED) != reason)
		PORT_LOG(ERR, port->name,
			 "only the primary process can receive and send packets: %s", reason);
	return false;
}

static bool may_use(const struct ddp_port *port, bool rx) {
	if (!__atomic_load_n(&port->running, __ATOMIC_ACQUIRE))
		return false;
	if (rx && !__atomic_load_n(&port->mp_receives, __ATOMIC_SEQ_CST))
		return refused(port, "packages do not work in others");
	if (rx && port->rx_intr)
		return refused(port, "its queues may sleep, and no other process can wake them");
	if (port->lower.unshared)
		return refused(port, "each process would read its own copy of the capture");
	if (!lower_is_here(port))
		return refused(port, "the driver of the lower device does not work in others");
	return true;
}

static uint16_t rx_burst(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct ddp_rxq *queue = rxq;
	uint16_t got = 0;

	if (!ddp_trylock(&queue->mp))
		return 0;
	if (may_use(queue->port, true))
		got = ddp_rx_burst(queue, mbufs, n);
	ddp_unlock(&queue->mp);
	return got;
}

static uint16_t tx_burst(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	const struct ddp_txq *queue = txq;

	return may_use(queue->port, false) ? ddp_tx_burst(txq, mbufs, n) : 0;
}

static uint16_t tx_prepare(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	const struct ddp_txq *queue = txq;

	if (may_use(queue->port, false))
		return ddp_tx_prepare(txq, mbufs, n);
	rte_errno = ENOTSUP;
	return 0;
}

static int tx_done_cleanup(void *txq, uint32_t n) {
	const struct ddp_txq *queue = txq;

	if (txq != NULL && !may_use(queue->port, false))
		return -ENOTSUP;
	return ddp_tx_done_cleanup(txq, n);
}

/* Attaching */

// clang-format off
#define MEMBER(op, ...) .op = op,
static const struct eth_dev_ops secondary_ops = {
	OPERATIONS(MEMBER)
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = port_close,
	.is_removed = is_removed,
	.flow_ops_get = flow_ops_get,
	.tx_done_cleanup = tx_done_cleanup,
	.rss_hash_update = rss_hash_update,
	.rss_hash_conf_get = rss_hash_conf_get,
	.dev_supported_ptypes_get = supported_ptypes_get_op,
	.rxq_info_get = rxq_info_get,
	.txq_info_get = txq_info_get,
	.stats_get = stats_get_op,
};
// clang-format on

uint32_t ddp_mp_layout(void) {
	static const char version[32] = DDP_VERSION;
	const uint32_t sizes[] = {
		sizeof(struct ddp_port),  sizeof(struct ddp_lower_rxq), sizeof(struct ddp_steering),
		sizeof(struct ddp_flows), sizeof(struct request),       ddp_cache_size(),
	};

	return rte_jhash_32b(sizes, RTE_DIM(sizes), rte_jhash(version, sizeof(version), 0));
}

int ddp_mp_attach(struct rte_vdev_device *vdev) {
	const char *name = rte_vdev_device_name(vdev);
	struct rte_eth_dev *dev = rte_eth_dev_attach_secondary(name);
	const struct ddp_port *port;
	int ret;

	if (dev == NULL)
		return -ENODEV; // ethdev has logged it
	port = dev->data->dev_private;
	if (port == NULL || !__atomic_load_n(&port->ready, __ATOMIC_ACQUIRE))
		return PORT_FAIL(name, -EAGAIN, "the primary process has not set up the port yet");
	if (port->layout != ddp_mp_layout())
		return PORT_FAIL(
			name, -ENOTSUP,
			"the primary process has another build of net_ddp than " DDP_VERSION);
	ret = request_send(dev, REQUEST_attach, 0, NULL, 0);
	if (ret < 0)
		return ret;
	// Process ids of one namespace mean nothing in another one.
	ddp_lock_owner =
		port->pid_ns != 0 && port->pid_ns == ddp_mp_pid_namespace() ? getpid() : INT_MAX;
	dev->device = &vdev->device;
	dev->dev_ops = &secondary_ops;
	dev->rx_pkt_burst = rx_burst;
	dev->tx_pkt_burst = tx_burst;
	dev->tx_pkt_prepare = tx_prepare;
	dev->rx_queue_count = ddp_rx_queue_count;
	dev->rx_descriptor_status = ddp_rx_descriptor_status;
	dev->tx_descriptor_status = ddp_tx_descriptor_status;
	rte_eth_dev_probing_finish(dev);
	// A lower device that was attached before this process began is on its bus already.
	if (strcmp(port->lower.bus, "vdev") == 0 && !lower_is_here(port))
		rte_vdev_init(port->lower.name, "");
	return 0;
}

// The lower device stays on its bus, which may be walking over its devices now; see lower/lower.c.
// When the bus removes it, its driver must not find the port by name: net_pcap would crash.
int ddp_mp_remove(struct rte_eth_dev *dev) {
	const struct ddp_port *port = dev->data->dev_private;
	const uint16_t id = port != NULL ? port->lower.port_id : DDP_PORT_NONE;

	if (id != DDP_PORT_NONE && rte_eth_devices[id].state == RTE_ETH_DEV_ATTACHED) {
		rte_eth_dev_close(id);
		rte_eth_devices[id].data = NULL;
	}
	return rte_eth_dev_release_port(dev);
}
