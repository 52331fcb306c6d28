/* SPDX-License-Identifier: BSD-3-Clause */
#include "command_line.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "population.h"

#define EXIT_USAGE 2
#define ARG_SIZE 64
#define LONG_FIRST 256         // of the numbers for getopt, above all letters
#define PACKETS_MAX UINT32_MAX // and streams and flows: all are numbered in 32 bits
#define MS_MAX 1000000000      // of a time

// max tells an option that is a number, or may be one, and gives its range.
struct option_def {
	char letter;
	const char *name;
	const char *arg; // what it may be beside a number, NULL for nothing else
	const char *help;
	// Reads value; false when it is not what the option takes.
	bool (*read)(const struct option_def *def, struct config *config, const char *value);
	size_t offset; // of the number in config
	uint64_t preset;
	uint64_t min;
	uint64_t max;
};

static const struct {
	const char *name;
	enum kind kinds[N_KINDS];
	unsigned int n_kinds;
} kind_names[] = {
	{"n3-up", {KIND_N3_UP}, 1},
	{"n3-down", {KIND_N3_DOWN}, 1},
	{"n6-up", {KIND_N6_UP}, 1},
	{"n6-down", {KIND_N6_DOWN}, 1},
	{"mix", {KIND_N3_UP, KIND_N3_DOWN, KIND_N6_UP, KIND_N6_DOWN}, N_KINDS},
};

static bool output_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	config->output = value;
	return *value != '\0';
}

static uint64_t *number_of(const struct option_def *def, struct config *config) {
	return (uint64_t *)((char *)config + def->offset);
}

static bool number_read(const struct option_def *def, struct config *config, const char *value) {
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	*number_of(def, config) = number;
	return *value >= '0' && *value <= '9' && *end == '\0' && errno == 0 && number >= def->min &&
	       number <= def->max;
}

static bool kind_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	for (size_t i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++) {
		if (strcmp(kind_names[i].name, value) != 0)
			continue;
		memcpy(config->kinds, kind_names[i].kinds, sizeof(config->kinds));
		config->n_kinds = kind_names[i].n_kinds;
		return true;
	}
	return false;
}

static bool zipf_read(const struct option_def *def, struct config *config, const char *value) {
	char *end;

	(void)def;
	config->zipf = strtod(value, &end);
	return end != value && *end == '\0' && config->zipf > 0 && config->zipf <= 10;
}

static bool sizes_read(const struct option_def *def, struct config *config, const char *value) {
	if (strcmp(value, "imix") == 0) {
		config->size = 0;
		return true;
	}
	return number_read(def, config, value);
}

static bool no_psc_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	(void)value;
	config->no_psc = true;
	return true;
}

static bool outer_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	config->outer_ipv6 = strcmp(value, "ipv6") == 0;
	return config->outer_ipv6 || strcmp(value, "ipv4") == 0;
}

static bool arrivals_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	config->poisson = strcmp(value, "poisson") == 0;
	return config->poisson || strcmp(value, "even") == 0;
}

// A number at *text, which goes on behind it.
static bool part_read(const char **text, uint64_t max, uint64_t *number) {
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *number <= max;
}

// Percent with up to three decimals: a floating-point number would be rounded.
static bool churn_read(const struct option_def *def, struct config *config, const char *value) {
	uint64_t whole, thousandths = 0;

	(void)def;
	if (!part_read(&value, 100, &whole))
		return false;
	if (*value == '.') {
		unsigned int digits = 0;

		for (value++; digits < 3 && *value >= '0' && *value <= '9'; digits++)
			thousandths = 10 * thousandths + (*value++ - '0');
		if (digits == 0)
			return false;
		for (; digits < 3; digits++)
			thousandths *= 10;
	}
	config->churn = 1000 * whole + thousandths;
	return *value == '\0' && config->churn <= CHURN_WHOLE;
}

// SHARE:BEGIN:LENGTH[:EVERY] in percent and milliseconds.
static bool elephant_read(const struct option_def *def, struct config *config, const char *value) {
	struct elephant *elephant = &config->elephants[config->n_elephants];
	uint64_t parts[4] = {0};
	unsigned int n = 0;

	(void)def;
	if (config->n_elephants++ == ELEPHANTS_MAX)
		errx(EXIT_USAGE, "more than %u elephants", ELEPHANTS_MAX);
	do {
		if (n == 4 || !part_read(&value, n == 0 ? 100 : MS_MAX, &parts[n]))
			return false;
		n++;
	} while (*value++ == ':');
	*elephant = (struct elephant){
		.share = parts[0],
		.begin_us = 1000 * parts[1],
		.length_us = 1000 * parts[2],
		.every_us = 1000 * parts[3],
	};
	return n >= 3 && value[-1] == '\0' && parts[0] > 0 && parts[2] > 0 &&
	       (n == 3 || parts[3] >= parts[2]);
}

static bool truth_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	config->truth = value;
	return *value != '\0';
}

static bool help_read(const struct option_def *def, struct config *config, const char *value);

#define NUMBER(field, usual, least, most)                                                 \
	.read = number_read, .offset = offsetof(struct config, field), .preset = (usual), \
	.min = (least), .max = (most)

