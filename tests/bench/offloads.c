/* SPDX-License-Identifier: BSD-3-Clause */
// What an application may ask of a port beside classification: checksums, and packets without their
// tunnels; and what net_ddp adds to Tx.
#include <string.h>

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_udp.h>

#include "bench.h"
#include "end.h"
#include "fail.h"
#include "port/run/cksum.h"
#include "port/run/decap.h"
#include "samples.h"
#include "template.h"
#include "work.h"

#define ROUNDS 61
#define ROUNDS_QUICK 15
#define SECONDS 4 // for a table, at most
#define SECONDS_QUICK 1
#define N_PACKETS 256 // hot
#define ROUND_PACKETS 65536U
#define L3_OFF 14
#define INNER_L3_OFF 50 // GTP-U without options

static volatile uint64_t flags_seen; // what is found must be of use
static const struct ddp_verdict plain = {.l3_off = L3_OFF, .inner_l3_off = UINT16_MAX};

// Packets of one size: Ethernet, IPv4, UDP.
static void plain_make(struct packets *packets, unsigned int size) {
	packets_make(packets, kind_find("gtpu"), N_PACKETS, VISITS);
	for (unsigned int i = 0; i < packets->n; i++) {
		struct rte_mbuf *mbuf = packets->mbufs[i];
		struct rte_ipv4_hdr *ip =
			rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv4_hdr *, L3_OFF);
		struct rte_udp_hdr *udp = (struct rte_udp_hdr *)(ip + 1);

		mbuf->data_len = size;
		mbuf->pkt_len = size;
		ip->total_length = rte_cpu_to_be_16(size - L3_OFF);
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
		udp->dgram_len = rte_cpu_to_be_16(size - L3_OFF - sizeof(*ip));
		udp->dgram_cksum = 0;
		udp->dgram_cksum = rte_ipv4_udptcp_cksum(ip, udp);
	}
}

/* Ways */

static uint64_t nothing(struct rte_mbuf *mbuf) {
	return *rte_pktmbuf_mtod(mbuf, const uint8_t *);
}

static uint64_t ip_ours(struct rte_mbuf *mbuf) {
	return ddp_cksum_verify(&plain, RTE_ETH_RX_OFFLOAD_IPV4_CKSUM, mbuf);
}

static uint64_t ip_dpdk(struct rte_mbuf *mbuf) {
	const struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(mbuf, const struct rte_ipv4_hdr *, L3_OFF);

	return rte_raw_cksum(ip, rte_ipv4_hdr_len(ip)) == 0xffff ? RTE_MBUF_F_RX_IP_CKSUM_GOOD :
								   RTE_MBUF_F_RX_IP_CKSUM_BAD;
}

static uint64_t l4_ours(struct rte_mbuf *mbuf) {
	return ddp_cksum_verify(&plain, RTE_ETH_RX_OFFLOAD_UDP_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM,
				mbuf);
}

static uint64_t l4_dpdk(struct rte_mbuf *mbuf) {
	const struct rte_ipv4_hdr *ip =
		rte_pktmbuf_mtod_offset(mbuf, const struct rte_ipv4_hdr *, L3_OFF);

	return rte_ipv4_udptcp_cksum_mbuf_verify(mbuf, ip, L3_OFF + rte_ipv4_hdr_len(ip)) == 0 ?
		       RTE_MBUF_F_RX_L4_CKSUM_GOOD :
		       RTE_MBUF_F_RX_L4_CKSUM_BAD;
}

// As the packet was: the next round needs its tunnel.
static void tunnel_restore(struct rte_mbuf *mbuf, const uint8_t bytes[14]) {
	mbuf->data_off = RTE_PKTMBUF_HEADROOM;
	mbuf->data_len += INNER_L3_OFF - 14;
	mbuf->pkt_len += INNER_L3_OFF - 14;
	memcpy(rte_pktmbuf_mtod_offset(mbuf, void *, INNER_L3_OFF - 14), bytes, 14);
}

static uint64_t decap_ours(struct rte_mbuf *mbuf) {
	uint8_t bytes[14];
	bool done;

	memcpy(bytes, rte_pktmbuf_mtod_offset(mbuf, void *, INNER_L3_OFF - 14), sizeof(bytes));
	done = ddp_decap(mbuf, INNER_L3_OFF);
	tunnel_restore(mbuf, bytes);
	return done;
}

// The same without the work itself.
static uint64_t decap_nothing(struct rte_mbuf *mbuf) {
	uint8_t bytes[14];

	memcpy(bytes, rte_pktmbuf_mtod_offset(mbuf, void *, INNER_L3_OFF - 14), sizeof(bytes));
	mbuf->data_len -= INNER_L3_OFF - 14;
	mbuf->pkt_len -= INNER_L3_OFF - 14;
	tunnel_restore(mbuf, bytes);
	return 0;
}

