/* SPDX-License-Identifier: BSD-3-Clause */
// The command line of Intel's ddptool: each option is a word of its own, and is given once.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ddptool.h"

// Intel's tool takes no file whose name has one of these, nor ':', which here begins an input set.
#define NOT_IN_FILES "'\"<>|&%?*"

const struct ddptool_option ddptool_options[DDPTOOL_N_OPTIONS] = {
	{'a', NULL, false, "show all functions of NICs, virtual functions too"},
	{'f', "FILE", false, "show the profile in a file instead of those in devices"},
	{'h', NULL, false, "show this help, as do --help and -?"},
	{'i', "DEVNAME", false, "show the device with this network interface, or this net_ddp port"},
	{'j', "FILE", true, "write JSON, to standard output without FILE"},
	{'l', NULL, false, "silent: write nothing but the answer"},
	{'s', "LOCATION", false, "show the device at this PCI address, such as 0000:81:00.0"},
	{'v', NULL, false, "show the version, as does --version"},
	{'x', "FILE", true, "write XML, to standard output without FILE"},
};

static const char conflicts[][3] = {"si", "xj", "fi", "fs", "fa"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

__attribute__((format(printf, 2, 3))) static int fail(char error[DDPTOOL_ERROR_SIZE],
						      const char *fmt, ...) {
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error, DDPTOOL_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static bool is_printable(const char *text) {
	for (const char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			return false;
	return text[0] != '\0';
}

static const struct ddptool_option *option_find(const char *arg) {
	char letter = arg[1] != '\0' && arg[2] == '\0' ? arg[1] : '\0';

	if (strcmp(arg, "--help") == 0 || letter == '?')
		letter = 'h';
	if (strcmp(arg, "--version") == 0)
		letter = 'v';
	for (unsigned int i = 0; i < COUNT(ddptool_options); i++)
		if (letter == ddptool_options[i].letter)
			return &ddptool_options[i];
	return NULL;
}

static int option_set(struct ddptool_options *options, char letter, const char *value,
		      char error[DDPTOOL_ERROR_SIZE]) {
	switch (letter) {
	case 'a':
		options->all = true;
		break;
	case 'f':
		if (strpbrk(value, NOT_IN_FILES) != NULL)
			return fail(error, "-f: a file's name cannot have any of %s", NOT_IN_FILES);
		options->file = value;
		break;
	case 'h':
		options->help = true;
		break;
	case 'i':
		options->interface = value;
		break;
	case 'j':
		options->format = DDPTOOL_JSON;
		options->output = value;
		break;
	case 'l':
		options->silent = true;
		break;
	case 's':
		options->location = value;
		break;
	case 'v':
		options->version = true;
		break;
	case 'x':
		options->format = DDPTOOL_XML;
		options->output = value;
		break;
	}
	return 0;
}

// Two that exclude each other, among the letters given so far.
static int conflicts_check(const char *given, char error[DDPTOOL_ERROR_SIZE]) {
	for (unsigned int i = 0; i < COUNT(conflicts); i++)
		if (strchr(given, conflicts[i][0]) != NULL && strchr(given, conflicts[i][1]) != NULL)
			return fail(error, "-%c and -%c exclude each other", conflicts[i][0],
				    conflicts[i][1]);
	return 0;
}

// Read the option at argv[*at], and its value when that is the next argument.
static int option_read(int argc, const char **argv, int *at, char *given,
		       struct ddptool_options *options, char error[DDPTOOL_ERROR_SIZE]) {
	const struct ddptool_option *option = option_find(argv[*at]);
	const char *value = NULL;

	if (option == NULL)
		return fail(error, "unknown option '%.64s'", argv[*at]);
	if (strchr(given, option->letter) != NULL)
		return fail(error, "-%c is given twice", option->letter);
	strncat(given, &option->letter, 1);
	if (option->argument != NULL && *at + 1 < argc && argv[*at + 1][0] != '-')
		value = argv[++*at];
	if (value != NULL && !is_printable(value))
		return fail(error, "-%c: its value is empty or not plain ASCII", option->letter);
	if (option->argument != NULL && value == NULL && !option->optional)
		return fail(error, "-%c needs a value: %s", option->letter, option->argument);
	if (option_set(options, option->letter, value, error) < 0)
		return -EINVAL;
	return conflicts_check(given, error);
}

int ddptool_options_parse(int argc, const char **argv, struct ddptool_options *options,
			  char error[DDPTOOL_ERROR_SIZE]) {
	char given[DDPTOOL_N_OPTIONS + 1] = "";

	*options = (struct ddptool_options){0};
	for (int i = 0; i < argc; i++) {
		if (!is_printable(argv[i]))
			return fail(error, "an argument is empty or not plain ASCII");
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
	for (unsigned int i = 0; i < COUNT(ddptool_options); i++) {
		const struct ddptool_option *option = &ddptool_options[i];
		char argument[32] = "";

		if (option->argument != NULL)
			snprintf(argument, sizeof(argument), option->optional ? "[%s]" : "%s",
				 option->argument);
		output_printf(out, "  -%c %-8s  %s\n", option->letter, argument, option->help);
	}
	output_text(out,
		    "\nFILE of -f is an Intel package, or a profile as net_ddp's argument 'profile' "
		    "names it.\n\nexit status: 0 good, ");
	for (int status = DDPTOOL_USAGE; status <= DDPTOOL_BAD_PACKAGE; status++)
		output_printf(out, "%s%d %s", status == DDPTOOL_USAGE ? "or\n  " : "\n  ", status,
			      ddptool_message(status));
	output_char(out, '\n');
}
