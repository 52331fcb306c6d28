/* SPDX-License-Identifier: BSD-3-Clause */
// Which process ddpctl talks to, and what it makes of answers that no process of DPDK gives. Real
// ones are in tests/e2e/ctl_port_test.py.
#include "scratch_folder.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "common/port_telemetry.h"
#include "common/strbuf.h"
#include "common/telemetry_client.h"
#include "ctl/command.h"
#include "ctl/telemetry/port_info.h"

#define GREETING_OF(pid, max) "{\"version\":\"DPDK\",\"pid\":" #pid ",\"max_output_len\":" #max "}"
#define GREETING(pid) GREETING_OF(pid, 64)
#define PORTS "{\"/net_ddp/list\":[]}"

// A telemetry socket at which a test speaks: it says what a script says, to whoever connects.
struct script {
	const char *greeting; // NULL: closes the connection
	const char *ports;    // to its first command; NULL: closes the connection
	const char *answer;   // to each later one; NULL: says nothing
};

struct server {
	struct script script;
	int listener;
	pthread_t thread;
	char path[300];
};

static bool say(int fd, const char *what) {
	return send(fd, what, strlen(what), MSG_NOSIGNAL) >= 0;
}

static void serve_one(const struct script *script, int fd) {
	char command[2048];

	if (script->greeting == NULL || !say(fd, script->greeting) ||
	    recv(fd, command, sizeof(command), 0) <= 0 || script->ports == NULL ||
	    !say(fd, script->ports))
		return;
	while (recv(fd, command, sizeof(command), 0) > 0)
		if (script->answer != NULL)
			say(fd, script->answer);
}

static void *serve(void *arg) {
	const struct server *server = arg;
	int fd;

	while ((fd = accept(server->listener, NULL, NULL)) >= 0) {
		serve_one(&server->script, fd);
		close(fd);
	}
	return NULL;
}

static void socket_make(struct server *server, const char *prefix, const char *name) {
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(server->path, sizeof(server->path), "%s/dpdk/%s", scratch_dir(), prefix);
	mkdir(scratch_path("dpdk"), 0700);
	mkdir(server->path, 0700);
	strcat(strcat(server->path, "/"), name);
	assert_true(strlen(server->path) < sizeof(address.sun_path));
	strcpy(address.sun_path, server->path);
	server->listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(bind(server->listener, (const struct sockaddr *)&address, sizeof(address)),
			 0);
}

static void server_start(struct server *server, const char *prefix, const char *name) {
	socket_make(server, prefix, name);
	assert_int_equal(listen(server->listener, 8), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct server *server) {
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listener);
	unlink(server->path);
}

static const struct exchange {
	const char *name;
	struct script script;
	const char *error; // "" when it must answer
} exchanges[] = {
	{"a_good_answer", {GREETING(7), PORTS, "{\"/x\":{\"a\":1}}"}, ""},
	{"an_answer_that_is_no_json",
	 {GREETING(7), PORTS, "{\"/x\":"},
	 "process 7: /x: an answer that is not JSON: "},
	{"an_answer_to_something_else",
	 {GREETING(7), PORTS, "{\"/y\":1}"},
	 "process 7: /x: an answer to something else"},
	{"an_answer_that_is_no_object",
	 {GREETING(7), PORTS, "[1]"},
	 "process 7: /x: an answer to something else"},
	{"an_answer_longer_than_announced",
	 {GREETING(7), PORTS,
	  "{\"/x\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}"},
	 "process 7: /x: an answer of 79 bytes, more than announced"},
	{"no_answer", {GREETING(7), PORTS, NULL}, "process 7: /x: no answer within 3 s"},
	{"no_greeting", {NULL, NULL, NULL}, "no running process of DPDK found in "},
	{"a_greeting_that_is_no_json",
	 {"hello", NULL, NULL},
	 "no running process of DPDK found in "},
	{"a_greeting_without_a_number",
	 {"{\"max_output_len\":64}", NULL, NULL},
	 "no running process of DPDK found in "},
	{"a_greeting_with_numbers_out_of_range",
	 {"{\"pid\":-1,\"max_output_len\":9999999999}", NULL, NULL},
	 "no running process of DPDK found in "},
	{"an_end_in_the_middle",
	 {GREETING(7), NULL, NULL},
	 "process 7: /net_ddp/list: the connection was closed"},
	{"no_net_ddp",
	 {GREETING(2147483647), "{\"/net_ddp/list\":null}", NULL},
	 "a process without net_ddp: rte (process 2147483647)"},
};

