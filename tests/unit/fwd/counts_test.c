/* SPDX-License-Identifier: BSD-3-Clause */
// The report sums up counters that are known, over ports that are only numbers. A cycle takes
// 1 ns.
#include <jansson.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>

#include "fwd/counts.h"
#include "port/state/rte_pmd_ddp.h"
#include "unit.h"

#define N_QUEUES 2
#define PROMISED (1.0 / 64) // error of a percentile, see latency.h

// Neither packet types nor balancing are requested here, and net_ddp is not linked.
int rte_pmd_ddp_ptype_name(uint16_t port, uint16_t id, char *name, size_t size) {
	(void)port;
	(void)id;
	(void)name;
	(void)size;
	return -1;
}

int rte_pmd_ddp_balance_get(uint16_t port, struct rte_pmd_ddp_balance *balance) {
	(void)port;
	(void)balance;
	return -1;
}

static uint64_t missed[N_QUEUES]; // of the rings
static struct rte_eth_stats port_stats;

// The calls of DPDK that a report makes. Other tests of this program call the real ones.
static bool counters_are_known;

#define WRAPPED(type, name, parameters, arguments, instead)                      \
	type __real_##name parameters;                                           \
	type __wrap_##name parameters;                                           \
	type __wrap_##name parameters {                                          \
		return counters_are_known ? (instead) : __real_##name arguments; \
	}

static int names_get(struct rte_eth_xstat_name *names, unsigned int size) {
	for (unsigned int q = 0; q < N_QUEUES && names != NULL && q < size; q++)
		snprintf(names[q].name, sizeof(names[q].name), "rx_q%u_missed", q);
	return N_QUEUES;
}

static int values_get(const uint64_t *ids, uint64_t *values, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		values[i] = missed[ids[i]];
	return n;
}

WRAPPED(uint64_t, rte_get_tsc_hz, (void), (), UINT64_C(1000000000))
WRAPPED(int, rte_eth_stats_get, (uint16_t port, struct rte_eth_stats *stats), (port, stats),
	(*stats = port_stats, 0))
WRAPPED(int, rte_eth_xstats_get_names,
	(uint16_t port, struct rte_eth_xstat_name *names, unsigned int size), (port, names, size),
	names_get(names, size))
WRAPPED(int, rte_eth_xstats_get_by_id,
	(uint16_t port, const uint64_t *ids, uint64_t *values, unsigned int n),
	(port, ids, values, n), values_get(ids, values, n))

static struct config config = {.n_rxq = N_QUEUES};
static struct ports ports = {.n = 1};
static struct rx_queue queues[N_QUEUES];
static struct worker list[N_QUEUES];
static struct workers workers;
static struct report report;

static int setup(void **state) {
	static struct rx_queue *all[N_QUEUES];

	counters_are_known = true;
	memset(queues, 0, sizeof(queues));
	memset(missed, 0, sizeof(missed));
	memset(&port_stats, 0, sizeof(port_stats));
	for (unsigned int i = 0; i < N_QUEUES; i++) {
		all[i] = &queues[i];
		queues[i].queue = i;
		list[i] = (struct worker){.lcore = i, .queues = &all[i], .n_queues = 1};
	}
	workers = (struct workers){
		.list = list,
		.n = N_QUEUES,
		.queues = all,
		.n_queues = N_QUEUES,
		.n_ports = 1,
	};
	return report_init(&report, &config, &ports, &workers);
}

static int teardown(void **state) {
	report_fini(&report);
	return 0;
}

static void near(uint64_t measured, double real) {
	assert_true(measured >= real * (1 - PROMISED) && measured <= real * (1 + PROMISED));
}

// 92 % of 100 ns, 7.5 % of 10 us, 0.5 % of 1 ms.
static void percentiles_check(const struct latency_report *latency, uint64_t n) {
	near(latency->p50, 100);
	near(latency->p90, 100);
	near(latency->p99, 10000);
	near(latency->p999, 1000000);
	assert_int_equal(latency->max, 1000000);
	assert_int_equal(latency->count, n);
}

TEST(percentiles_are_those_of_a_queue_a_worker_and_all_packets) {
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t value = i < 920 ? 100 : i < 995 ? 10000 : 1000000;

		latency_record(&queues[0].latency, value);
		for (unsigned int n = 0; n < 2; n++)
			latency_record(&queues[1].latency, value);
	}
	report_collect(&report, &workers, 1);
	percentiles_check(&report.latency, 3000);
	for (unsigned int q = 0; q < N_QUEUES; q++) {
		percentiles_check(&report.queues[q].latency, 1000 * (1 + q));
		percentiles_check(&report.workers[q].latency, 1000 * (1 + q));
	}
}

