/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet_stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_cycles.h>
#include <rte_kvargs.h>

#include "base/dpdk_compat.h"
#include "pool.h"
#include "unit/port/fake_nic.h"

#define BACKLOG 512 // packets sent that are not yet freed, as in a NIC's descriptors
#define SPLIT 40    // bytes of the first segment of packets that have two
#define NONSENSE 0xa5a5a5a5U
#define RUN 4096          // packets of flows of one type,
#define MIX 64            // and of all flows,
#define MIX_STRIDE 4      // which each so many-th run is
#define ZIPF_PARTS 65536U // that packets are chosen by
#define ZIPF_MS 5         // until other flows are in front
#define ARRIVE 64         // packets at once, at a NIC

struct rxq {
	uint16_t id;
	struct rte_mempool *pool;
	uint32_t random;
	atomic_bool inside;
} __rte_cache_aligned;

struct txq {
	uint32_t random;
	atomic_bool inside;
	uint32_t next[STREAM_SENDERS]; // tx_seq
	struct rte_mbuf *backlog[BACKLOG];
} __rte_cache_aligned;

static struct rxq rxqs[STREAM_RXQ_MAX];
static struct txq the_txq;
static uint16_t n_rxqs;
static uint32_t seqs[FLOWS]; // each written by the one queue that has the flow
static bool hashes;
__thread struct rte_mbuf **stream_array;
atomic_bool stream_emits, stream_skewed, stream_slow, stream_dropped_some;
atomic_uint stream_begun, stream_done;
_Atomic uint64_t stream_bypassed, stream_emitted, stream_sent;

static void enter(atomic_bool *inside) {
	if (atomic_exchange(inside, true))
		fault("two threads are in one queue of the lower device");
}

struct stamp *stamp_of(struct rte_mbuf *mbuf) {
	struct rte_mbuf *last = rte_pktmbuf_lastseg(mbuf);

	return rte_pktmbuf_mtod_offset(last, struct stamp *, last->data_len - sizeof(struct stamp));
}

/* Rx */

/* Zipf's law */

static uint16_t ranks[ZIPF_PARTS]; // of flows, by equal parts of the packets

static void ranks_fill(void) {
	double sum = 0, part = 0;

	for (unsigned int i = 1; i <= FLOWS; i++)
		sum += 1.0 / i;
	for (unsigned int i = 1, n = 0; i <= FLOWS; i++) {
		part += 1.0 / i / sum;
		while (n < ZIPF_PARTS && n < part * ZIPF_PARTS)
			ranks[n++] = i - 1;
	}
}

// Every few milliseconds other flows have the low ranks.
static uint32_t flow_skewed(uint32_t random) {
	uint32_t turn = rte_rdtsc() / (ZIPF_MS * (rte_get_tsc_hz() / 1000));

	return (ranks[random % ZIPF_PARTS] * 2531U + turn * 1237) % FLOWS;
}

// A quarter of all packets belongs to eight flows.
static uint32_t flow_uneven(uint32_t random) {
	return (random >> 2) % (random % 4 == 0 ? 8 : FLOWS);
}

static uint32_t flow_choose(struct rxq *queue) {
	uint32_t random = random_next(&queue->random);
	uint32_t flow = stream_skewed ? flow_skewed(random) : flow_uneven(random);

	// The flow of this queue near it: see flow_lower().
	return flow / (8 * n_rxqs) * (8 * n_rxqs) + queue->id * 8 + flow % 8;
}

static void stamp_take(struct stamp *stamp, uint16_t queue) {
	stamp->lower = queue;
	stamp->done = stream_done;
	stamp->begun = stream_begun;
	stamp->tsc = rte_rdtsc();
}

// The last burst from a queue of the lower device, under net_ddp's lock of it.
static struct last {
	const uint64_t *passed; // counter of net_ddp's
	uint64_t before;        // its value before
	uint16_t n_direct;      // packets that were read into the application's array
} lasts[STREAM_RXQ_MAX] __rte_cache_aligned;

static void bypass_count(struct last *last, struct rte_mbuf **mbufs, uint16_t n) {
	uint64_t now;

	if (last->passed == NULL)
		return;
	now = __atomic_load_n(last->passed, __ATOMIC_ACQUIRE);
	if (last->n_direct > 0 && now - last->before == last->n_direct)
		stream_bypassed += last->n_direct;
	last->before = now;
	last->n_direct = 0;
	if (mbufs == stream_array && n > 0 && stamp_of(mbufs[0])->begun == stamp_of(mbufs[0])->done)
		last->n_direct = n; // no change was under way
}

