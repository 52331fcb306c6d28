/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include "fwd/config.h"

#define ARGS_MAX 32

static struct config config;
static struct error error;

// Parse a line of words.
static int parse(const char *line) {
	static char words[1024];
	static char *argv[ARGS_MAX + 1];
	int argc = 0;

	memset(&error, 0, sizeof(error));
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
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

TEST(no_options_give_the_defaults) {
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

TEST(options_are_those_behind_two_dashes) {
	good("ddp-fwd -l 0,1 --rxq 7 --bogus -- --rxq 16 --fwd=rxonly --topology chained --packets 10");
	assert_int_equal(config.n_eal_args, 6);
	assert_string_equal(config.eal_args[5], "--bogus");
	assert_null(config.eal_args[6]);
	assert_int_equal(config.n_rxq, 16);
	assert_int_equal(config.n_txq, 16);
	assert_int_equal(config.mode, MODE_RXONLY);
	assert_int_equal(config.topology, TOPOLOGY_CHAINED);
	assert_int_equal(config.packets, 10);
}

TEST(every_number_arrives_in_its_field) {
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

TEST(seconds_may_have_decimals) {
	good("ddp-fwd -- --duration 1.5 --stats 0.25");
	assert_int_equal(config.duration_ms, 1500);
	assert_int_equal(config.stats_ms, 250);
	good("ddp-fwd -- --duration 0.0001");
	assert_int_equal(config.duration_ms, 1);
	good("ddp-fwd -- --stats 0");
	assert_int_equal(config.stats_ms, 0);
}

TEST(help_and_version_are_found_anywhere) {
	static const char *const lines[] = {
		"ddp-fwd --help", "ddp-fwd -h",        "ddp-fwd -l 0 --help -- --rxq 2",
		"ddp-fwd -- -h",  "ddp-fwd -- --help", "ddp-fwd -- --help --bogus",
	};

	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		good(lines[i]);
		assert_int_equal(config.help, 1);
	}
	good("ddp-fwd --version");
	assert_int_equal(config.version, 1);
	good("ddp-fwd -- --version");
	assert_int_equal(config.version, 1);
}

TEST(rss_fields_are_testpmds_names) {
	good("ddp-fwd -- --rss-hf none");
	assert_true(config.rss_hf == 0);
	good("ddp-fwd -- --rss-hf all");
	assert_true(config.rss_hf == DDP_RSS_HF_ALL);
	good("ddp-fwd -- --rss-hf ipv4-udp+ipv4-tcp");
	assert_true(config.rss_hf != 0 && config.rss_hf != DDP_RSS_HF_ALL);
	bad("--rss-hf ipv4-udp+bogus+ip", "option --rss-hf: unknown hash field 'bogus'");
}

TEST(a_key_is_40_or_52_bytes) {
	char line[256] = "ddp-fwd -- --key ";
	size_t start = strlen(line);

	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		snprintf(line + start + 2 * i, 3, i % 2 == 0 ? "%02x" : "%02X", 0xa0 + i);
	good(line);
	assert_ptr_equal(config.key, config.key_bytes);
	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		assert_int_equal(config.key[i], 0xa0 + i);
	bad("--key 6d5a", "option --key: 2 bytes given, a key has 40 or 52 bytes");
}

TEST(the_interval_of_balancing_may_be_left_out) {
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

TEST(each_mistake_has_its_line) {
	bad("--rxq 0", "option --rxq: '0' is not a number from 1 to 65535");
	bad("--rxq 65536", "option --rxq: '65536' is not a number from 1 to 65535");
	bad("--burst 513", "option --burst: '513' is not a number from 1 to 512");
	bad("--work 1000001", "option --work: '1000001' is not a number from 0 to 1000000");
	bad("--duration soon",
	    "option --duration: 'soon' is not a number of seconds from 0 to 31536000");
	bad("--duration -1",
	    "option --duration: '-1' is not a number of seconds from 0 to 31536000");
	bad("--duration 99999999999",
	    "option --duration: '99999999999' is not a number of seconds from 0 to 31536000");
	bad("--fwd macswap", "option --fwd: 'macswap' is none of: io mac rxonly");
	bad("--topology ring", "option --topology: 'ring' is none of: paired chained loop");
	bad("--promiscuous maybe", "option --promiscuous: 'maybe' is none of: off on");
	bad("--json=", "option --json: '' is not the name of a file");
	bad("--packet 3", "unknown option '--packet', did you mean '--packets'?");
	bad("-", "unexpected argument '-'");
	bad("-- --rxq", "unexpected argument '--rxq'");
	bad("n3.pcap", "unexpected argument 'n3.pcap'");
}
