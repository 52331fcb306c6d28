/* SPDX-License-Identifier: BSD-3-Clause */
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "common/strbuf.h"
#include "ddptool/ddptool.h"
#include "profile/profile.h"

#define TAKES(option) (UINT64_C(1) << OPTION_##option)
#define TAKES_CAPTURE (TAKES(FILTER) | TAKES(INTERFACE))
#define TAKES_LOAD (TAKES(CORE_MPPS) | TAKES(LOAD_MPPS) | TAKES(REPORT) | TAKES(WINDOW))
#define TAKES_PEER (TAKES(FILE_PREFIX) | TAKES(HELP) | TAKES(JSON) | TAKES(PID))
#define TAKES_NIC (TAKES(DVM) | TAKES(ECPRI_PORT) | TAKES(GENEVE_PORT) | TAKES(VXLAN_PORT))
#define TAKES_RSS (TAKES(HASH) | TAKES(KEY) | TAKES(QUEUES) | TAKES(RETA_SIZE) | TAKES(RSS_HF))

const struct command ctl_command = {
	.name = "",
	.arguments = "COMMAND...",
	.options = TAKES(HELP) | TAKES(VERSION),
	.commands = commands,
	.n_commands = N_COMMANDS,
};

const struct command commands[N_COMMANDS] = {
	{
		.name = "list",
		.arguments = "",
		.max_files = 0,
		.summary = "list the profiles that are found by name, with their files",
		.options = TAKES(HELP) | TAKES(JSON),
		.run = cmd_list,
	},
	{
		.name = "info",
		.arguments = "FILE...",
		.min_files = 1,
		.max_files = UINT_MAX,
		.summary =
			"show the content of profiles and their worst-case parse cost, or of Intel's packages",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(PTYPES),
		.run = cmd_info,
	},
	{
		.name = "check",
		.arguments = "FILE...",
		.min_files = 1,
		.max_files = UINT_MAX,
		.summary = "validate profiles and Intel's packages, with the place of each error",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(STRICT),
		.run = cmd_check,
	},
	{
		.name = "graph",
		.arguments = "FILE",
		.min_files = 1,
		.max_files = 1,
		.summary = "write the parse graph for Graphviz",
		.options = TAKES(HELP) | TAKES(JSON),
		.run = cmd_graph,
	},
	{
		.name = "classify",
		.arguments = "FILE PCAP",
		.min_files = 2,
		.max_files = 2,
		.summary = "show packet type, path, fields, hash and queue of each packet",
		.options = TAKES(COUNT) | TAKES(HELP) | TAKES(JSON) | TAKES(JSONL) | TAKES_CAPTURE |
			   TAKES_NIC | TAKES_RSS | TAKES(RULE),
		.run = cmd_classify,
	},
	{
		.name = "explain",
		.arguments = "FILE PCAP",
		.min_files = 2,
		.max_files = 2,
		.summary =
			"explain one packet step by step: headers, decisions and reasons, hashed bytes",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(PACKET) | TAKES_CAPTURE | TAKES_NIC |
			   TAKES_RSS,
		.run = cmd_explain,
	},
	{
		.name = "simulate",
		.arguments = "FILE PCAP",
		.min_files = 2,
		.max_files = 2,
		.summary = "show how packets spread over queues, beside a fixed-function NIC",
		.options = TAKES(COUNT) | TAKES(HELP) | TAKES(JSON) | TAKES(RULE) | TAKES(WITH) |
			   TAKES_CAPTURE | TAKES_LOAD | TAKES_NIC | TAKES_RSS,
		.run = cmd_simulate,
	},
	{
		.name = "advise",
		.arguments = "PCAP",
		.min_files = 1,
		.max_files = 1,
		.summary =
			"find the profile and the input set that spread a capture best, with the reasons",
		.options = TAKES(COUNT) | TAKES(HELP) | TAKES(JSON) | TAKES(WITH) | TAKES_CAPTURE |
			   TAKES_LOAD | TAKES_RSS,
		.n_queues = 16,
		.run = cmd_advise,
	},
	{
		.name = "diff",
		.arguments = "FILE FILE",
		.min_files = 2,
		.max_files = 2,
		.summary = "show what one profile or package classifies that the other does not",
		.options = TAKES(HELP) | TAKES(JSON),
		.run = cmd_diff,
	},
	{
		.name = "ddptool",
		.arguments = "WORD...",
		.max_files = UINT_MAX,
		.summary =
			"do as Intel's ddptool, with its options: which profile is in which device",
		.run_words = ddptool_run,
	},
	{
		.name = "new",
		.arguments = "NAME",
		.min_files = 1,
		.max_files = 1,
		.summary = "write a commented, valid template of a profile",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(OUTPUT),
		.run = cmd_new,
	},
	{
		.name = "plan",
		.arguments = "[FILE]",
		.max_files = 1,
		.summary =
			"show which packet types of a profile NICs can hash, why, and by which commands",
		.options = TAKES(NIC) | TAKES(PORT) | TAKES(ROOT) | TAKES(RSS_HF) | TAKES_PEER,
		.run = cmd_plan,
	},
	{
		.name = "package",
		.arguments = "COMMAND...",
		.summary = "find the packages that drivers load into 800-series NICs",
		.options = TAKES(HELP),
		.commands = package_commands,
		.n_commands = N_PACKAGE_COMMANDS,
	},
	{
		.name = "port",
		.arguments = "COMMAND...",
		.summary = "inspect the ports of a running process and change their profiles",
		.options = TAKES(HELP),
		.commands = port_commands,
		.n_commands = N_PORT_COMMANDS,
	},
};

