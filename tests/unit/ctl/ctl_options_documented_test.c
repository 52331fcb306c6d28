/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page says what the tables say: nothing missing, nothing left over.
#include "man_page.h"

#include "ctl/command.h"

#define PAGE CTL_SOURCES "/ddpctl.1"

TEST(the_manual_page_has_each_command) {
	char *page = page_read(PAGE);
	char *section = page_section(page, "COMMANDS");
	char block[512];

	for (unsigned int i = 1; i < n_commands; i++) {
		const struct command *command = &commands[i];
		const char *quote = strchr(command->name, ' ') != NULL ? "\"" : "";

		if (command->arguments[0] == '\0')
			snprintf(block, sizeof(block), "\n.TP\n.B %s\n%s\n", command->name,
				 command->summary);
		else
			snprintf(block, sizeof(block), "\n.TP\n.BI %s%s%s \" %s\"\n%s\n", quote,
				 command->name, quote, command->arguments, command->summary);
		page_contains(section, block);
	}
	assert_int_equal(page_count(section, "\n.TP\n"), n_commands - 1);
	free(section);
}

TEST(the_manual_page_has_each_option) {
	page_has_options(PAGE, option_rows, n_option_rows);
}

TEST(the_page_on_plans_has_each_kind_of_nic) {
	char *page = page_read(CTL_SOURCES "/ddp-plan.7");
	char *from = strstr(page, "\n.Ss Kinds of NIC\n"), item[64];

	assert_non_null(from);
	*strstr(from, "\n.El\n") = '\0';
	for (unsigned int i = 0; i < ddp_n_nics; i++) {
		const char *alias = ddp_nic_alias(ddp_nics[i]);

		snprintf(item, sizeof(item), "\n.It Cm %s%s%s\n", ddp_nic_name(ddp_nics[i]),
			 alias != NULL ? " , " : "", alias != NULL ? alias : "");
		page_contains(from, item);
	}
	assert_int_equal(page_count(from, "\n.It "), ddp_n_nics);
}

// Each name that a command gives is one of the table's, so that it is not left out in silence.
TEST(commands_take_options_that_there_are) {
	for (unsigned int i = 0; i < n_commands; i++) {
		struct option_row rows[OPTIONS_MAX];
		char *names = strdup(commands[i].options);
		unsigned int n = 1; // help

		assert_non_null(names);
		for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " "))
			n++;
		assert_int_equal(options_named(commands[i].options, rows), n);
		free(names);
	}
}

// The completions read --help.
TEST(help_can_be_read_by_shells) {
	for (unsigned int i = 0; i < n_option_rows; i++) {
		const struct option_row *row = &option_rows[i];

		assert_null(strpbrk(option_summary(row),
				    "\"$`\\[]")); // zsh would take them for its own
		assert_null(strstr(option_summary(row), "  "));
		assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"),
				 strlen(row->name));
		if (row->argument != NULL)
			assert_int_equal(strspn(row->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]"),
					 strlen(row->argument));
	}
	for (unsigned int i = 1; i < n_commands; i++) {
		assert_int_equal(strspn(commands[i].name, "abcdefghijklmnopqrstuvwxyz "),
				 strlen(commands[i].name));
		assert_null(strstr(commands[i].summary, "  "));
	}
}