TEST(what_rings_missed_is_counted_once) {
	missed[0] = 5;
	missed[1] = 15;
	port_stats.imissed = 30; // has both, as net_ddp's
	report_collect(&report, &workers, 1);
	assert_int_equal(report.drop_reasons[DROP_RX_RING_FULL], 20);
	assert_int_equal(report.drop_reasons[DROP_RX_MISSED], 10);
	assert_int_equal(report.drops, 30);
	assert_int_equal(report.queues[0].missed, 5);
	assert_int_equal(report.queues[1].missed, 15);

	port_stats.imissed = 18; // read a moment before the rings' own
	report_collect(&report, &workers, 1);
	assert_int_equal(report.drop_reasons[DROP_RX_MISSED], 0);
	assert_int_equal(report.drops, 20);
}

// net_pcap logs an error each time it is polled where a capture is cut.
TEST(a_cut_capture_is_one_error) {
	port_stats.ierrors = 54321;
	report.ports[0].n_cut = 2;
	report_collect(&report, &workers, 1);
	assert_int_equal(report.drop_reasons[DROP_RX_ERRORS], 2);
	assert_int_equal(report.drops, 2);

	report.ports[0].n_cut = 0;
	report_collect(&report, &workers, 1);
	assert_int_equal(report.drop_reasons[DROP_RX_ERRORS], 54321);
}

TEST(all_reasons_are_dropped_packets) {
	port_stats = (struct rte_eth_stats){.rx_nombuf = 1, .ierrors = 20, .oerrors = 300};
	counter_set(&queues[1].stats.tx_full, 4000);
	report_collect(&report, &workers, 1);
	assert_int_equal(report.drop_reasons[DROP_RX_NO_MBUF], 1);
	assert_int_equal(report.drop_reasons[DROP_TX_ERRORS], 300);
	assert_int_equal(report.drop_reasons[DROP_TX_FULL], 4000);
	assert_int_equal(report.drops, 4321);
}

TEST(imbalance_is_of_received_and_missed) {
	counter_set(&queues[0].stats.packets, 60);
	counter_set(&queues[1].stats.packets, 30);
	missed[1] = 90;
	report_collect(&report, &workers, 1);
	assert_true(report.imbalance > 1.3333 && report.imbalance < 1.3334); // 120 of 60 and 120
	assert_true(report.jain > 0.8999 && report.jain < 0.9001);
}

static const struct config json_config = {.mode = MODE_RXONLY, .n_rxq = 2, .work_ns = 300};
static const struct fwd_port port = {.id = 0, .name = "net_ddp0", .driver = "net_ddp"};
static struct queue_report json_queues[] = {
	{.port = 0, .queue = 0, .lcore = 1, .packets = 3, .bytes = 300, .missed = 1},
	{.port = 0,
	 .queue = 1,
	 .lcore = 2,
	 .packets = UINT64_C(1) << 40,
	 .bytes = UINT64_C(1) << 50},
};
static struct queue_report json_workers[] = {
	{.lcore = 1, .packets = 3, .bytes = 300, .latency = {3, 10, 20, 30, 40, 50}},
};
static struct port_report json_ports[] = {
	{
		.port = &port,
		.stats = {.ipackets = 1,
			  .ibytes = 2,
			  .imissed = 3,
			  .ierrors = 4,
			  .rx_nombuf = 5,
			  .opackets = 6,
			  .obytes = 7,
			  .oerrors = 8},
		.balance = {.interval_ms = 20,
			    .rounds = 1,
			    .moves = 2,
			    .before = 1.5,
			    .after = 1.25,
			    .worst = 1.75,
			    .bound_share = 0.5,
			    .bound_flow = "10.0.0.1:1 > 10.0.0.2:2 UDP",
			    .order_parked = 3,
			    .given_up = 4,
			    .order_longest_parking_us = 5},
	},
};
static struct ptype_report ptypes[] = {{.name = "GTPU_IPV4_UDP", .packets = 3}};
static const struct report json_report = {
	.config = &json_config,
	.seconds = 1.5,
	.packets = 3,
	.bytes = 300,
	.drops = 1,
	.drop_reasons = {[DROP_RX_RING_FULL] = 1},
	.imbalance = 1.25,
	.jain = 0.5,
	.queues = json_queues,
	.n_queues = 2,
	.workers = json_workers,
	.n_workers = 1,
	.ports = json_ports,
	.n_ports = 1,
	.ptypes = ptypes,
	.n_ptypes = 1,
};

