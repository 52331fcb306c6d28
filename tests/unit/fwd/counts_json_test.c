/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <jansson.h>

#include "fwd/counts.h"

static const struct config config = {.mode = MODE_RXONLY, .n_rxq = 2, .work_ns = 300};
static const struct port port = {.id = 0, .name = "net_ddp0", .driver = "net_ddp"};
static struct queue_report queues[] = {
	{.port = 0, .queue = 0, .lcore = 1, .packets = 3, .bytes = 300, .missed = 1},
	{.port = 0,
	 .queue = 1,
	 .lcore = 2,
	 .packets = UINT64_C(1) << 40,
	 .bytes = UINT64_C(1) << 50},
};
static struct queue_report workers[] = {
	{.lcore = 1, .packets = 3, .bytes = 300, .latency = {3, 10, 20, 30, 40, 50}},
};
static struct port_report ports[] = {
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
static const struct report report = {
	.config = &config,
	.seconds = 1.5,
	.packets = 3,
	.bytes = 300,
	.drops = 1,
	.drop_reasons = {[DROP_RX_RING_FULL] = 1},
	.imbalance = 1.25,
	.jain = 0.5,
	.queues = queues,
	.n_queues = 2,
	.workers = workers,
	.n_workers = 1,
	.ports = ports,
	.n_ports = 1,
	.ptypes = ptypes,
	.n_ptypes = 1,
};

#define NO_LATENCY "{'count': 0, 'p50': 0, 'p90': 0, 'p99': 0, 'p999': 0, 'max': 0}"

// With ' for ".
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
	"'tx_bytes': 7, 'tx_errors': 8}], "
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
	assert_int_equal(report_json(&report, out), 0);
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