// Every fact about an option: what getopt takes, the presets, the checks and the help.
static const struct option_def defs[] = {
	{'o', "output", "FILE", "write the capture to FILE, - for the standard output; needed",
	 .read = output_read},
	{0, "seed", NULL, "another number gives another population and order",
	 NUMBER(seed, 1, 0, UINT64_MAX)},
	{0, "kind", "n3-up|n3-down|n6-up|n6-down|mix",
	 "where it is captured: N3 is between gNBs and UPF, N6 between UPF and data network,\n"
	 "up is from the UE; mix is all four (n3-up)",
	 .read = kind_read},
	{0, "ues", NULL, "UEs", NUMBER(ues, 2000, 1, 10000000)},
	{0, "flows", NULL, "flows of each UE", NUMBER(flows, 8, 1, MAX_FLOWS)},
	{0, "gnbs", NULL, "gNBs", NUMBER(gnbs, 4, 1, 65535)},
	{0, "packets", NULL, "packets together, dealt out to the flows",
	 NUMBER(packets, 0, 1, PACKETS_MAX)},
	{0, "packets-per-flow", NULL,
	 "packets of each flow, in each kind of a mix (4, without --packets)",
	 NUMBER(packets_per_flow, 0, 1, PACKETS_MAX)},
	{0, "zipf", "S",
	 "the n-th largest flow gets 1/n^S of what the largest gets, S above 0 and up to 10;\n"
	 "needs --packets (all flows are equal)",
	 .read = zipf_read},
	{0, "ipv6", NULL, "percent of UEs with an IPv6 address, the others have IPv4",
	 NUMBER(ipv6, 20, 0, 100)},
	{0, "tcp", NULL, "percent of flows that are TCP, the others are UDP",
	 NUMBER(tcp, 60, 0, 100)},
	{0, "sizes", "imix|",
	 "bytes of the UE's IP packets, raised where headers and mark need more; imix is 40,\n"
	 "576 and 1400 in the proportion 7:4:1 (imix)",
	 .read = sizes_read, .offset = offsetof(struct config, size), .min = PACKET_SIZE_MIN,
	 .max = PACKET_SIZE_MAX},
	{0, "no-psc", NULL, "N3: no PDU session container, as on LTE's S1-U", .read = no_psc_read},
	{0, "outer", "ipv4|ipv6", "N3: outer IP version (ipv4)", .read = outer_read},
	{0, "vlan", NULL, "N3: VLAN tag (none)", NUMBER(vlan, 0, 1, 4094)},
	{0, "snaplen", NULL, "bytes of a packet that are captured, at most",
	 NUMBER(snaplen, 262144, 1, 262144)},
	{0, "rate-pps", NULL, "packets per second, for the timestamps",
	 NUMBER(rate_pps, 1000000, 1, 1000000000)},
	{0, "arrivals", "even|poisson", "packets are equally far apart, or arrive at random (even)",
	 .read = arrivals_read},
	{0, "churn", "PERCENT",
	 "of the flows end in each 100 ms, and others take their places and sizes (0); up to three\n"
	 "decimals",
	 .read = churn_read},
	{0, "elephant", "SHARE:BEGIN:LENGTH[:EVERY]",
	 "one more flow that gets SHARE percent of all packets, from BEGIN milliseconds after the\n"
	 "first packet on for LENGTH milliseconds, and then another one EVERY milliseconds; may be\n"
	 "repeated (none)",
	 .read = elephant_read},
	{0, "truth", "FILE", "write the flows to FILE as CSV, each with its times and packets",
	 .read = truth_read},
	{'h', "help", NULL, "print this", .read = help_read},
};

#define N_DEFS (sizeof(defs) / sizeof(*defs))

static const char intro[] =
	"usage: ddp-traffic -o FILE [options]\n"
	"Write a capture of 5G user-plane traffic. The same options give the same bytes anywhere;\n"
	"the same seed gives the same UEs and flows in every kind of capture.\n\n";

static const char notes[] =
	"\n"
	"The payload of every packet begins with its mark: the number of the packet in its flow\n"
	"(from 0, in each kind of a mix) and the number of the flow, each 32 bits, big endian.\n"
	"UEs have addresses from 10.45.0.1 and in /64s from 2001:db8:45::/64 on; servers are in\n"
	"198.18.0.0/15, 203.0.113.0/24 and 3fff::/20; gNBs and UPF in 172.16.0.0/12 and\n"
	"fd00:3::/32.\n"
	"\n"
	"Flows are numbered in the order in which they begin. The lines of --truth are in the order\n"
	"in which they end, with times in microseconds since the first packet: begin_us and end_us\n"
	"of the flow's time, first_us and last_us of its packets. packets and bytes (of frames) are\n"
	"those of all kinds together; replaces is the flow that had its place before.\n";

// "imix|36..1432" and the like. Returns text.
static const char *arg_text(const struct option_def *def, char *text, size_t size) {
	int len = snprintf(text, size, "%s", def->arg != NULL ? def->arg : "");

	if (def->max != 0)
		snprintf(text + len, size - len, "%" PRIu64 "..%" PRIu64, def->min, def->max);
	return text;
}

