/* SPDX-License-Identifier: BSD-3-Clause */
// net_paced: a device in whose time packets arrive, whether somebody polls or not.
//
// Traffic of arrivals.h arrives at a given rate on a NIC with RSS: a redirection table over its Rx
// queues, hashes in mbufs, and a bounded number of descriptors a queue, beyond which packets are
// missed. Packets that are sent to it end there: it knows how old each is, from its arrival on, and
// whether it kept its order. So it can be the NIC of a forwarder that sends to the port it receives
// from, or of net_ddp below that. Results are written when it stops.
//
// No lcore is spent on the traffic: who polls or sends looks at the clock and has arrive what is
// due, if nobody does so already; that costs some 20 ns a packet. A packet gets an mbuf when it is
// handed out. The clock stops while a lcore is off its CPU, see clock.h.
//
// Devargs: rate=<packets/s>, packets=<n> (then no more arrive; 0: no end), flows=<n>, zipf=<s>,
// churn=<percent of flows in 100 ms>, seed=<n>, queues=<most Rx and Tx queues>, reta=<entries, 0:
// none>, stall=<us without a call that stop the clock, 0: none does>, warmup=<ms that are not
// measured>, report=<file>.
#include "clock.h"
#include "sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_cycles.h>
#include <rte_kvargs.h>
#include <rte_malloc.h>
#include <rte_pause.h>
#include <rte_spinlock.h>

#include "base/dpdk_compat.h"

#define QUEUES_MAX 16
#define RETA_MAX 2048
#define ARRIVE_MOST 4096 // packets in a call
#define RX_MOST 64U      // packets of a call, at most

// Descriptors of packets that have arrived. Written under the device's lock at the tail, read by
// the queue's lcore at the head.
struct rx_queue {
	struct device *device;
	struct rte_mempool *pool;
	uint32_t n_desc, mask;
	struct {
		struct paced_stamp stamp;
		uint32_t hash;
	} * descriptors;
	counter arrived, missed;                   // lock holder
	counter measured, measured_missed;         // lock holder: after the warm-up
	_Atomic uint32_t tail __rte_cache_aligned; // lock holder
	_Atomic uint32_t head __rte_cache_aligned; // reader, as what follows
	counter received, bytes, no_mbuf;
} __rte_cache_aligned;

struct tx_queue {
	struct device *device;
	struct paced_sink sink;
};

struct options {
	struct paced_traffic traffic;
	uint64_t packets, warm_up_ms, stall_us, n_queues, reta_size;
	const char *report;
};

struct device {
	struct options options;
	struct rte_kvargs *args;
	uint16_t port_id;
	bool hashes;      // into mbufs
	uint64_t warm_up; // in cycles
	uint16_t reta[RETA_MAX];
	unsigned int n_rxq, n_txq;
	struct rx_queue *rx_queues[QUEUES_MAX];
	struct tx_queue *tx_queues[QUEUES_MAX];
	paced_last *last; // by flow
	struct rte_ether_addr mac;

	rte_spinlock_t lock; // of what follows
	struct paced_clock clock;
	struct arrivals arrivals;
	uint64_t left;         // packets to arrive
	uint64_t last_arrival; // so far
};

/* Data path */

static void packet_arrive(struct device *device, const struct paced_flow *flow,
			  const struct paced_stamp *stamp) {
	unsigned int size = device->options.reta_size;
	unsigned int entry = size == 0 ? 0 : flow->hash & (size - 1);
	struct rx_queue *queue =
		device->rx_queues[__atomic_load_n(&device->reta[entry], __ATOMIC_RELAXED)];
	uint32_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	bool measured = stamp->arrival >= device->warm_up;

	counter_add(&queue->arrived, 1);
	counter_add(&queue->measured, measured);
	if (tail - atomic_load_explicit(&queue->head, memory_order_acquire) == queue->n_desc) {
		counter_add(&queue->missed, 1);
		counter_add(&queue->measured_missed, measured);
		return;
	}
	queue->descriptors[tail & queue->mask].stamp = *stamp;
	queue->descriptors[tail & queue->mask].hash = flow->hash;
	atomic_store_explicit(&queue->tail, tail + 1, memory_order_release);
}

