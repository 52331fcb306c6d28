/* SPDX-License-Identifier: BSD-3-Clause */
// End to end: what net_ddp adds to a device. One lcore polls the device alone, then all queues of
// net_ddp over another one like it.
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_flow.h>
#include <rte_vect.h>

#include "base/isa.h"
#include "bench.h"
#include "end.h"
#include "fail.h"
#include "samples.h"
#include "template.h"
#include "work.h"

#define ROUNDS 101
#define ROUNDS_QUICK 15
#define SECONDS 10 // for all of them, at most
#define SECONDS_QUICK 2
#define ROUND_PACKETS 65536
#define WARM_UP_PACKETS 262144 // until net_ddp knows its traffic
#define N_DESC 512

static volatile uint64_t received_bytes;    // what is read must be of use
static uint64_t received[RTE_MAX_ETHPORTS]; // since the port was opened

uint16_t port_open(const char *name, const char *args, uint16_t n_queues) {
	// A template that was not asked for hashes has no RSS.
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
static uint64_t port_poll(uint16_t port, uint16_t n_queues, uint64_t n, bool frees) {
	struct rte_mbuf *mbufs[BURST];
	uint64_t sum = 0, bytes = 0;

	while (sum < n)
		for (uint16_t i = 0; i < n_queues; i++) {
			uint16_t got = rte_eth_rx_burst(port, i, mbufs, BURST);

			sum += got;
			for (unsigned int k = 0; k < got; k++)
				bytes += rte_pktmbuf_pkt_len(mbufs[k]);
			if (frees)
				rte_pktmbuf_free_bulk(mbufs, got);
		}
	received[port] += sum;
	received_bytes += bytes;
	return sum;
}

double port_time(uint16_t port, uint16_t n_queues, bool frees) {
	uint64_t tsc, n;

	port_poll(port, n_queues, BURST * N_QUEUES, frees);
	tsc = rte_rdtsc_precise();
	n = port_poll(port, n_queues, ROUND_PACKETS, frees);
	return samples_ns(tsc, n);
}

/* Rules */

#define TEID_AT (14 + 20 + 8 + 4) // in a packet of the kind gtpu

void rule_create(uint16_t port, rte_be32_t teid, uint16_t queue) {
	static const struct rte_flow_attr attr = {.ingress = 1};
	const struct rte_flow_item_gtp gtp = {.teid = teid}, mask = {.teid = UINT32_MAX};
	const struct rte_flow_action_queue to = {.index = queue};
	const struct rte_flow_item items[] = {
		{.type = RTE_FLOW_ITEM_TYPE_ETH},
		{.type = RTE_FLOW_ITEM_TYPE_IPV4},
		{.type = RTE_FLOW_ITEM_TYPE_UDP},
		{.type = RTE_FLOW_ITEM_TYPE_GTPU, .spec = &gtp, .mask = &mask},
		{.type = RTE_FLOW_ITEM_TYPE_END},
	};
	const struct rte_flow_action actions[] = {
		{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &to},
		{.type = RTE_FLOW_ACTION_TYPE_END},
	};

	// Several packets may have one TEID.
	if (rte_flow_create(port, &attr, items, actions, NULL) == NULL && rte_errno != EEXIST)
		fail("a rule cannot be created");
}

// The packets' own TEIDs, then others.
static void rules_create(uint16_t port, const struct setup *setup) {
	for (unsigned int i = 0; i < setup->n_rules; i++) {
		rte_be32_t teid = rte_cpu_to_be_32(0xc0000000 + i);

		if (i < setup->packets->n)
			memcpy(&teid,
			       rte_pktmbuf_mtod_offset(setup->packets->mbufs[i], void *, TEID_AT),
			       sizeof(teid));
		rule_create(port, teid, i % setup->ddp_queues);
	}
}

// What net_ddp says of the code that it runs.
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

	if (n > template_packets() / 2)
		fail("%lu packets wait in net_ddp: the template has too few", n);
}

void setup_measure(struct table *table, const struct setup *setup) {
	static struct samples samples;
	unsigned int row = table_row(table, setup->id, setup->title);
	uint16_t simd_bits = rte_vect_get_max_simd_bitwidth();
	uint16_t alone, ddp;
	unsigned int i;

	if (setup->simd_bits != 0)
		must(rte_vect_set_max_simd_bitwidth(setup->simd_bits), "vectors");
	alone = port_open(setup->alone, setup->alone_args, setup->alone_queues);
	ddp = port_open(setup->ddp, setup->ddp_args, setup->ddp_queues);
	rules_create(ddp, setup);
	mode_tell(&table->rows[row], ddp);
	port_poll(ddp, setup->ddp_queues, WARM_UP_PACKETS, setup->frees);
	samples_begin(&samples, options.quick ? ROUNDS_QUICK : ROUNDS,
		      options.quick ? SECONDS_QUICK : SECONDS);
	while (samples_next(&samples, &i)) {
		samples.ns[ALONE][i] = port_time(alone, setup->alone_queues, setup->frees);
		samples.ns[DDP][i] = port_time(ddp, setup->ddp_queues, setup->frees);
		samples.ns[ADDED][i] = samples.ns[DDP][i] - samples.ns[ALONE][i];
		if (!setup->frees)
			template_check(ddp);
	}
	for (i = 0; i < N_SERIES; i++)
		table->figures[row][i] = samples_figure(&samples, i, -1);
	port_close(ddp, setup->ddp);
	port_close(alone, setup->alone);
	rte_vect_set_max_simd_bitwidth(simd_bits);
}

