/* SPDX-License-Identifier: BSD-3-Clause */
#include "server.h"

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "ctl/telemetry/port_info.h"

#undef GREETING
#define GREETING "{\"version\":\"DPDK\",\"pid\":7,\"max_output_len\":16384}"
#define STRANGE(what) "process 7: /net_ddp/" what ": an answer of another version of net_ddp"

struct row {
	const char *name;
	const char *answer;
	int status;
	const char *error;
};

static const struct row queues_rows[] = {
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
	{"null", "null", EXIT_UNREADABLE, STRANGE("queues")},
	{"a_list", "[]", EXIT_UNREADABLE, STRANGE("queues")},
	{"nothing_of_queues", "{}", EXIT_UNREADABLE, STRANGE("queues")},
	{"queues_without_names", "{\"queues\":[1,2]}", EXIT_UNREADABLE, STRANGE("queues")},
	{"queues_with_other_names", "{\"queues\":{\"a\":{}}}", EXIT_UNREADABLE, STRANGE("queues")},
	{"queues_that_are_numbers", "{\"queues\":{\"0\":1}}", EXIT_UNREADABLE, STRANGE("queues")},
	{"a_counter_that_is_text",
	 "{\"queues\":{\"0\":{\"rx_packets\":\"3\",\"rx_bytes\":200,\"rx_missed\":1}}}",
	 EXIT_UNREADABLE, STRANGE("queues")},
	{"a_counter_that_is_missing", "{\"queues\":{\"0\":{\"rx_packets\":3}}}", EXIT_UNREADABLE,
	 STRANGE("queues")},
	{"a_queue_that_is_missing",
	 "{\"queues\":{\"1\":{\"rx_packets\":3,\"rx_bytes\":200,\"rx_missed\":1}}}",
	 EXIT_UNREADABLE, STRANGE("queues")},
	{"pages_without_end", "{\"queues\":{},\"next\":1}", EXIT_UNREADABLE, STRANGE("queues")},
	{"pages_that_go_back", "{\"queues\":{},\"next\":-1}", EXIT_UNREADABLE, STRANGE("queues")},
};

#define COUNTERS                                                                            \
	"\"interval_ms\":100,\"rounds\":20,\"moves\":3,\"order_parked\":12,\"given_up\":1," \
	"\"order_longest_parking_us\":85"
#define IMBALANCES ",\"before_permille\":1250,\"after_permille\":1010,\"worst_permille\":2500"
#define BOUND \
	",\"bound_entry\":17,\"bound_share_permille\":312,\"bound_flow\":\"1.2.3.4 > \\u001b[31m\""
#define MOVE(i, round)                                                                       \
	"\"" #i "\":{\"round\":" #round ",\"ms_ago\":1500,\"entry\":17,\"from\":3,\"to\":5," \
	"\"share_permille\":12,\"from_load_permille\":1340,\"to_load_permille\":710}"
#define INTERVAL(i, round)                                                                   \
	"\"" #i "\":{\"round\":" #round ",\"before_permille\":1250,\"after_permille\":1010," \
	"\"moves\":1}"
#define LAST                                                                               \
	",\"last_moves\":{" MOVE(0, 19) "," MOVE(1, 12) "},\"last_intervals\":{" INTERVAL( \
		0, 20) "," INTERVAL(1, 19) "," INTERVAL(2, 12) "}"

#define NEVER(ms)                                                                             \
	"{\"interval_ms\":" ms ",\"rounds\":0,\"moves\":0,\"order_parked\":0,\"given_up\":0," \
	"\"order_longest_parking_us\":0,\"before_permille\":0,\"after_permille\":0,"          \
	"\"worst_permille\":0,\"last_moves\":{},\"last_intervals\":{}}"

