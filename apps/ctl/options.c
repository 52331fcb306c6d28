/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Choices */

static const char *color_choice(unsigned int i) {
	static const char *const words[] = {"auto", "always", "never"};

	return i < COUNT(words) ? words[i] : NULL;
}

static const char *hash_choice(unsigned int i) {
	return i <= DDP_HASH_SIMPLE_XOR ? ddp_hash_function_name(i) : NULL;
}

static const char *nic_choice(unsigned int i) {
	if (i < ddp_n_nics)
		return ddp_nic_name(ddp_nics[i]);
	i -= ddp_n_nics;
	for (unsigned int k = 0; k < ddp_n_nics; k++)
		if (ddp_nic_alias(ddp_nics[k]) != NULL && i-- == 0)
			return ddp_nic_alias(ddp_nics[k]);
	return NULL;
}

/* Parsers */

static int nic_parse(const struct option_row *row, const char *value, void *options,
		     char error[OPTION_ERROR_SIZE]) {
	const struct ddp_nic **kind = (const struct ddp_nic **)((char *)options + row->off);

	*kind = ddp_nic_find(value);
	return *kind != NULL ? 0 : option_choice(row, value, options, error); // reports the choices
}

static int nic_now_parse(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	struct simulate_options *o = options;

	o->nic_now = true;
	return value != NULL ? nic_parse(row, value, options, error) : 0;
}

// EAL makes a folder of the name.
static int name_parse(const struct option_row *row, const char *value, void *options,
		      char error[OPTION_ERROR_SIZE]) {
	if (strlen(value) > row->max || strchr(value, '/') != NULL)
		return -EINVAL;
	return option_text(row, value, options, error);
}

static int report_parse(const struct option_row *row, const char *value, void *options,
			char error[OPTION_ERROR_SIZE]) {
	if (strcmp(value, "-") == 0)
		return -EINVAL;
	return option_text(row, value, options, error);
}

static int balance_parse(const struct option_row *row, const char *value, void *options,
			 char error[OPTION_ERROR_SIZE]) {
	return option_number(row, value != NULL ? value : "100", options, error);
}

static int rule_parse(const struct option_row *row, const char *value, void *options,
		      char error[OPTION_ERROR_SIZE]) {
	const size_t off = row->off - offsetof(struct candidate_options, rules.texts);
	struct candidate_options *candidates = (void *)((char *)options + off);

	if (candidates->rules.n == RULE_OPTIONS_MAX)
		return option_fail(error,
				   "more than %u of them: write them into a file, and give @FILE",
				   RULE_OPTIONS_MAX);
	candidates->rules.candidates[candidates->rules.n] = candidates->n_with;
	return option_text(row, value, options, error);
}

static int ip_at_parse(const struct option_row *row, const char *value, void *options,
		       char error[OPTION_ERROR_SIZE]) {
	struct new_options *o = options;

	o->has_ip_at = true;
	return option_number(row, value, options, error);
}

#define OF(command, field) OPTION_FIELD(struct command##_options, field)
#define FLAG_OF(command, field) OPTION_FLAG(struct command##_options, field)
#define CANDIDATES(field, count) \
	OPTION_ARRAY(struct candidate_options, field, count), .group = GROUP_CANDIDATES
#define CAPTURE(field) OPTION_FIELD(struct capture_config, field), .group = GROUP_CAPTURE
#define CAPTURE_FLAG(field) option_constant, CAPTURE(field), .max = true
#define FORMAT(constant) option_constant, OF(common, format), .max = constant
#define PROCESS(field) OF(process, field), .group = GROUP_PROCESS
#define RSS(field) OF(rss, field), .group = GROUP_RSS
#define MPPS(field)                                                \
	option_real, OF(simulate, field), .min = 1e-6, .max = 1e6, \
					  .what = "a number of million packets a second"

