/* SPDX-License-Identifier: BSD-3-Clause */
// Answers apps/ctl/telemetry/port_balance.c: what net_ddp tells of load-aware RSS, and what it
// never does.
#include "server.h"

#include "common/strbuf.h"
#include "ctl/telemetry/port_balance.h"

#undef GREETING
#define GREETING "{\"version\":\"DPDK\",\"pid\":7,\"max_output_len\":16384}"
#define STRANGE "process 7: /net_ddp/balance: an answer of another version of net_ddp"

#define COUNTERS                                                                              \
	"\"interval_ms\":100,\"rounds\":20,\"moves\":3,\"parked_packets\":12,\"given_up\":1," \
	"\"longest_parking_us\":85"
#define IMBALANCES ",\"before_permille\":1250,\"after_permille\":1010,\"worst_permille\":2500"
#define BOUND ",\"bound_entry\":17,\"bound_permille\":312,\"bound_flow\":\"1.2.3.4 > \\u001b[31m\""
#define MOVE(i, round)                                                                       \
	"\"" #i "\":{\"round\":" #round ",\"ms_ago\":1500,\"entry\":17,\"from\":3,\"to\":5," \
	"\"load_permille\":12,\"from_load_permille\":1340,\"to_load_permille\":710}"
#define INTERVAL(i, round)                                                                   \
	"\"" #i "\":{\"round\":" #round ",\"before_permille\":1250,\"after_permille\":1010," \
	"\"moves\":1}"
#define LAST                                                                               \
	",\"last_moves\":{" MOVE(0, 19) "," MOVE(1, 12) "},\"last_intervals\":{" INTERVAL( \
		0, 20) "," INTERVAL(1, 19) "," INTERVAL(2, 12) "}"

struct row {
	const char *name;
	const char *answer; // to /net_ddp/balance
	int status;
	const char *error;
};

