/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl refuses answers that net_ddp does not give, and never believes them.
#include "server.h"

#include "common/port_telemetry.h"

#define STRANGE "process 7: /net_ddp/queues: an answer of another version of net_ddp"

#undef GREETING
#define GREETING "{\"version\":\"DPDK\",\"pid\":7,\"max_output_len\":16384}"

struct row {
	const char *name;
	const char *answer; // to /net_ddp/queues
	int status;
	const char *error;
};

static const struct row rows[] = {
	{"no_queues", "{\"queues\":{}}", EXIT_GOOD, ""},
	{"two_queues",
	 "{\"queues\":{\"0\":{\"rx_packets\":3,\"rx_bytes\":200,\"rx_missed\":1},"
	 "\"1\":{\"rx_packets\":0,\"rx_bytes\":0,\"rx_missed\":0}}}",
	 EXIT_GOOD, ""},
	{"a_refusal_in_pieces", "{\"ok\":0,\"error\":\"this is \",\"error_2\":\"why\"}", EXIT_NO,
	 "this is why"},
	{"a_refusal_with_false", "{\"ok\":false,\"error\":\"this is why\"}", EXIT_NO,
	 "this is why"},
	{"a_refusal_without_a_reason", "{\"ok\":0}", EXIT_NO,
	 "process 7 refuses and does not say why"},
	{"null", "null", EXIT_UNREADABLE, STRANGE},
	{"a_list", "[]", EXIT_UNREADABLE, STRANGE},
	{"nothing_of_queues", "{}", EXIT_UNREADABLE, STRANGE},
	{"queues_without_names", "{\"queues\":[1,2]}", EXIT_UNREADABLE, STRANGE},
	{"queues_with_other_names", "{\"queues\":{\"a\":{}}}", EXIT_UNREADABLE, STRANGE},
	{"queues_that_are_numbers", "{\"queues\":{\"0\":1}}", EXIT_UNREADABLE, STRANGE},
	{"a_counter_that_is_text",
	 "{\"queues\":{\"0\":{\"rx_packets\":\"3\",\"rx_bytes\":200,\"rx_missed\":1}}}",
	 EXIT_UNREADABLE, STRANGE},
	{"a_counter_that_is_missing", "{\"queues\":{\"0\":{\"rx_packets\":3}}}", EXIT_UNREADABLE,
	 STRANGE},
	{"a_queue_that_is_missing",
	 "{\"queues\":{\"1\":{\"rx_packets\":3,\"rx_bytes\":200,\"rx_missed\":1}}}",
	 EXIT_UNREADABLE, STRANGE},
	{"pages_without_end", "{\"queues\":{},\"next\":1}", EXIT_UNREADABLE, STRANGE},
	{"pages_that_go_back", "{\"queues\":{},\"next\":-1}", EXIT_UNREADABLE, STRANGE},
};

ROWS_TEST(a_row, rows) {
	const struct row *row = *state;
	static struct queues queues;
	struct server server = {.script = {.greeting = GREETING, .ports = PORTS}};
	struct port port;
	char answer[512];

	snprintf(answer, sizeof(answer), "{\"/net_ddp/queues\":%s}", row->answer);
	server.script.answer = answer;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_int_equal(port_open(&port, NULL, 0, "0"), EXIT_GOOD);
	assert_int_equal(queues_read(&queues, &port), row->status);
	assert_string_equal(port.error, row->error);
	assert_int_equal(port_close(&port), row->status);
	server_stop(&server);
}

TEST(queues_are_counted_from_a_reset_on) {
	struct queues now = {.n = 3, .queues = {{10, 1000, 5}, {3, 300, 0}, {1, 1, 1}}};
	const struct queues before = {.n = 2, .queues = {{4, 400, 5}, {9, 900, 7}}};
	struct queue sum;

	queues_subtract(&now, &before);
	assert_int_equal(now.queues[0].packets, 6);
	assert_int_equal(now.queues[0].bytes, 600);
	assert_int_equal(now.queues[0].missed, 0);
	assert_int_equal(now.queues[1].packets, 3);
	assert_int_equal(now.queues[2].packets, 1); // a queue that was not there
	sum = queues_sum(&now);
	assert_int_equal(sum.packets, 10);
	assert_int_equal(sum.missed, 1);
	assert_true(queues_imbalance(&now) > 1.63 && queues_imbalance(&now) < 1.64); // 6 of 11
}

GROUP(server_setup, NULL)
