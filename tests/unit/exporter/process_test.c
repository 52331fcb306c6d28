/* SPDX-License-Identifier: BSD-3-Clause */
// What is made of answers that no process of DPDK gives: the process is down, with a reason.
#include "server.h"

#include "exporter/process.h"

#define HELLO "{\"version\":\"DPDK\",\"pid\":7,\"max_output_len\":16384}"
#define ONE_PORT "{\"/net_ddp/list\":[0]}"
#define ABOUT                                                                            \
	"\"name\":\"net_ddp0\",\"version\":\"1\",\"state\":\"running\",\"isa\":\"\","    \
	"\"lower_device\":\"\",\"offload\":\"\",\"offload_state\":\"\",\"profiles\":[]," \
	"\"counters\":{}"
#define METRICS(count, lists) METRICS_AND(count, lists, "null")
#define METRICS_AND(count, lists, latency)                         \
	"{\"/net_ddp/metrics\":{\"count\":" #count "," ABOUT lists \
	"},\"/ddp_fwd/latency\":" latency "}"
#define LATENCY(bounds, packets)                                                   \
	METRICS_AND(1, QUEUES,                                                     \
		    "{\"count\":3,\"sum_ns\":900,\"max_ns\":400,\"le_ns\":" bounds \
		    ",\"packets_le\":" packets "},\"/ddp_fwd/workers\":{\"workers\":{\"0\":{}}}")
#define QUEUES ",\"rx_packets\":[1],\"rx_bytes\":[2],\"rx_missed\":[3]"
#define STRANGE "an answer of another version of net_ddp: "

struct row {
	const char *name;
	struct script script;
	const char *error; // "" when it must be up
};

static const struct row rows[] = {
	{"a_queue", {HELLO, ONE_PORT, METRICS(1, QUEUES)}, ""},
	{"no_port", {HELLO, "{\"/net_ddp/list\":[]}", "{\"/ddp_fwd/latency\":null}"}, ""},
	{"a_histogram", {HELLO, ONE_PORT, LATENCY("[100,200]", "[1,3]")}, ""},
	{"bounds_that_do_not_grow",
	 {HELLO, ONE_PORT, LATENCY("[100,100]", "[1,3]")},
	 STRANGE "/ddp_fwd/latency"},
	{"buckets_that_shrink",
	 {HELLO, ONE_PORT, LATENCY("[100,200]", "[2,1]")},
	 STRANGE "/ddp_fwd/latency"},
	{"more_packets_in_a_bucket_than_in_all",
	 {HELLO, ONE_PORT, LATENCY("[100,200]", "[2,4]")},
	 STRANGE "/ddp_fwd/latency"},
	{"a_bucket_without_a_bound",
	 {HELLO, ONE_PORT, LATENCY("[100]", "[2,3]")},
	 STRANGE "/ddp_fwd/latency"},
	{"no_workers",
	 {HELLO, ONE_PORT,
	  METRICS_AND(1, QUEUES, "{\"le_ns\":[],\"packets_le\":[]},\"/ddp_fwd/workers\":{}")},
	 STRANGE "/ddp_fwd/workers"},
	{"what_a_later_version_may_add",
	 {HELLO, ONE_PORT, METRICS(1, QUEUES ",\"more\":{\"a\":[1]},\"further\":[1,2]")},
	 ""},
	{"no_metrics",
	 {HELLO, ONE_PORT, "{\"/net_ddp/metrics\":null}"},
	 STRANGE "/net_ddp/metrics"},
	{"a_refusal",
	 {HELLO, ONE_PORT, "{\"/net_ddp/metrics\":{\"ok\":0,\"error\":\"no\"}}"},
	 "port 0: no"},
	{"no_json",
	 {HELLO, ONE_PORT, "{\"/net_ddp/metrics\":"},
	 "process 7: /net_ddp/metrics: an answer that is not JSON: "},
	{"a_list_that_is_too_short",
	 {HELLO, ONE_PORT, METRICS(1, ",\"rx_packets\":[1],\"rx_bytes\":[]")},
	 STRANGE "/net_ddp/metrics"},
	{"a_list_of_texts",
	 {HELLO, ONE_PORT, METRICS(1, ",\"rx_packets\":[\"\"],\"rx_bytes\":[2],\"rx_missed\":[3]")},
	 STRANGE "/net_ddp/metrics"},
	{"a_negative_counter",
	 {HELLO, ONE_PORT, METRICS(1, ",\"rx_packets\":[-1],\"rx_bytes\":[2],\"rx_missed\":[3]")},
	 STRANGE "/net_ddp/metrics"},
	{"fewer_rows_than_counted", {HELLO, ONE_PORT, METRICS(2, QUEUES)}, STRANGE "count"},
	{"more_rows_than_counted", {HELLO, ONE_PORT, METRICS(0, QUEUES)}, STRANGE "count"},
	{"a_packet_type_twice",
	 {HELLO, ONE_PORT, METRICS(2, ",\"ptypes\":[\"a\",\"a\"],\"ptype_packets\":[1,2]")},
	 STRANGE "/net_ddp/metrics"},
	{"a_port_twice",
	 {HELLO, "{\"/net_ddp/list\":[0,1]}", METRICS(1, QUEUES)},
	 STRANGE "two ports of one name"},
	{"pages_without_an_end",
	 {HELLO, ONE_PORT, METRICS(9, QUEUES ",\"next\":1")},
	 STRANGE "next"},
	{"more_rows_than_are_kept",
	 {HELLO, ONE_PORT, METRICS(50000, QUEUES)},
	 "more than 40000 queues and packet types in all"},
	{"a_list_of_ports_that_is_none",
	 {HELLO, "{\"/net_ddp/list\":{\"a\":1}}", NULL},
	 STRANGE "/net_ddp/list"},
	{"an_end_in_the_middle",
	 {HELLO, NULL, NULL},
	 "process 7: /net_ddp/list: the connection was closed"},
	{"no_greeting", {NULL, NULL, NULL}, "the connection was closed"},
	{"no_answer", {HELLO, ONE_PORT, NULL}, "not answered within 0.2 s"},
};

