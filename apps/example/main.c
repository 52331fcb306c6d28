/* SPDX-License-Identifier: BSD-3-Clause */
// A whole application on the port net_ddp0: it prints queue, packet type and TEID of each packet,
// and exchanges the port's profiles once it has received some. With a capture of GTP-U packets,
// n3.pcap:
//
//     port='net_ddp0,dev(net_pcap0,rx_pcap=n3.pcap),overflow=wait'
//     ddp-example --no-huge -m 1024 --no-pci --vdev "$port" -- 100 gtpu
//
// receives 100 packets as a NIC without profiles does, and the others with the profile gtpu. To
// build it elsewhere:
//
//     cc main.c $(pkg-config --cflags --libs librte_net_ddp)
//
// and before ddpsteer is installed with PKG_CONFIG_PATH=build/meson-uninstalled and, at run time,
// LD_LIBRARY_PATH=build/plugin/port.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_pmd_ddp.h>

#define N_QUEUES 4
#define BURST 32
#define IDLE_MS 200 // then the capture is at its end

static void packet_print(uint16_t port, uint16_t queue, struct rte_mbuf *mbuf, int meta_off) {
	const struct rte_pmd_ddp_meta *meta =
		RTE_MBUF_DYNFIELD(mbuf, meta_off, struct rte_pmd_ddp_meta *);
	char type[64] = "?";

	rte_pmd_ddp_meta_fill(port, queue, &mbuf, 1); // the NIC below may have hashed it
	rte_pmd_ddp_ptype_name(port, meta->ptype_id, type, sizeof(type));
	printf("queue %u %s", queue, type);
	if (strncmp(type, "GTPU_", 5) == 0) // the types of which gtpu extracts the TEID
		printf(" TEID 0x%08" PRIx32, meta->value);
	printf("\n");
}

static void port_start(uint16_t port) {
	struct rte_mempool *pool = rte_pktmbuf_pool_create(
		"example", 16383, BURST, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	struct rte_eth_dev_info info;

	if (pool == NULL || rte_eth_dev_info_get(port, &info) != 0)
		rte_exit(EXIT_FAILURE, "no memory\n");
	conf.rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads;
	if (rte_eth_dev_configure(port, N_QUEUES, 1, &conf) != 0)
		rte_exit(EXIT_FAILURE, "cannot configure the port\n");
	for (uint16_t queue = 0; queue < N_QUEUES; queue++)
		if (rte_eth_rx_queue_setup(port, queue, 1024, SOCKET_ID_ANY, NULL, pool) != 0)
			rte_exit(EXIT_FAILURE, "cannot set up queue %u\n", queue);
	if (rte_eth_tx_queue_setup(port, 0, 512, SOCKET_ID_ANY, NULL) != 0 ||
	    rte_eth_dev_start(port) != 0)
		rte_exit(EXIT_FAILURE, "cannot start the port\n");
}

int main(int argc, char **argv) {
	int meta_off, n_eal = rte_eal_init(argc, argv);
	unsigned int n_received = 0, n_first, idle_ms = 0;
	struct rte_mbuf *mbufs[BURST];
	char error[256];
	uint16_t port;

	if (n_eal < 0 || argc - n_eal != 3)
		rte_exit(EXIT_FAILURE, "usage: ddp-example EAL-OPTION... -- PACKETS PROFILE\n");
	n_first = strtoul(argv[n_eal + 1], NULL, 0);
	if (rte_eth_dev_get_port_by_name("net_ddp0", &port) != 0)
		rte_exit(EXIT_FAILURE, "there is no port net_ddp0: see --vdev\n");
	meta_off = rte_mbuf_dynfield_lookup(RTE_PMD_DDP_META_DYNFIELD, NULL);
	port_start(port);
	while (idle_ms++ < IDLE_MS) {
		for (uint16_t queue = 0; queue < N_QUEUES; queue++) {
			uint16_t n = rte_eth_rx_burst(port, queue, mbufs, BURST);

			for (uint16_t i = 0; i < n; i++)
				packet_print(port, queue, mbufs[i], meta_off);
			rte_pktmbuf_free_bulk(mbufs, n);
			if (n_received < n_first && n_received + n >= n_first &&
			    rte_pmd_ddp_profile_set(port, argv[n_eal + 2], error, sizeof(error)) !=
				    0)
				rte_exit(EXIT_FAILURE, "%s\n", error);
			n_received += n;
			if (n > 0)
				idle_ms = 0;
		}
		if (idle_ms > 0)
			rte_delay_us_sleep(1000);
	}
	rte_eth_dev_stop(port);
	rte_eth_dev_close(port);
	return rte_eal_cleanup();
}
