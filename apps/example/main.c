/* SPDX-License-Identifier: BSD-3-Clause */
// An application on the port net_ddp0: it prints queue, packet type and TEID of each packet, and
// exchanges the port's profiles after some packets. With a capture of GTP-U packets, n3.pcap:
//
//     port='net_ddp0,dev(net_pcap0,rx_pcap=n3.pcap),overflow=wait'
//     ddp-example --no-huge -m 1024 --no-pci --vdev "$port" -- 100 gtpu
//
// receives 100 packets without a profile, and the others with gtpu. To build it elsewhere:
// cc main.c $(pkg-config --cflags --libs librte_net_ddp), and before ddpsteer is installed with
// PKG_CONFIG_PATH=build/meson-uninstalled and, at run time, LD_LIBRARY_PATH=build/plugin/port.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_pmd_ddp.h>

#define N_QUEUES 4  // Rx queues
#define BURST 32    // packets
#define IDLE_MS 200 // ms without packets: the end of the capture

static void check(bool good, const char *what) {
	if (!good)
		rte_exit(EXIT_FAILURE, "%s\n", what);
}

static void packet_print(uint16_t port, unsigned int queue, const struct rte_mbuf *mbuf) {
	const int offset = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL);
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, offset, const struct rte_pmd_ddp_meta *);
	char type[64] = "";

	rte_pmd_ddp_ptype_name(port, meta->ptype_id, type, sizeof(type));
	printf("queue %u %s", queue, type);
	if (strncmp(type, "GTPU_", 5) == 0) // the types from which gtpu extracts the TEID
		printf(" TEID 0x%08x", meta->value);
	printf("\n");
}

int main(int argc, char **argv) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
				    .rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP};
	int n_eal = rte_eal_init(argc, argv), n_left;
	struct rte_mempool *pool;
	struct rte_mbuf *mbufs[BURST];
	const char *profile;
	char text[256] = "";
	uint16_t port;

	check(n_eal >= 0 && argc - n_eal == 3,
	      "usage: ddp-example EAL-OPTION... -- PACKETS PROFILE");
	check(rte_eth_dev_get_port_by_name("net_ddp0", &port) == 0, "no port net_ddp0: see --vdev");
	n_left = atoi(argv[n_eal + 1]);
	profile = argv[n_eal + 2];
	pool = rte_pktmbuf_pool_create("mbufs", 16383, 32, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
				       SOCKET_ID_ANY);
	check(rte_eth_dev_configure(port, N_QUEUES, 1, &conf) == 0, "cannot configure the port");
	check(pool != NULL, "no memory");
	for (uint16_t q = 0; q < N_QUEUES; q++)
		check(rte_eth_rx_queue_setup(port, q, 1024, SOCKET_ID_ANY, NULL, pool) == 0,
		      "no queue");
	check(rte_eth_tx_queue_setup(port, 0, 512, SOCKET_ID_ANY, NULL) == 0, "no Tx queue");
	check(rte_eth_dev_start(port) == 0, "cannot start the port");
	for (unsigned int n_idle = 0, q = 0; n_idle < N_QUEUES * IDLE_MS; q = (q + 1) % N_QUEUES) {
		uint16_t n = rte_eth_rx_burst(port, q, mbufs, BURST);

		rte_pmd_ddp_meta_fill(port, q, mbufs, n); // the lower device may have hashed them
		for (uint16_t i = 0; i < n; i++)
			packet_print(port, q, mbufs[i]);
		rte_pktmbuf_free_bulk(mbufs, n);
		if (n_left > 0 && n_left <= n)
			check(rte_pmd_ddp_profile_set(port, profile, text, sizeof(text)) == 0,
			      text);
		n_left -= n;
		n_idle = n > 0 ? 0 : n_idle + 1;
		rte_delay_us_sleep(n > 0 ? 0 : 1000 / N_QUEUES);
	}
	rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
	return rte_eal_cleanup();
}
