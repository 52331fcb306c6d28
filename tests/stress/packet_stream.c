/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet_stream.h"

#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_cycles.h>
#include <rte_kvargs.h>

#include "base/dpdk_compat.h"
#include "fault.h"
#include "hashing_nic.h"

#define BACKLOG 512 // packets sent that are not yet freed, as in a NIC's descriptors
#define SPLIT 40    // bytes of the first segment of packets that have two
#define NONSENSE 0xa5a5a5a5U
#define RUN 4096          // packets of flows of one type,
#define MIX 64            // and of all flows,
#define MIX_STRIDE 4      // which each so many-th run is
#define ZIPF_PARTS 65536U // that packets are chosen by
#define ZIPF_MS 5         // until other flows are in front

struct rxq {
	uint16_t id;
	struct rte_mempool *pool;
	uint32_t random;
	bool inside;
	uint64_t emitted;
} __rte_cache_aligned;

struct txq {
	uint32_t random;
	bool inside;
	bool dropped_some;
	uint64_t sent;
	uint32_t next[STREAM_SENDERS]; // tx_seq
	struct rte_mbuf *backlog[BACKLOG];
} __rte_cache_aligned;

static struct rxq rxqs[STREAM_RXQ_MAX];
static struct txq the_txq;
static uint16_t n_rxqs;
static uint32_t seqs[FLOWS]; // each written by the one queue that has the flow
static bool emitting, slow, hashes;
static uint64_t n_bypassed;
__thread struct rte_mbuf **stream_array;
static uint32_t n_begun, n_done;

static void enter(bool *inside) {
	if (__atomic_exchange_n(inside, true, __ATOMIC_ACQUIRE))
		fault("two threads are in one queue of the lower device");
}

static void leave(bool *inside) {
	__atomic_store_n(inside, false, __ATOMIC_RELEASE);
}

struct stamp *stamp_of(struct rte_mbuf *mbuf) {
	struct rte_mbuf *last = rte_pktmbuf_lastseg(mbuf);

	return rte_pktmbuf_mtod_offset(last, struct stamp *, last->data_len - sizeof(struct stamp));
}

/* Rx */

// Those of one residue modulo 8 are of one type (but 7: a few are ARP). Half of them are plain
// ones, which most NICs hash as profiles do.
uint32_t stream_flow(struct stream_runs *runs, uint32_t random) {
	if (runs->left == 0) {
		static const uint32_t residues[8] = {0, 4, 5, 0, 4, 3, 6, 2};
		bool mix = runs->n++ % MIX_STRIDE == 0;

		runs->residue = mix ? 8 : residues[random % 8];
		runs->left = mix ? MIX : RUN;
	}
	runs->left--;
	random = (random >> 3) % FLOWS;
	return runs->residue == 8 ? random : random / 8 * 8 + runs->residue;
}

/* Zipf's law */

static uint16_t ranks[ZIPF_PARTS]; // of flows, by equal parts of the packets
static bool skewed;

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

void stream_skew(bool is_skewed) {
	ranks_fill();
	__atomic_store_n(&skewed, is_skewed, __ATOMIC_RELEASE);
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
	uint32_t random = random_next(&queue->random), flow;

	if (__atomic_load_n(&skewed, __ATOMIC_ACQUIRE))
		flow = flow_skewed(random);
	else
		flow = flow_uneven(random);
	// The flow of this queue near it: see flow_lower().
	return flow / (8 * n_rxqs) * (8 * n_rxqs) + queue->id * 8 + flow % 8;
}

static void stamp_take(struct stamp *stamp, uint16_t queue) {
	stamp->lower = queue;
	stamp->done = __atomic_load_n(&n_done, __ATOMIC_ACQUIRE);
	stamp->begun = __atomic_load_n(&n_begun, __ATOMIC_ACQUIRE);
	stamp->tsc = rte_rdtsc();
}

// The last burst from a queue of the lower device, under net_ddp's lock of it.
static struct last {
	const uint64_t *passed; // counter of net_ddp's
	uint64_t before;        // what it said
	uint16_t n_direct;      // packets that were read into the application's array
} lasts[STREAM_RXQ_MAX] __rte_cache_aligned;