static const struct row balance_rows[] = {
	{"it_was_never_on", NEVER("0"), EXIT_GOOD, ""},
	{"it_is_on", "{" COUNTERS IMBALANCES LAST "}", EXIT_GOOD, ""},
	{"there_is_an_elephant", "{" COUNTERS IMBALANCES BOUND LAST "}", EXIT_GOOD, ""},
	{"a_key_of_a_later_version", "{" COUNTERS IMBALANCES LAST ",\"new\":[]}", EXIT_GOOD, ""},
	{"a_refusal", "{\"ok\":0,\"error\":\"port 0 is being changed\"}", EXIT_NO,
	 "port 0 is being changed"},
	{"an_older_version", "null", EXIT_UNREADABLE, STRANGE("balance")},
	{"a_list", "[]", EXIT_UNREADABLE, STRANGE("balance")},
	{"nothing_of_it", "{}", EXIT_UNREADABLE, STRANGE("balance")},
	{"a_counter_that_is_text", NEVER("\"100\""), EXIT_UNREADABLE, STRANGE("balance")},
	{"a_negative_interval", NEVER("-1"), EXIT_UNREADABLE, STRANGE("balance")},
	{"half_of_the_imbalances", "{" COUNTERS ",\"before_permille\":1250" LAST "}",
	 EXIT_UNREADABLE, STRANGE("balance")},
	{"no_moves", "{" COUNTERS IMBALANCES ",\"last_intervals\":{}}", EXIT_UNREADABLE,
	 STRANGE("balance")},
	{"moves_in_a_list", "{" COUNTERS IMBALANCES ",\"last_moves\":[],\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE("balance")},
	{"moves_without_the_first",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{" MOVE(1, 12) "},\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE("balance")},
	{"a_move_without_queues",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{\"0\":{\"round\":1}},\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE("balance")},
	{"an_interval_that_is_a_number",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{},\"last_intervals\":{\"0\":1}}",
	 EXIT_UNREADABLE, STRANGE("balance")},
	{"half_an_elephant", "{" COUNTERS IMBALANCES ",\"bound_entry\":17" LAST "}",
	 EXIT_UNREADABLE, STRANGE("balance")},
};

static struct queues queues;

// The status and the reason are in the port, which is closed. Returns what is told of load-aware
// RSS.
static json_t *answer_read(const char *what, const char *answer, struct port *port) {
	struct server server = {.script = {.greeting = GREETING, .ports = PORTS}};
	json_t *balance = NULL;
	char whole[2048];

	snprintf(whole, sizeof(whole), "{\"/net_ddp/%s\":%s}", what, answer);
	server.script.answer = whole;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_int_equal(port_open(port, NULL, 0, "0"), EXIT_GOOD);
	if (strcmp(what, "balance") == 0)
		balance = balance_read(port, NULL);
	else
		queues_read(&queues, port);
	port_close(port);
	server_stop(&server);
	return balance;
}

ROWS_TEST(is_answered_of_queues, queues_rows) {
	const struct row *row = *state;
	struct port port;

	answer_read("queues", row->answer, &port);
	assert_int_equal(port.status, row->status);
	assert_string_equal(port.error, row->error);
}

ROWS_TEST(is_answered_of_balance, balance_rows) {
	const struct row *row = *state;
	struct port port;
	json_t *balance = answer_read("balance", row->answer, &port);

	assert_int_equal(port.status, row->status);
	assert_string_equal(port.error, row->error);
	assert_int_equal(balance != NULL, row->status == EXIT_GOOD);
	json_decref(balance);
}

static json_t *read_good(const char *answer) {
	struct port port;
	json_t *balance = answer_read("balance", answer, &port);

	assert_int_equal(port.status, EXIT_GOOD);
	return balance;
}

TEST(numbers_are_what_was_told) {
	json_t *balance = read_good("{" COUNTERS IMBALANCES BOUND LAST "}");
	char *text = json_dumps(balance, JSON_REAL_PRECISION(4));

	assert_string_equal(
		text,
		"{\"interval_ms\": 100, \"rounds\": 20, \"moves\": 3, \"order_parked\": 12, "
		"\"given_up\": 1, \"order_longest_parking_us\": 85, \"before\": 1.25, \"after\": 1.01, "
		"\"worst\": 2.5, \"bound_entry\": 17, \"bound_share\": 0.312, "
		"\"bound_flow\": \"1.2.3.4 > ?[31m\", \"last_moves\": ["
		"{\"round\": 19, \"ms_ago\": 1500, \"entry\": 17, \"from\": 3, \"to\": 5, "
		"\"share\": 0.012, \"from_load\": 1.34, \"to_load\": 0.71}, "
		"{\"round\": 12, \"ms_ago\": 1500, \"entry\": 17, \"from\": 3, \"to\": 5, "
		"\"share\": 0.012, \"from_load\": 1.34, \"to_load\": 0.71}], \"last_intervals\": ["
		"{\"round\": 20, \"before\": 1.25, \"after\": 1.01, \"moves\": 1}, "
		"{\"round\": 19, \"before\": 1.25, \"after\": 1.01, \"moves\": 1}, "
		"{\"round\": 12, \"before\": 1.25, \"after\": 1.01, \"moves\": 1}]}");
	free(text);
	json_decref(balance);
}

TEST(a_move_has_its_reason) {
	json_t *balance = read_good("{" COUNTERS IMBALANCES BOUND LAST "}");
	struct strbuf text;

	strbuf_init(&text);
	balance_move_write(json_array_get(json_object_get(balance, "last_moves"), 0), text.to);
	assert_string_equal(strbuf_take(&text),
			    "queue 3 (load 1.34) to 5 (0.71): entry 17, 1.2% of the load");
	balance_bound_write(balance, text.to); // without control characters
	assert_string_equal(strbuf_take(&text), "entry 17 has 31.2% of the load: 1.2.3.4 > ?[31m");
	json_object_set_new(balance, "bound_flow", json_string(""));
	balance_bound_write(balance, text.to);
	assert_string_equal(strbuf_take(&text), "entry 17 has 31.2% of the load");
	strbuf_fini(&text);
	json_decref(balance);
}

TEST(what_was_before_a_round_is_forgotten) {
	static const struct {
		uint64_t round;
		unsigned int n_moves, n_intervals;
	} cases[] = {{0, 2, 3}, {12, 1, 2}, {19, 0, 1}, {20, 0, 0}};
	json_t *balance = read_good("{" COUNTERS IMBALANCES LAST "}");

	assert_int_equal(balance_round(balance), 20);
	for (unsigned int i = 0; i < COUNT(cases); i++) {
		balance_forget(balance, cases[i].round);
		assert_int_equal(json_array_size(json_object_get(balance, "last_moves")),
				 cases[i].n_moves);
		assert_int_equal(json_array_size(json_object_get(balance, "last_intervals")),
				 cases[i].n_intervals);
	}
	assert_int_equal(balance_round(balance), 0);
	json_decref(balance);
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
