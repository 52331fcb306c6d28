/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fwd/config.h"
#include "fwd/counts.h"
#include "fwd/log.h"
#include "man_page.h"
#include "unit.h"

#define ARGS_MAX 32

static struct config config;
static struct error error;

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

static void bad(const char *options, const char *complaint) {
	char line[512], expected[512];

	snprintf(line, sizeof(line), "ddp-fwd -- %s", options);
	snprintf(expected, sizeof(expected), "%s (try 'ddp-fwd --help')", complaint);
	assert_int_equal(parse(line), -1);
	assert_int_equal(error.code, EXIT_USAGE);
	assert_string_equal(error.text, expected);
}

// Queues, descriptors, burst; retries, packets, work; mode, topology, promiscuous.
static void numbers_are(const char *expected) {
	char text[200];

	snprintf(text, sizeof(text), "%lu %lu, %lu %lu, %lu; %lu, %lu, %lu; %s, %d, %d",
		 config.n_rxq, config.n_txq, config.n_rxd, config.n_txd, config.burst,
		 config.tx_retries, config.packets, config.work_ns, mode_names[config.mode],
		 config.topology, config.promiscuous);
	assert_string_equal(text, expected);
}

TEST(no_options_give_the_defaults) {
	good("ddp-fwd");
	numbers_are("1 1, 1024 1024, 32; 4, 0, 0; io, 0, 1");
	assert_true(config.rss_hf == DDP_RSS_HF_ALL);
	assert_true(config.idle_exit_ms == CONFIG_AUTO && config.stats_ms == CONFIG_AUTO &&
		    config.n_mbufs == CONFIG_AUTO);
	assert_null(config.key);
	assert_null(config.json);
}

TEST(options_are_those_behind_two_dashes) {
	good("ddp-fwd -l 0,1 --rxq 7 --bogus -- --rxq 16 --fwd=rxonly --topology chained --packets 10");
	assert_int_equal(config.n_eal_args, 6);
	assert_string_equal(config.eal_args[5], "--bogus");
	assert_null(config.eal_args[6]);
	numbers_are("16 16, 1024 1024, 32; 4, 10, 0; rxonly, 1, 1");
}

TEST(every_number_arrives_in_its_field) {
	good("ddp-fwd -- --txq 2 --rxd 3 --txd 4 --burst 512 --tx-retries 6 --mbufs 7 --idle-exit 8 "
	     "--promiscuous off --json out.json --work 1000000");
	numbers_are("1 2, 3 4, 512; 6, 0, 1000000; io, 0, 0");
	assert_int_equal(config.n_mbufs, 7);
	assert_int_equal(config.idle_exit_ms, 8);
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
		"ddp-fwd --help", "ddp-fwd -h",        "ddp-fwd -l 0 --help -- --rxq 0",
		"ddp-fwd -- -h",  "ddp-fwd -- --help", "ddp-fwd -- --help --bogus",
	};

	for (unsigned int i = 0; i < COUNT(lines); i++) {
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

TEST(each_port_has_its_peer) {
	static const struct {
		enum topology topology;
		unsigned int n, peers[4];
	} rows[] = {
		{TOPOLOGY_PAIRED, 4, {1, 0, 3, 2}}, {TOPOLOGY_PAIRED, 1, {0}},
		{TOPOLOGY_PAIRED, 3, {1, 0, 2}},    {TOPOLOGY_CHAINED, 1, {0}},
		{TOPOLOGY_CHAINED, 3, {1, 2, 0}},   {TOPOLOGY_LOOP, 3, {0, 1, 2}},
	};

	for (unsigned int r = 0; r < COUNT(rows); r++)
		for (unsigned int i = 0; i < rows[r].n; i++)
			assert_int_equal(topology_peer(rows[r].topology, i, rows[r].n),
					 rows[r].peers[i]);
}

TEST(queues_keep_their_number_where_there_are_enough) {
	for (unsigned int n_workers = 1; n_workers < 9; n_workers++)
		for (unsigned int q = 0; q < 16; q++)
			assert_int_equal(topology_tx_queue(q, 16, n_workers), q);
}

TEST(a_tx_queue_has_one_worker) {
	for (unsigned int n_workers = 1; n_workers < 9; n_workers++)
		for (unsigned int n_txq = n_workers; n_txq < 20; n_txq++)
			for (unsigned int q = 0; q < 40; q++) {
				unsigned int t = topology_tx_queue(q, n_txq, n_workers);

				assert_true(t < n_txq);
				assert_int_equal(t % n_workers, topology_worker(q, n_workers));
			}
}

TEST(fewer_tx_queues_are_all_used) {
	bool used[4] = {false};

	for (unsigned int q = 0; q < 16; q++)
		used[topology_tx_queue(q, 4, 2)] = true;
	for (unsigned int t = 0; t < 4; t++)
		assert_true(used[t]);
}

// The manual page says what the tables say: nothing missing, nothing left over.
TEST(the_page_has_each_option) {
	page_has_options(FWD_MAN_PAGE, config_options, n_config_options);
}

TEST(the_page_has_each_drop_reason) {
	static const char *const entries[] = {
#define DROP_ENTRY(constant, name, meaning) "\\fB" name "\\fR: " meaning,
		DROP_REASONS(DROP_ENTRY)
#undef DROP_ENTRY
	};
	char *page = page_read(FWD_MAN_PAGE);

	for (unsigned int i = 0; i < N_DROP_REASONS; i++)
		page_contains(page, entries[i]);
}

// A manager that hears no READY=1 ends the service. Its name may be an abstract one.
TEST(a_service_manager_with_an_abstract_name_is_notified) {
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char name[40], said[16];
	int len = snprintf(name, sizeof(name), "@ddp-fwd-%d", (int)getpid());

	memcpy(address.sun_path + 1, name + 1, len - 1);
	assert_int_equal(
		bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + len),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
	service_notify("READY=%d", 1);
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(recv(fd, said, sizeof(said), MSG_DONTWAIT), 7);
	assert_memory_equal(said, "READY=1", 7);
	close(fd);
}