// Only what ends with a blank goes on, with a path.
static void assert_told(const struct telemetry_client *client, const char *error) {
	size_t len = strlen(error);

	assert_memory_equal(client->error, error, len);
	if (error[len - 1] != ' ')
		assert_string_equal(client->error, error);
}

ROWS_TEST(is_told_of, exchanges) {
	const struct exchange *row = *state;
	struct server server = {.script = row->script};
	json_t *answer = NULL;
	struct telemetry_client client;

	server_start(&server, "rte", "dpdk_telemetry.v2");
	if (telemetry_client_open(&client, NULL, 0) == 0) {
		answer = telemetry_client_ask(&client, "/x", "0");
		telemetry_client_close(&client);
	}
	server_stop(&server);
	if (row->error[0] == '\0') {
		assert_non_null(answer);
		assert_int_equal(json_integer_value(json_object_get(answer, "a")), 1);
	} else {
		assert_null(answer);
		assert_told(&client, row->error);
	}
	json_decref(answer);
}

TEST(trouble_with_a_socket_is_told) {
	struct server server = {.script = {.greeting = "{}"}};
	struct telemetry_client client;

	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_true(telemetry_client_open(&client, NULL, 0) < 0);
	server_stop(&server);
	assert_non_null(strstr(client.error, server.path));
	assert_non_null(strstr(client.error, ": it does not say who it is)"));
}

TEST(a_command_that_is_too_long_is_not_sent) {
	struct server server = {.script = {GREETING(7), PORTS, "{\"/x\":1}"}};
	char parameters[TELEMETRY_COMMAND_MAX];
	struct telemetry_client client;
	json_t *answer;

	memset(parameters, 'a', sizeof(parameters));
	parameters[TELEMETRY_COMMAND_MAX - strlen("/x,")] = '\0';
	server_start(&server, "rte", "dpdk_telemetry.v2");
	assert_int_equal(telemetry_client_open(&client, NULL, 0), 0);
	answer = telemetry_client_ask(&client, "/x", parameters);
	assert_non_null(answer);
	json_decref(answer);
	strcat(parameters, "a");
	assert_null(telemetry_client_ask(&client, "/x", parameters));
	assert_non_null(strstr(client.error, "no more than 1023 bytes"));
	telemetry_client_close(&client);
	server_stop(&server);
}

static struct server first, second, without, dead;

static int several_setup(void **state) {
	first.script = (struct script){GREETING(2147483001), PORTS, NULL};
	second.script = (struct script){GREETING(2147483002), PORTS, NULL};
	without.script = (struct script){GREETING(2147483003), "{\"/net_ddp/list\":null}", NULL};
	server_start(&first, "a", "dpdk_telemetry.v2");
	server_start(&second, "a", "dpdk_telemetry.v2:1");
	server_start(&without, "b", "dpdk_telemetry.v2");
	socket_make(&dead, "c", "dpdk_telemetry.v2");
	return 0;
}

static int several_teardown(void **state) {
	server_stop(&first);
	server_stop(&second);
	server_stop(&without);
	close(dead.listener);
	unlink(dead.path);
	return 0;
}

static const struct choice {
	const char *file_prefix;
	unsigned int pid;
	unsigned int chosen; // 0: none
	const char *error;
} choices[] = {
	{NULL, 0, 0,
	 "choose a process with --file-prefix or --pid: a (process 2147483001), "
	 "a (process 2147483002)"},
	{"a", 0, 0,
	 "choose a process with --file-prefix or --pid: a (process 2147483001), "
	 "a (process 2147483002)"},
	{NULL, 2147483002, 2147483002, NULL},
	{"a", 2147483001, 2147483001, NULL},
	{"b", 0, 0, "a process without net_ddp: b (process 2147483003)"},
	{"b", 2147483001, 0, "process 2147483001 has no telemetry socket in "},
	{"c", 0, 0, "no running process with file prefix 'c' found in "},
	{"d", 0, 0, "no running process with file prefix 'd' found in "},
	{NULL, 12, 0, "process 12 has no telemetry socket in "},
};

static void pid_add(void *arg, const struct telemetry_client *client) {
	*(uint64_t *)arg += client->pid;
}