const struct option_row option_rows[] = {
	{"after", 0, "WHERE",
	 "what the new header comes after, such as 'gre(protocol=0x8200)' or 'ethertype(0x88b5)'",
	 option_text, OF(new, after), .min = 1,
	 .what = "a header with a field and its value, or a table with one"},
	{"all", 0, NULL, "show packet types without packets, too", FLAG_OF(port, all)},
	{"any-expansion", 0, NULL,
	 "read a compressed capture even if it expands more than 1000 times",
	 CAPTURE_FLAG(any_expansion)},
	{"as-captured", 0, NULL, "take packets that the capture cut short for whole ones",
	 CAPTURE_FLAG(as_captured)},
	{"balance", 0, "[MS]",
	 "predict load-aware RSS with this interval in milliseconds (default 100)", balance_parse,
	 OF(simulate, balance_ms), .min = 1, .max = 60000, .what = "milliseconds from 1 to 60000"},
	{"color", 0, "WHEN", "colour messages (default: auto, to a terminal without NO_COLOR)",
	 option_choice, OF(check, color), .choice = color_choice},
	{"commands", 0, NULL, "show the commands that set up the NIC instead of the plan",
	 FLAG_OF(plan, commands)},
	{"core-mpps", 0, "X", "million packets a second that one core can process",
	 MPPS(core_mpps)},
	{"count", 'n', "N", "stop after this many packets; watch: periods (default: on Ctrl-C)",
	 option_number, .size = sizeof(uint64_t), .group = GROUP_COUNT, .min = 1, .max = UINT_MAX,
	 .what = "a number from 1"},
	{"decap", 0, NULL, "write the packets of -w without their tunnels",
	 FLAG_OF(classify, decap)},
	{"file-prefix", 0, "NAME", "use the process with this EAL --file-prefix", name_parse,
	 PROCESS(file_prefix), .min = 1, .max = NAME_MAX, .what = "a file prefix, as given to EAL"},
	{"filter", 0, "EXPR",
	 "only packets that match, such as 'udp port 2152' (see pcap-filter(7))", option_text,
	 CAPTURE(expression)},
	{"hash", 0, "NAME", "hash function (default: toeplitz)", option_choice, RSS(steer.function),
	 .choice = hash_choice},
	{"help", 'h', NULL, "show this help", FLAG_OF(common, help), .ends = true},
	{"indir", 0, "FILE",
	 "take queues, redirection table and RSS key from the output of ethtool", option_text,
	 RSS(indir)},
	{"interface", 'i', "NAME", "capture from this network interface instead of reading PCAP",
	 option_text, CAPTURE(interface)},
	{"interval", 0, "SECONDS", "length of a period (default 1)", option_seconds,
	 OF(port, interval_ms), .per_second = 1e3, .min = 0.01, .max = 86400},
	{"ip-at", 0, "BYTES", "an IP packet follows this many bytes of the new header", ip_at_parse,
	 OF(new, ip_at), .min = 0, .max = 64},
	{"json", 0, NULL, "write JSON instead of a table", FORMAT(FORMAT_JSON)},
	{"jsonl", 0, NULL, "write one JSON object a line for each packet", FORMAT(FORMAT_JSONL)},
	{"key", 0, "HEX", "RSS key, 40 or 52 bytes (default: Microsoft's, 40 bytes)", option_key,
	 RSS(steer.key)},
	{"load-mpps", 0, "X",
	 "million packets a second to process (default: the rate of the capture)", MPPS(load_mpps)},
	{"memory", 0, "MB", "memory to use, about (default: 200)", option_number,
	 OF(simulate, memory_mb), .min = 32, .max = 1 << 20,
	 .what = "megabytes from 32 to 1048576"},
	{"nic", 0, "KIND", "kind of NIC", nic_parse, OF(plan, kind), .choice = nic_choice},
	{"nic-now", 0, "[KIND]", "show what NICs hash without RSS rules, or one kind of NIC",
	 nic_now_parse, OF(simulate, kind), .choice = nic_choice},
	{"output", 'o', "FILE", "file to write, - for standard output (default: NAME.yaml)",
	 option_text, OF(new, output)},
	{"package", 0, "FILE", "package of Intel's that a 700-series NIC gets", option_text,
	 OF(plan, package)},
	{"packet", 'n', "K", "number of the packet in the capture (default 1)", option_number,
	 OF(explain, packet), .min = 1, .max = UINT_MAX, .what = "the number of a packet, from 1"},
	{"pcap", 0, "FILE", "compare the choices of the plan on this capture", option_text,
	 OF(plan, pcap)},
	{"pid", 0, "N", "use the process with this id", option_number, PROCESS(pid), .min = 1,
	 .max = INT_MAX, .what = "the number of a process"},
	{"port", 0, "PORT", "take profiles, hash fields and lower device from this running port",
	 option_text, OF(plan, port)},
	{"ptypes", 0, NULL, "list all packet types of an 800-series package",
	 FLAG_OF(info, ptypes)},
	{"queues", 0, "N", "receive queues, 1 to 1024 (default: 16)", option_number,
	 RSS(steer.n_queues), .min = 1, .max = STEER_QUEUES_MAX},
	{"raw", 0, NULL, "show keys and counters by the names that telemetry and xstats use",
	 FLAG_OF(port, raw)},
	{"report", 0, "FILE", "write a report with charts, in HTML", report_parse,
	 OF(simulate, report), .min = 1, .what = "the name of a file"},
	{"reta-size", 0, "N",
	 "entries of the redirection table, a power of two up to 4096 (default 512)", option_power,
	 RSS(steer.reta_size), .min = 1, .max = STEER_RETA_MAX},
	{"rss-hf", 0, "LIST",
	 "hash fields as testpmd names them, such as ip+ipv4-udp, all (default) or none",
	 option_rss_hf, RSS(steer.rss_hf)},
	{"rule", 0, "TEXT",
	 "an rte_flow rule in testpmd syntax, or @FILE with rules; may be repeated", rule_parse,
	 CANDIDATES(rules.texts, rules.n)},
	{"strict", 0, NULL, "treat warnings as errors", FLAG_OF(check, strict)},
	{"version", 0, NULL, "show the version", FLAG_OF(common, version), .ends = true},
	{"window", 0, "SECONDS",
	 "length of a window of imbalance over time (default: by the capture)", option_seconds,
	 OF(simulate, window_ns), .per_second = 1e9, .min = 1e-6, .max = 86400,
	 .what = "a number of seconds from 0.000001 to 86400"},
	{"with", 0, "FILE", "another profile or package to compare; may be repeated", option_text,
	 CANDIDATES(with, n_with)},
	{"write", 'w', "FILE", "write the packets to FILE, a capture", option_text,
	 .size = sizeof(const char *), .group = GROUP_WRITE},
};
const unsigned int n_option_rows = sizeof(option_rows) / sizeof(option_rows[0]);

static bool is_named(const char *name, const char *names) {
	size_t len = strlen(name);

	for (const char *at = names; at != NULL; at = strchr(at, ' ')) {
		at += at[0] == ' ';
		if (strncmp(at, name, len) == 0 && (at[len] == ' ' || at[len] == '\0'))
			return true;
	}
	return strcmp(name, "help") == 0;
}

unsigned int options_named(const char *names, struct option_row rows[OPTIONS_MAX]) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_option_rows; i++)
		if (is_named(option_rows[i].name, names))
			rows[n++] = option_rows[i];
	assert(n <= OPTIONS_MAX);
	return n;
}