const struct command package_commands[N_PACKAGE_COMMANDS] = {
	{
		.name = "package find",
		.arguments = "[PACKAGE]",
		.max_files = 1,
		.summary =
			"show which package each driver would load, why, and the command to install another",
		.options = TAKES(DEVICE) | TAKES(DRIVER) | TAKES(HELP) | TAKES(JSON) |
			   TAKES(KERNEL) | TAKES(ROOT) | TAKES(SERIAL),
		.run = cmd_package_find,
	},
};

const struct command port_commands[N_PORT_COMMANDS] = {
	{
		.name = "port list",
		.arguments = "",
		.max_files = 0,
		.summary = "show the net_ddp ports of a running process",
		.options = TAKES_PEER,
		.run = cmd_port_list,
	},
	{
		.name = "port show",
		.arguments = "PORT",
		.min_files = 1,
		.max_files = 1,
		.summary = "show a port: its lower device, its profiles, its counters",
		.options = TAKES_PEER,
		.run = cmd_port_show,
	},
	{
		.name = "port add",
		.arguments = "PORT PROFILE",
		.min_files = 2,
		.max_files = 2,
		.summary = "add a profile to a port, under traffic",
		.options = TAKES_PEER,
		.run = cmd_port_add,
	},
	{
		.name = "port del",
		.arguments = "PORT PROFILE",
		.min_files = 2,
		.max_files = 2,
		.summary = "delete a profile from a port, under traffic",
		.options = TAKES_PEER,
		.run = cmd_port_del,
	},
	{
		.name = "port queues",
		.arguments = "PORT",
		.min_files = 1,
		.max_files = 1,
		.summary =
			"show the packets received and missed by each Rx queue of a port, and the imbalance",
		.options = TAKES_PEER,
		.run = cmd_port_queues,
	},
	{
		.name = "port ptypes",
		.arguments = "PORT",
		.min_files = 1,
		.max_files = 1,
		.summary = "show the packet types of a port, with their packets",
		.options = TAKES_PEER,
		.run = cmd_port_ptypes,
	},
	{
		.name = "port verify",
		.arguments = "PORT",
		.min_files = 1,
		.max_files = 1,
		.summary = "show whether the lower device of a port hashes as expected",
		.options = TAKES_PEER,
		.run = cmd_port_verify,
	},
	{
		.name = "port watch",
		.arguments = "PORT",
		.min_files = 1,
		.max_files = 1,
		.summary = "show the rate of each Rx queue and the imbalance continuously",
		.options = TAKES_PEER | TAKES(COUNT) | TAKES(INTERVAL),
		.run = cmd_port_watch,
	},
};

