/* SPDX-License-Identifier: BSD-3-Clause */
#include "command_line.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/option_table.h"
#include "common/output.h"
#include "frame.h"
#include "population.h"

#define EXIT_USAGE 2
#define PACKETS_MAX UINT32_MAX // and streams and flows: all are numbered in 32 bits
#define MS_MAX 1000000000      // of a time

#define CHOICE(name, ...)                                               \
	static const char *name(unsigned int i) {                       \
		static const char *const words[] = {__VA_ARGS__, NULL}; \
                                                                        \
		return words[i];                                        \
	}

CHOICE(kinds, "n3-up", "n3-down", "n6-up", "n6-down", "mix") // as in enum kind, and all of them
CHOICE(versions, "ipv4", "ipv6")

static int sizes_read(const struct option_row *row, const char *value, void *options,
		      char error[OPTION_ERROR_SIZE]) {
	if (strcmp(value, "imix") != 0)
		return option_number(row, value, options, error);
	((struct config *)options)->size = 0;
	return 0;
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

// SHARE:BEGIN:LENGTH[:EVERY] in percent and milliseconds.
static int elephant_read(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	struct config *config = options;
	struct elephant *elephant = &config->elephants[config->n_elephants];
	uint64_t parts[4] = {0};
	unsigned int n = 0;

	(void)row;
	if (config->n_elephants++ == ELEPHANTS_MAX)
		return option_fail(error, "more than %u elephants", ELEPHANTS_MAX);
	do {
		if (n == 4 || !part_read(&value, n == 0 ? 100 : MS_MAX, &parts[n]))
			return -EINVAL;
		n++;
	} while (*value++ == ':');
	*elephant = (struct elephant){
		.share = parts[0],
		.begin_us = 1000 * parts[1],
		.length_us = 1000 * parts[2],
		.every_us = 1000 * parts[3],
	};
	return n >= 3 && value[-1] == '\0' && parts[0] > 0 && parts[2] > 0 &&
			       (n == 3 || parts[3] >= parts[2]) ?
		       0 :
		       -EINVAL;
}

#define NUMBER(field, least, most)                                                       \
	"N", .parse = option_number, OPTION_FIELD(struct config, field), .min = (least), \
	     .max = (double)(most)

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "write the capture to FILE, - for the standard output; needed",
	 option_text, OPTION_FIELD(struct config, output), .min = 1, .what = "a file"},
	{"seed", .help = "another number gives another population and order (1)",
	 .argument = NUMBER(seed, 0, UINT64_MAX)},
	{"kind", 0, "KIND",
	 "where it is captured: N3 is between gNBs and UPF, N6 between UPF and data network, up is from "
	 "the UE (n3-up)",
	 option_choice, OPTION_FIELD(struct config, kind), .choice = kinds},
	{"ues", .help = "UEs (2000)", .argument = NUMBER(ues, 1, 10000000)},
	{"flows", .help = "flows of each UE (8)", .argument = NUMBER(flows, 1, MAX_FLOWS)},
	{"gnbs", .help = "gNBs (4)", .argument = NUMBER(gnbs, 1, 65535)},
	{"packets", .help = "packets together, dealt out to the flows",
	 .argument = NUMBER(packets, 1, PACKETS_MAX)},
	{"packets-per-flow",
	 .help = "packets of each flow, in each kind of a mix (4, without --packets)",
	 .argument = NUMBER(packets_per_flow, 1, PACKETS_MAX)},
	{"zipf", 0, "S",
	 "the n-th largest flow gets 1/n^S of what the largest gets, S up to 10; needs --packets (all "
	 "flows are equal)",
	 option_real, OPTION_FIELD(struct config, zipf), .min = 1e-9, .max = 10,
	 .what = "a number above 0 and up to 10"},
	{"ipv6", .help = "percent of UEs with an IPv6 address, the others have IPv4 (20)",
	 .argument = NUMBER(ipv6, 0, 100)},
	{"sizes", 0, "N",
	 "bytes of the UE's IP packets, raised where headers and mark need more, or imix: 40, 576 and "
	 "1400 in the proportion 7:4:1 (imix)",
	 sizes_read, OPTION_FIELD(struct config, size), .min = PACKET_SIZE_MIN,
	 .max = PACKET_SIZE_MAX},
	{"no-psc", .help = "N3: no PDU session container, as on LTE's S1-U",
	 OPTION_FLAG(struct config, no_psc)},
	{"outer", 0, "VERSION", "N3: outer IP version (ipv4)", option_choice,
	 OPTION_FIELD(struct config, outer_ipv6), .choice = versions},
	{"vlan", .help = "N3: VLAN tag (none)", .argument = NUMBER(vlan, 1, 4094)},
	{"snaplen", .help = "bytes of a packet that are captured, at most (262144)",
	 .argument = NUMBER(snaplen, 1, 262144)},
	{"rate-pps", .help = "packets per second, for the timestamps (1000000)",
	 .argument = NUMBER(rate_pps, 1, 1000000000)},
	{"churn",
	 .help = "percent of the flows that end in each 100 ms, and others take their places and "
		 "sizes (0)",
	 .argument = NUMBER(churn, 0, 100)},
	{"elephant", 0, "SHARE:BEGIN:LENGTH[:EVERY]",
	 "one more flow that gets SHARE percent of all packets, from BEGIN milliseconds on for LENGTH "
	 "milliseconds, then another one EVERY milliseconds; may be repeated (none)",
	 elephant_read, .what = "SHARE:BEGIN:LENGTH[:EVERY]"},
	{"truth", 0, "FILE", "write the flows to FILE as CSV, each with its times and packets",
	 option_text, OPTION_FIELD(struct config, truth), .min = 1, .what = "a file"},
	{"help", 'h', .help = "print this", OPTION_FLAG(struct config, help), .ends = true},
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

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

static void help(void) {
	struct output out;

	output_init(&out, STDOUT_FILENO);
	output_text(&out, intro);
	options_help(rows, N_ROWS, &out);
	output_text(&out, notes);
	output_flush(&out);
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
	unsigned __int128 n = flow_count(config) * config->churn * periods / 100;

	if (n + flow_count(config) > PACKETS_MAX / 2)
		errx(EXIT_USAGE, "--churn: more than %u flows", PACKETS_MAX / 2);
}

// Checks of several options together.
static void config_check(struct config *config) {
	uint64_t n_streams, n_packets;

	config->n_kinds = config->kind < N_KINDS ? 1 : N_KINDS;
	for (unsigned int i = 0; i < config->n_kinds; i++)
		config->kinds[i] = config->kind < N_KINDS ? config->kind : i;
	n_streams = (flow_count(config) + config->n_elephants) * config->n_kinds;
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

void options_parse(struct config *config, int argc, char **argv) {
	char error[OPTION_ERROR_SIZE];
	int n;

	*config = (struct config){
		.seed = 1,
		.ues = 2000,
		.flows = 8,
		.gnbs = 4,
		.ipv6 = 20,
		.snaplen = 262144,
		.rate_pps = 1000000,
	};
	n = options_read(rows, N_ROWS, argc, (const char **)argv, config, error);
	if (n < 0)
		errx(EXIT_USAGE, "%s", error);
	if (config->help)
		help();
	if (n > 0)
		errx(EXIT_USAGE, "'%s' is not an option; see --help", argv[1]);
	config_check(config);
}
