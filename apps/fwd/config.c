/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "common/output.h"

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

#define BALANCE_MS 100 // unless told; as net_ddp's

static int balance_parse(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	struct config *config = options;

	if (value != NULL)
		return option_number(row, value, options, error);
	config->balance_ms = BALANCE_MS;
	return 0;
}

#define SECONDS_MAX 31536000 // a year

// strtod() would take a sign, an exponent and more.
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
	 "move entries of the redirection tables to even out the queues, every MS milliseconds (default 100)",
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
	{"config", 0, "FILE", "read options from FILE, those of the command line come after",
	 option_text, FIELD(config_file), .min = 1, .what = "the name of a file"},
	{"check-config", 0, NULL, "check options, captures and profiles, and forward nothing",
	 FLAG(check_config)},
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

static int usage_error(struct error *error, const char *reason) {
	return error_set(error, EXIT_USAGE, "%s (try 'ddp-fwd --help')", reason);
}

static int eal_arg_add(struct config *config, const char *arg, struct error *error) {
	const char **args = config->eal_args;

	args = reallocarray(args, config->n_eal_args + 2, sizeof(*args));
	if (args == NULL)
		return error_set(error, EXIT_FAILED, "out of memory");
	args[config->n_eal_args++] = arg;
	args[config->n_eal_args] = NULL;
	config->eal_args = args;
	return 0;
}

// What stands before "--" and is not EAL's. EAL would not know it, or would answer without us.
// Returns how many words it has, 0 for EAL's, or -1 with error.
static int own_arg_read(struct config *config, char *const *args, struct error *error) {
	static const char name[] = "--config";
	size_t len = strlen(name);

	config->help |= strcmp(args[0], "-h") == 0 || strcmp(args[0], "--help") == 0;
	config->version |= strcmp(args[0], "--version") == 0;
	if (strcmp(args[0], "--check-config") == 0) {
		config->check_config = true;
		return 1;
	}
	if (strncmp(args[0], name, len) != 0 || (args[0][len] != '\0' && args[0][len] != '='))
		return 0;
	config->config_file = args[0][len] == '=' ? args[0] + len + 1 : args[1];
	if (config->config_file == NULL || config->config_file[0] == '\0' ||
	    strcmp(config->config_file, "--") == 0)
		return usage_error(error, "option --config needs a value: FILE");
	return args[0][len] == '=' ? 1 : 2;
}

// The command line before "--": n arguments, of which n_eal are moved to the front of args.
static int own_args_read(struct config *config, char **args, unsigned int n, unsigned int *n_eal,
			 struct error *error) {
	*n_eal = 0;
	for (unsigned int i = 0; i < n;) {
		int n_words = own_arg_read(config, args + i, error);

		if (n_words < 0)
			return -1;
		if (n_words == 0)
			args[(*n_eal)++] = args[i++];
		i += n_words;
	}
	return 0;
}

// The command line from "--" on.
static int options_parse(struct config *config, int argc, char **argv, struct error *error) {
	char reason[OPTION_ERROR_SIZE];
	int n;

	if (argc == 0 || config->help || config->version)
		return 0;
	n = options_read(config_options, n_config_options, argc, (const char **)argv, config,
			 reason);
	if (n > 0 && !config->help && !config->version)
		n = option_fail(reason, "unexpected argument '%s'", argv[1]);
	return n < 0 ? usage_error(error, reason) : 0;
}

// How long the name of an EAL option is: "-l" of "-l0-3", "--vdev" of "--vdev=net_null0".
static size_t eal_name_len(const char *arg) {
	return arg[1] == '-' ? strcspn(arg, "=") : RTE_MIN(strlen(arg), 2u);
}

// EAL's options that may stand several times. Others EAL takes once, or takes the last.
static bool eal_arg_repeats(const char *arg) {
	static const char *const names[] = {"-a", "--allow", "-b",      "--block",
					    "-d", "--vdev",  "--trace", "--log-level"};

	for (unsigned int i = 0; i < RTE_DIM(names); i++)
		if (strlen(names[i]) == eal_name_len(arg) &&
		    strncmp(names[i], arg, eal_name_len(arg)) == 0)
			return true;
	return false;
}

// Whether the command line's n arguments of EAL take the place of the file's.
static bool eal_arg_replaced(const char *arg, char *const *args, unsigned int n) {
	if (eal_arg_repeats(arg))
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (args[i][0] == '-' && eal_name_len(args[i]) == eal_name_len(arg) &&
		    strncmp(args[i], arg, eal_name_len(arg)) == 0)
			return true;
	return false;
}

// Whether name, perhaps with a value behind '=', is this word.
static bool name_is(const char *name, const char *word) {
	return strlen(word) == strcspn(name, "=") && strncmp(name, word, strlen(word)) == 0;
}

