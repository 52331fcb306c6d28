/* SPDX-License-Identifier: BSD-3-Clause */
// Two cores against one, in real time: each polls an Rx queue of net_ddp over a device with one
// queue, and works on every packet for a while. All packets are in one tunnel, so without a profile
// all of them are on one queue. Packets come as fast as they are taken; `overflow=wait` loses none.
#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "bench.h"
#include "methods.h"

#define N_PACKETS 8192 // more than rings and bursts hold
#define CORES 2
#define ROUNDS 9
#define ROUND_MS 100
#define ROUND_MS_QUICK 20
#define OUTER_OFF 26 // addresses of IPv4 behind Ethernet, and the source port of UDP
#define OUTER_SIZE 10

struct poller {
	// set before it runs
	uint16_t port, queue;
	uint64_t work; // cycles a packet
	uint64_t duration;

	uint64_t packets, cycles; // results
} __rte_cache_aligned;

static volatile uint64_t bytes_received; // what is read must be of use

static int poller_run(void *arg) {
	struct poller *poller = arg;
	struct rte_mbuf *mbufs[BURST];
	uint64_t begin = rte_rdtsc(), now = begin, sum = 0;

	poller->packets = 0;
	while (now - begin < poller->duration) {
		uint16_t n = rte_eth_rx_burst(poller->port, poller->queue, mbufs, BURST);
		uint64_t end = rte_rdtsc() + n * poller->work;

		for (uint16_t i = 0; i < n; i++)
			sum += rte_pktmbuf_pkt_len(mbufs[i]) + mbufs[i]->hash.rss;
		for (now = rte_rdtsc(); now < end; now = rte_rdtsc())
			;
		poller->packets += n;
	}
	poller->cycles = now - begin;
	bytes_received += sum;
	return 0;
}

/* One set-up, with one core and with two */

enum result {
	ONE,   // million packets a second
	TWO,   // million packets a second
	TIMES, // the second of the first
	LEAST, // percent of the packets that the less loaded core has
	N_RESULTS,
};

static double mpps(const struct poller *poller) {
	return poller->packets * (rte_get_tsc_hz() / 1e6) / poller->cycles;
}

static void both_run(struct poller *pollers, unsigned int lcore) {
	must(rte_eal_remote_launch(poller_run, &pollers[1], lcore), "launch");
	poller_run(&pollers[0]);
	rte_eal_wait_lcore(lcore);
}

static void pollers_init(struct poller *pollers, uint16_t port, unsigned int work_ns) {
	const unsigned int ms = options.quick ? ROUND_MS_QUICK : ROUND_MS;

	for (unsigned int i = 0; i < CORES; i++)
		pollers[i] = (struct poller){
			.port = port,
			.queue = i,
			.work = work_ns * rte_get_tsc_hz() / 1000000000,
			.duration = ms * rte_get_tsc_hz() / 1000,
		};
}

static void scaling_run(struct table *table, unsigned int row, const char *args,
			unsigned int work_ns, unsigned int lcore) {
	static struct samples samples;
	uint16_t alone = port_open("net_ddp1", args, 1), both;
	char second[256];
	struct poller one[CORES], two[CORES];
	unsigned int i;

	// A device for each, both with the same packets.
	snprintf(second, sizeof(second), "dev(net_template2)%s", strchr(args, ')') + 1);
	both = port_open("net_ddp2", second, CORES);
	pollers_init(one, alone, work_ns);
	pollers_init(two, both, work_ns);
	poller_run(&one[0]); // they learn
	both_run(two, lcore);
	samples_begin(&samples, ROUNDS, 60);
	while (samples_next(&samples, &i)) {
		poller_run(&one[0]);
		both_run(two, lcore);
		samples.ns[ONE][i] = mpps(&one[0]);
		samples.ns[TWO][i] = mpps(&two[0]) + mpps(&two[1]);
		samples.ns[TIMES][i] = samples.ns[TWO][i] / samples.ns[ONE][i];
		samples.ns[LEAST][i] = 100.0 * RTE_MIN(two[0].packets, two[1].packets) /
				       RTE_MAX(two[0].packets + two[1].packets, UINT64_C(1));
	}
	for (i = 0; i < N_RESULTS; i++)
		table->figures[row][i] = samples_figure(&samples, i, -1);
	port_close(both, "net_ddp2");
	port_close(alone, "net_ddp1");
}

static const unsigned int works[] = {0, 100, 300}; // ns

static void one_tunnel_make(const struct packets *packets) {
	const void *first = rte_pktmbuf_mtod_offset(packets->mbufs[0], void *, OUTER_OFF);

	for (unsigned int i = 1; i < packets->n; i++)
		memcpy(rte_pktmbuf_mtod_offset(packets->mbufs[i], void *, OUTER_OFF), first,
		       OUTER_SIZE);
}

static void all_run(struct table *table, unsigned int lcore) {
	static const struct {
		const char *id, *title, *args;
	} ways[] = {
		{"none", "no profile", "dev(net_template1),overflow=wait"},
		{"gtpu", "gtpu", "dev(net_template1),profile=gtpu,overflow=wait"},
	};

	for (unsigned int i = 0; i < RTE_DIM(ways); i++)
		for (unsigned int w = 0; w < RTE_DIM(works); w++) {
			char id[24], title[48];

			snprintf(id, sizeof(id), "%s-%u", ways[i].id, works[w]);
			snprintf(title, sizeof(title), "%s, %u ns of work", ways[i].title,
				 works[w]);
			scaling_run(table, table_row(table, id, title), ways[i].args, works[w],
				    lcore);
		}
}

void scaling_measure(void) {
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	struct packets packets;
	struct table table;

	table_init(&table, "scaling", "Two cores");
	table.unit = "value";
	snprintf(
		table.note, sizeof(table.note),
		"million packets a second of one core and of two, one lower queue, all packets in one "
		"tunnel; share of the less loaded core in percent");
	table_column(&table, "one", "one core");
	table_column(&table, "two", "two cores");
	table_column(&table, "times", "times");
	table_column(&table, "least", "less loaded %");
	if (lcore == RTE_MAX_LCORE) {
		table.rows[table_row(&table, "none", "two cores")].absent = "needs two CPUs";
		table_done(&table);
		return;
	}
	packets_make(&packets, kind_find("gtpu"), N_PACKETS, N_PACKETS);
	one_tunnel_make(&packets);
	template_packets_set(&packets);
	all_run(&table, lcore);
	packets_free(&packets);
	table_done(&table);
}
