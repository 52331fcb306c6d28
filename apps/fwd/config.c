/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "common/output.h"
#include "rss/balancer.h"

const char *const mode_names[] = {
	[MODE_IO] = "io",
	[MODE_MAC] = "mac",
	[MODE_RXONLY] = "rxonly",
	NULL,
};

static const char *mode_choice(unsigned int i) {
	return mode_names[i];
}

static const char *topology_choice(unsigned int i) {
	static const char *const names[] = {
		[TOPOLOGY_PAIRED] = "paired",
		[TOPOLOGY_CHAINED] = "chained",
		[TOPOLOGY_LOOP] = "loop",
		NULL,
	};

	return names[i];
}

static const char *off_on_choice(unsigned int i) {
	static const char *const names[] = {"off", "on", NULL};

	return names[i];
}

static int key_parse(const struct option_row *row, const char *value, void *options,
		     char error[OPTION_ERROR_SIZE]) {
	struct config *config = options;

	config->key = config->key_bytes;
	return option_key(row, value, options, error);
}

static int balance_parse(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	struct config *config = options;

	if (value != NULL)
		return option_number(row, value, options, error);
	config->balance_ms = DDP_BALANCER_MS;
	return 0;
}

#define SECONDS_MAX 31536000 // s: a year

// strtod() would accept a sign, an exponent and more.
static int seconds_parse(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	if (value[strspn(value, "0123456789.")] != '\0')
		return -EINVAL;
	return option_seconds(row, value, options, error);
}

#define FIELD(field) OPTION_FIELD(struct config, field)
#define FLAG(field) OPTION_FLAG(struct config, field)
#define NUMBER(field, least, most) option_number, FIELD(field), .min = least, .max = most
#define SECONDS(field)                                                       \
	seconds_parse, FIELD(field), .per_second = 1000, .max = SECONDS_MAX, \
				     .what = "a number of seconds from 0 to 31536000"
#define CHOICE(field, words) option_choice, FIELD(field), .choice = words

const struct option_row config_options[] = {
	{"rxq", 0, "N", "Rx queues of each port (default 1)", NUMBER(n_rxq, 1, UINT16_MAX)},
	{"txq", 0, "N", "Tx queues of each port (default: as many as Rx queues)",
	 NUMBER(n_txq, 1, UINT16_MAX)},
	{"rxd", 0, "N", "descriptors of an Rx queue (default 1024)", NUMBER(n_rxd, 1, UINT16_MAX)},
	{"txd", 0, "N", "descriptors of a Tx queue (default 1024)", NUMBER(n_txd, 1, UINT16_MAX)},
	{"burst", 0, "N", "packets received at once, at most 512 (default 32)",
	 NUMBER(burst, 1, BURST_MAX)},
	{"fwd", 0, "MODE",
	 "forward unchanged, with new Ethernet addresses, or only receive (default io)",
	 CHOICE(mode, mode_choice)},
	{"topology", 0, "NAME", "which port sends the packets of a port (default paired)",
	 CHOICE(topology, topology_choice)},
	{"tx-retries", 0, "N", "further attempts to send what a Tx queue refused (default 4)",
	 NUMBER(tx_retries, 0, 100000000)},
	{"balance", 0, "[MS]",
	 "move entries of the redirection tables of net_ddp to even out the queues, every MS milliseconds (default 100)",
	 balance_parse, FIELD(balance_ms), .min = 1, .max = 60000},
	{"work", 0, "NS", "nanoseconds of busy work on each packet, from 0 to 1000000 (default 0)",
	 NUMBER(work_ns, 0, 1000000)},
	{"rss-hf", 0, "LIST", "RSS types by testpmd's names, joined by '+', or none (default all)",
	 option_rss_hf, FIELD(rss_hf)},
	{"key", 0, "HEX", "RSS key of 40 or 52 bytes (default: the device's)", key_parse,
	 FIELD(key_bytes)},
	{"promiscuous", 0, "SWITCH", "receive packets for any address (default on)",
	 CHOICE(promiscuous, off_on_choice)},
	{"mbufs", 0, "N", "packet buffers (default: enough for all queues)",
	 NUMBER(n_mbufs, 1, INT32_MAX)},
	{"duration", 0, "SECONDS", "stop after this time", SECONDS(duration_ms)},
	{"packets", 0, "N", "stop after this number of received packets",
	 NUMBER(packets, 0, (double)INT64_MAX)},
	{"idle-exit", 0, "MS",
	 "stop after this time without a packet, 0 never (default 200 if all ports play captures once)",
	 NUMBER(idle_exit_ms, 0, SECONDS_MAX * 1000ull)},
	{"stats", 0, "SECONDS", "interval of the live table, 0 for none (default 1 on a terminal)",
	 SECONDS(stats_ms)},
	{"json", 0, "FILE", "write the report to FILE, - is standard output", option_text,
	 FIELD(json), .min = 1, .what = "the name of a file"},
	{"help", 'h', NULL, "show this text", FLAG(help), .ends = true},
	{"version", 0, NULL, "show the version", FLAG(version), .ends = true},
};
const unsigned int n_config_options = sizeof(config_options) / sizeof(config_options[0]);