// All packets that are due.
static void packets_arrive(struct device *device) {
	uint64_t now = clock_now(&device->clock);

	for (unsigned int i = 0; i < ARRIVE_MOST && device->left != 0; i++) {
		struct paced_stamp stamp;
		const struct paced_flow *flow = arrivals_next(&device->arrivals, now, &stamp);

		if (flow == NULL)
			return;
		packet_arrive(device, flow, &stamp);
		device->last_arrival = stamp.arrival;
		device->left--;
	}
}

// Let time pass until now, and packets arrive.
static void time_pass(struct device *device) {
	uint64_t tsc = rte_rdtsc();

	if (!rte_spinlock_trylock(&device->lock)) {
		clock_beat_unlocked(&device->clock, tsc);
		return;
	}
	clock_advance(&device->clock, tsc);
	clock_beat(&device->clock, tsc);
	packets_arrive(device);
	rte_spinlock_unlock(&device->lock);
}

// The same, and wait while a lcore is absent, but not for ever: it may itself wait for what the
// caller holds. False: it still is.
static bool time_wait(struct device *device) {
	uint64_t end = rte_rdtsc() + rte_get_tsc_hz() / 1000, tsc;

	do {
		time_pass(device);
		tsc = rte_rdtsc();
		if (clock_alive(&device->clock, tsc) == tsc)
			return true;
		rte_pause();
	} while (tsc < end);
	return false;
}

static void packet_fill(const struct rx_queue *queue, struct rte_mbuf *mbuf, uint32_t at) {
	const struct device *device = queue->device;

	arrivals_frame(mbuf, &queue->descriptors[at & queue->mask].stamp);
	mbuf->port = device->port_id;
	mbuf->packet_type = RTE_PTYPE_L2_ETHER;
	mbuf->hash.rss = queue->descriptors[at & queue->mask].hash;
	mbuf->ol_flags = device->hashes ? RTE_MBUF_F_RX_RSS_HASH : 0;
}

static uint16_t rx(void *rxq, struct rte_mbuf **mbufs, uint16_t n) {
	struct rx_queue *queue = rxq;
	uint32_t head = atomic_load_explicit(&queue->head, memory_order_relaxed), waiting;

	if (!time_wait(queue->device))
		return 0;
	waiting = atomic_load_explicit(&queue->tail, memory_order_acquire) - head;
	waiting = RTE_MIN(waiting, RX_MOST);
	n = RTE_MIN(n, waiting);
	if (n == 0)
		return 0;
	if (rte_pktmbuf_alloc_bulk(queue->pool, mbufs, n) != 0) {
		counter_add(&queue->no_mbuf, 1);
		return 0;
	}
	for (uint16_t i = 0; i < n; i++)
		packet_fill(queue, mbufs[i], head + i);
	atomic_store_explicit(&queue->head, head + n, memory_order_release);
	counter_add(&queue->received, n);
	counter_add(&queue->bytes, n * PACED_FRAME_LEN);
	return n;
}

static uint16_t tx(void *txq, struct rte_mbuf **mbufs, uint16_t n) {
	struct tx_queue *queue = txq;
	struct device *device = queue->device;
	uint64_t now;

	time_wait(device);
	now = clock_now(&device->clock);
	for (uint16_t i = 0; i < n; i++)
		sink_take(&queue->sink, device->last, mbufs[i], now, device->warm_up);
	rte_pktmbuf_free_bulk(mbufs, n);
	return n;
}

/* Results */

struct sums {
	uint64_t arrived, missed, measured, measured_missed, received, bytes, no_mbuf;
	uint64_t sent, sent_bytes, sent_measured, overtaken, unknown;
};

