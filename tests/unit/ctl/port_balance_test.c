/* SPDX-License-Identifier: BSD-3-Clause */
// Answers apps/ctl/telemetry/port_info.c: what net_ddp tells of load-aware RSS, and what it
// never does.
#include "server.h"

#include "common/strbuf.h"
#include "ctl/telemetry/port_info.h"

#undef GREETING
#define GREETING "{\"version\":\"DPDK\",\"pid\":7,\"max_output_len\":16384}"
#define STRANGE "process 7: /net_ddp/balance: an answer of another version of net_ddp"

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

struct row {
	const char *name;
	const char *answer; // to /net_ddp/balance
	int status;
	const char *error;
};

static const struct row rows[] = {
	{"it_was_never_on", NEVER("0"), EXIT_GOOD, ""},
	{"it_is_on", "{" COUNTERS IMBALANCES LAST "}", EXIT_GOOD, ""},
	{"there_is_an_elephant", "{" COUNTERS IMBALANCES BOUND LAST "}", EXIT_GOOD, ""},
	{"a_key_of_a_later_version", "{" COUNTERS IMBALANCES LAST ",\"new\":[]}", EXIT_GOOD, ""},
	{"a_refusal", "{\"ok\":0,\"error\":\"port 0 is being changed\"}", EXIT_NO,
	 "port 0 is being changed"},
	{"an_older_version", "null", EXIT_UNREADABLE, STRANGE},
	{"a_list", "[]", EXIT_UNREADABLE, STRANGE},
	{"nothing_of_it", "{}", EXIT_UNREADABLE, STRANGE},
	{"a_counter_that_is_text", NEVER("\"100\""), EXIT_UNREADABLE, STRANGE},
	{"a_negative_interval", NEVER("-1"), EXIT_UNREADABLE, STRANGE},
	{"half_of_the_imbalances", "{" COUNTERS ",\"before_permille\":1250" LAST "}",
	 EXIT_UNREADABLE, STRANGE},
	{"no_moves", "{" COUNTERS IMBALANCES ",\"last_intervals\":{}}", EXIT_UNREADABLE, STRANGE},
	{"moves_in_a_list", "{" COUNTERS IMBALANCES ",\"last_moves\":[],\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE},
	{"moves_without_the_first",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{" MOVE(1, 12) "},\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE},
	{"a_move_without_queues",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{\"0\":{\"round\":1}},\"last_intervals\":{}}",
	 EXIT_UNREADABLE, STRANGE},
	{"an_interval_that_is_a_number",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{},\"last_intervals\":{\"0\":1}}",
	 EXIT_UNREADABLE, STRANGE},
	{"half_an_elephant", "{" COUNTERS IMBALANCES ",\"bound_entry\":17" LAST "}",
	 EXIT_UNREADABLE, STRANGE},
};

// The status and the reason are in the port, which is closed.
static json_t *answer_read(const char *answer, struct port *port) {
	struct server server = {.script = {.greeting = GREETING, .ports = PORTS}};
	char whole[2048];
	json_t *balance;

	snprintf(whole, sizeof(whole), "{\"/net_ddp/balance\":%s}", answer);
	server.script.answer = whole;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_int_equal(port_open(port, NULL, 0, "0"), EXIT_GOOD);
	balance = balance_read(port, NULL);
	port_close(port);
	server_stop(&server);
	return balance;
}

ROWS_TEST(a_row, rows) {
	const struct row *row = *state;
	struct port port;
	json_t *balance = answer_read(row->answer, &port);

	assert_int_equal(port.status, row->status);
	assert_string_equal(port.error, row->error);
	assert_int_equal(balance != NULL, row->status == EXIT_GOOD);
	json_decref(balance);
}

static json_t *read_good(const char *answer) {
	struct port port;
	json_t *balance = answer_read(answer, &port);

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

GROUP(server_setup, NULL)