// While a change was under way?
static bool is_amid(const struct stamp *stamp) {
	return stamp->begun != stamp->done;
}

static void bypass_count(struct last *last, struct rte_mbuf **mbufs, uint16_t n) {
	uint64_t now;

	if (last->passed == NULL)
		return;
	now = __atomic_load_n(last->passed, __ATOMIC_ACQUIRE);
	if (last->n_direct > 0 && now - last->before == last->n_direct)
		__atomic_fetch_add(&n_bypassed, last->n_direct, __ATOMIC_RELAXED);
	last->before = now;
	last->n_direct = mbufs == stream_array && n > 0 && !is_amid(stamp_of(mbufs[0])) ? n : 0;
}

void stream_watch(uint16_t queue, const uint64_t *passed) {
	lasts[queue] = (struct last){.passed = passed};
}

uint64_t stream_bypassed(void) {
	return __atomic_load_n(&n_bypassed, __ATOMIC_RELAXED);
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

void stream_frame(struct rte_mbuf *mbuf, uint32_t flow) {
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

void stream_stamp(struct rte_mbuf *mbuf, uint32_t flow) {
	struct stamp *stamp = (struct stamp *)rte_pktmbuf_append(mbuf, sizeof(*stamp));

	*stamp = (struct stamp){.flow = flow, .seq = seqs[flow]++};
	if (flow % 16 == 3)
		packet_split(mbuf);
}

// Packets as they come, with nothing said of them that is true.
static uint16_t source_rx(struct rxq *queue, struct rte_mbuf **mbufs, uint16_t n) {
	if (!stream_emits() || rte_pktmbuf_alloc_bulk(queue->pool, mbufs, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		uint32_t flow = flow_choose(queue);

		stream_frame(mbufs[i], flow);
		stream_stamp(mbufs[i], flow);
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
	__atomic_store_n(&queue->emitted, queue->emitted + n, __ATOMIC_RELEASE);
	leave(&queue->inside);
	return n;
}

static dpdk_queue_count_t rx_count(void *arg) {
	const struct rxq *queue = arg;

	return hashes ? nic_waiting(queue->id) : 0;
}

bool stream_emits(void) {
	return __atomic_load_n(&emitting, __ATOMIC_ACQUIRE);
}

void stream_emit(bool emits) {
	__atomic_store_n(&emitting, emits, __ATOMIC_RELEASE);
}

void stream_reset(void) {
	memset(seqs, 0, sizeof(seqs));
	memset(the_txq.next, 0, sizeof(the_txq.next));
	__atomic_store_n(&the_txq.sent, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&the_txq.dropped_some, false, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < STREAM_RXQ_MAX; i++)
		__atomic_store_n(&rxqs[i].emitted, 0, __ATOMIC_RELEASE);
}

void stream_begun(uint32_t n) {
	__atomic_store_n(&n_begun, n, __ATOMIC_RELEASE);
}

void stream_done(uint32_t n) {
	__atomic_store_n(&n_done, n, __ATOMIC_RELEASE);
}

uint32_t stream_last_begun(void) {
	return __atomic_load_n(&n_begun, __ATOMIC_ACQUIRE);
}

uint64_t stream_emitted(void) {
	uint64_t n = 0;

	for (unsigned int i = 0; i < n_rxqs; i++)
		n += __atomic_load_n(&rxqs[i].emitted, __ATOMIC_ACQUIRE);
	return n;
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
	struct rte_mbuf **slot = &queue->backlog[queue->sent % BACKLOG];

	if (stamp->tx_seq < *next ||
	    (stamp->tx_seq > *next && !__atomic_load_n(&queue->dropped_some, __ATOMIC_ACQUIRE)))
		fault("Tx queue %u sends packet %u where %u is due", stamp->tx_queue, stamp->tx_seq,
		      *next);
	*next = stamp->tx_seq + 1;
	rte_pktmbuf_free(*slot);
	*slot = mbuf;
}

static uint16_t tx(void *arg, struct rte_mbuf **mbufs, uint16_t n) {
	struct txq *queue = arg;

	enter(&queue->inside);
	if (__atomic_load_n(&slow, __ATOMIC_RELAXED) && random_next(&queue->random) % 4 != 0)
		n = random_next(&queue->random) % (n + 1);
	for (uint16_t i = 0; i < n; i++) {
		sent_check(queue, mbufs[i]);
		__atomic_store_n(&queue->sent, queue->sent + 1, __ATOMIC_RELEASE);
	}
	leave(&queue->inside);
	return n;
}

void stream_slow(bool is_slow) {
	__atomic_store_n(&slow, is_slow, __ATOMIC_RELAXED);
}

uint64_t stream_sent(void) {
	return __atomic_load_n(&the_txq.sent, __ATOMIC_ACQUIRE);
}

void stream_dropped_some(void) {
	__atomic_store_n(&the_txq.dropped_some, true, __ATOMIC_RELEASE);
}

/* The device */

static struct rte_ether_addr macs[4];

static int configure(struct rte_eth_dev *dev) {
	return 0;
}

static int start(struct rte_eth_dev *dev) {
	if (hashes)
		nic_start(dev->data->dev_conf.rx_adv_conf.rss_conf.rss_hf);
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

static int stop(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	rte_pktmbuf_free_bulk(the_txq.backlog, BACKLOG);
	memset(the_txq.backlog, 0, sizeof(the_txq.backlog));
	if (hashes)
		nic_stop();
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
		nic_info(info);
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

static int link_update(struct rte_eth_dev *dev, int wait) {
	return 0;
}

static int link_set(struct rte_eth_dev *dev, bool up) {
	const struct rte_eth_link link = {.link_status = up};

	rte_eth_linkstatus_set(dev, &link);
	return 0;
}

static int set_link_up(struct rte_eth_dev *dev) {
	return link_set(dev, true);
}

static int set_link_down(struct rte_eth_dev *dev) {
	return link_set(dev, false);
}

// Ethdev keeps these settings of the port; packets come all the same.

static int mode_set(struct rte_eth_dev *dev) {
	return 0;
}

static int mtu_set(struct rte_eth_dev *dev, uint16_t mtu) {
	return 0;
}

static int mac_addr_set(struct rte_eth_dev *dev, struct rte_ether_addr *addr) {
	return 0;
}

static int mac_addr_add(struct rte_eth_dev *dev, struct rte_ether_addr *addr, uint32_t index,
			uint32_t vmdq) {
	return 0;
}

static void mac_addr_remove(struct rte_eth_dev *dev, uint32_t index) {
}

static int mc_addr_list_set(struct rte_eth_dev *dev, struct rte_ether_addr *addrs, uint32_t n) {
	return 0;
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats) {
	stats->ipackets = stream_emitted();
	stats->opackets = stream_sent();
	return 0;
}

DPDK_STATS_GET_OP(stats_get_op, stats_get)

#define OPS                                                                                      \
	.dev_configure = configure, .dev_start = start, .dev_stop = stop,                        \
	.dev_close = device_close, .dev_infos_get = infos_get, .rx_queue_setup = rx_queue_setup, \
	.tx_queue_setup = tx_queue_setup, .link_update = link_update,                            \
	.dev_set_link_up = set_link_up, .dev_set_link_down = set_link_down,                      \
	.promiscuous_enable = mode_set, .promiscuous_disable = mode_set,                         \
	.allmulticast_enable = mode_set, .allmulticast_disable = mode_set, .mtu_set = mtu_set,   \
	.mac_addr_set = mac_addr_set, .mac_addr_add = mac_addr_add,                              \
	.mac_addr_remove = mac_addr_remove, .set_mc_addr_list = mc_addr_list_set,                \
	.stats_get = stats_get_op

static const struct eth_dev_ops ops = {OPS};
static const struct eth_dev_ops hashing_ops = {OPS, NIC_OPS};

static int probe(struct rte_vdev_device *vdev) {
	struct rte_kvargs *args = rte_kvargs_parse(rte_vdev_device_args(vdev), NULL);
	const char *rxq = args == NULL ? NULL : rte_kvargs_get(args, "rxq");
	const char *nic = args == NULL ? NULL : rte_kvargs_get(args, "nic");
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, 0);

	n_rxqs = rxq == NULL ? 1 : atoi(rxq);
	hashes = nic != NULL;
	if (hashes)
		nic_init(atoi(nic));
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