void stream_watch(uint16_t queue, const uint64_t *passed) {
	lasts[queue] = (struct last){.passed = passed};
}

// Fields that a NIC has filled for reasons of its own: none of it may be seen above net_ddp.
static void mbuf_soil(struct rte_mbuf *mbuf) {
	mbuf->port = RTE_MBUF_PORT_INVALID;
	mbuf->packet_type = NONSENSE;
	mbuf->hash.rss = NONSENSE;
	mbuf->hash.fdir.hi = NONSENSE;
	mbuf->ol_flags = RTE_MBUF_F_RX_RSS_HASH;
	memset(mbuf->dynfield1, 0xa5, sizeof(mbuf->dynfield1));
}

static void packet_frame(struct rte_mbuf *mbuf, uint32_t flow) {
	const uint8_t *frame;
	uint16_t len = flow_frame(flow, &frame);

	mbuf_soil(mbuf);
	memcpy(rte_pktmbuf_append(mbuf, len), frame, len);
}

// Move what lies behind SPLIT bytes to a second segment.
static void packet_split(struct rte_mbuf *mbuf) {
	struct rte_mbuf *second = rte_pktmbuf_alloc(mbuf->pool);
	uint16_t len = mbuf->data_len - SPLIT;

	if (second == NULL)
		return;
	memcpy(rte_pktmbuf_append(second, len), rte_pktmbuf_mtod_offset(mbuf, void *, SPLIT), len);
	rte_pktmbuf_trim(mbuf, len);
	rte_pktmbuf_chain(mbuf, second);
}

static void packet_stamp(struct rte_mbuf *mbuf, uint32_t flow) {
	struct stamp *stamp = (struct stamp *)rte_pktmbuf_append(mbuf, sizeof(*stamp));

	*stamp = (struct stamp){.flow = flow, .seq = seqs[flow]++};
	if (flow % 16 == 3)
		packet_split(mbuf);
}

/* Its NIC: it hashes packets when they arrive, as the make-believe NIC of the unit tests does, and
 * puts each on the queue that its redirection table says. There they wait until they are read: a
 * change of key, table or rules finds packets that were hashed and spread before it. Packets arrive
 * while somebody reads. One for a queue that is full does not arrive: a flow has no gap, and a
 * queue that nobody reads keeps none but its own waiting. */

struct fifo {
	uint32_t head, tail;
	struct rte_mbuf *mbufs[NIC_DESC];
};

// The NIC's results for a flow's packets, found once for each of its settings.
struct hashed {
	uint32_t settings;
	uint32_t packet_type;
	uint32_t hash;
	uint64_t flags;
};

// Of all below.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct fake_nic nic;
static uint32_t n_settings; // that it had
static struct hashed hashed[FLOWS];
static struct fifo fifos[STREAM_RXQ_MAX];
static struct {
	uint32_t n, left, residue;
} runs; // of flows of one type, with a short one of all flows now and then
static uint32_t random_state;

// Those of one residue modulo 8 are of one type (but 7: a few are ARP). Half of them are plain
// ones, which most NICs hash as profiles do.
static uint32_t flow_of_run(uint32_t random) {
	if (runs.left == 0) {
		static const uint32_t residues[8] = {0, 4, 5, 0, 4, 3, 6, 2};
		bool mix = runs.n++ % MIX_STRIDE == 0;

		runs.residue = mix ? 8 : residues[random % 8];
		runs.left = mix ? MIX : RUN;
	}
	runs.left--;
	random = (random >> 3) % FLOWS;
	return runs.residue == 8 ? random : random / 8 * 8 + runs.residue;
}

static void packet_hash(struct rte_mbuf *mbuf, uint32_t flow) {
	struct hashed *known = &hashed[flow];

	mbuf->ol_flags = 0;
	if (known->settings == n_settings) {
		mbuf->packet_type = known->packet_type;
		mbuf->hash.rss = known->hash;
		mbuf->ol_flags = known->flags;
		return;
	}
	fake_nic_receive(&nic, mbuf);
	*known = (struct hashed){
		.settings = n_settings,
		.packet_type = mbuf->packet_type,
		.hash = mbuf->hash.rss,
		.flags = mbuf->ol_flags,
	};
}

