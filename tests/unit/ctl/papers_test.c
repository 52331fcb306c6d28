/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page and the completion say what the tables say: nothing missing, nothing left over.
#include "scratch.h"

#include "ctl/command.h"

// As roff wants it: a '-' that is typed is "\-".
static const char *dashes(const char *name) {
	static char escaped[128];
	char *to = escaped;

	for (; *name != '\0'; name++) {
		if (*name == '-')
			*to++ = '\\';
		*to++ = *name;
	}
	*to = '\0';
	return escaped;
}

static unsigned int count(const char *text, const char *what) {
	unsigned int n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void contains(const char *text, const char *what) {
	if (strstr(text, what) == NULL)
		fail_msg("not there:\n%s", what);
}

// The part of a manual page from one .SH to the next. The caller frees it.
static char *section_of(const char *page, const char *title) {
	char start[64];
	const char *from, *to;

	snprintf(start, sizeof(start), "\n.SH %s\n", title);
	from = strstr(page, start);
	assert_non_null(from);
	from += strlen(start) - 1;
	to = strstr(from, "\n.SH ");
	return to != NULL ? strndup(from, to - from) : strdup(from);
}

// A command that takes no second word is in the synopsis, and each is explained. Returns how many
// commands are explained.
static unsigned int page_has(const char *page, const char *section, const struct command *family) {
	unsigned int n = family->n_commands;
	char block[512];

	for (unsigned int i = 0; i < family->n_commands; i++) {
		const struct command *command = &family->commands[i];
		const char *quote = strchr(command->name, ' ') != NULL ? "\"" : "";

		if (command->arguments[0] == '\0')
			snprintf(block, sizeof(block), "\n.TP\n.B %s\n%s\n", command->name,
				 command->summary);
		else
			snprintf(block, sizeof(block), "\n.TP\n.BI %s%s%s \" %s\"\n%s\n", quote,
				 command->name, quote, command->arguments, command->summary);
		contains(section, block);
		n += page_has(page, section, command);
		snprintf(block, sizeof(block), "\n.B ddpctl %s\n", command->name);
		if (command->commands == NULL)
			contains(page, block);
	}
	return n;
}

static void the_manual_page_has_each_command(void **state) {
	char *page = file_read(CTL_SOURCES "/ddpctl.1");
	char *section = section_of(page, "COMMANDS");

	(void)state;
	assert_int_equal(count(section, "\n.TP\n"), page_has(page, section, &ctl_command));
	assert_int_equal(count(page, "\n.B ddpctl "),
			 N_COMMANDS - 2 + N_PACKAGE_COMMANDS + N_PORT_COMMANDS);
	free(section);
	free(page);
}

static void the_manual_page_has_each_option(void **state) {
	char *page = file_read(CTL_SOURCES "/ddpctl.1");
	char *section = section_of(page, "OPTIONS");
	char block[512];

	(void)state;
	for (unsigned int i = 0; i < N_OPTIONS; i++) {
		const struct option_spec *spec = &option_specs[i];

		if (spec->argument != NULL && spec->letter != '\0')
			snprintf(block, sizeof(block),
				 "\n.TP\n.BR \\-%c \", \" \\-\\-%s \" \\fI%s\"\n%s", spec->letter,
				 dashes(spec->name), spec->argument, spec->help);
		else if (spec->argument != NULL)
			snprintf(block, sizeof(block), "\n.TP\n.BI \\-\\-%s \" %s\"\n%s",
				 dashes(spec->name), spec->argument, spec->help);
		else if (spec->letter != '\0')
			snprintf(block, sizeof(block), "\n.TP\n.BR \\-%c \", \" \\-\\-%s\n%s",
				 spec->letter, dashes(spec->name), spec->help);
		else
			snprintf(block, sizeof(block), "\n.TP\n.B \\-\\-%s\n%s", dashes(spec->name),
				 spec->help);
		contains(section, block);
	}
	assert_int_equal(count(section, "\n.TP\n"), N_OPTIONS);
	free(section);
	free(page);
}

// "--a --b" of a command, in the order of the table.
static void options_add(char *line, const struct command *command) {
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (command_takes(command, i))
			sprintf(line + strlen(line), "%s--%s",
				line[strlen(line) - 1] == '"' ? "" : " ", option_specs[i].name);
}

// The words that may come after a family's name: its commands and options. pattern says where.
static void completion_has(const char *script, const struct command *family, const char *pattern) {
	char line[512];

	sprintf(line, "\t%s)\n\t\twords=\"", pattern);
	for (unsigned int i = 0; i < family->n_commands; i++) {
		const char *blank = strrchr(family->commands[i].name, ' ');

		sprintf(line + strlen(line), "%s%s", i == 0 ? "" : " ",
			blank != NULL ? blank + 1 : family->commands[i].name);
	}
	options_add(line, family);
	strcat(line, "\"\n");
	contains(script, line);
}

static unsigned int completion_has_leaves(const char *script, const struct command *family) {
	unsigned int n = 0;
	char line[512];

	for (unsigned int i = 0; i < family->n_commands; i++) {
		const struct command *command = &family->commands[i];
		const char *quote = strchr(command->name, ' ') != NULL ? "\"" : "";

		if (command->commands != NULL) {
			n += completion_has_leaves(script, command);
			continue;
		}
		sprintf(line, "\t*:%s%s%s)\n\t\twords=\"", quote, command->name, quote);
		options_add(line, command);
		strcat(line, "\"\n");
		contains(script, line);
		n++;
	}
	return n;
}

static void the_completion_has_each_command_and_option(void **state) {
	char *script = file_read(CTL_SOURCES "/ddpctl.bash");
	char line[512];

	(void)state;
	completion_has(script, &ctl_command, "1:*");
	for (unsigned int i = 0; i < N_COMMANDS; i++) {
		if (commands[i].commands == NULL)
			continue;
		sprintf(line, "2:\"%s \"*", commands[i].name);
		completion_has(script, &commands[i], line);
	}
	assert_int_equal(count(script, "\t*:"), completion_has_leaves(script, &ctl_command));
	free(script);
}

static void the_completion_knows_what_values_options_take(void **state) {
	char *script = file_read(CTL_SOURCES "/ddpctl.bash");
	char line[512] = "";

	(void)state;
	for (unsigned int i = 0; i < N_OPTIONS; i++) {
		const struct option_spec *spec = &option_specs[i];

		if (spec->argument == NULL)
			continue;
		if (spec->words == NULL) {
			sprintf(line + strlen(line), "%s--%s", line[0] == '\0' ? "\t" : " | ",
				spec->name);
		} else {
			char words[256];

			snprintf(words, sizeof(words), "\t--%s)\n\t\twords=\"%s\"\n", spec->name,
				 spec->words);
			contains(script, words);
		}
	}
	strcat(line, ")\n\t\twords=\n");
	contains(script, line);
	free(script);
}

static void options_are_in_the_order_of_their_numbers(void **state) {
	(void)state;
	for (unsigned int i = 0; i < N_OPTIONS; i++) {
		assert_int_equal(option_specs[i].id, i);
		assert_non_null(option_specs[i].set);
		assert_non_null(option_specs[i].help);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manual_page_has_each_command),
		cmocka_unit_test(the_manual_page_has_each_option),
		cmocka_unit_test(the_completion_has_each_command_and_option),
		cmocka_unit_test(the_completion_knows_what_values_options_take),
		cmocka_unit_test(options_are_in_the_order_of_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
