/* SPDX-License-Identifier: BSD-3-Clause */
#include "test.h"

#include <unistd.h>

#include "fwd/config.h"

#define ARGS_MAX 32

static struct config config;
static struct error error;

// Parse a line of words.
static int parse(const char *line) {
	static char words[1024];
	char *argv[ARGS_MAX + 1];
	int argc = 0;

	memset(&error, 0, sizeof(error));
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	config_fini(&config);
	return config_parse(&config, argc, argv, &error);
}

static void good(const char *line) {
	if (parse(line) != 0)
		fail_msg("%s: %s", line, error.text);
}

// Expect exactly this complaint about options.
static void bad(const char *options, const char *complaint) {
	char line[512], expected[512];

	snprintf(line, sizeof(line), "ddp-fwd -- %s", options);
	snprintf(expected, sizeof(expected), "%s (try 'ddp-fwd --help')", complaint);
	assert_int_equal(parse(line), -1);
	assert_int_equal(error.code, EXIT_USAGE);
	assert_string_equal(error.text, expected);
}

static void no_options_give_the_defaults(void **state) {
	(void)state;
	good("ddp-fwd");
	assert_int_equal(config.n_rxq, 1);
	assert_int_equal(config.n_txq, 1);
	assert_int_equal(config.n_rxd, 1024);
	assert_int_equal(config.n_txd, 1024);
	assert_int_equal(config.burst, 32);
	assert_int_equal(config.mode, MODE_IO);
	assert_int_equal(config.topology, TOPOLOGY_PAIRED);
	assert_int_equal(config.promiscuous, 1);
	assert_true(config.rss_hf == DDP_RSS_HF_ALL);
	assert_true(config.idle_exit_ms == CONFIG_AUTO);
	assert_true(config.stats_ms == CONFIG_AUTO);
	assert_true(config.n_mbufs == CONFIG_AUTO);
	assert_null(config.key);
	assert_null(config.json);
}

static void options_are_those_behind_two_dashes(void **state) {
	(void)state;
	good("ddp-fwd -l 0,1 --rxq 7 --bogus -- --rxq 16 --fwd=rxonly --topology chained --packets 10");
	assert_int_equal(config.n_rxq, 16);
	assert_int_equal(config.n_txq, 16);
	assert_int_equal(config.mode, MODE_RXONLY);
	assert_int_equal(config.topology, TOPOLOGY_CHAINED);
	assert_int_equal(config.packets, 10);
}

static void every_number_arrives_in_its_field(void **state) {
	(void)state;
	good("ddp-fwd -- --txq 2 --rxd 3 --txd 4 --burst 512 --tx-retries 6 --mbufs 7 --idle-exit 8 "
	     "--promiscuous off --json out.json --work 1000000");
	assert_int_equal(config.n_txq, 2);
	assert_int_equal(config.n_rxd, 3);
	assert_int_equal(config.n_txd, 4);
	assert_int_equal(config.burst, 512);
	assert_int_equal(config.tx_retries, 6);
	assert_int_equal(config.n_mbufs, 7);
	assert_int_equal(config.idle_exit_ms, 8);
	assert_int_equal(config.promiscuous, 0);
	assert_int_equal(config.work_ns, 1000000);
	assert_string_equal(config.json, "out.json");
}

static void seconds_may_have_decimals(void **state) {
	(void)state;
	good("ddp-fwd -- --duration 1.5 --stats 0.25");
	assert_int_equal(config.duration_ms, 1500);
	assert_int_equal(config.stats_ms, 250);
	good("ddp-fwd -- --duration 0.0001");
	assert_int_equal(config.duration_ms, 1);
	good("ddp-fwd -- --stats 0");
	assert_int_equal(config.stats_ms, 0);
}

static void help_and_version_are_found_anywhere(void **state) {
	static const char *const lines[] = {
		"ddp-fwd --help", "ddp-fwd -h",        "ddp-fwd -l 0 --help -- --rxq 2",
		"ddp-fwd -- -h",  "ddp-fwd -- --help", "ddp-fwd -- --help --bogus",
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		good(lines[i]);
		assert_int_equal(config.help, 1);
	}
	good("ddp-fwd --version");
	assert_int_equal(config.version, 1);
	good("ddp-fwd -- --version");
	assert_int_equal(config.version, 1);
}

static void rss_fields_are_testpmds_names(void **state) {
	(void)state;
	good("ddp-fwd -- --rss-hf none");
	assert_true(config.rss_hf == 0);
	good("ddp-fwd -- --rss-hf all");
	assert_true(config.rss_hf == DDP_RSS_HF_ALL);
	good("ddp-fwd -- --rss-hf ipv4-udp+ipv4-tcp");
	assert_true(config.rss_hf != 0 && config.rss_hf != DDP_RSS_HF_ALL);
	bad("--rss-hf ipv4-udp+bogus+ip", "option --rss-hf: unknown hash field 'bogus'");
}