static void packet_arrive(struct rte_mbuf *mbuf, uint32_t flow) {
	struct fifo *fifo;

	packet_frame(mbuf, flow);
	packet_hash(mbuf, flow);
	fifo = &fifos[fake_nic_queue(&nic, mbuf)];
	if (fifo->tail - fifo->head == NIC_DESC) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	packet_stamp(mbuf, flow);
	fifo->mbufs[fifo->tail++ % NIC_DESC] = mbuf;
}

static void packets_arrive(struct rte_mempool *pool) {
	struct rte_mbuf *mbufs[ARRIVE];

	if (!stream_emits || rte_pktmbuf_alloc_bulk(pool, mbufs, ARRIVE) != 0)
		return;
	for (unsigned int i = 0; i < ARRIVE; i++)
		packet_arrive(mbufs[i], flow_of_run(random_next(&random_state)));
}

// Most bursts end where the type changes.
static uint16_t fifo_take(struct fifo *fifo, struct rte_mbuf **mbufs, uint16_t n) {
	bool mixed = random_next(&random_state) % 8 == 0;
	uint16_t i = 0;

	for (; i < n && fifo->head != fifo->tail; i++) {
		mbufs[i] = fifo->mbufs[fifo->head % NIC_DESC];
		if (i > 0 && !mixed && mbufs[i]->packet_type != mbufs[0]->packet_type)
			break;
		fifo->head++;
	}
	return i;
}

static uint16_t nic_rx(uint16_t queue, struct rte_mempool *pool, struct rte_mbuf **mbufs,
		       uint16_t n) {
	struct fifo *fifo = &fifos[queue];

	pthread_mutex_lock(&mutex);
	if (fifo->tail - fifo->head < n)
		packets_arrive(pool);
	n = fifo_take(fifo, mbufs, n);
	pthread_mutex_unlock(&mutex);
	return n;
}

static unsigned int nic_waiting(uint16_t queue) {
	unsigned int n;

	pthread_mutex_lock(&mutex);
	n = fifos[queue].tail - fifos[queue].head;
	pthread_mutex_unlock(&mutex);
	return n;
}

