/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page and the completions say what the table says: nothing missing, nothing left over.
#include "scratch_folder.h"

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

static void the_manual_page_has_each_option(void **state) {
	char *page = file_read(DDPTOOL_SOURCES "/ddptool.1");
	char *section = section_of(page, "OPTIONS");
	char block[512];

	(void)state;
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++) {
		const struct option_row *option = &ddptool_options[i];

		if (option->argument != NULL && option->argument[0] == '[')
			snprintf(block, sizeof(block),
				 "\n.TP\n.BI \\-%c \" \\fR[\\fPFILE\\fR]\\fP\"\n%s", option->letter,
				 dashes(option->help));
		else if (option->argument != NULL)
			snprintf(block, sizeof(block), "\n.TP\n.BI \\-%c \" %s\"\n%s",
				 option->letter, option->argument, dashes(option->help));
		else
			snprintf(block, sizeof(block), "\n.TP\n.B \\-%c\n%s", option->letter,
				 dashes(option->help));
		contains(section, block);
	}
	assert_int_equal(count(section, "\n.TP\n"), DDPTOOL_N_OPTIONS);
	free(section);
	free(page);
}

static void the_manual_page_has_each_exit_status(void **state) {
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

static void the_completions_have_each_option(void **state) {
	char *bash = file_read(DDPTOOL_SOURCES "/ddptool.bash");
	char *zsh = file_read(DDPTOOL_SOURCES "/_ddptool");
	char line[512] = "words=\"";

	(void)state;
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++)
		sprintf(line + strlen(line), "%s-%c", i == 0 ? "" : " ", ddptool_options[i].letter);
	strcat(line, "\"\n");
	contains(bash, line);
	for (unsigned int i = 0; i < DDPTOOL_N_OPTIONS; i++) {
		const struct option_row *option = &ddptool_options[i];
		char argument[32];

		snprintf(argument, sizeof(argument), ":%s",
			 option->argument != NULL ? option->argument : "");
		if (option->argument == NULL)
			snprintf(line, sizeof(line), "\t\t\"-%c[%s]\"", option->letter,
				 option->help);
		else
			snprintf(line, sizeof(line), "\t\t\"-%c[%s]%s:_", option->letter,
				 option->help, option->argument[0] == '[' ? "::FILE" : argument);
		contains(zsh, line);
	}
	assert_int_equal(count(zsh, "\t\t\"-"), DDPTOOL_N_OPTIONS);
	free(zsh);
	free(bash);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manual_page_has_each_option),
		cmocka_unit_test(the_manual_page_has_each_exit_status),
		cmocka_unit_test(the_completions_have_each_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