static void a_key_is_40_or_52_bytes(void **state) {
	char line[256] = "ddp-fwd -- --key ";
	size_t start = strlen(line);

	(void)state;
	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		snprintf(line + start + 2 * i, 3, i % 2 == 0 ? "%02x" : "%02X", 0xa0 + i);
	good(line);
	assert_ptr_equal(config.key, config.key_bytes);
	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		assert_int_equal(config.key[i], 0xa0 + i);
	bad("--key 6d5a", "option --key: 2 bytes given, a key has 40 or 52 bytes");
	bad("--key xyz", "option --key: not a byte in hexadecimal: 'xy'");
}

static void the_interval_of_balancing_may_be_left_out(void **state) {
	(void)state;
	good("ddp-fwd -- --rxq 2");
	assert_int_equal(config.balance_ms, 0);
	good("ddp-fwd -- --balance --rxq 2");
	assert_int_equal(config.balance_ms, 100);
	assert_int_equal(config.n_rxq, 2);
	good("ddp-fwd -- --balance=60000");
	assert_int_equal(config.balance_ms, 60000);
	bad("--balance=0", "option --balance: '0' is not a number from 1 to 60000");
	bad("--balance=60001", "option --balance: '60001' is not a number from 1 to 60000");
	bad("--balance=", "option --balance: '' is not a number from 1 to 60000");
	bad("--balance 20", "unexpected argument '20'");
}

static void each_mistake_has_its_line(void **state) {
	(void)state;
	bad("--rxq 0", "option --rxq: '0' is not a number from 1 to 65535");
	bad("--txq 0", "option --txq: '0' is not a number from 1 to 65535");
	bad("--rxq 65536", "option --rxq: '65536' is not a number from 1 to 65535");
	bad("--rxq 99999999999999999999999",
	    "option --rxq: '99999999999999999999999' is not a number from 1 to 65535");
	bad("--rxq -1", "option --rxq: '-1' is not a number from 1 to 65535");
	bad("--rxq 1x", "option --rxq: '1x' is not a number from 1 to 65535");
	bad("--rxq=", "option --rxq: '' is not a number from 1 to 65535");
	bad("--rxq", "option --rxq needs a value: N");
	bad("--burst 513", "option --burst: '513' is not a number from 1 to 512");
	bad("--work 1000001", "option --work: '1000001' is not a number from 0 to 1000000");
	bad("--duration soon",
	    "option --duration: 'soon' is not a number of seconds from 0 to 31536000");
	bad("--duration -1",
	    "option --duration: '-1' is not a number of seconds from 0 to 31536000");
	bad("--duration nan",
	    "option --duration: 'nan' is not a number of seconds from 0 to 31536000");
	bad("--duration 1e3",
	    "option --duration: '1e3' is not a number of seconds from 0 to 31536000");
	bad("--duration 99999999999",
	    "option --duration: '99999999999' is not a number of seconds from 0 to 31536000");
	bad("--fwd macswap", "option --fwd: 'macswap' is none of: io mac rxonly");
	bad("--topology ring", "option --topology: 'ring' is none of: paired chained loop");
	bad("--promiscuous maybe", "option --promiscuous: 'maybe' is none of: off on");
	bad("--json=", "option --json: '' is not the name of a file");
	bad("--version=1", "option --version takes no value");
	bad("--packet 3", "unknown option '--packet', did you mean '--packets'?");
	bad("--zzzzzz", "unknown option '--zzzzzz'");
	bad("-x", "unknown option '-x'");
	bad("-", "unexpected argument '-'");
	bad("-- --rxq", "unexpected argument '--rxq'");
	bad("n3.pcap", "unexpected argument 'n3.pcap'");
}

/* The file of --config */

static char file_path[] = "/tmp/ddp-fwd-config-XXXXXX";