static void sums_read(const struct device *device, struct sums *sums) {
	memset(sums, 0, sizeof(*sums));
	for (unsigned int i = 0; i < device->n_rxq; i++) {
		const struct rx_queue *queue = device->rx_queues[i];

		sums->arrived += counter_get(&queue->arrived);
		sums->missed += counter_get(&queue->missed);
		sums->measured += counter_get(&queue->measured);
		sums->measured_missed += counter_get(&queue->measured_missed);
		sums->received += counter_get(&queue->received);
		sums->bytes += counter_get(&queue->bytes);
		sums->no_mbuf += counter_get(&queue->no_mbuf);
	}
	for (unsigned int i = 0; i < device->n_txq; i++) {
		const struct paced_sink *sink = &device->tx_queues[i]->sink;

		sums->sent += counter_get(&sink->sent);
		sums->sent_bytes += counter_get(&sink->bytes);
		sums->sent_measured += counter_get(&sink->measured);
		sums->overtaken += counter_get(&sink->overtaken);
		sums->unknown += counter_get(&sink->unknown);
	}
}

static double ns(uint64_t cycles) {
	return cycles * 1e9 / rte_get_tsc_hz();
}

static void latency_write(const struct device *device, FILE *out) {
	static struct latency all;

	memset(&all, 0, sizeof(all));
	for (unsigned int i = 0; i < device->n_txq; i++)
		latency_merge(&all, &device->tx_queues[i]->sink.latency);
	fprintf(out,
		"\"latency_ns\": {\"count\": %" PRIu64
		", \"p50\": %.0f, \"p90\": %.0f, \"p95\": %.0f, \"p99\": %.0f, \"p999\": %.0f, "
		"\"max\": %.0f}",
		counter_get(&all.count), ns(latency_percentile(&all, 500)),
		ns(latency_percentile(&all, 900)), ns(latency_percentile(&all, 950)),
		ns(latency_percentile(&all, 990)), ns(latency_percentile(&all, 999)),
		ns(counter_get(&all.max)));
}

static void report_write(const struct device *device, FILE *out) {
	const struct paced_clock *clock = &device->clock;
	uint64_t end = device->last_arrival;
	struct sums sums;

	sums_read(device, &sums);
	fprintf(out,
		"{\"rate\": %.0f, \"seconds\": %.6f, \"measured_seconds\": %.6f,\n"
		" \"stopped_seconds\": %.6f, \"longest_pause_us\": %.1f,\n"
		" \"arrived\": %" PRIu64 ", \"missed\": %" PRIu64 ", \"received\": %" PRIu64
		", \"sent\": %" PRIu64 ", \"overtaken\": %" PRIu64 ", \"unknown\": %" PRIu64
		", \"no_mbuf\": %" PRIu64 ",\n"
		" \"measured\": %" PRIu64 ", \"measured_missed\": %" PRIu64
		", \"measured_sent\": %" PRIu64 ",\n ",
		device->options.traffic.rate, ns(end) / 1e9,
		end > device->warm_up ? ns(end - device->warm_up) / 1e9 : 0,
		ns(clock->stopped) / 1e9, ns(clock->longest) / 1e3, sums.arrived, sums.missed,
		sums.received, sums.sent, sums.overtaken, sums.unknown, sums.no_mbuf, sums.measured,
		sums.measured_missed, sums.sent_measured);
	latency_write(device, out);
	fputs("}\n", out);
}

static void report_save(const struct device *device) {
	const char *name = device->options.report;
	FILE *out = name == NULL ? NULL : fopen(name, "w");

	if (name == NULL)
		return;
	if (out != NULL)
		report_write(device, out);
	if (out == NULL || fclose(out) != 0)
		fprintf(stderr, "net_paced: cannot write %s: %s\n", name, strerror(errno));
}

/* Control path */

static struct device *device_of(const struct rte_eth_dev *dev) {
	return *(struct device **)dev->data->dev_private;
}

