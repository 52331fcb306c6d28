/* SPDX-License-Identifier: BSD-3-Clause */
#include "hashing_nic.h"

#include <pthread.h>
#include <string.h>

#include "fault.h"
#include "packet_stream.h"
#include "stress_flows.h"

#define ARRIVE 64 // packets at once

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
static struct stream_runs runs;
static uint32_t random_state;

/* Packets arrive */

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

	stream_frame(mbuf, flow);
	packet_hash(mbuf, flow);
	fifo = &fifos[fake_nic_queue(&nic, mbuf)];
	if (fifo->tail - fifo->head == NIC_DESC) {
		rte_pktmbuf_free(mbuf);
		return;
	}
	stream_stamp(mbuf, flow);
	fifo->mbufs[fifo->tail++ % NIC_DESC] = mbuf;
}

static void packets_arrive(struct rte_mempool *pool) {
	struct rte_mbuf *mbufs[ARRIVE];

	if (!stream_emits() || rte_pktmbuf_alloc_bulk(pool, mbufs, ARRIVE) != 0)
		return;
	for (unsigned int i = 0; i < ARRIVE; i++)
		packet_arrive(mbufs[i], stream_flow(&runs, random_next(&random_state)));
}

/* Packets are read */

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

uint16_t nic_rx(uint16_t queue, struct rte_mempool *pool, struct rte_mbuf **mbufs, uint16_t n) {
	struct fifo *fifo = &fifos[queue];

	pthread_mutex_lock(&mutex);
	if (fifo->tail - fifo->head < n)
		packets_arrive(pool);
	n = fifo_take(fifo, mbufs, n);
	pthread_mutex_unlock(&mutex);
	return n;
}

unsigned int nic_waiting(uint16_t queue) {
	unsigned int n;

	pthread_mutex_lock(&mutex);
	n = fifos[queue].tail - fifos[queue].head;
	pthread_mutex_unlock(&mutex);
	return n;
}

/* Settings */

// Packets that arrive from now on are hashed and spread anew.
static int settings_end(int ret) {
	n_settings++;
	pthread_mutex_unlock(&mutex);
	return ret;
}

static void settings_begin(void) {
	pthread_mutex_lock(&mutex);
}

void nic_init(enum fake_nic_kind kind) {
	settings_begin();
	fake_nic_fini(&nic);
	fake_nic_init(&nic, kind);
	settings_end(0);
}

void nic_start(uint64_t rss_hf) {
	settings_begin();
	nic.rss_hf = rss_hf;
	settings_end(0);
}

void nic_stop(void) {
	settings_begin();
	for (unsigned int i = 0; i < STREAM_RXQ_MAX; i++)
		while (fifos[i].head != fifos[i].tail)
			rte_pktmbuf_free(fifos[i].mbufs[fifos[i].head++ % NIC_DESC]);
	settings_end(0);
}

void nic_info(struct rte_eth_dev_info *info) {
	fake_nic_info(&nic, info);
}

int nic_rss_hash_update(struct rte_eth_dev *dev, struct rte_eth_rss_conf *conf) {
	settings_begin();
	return settings_end(fake_nic_rss(&nic, conf));
}

int nic_reta_update(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n) {
	settings_begin();
	return settings_end(fake_nic_reta_update(&nic, reta, n));
}

int nic_reta_query(struct rte_eth_dev *dev, struct rte_eth_rss_reta_entry64 *reta, uint16_t n) {
	return fake_nic_reta_query(&nic, reta, n);
}

int nic_tunnel_add(struct rte_eth_dev *dev, struct rte_eth_udp_tunnel *tunnel) {
	settings_begin();
	return settings_end(fake_nic_tunnel(&nic, tunnel, true));
}

int nic_tunnel_del(struct rte_eth_dev *dev, struct rte_eth_udp_tunnel *tunnel) {
	settings_begin();
	return settings_end(fake_nic_tunnel(&nic, tunnel, false));
}

static int flow_validate(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
			 const struct rte_flow_item items[], const struct rte_flow_action actions[],
			 struct rte_flow_error *error) {
	return fake_nic_validate(&nic, items, actions, error);
}

static struct rte_flow *flow_create(struct rte_eth_dev *dev, const struct rte_flow_attr *attr,
				    const struct rte_flow_item items[],
				    const struct rte_flow_action actions[],
				    struct rte_flow_error *error) {
	struct rte_flow *flow;

	settings_begin();
	flow = fake_nic_create(&nic, items, actions, error);
	settings_end(0);
	return flow;
}

static int flow_destroy(struct rte_eth_dev *dev, struct rte_flow *flow,
			struct rte_flow_error *error) {
	settings_begin();
	return settings_end(fake_nic_destroy(&nic, flow, error));
}

int nic_flow_ops_get(struct rte_eth_dev *dev, const struct rte_flow_ops **ops) {
	static const struct rte_flow_ops flow_ops = {
		.validate = flow_validate,
		.create = flow_create,
		.destroy = flow_destroy,
	};

	*ops = &flow_ops;
	return 0;
}