static void file_write(const char *text, size_t size) {
	FILE *file = fopen(file_path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static int parse_with_file(const char *text, const char *rest) {
	char line[512];

	file_write(text, strlen(text));
	snprintf(line, sizeof(line), "ddp-fwd --config %s %s", file_path, rest);
	return parse(line);
}

static void file_good(const char *text, const char *rest) {
	if (parse_with_file(text, rest) != 0)
		fail_msg("%s", error.text);
}

static void file_bad(const char *text, unsigned int line, const char *complaint) {
	char expected[512];

	snprintf(expected, sizeof(expected), "%s:%u: %s", file_path, line, complaint);
	assert_int_equal(parse_with_file(text, ""), -1);
	assert_int_equal(error.code, EXIT_USAGE);
	assert_string_equal(error.text, expected);
}

static void args_are(const char *expected) {
	char line[512] = "";

	for (unsigned int i = 0; i < config.n_eal_args; i++) {
		strcat(line, i > 0 ? " " : "");
		strcat(line, config.eal_args[i]);
	}
	assert_null(config.eal_args[config.n_eal_args]);
	assert_string_equal(line, expected);
}

static void a_file_has_options_and_arguments_of_eal(void **state) {
	(void)state;
	file_good("# comment\n\n  rxq\t4  \r\n-l 0-2\n--no-huge\nfwd rxonly", "");
	assert_int_equal(config.n_rxq, 4);
	assert_int_equal(config.n_txq, 4);
	assert_int_equal(config.mode, MODE_RXONLY);
	args_are("ddp-fwd -l 0-2 --no-huge");
}

// A value goes to the end of its line: devargs may have blanks and commas.
static void a_value_of_a_file_may_have_blanks(void **state) {
	(void)state;
	file_good("json a file\n--vdev net_ddp0,dev(net_null0), x=1", "");
	assert_string_equal(config.json, "a file");
	assert_int_equal(config.n_eal_args, 3);
	assert_string_equal(config.eal_args[2], "net_ddp0,dev(net_null0), x=1");
}

static void the_command_line_comes_after_the_file(void **state) {
	(void)state;
	file_good("rxq 4\nburst 8\n-l 0-2\n-m 512\n--vdev net_null0",
		  "-l 3 --vdev=net_null1 -- --rxq 2");
	assert_int_equal(config.n_rxq, 2);
	assert_int_equal(config.burst, 8);
	args_are("ddp-fwd -m 512 --vdev net_null0 -l 3 --vdev=net_null1");
}

static void errors_of_a_file_say_where(void **state) {
	(void)state;
	file_bad("rxq 1\nrxqs 4\n", 2, "unknown option 'rxqs', did you mean 'rxq'?");
	file_bad("\nrxq\n", 2, "option --rxq needs a value: N");
	file_bad("check-config\n", 1, "'check-config' is for the command line only");
	file_bad("config /dev/stdin\n", 1, "'config' is for the command line only");
	file_bad("--rxq 4\n", 1, "'--rxq' is no option of EAL: write it without dashes");
	file_bad("# x\n--\n", 2, "'--' is no option");
}

static void hostile_files_are_refused(void **state) {
	const size_t size = CONFIG_FILE_MAX + 1;
	char *text = malloc(size), line[512];

	(void)state;
	assert_non_null(text);
	snprintf(line, sizeof(line), "ddp-fwd --config=%s", file_path);
	file_write("rxq 4\nfwd\0 mac\n", 15);
	assert_int_equal(parse(line), -1);
	assert_non_null(strstr(error.text, ":2: the line has a NUL byte"));
	memset(text, 'x', size);
	file_write(text, size);
	assert_int_equal(parse(line), -1);
	assert_non_null(strstr(error.text, "at most 1048576 bytes"));
	file_write(text, size - 1);
	assert_int_equal(parse(line), -1);
	assert_non_null(strstr(error.text, ":1: unknown option 'xxx"));
	memset(text, '\n', size);
	file_write(text, size - 1);
	assert_int_equal(parse(line), 0);
	assert_int_equal(parse("ddp-fwd --config /no/such/file"), -1);
	assert_int_equal(error.code, EXIT_UNREADABLE);
	assert_int_equal(parse("ddp-fwd --config"), -1);
	assert_int_equal(error.code, EXIT_USAGE);
	free(text);
}

static int file_make(void **state) {
	int fd = mkstemp(file_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int file_remove(void **state) {
	(void)state;
	config_fini(&config);
	return unlink(file_path);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_options_give_the_defaults),
		cmocka_unit_test(options_are_those_behind_two_dashes),
		cmocka_unit_test(every_number_arrives_in_its_field),
		cmocka_unit_test(seconds_may_have_decimals),
		cmocka_unit_test(help_and_version_are_found_anywhere),
		cmocka_unit_test(rss_fields_are_testpmds_names),
		cmocka_unit_test(a_key_is_40_or_52_bytes),
		cmocka_unit_test(the_interval_of_balancing_may_be_left_out),
		cmocka_unit_test(each_mistake_has_its_line),
		cmocka_unit_test(a_file_has_options_and_arguments_of_eal),
		cmocka_unit_test(a_value_of_a_file_may_have_blanks),
		cmocka_unit_test(the_command_line_comes_after_the_file),
		cmocka_unit_test(errors_of_a_file_say_where),
		cmocka_unit_test(hostile_files_are_refused),
	};

	return cmocka_run_group_tests(tests, file_make, file_remove);
}