static void option_print(const struct option_def *def) {
	char arg[ARG_SIZE];

	fputs("  ", stdout);
	if (def->letter != 0)
		printf("-%c, ", def->letter);
	arg_text(def, arg, sizeof(arg));
	printf("--%s%s%s\n", def->name, *arg != '\0' ? " " : "", arg);
	for (const char *line = def->help; *line != '\0';) {
		int len = strcspn(line, "\n");

		printf("\t%.*s", len, line);
		line += len;
		if (*line == '\n')
			putchar(*line++);
	}
	if (def->preset != 0)
		printf(" (%" PRIu64 ")", def->preset);
	putchar('\n');
}

static bool help_read(const struct option_def *def, struct config *config, const char *value) {
	(void)def;
	(void)config;
	(void)value;
	fputs(intro, stdout);
	for (size_t i = 0; i < N_DEFS; i++)
		option_print(&defs[i]);
	fputs(notes, stdout);
	exit(EXIT_SUCCESS);
}

static void elephants_check(const struct config *config) {
	uint32_t share = 0;

	for (unsigned int i = 0; i < config->n_elephants; i++)
		share += config->elephants[i].share;
	if (share > 100)
		errx(EXIT_USAGE, "elephants with %u percent of the packets together", share);
}

// Flows are numbered in 32 bits, those that come later, too.
static void flows_check(const struct config *config, uint64_t n_packets) {
	unsigned __int128 periods = n_packets / config->rate_pps * 10 + 10; // of churn
	unsigned __int128 n = flow_count(config) * config->churn * periods / CHURN_WHOLE;

	if (n + flow_count(config) > PACKETS_MAX / 2)
		errx(EXIT_USAGE, "--churn: more than %u flows", PACKETS_MAX / 2);
}

// What no single option can tell.
static void config_check(struct config *config, int argc, char **argv) {
	uint64_t n_streams = (flow_count(config) + config->n_elephants) * config->n_kinds;
	uint64_t n_packets;

	if (optind < argc)
		errx(EXIT_USAGE, "'%s' is not an option; see --help", argv[optind]);
	if (config->output == NULL)
		errx(EXIT_USAGE, "no output file; see --help");
	if (config->packets != 0 && config->packets_per_flow != 0)
		errx(EXIT_USAGE, "--packets and --packets-per-flow exclude each other");
	if (config->zipf != 0 && config->packets == 0)
		errx(EXIT_USAGE, "--zipf needs --packets");
	if (config->packets_per_flow == 0)
		config->packets_per_flow = 4;
	if (n_streams > PACKETS_MAX)
		errx(EXIT_USAGE, "%" PRIu64 " flows, at most %u", n_streams, PACKETS_MAX);
	if (config->packets == 0 && config->packets_per_flow > PACKETS_MAX / n_streams)
		errx(EXIT_USAGE, "more packets than %u", PACKETS_MAX);
	if (config->truth != NULL && strcmp(config->truth, config->output) == 0)
		errx(EXIT_USAGE, "--truth and --output name the same file");
	n_packets = config->packets;
	if (n_packets == 0)
		n_packets = flow_count(config) * config->n_kinds * config->packets_per_flow;
	if (config->churn > 0)
		flows_check(config, n_packets);
	elephants_check(config);
}

// getopt's letters (at most 2 characters each) and long options.
static void getopt_tables(char *letters, struct option *options) {
	for (size_t i = 0; i < N_DEFS; i++) {
		const struct option_def *def = &defs[i];
		bool has_arg = def->arg != NULL || def->max != 0;

		options[i] = (struct option){
			.name = def->name,
			.has_arg = has_arg ? required_argument : no_argument,
			.val = LONG_FIRST + i,
		};
		if (def->letter == 0)
			continue;
		*letters++ = def->letter;
		if (has_arg)
			*letters++ = ':';
	}
	*letters = '\0';
	options[N_DEFS] = (struct option){0};
}

// The option that getopt found.
static const struct option_def *option_find(int c) {
	size_t i = 0;

	if (c >= LONG_FIRST)
		return &defs[c - LONG_FIRST];
	while (defs[i].letter != c)
		i++;
	return &defs[i];
}

void options_parse(struct config *config, int argc, char **argv) {
	char letters[2 * N_DEFS + 1], arg[ARG_SIZE];
	struct option options[N_DEFS + 1];
	int c;

	*config = (struct config){.kinds = {KIND_N3_UP}, .n_kinds = 1};
	for (size_t i = 0; i < N_DEFS; i++)
		if (defs[i].read == number_read)
			*number_of(&defs[i], config) = defs[i].preset;
	getopt_tables(letters, options);
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		const struct option_def *def;

		if (c == '?')
			exit(EXIT_USAGE); // getopt has said why
		def = option_find(c);
		if (!def->read(def, config, optarg))
			errx(EXIT_USAGE, "--%s: '%s' is not %s", def->name, optarg,
			     arg_text(def, arg, sizeof(arg)));
	}
	config_check(config, argc, argv);
}