// Packets as they come, with nothing said of them that is true.
static uint16_t source_rx(struct rxq *queue, struct rte_mbuf **mbufs, uint16_t n) {
	if (!stream_emits || rte_pktmbuf_alloc_bulk(queue->pool, mbufs, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t flow = flow_choose(queue);

		packet_frame(mbufs[i], flow);
		packet_stamp(mbufs[i], flow);
	}
	return n;
}

static uint16_t rx(void *arg, struct rte_mbuf **mbufs, uint16_t n) {
	struct rxq *queue = arg;

	enter(&queue->inside);
	if (random_next(&queue->random) % 8 == 0) // now and then a NIC has less than a burst
		n = random_next(&queue->random) % (n + 1);
	n = hashes ? nic_rx(queue->id, queue->pool, mbufs, n) : source_rx(queue, mbufs, n);
	for (uint16_t i = 0; i < n; i++)
		stamp_take(stamp_of(mbufs[i]), queue->id);
	bypass_count(&lasts[queue->id], mbufs, n);
	stream_emitted += n;
	queue->inside = false;
	return n;
}

static dpdk_queue_count_t rx_count(void *arg) {
	const struct rxq *queue = arg;

	return hashes ? nic_waiting(queue->id) : 0;
}

void stream_reset(void) {
	memset(seqs, 0, sizeof(seqs));
	memset(the_txq.next, 0, sizeof(the_txq.next));
	stream_emitted = stream_sent = 0;
	stream_dropped_some = false;
}

uint64_t stream_waiting(void) {
	uint64_t n = 0;

	for (unsigned int i = 0; hashes && i < n_rxqs; i++)
		n += nic_waiting(i);
	return n;
}

uint32_t stream_flow_emitted(uint32_t flow) {
	return seqs[flow];
}

/* Tx */

static void sent_check(struct txq *queue, struct rte_mbuf *mbuf) {
	const struct stamp *stamp = stamp_of(mbuf);
	uint32_t *next = &queue->next[stamp->tx_queue % STREAM_SENDERS];
	struct rte_mbuf **slot = &queue->backlog[stream_sent % BACKLOG];

	if (stamp->tx_seq < *next || (stamp->tx_seq > *next && !stream_dropped_some))
		fault("Tx queue %u sends packet %u where %u is due", stamp->tx_queue, stamp->tx_seq,
		      *next);
	*next = stamp->tx_seq + 1;
	rte_pktmbuf_free(*slot);
	*slot = mbuf;
}

static uint16_t tx(void *arg, struct rte_mbuf **mbufs, uint16_t n) {
	struct txq *queue = arg;

	enter(&queue->inside);
	if (stream_slow && random_next(&queue->random) % 4 != 0)
		n = random_next(&queue->random) % (n + 1);
	for (uint16_t i = 0; i < n; i++) {
		sent_check(queue, mbufs[i]);
		stream_sent++;
	}
	queue->inside = false;
	return n;
}

/* The device */

static struct rte_ether_addr macs[4];

static int start(struct rte_eth_dev *dev) {
	pthread_mutex_lock(&mutex);
	nic.rss_hf = dev->data->dev_conf.rx_adv_conf.rss_conf.rss_hf;
	n_settings++;
	pthread_mutex_unlock(&mutex);
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

// Packets that wait are dropped.
static int stop(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	rte_pktmbuf_free_bulk(the_txq.backlog, BACKLOG);
	memset(the_txq.backlog, 0, sizeof(the_txq.backlog));
	pthread_mutex_lock(&mutex);
	for (struct fifo *fifo = fifos; fifo < fifos + STREAM_RXQ_MAX; fifo++)
		while (fifo->head != fifo->tail)
			rte_pktmbuf_free(fifo->mbufs[fifo->head++ % NIC_DESC]);
	pthread_mutex_unlock(&mutex);
	return 0;
}

static int device_close(struct rte_eth_dev *dev) {
	dev->data->mac_addrs = NULL;
	return 0;
}

static int infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info) {
	info->max_rx_queues = n_rxqs;
	info->max_tx_queues = 1;
	info->max_rx_pktlen = RTE_ETHER_MAX_LEN;
	info->max_mac_addrs = RTE_DIM(macs);
	info->max_mtu = RTE_ETHER_MTU;
	if (hashes)
		fake_nic_info(&nic, info);
	return 0;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_rxconf *conf,
			  struct rte_mempool *pool) {
	rxqs[id].id = id;
	rxqs[id].pool = pool;
	rxqs[id].random = id;
	dev->data->rx_queues[id] = &rxqs[id];
	return 0;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_txconf *conf) {
	dev->data->tx_queues[id] = &the_txq;
	return 0;
}

static int link_set(struct rte_eth_dev *dev, bool up) {
	const struct rte_eth_link link = {.link_status = up};

	rte_eth_linkstatus_set(dev, &link);
	return 0;
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats) {
	stats->ipackets = stream_emitted;
	stats->opackets = stream_sent;
	return 0;
}

DPDK_STATS_GET_OP(stats_get_op, stats_get)

static void mac_addr_remove(struct rte_eth_dev *dev, uint32_t index) {
}

// Operation `name`, which returns `result`. Ethdev keeps the settings of the port; packets come all
// the same.
#define OP(name, result, ...)          \
	static int name(__VA_ARGS__) { \
		return result;         \
	}

OP(nothing, 0, struct rte_eth_dev *dev)
OP(link_update, 0, struct rte_eth_dev *dev, int wait)
OP(set_link_up, link_set(dev, true), struct rte_eth_dev *dev)
OP(set_link_down, link_set(dev, false), struct rte_eth_dev *dev)
OP(mtu_set, 0, struct rte_eth_dev *dev, uint16_t mtu)
OP(mac_addr_set, 0, struct rte_eth_dev *dev, struct rte_ether_addr *addr)
OP(mac_addr_add, 0, struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t index,
   uint32_t vmdq)
OP(mc_addr_list_set, 0, struct rte_eth_dev *dev, struct rte_ether_addr *addrs, uint32_t n)
OP(reta_query, fake_nic_reta_query(&nic, reta, n), struct rte_eth_dev *dev,
   struct rte_eth_rss_reta_entry64 *reta, uint16_t n)
OP(flow_validate, fake_nic_validate(&nic, items, actions, error), struct rte_eth_dev *dev,
   const struct rte_flow_attr *attr, const struct rte_flow_item items[],
   const struct rte_flow_action actions[], struct rte_flow_error *error)

// Packets that arrive from then on are hashed and spread anew.
#define SETTING(type, name, call, ...)        \
	static type name(__VA_ARGS__) {       \
		type result;                  \
                                              \
		pthread_mutex_lock(&mutex);   \
		result = call;                \
		n_settings++;                 \
		pthread_mutex_unlock(&mutex); \
		return result;                \
	}

SETTING(int, rss_hash_update, fake_nic_rss(&nic, conf), struct rte_eth_dev *dev,
	struct rte_eth_rss_conf *conf)
SETTING(int, reta_update, fake_nic_reta_update(&nic, reta, n), struct rte_eth_dev *dev,
	struct rte_eth_rss_reta_entry64 *reta, uint16_t n)
SETTING(int, tunnel_add, fake_nic_tunnel(&nic, tunnel, true), struct rte_eth_dev *dev,
	struct rte_eth_udp_tunnel *tunnel)
SETTING(int, tunnel_del, fake_nic_tunnel(&nic, tunnel, false), struct rte_eth_dev *dev,
	struct rte_eth_udp_tunnel *tunnel)
SETTING(struct rte_flow *, flow_create, fake_nic_create(&nic, items, actions, error),
	struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
	const struct rte_flow_item items[], const struct rte_flow_action actions[],
	struct rte_flow_error *error)
SETTING(int, flow_destroy, fake_nic_destroy(&nic, flow, error), struct rte_eth_dev *dev,
	struct rte_flow *flow, struct rte_flow_error *error)

static int flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **flow_ops) {
	static const struct rte_flow_ops fake_ops = {
		.validate = flow_validate,
		.create = flow_create,
		.destroy = flow_destroy,
	};

	*flow_ops = &fake_ops;
	return 0;
}

