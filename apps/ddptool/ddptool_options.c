/* SPDX-License-Identifier: BSD-3-Clause */
// The command line of Intel's ddptool: each option is a word of its own, and is given once.
// getopt_long() cannot read it: a value may be missing, and never begins with '-'.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ddptool.h"

// Intel's tool takes no file whose name has one of these, nor ':', which here begins an input set.
#define NOT_IN_FILES "'\"<>|&%?*"

static int file_parse(const struct option_row *row, const char *value, void *options,
		      char error[OPTION_ERROR_SIZE]) {
	if (strpbrk(value, NOT_IN_FILES) != NULL)
		return option_fail(error, "a file's name cannot have any of %s", NOT_IN_FILES);
	return option_text(row, value, options, error);
}

static int format_parse(const struct option_row *row, const char *value, void *options,
			char error[OPTION_ERROR_SIZE]) {
	struct ddptool_options *o = options;

	o->output = value;
	return option_constant(row, NULL, options, error);
}

#define FIELD(field) OPTION_FIELD(struct ddptool_options, field)
#define FLAG(field) OPTION_FLAG(struct ddptool_options, field)
#define FORMAT(constant) format_parse, FIELD(format), .max = constant

// A value in brackets may be missing.
const struct option_row ddptool_options[DDPTOOL_N_OPTIONS] = {
	{NULL, 'a', NULL, "show all functions of NICs, virtual functions too", FLAG(all)},
	{NULL, 'f', "FILE", "show the profile in a file instead of those in devices", file_parse,
	 FIELD(file)},
	{NULL, 'h', NULL, "show this help, as do --help and -?", FLAG(help)},
	{NULL, 'i', "DEVNAME", "show the device with this network interface, or this net_ddp port",
	 option_text, FIELD(interface)},
	{NULL, 'j', "[FILE]", "write JSON, to standard output without FILE", FORMAT(DDPTOOL_JSON)},
	{NULL, 'l', NULL, "silent: write nothing but the answer", FLAG(silent)},
	{NULL, 's', "LOCATION", "show the device at this PCI address, such as 0000:81:00.0",
	 option_text, FIELD(location)},
	{NULL, 'v', NULL, "show the version, as does --version", FLAG(version)},
	{NULL, 'x', "[FILE]", "write XML, to standard output without FILE", FORMAT(DDPTOOL_XML)},
};

static const char conflicts[][3] = {"si", "xj", "fi", "fs", "fa"};

static bool is_printable(const char *text) {
	for (const char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			return false;
	return text[0] != '\0';
}

static const struct option_row *option_find(const char *arg) {
	char letter = arg[1] != '\0' && arg[2] == '\0' ? arg[1] : '\0';

	if (strcmp(arg, "--help") == 0 || letter == '?')
		letter = 'h';
	if (strcmp(arg, "--version") == 0)
		letter = 'v';
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++)
		if (letter == ddptool_options[i].letter)
			return &ddptool_options[i];
	return NULL;
}

// Two that exclude each other, among the letters given so far.
static int conflicts_check(const char *given, char error[OPTION_ERROR_SIZE]) {
	for (unsigned int i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (strchr(given, conflicts[i][0]) != NULL &&
		    strchr(given, conflicts[i][1]) != NULL)
			return option_fail(error, "-%c and -%c exclude each other", conflicts[i][0],
					   conflicts[i][1]);
	return 0;
}

// Read the option at argv[*at], and its value when that is the next argument.
static int option_read(int argc, const char **argv, int *at, char *given,
		       struct ddptool_options *options, char error[OPTION_ERROR_SIZE]) {
	const struct option_row *row = option_find(argv[*at]);
	const char *value = NULL;

	if (row == NULL)
		return option_fail(error, "unknown option '%.64s'", argv[*at]);
	if (strchr(given, row->letter) != NULL)
		return option_fail(error, "-%c is given twice", row->letter);
	strncat(given, &row->letter, 1);
	if (row->argument != NULL && *at + 1 < argc && argv[*at + 1][0] != '-')
		value = argv[++*at];
	if (value != NULL && !is_printable(value))
		return option_fail(error, "-%c: its value is empty or not plain ASCII",
				   row->letter);
	if (row->argument != NULL && value == NULL && row->argument[0] != '[')
		return option_fail(error, "-%c needs a value: %s", row->letter, row->argument);
	if (option_set(row, value, options, error) < 0)
		return -EINVAL;
	return conflicts_check(given, error);
}

int ddptool_options_parse(int argc, const char **argv, struct ddptool_options *options,
			  char error[OPTION_ERROR_SIZE]) {
	char given[DDPTOOL_N_OPTIONS + 1] = "";

	*options = (struct ddptool_options){0};
	for (int i = 0; i < argc; i++) {
		if (!is_printable(argv[i]))
			return option_fail(error, "an argument is empty or not plain ASCII");
		if (argv[i][0] != '-')
			ddptool_say(options, "argument '%s' means nothing here", argv[i]);
		else if (option_read(argc, argv, &i, given, options, error) < 0)
			return -EINVAL;
	}
	return 0;
}

void ddptool_help(struct output *out) {
	output_text(out,
		    "usage: ddptool [OPTION]...\n\n"
		    "Show which DDP profile is in which device: Intel's NICs and net_ddp ports of "
		    "running processes.\n\noptions:\n");
	options_help(ddptool_options, DDPTOOL_N_OPTIONS, out);
	output_text(
		out,
		"\nFILE of -f is an Intel package, or a profile as net_ddp's argument 'profile' "
		"names it.\n\nexit status: 0 good, ");
	for (int status = DDPTOOL_USAGE; status <= DDPTOOL_BAD_PACKAGE; status++)
		output_printf(out, "%s%d %s", status == DDPTOOL_USAGE ? "or\n  " : "\n  ", status,
			      ddptool_message(status));
	output_char(out, '\n');
}