static const char files_help[] =
	"FILE is a profile as net_ddp takes it: name-or-file[:input set][;parameter=value...][+...],\n"
	"where a name without '/' is looked for in $DDP_PROFILE_PATH and in the installed profiles.\n"
	"Or it is an Intel package, a path to .pkg, for all but 'new'.\n"
	"PCAP is a capture, pcap or pcapng, also compressed by gzip, xz or zstd; - for standard input.\n"
	"Without it, --interface says where to capture.\n";

static const char package_help[] =
	"PACKAGE is a file for the 800 series (ice-1.3.30.0.pkg), also packed (.pkg.xz, .pkg.zst).\n";

static const char port_help[] =
	"PORT is the number or the name of a net_ddp port, as 'ddpctl port list' shows them.\n";

static const char profile_help[] =
	"PROFILE is as in net_ddp's argument 'profile': name-or-file[:input set][;parameter=value...][+...].\n"
	"The process looks a name without '/' up in its own search path.\n";

static const char status_help[] =
	"exit status: 0 good, 1 the answer is no or the profile cannot be used, 2 wrong usage,\n"
	"3 a file or a running process cannot be read\n";

static void option_help(const struct option_spec *spec, struct output *out) {
	char left[32];

	snprintf(left, sizeof(left), "--%s%s%s", spec->name, spec->argument != NULL ? " " : "",
		 spec->argument != NULL ? spec->argument : "");
	output_printf(out, "  %c%c%c %-18s  %s\n", spec->letter != '\0' ? '-' : ' ',
		      spec->letter != '\0' ? spec->letter : ' ', spec->letter != '\0' ? ',' : ' ',
		      left, spec->help);
}

static void options_help(const struct command *command, struct output *out) {
	output_text(out, "\noptions:\n");
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (command_takes(command, i))
			option_help(&option_specs[i], out);
	output_printf(out, "\n%s", status_help);
}

// The word that chooses a command: "add" of "port add".
static const char *last_word(const char *name) {
	const char *blank = strrchr(name, ' ');

	return blank != NULL ? blank + 1 : name;
}

// What comes between "ddpctl" and its arguments.
static const char *blank_before(const char *text) {
	return text[0] != '\0' ? " " : "";
}

