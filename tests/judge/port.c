/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <inttypes.h>

#include "port/harness.h"
#include "scratch.h"
#include "unit.h"

#define QUEUES 8
#define DESCRIPTORS 256
#define RETA_SIZE 512

void port_begin(void) {
	eal_begin();
	scratch_begin();
}

// Returns the RSS types that it hashes.
static uint64_t port_start(const struct subject *subject, const uint16_t reta[RETA_SIZE],
			   uint16_t *port) {
	struct rte_eth_rss_reta_entry64 groups[RETA_SIZE / RTE_ETH_RETA_GROUP_SIZE];
	char *text = subject_text(subject->spec), devargs[4096];
	struct rte_eth_dev_info info;
	uint64_t rss_hf;
	int id;

	if (text != NULL)
		scratch_write_text("t.yaml", text);
	snprintf(devargs, sizeof(devargs), "dev(net_testsrc0),overflow=wait,profile=%s",
		 text != NULL ? scratch_path("t.yaml") : subject->spec);
	free(text);
	id = ddp_probe(devargs);
	if (id < 0)
		fail_msg("%s: %s", devargs, ddp_probe_log());
	*port = id;
	assert_int_equal(rte_eth_dev_info_get(id, &info), 0);
	rss_hf = info.flow_type_rss_offloads & DDP_RSS_HF_ALL;
	ddp_configure(id, QUEUES, QUEUES, DESCRIPTORS, rss_hf);
	assert_int_equal(rte_eth_dev_start(id), 0);
	for (unsigned int i = 0; i < RETA_SIZE; i++) {
		groups[i / 64].mask = UINT64_MAX;
		groups[i / 64].reta[i % 64] = reta[i];
	}
	assert_int_equal(rte_eth_dev_rss_reta_update(id, groups, RETA_SIZE), 0);
	return rss_hf;
}

// A packet as it is in the burst, in mbufs of the pool.
static struct rte_mbuf *mbuf_copy(const struct rte_mbuf *from) {
	struct rte_mbuf *first = NULL;

	for (; from != NULL; from = from->next) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

		memcpy(rte_pktmbuf_append(mbuf, from->data_len),
		       rte_pktmbuf_mtod(from, const char *), from->data_len);
		if (first == NULL)
			first = mbuf;
		else
			assert_int_equal(rte_pktmbuf_chain(first, mbuf), 0);
	}
	return first;
}

// ptype_id: 1 is the profile's first packet type, whatever id the verdict has.
static const char *mbuf_difference(const struct rte_mbuf *mbuf, uint16_t queue,
				   const struct verdict *verdict, uint16_t ptype_id,
				   const uint16_t reta[RETA_SIZE]) {
	const struct rte_pmd_ddp_meta *meta = meta_of(mbuf);
	bool hashed = verdict->input_len > 0;

	if (mbuf->packet_type != verdict->packet_type)
		return "packet_type";
	if (meta->ptype_id != ptype_id)
		return "ptype_id";
	if (meta->inner_l3_off != verdict->inner_l3_off)
		return "inner_l3_off";
	if (meta->value != verdict->value)
		return "value";
	if (((mbuf->ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0) != hashed)
		return "flag of the hash";
	if (hashed && mbuf->hash.rss != verdict->hash)
		return "hash";
	return queue != (hashed ? reta[verdict->hash % RETA_SIZE] : 0) ? "queue" : NULL;
}

static void difference_print(const struct bytes *packet, const char *what) {
	printf("difference: %s of a packet of a port\n%u bytes: ", what, packet->len);
	for (uint32_t at = 0; at < packet->len; at++)
		printf("%02x", packet->data[at]);
	printf("\n");
}

static bool burst_agrees(uint16_t port, const struct way *way, const struct ddp_hash *hash,
			 struct burst *burst, const uint16_t reta[RETA_SIZE]) {
	const uint16_t first_id = way->personality->profile->types[0].id;
	struct rte_mbuf *sent[BURST_MAX], *mbufs[BURST_MAX];
	static struct verdict verdict;
	unsigned int n_received = 0;
	const char *what = NULL;

	for (unsigned int i = 0; i < burst->n; i++)
		sent[i] = mbuf_copy(burst->mbufs[i]);
	testsrc_feed(0, 0, sent, burst->n);
	for (unsigned int calls = 0; n_received < burst->n && calls < 100 * QUEUES; calls++) {
		uint16_t queue = calls % QUEUES;
		uint16_t n = rte_eth_rx_burst(port, queue, mbufs, BURST_MAX);

		for (unsigned int i = 0; i < n; i++) {
			unsigned int at = 0;

			while (at < burst->n && sent[at] != mbufs[i])
				at++;
			assert_true(at < burst->n);
			verdict_find(&verdict, way, hash, burst->packets[at].data,
				     burst->packets[at].len);
			if (what == NULL &&
			    (what = mbuf_difference(
				     mbufs[i], queue, &verdict,
				     verdict.type_id == 0 ? 0 : verdict.type_id - first_id + 1,
				     reta)) != NULL)
				difference_print(&burst->packets[at], what);
		}
		rte_pktmbuf_free_bulk(mbufs, n);
		n_received += n;
	}
	if (what == NULL && n_received < burst->n)
		printf("difference: %u of %u packets came from a port\n", n_received, burst->n);
	return what == NULL && n_received == burst->n;
}

bool port_agrees(const struct subject *subject, struct draw *draw, struct burst *burst,
		 unsigned int n, uint64_t *n_packets) {
	struct way way = subject->ways[0];
	static struct ddp_hash hash;
	uint16_t reta[RETA_SIZE], port;
	bool agrees = true;

	for (unsigned int i = 0; i < RETA_SIZE; i++)
		reta[i] = random_below(&draw->seed, QUEUES);
	ddp_hash_init(&hash, DDP_HASH_TOEPLITZ, ddp_default_key);
	way.policy.rss_hf = port_start(subject, reta, &port);
	for (; (n > 0 || draw->kind == DRAW_EACH) && agrees; n -= n > 0) {
		draw_burst(draw, burst);
		agrees = burst_agrees(port, &way, &hash, burst, reta);
		*n_packets += burst->n;
	}
	ddp_end(port);
	return agrees;
}