static const struct config defaults = {
	.n_rxq = 1,
	.n_txq = CONFIG_AUTO,
	.n_rxd = 1024,
	.n_txd = 1024,
	.burst = 32,
	.mode = MODE_IO,
	.topology = TOPOLOGY_PAIRED,
	.tx_retries = 4,
	.rss_hf = DDP_RSS_HF_ALL,
	.promiscuous = true,
	.n_mbufs = CONFIG_AUTO,
	.idle_exit_ms = CONFIG_AUTO,
	.stats_ms = CONFIG_AUTO,
};

static int options_parse(struct config *config, int argc, char **argv, struct error *error) {
	char reason[OPTION_ERROR_SIZE];
	int n;

	if (argc == 0 || config->help || config->version)
		return 0;
	n = options_read(config_options, n_config_options, argc, (const char **)argv, config,
			 reason);
	if (n > 0 && !config->help && !config->version)
		n = option_fail(reason, "unexpected argument '%s'", argv[1]);
	if (n < 0)
		return error_set(error, EXIT_USAGE, "%s (try 'ddp-fwd --help')", reason);
	return 0;
}

int config_parse(struct config *config, int argc, char **argv, struct error *error) {
	int n_eal = 0;

	*config = defaults;
	if (argc == 0)
		return error_set(error, EXIT_USAGE, "there is no name of the program");
	// Find --help and --version before EAL does.
	for (; n_eal < argc && strcmp(argv[n_eal], "--") != 0; n_eal++) {
		config->help |=
			strcmp(argv[n_eal], "-h") == 0 || strcmp(argv[n_eal], "--help") == 0;
		config->version |= strcmp(argv[n_eal], "--version") == 0;
	}
	if (options_parse(config, argc - n_eal, argv + n_eal, error) < 0)
		return -1;
	argv[n_eal] = NULL;
	config->eal_args = argv;
	config->n_eal_args = n_eal;
	if (config->n_txq == CONFIG_AUTO)
		config->n_txq = config->n_rxq;
	return 0;
}

void config_help(struct output *out) {
	output_text(out,
		    "usage: ddp-fwd [EAL options] [-- [options]]\n"
		    "\n"
		    "Forward packets between DPDK ports, and measure how they spread over queues\n"
		    "and how long they take.\n"
		    "\n"
		    "  ddp-fwd --no-huge -m 1024 -l 0,1 \\\n"
		    "    --vdev 'net_ddp0,dev(net_pcap0,rx_pcap=n3.pcap),profile=gtpu' -- --rxq 16 "
		    "--fwd rxonly\n"
		    "\n"
		    "options:\n");
	options_help(config_options, n_config_options, out);
}