static int configure(struct rte_eth_dev *dev) {
	struct device *device = device_of(dev);
	const struct rte_eth_conf *conf = &dev->data->dev_conf;

	device->n_rxq = dev->data->nb_rx_queues;
	device->n_txq = dev->data->nb_tx_queues;
	device->hashes = (conf->rxmode.offloads & RTE_ETH_RX_OFFLOAD_RSS_HASH) != 0 &&
			 (conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) != 0;
	memset(device->reta, 0, sizeof(device->reta));
	if ((conf->rxmode.mq_mode & RTE_ETH_MQ_RX_RSS_FLAG) != 0)
		ddp_reta_fill(device->reta, RETA_MAX, device->n_rxq);
	return 0;
}

static int start(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_UP;
	return 0;
}

static int stop(struct rte_eth_dev *dev) {
	dev->data->dev_link.link_status = RTE_ETH_LINK_DOWN;
	report_save(device_of(dev));
	return 0;
}

static void rx_queue_release(struct rte_eth_dev *dev, uint16_t id) {
	struct device *device = device_of(dev);

	if (device->rx_queues[id] != NULL)
		rte_free(device->rx_queues[id]->descriptors);
	rte_free(device->rx_queues[id]);
	device->rx_queues[id] = NULL;
}

static int rx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_rxconf *conf,
			  struct rte_mempool *pool) {
	struct device *device = device_of(dev);
	struct rx_queue *queue;

	RTE_SET_USED(conf);
	rx_queue_release(dev, id);
	queue = rte_zmalloc_socket("paced_rxq", sizeof(*queue), RTE_CACHE_LINE_SIZE, socket);
	if (queue == NULL)
		return -ENOMEM;
	device->rx_queues[id] = queue;
	queue->device = device;
	queue->pool = pool;
	queue->n_desc = n_desc;
	queue->mask = rte_align32pow2(n_desc) - 1;
	queue->descriptors =
		rte_calloc_socket("paced_desc", queue->mask + 1, sizeof(*queue->descriptors),
				  RTE_CACHE_LINE_SIZE, socket);
	if (queue->descriptors == NULL)
		return -ENOMEM;
	dev->data->rx_queues[id] = queue;
	return 0;
}

static void tx_queue_release(struct rte_eth_dev *dev, uint16_t id) {
	struct device *device = device_of(dev);

	rte_free(device->tx_queues[id]);
	device->tx_queues[id] = NULL;
}

static int tx_queue_setup(struct rte_eth_dev *dev, uint16_t id, uint16_t n_desc,
			  unsigned int socket, const struct rte_eth_txconf *conf) {
	struct device *device = device_of(dev);

	RTE_SET_USED(n_desc);
	RTE_SET_USED(conf);
	tx_queue_release(dev, id);
	device->tx_queues[id] = rte_zmalloc_socket("paced_txq", sizeof(struct tx_queue),
						   RTE_CACHE_LINE_SIZE, socket);
	if (device->tx_queues[id] == NULL)
		return -ENOMEM;
	device->tx_queues[id]->device = device;
	dev->data->tx_queues[id] = device->tx_queues[id];
	return 0;
}

static void device_free(struct device *device) {
	if (device == NULL)
		return;
	arrivals_fini(&device->arrivals);
	free(device->last);
	rte_kvargs_free(device->args);
	rte_free(device);
}

static int device_close(struct rte_eth_dev *dev) {
	struct device *device = device_of(dev);

	for (unsigned int i = 0; i < QUEUES_MAX; i++) {
		rx_queue_release(dev, i);
		tx_queue_release(dev, i);
	}
	dev->data->mac_addrs = NULL; // not ethdev's to free
	device_free(device);
	return 0;
}

static int infos_get(struct rte_eth_dev *dev, struct rte_eth_dev_info *info) {
	const struct device *device = device_of(dev);

	info->max_rx_queues = info->max_tx_queues = device->options.n_queues;
	info->max_rx_pktlen = RTE_ETHER_MAX_LEN;
	info->max_mac_addrs = 1;
	if (device->options.reta_size == 0)
		return 0;
	info->reta_size = device->options.reta_size;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_RSS_HASH;
	info->flow_type_rss_offloads = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP;
	return 0;
}

