/* SPDX-License-Identifier: BSD-3-Clause */
// The manual pages and the completions say what the tables say: nothing missing, nothing left over.
#include "scratch_folder.h"

#include "ctl/command.h"
#include "ddptool/ddptool.h"

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

// "-a -f" of ddptool.
static void letters_add(char *line) {
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++)
		sprintf(line + strlen(line), "%s-%c", i == 0 ? "" : " ", ddptool_options[i].letter);
}

// "--a --b" of a command, in the order of the table.
static void options_add(char *line, const struct command *command) {
	if (command->run_words != NULL)
		letters_add(line);
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

/* zsh */

// "a b" of a command: what its options are called.
static void takes_add(char *line, const struct command *command) {
	strcat(line, "\t\ttakes=(");
	for (unsigned int i = 0; i < N_OPTIONS; i++)
		if (command_takes(command, i))
			sprintf(line + strlen(line), "%s%s",
				line[strlen(line) - 1] == '(' ? "" : " ", option_specs[i].name);
	strcat(line, ")\n");
}

static void zsh_has(const char *script, const struct command *family, const char *pattern) {
	char block[4096];

	sprintf(block, "\t(%s)\n\t\tcommands=(\n", pattern);
	for (unsigned int i = 0; i < family->n_commands; i++) {
		const char *blank = strrchr(family->commands[i].name, ' ');

		sprintf(block + strlen(block), "\t\t\t\"%s:%s\"\n",
			blank != NULL ? blank + 1 : family->commands[i].name,
			family->commands[i].summary);
	}
	strcat(block, "\t\t)\n");
	takes_add(block, family);
	contains(script, block);
}

static unsigned int zsh_has_leaves(const char *script, const struct command *family) {
	unsigned int n = 0;
	char block[1024];

	for (unsigned int i = 0; i < family->n_commands; i++) {
		const struct command *command = &family->commands[i];
		const char *quote = strchr(command->name, ' ') != NULL ? "'" : "";

		if (command->commands != NULL) {
			n += zsh_has_leaves(script, command);
			continue;
		}
		sprintf(block, "\t(*:%s%s%s)\n", quote, command->name, quote);
		if (command->run_words == NULL)
			takes_add(block, command);
		contains(script, block);
		n++;
	}
	return n;
}

static void zsh_completes_each_command(void **state) {
	char *script = file_read(CTL_SOURCES "/_ddpctl");
	char pattern[64];

	(void)state;
	zsh_has(script, &ctl_command, "2:*");
	for (unsigned int i = 0; i < N_COMMANDS; i++) {
		if (commands[i].commands == NULL)
			continue;
		sprintf(pattern, "3:'%s '*", commands[i].name);
		zsh_has(script, &commands[i], pattern);
	}
	assert_int_equal(count(script, "\t(*:"), zsh_has_leaves(script, &ctl_command));
	free(script);
}

// What may stand for an option's value.
static const char *zsh_values(const struct option_spec *spec, char values[256]) {
	if (spec->words != NULL)
		snprintf(values, 256, "(%s)", spec->words);
	else if (strcmp(spec->argument, "FILE") == 0)
		strcpy(values, "_files");
	else if (strcmp(spec->argument, "FOLDER") == 0)
		strcpy(values, "_files -/");
	else
		strcpy(values, " ");
	return values;
}

static void zsh_completes_each_option(void **state) {
	char *script = file_read(CTL_SOURCES "/_ddpctl");
	char line[1024], values[256];

	(void)state;
	for (unsigned int i = 0; i < N_OPTIONS; i++) {
		const struct option_spec *spec = &option_specs[i];

		assert_null(strpbrk(spec->help, "\"$`\\[]")); // zsh would take them for its own
		if (spec->argument == NULL)
			snprintf(line, sizeof(line), "\t\t%s \"--%s[%s]\"\n", spec->name,
				 spec->name, spec->help);
		else
			snprintf(line, sizeof(line), "\t\t%s \"--%s=[%s]:%s:%s\"\n", spec->name,
				 spec->name, spec->help, spec->argument, zsh_values(spec, values));
		contains(script, line);
	}
	assert_int_equal(count(script, " \"--"), N_OPTIONS);
	free(script);
}

/* ddptool */

static void ddptools_manual_page_has_each_option(void **state) {
	char *page = file_read(DDPTOOL_SOURCES "/ddptool.1");
	char *section = section_of(page, "OPTIONS");
	char block[512];

	(void)state;
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++) {
		const struct ddptool_option *option = &ddptool_options[i];
		const char *begin = option->optional ? "\\fR[\\fP" : "";
		const char *end = option->optional ? "\\fR]\\fP" : "";

		if (option->argument != NULL)
			snprintf(block, sizeof(block), "\n.TP\n.BI \\-%c \" %s%s%s\"\n%s",
				 option->letter, begin, option->argument, end, dashes(option->help));
		else
			snprintf(block, sizeof(block), "\n.TP\n.B \\-%c\n%s", option->letter,
				 dashes(option->help));
		contains(section, block);
	}
	assert_int_equal(count(section, "\n.TP\n"), DDPTOOL_N_OPTIONS);
	free(section);
	free(page);
}

static void ddptools_manual_page_has_each_exit_status(void **state) {
	char *page = file_read(DDPTOOL_SOURCES "/ddptool.1");
	char *section = section_of(page, "EXIT STATUS");
	char block[512];

	(void)state;
	for (int status = DDPTOOL_GOOD; status <= DDPTOOL_BAD_PACKAGE; status++) {
		snprintf(block, sizeof(block), "\n.TP\n.B %d\n%s", status, ddptool_message(status));
		contains(section, block);
	}
	assert_int_equal(count(section, "\n.TP\n"), DDPTOOL_BAD_PACKAGE + 1);
	free(section);
	free(page);
}

static void ddptools_completions_have_each_option(void **state) {
	char *bash = file_read(DDPTOOL_SOURCES "/ddptool.bash");
	char *zsh = file_read(DDPTOOL_SOURCES "/_ddptool");
	char line[512] = "words=\"";

	(void)state;
	letters_add(line);
	strcat(line, "\"\n");
	contains(bash, line);
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++) {
		const struct ddptool_option *option = &ddptool_options[i];

		if (option->argument == NULL)
			snprintf(line, sizeof(line), "\t\t\"-%c[%s]\"", option->letter,
				 option->help);
		else
			snprintf(line, sizeof(line), "\t\t\"-%c[%s]%s:%s:_", option->letter,
				 option->help, option->optional ? ":" : "", option->argument);
		contains(zsh, line);
	}
	assert_int_equal(count(zsh, "\t\t\"-"), DDPTOOL_N_OPTIONS);
	free(zsh);
	free(bash);
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
		cmocka_unit_test(zsh_completes_each_command),
		cmocka_unit_test(zsh_completes_each_option),
		cmocka_unit_test(ddptools_manual_page_has_each_option),
		cmocka_unit_test(ddptools_manual_page_has_each_exit_status),
		cmocka_unit_test(ddptools_completions_have_each_option),
		cmocka_unit_test(options_are_in_the_order_of_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