#define OPS                                                                                        \
	.dev_configure = nothing, .dev_start = start, .dev_stop = stop, .dev_close = device_close, \
	.dev_infos_get = infos_get, .rx_queue_setup = rx_queue_setup,                              \
	.tx_queue_setup = tx_queue_setup, .link_update = link_update,                              \
	.dev_set_link_up = set_link_up, .dev_set_link_down = set_link_down,                        \
	.promiscuous_enable = nothing, .promiscuous_disable = nothing,                             \
	.allmulticast_enable = nothing, .allmulticast_disable = nothing, .mtu_set = mtu_set,       \
	.mac_addr_set = mac_addr_set, .mac_addr_add = mac_addr_add,                                \
	.mac_addr_remove = mac_addr_remove, .set_mc_addr_list = mc_addr_list_set,                  \
	.stats_get = stats_get_op

static const struct eth_dev_ops ops = {OPS};
static const struct eth_dev_ops hashing_ops = {
	OPS,
	.rss_hash_update = rss_hash_update,
	.reta_update = reta_update,
	.reta_query = reta_query,
	.udp_tunnel_port_add = tunnel_add,
	.udp_tunnel_port_del = tunnel_del,
	.flow_ops_get = flow_ops_get,
};

static int probe(struct rte_vdev_device *vdev) {
	struct rte_kvargs *args = rte_kvargs_parse(rte_vdev_device_args(vdev), NULL);
	const char *rxq = args == NULL ? NULL : rte_kvargs_get(args, "rxq");
	const char *kind = args == NULL ? NULL : rte_kvargs_get(args, "nic");
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, 0);

	n_rxqs = rxq == NULL ? 1 : atoi(rxq);
	hashes = kind != NULL;
	fake_nic_fini(&nic);
	fake_nic_init(&nic, kind == NULL ? FAKE_NIC_NONE : atoi(kind));
	n_settings++;
	ranks_fill();
	rte_kvargs_free(args);
	if (dev == NULL)
		return -ENOMEM;
	memset(macs, 0, sizeof(macs));
	macs[0] = (struct rte_ether_addr){{2, 0, 0, 0, 0, 1}};
	dev->data->mac_addrs = macs;
	dev->data->promiscuous = 1;
	dev->dev_ops = hashes ? &hashing_ops : &ops;
	dev->rx_pkt_burst = rx;
	dev->rx_queue_count = rx_count;
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

RTE_PMD_REGISTER_VDEV(net_stream, driver);