static int link_update(struct rte_eth_dev *dev, int wait) {
	RTE_SET_USED(dev);
	RTE_SET_USED(wait);
	return 0;
}

static int promiscuous_set(struct rte_eth_dev *dev) {
	RTE_SET_USED(dev);
	return 0;
}

static int stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *stats) {
	struct sums sums;

	sums_read(device_of(dev), &sums);
	stats->ipackets = sums.received;
	stats->ibytes = sums.bytes;
	stats->imissed = sums.missed;
	stats->rx_nombuf = sums.no_mbuf;
	stats->opackets = sums.sent;
	stats->obytes = sums.sent_bytes;
	return 0;
}

DPDK_STATS_GET_OP(stats_get_op, stats_get)

// All of it is told at the end.
static int stats_reset(struct rte_eth_dev *dev) {
	RTE_SET_USED(dev);
	return 0;
}

// What each queue missed, by the name that ddp-fwd looks for.
static int xstats_get_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names,
			    unsigned int size) {
	const struct device *device = device_of(dev);

	for (unsigned int i = 0; names != NULL && i < RTE_MIN(size, device->n_rxq); i++)
		snprintf(names[i].name, sizeof(names[i].name), "rx_q%u_missed", i);
	return device->n_rxq;
}

static int xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *values, unsigned int size) {
	const struct device *device = device_of(dev);

	for (unsigned int i = 0; i < device->n_rxq && size >= device->n_rxq; i++) {
		values[i].id = i;
		values[i].value = counter_get(&device->rx_queues[i]->missed);
	}
	return device->n_rxq;
}

// The hash is of inner addresses and ports, with the usual key.
static int rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	RTE_SET_USED(dev);
	RTE_SET_USED(conf);
	return 0;
}

static int reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n) {
	struct device *device = device_of(dev);

	for (unsigned int i = 0; i < n; i++)
		if ((reta[i / RTE_ETH_RETA_GROUP_SIZE].mask >> i % RTE_ETH_RETA_GROUP_SIZE & 1) !=
		    0)
			__atomic_store_n(
				&device->reta[i],
				reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE],
				__ATOMIC_RELAXED);
	return 0;
}

static int reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n) {
	const struct device *device = device_of(dev);

	for (unsigned int i = 0; i < n; i++)
		reta[i / RTE_ETH_RETA_GROUP_SIZE].reta[i % RTE_ETH_RETA_GROUP_SIZE] =
			device->reta[i];
	return 0;
}

static const struct eth_dev_ops ops = {
	.dev_configure = configure,
	.dev_start = start,
	.dev_stop = stop,
	.dev_close = device_close,
	.dev_infos_get = infos_get,
	.rx_queue_setup = rx_queue_setup,
	.rx_queue_release = rx_queue_release,
	.tx_queue_setup = tx_queue_setup,
	.tx_queue_release = tx_queue_release,
	.link_update = link_update,
	.promiscuous_enable = promiscuous_set,
	.promiscuous_disable = promiscuous_set,
	.stats_get = stats_get_op,
	.stats_reset = stats_reset,
	.xstats_get = xstats_get,
	.xstats_get_names = xstats_get_names,
	.rss_hash_update = rss_hash_update,
	.reta_update = reta_update,
	.reta_query = reta_query,
};

/* Devargs */

static bool number_read(const struct rte_kvargs *args, const char *key, double least, double most,
			double *to) {
	const char *value = rte_kvargs_get(args, key);
	char *end;

	if (value == NULL)
		return true;
	*to = strtod(value, &end);
	if (end != value && *end == '\0' && *to >= least && *to <= most)
		return true;
	fprintf(stderr, "net_paced: %s is a number from %g to %g, not '%s'\n", key, least, most,
		value);
	return false;
}

