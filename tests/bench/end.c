/* SPDX-License-Identifier: BSD-3-Clause */
// End to end: what net_ddp adds to a device. One lcore polls the device alone, then all queues of
// net_ddp over another one like it.
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "bench.h"
#include "methods.h"
#include "unit/port/rule_words.h"

#define ROUNDS 101
#define SECONDS 10 // for all of them, at most
#define ROUND_PACKETS 65536
#define WARM_UP_PACKETS 262144 // until net_ddp knows its traffic
#define N_DESC 512

static volatile uint64_t received_bytes;    // so that the reads are not optimized out
static uint64_t received[RTE_MAX_ETHPORTS]; // since the port was opened

uint16_t port_open(const char *name, const char *args, uint16_t n_queues) {
	// A template without requested hashes has no RSS.
	struct rte_eth_conf conf = {
		.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS,
		.rx_adv_conf.rss_conf.rss_hf = RTE_ETH_RSS_IP,
	};
	struct rte_eth_dev_info info;
	uint16_t port;

	must(rte_vdev_init(name, args), name);
	must(rte_eth_dev_get_port_by_name(name, &port), name);
	must(rte_eth_dev_info_get(port, &info), name);
	if (info.flow_type_rss_offloads == 0)
		conf = (struct rte_eth_conf){0};
	must(rte_eth_dev_configure(port, n_queues, n_queues, &conf), name);
	for (uint16_t i = 0; i < n_queues; i++) {
		must(rte_eth_rx_queue_setup(port, i, N_DESC, 0, NULL, packets_pool()), name);
		must(rte_eth_tx_queue_setup(port, i, N_DESC, 0, NULL), name);
	}
	must(rte_eth_dev_start(port), name);
	received[port] = 0;
	return port;
}

void port_close(uint16_t port, const char *name) {
	must(rte_eth_dev_stop(port), name);
	must(rte_eth_dev_close(port), name);
	must(rte_vdev_uninit(name), name);
}

// Receive n packets on all queues.
static uint64_t port_poll(uint16_t port, uint16_t n_queues, uint64_t n) {
	struct rte_mbuf *mbufs[BURST];
	uint64_t sum = 0, bytes = 0;

	while (sum < n)
		for (uint16_t i = 0; i < n_queues; i++) {
			uint16_t got = rte_eth_rx_burst(port, i, mbufs, BURST);

			sum += got;
			for (unsigned int k = 0; k < got; k++)
				bytes += rte_pktmbuf_pkt_len(mbufs[k]);
		}
	received[port] += sum;
	received_bytes += bytes;
	return sum;
}

// ns a packet, polling all queues.
static double port_time(uint16_t port, uint16_t n_queues) {
	uint64_t tsc, n;

	port_poll(port, n_queues, BURST * N_QUEUES);
	tsc = rte_rdtsc_precise();
	n = port_poll(port, n_queues, ROUND_PACKETS);
	return samples_ns(tsc, n);
}

/* Rules */

#define TEID_AT (14 + 20 + 8 + 4) // in a packet of the kind gtpu

// Packets with this TEID come to that queue.
static void rule_create(uint16_t port, rte_be32_t teid, uint16_t queue) {
	static const struct rte_flow_attr attr = {.ingress = 1};
	const struct rte_flow_item_gtp gtp = {.teid = teid}, mask = {.teid = UINT32_MAX};
	const struct rte_flow_action_queue to = {.index = queue};

	// Several packets may have one TEID.
	if (rte_flow_create(port, &attr,
			    ITEMS(ITEM(ETH), ITEM(IPV4), ITEM(UDP),
				  ITEM(GTPU, .spec = &gtp, .mask = &mask)),
			    ACTIONS(ACTION(QUEUE, .conf = &to)), NULL) == NULL &&
	    rte_errno != EEXIST)
		fail("a rule cannot be created");
}

/* Set-ups */

// A device, once alone and once below net_ddp.
struct setup {
	const char *id, *title;
	const char *args; // of both devices
	uint16_t lower_queues, queues;
	const char *ddp_args;
	unsigned int n_rules; // of net_ddp, for one TEID each
};

#define GTPU ",profile=gtpu"
#define HASHED ",profile=" GTPU_NIC ",offload=require:ice-comms" // by the device
static const struct setup setups[] = {
	{"template", "prepared, GTP-U", "", 1, N_QUEUES, GTPU, 0},
	{"template-balance", "balance=on", "", 1, N_QUEUES, GTPU ",balance=on", 0},
	{"template-straight", "hashed by it, 8 queues of each", ",hashed=1,queues=8", N_QUEUES,
	 N_QUEUES, HASHED, 0},
	{"template-straight-balance", "the same, balance=on", ",hashed=1,queues=8", N_QUEUES,
	 N_QUEUES, HASHED ",balance=on", 0},
	{"template-bare", "8 queues, meta=off", ",hashed=1,queues=8", N_QUEUES, N_QUEUES,
	 HASHED ",meta=off", 0},
	{"template-single", "1 queue of each, meta=off", ",hashed=1", 1, 1, HASHED ",meta=off", 0},
	{"template-passed", "1 queue of it for 8 of ours", ",hashed=1", 1, N_QUEUES, HASHED, 0},
	{"template-rules-1024", "1,024 rules, one a packet", "", 1, N_QUEUES, GTPU,
	 TEMPLATE_PACKETS},
	{"template-rules-100000", "100,000 rules, these among them", "", 1, N_QUEUES, GTPU, 100000},
};