struct way {
	const char *id, *title;
	uint64_t (*run)(struct rte_mbuf *mbuf);
	unsigned int size; // of the packets; 0: GTP-U as it is
};

static const struct way ways[] = {
	{"nothing", "a read of the packet", nothing, 128},
	{"ipv4", "IPv4 header: ours", ip_ours, 128},
	{"ipv4-rte", "IPv4 header: rte_raw_cksum", ip_dpdk, 128},
	{"udp-128", "UDP, 128 bytes: ours", l4_ours, 128},
	{"udp-128-rte", "UDP, 128 bytes: rte_net", l4_dpdk, 128},
	{"udp-512", "UDP, 512 bytes: ours", l4_ours, 512},
	{"udp-512-rte", "UDP, 512 bytes: rte_net", l4_dpdk, 512},
	{"udp-1500", "UDP, 1500 bytes: ours", l4_ours, 1500},
	{"udp-1500-rte", "UDP, 1500 bytes: rte_net", l4_dpdk, 1500},
	{"decap-nothing", "GTP-U kept (lengths written, put back)", decap_nothing, 0},
	{"decap", "GTP-U removed: decap (and put back)", decap_ours, 0},
};

static double way_time(const struct way *way, const struct packets *packets) {
	uint64_t tsc = rte_rdtsc_precise(), flags = 0;

	for (unsigned int i = 0; i < packets->n_visits; i++)
		flags += way->run(packets->visits[i]);
	flags_seen += flags;
	return samples_ns(tsc, packets->n_visits);
}

static void ways_measure(struct table *table) {
	static struct samples samples;
	struct packets packets[RTE_DIM(ways)];
	unsigned int round;

	for (unsigned int w = 0; w < RTE_DIM(ways); w++)
		if (ways[w].size > 0)
			plain_make(&packets[w], ways[w].size);
		else
			packets_make(&packets[w], kind_find("gtpu"), N_PACKETS, VISITS);
	samples_begin(&samples, options.quick ? ROUNDS_QUICK : ROUNDS,
		      options.quick ? SECONDS_QUICK : SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int w = 0; w < RTE_DIM(ways); w++)
			samples.ns[w][round] = way_time(&ways[w], &packets[w]);
	for (unsigned int w = 0; w < RTE_DIM(ways); w++) {
		unsigned int row = table_row(table, ways[w].id, ways[w].title);

		table->figures[row][0] = samples_figure(&samples, w, -1);
		packets_free(&packets[w]);
	}
}

/* Tx */

struct sender {
	const char *id, *title, *name, *args;
	uint16_t n_queues;
};

static const struct sender senders[] = {
	{"tx-alone", "Tx: device alone", "net_template0", "", 1},
	{"tx", "Tx: through net_ddp", "net_ddp0", "dev(net_template1),profile=gtpu", 1},
	{"tx-shared", "Tx: 8 queues of net_ddp share one", "net_ddp1",
	 "dev(net_template2),profile=gtpu", 8},
};

static double sender_time(const struct sender *sender, uint16_t port, struct packets *packets) {
	uint64_t tsc = rte_rdtsc_precise();

	for (unsigned int i = 0; i < ROUND_PACKETS; i += BURST) {
		uint16_t queue = i / BURST % sender->n_queues;
		uint16_t n = rte_eth_tx_burst(port, queue, &packets->visits[i % packets->n_visits],
					      BURST);

		if (n != BURST)
			fail("%s took %u packets", sender->name, n);
	}
	return samples_ns(tsc, ROUND_PACKETS);
}

static void senders_measure(struct table *table) {
	static struct samples samples;
	uint16_t ports[RTE_DIM(senders)];
	struct packets packets;
	unsigned int round;

	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, VISITS);
	template_packets_set(&packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++)
		ports[s] = port_open(senders[s].name, senders[s].args, senders[s].n_queues);
	samples_begin(&samples, options.quick ? ROUNDS_QUICK : ROUNDS,
		      options.quick ? SECONDS_QUICK : SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int s = 0; s < RTE_DIM(senders); s++)
			samples.ns[s][round] = sender_time(&senders[s], ports[s], &packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++) {
		unsigned int row = table_row(table, senders[s].id, senders[s].title);

		table->figures[row][0] = samples_figure(&samples, s, -1);
		port_close(ports[s], senders[s].name);
	}
	packets_free(&packets);
}

void offloads_measure(void) {
	struct table table;

	table_init(&table, "offloads", "Checksums, tunnels removed, Tx");
	snprintf(table.note, sizeof(table.note),
		 "ns a packet, hot packets; of decap the difference of both rows is what it adds");
	table_column(&table, "cost", "cost");
	ways_measure(&table);
	senders_measure(&table);
	table_done(&table);
}