static bool options_read(struct options *options, const struct rte_kvargs *args) {
	double rate = 0, packets = 0, flows = 32000, zipf = 1, churn = 0, seed = 1, queues = 16;
	double reta = DDP_RETA_SIZE, stall = 100, warm_up = 0;

	if (!number_read(args, "rate", 1, 1e9, &rate) ||
	    !number_read(args, "packets", 0, 1e15, &packets) ||
	    !number_read(args, "flows", 1, 1e7, &flows) ||
	    !number_read(args, "zipf", 0, 3, &zipf) ||
	    !number_read(args, "churn", 0, 100, &churn) ||
	    !number_read(args, "seed", 0, UINT32_MAX, &seed) ||
	    !number_read(args, "queues", 1, QUEUES_MAX, &queues) ||
	    !number_read(args, "reta", 0, RETA_MAX, &reta) ||
	    !number_read(args, "stall", 0, 1e7, &stall) ||
	    !number_read(args, "warmup", 0, 1e6, &warm_up))
		return false;
	if (rate == 0) {
		fprintf(stderr, "net_paced: rate=PACKETS_A_SECOND is missing\n");
		return false;
	}
	*options = (struct options){
		.traffic = {.rate = rate,
			    .n_flows = flows,
			    .zipf = zipf,
			    .churn = churn,
			    .seed = seed},
		.packets = packets == 0 ? UINT64_MAX : (uint64_t)packets,
		.warm_up_ms = warm_up,
		.stall_us = stall,
		.n_queues = queues,
		.reta_size = reta,
		.report = rte_kvargs_get(args, "report"),
	};
	return true;
}

static struct device *device_create(const char *devargs) {
	static const char *const keys[] = {"rate",   "packets", "flows", "zipf",   "churn",  "seed",
					   "queues", "reta",    "stall", "warmup", "report", NULL};
	struct device *device = rte_zmalloc("net_paced", sizeof(*device), RTE_CACHE_LINE_SIZE);
	uint64_t hz = rte_get_tsc_hz();

	if (device == NULL)
		return NULL;
	device->args = rte_kvargs_parse(devargs, keys);
	if (device->args == NULL || !options_read(&device->options, device->args)) {
		device_free(device);
		return NULL;
	}
	device->last = calloc(device->options.traffic.n_flows, sizeof(*device->last));
	if (device->last == NULL ||
	    arrivals_init(&device->arrivals, &device->options.traffic, hz) < 0) {
		device_free(device);
		return NULL;
	}
	rte_spinlock_init(&device->lock);
	clock_init(&device->clock, device->options.stall_us == 0 ?
					   UINT64_MAX / 2 :
					   device->options.stall_us * hz / 1000000);
	device->warm_up = device->options.warm_up_ms * hz / 1000;
	device->left = device->options.packets;
	device->mac = (struct rte_ether_addr){{2, 0, 0, 0, 0, 1}};
	return device;
}

static int probe(struct rte_vdev_device *vdev) {
	struct device *device = device_create(rte_vdev_device_args(vdev));
	struct rte_eth_dev *dev;

	if (device == NULL)
		return -EINVAL;
	dev = rte_eth_vdev_allocate(vdev, sizeof(struct device *));
	if (dev == NULL) {
		device_free(device);
		return -ENOMEM;
	}
	*(struct device **)dev->data->dev_private = device;
	device->port_id = dev->data->port_id;
	dev->data->mac_addrs = &device->mac;
	dev->data->promiscuous = 1;
	dev->dev_ops = &ops;
	dev->rx_pkt_burst = rx;
	dev->tx_pkt_burst = tx;
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int remove_device(struct rte_vdev_device *vdev) {
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	if (dev == NULL)
		return 0;
	rte_eth_dev_close(dev->data->port_id);
	return 0;
}

static struct rte_vdev_driver driver = {
	.probe = probe,
	.remove = remove_device,
};

RTE_PMD_REGISTER_VDEV(net_paced, driver);