static int wider(int width, const char *text) {
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static void commands_help(const struct command *command, struct output *out) {
	const struct command *end = command->commands + command->n_commands;
	int name_width = 0, arguments_width = 0;

	for (const struct command *c = command->commands; c < end; c++) {
		name_width = wider(name_width, last_word(c->name));
		arguments_width = wider(arguments_width, c->arguments);
	}
	output_text(out, "commands:\n");
	for (const struct command *c = command->commands; c < end; c++)
		output_printf(out, "  %-*s  %-*s  %s\n", name_width, last_word(c->name),
			      arguments_width, c->arguments, c->summary);
	output_printf(out, "\nddpctl%s%s COMMAND --help tells more.\n", blank_before(command->name),
		      command->name);
}

static void arguments_help(const char *arguments, struct output *out) {
	if (strstr(arguments, "FILE") != NULL && strstr(arguments, "PROFILE") == NULL)
		output_printf(out, "\n%s", files_help);
	if (strstr(arguments, "PACKAGE") != NULL)
		output_printf(out, "\n%s", package_help);
	if (strstr(arguments, "PORT") != NULL)
		output_printf(out, "\n%s", port_help);
	if (strstr(arguments, "PROFILE") != NULL)
		output_text(out, profile_help);
}

static void leaf_help(const struct command *command, struct output *out) {
	output_printf(out, "usage: ddpctl %s [OPTION]...%s%s\n\n", command->name,
		      blank_before(command->arguments), command->arguments);
	output_printf(out, "%s\n", command->summary);
	arguments_help(command->arguments, out);
}

static void family_help(const struct command *command, struct output *out) {
	output_printf(out, "usage: ddpctl%s%s COMMAND [OPTION]... [ARGUMENT]...\n\n",
		      blank_before(command->name), command->name);
	if (command->summary != NULL)
		output_printf(out, "%s\n\n", command->summary);
	commands_help(command, out);
}

static void help(const struct command *command, struct output *out) {
	if (command->commands != NULL)
		family_help(command, out);
	else
		leaf_help(command, out);
	options_help(command, out);
}

static int misuse(const struct command *command, const char *error) {
	error_print("%s (try 'ddpctl%s%s --help')", error, blank_before(command->name),
		    command->name);
	return CTL_USAGE;
}

static int unknown_command(const struct command *family, const char *word) {
	const char *names[N_COMMANDS];
	const char *nearest;
	char error[OPTIONS_ERROR_SIZE];

	for (unsigned int i = 0; i < family->n_commands; i++)
		names[i] = last_word(family->commands[i].name);
	nearest = ddp_nearest(word, names, family->n_commands);
	if (nearest != NULL)
		snprintf(error, sizeof(error), "unknown command '%.64s', did you mean '%s'?", word,
			 nearest);
	else
		snprintf(error, sizeof(error), "unknown command '%.64s'", word);
	return misuse(family, error);
}

static const struct command *command_find(const struct command *family, const char *word) {
	for (unsigned int i = 0; i < family->n_commands; i++)
		if (strcmp(last_word(family->commands[i].name), word) == 0)
			return &family->commands[i];
	return NULL;
}

static bool is_input(const struct options *options, const char *path) {
	for (unsigned int i = 0; i < options->n_files; i++)
		if (ddp_spec_reads(options->files[i], path) ||
		    (strcmp(options->files[i], "-") == 0 && ddp_is_same_file("/dev/stdin", path)))
			return true;
	for (unsigned int i = 0; i < options->n_with; i++)
		if (ddp_spec_reads(options->with[i], path))
			return true;
	for (unsigned int i = 0; i < options->n_rules; i++)
		if (options->rules[i][0] == '@' && ddp_is_same_file(options->rules[i] + 1, path))
			return true;
	return false;
}

// Before anything is read or written: a report must not take the place of what it tells of.
static int report_check(const struct options *options, char error[OPTIONS_ERROR_SIZE]) {
	if (options->report == NULL || !is_input(options, options->report))
		return 0;
	snprintf(error, OPTIONS_ERROR_SIZE,
		 "option --report: '%.128s' is read, and would be overwritten", options->report);
	return -EINVAL;
}

static int command_run(const struct command *command, int argc, const char **argv,
		       const char *const *line, struct output *out) {
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	if (command->run_words != NULL)
		return command->run_words(argc, argv, out);
	if (options_parse(command, argc, argv, &options, error) < 0 ||
	    report_check(&options, error) < 0)
		return misuse(command, error);
	options.argv = line;
	if (options.help)
		help(command, out);
	else if (options.version)
		output_text(out, "ddpctl " DDP_VERSION "\n");
	else if (command->commands != NULL)
		return misuse(command, "command missing");
	else
		return command->run(&options, out);
	return CTL_GOOD;
}

// The command line as it was: reading it brings it into another order.
static const char **line_keep(int argc, const char **argv) {
	const char **line = calloc(argc + 2, sizeof(*line));

	if (line == NULL)
		return NULL;
	line[0] = "ddpctl";
	for (int i = 0; i < argc; i++)
		line[i + 1] = argv[i];
	return line;
}

struct run {
	const struct command *command;
	int argc;
	const char **argv, **line;
	struct output *out;
	int status;
};

static void run(void *arg) {
	struct run *r = arg;

	r->status = command_run(r->command, r->argc, r->argv, r->line, r->out);
}

int ctl_run(int argc, const char **argv, struct output *out) {
	const struct command *command = &ctl_command;
	const char **line = line_keep(argc, argv);
	struct run r = {.line = line, .out = out};

	if (line == NULL)
		no_memory_exit();
	while (command->commands != NULL && argc > 0 && argv[0][0] != '-') {
		const struct command *found = command_find(command, argv[0]);

		if (found == NULL) {
			free(line);
			return unknown_command(command, argv[0]);
		}
		command = found;
		argc--;
		argv++;
	}
	r.command = command;
	r.argc = argc;
	r.argv = argv;
	if (ddp_arena_run(run, &r) < 0)
		no_memory_exit();
	free(line);
	return r.status;
}