#define NO_LATENCY "{'count': 0, 'p50': 0, 'p90': 0, 'p99': 0, 'p999': 0, 'max': 0}"

static const char expected[] =
	"{'seconds': 1.5, 'forward': 'rxonly', 'work_ns': 300, 'packets': 3, 'bytes': 300, "
	"'drops': 1, 'drop_reasons': [{'reason': 'rx_ring_full', 'packets': 1}, "
	"{'reason': 'rx_missed', 'packets': 0}, {'reason': 'rx_no_mbuf', 'packets': 0}, "
	"{'reason': 'rx_errors', 'packets': 0}, {'reason': 'tx_full', 'packets': 0}, "
	"{'reason': 'tx_errors', 'packets': 0}], "
	"'queues': [{'port': 0, 'queue': 0, 'packets': 3, 'bytes': 300, 'missed': 1, "
	"'latency_ns': " NO_LATENCY "}, {'port': 0, 'queue': 1, 'packets': 1099511627776, "
	"'bytes': 1125899906842624, 'missed': 0, 'latency_ns': " NO_LATENCY "}], "
	"'imbalance': 1.25, 'jain': 0.5, 'latency_ns': " NO_LATENCY ", "
	"'workers': [{'lcore': 1, 'packets': 3, 'bytes': 300, 'latency_ns': {'count': 3, "
	"'p50': 10, 'p90': 20, 'p99': 30, 'p999': 40, 'max': 50}}], "
	"'ports': [{'port': 0, 'name': 'net_ddp0', 'driver': 'net_ddp', 'rx_packets': 1, "
	"'rx_bytes': 2, 'rx_missed': 3, 'rx_errors': 4, 'rx_no_mbuf': 5, 'tx_packets': 6, "
	"'tx_bytes': 7, 'tx_errors': 8, 'given_up': 4}], "
	"'ptypes': [{'name': 'GTPU_IPV4_UDP', 'packets': 3}], "
	"'balance': [{'port': 0, 'interval_ms': 20, 'rounds': 1, 'moves': 2, 'before': 1.5, "
	"'after': 1.25, 'worst': 1.75, 'bound_share': 0.5, "
	"'bound_flow': '10.0.0.1:1 > 10.0.0.2:2 UDP', 'order_parked': 3, 'given_up': 4, "
	"'order_longest_parking_us': 5}], 'schema_version': 2}";

TEST(the_report_is_all_of_this) {
	char due[sizeof(expected)], *text = NULL;
	json_t *written, *wanted;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(report_json(&json_report, out), 0);
	assert_int_equal(fclose(out), 0);
	for (unsigned int i = 0; i < sizeof(due); i++)
		due[i] = expected[i] == '\'' ? '"' : expected[i];
	written = json_loads(text, 0, NULL);
	wanted = json_loads(due, 0, NULL);
	assert_non_null(wanted);
	if (!json_equal(written, wanted))
		fail_msg("%s", text);
	json_decref(written);
	json_decref(wanted);
	free(text);
}

// A day at 100 Mpps, on a terminal of 80 columns. Also a port without load-aware RSS gives up
// waits.
TEST(tables_have_80_columns) {
	const uint64_t many = 8640000000000, some = 9999999999;
	const struct latency_report latency = {many, 9e8, 9e8, 9e8, 9e8, 9e8};
	struct queue_report queue = {
		.packets = some, .missed = some, .bytes = many, .latency = latency};
	struct port_report ports[] = {json_ports[0],
				      {.port = &port, .balance.given_up = UINT64_C(1) << 40}};
	struct report report = json_report;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	report.seconds = 86400;
	report.queues = report.workers = &queue;
	report.n_queues = report.n_workers = 1;
	report.latency = latency;
	ports[1].stats = (struct rte_eth_stats){
		.ipackets = some, .imissed = some, .ierrors = 1e9 - 1, .opackets = some};
	report.ports = ports;
	report.n_ports = RTE_DIM(ports);
	assert_non_null(out);
	report_print(&report, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "\nport 0: one flow has 50% of the load: no move relieves its "
				     "queue\n  10.0.0.1:1 > 10.0.0.2:2 UDP\n"));
	assert_non_null(strstr(text, "\nport 0: 4 moves or waits given up: "));
	assert_non_null(strstr(text, "\nport 0: 1099511627776 moves or waits given up: "));
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("%s", line);
	free(text);
}

EACH(setup, teardown)