static const struct row rows[] = {
	{"it_was_never_on",
	 "{\"interval_ms\":0,\"rounds\":0,\"moves\":0,\"parked_packets\":0,\"given_up\":0,"
	 "\"longest_parking_us\":0}",
	 EXIT_GOOD, ""},
	{"it_is_on", "{" COUNTERS IMBALANCES LAST "}", EXIT_GOOD, ""},
	{"there_is_an_elephant", "{" COUNTERS IMBALANCES BOUND LAST "}", EXIT_GOOD, ""},
	{"a_key_of_a_later_version", "{" COUNTERS ",\"new\":[]}", EXIT_GOOD, ""},
	{"a_refusal", "{\"ok\":0,\"error\":\"port 0 is being changed\"}", EXIT_NO,
	 "port 0 is being changed"},
	{"an_older_version", "null", EXIT_UNREADABLE, STRANGE},
	{"a_list", "[]", EXIT_UNREADABLE, STRANGE},
	{"nothing_of_it", "{}", EXIT_UNREADABLE, STRANGE},
	{"a_counter_that_is_text",
	 "{\"interval_ms\":\"100\",\"rounds\":0,\"moves\":0,\"parked_packets\":0,\"given_up\":0,"
	 "\"longest_parking_us\":0}",
	 EXIT_UNREADABLE, STRANGE},
	{"a_negative_interval",
	 "{\"interval_ms\":-1,\"rounds\":0,\"moves\":0,\"parked_packets\":0,\"given_up\":0,"
	 "\"longest_parking_us\":0}",
	 EXIT_UNREADABLE, STRANGE},
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

// Returns the status; the reason is in error.
static int answer_read(const char *answer, struct balance *balance, bool *known, char *error) {
	struct server server = {.script = {.greeting = GREETING, .ports = PORTS}};
	char whole[2048];
	struct port port;

	snprintf(whole, sizeof(whole), "{\"/net_ddp/balance\":%s}", answer);
	server.script.answer = whole;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_int_equal(port_open(&port, NULL, 0, "0"), EXIT_GOOD);
	*known = balance_is_known(&port);
	balance_read(balance, &port, NULL);
	strcpy(error, port.error);
	port_close(&port);
	server_stop(&server);
	return port.status;
}

static void a_row(void **state) {
	const struct row *row = *state;
	static struct balance balance;
	char error[TELEMETRY_ERROR_SIZE];
	bool known;

	assert_int_equal(answer_read(row->answer, &balance, &known, error), row->status);
	assert_string_equal(error, row->error);
	assert_int_equal(known, strcmp(row->answer, "null") != 0);
}

static void too_many_moves_are_strange(void **state) {
	static struct balance balance;
	char answer[2048] = "{" COUNTERS IMBALANCES ",\"last_intervals\":{},\"last_moves\":{";
	char error[TELEMETRY_ERROR_SIZE];
	bool known;

	for (unsigned int i = 0; i <= BALANCE_LAST_MAX; i++)
		snprintf(answer + strlen(answer), sizeof(answer) - strlen(answer), "%s\"%u\":{}",
			 i > 0 ? "," : "", i);
	strcat(answer, "}}");
	assert_int_equal(answer_read(answer, &balance, &known, error), EXIT_UNREADABLE);
}

static void read_good(const char *answer, struct balance *balance) {
	char error[TELEMETRY_ERROR_SIZE];
	bool known;

	assert_int_equal(answer_read(answer, balance, &known, error), EXIT_GOOD);
}

static void numbers_are_what_was_told(void **state) {
	static struct balance balance;

	read_good("{" COUNTERS IMBALANCES BOUND LAST "}", &balance);
	assert_true(balance.measured && balance.bounded);
	assert_int_equal(balance.interval_ms, 100);
	assert_int_equal(balance.parked, 12);
	assert_int_equal(balance.longest_us, 85);
	assert_true(balance.before == 1.25 && balance.after == 1.01 && balance.worst == 2.5);
	assert_int_equal(balance.n_last_moves, 2);
	assert_int_equal(balance.last_moves[1].round, 12);
	assert_true(balance.last_moves[0].from_load == 1.34);
	assert_int_equal(balance.n_intervals, 3);
	assert_int_equal(balance_round(&balance), 20);
	read_good(rows[0].answer, &balance);
	assert_false(balance.measured || balance.bounded);
	assert_int_equal(balance_round(&balance), 0);
}

static void a_move_has_its_reason(void **state) {
	static struct balance balance;
	struct strbuf text;

	read_good("{" COUNTERS IMBALANCES BOUND LAST "}", &balance);
	strbuf_init(&text);
	balance_move_write(&balance.last_moves[0], text.to);
	assert_string_equal(strbuf_take(&text),
			    "entry 17 (1.2% of the load) from queue 3 (1.34 of the mean) to "
			    "queue 5 (0.71)");
	balance_bound_write(&balance, text.to); // what would drive a terminal is gone
	assert_string_equal(strbuf_take(&text), "entry 17 has 31.2% of the load: 1.2.3.4 > ?[31m");
	balance.bound_flow[0] = '\0';
	balance_bound_write(&balance, text.to);
	assert_string_equal(strbuf_take(&text), "entry 17 has 31.2% of the load");
	strbuf_fini(&text);
}

static void json_begins_after_a_round(void **state) {
	static const struct {
		uint64_t round;
		unsigned int n_moves, n_intervals;
	} cases[] = {{0, 2, 3}, {12, 1, 2}, {19, 0, 1}, {20, 0, 0}};
	static struct balance balance;

	read_good("{" COUNTERS IMBALANCES LAST "}", &balance);
	for (unsigned int i = 0; i < COUNT(cases); i++) {
		json_t *json = balance_json(&balance, cases[i].round);

		assert_int_equal(json_array_size(json_object_get(json, "last_moves")),
				 cases[i].n_moves);
		assert_int_equal(json_array_size(json_object_get(json, "last_intervals")),
				 cases[i].n_intervals);
		assert_true(json_is_null(json_object_get(json, "elephant")));
		json_decref(json);
	}
}

static void json_of_what_was_never_measured_is_null(void **state) {
	static struct balance balance;
	json_t *json;

	read_good(rows[0].answer, &balance);
	json = balance_json(&balance, 0);
	assert_true(json_is_null(json_object_get(json, "imbalance_before")));
	assert_int_equal(json_integer_value(json_object_get(json, "interval_ms")), 0);
	json_decref(json);
}

int main(void) {
	const struct CMUnitTest others[] = {
		cmocka_unit_test(too_many_moves_are_strange),
		cmocka_unit_test(numbers_are_what_was_told),
		cmocka_unit_test(a_move_has_its_reason),
		cmocka_unit_test(json_begins_after_a_round),
		cmocka_unit_test(json_of_what_was_never_measured_is_null),
	};
	struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
	int n_failed;

	for (unsigned int i = 0; i < COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = a_row,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	memcpy(&tests[COUNT(rows)], others, sizeof(others));
	if (server_setup(NULL) != 0)
		return 1;
	n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_teardown(NULL);
	return n_failed;
}
