/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

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
static struct worker_report workers[] = {
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
		.balance = {.ms = 20,
			    .rounds = 1,
			    .moves = 2,
			    .before = 1.5,
			    .after = 1.25,
			    .worst = 1.75,
			    .bound_share = 0.5,
			    .bound_flow = "10.0.0.1:1 > 10.0.0.2:2 UDP",
			    .parked = 3,
			    .given_up = 4,
			    .longest_us = 5},
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

static json_t *written(void) {
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *root;

	assert_non_null(out);
	assert_int_equal(report_json(&report, out), 0);
	assert_int_equal(fclose(out), 0);
	root = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(root);
	return root;
}

static json_int_t number(const json_t *object, const char *key) {
	json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("%s is no whole number", key);
	return json_integer_value(value);
}

static void the_sums_are_there(void **state) {
	json_t *root = written();

	assert_true(json_real_value(json_object_get(root, "seconds")) == 1.5);
	assert_string_equal(json_string_value(json_object_get(root, "forward")), "rxonly");
	assert_int_equal(number(root, "work_ns"), 300);
	assert_int_equal(number(root, "packets"), 3);
	assert_int_equal(number(root, "bytes"), 300);
	assert_int_equal(number(root, "drops"), 1);
	assert_true(json_real_value(json_object_get(root, "imbalance")) == 1.25);
	assert_true(json_real_value(json_object_get(root, "jain")) == 0.5);
	assert_int_equal(json_object_size(root), 16);
	assert_int_equal(json_integer_value(json_object_get(root, "schema_version")), 2);
	json_decref(root);
}

static void every_drop_reason_is_named(void **state) {
	json_t *root = written();
	json_t *reasons = json_object_get(root, "drop_reasons");
	json_t *first = json_array_get(reasons, 0);

	assert_int_equal(json_array_size(reasons), N_DROP_REASONS);
	assert_string_equal(json_string_value(json_object_get(first, "reason")), "rx_ring_full");
	assert_int_equal(number(first, "packets"), 1);
	json_decref(root);
}

static void queues_have_all_numbers(void **state) {
	json_t *root = written();
	json_t *queue = json_array_get(json_object_get(root, "queues"), 1);
	json_t *latency = json_object_get(queue, "latency_ns");

	assert_int_equal(json_array_size(json_object_get(root, "queues")), 2);
	assert_int_equal(number(queue, "port"), 0);
	assert_int_equal(number(queue, "queue"), 1);
	assert_true(number(queue, "packets") == INT64_C(1) << 40);
	assert_true(number(queue, "bytes") == INT64_C(1) << 50);
	assert_int_equal(number(queue, "missed"), 0);
	assert_int_equal(number(latency, "count"), 0);
	assert_int_equal(number(latency, "p50"), 0);
	assert_int_equal(json_object_size(queue), 6);
	json_decref(root);
}

static void workers_have_latency(void **state) {
	static const char *const keys[] = {"count", "p50", "p90", "p99", "p999", "max"};
	static const int values[] = {3, 10, 20, 30, 40, 50};
	json_t *root = written();
	json_t *worker = json_array_get(json_object_get(root, "workers"), 0);
	json_t *latency = json_object_get(worker, "latency_ns");

	assert_int_equal(number(worker, "lcore"), 1);
	assert_int_equal(number(worker, "packets"), 3);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(number(latency, keys[i]), values[i]);
	json_decref(root);
}

static void ports_have_what_the_device_counted(void **state) {
	static const char *const keys[] = {"rx_packets", "rx_bytes",   "rx_missed", "rx_errors",
					   "rx_no_mbuf", "tx_packets", "tx_bytes",  "tx_errors"};
	json_t *root = written();
	json_t *row = json_array_get(json_object_get(root, "ports"), 0);

	assert_int_equal(number(row, "port"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "net_ddp0");
	assert_string_equal(json_string_value(json_object_get(row, "driver")), "net_ddp");
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(number(row, keys[i]), i + 1);
	json_decref(root);
}

static void packet_types_have_names(void **state) {
	json_t *root = written();
	json_t *type = json_array_get(json_object_get(root, "ptypes"), 0);

	assert_string_equal(json_string_value(json_object_get(type, "name")), "GTPU_IPV4_UDP");
	assert_int_equal(number(type, "packets"), 3);
	json_decref(root);
}

static void balanced_ports_say_how_it_goes(void **state) {
	static const char *const keys[] = {"rounds", "moves", "parked_packets", "given_up",
					   "longest_parking_us"};
	static const char *const reals[] = {"bound_share", "after", "before", "worst"};
	json_t *root = written();
	json_t *row = json_array_get(json_object_get(root, "balance"), 0);

	assert_int_equal(number(row, "port"), 0);
	assert_int_equal(number(row, "interval_ms"), 20);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(number(row, keys[i]), i + 1);
	for (unsigned int i = 1; i < 4; i++)
		assert_true(json_real_value(json_object_get(row, reals[i])) == 1 + 0.25 * i);
	assert_true(json_real_value(json_object_get(row, "bound_share")) == 0.5);
	assert_string_equal(json_string_value(json_object_get(row, "bound_flow")),
			    ports[0].balance.bound_flow);
	assert_int_equal(json_object_size(row), 12);
	json_decref(root);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sums_are_there),
		cmocka_unit_test(every_drop_reason_is_named),
		cmocka_unit_test(queues_have_all_numbers),
		cmocka_unit_test(workers_have_latency),
		cmocka_unit_test(ports_have_what_the_device_counted),
		cmocka_unit_test(packet_types_have_names),
		cmocka_unit_test(balanced_ports_say_how_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
