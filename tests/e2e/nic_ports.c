/* SPDX-License-Identifier: BSD-3-Clause */
// Ports of net_ddp over make-believe NICs, which get the packets of a capture continuously, until
// SIGTERM:
//
//	nic_ports CAPTURE EAL_OPTIONS --vdev net_ddp0,dev(net_testsrc0,nic=N,rxq=4),... ...
//
// Port N is over net_testsrcN.
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "unit/port/testsrc.h"

#define N_QUEUES 4
#define N_DESC 512
#define BURST 32

static volatile sig_atomic_t ended;

static void end(int signal) {
	(void)signal;
	ended = 1;
}

static void must(bool good, const char *what) {
	if (good)
		return;
	fprintf(stderr, "nic_ports: %s\n", what);
	exit(1);
}

static void port_start(uint16_t port, struct rte_mempool *pool) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};

	conf.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP;
	must(rte_eth_dev_configure(port, N_QUEUES, 1, &conf) == 0, "configure");
	for (uint16_t q = 0; q < N_QUEUES; q++)
		must(rte_eth_rx_queue_setup(port, q, N_DESC, SOCKET_ID_ANY, NULL, pool) == 0,
		     "Rx queue");
	must(rte_eth_tx_queue_setup(port, 0, N_DESC, SOCKET_ID_ANY, NULL) == 0, "Tx queue");
	must(rte_eth_dev_start(port) == 0, "start");
}

// The next packets of the capture, which begins anew at its end.
static void burst_read(struct rte_mbuf **mbufs, struct rte_mempool *pool, const char *path) {
	static pcap_t *pcap;
	struct pcap_pkthdr *header;
	const u_char *data;
	char error[PCAP_ERRBUF_SIZE];

	must(rte_pktmbuf_alloc_bulk(pool, mbufs, BURST) == 0, "no mbufs");
	for (unsigned int i = 0; i < BURST; i++) {
		while (pcap == NULL || pcap_next_ex(pcap, &header, &data) != 1) {
			if (pcap != NULL)
				pcap_close(pcap);
			pcap = pcap_open_offline(path, error);
			must(pcap != NULL, "no capture");
		}
		memcpy(rte_pktmbuf_append(mbufs[i], header->caplen), data, header->caplen);
	}
}

static void port_run(uint16_t port, struct rte_mempool *pool, const char *path) {
	struct rte_mbuf *mbufs[BURST];

	burst_read(mbufs, pool, path);
	testsrc_arrive(port, mbufs, BURST);
	for (unsigned int round = 0; round < 4; round++)
		for (uint16_t q = 0; q < N_QUEUES; q++)
			rte_pktmbuf_free_bulk(mbufs, rte_eth_rx_burst(port, q, mbufs, BURST));
}

int main(int argc, char **argv) {
	struct rte_mempool *pool;
	uint16_t port;

	must(argc > 1 && rte_eal_init(argc - 1, argv + 1) >= 0, "no EAL");
	signal(SIGTERM, end);
	pool = rte_pktmbuf_pool_create("nic_ports", 16383, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
				       SOCKET_ID_ANY);
	must(pool != NULL, "no memory");
	RTE_ETH_FOREACH_DEV(port)
		port_start(port, pool);
	while (!ended) {
		RTE_ETH_FOREACH_DEV(port)
			port_run(port, pool, argv[1]);
		rte_delay_us_sleep(1000);
	}
	RTE_ETH_FOREACH_DEV(port)
		rte_eth_dev_stop(port);
	rte_eal_cleanup();
	return 0;
}
