/* SPDX-License-Identifier: BSD-3-Clause */
// Captures through net_ddp with profiles, many of each in one process: how many packets each Rx
// queue gave.
//
//	replay EAL_OPTIONS -- FOLDER < "profile<TAB>capture" lines > the same lines with numbers
// behind them 	replay --count CAPTURE...
//
// The second form says how many packets libpcap, and so net_pcap, reads of a capture. A port is
// made for each profile that differs from the last line's; it reads capture after capture by one
// name in FOLDER.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcap/pcap.h>
#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define N_QUEUES 8
#define N_DESC 512
#define N_MBUFS 16384
#define BURST 32
#define IDLE_ROUNDS 4 // of all queues without a packet: the capture is at its end
#define NAME "net_ddp0"

struct replay {
	const char *folder;
	char capture[512]; // what the port reads: a symbolic link
	char profile[4096];
	struct rte_mempool *pool;
	uint16_t port;
	bool open;
};

__attribute__((noreturn)) static void give_up(const char *what, const char *name) {
	fprintf(stderr, "replay: %s: %s\n", name, what);
	exit(1);
}

static void link_to(const struct replay *replay, const char *capture) {
	unlink(replay->capture);
	if (symlink(capture, replay->capture) < 0)
		give_up("cannot be linked to", capture);
}

static void port_open(struct replay *replay, const char *profile) {
	struct rte_eth_conf conf = {.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS};
	struct rte_eth_dev_info info;
	char args[5120];

	snprintf(replay->profile, sizeof(replay->profile), "%s", profile);
	snprintf(args, sizeof(args), "dev(net_pcap0,rx_pcap=%s),overflow=wait,profile=%s",
		 replay->capture, profile);
	if (rte_vdev_init(NAME, args) < 0 ||
	    rte_eth_dev_get_port_by_name(NAME, &replay->port) < 0 ||
	    rte_eth_dev_info_get(replay->port, &info) < 0)
		give_up("no port with this profile", profile);
	conf.rx_adv_conf.rss_conf.rss_hf = info.flow_type_rss_offloads;
	if (rte_eth_dev_configure(replay->port, N_QUEUES, N_QUEUES, &conf) < 0)
		give_up("the port cannot be configured", profile);
	for (uint16_t q = 0; q < N_QUEUES; q++)
		if (rte_eth_rx_queue_setup(replay->port, q, N_DESC, SOCKET_ID_ANY, NULL,
					   replay->pool) < 0 ||
		    rte_eth_tx_queue_setup(replay->port, q, N_DESC, SOCKET_ID_ANY, NULL) < 0)
			give_up("no queues", profile);
	replay->open = true;
}

static void port_close(struct replay *replay) {
	if (!replay->open)
		return;
	if (rte_eth_dev_close(replay->port) < 0 || rte_vdev_uninit(NAME) < 0)
		give_up("the port does not go", replay->profile);
	replay->open = false;
}

static void drain(const struct replay *replay, uint64_t counts[N_QUEUES]) {
	struct rte_mbuf *mbufs[BURST];
	unsigned int idle = 0;

	while (idle < IDLE_ROUNDS) {
		bool any = false;

		for (uint16_t q = 0; q < N_QUEUES; q++) {
			uint16_t n = rte_eth_rx_burst(replay->port, q, mbufs, BURST);

			rte_pktmbuf_free_bulk(mbufs, n);
			counts[q] += n;
			any |= n > 0;
		}
		idle = any ? 0 : idle + 1;
	}
}

static void pair_run(struct replay *replay, const char *profile, const char *capture) {
	uint64_t counts[N_QUEUES] = {0};

	link_to(replay, capture);
	if (!replay->open || strcmp(replay->profile, profile) != 0) {
		port_close(replay);
		port_open(replay, profile);
	}
	if (rte_eth_dev_start(replay->port) < 0)
		give_up("the port does not start with it", capture);
	drain(replay, counts);
	if (rte_eth_dev_stop(replay->port) < 0)
		give_up("the port does not stop", profile);
	printf("%s\t%s", profile, capture);
	for (unsigned int q = 0; q < N_QUEUES; q++)
		printf("%c%" PRIu64, q == 0 ? '\t' : ' ', counts[q]);
	printf("\n");
}

static void pairs_run(struct replay *replay) {
	char line[8192];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		char *rest = NULL, *profile = strtok_r(line, "\t\n", &rest);
		char *capture = strtok_r(NULL, "\t\n", &rest);

		if (profile == NULL || capture == NULL)
			give_up("not a profile and a capture", line);
		pair_run(replay, profile, capture);
	}
	port_close(replay);
}

// -1: what it begins with is already wrong.
static int capture_count(const char *path) {
	char error[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, error);
	struct pcap_pkthdr *header;
	const u_char *data;
	int n = 0;

	if (pcap == NULL)
		return -1;
	while (pcap_next_ex(pcap, &header, &data) == 1)
		n++;
	pcap_close(pcap);
	return n;
}

int main(int argc, char **argv) {
	struct replay replay = {0};
	int n_eal;

	if (argc > 1 && strcmp(argv[1], "--count") == 0) {
		for (int i = 2; i < argc; i++)
			printf("%d\t%s\n", capture_count(argv[i]), argv[i]);
		return 0;
	}
	n_eal = rte_eal_init(argc, argv);
	if (n_eal < 0 || n_eal + 2 != argc) {
		fprintf(stderr,
			"usage: replay EAL_OPTIONS -- FOLDER, or replay --count CAPTURE...\n");
		return 2;
	}
	replay.folder = argv[n_eal + 1];
	snprintf(replay.capture, sizeof(replay.capture), "%s/capture", replay.folder);
	replay.pool = rte_pktmbuf_pool_create("replay", N_MBUFS, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
					      SOCKET_ID_ANY);
	if (replay.pool == NULL)
		give_up("no memory for packets", replay.folder);
	pairs_run(&replay);
	return rte_eal_cleanup() < 0;
}