// The packets' own TEIDs, then others.
static void rules_create(uint16_t port, const struct setup *setup, const struct packets *packets) {
	for (unsigned int i = 0; i < setup->n_rules; i++) {
		rte_be32_t teid = rte_cpu_to_be_32(0xc0000000 + i);

		if (i < packets->n)
			memcpy(&teid, rte_pktmbuf_mtod_offset(packets->mbufs[i], void *, TEID_AT),
			       sizeof(teid));
		rule_create(port, teid, i % setup->queues);
	}
}

// Add the instruction set that net_ddp runs.
static void mode_tell(struct heading *row, uint16_t ddp) {
	struct rte_eth_burst_mode mode;
	size_t len = strlen(row->title);

	if (rte_eth_rx_burst_mode_get(ddp, 0, &mode) == 0)
		snprintf(&row->title[len], sizeof(row->title) - len, " (%s)", mode.info);
}

// A template has only so many packets: those that it handed out and that nobody received are on
// rings.
static void template_check(uint16_t ddp) {
	uint64_t n = template_served(1) - received[ddp];

	if (n > TEMPLATE_PACKETS / 2)
		fail("%lu packets wait in net_ddp: the template has too few", n);
}

enum series {
	ALONE,
	DDP,
	ADDED,
	N_SERIES,
};

static void setup_measure(struct table *table, const struct setup *setup,
			  const struct packets *packets) {
	static struct samples samples;
	unsigned int row = table_row(table, setup->id, setup->title), i;
	char args[256];
	uint16_t alone, ddp;

	alone = port_open("net_template0", setup->args + (setup->args[0] == ','),
			  setup->lower_queues);
	snprintf(args, sizeof(args), "dev(net_template1%s),overflow=wait%s", setup->args,
		 setup->ddp_args);
	ddp = port_open("net_ddp0", args, setup->queues);
	rules_create(ddp, setup, packets);
	mode_tell(&table->rows[row], ddp);
	port_poll(ddp, setup->queues, WARM_UP_PACKETS);
	samples_begin(&samples, ROUNDS, SECONDS);
	while (samples_next(&samples, &i)) {
		samples.ns[ALONE][i] = port_time(alone, setup->lower_queues);
		samples.ns[DDP][i] = port_time(ddp, setup->queues);
		samples.ns[ADDED][i] = samples.ns[DDP][i] - samples.ns[ALONE][i];
		template_check(ddp);
	}
	for (i = 0; i < N_SERIES; i++)
		table->figures[row][i] = samples_figure(&samples, i, -1);
	port_close(ddp, "net_ddp0");
	port_close(alone, "net_template0");
}

void end_measure(void) {
	struct packets packets;
	struct table table;

	table_init(&table, "end", "End to end");
	snprintf(
		table.note, sizeof(table.note),
		"ns a packet; one lcore polls the device alone, or the %u queues of net_ddp over it, which "
		"adds so much",
		N_QUEUES);
	table_column(&table, "alone", "device alone");
	table_column(&table, "net_ddp", "with net_ddp");
	table_column(&table, "added", "added");
	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, TEMPLATE_PACKETS);
	template_packets_set(&packets);
	for (unsigned int i = 0; i < RTE_DIM(setups); i++)
		setup_measure(&table, &setups[i], &packets);
	packets_free(&packets);
	table_done(&table);
}

/* The cost that net_ddp adds to Tx */

#define TX_ROUNDS 61
#define TX_SECONDS 4 // at most

struct sender {
	const char *id, *title, *name, *args;
	uint16_t n_queues;
};

static const struct sender senders[] = {
	{"tx-alone", "device alone", "net_template0", "", 1},
	{"tx", "through net_ddp", "net_ddp0", "dev(net_template1),profile=gtpu", 1},
	{"tx-shared", "8 queues of net_ddp share one", "net_ddp1",
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

void tx_measure(void) {
	static struct samples samples;
	uint16_t ports[RTE_DIM(senders)];
	struct packets packets;
	struct table table;
	unsigned int round;

	table_init(&table, "tx", "Tx");
	snprintf(table.note, sizeof(table.note), "ns a packet, hot packets");
	table_column(&table, "cost", "cost");
	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, VISITS);
	template_packets_set(&packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++)
		ports[s] = port_open(senders[s].name, senders[s].args, senders[s].n_queues);
	samples_begin(&samples, TX_ROUNDS, TX_SECONDS);
	while (samples_next(&samples, &round))
		for (unsigned int s = 0; s < RTE_DIM(senders); s++)
			samples.ns[s][round] = sender_time(&senders[s], ports[s], &packets);
	for (unsigned int s = 0; s < RTE_DIM(senders); s++) {
		unsigned int row = table_row(&table, senders[s].id, senders[s].title);

		table.figures[row][0] = samples_figure(&samples, s, -1);
		port_close(ports[s], senders[s].name);
	}
	packets_free(&packets);
	table_done(&table);
}
