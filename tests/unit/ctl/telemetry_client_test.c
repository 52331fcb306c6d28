/* SPDX-License-Identifier: BSD-3-Clause */
// Which process ddpctl talks to, and what it makes of answers that no process of DPDK gives. Real
// ones are in tests/e2e/ctl_port_test.py.
#include "server.h"

#include "common/telemetry_client.h"

struct row {
	const char *name;
	struct script script;
	const char *error; // "" when it must answer
};

static const struct row rows[] = {
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

ROWS_TEST(a_row, rows) {
	const struct row *row = *state;
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

TEST_WITH(the_process_chosen_is_the_one_asked, several_setup, several_teardown) {
	for (unsigned int i = 0; i < COUNT(choices); i++) {
		struct telemetry_client client;
		int ret = telemetry_client_open(&client, choices[i].file_prefix, choices[i].pid);

		assert_int_equal(ret == 0 ? client.pid : 0, choices[i].chosen);
		if (ret < 0)
			assert_told(&client, choices[i].error);
		telemetry_client_close(&client);
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

static void pid_add(void *arg, const struct telemetry_client *client) {
	*(uint64_t *)arg += client->pid;
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

TEST_WITH(visits_are_limited_to_the_process_chosen, several_setup, several_teardown) {
	char reason[TELEMETRY_ERROR_SIZE];

	for (unsigned int i = 0; i < COUNT(choices); i++) {
		const struct choice *choice = &choices[i];
		uint64_t pids = 0;
		unsigned int n = telemetry_clients_each(choice->file_prefix, choice->pid, pid_add,
							&pids, reason);

		if (choice->chosen != 0)
			assert_int_equal(pids, choice->chosen);
		else // both, or none
			assert_int_equal(n, strncmp(choice->error, "choose", 6) == 0 ? 2 : 0);
	}
}

TEST(without_a_folder_no_process_runs) {
	struct telemetry_client client;

	setenv("RUNTIME_DIRECTORY", scratch_path("nothing"), 1);
	assert_true(telemetry_client_open(&client, NULL, 0) < 0);
	assert_memory_equal(client.error, "no running process of DPDK ", 27);
	setenv("RUNTIME_DIRECTORY", scratch_dir(), 1);
}

GROUP(server_setup, NULL)
