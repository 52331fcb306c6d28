/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

const char *const mode_names[] = {
	[MODE_IO] = "io",
	[MODE_MAC] = "mac",
	[MODE_RXONLY] = "rxonly",
	NULL,
};

static const char *const topology_names[] = {
	[TOPOLOGY_PAIRED] = "paired",
	[TOPOLOGY_CHAINED] = "chained",
	[TOPOLOGY_LOOP] = "loop",
	NULL,
};

static const char *const off_on[] = {"off", "on", NULL};

#define SECONDS_MAX 31536000 // a year

static uint64_t *option_number(const struct option_desc *option, struct config *config) {
	return (uint64_t *)((char *)config + option->off);
}

static int parse_flag(const struct option_desc *option, const char *value, struct config *config,
		      struct error *error) {
	(void)value;
	(void)error;
	*option_number(option, config) = 1;
	return 0;
}

static int parse_number(const struct option_desc *option, const char *value, struct config *config,
			struct error *error) {
	uint64_t n;

	// strtoull() would take a sign and leading blanks.
	if (value[0] == '\0' || value[strspn(value, "0123456789")] != '\0')
		return error_set(error, EXIT_USAGE, "--%s: '%s' is not a whole number",
				 option->name, value);
	errno = 0;
	n = strtoull(value, NULL, 10);
	if (errno != 0 || n < option->min || n > option->max)
		return error_set(error, EXIT_USAGE,
				 "--%s: %s is out of range (%" PRIu64 " to %" PRIu64 ")",
				 option->name, value, option->min, option->max);
	*option_number(option, config) = n;
	return 0;
}

// Seconds with decimals, kept as milliseconds; what is not 0 stays so.
static int parse_seconds(const struct option_desc *option, const char *value, struct config *config,
			 struct error *error) {
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end != '\0' || value[strspn(value, "0123456789.")] != '\0')
		return error_set(error, EXIT_USAGE, "--%s: '%s' is not a number of seconds",
				 option->name, value);
	if (seconds > SECONDS_MAX)
		return error_set(error, EXIT_USAGE, "--%s: %s is out of range (0 to %d)",
				 option->name, value, SECONDS_MAX);
	*option_number(option, config) = ceil(seconds * 1000);
	return 0;
}

static int parse_choice(const struct option_desc *option, const char *value, struct config *config,
			struct error *error) {
	for (unsigned int i = 0; option->choices[i] != NULL; i++) {
		if (strcmp(value, option->choices[i]) == 0) {
			*option_number(option, config) = i;
			return 0;
		}
	}
	return error_set(error, EXIT_USAGE, "--%s: unknown value '%s' (%s)", option->name, value,
			 option->arg);
}

static int parse_rss_hf(const struct option_desc *option, const char *value, struct config *config,
			struct error *error) {
	const char *unknown = value;
	size_t len = strlen(value);

	if (ddp_rss_hf_parse(value, &config->rss_hf, &unknown, &len) < 0)
		return error_set(error, EXIT_USAGE, "--%s: unknown value '%.*s'", option->name,
				 (int)len, unknown);
	return 0;
}

static unsigned int hex_digit(char c) {
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static int parse_key(const struct option_desc *option, const char *value, struct config *config,
		     struct error *error) {
	size_t n_digits = strspn(value, "0123456789abcdefABCDEF");

	if (value[n_digits] != '\0' || n_digits != 2 * DDP_KEY_SIZE)
		return error_set(error, EXIT_USAGE, "--%s: '%s' is not %d bytes in hexadecimal",
				 option->name, value, DDP_KEY_SIZE);
	for (unsigned int i = 0; i < DDP_KEY_SIZE; i++)
		config->key_bytes[i] = hex_digit(value[2 * i]) << 4 | hex_digit(value[2 * i + 1]);
	config->key = config->key_bytes;
	return 0;
}

static int parse_json(const struct option_desc *option, const char *value, struct config *config,
		      struct error *error) {
	if (value[0] == '\0')
		return error_set(error, EXIT_USAGE, "--%s: no file name", option->name);
	config->json = value;
	return 0;
}

#define FIELD(field) .off = offsetof(struct config, field)
#define NUMBER(field, least, most) parse_number, FIELD(field), .min = least, .max = most
#define SECONDS(field) parse_seconds, FIELD(field)
#define CHOICE(field, names) parse_choice, FIELD(field), .choices = names
#define FLAG(field) parse_flag, FIELD(field)

const struct option_desc option_table[] = {
	{"rxq", "N", "Rx queues of each port (default 1)", NUMBER(n_rxq, 1, UINT16_MAX)},
	{"txq", "N", "Tx queues of each port (default: as many as Rx queues)",
	 NUMBER(n_txq, 1, UINT16_MAX)},
	{"rxd", "N", "descriptors of an Rx queue (default 1024)", NUMBER(n_rxd, 1, UINT16_MAX)},
	{"txd", "N", "descriptors of a Tx queue (default 1024)", NUMBER(n_txd, 1, UINT16_MAX)},
	{"burst", "N", "packets received at once, at most 512 (default 32)",
	 NUMBER(burst, 1, BURST_MAX)},
	{"fwd", "io|mac|rxonly",
	 "forward unchanged, with new Ethernet addresses, or only receive (default io)",
	 CHOICE(mode, mode_names)},
	{"topology", "paired|chained|loop",
	 "which port sends the packets of a port (default paired)", CHOICE(topology, topology_names)},
	{"tx-retries", "N", "further attempts to send what a Tx queue refused (default 4)",
	 NUMBER(tx_retries, 0, 1000000)},
	{"rss-hf", "LIST", "RSS types by testpmd's names, joined by '+', or none (default all)",
	 parse_rss_hf, FIELD(rss_hf)},
	{"key", "HEX", "RSS key of 52 bytes (default: the device's)", parse_key, FIELD(key)},
	{"promiscuous", "on|off", "receive packets for any address (default on)",
	 CHOICE(promiscuous, off_on)},
	{"mbufs", "N", "packet buffers (default: enough for all queues)",
	 NUMBER(n_mbufs, 1, INT32_MAX)},
	{"duration", "SECONDS", "stop after this time", SECONDS(duration_ms)},
	{"packets", "N", "stop after this number of received packets", NUMBER(packets, 0, INT64_MAX)},
	{"idle-exit", "MS",
	 "stop after this time without a packet, 0 never (default 200 if all ports play captures once)",
	 NUMBER(idle_exit_ms, 0, SECONDS_MAX * 1000ull)},
	{"stats", "SECONDS", "interval of the live table, 0 for none (default 1 on a terminal)",
	 SECONDS(stats_ms)},
	{"json", "FILE", "write the report to FILE, - is standard output", parse_json, FIELD(json)},
	{"help", NULL, "show this text", FLAG(help)},
	{"version", NULL, "show the version", FLAG(version)},
};
const unsigned int n_options = sizeof(option_table) / sizeof(option_table[0]);

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
	.promiscuous = 1,
	.n_mbufs = CONFIG_AUTO,
	.idle_exit_ms = CONFIG_AUTO,
	.stats_ms = CONFIG_AUTO,
};