TEST_WITH(the_process_chosen_is_the_one_asked, several_setup, several_teardown) {
	char reason[TELEMETRY_ERROR_SIZE];

	for (unsigned int i = 0; i < COUNT(choices); i++) {
		const struct choice *choice = &choices[i];
		struct telemetry_client client;
		int ret = telemetry_client_open(&client, choice->file_prefix, choice->pid);
		uint64_t pids = 0;
		unsigned int n;

		assert_int_equal(ret == 0 ? client.pid : 0, choice->chosen);
		if (ret < 0)
			assert_told(&client, choice->error);
		telemetry_client_close(&client);
		n = telemetry_clients_each(choice->file_prefix, choice->pid, pid_add, &pids,
					   reason);
		if (choice->chosen != 0)
			assert_int_equal(pids, choice->chosen);
		else // both, or none
			assert_int_equal(n, strncmp(choice->error, "choose", 6) == 0 ? 2 : 0);
	}
}

TEST_WITH(a_process_without_net_ddp_is_no_choice, several_setup, several_teardown) {
	struct telemetry_client client;

	server_stop(&second);
	assert_int_equal(telemetry_client_open(&client, NULL, 0), 0);
	assert_int_equal(client.pid, 2147483001);
	telemetry_client_close(&client);
	server_start(&second, "a", "dpdk_telemetry.v2:1");
}

TEST_WITH(each_process_with_net_ddp_is_visited, several_setup, several_teardown) {
	char reason[TELEMETRY_ERROR_SIZE];
	uint64_t pids = 0;

	telemetry_clients_each(NULL, 0, pid_add, &pids, reason);
	assert_int_equal(pids, 2147483001UL + 2147483002UL);
	assert_string_equal(reason, "");
	server_stop(&second);
	second.script.ports = NULL;
	server_start(&second, "a", "dpdk_telemetry.v2:1");
	pids = 0;
	telemetry_clients_each(NULL, 0, pid_add, &pids, reason);
	assert_int_equal(pids, 2147483001UL);
	assert_string_equal(reason,
			    "a: process 2147483002: /net_ddp/list: the connection was closed");
}

TEST(without_a_folder_no_process_runs) {
	struct telemetry_client client;

	setenv("RUNTIME_DIRECTORY", scratch_path("nothing"), 1);
	assert_true(telemetry_client_open(&client, NULL, 0) < 0);
	assert_memory_equal(client.error, "no running process of DPDK ", 27);
	setenv("RUNTIME_DIRECTORY", scratch_dir(), 1);
}

// error: why the port does not answer; "" when it does, NULL when it says what net_ddp never says.
struct row {
	const char *name;
	const char *answer;
	const char *error;
};