void setup_columns(struct table *table) {
	table_column(table, "alone", "device alone");
	table_column(table, "net_ddp", "with net_ddp");
	table_column(table, "added", "added");
}

#define HASHED(args) \
	"dev(net_template1," args "),profile=gtpu,overflow=wait,offload=require:net_ddp"

static void templates_measure(struct table *table) {
	static const struct setup usual = {
		.id = "template",
		.title = "prepared, GTP-U",
		.alone = "net_template0",
		.alone_queues = 1,
		.ddp_queues = N_QUEUES,
		.ddp = "net_ddp0",
		.ddp_args = "dev(net_template1),profile=gtpu,overflow=wait",
	};
	struct setup wide = usual, straight = usual, single = usual, bare = usual, passed = usual,
		     half = usual, rules = usual, kept = usual, balanced = usual, removed;
	struct packets packets;

	packets_make(&packets, kind_find("gtpu"), TEMPLATE_PACKETS, TEMPLATE_PACKETS);
	template_packets_set(&packets);
	setup_measure(table, &usual);
	wide.id = "template-512";
	wide.title = "the same, 512 bits allowed";
	wide.simd_bits = RTE_VECT_SIMD_512;
	if (ddp_isa_best(RTE_VECT_SIMD_512) != ddp_isa_best(rte_vect_get_max_simd_bitwidth()))
		setup_measure(table, &wide);
	balanced.id = "template-balance";
	balanced.title = "balance=on";
	balanced.ddp_args = "dev(net_template1),profile=gtpu,overflow=wait,balance=on";
	setup_measure(table, &balanced);
	straight.id = "template-straight";
	straight.title = "hashed by it, 8 queues of each";
	straight.alone_args = "hashed=1,queues=8";
	straight.alone_queues = N_QUEUES;
	straight.ddp_args = HASHED("hashed=1,queues=8");
	setup_measure(table, &straight);
	balanced = straight;
	balanced.id = "template-straight-balance";
	balanced.title = "the same, balance=on";
	balanced.ddp_args = HASHED("hashed=1,queues=8") ",balance=on";
	setup_measure(table, &balanced);
	bare = straight;
	bare.id = "template-bare";
	bare.title = "8 queues, meta=off";
	bare.ddp_args = HASHED("hashed=1,queues=8") ",meta=off";
	setup_measure(table, &bare);
	single = straight;
	single.id = "template-single";
	single.title = "1 queue of each, meta=off";
	single.alone_queues = single.ddp_queues = 1;
	single.alone_args = "hashed=1";
	single.ddp_args = HASHED("hashed=1") ",meta=off";
	setup_measure(table, &single);
	passed.id = "template-passed";
	passed.title = "1 queue of it for 8 of ours";
	passed.ddp_args = HASHED("hashed=1");
	setup_measure(table, &passed);
	kept.id = "template-kept";
	kept.title = "tunnels put back by it";
	kept.alone_args = "restores=1";
	kept.ddp_args = "dev(net_template1,restores=1),profile=gtpu,overflow=wait";
	setup_measure(table, &kept);
	removed = kept;
	removed.id = "template-decap";
	removed.title = "the same, decap=on";
	removed.ddp_args = "dev(net_template1,restores=1),profile=gtpu,overflow=wait,decap=on";
	setup_measure(table, &removed);
	half.id = "template-half";
	half.title = "every second one";
	half.ddp_args = HASHED("hashed=2");
	setup_measure(table, &half);
	rules.id = "template-rules-16";
	rules.title = "16 rules for TEIDs";
	rules.n_rules = 16;
	rules.packets = &packets;
	setup_measure(table, &rules);
	rules.id = "template-rules-1024";
	rules.title = "1,024 rules, one a packet";
	rules.n_rules = TEMPLATE_PACKETS;
	setup_measure(table, &rules);
	rules.id = "template-rules-100000";
	rules.title = "100,000 rules, these among them";
	rules.n_rules = 100000;
	setup_measure(table, &rules);
	packets_free(&packets);
}

static void capture_measure(struct table *table) {
	char alone_args[512], ddp_args[640];
	const struct setup setup = {
		.id = "pcap",
		.title = "net_pcap, N3 uplink",
		.alone = "net_pcap0",
		.alone_queues = 1,
		.ddp_queues = N_QUEUES,
		.alone_args = alone_args,
		.ddp = "net_ddp0",
		.ddp_args = ddp_args,
		.frees = true,
	};

	snprintf(alone_args, sizeof(alone_args), "rx_pcap=%s,infinite_rx=1", options.capture);
	snprintf(ddp_args, sizeof(ddp_args), "dev(net_pcap1,%s),profile=gtpu,overflow=wait",
		 alone_args);
	setup_measure(table, &setup);
}

void end_measure(void) {
	struct table table;

	table_init(&table, "end", "End to end");
	snprintf(
		table.note, sizeof(table.note),
		"ns a packet; one lcore polls the device alone, or the %u queues of net_ddp over it, which "
		"adds so much",
		N_QUEUES);
	setup_columns(&table);
	templates_measure(&table);
	if (options.capture != NULL)
		capture_measure(&table);
	table_done(&table);
}