static void a_row(void **state) {
	const struct row *row = *state;
	struct server server = {.script = row->script};
	struct process process = {0};
	atomic_int rows_left = PROCESS_ROWS_MAX;

	server_start(&server, "rte", "dpdk_telemetry.v2");
	strcpy(process.path, server.path);
	process_read(&process, 200, &rows_left);
	server_stop(&server);
	assert_true(process.is_net_ddp);
	assert_int_equal(process.up, row->error[0] == '\0');
	assert_memory_equal(process.error, row->error, strlen(row->error));
	assert_true(process.seconds < 2);
	if (!process.up)
		assert_int_equal(json_array_size(process.ports), 0);
	process_fini(&process);
}

static void a_process_without_net_ddp_is_not_meant(void **state) {
	struct server server = {.script = {HELLO, "{\"/net_ddp/list\":null}", NULL}};
	struct process process = {0};
	atomic_int rows_left = PROCESS_ROWS_MAX;

	(void)state;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	strcpy(process.path, server.path);
	process_read(&process, 1000, &rows_left);
	server_stop(&server);
	assert_false(process.is_net_ddp);
	process_fini(&process);
}

// All processes share what is left.
static void rows_are_counted_over_all_processes(void **state) {
	struct server server = {.script = {HELLO, ONE_PORT, METRICS(1, QUEUES)}};
	atomic_int rows_left = 2;
	unsigned int n_up = 0;

	(void)state;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	for (unsigned int i = 0; i < 4; i++) {
		struct process process = {0};

		strcpy(process.path, server.path);
		process_read(&process, 1000, &rows_left);
		n_up += process.up;
		process_fini(&process);
	}
	server_stop(&server);
	assert_int_equal(n_up, 2);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_without_net_ddp_is_not_meant),
		cmocka_unit_test(rows_are_counted_over_all_processes),
	};
	struct CMUnitTest single[COUNT(rows)];
	int n_failed;

	for (unsigned int i = 0; i < COUNT(rows); i++)
		single[i] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = a_row,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	if (server_setup(NULL) < 0)
		return 1;
	n_failed = cmocka_run_group_tests(single, NULL, NULL);
	n_failed += cmocka_run_group_tests(tests, NULL, NULL);
	scratch_teardown(NULL);
	return n_failed;
}