static const struct row queues_rows[] = {
	{"no_queues", "{\"queues\":{}}", ""},
	{"two_queues",
	 "{\"queues\":{\"0\":{\"rx_packets\":3,\"rx_bytes\":200,\"rx_missed\":1},"
	 "\"1\":{\"rx_packets\":0,\"rx_bytes\":0,\"rx_missed\":0}}}",
	 ""},
	{"a_refusal_in_pieces", "{\"ok\":0,\"error\":\"this is \",\"error_2\":\"why\"}",
	 "this is why"},
	{"a_refusal_with_false", "{\"ok\":false,\"error\":\"this is why\"}", "this is why"},
	{"a_refusal_without_a_reason", "{\"ok\":0}", "process 7 refuses and does not say why"},
	{"null", "null"},
	{"a_list", "[]"},
	{"nothing_of_queues", "{}"},
	{"queues_without_names", "{\"queues\":[1,2]}"},
	{"queues_with_other_names", "{\"queues\":{\"a\":{}}}"},
	{"queues_that_are_numbers", "{\"queues\":{\"0\":1}}"},
	{"a_counter_that_is_text",
	 "{\"queues\":{\"0\":{\"rx_packets\":\"3\",\"rx_bytes\":200,\"rx_missed\":1}}}"},
	{"a_counter_that_is_missing", "{\"queues\":{\"0\":{\"rx_packets\":3}}}"},
	{"a_queue_that_is_missing",
	 "{\"queues\":{\"1\":{\"rx_packets\":3,\"rx_bytes\":200,\"rx_missed\":1}}}"},
	{"pages_without_end", "{\"queues\":{},\"next\":1}"},
	{"pages_that_go_back", "{\"queues\":{},\"next\":-1}"},
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
	{"it_was_never_on", NEVER("0"), ""},
	{"it_is_on", "{" COUNTERS IMBALANCES LAST "}", ""},
	{"there_is_an_elephant", "{" COUNTERS IMBALANCES BOUND LAST "}", ""},
	{"a_key_of_a_later_version", "{" COUNTERS IMBALANCES LAST ",\"new\":[]}", ""},
	{"a_refusal", "{\"ok\":0,\"error\":\"port 0 is being changed\"}",
	 "port 0 is being changed"},
	{"an_older_version", "null"},
	{"a_list", "[]"},
	{"nothing_of_it", "{}"},
	{"a_counter_that_is_text", NEVER("\"100\"")},
	{"a_negative_interval", NEVER("-1")},
	{"half_of_the_imbalances", "{" COUNTERS ",\"before_permille\":1250" LAST "}"},
	{"no_moves", "{" COUNTERS IMBALANCES ",\"last_intervals\":{}}"},
	{"moves_in_a_list", "{" COUNTERS IMBALANCES ",\"last_moves\":[],\"last_intervals\":{}}"},
	{"moves_without_the_first",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{" MOVE(1, 12) "},\"last_intervals\":{}}"},
	{"a_move_without_queues",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{\"0\":{\"round\":1}},\"last_intervals\":{}}"},
	{"an_interval_that_is_a_number",
	 "{" COUNTERS IMBALANCES ",\"last_moves\":{},\"last_intervals\":{\"0\":1}}"},
	{"half_an_elephant", "{" COUNTERS IMBALANCES ",\"bound_entry\":17" LAST "}"},
};

// The status and the reason are in the port, which is closed. Returns the answer about load-aware
// RSS.
static json_t *answer_read(const char *what, const char *answer, struct port *port) {
	struct server server = {.script = {GREETING_OF(7, 16384), PORTS, NULL}};
	struct queues queues;
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

static void row_check(const struct row *row, const char *what) {
	struct port port;
	json_t *balance = answer_read(what, row->answer, &port);
	bool answers = row->error != NULL && row->error[0] == '\0';
	char strange[100];

	snprintf(strange, sizeof(strange),
		 "process 7: /net_ddp/%s: an answer of another version of net_ddp", what);
	assert_string_equal(port.error, row->error != NULL ? row->error : strange);
	assert_int_equal(port.status, answers            ? EXIT_GOOD :
				      row->error != NULL ? EXIT_NO :
							   EXIT_UNREADABLE);
	if (strcmp(what, "balance") == 0)
		assert_int_equal(balance != NULL, answers);
	json_decref(balance);
}

ROWS_TEST(is_answered_of_queues, queues_rows) {
	row_check(*state, "queues");
}

ROWS_TEST(is_answered_of_balance, balance_rows) {
	row_check(*state, "balance");
}

// Else a packet type is left out, and its packets are in no sum.
static const struct row ptypes_rows[] = {
	{"a_packet_type", "{\"0\":{\"name\":\"A\",\"packets\":3,\"rte_ptype\":1}}", ""},
	{"a_packet_type_without_a_name", "{\"0\":{\"packets\":3,\"rte_ptype\":1}}"},
	{"fewer_than_no_packets", "{\"0\":{\"name\":\"A\",\"packets\":-3,\"rte_ptype\":1}}"},
};

ROWS_TEST(is_answered_of_packet_types, ptypes_rows) {
	static const char *const files[] = {"0"};
	const struct port_options options = {.common = {.files = files, .n_files = 1}};
	struct server server = {.script = {GREETING_OF(7, 16384), PORTS, NULL}};
	const struct row *row = *state;
	static struct output out;
	char whole[200];

	snprintf(whole, sizeof(whole), "{\"/net_ddp/ptypes\":{\"ptypes\":%s}}", row->answer);
	server.script.answer = whole;
	server_start(&server, "rte", "dpdk_telemetry.v2");
	output_begin(&out);
	assert_int_equal(cmd_port_ptypes(&options, &out),
			 row->error != NULL ? EXIT_GOOD : EXIT_UNREADABLE);
	free(output_end(&out));
	server_stop(&server);
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

static int setup(void **state) {
	return setenv("RUNTIME_DIRECTORY", scratch_dir(), 1);
}

GROUP(setup, NULL)