static const struct option_desc *option_find(const char *name, size_t len) {
	for (unsigned int i = 0; i < n_options; i++)
		if (strlen(option_table[i].name) == len &&
		    memcmp(option_table[i].name, name, len) == 0)
			return &option_table[i];
	return NULL;
}

static int option_unknown(const char *arg, size_t name_len, struct error *error) {
	const char *names[sizeof(option_table) / sizeof(option_table[0])];
	char name[64];
	const char *meant;

	for (unsigned int i = 0; i < n_options; i++)
		names[i] = option_table[i].name;
	snprintf(name, sizeof(name), "%.*s", (int)name_len, arg + 2);
	meant = ddp_nearest(name, names, n_options);
	if (meant == NULL)
		return error_set(error, EXIT_USAGE, "unknown option '%s': see --help", arg);
	return error_set(error, EXIT_USAGE, "unknown option '%s': did you mean '--%s'?", arg, meant);
}

// Read the option at argv[*i] and leave *i at the last argument it takes.
static int option_parse(struct config *config, int argc, char *const *argv, int *i,
			struct error *error) {
	const char *arg = strcmp(argv[*i], "-h") == 0 ? "--help" : argv[*i];
	const struct option_desc *option;
	const char *value;
	size_t name_len;

	if (arg[0] != '-')
		return error_set(error, EXIT_USAGE, "unexpected argument '%s': see --help", arg);
	if (strncmp(arg, "--", 2) != 0 || arg[2] == '\0')
		return error_set(error, EXIT_USAGE, "unknown option '%s': see --help", arg);
	name_len = strcspn(arg + 2, "=");
	option = option_find(arg + 2, name_len);
	if (option == NULL)
		return option_unknown(arg, name_len, error);
	value = arg[2 + name_len] == '=' ? arg + 2 + name_len + 1 : NULL;
	if (option->arg == NULL && value != NULL)
		return error_set(error, EXIT_USAGE, "--%s takes no value", option->name);
	if (option->arg != NULL && value == NULL) {
		if (*i + 1 == argc)
			return error_set(error, EXIT_USAGE, "--%s: no value given", option->name);
		value = argv[++*i];
	}
	return option->parse(option, value, config, error);
}

// What EAL would not know, or would answer without us.
static void eal_option_parse(struct config *config, const char *arg) {
	if (strcmp(arg, "-h") == 0 || strcmp(arg, "--help") == 0)
		config->help = 1;
	else if (strcmp(arg, "--version") == 0)
		config->version = 1;
}

int config_parse(struct config *config, int argc, char *const *argv, struct error *error) {
	int i;

	*config = defaults;
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		eal_option_parse(config, argv[i]);
	for (i++; i < argc && config->help == 0 && config->version == 0; i++)
		if (option_parse(config, argc, argv, &i, error) < 0)
			return -1;
	if (config->n_txq == CONFIG_AUTO)
		config->n_txq = config->n_rxq;
	return 0;
}

void config_help(FILE *out) {
	fputs("usage: ddp-fwd [EAL options] -- [options]\n"
	      "\n"
	      "Forward packets between DPDK ports, and measure how they spread over queues and how "
	      "long they take.\n"
	      "\n"
	      "  ddp-fwd --no-huge -m 1024 -l 0,1 \\\n"
	      "    --vdev 'net_ddp0,dev(net_pcap0,rx_pcap=n3.pcap),profile=gtpu' -- --rxq 16 --fwd "
	      "rxonly\n"
	      "\n"
	      "options:\n",
	      out);
	for (unsigned int i = 0; i < n_options; i++) {
		const struct option_desc *option = &option_table[i];
		char left[48];

		snprintf(left, sizeof(left), "--%s %s", option->name,
			 option->arg == NULL ? "" : option->arg);
		fprintf(out, "  %-31s %s\n", left, option->help);
	}
}