// Options that say what to do with the others, or instead of them.
static bool is_for_the_command_line(const char *name) {
	return name_is(name, "config") || name_is(name, "check-config") || name_is(name, "help") ||
	       name_is(name, "h") || name_is(name, "version");
}

static bool is_own(const char *name) {
	for (unsigned int i = 0; i < n_config_options; i++)
		if (name_is(name, config_options[i].name))
			return true;
	return false;
}

// EAL's arguments stand as on the command line, so that they can be told from ours.
static int file_eal_arg(struct config *config, const struct config_line *line, char *const *args,
			unsigned int n, struct error *error) {
	if (eal_arg_replaced(line->name, args, n))
		return 0;
	if (eal_arg_add(config, line->name, error) < 0)
		return -1;
	return line->value == NULL ? 0 : eal_arg_add(config, line->value, error);
}

static int file_line(struct config *config, const struct config_line *line, char *const *args,
		     unsigned int n, struct error *error) {
	const char *name = line->name + strspn(line->name, "-");
	char reason[OPTION_ERROR_SIZE];

	if (is_for_the_command_line(name))
		option_fail(reason, "'%.64s' is for the command line only", name);
	else if (name != line->name && is_own(name))
		option_fail(reason, "'%.64s' is no option of EAL: write it without dashes",
			    line->name);
	else if (name != line->name && *name == '\0')
		option_fail(reason, "'%.64s' is no option", line->name);
	else if (name != line->name)
		return file_eal_arg(config, line, args, n, error);
	else if (options_set(config_options, n_config_options, name, line->value, config, reason) ==
		 0)
		return 0;
	return error_set(error, EXIT_USAGE, "%s:%u: %s", config->config_file, line->number, reason);
}

// Take the file's options, and its arguments of EAL unless one of the command line's n is in their
// place.
static int file_apply(struct config *config, char *const *args, unsigned int n,
		      struct error *error) {
	if (config_file_read(&config->file, config->config_file, error) < 0)
		return -1;
	for (unsigned int i = 0; i < config->file.n; i++)
		if (file_line(config, &config->file.lines[i], args, n, error) < 0)
			return -1;
	return 0;
}

// Once the command line has told which file, its options are read again after the file's.
static int file_parse(struct config *config, char *const *args, unsigned int n, int argc,
		      char **argv, struct error *error) {
	const struct config told = *config;

	if (config->config_file == NULL || config->help || config->version)
		return 0;
	*config = defaults;
	config->config_file = told.config_file;
	config->check_config = told.check_config;
	config->eal_args = told.eal_args;
	config->n_eal_args = told.n_eal_args;
	if (file_apply(config, args, n, error) < 0)
		return -1;
	return options_parse(config, argc, argv, error);
}

int config_parse(struct config *config, int argc, char **argv, struct error *error) {
	unsigned int n_before, n_eal;
	char **args = argv + 1; // before "--"

	*config = defaults;
	if (argc == 0)
		return error_set(error, EXIT_USAGE, "there is no name of the program");
	for (n_before = 0; 1 + n_before < (unsigned int)argc; n_before++)
		if (strcmp(args[n_before], "--") == 0)
			break;
	if (own_args_read(config, args, n_before, &n_eal, error) < 0 ||
	    eal_arg_add(config, argv[0], error) < 0 ||
	    options_parse(config, argc - 1 - n_before, args + n_before, error) < 0 ||
	    file_parse(config, args, n_eal, argc - 1 - n_before, args + n_before, error) < 0)
		return -1;
	for (unsigned int i = 0; i < n_eal; i++)
		if (eal_arg_add(config, args[i], error) < 0)
			return -1;
	if (config->n_txq == CONFIG_AUTO)
		config->n_txq = config->n_rxq;
	return 0;
}

void config_fini(struct config *config) {
	config_file_fini(&config->file);
	free(config->eal_args);
	config->eal_args = NULL;
}

void config_help(struct output *out) {
	output_text(out,
		    "usage: ddp-fwd [EAL options] [-- [options]]\n"
		    "       ddp-fwd --config FILE [EAL options] [-- [options]]\n"
		    "\n"
		    "Forward packets between DPDK ports, and measure how they spread over queues "
		    "and how long they take.\n"
		    "\n"
		    "  ddp-fwd --no-huge -m 1024 -l 0,1 \\\n"
		    "    --vdev 'net_ddp0,dev(net_pcap0,rx_pcap=n3.pcap),profile=gtpu' -- --rxq 16 "
		    "--fwd rxonly\n"
		    "\n"
		    "options:\n");
	options_help(config_options, n_config_options, out);
	output_text(out, "\nWith --config, SIGHUP reloads the profiles without losing a packet.\n");
}
