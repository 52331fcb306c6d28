/* SPDX-License-Identifier: BSD-3-Clause */
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

#define TAKES(option) (1U << OPTION_##option)
#define TAKES_RSS (TAKES(HASH) | TAKES(KEY) | TAKES(QUEUES) | TAKES(RETA_SIZE) | TAKES(RSS_HF))

const struct command ctl_command = {
	.name = "",
	.arguments = "COMMAND [OPTION]... [ARGUMENT]...",
	.max_files = 0,
	.options = TAKES(HELP) | TAKES(VERSION),
};

const struct command commands[N_COMMANDS] = {
	{
		.name = "list",
		.arguments = "",
		.max_files = 0,
		.summary = "show the profiles that are found by name, and where",
		.options = TAKES(HELP) | TAKES(JSON),
		.run = cmd_list,
	},
	{
		.name = "info",
		.arguments = "FILE...",
		.min_files = 1,
		.max_files = UINT_MAX,
		.summary = "show what profiles hold, and the most that a packet's walk can take",
		.options = TAKES(HELP) | TAKES(JSON),
		.run = cmd_info,
	},
	{
		.name = "check",
		.arguments = "FILE...",
		.min_files = 1,
		.max_files = UINT_MAX,
		.summary = "validate profiles, and say what is wrong with them and where",
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
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(JSONL) | TAKES_RSS,
		.run = cmd_classify,
	},
	{
		.name = "explain",
		.arguments = "FILE PCAP",
		.min_files = 2,
		.max_files = 2,
		.summary =
			"tell one packet step by step: headers, decisions and why, the bytes hashed",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(PACKET) | TAKES_RSS,
		.run = cmd_explain,
	},
	{
		.name = "simulate",
		.arguments = "FILE PCAP",
		.min_files = 2,
		.max_files = 2,
		.summary = "show how packets spread over queues, beside a fixed-function NIC",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES_RSS,
		.run = cmd_simulate,
	},
	{
		.name = "new",
		.arguments = "NAME",
		.min_files = 1,
		.max_files = 1,
		.summary = "write a profile to begin with, commented and good as it is",
		.options = TAKES(HELP) | TAKES(JSON) | TAKES(OUTPUT),
		.run = cmd_new,
	},
};

static const char files_help[] =
	"FILE is a profile as net_ddp takes it: name-or-file[:input set][;parameter=value...][+...],\n"
	"where a name without '/' is looked for in $DDP_PROFILE_PATH and in the installed profiles.\n"
	"PCAP is a capture of Ethernet frames (pcap or pcapng), - for standard input.\n";

static const char status_help[] =
	"exit status: 0 good, 1 the answer is no or the profile cannot be used, 2 wrong usage,\n"
	"3 a file cannot be read\n";

static void option_help(const struct option_spec *spec, struct output *out) {
	char left[32];

	snprintf(left, sizeof(left), "--%s%s%s", spec->name, spec->argument != NULL ? " " : "",
		 spec->argument != NULL ? spec->argument : "");
	output_printf(out, "  %c%c%c %-16s  %s\n", spec->letter != '\0' ? '-' : ' ',
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

static void command_help(const struct command *command, struct output *out) {
	output_printf(out, "usage: ddpctl %s [OPTION]...%s%s\n\n", command->name,
		      command->arguments[0] != '\0' ? " " : "", command->arguments);
	output_printf(out, "%s\n", command->summary);
	if (strstr(command->arguments, "FILE") != NULL)
		output_printf(out, "\n%s", files_help);
	options_help(command, out);
}

static void ctl_help(struct output *out) {
	output_printf(out, "usage: ddpctl %s\n\ncommands:\n", ctl_command.arguments);
	for (unsigned int i = 0; i < N_COMMANDS; i++)
		output_printf(out, "  %-8s  %-9s  %s\n", commands[i].name, commands[i].arguments,
			      commands[i].summary);
	output_text(out, "\nddpctl COMMAND --help tells more.\n");
	options_help(&ctl_command, out);
}

static int misuse(const struct command *command, const char *error) {
	fprintf(stderr, "ddpctl: %s (try 'ddpctl%s%s --help')\n", error,
		command->name[0] != '\0' ? " " : "", command->name);
	return CTL_USAGE;
}

static int no_command(int argc, const char **argv, struct output *out) {
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	if (argc == 0)
		return misuse(&ctl_command, "command missing");
	if (options_parse(&ctl_command, argc, argv, &options, error) < 0)
		return misuse(&ctl_command, error);
	if (options.help)
		ctl_help(out);
	else if (options.version)
		output_text(out, "ddpctl " DDPCTL_VERSION "\n");
	else
		return misuse(&ctl_command, "command missing");
	return CTL_GOOD;
}

static int unknown_command(const char *name) {
	const char *names[N_COMMANDS];
	const char *nearest;
	char error[OPTIONS_ERROR_SIZE];

	for (unsigned int i = 0; i < N_COMMANDS; i++)
		names[i] = commands[i].name;
	nearest = ddp_nearest(name, names, N_COMMANDS);
	if (nearest != NULL)
		snprintf(error, sizeof(error), "unknown command '%.64s', did you mean '%s'?", name,
			 nearest);
	else
		snprintf(error, sizeof(error), "unknown command '%.64s'", name);
	return misuse(&ctl_command, error);
}

static const struct command *command_find(const char *name) {
	for (unsigned int i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int ctl_run(int argc, const char **argv, struct output *out) {
	const struct command *command;
	char error[OPTIONS_ERROR_SIZE];
	struct options options;

	if (argc == 0 || argv[0][0] == '-')
		return no_command(argc, argv, out);
	command = command_find(argv[0]);
	if (command == NULL)
		return unknown_command(argv[0]);
	if (options_parse(command, argc - 1, argv + 1, &options, error) < 0)
		return misuse(command, error);
	if (options.help) {
		command_help(command, out);
		return CTL_GOOD;
	}
	return command->run(&options, out);
}
