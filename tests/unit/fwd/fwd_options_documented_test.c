/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page says what the tables say: nothing missing, nothing left over.
#include "test.h"

#include "fwd/config.h"
#include "fwd/counts.h"

static char *page;

static int page_read(void **state) {
	FILE *file = fopen(FWD_MAN_PAGE, "r");
	size_t size = 0;

	(void)state;
	if (file == NULL || getdelim(&page, &size, '\0', file) < 0)
		return -1;
	return fclose(file);
}

static int page_free(void **state) {
	(void)state;
	free(page);
	return 0;
}

// As roff wants it: a '-' that is typed is "\-".
static void dashes(char *to, const char *name) {
	for (; *name != '\0'; name++) {
		if (*name == '-')
			*to++ = '\\';
		*to++ = *name;
	}
	*to = '\0';
}

static void the_page_has_each_option(void **state) {
	(void)state;
	for (unsigned int i = 0; i < n_config_options; i++) {
		const struct option_row *option = &config_options[i];
		char name[64], entry[512];

		dashes(name, option->name);
		if (option->argument != NULL && option->argument[0] == '[')
			snprintf(entry, sizeof(entry), "\n.TP\n.BI \\-\\-%s[= %.*s ]\n%s\n", name,
				 (int)strcspn(option->argument + 1, "]"), option->argument + 1,
				 option_summary(option));
		else if (option->argument != NULL)
			snprintf(entry, sizeof(entry), "\n.TP\n.BI \\-\\-%s \" %s\"\n%s\n", name,
				 option->argument, option_summary(option));
		else if (strcmp(option->name, "help") == 0)
			snprintf(entry, sizeof(entry), "\n.TP\n.BR \\-h \", \" \\-\\-%s\n%s\n",
				 name, option_summary(option));
		else
			snprintf(entry, sizeof(entry), "\n.TP\n.B \\-\\-%s\n%s\n", name,
				 option_summary(option));
		if (strstr(page, entry) == NULL)
			fail_msg("not there:%s", entry);
	}
}

static void the_page_has_no_other_option(void **state) {
	const char *at = strstr(page, "\n.SH OPTIONS\n");
	const char *end = strstr(page, "\n.SH REPORT\n");
	unsigned int n = 0;

	(void)state;
	assert_non_null(at);
	assert_non_null(end);
	while ((at = strstr(at + 1, "\n.TP\n")) != NULL && at < end)
		n++;
	assert_int_equal(n, n_config_options);
}

static void the_page_has_each_drop_reason(void **state) {
	static const char *const entries[] = {
#define DROP_ENTRY(constant, name, meaning) name " :\n" meaning,
		DROP_REASONS(DROP_ENTRY)
#undef DROP_ENTRY
	};

	(void)state;
	for (unsigned int i = 0; i < N_DROP_REASONS; i++)
		if (strstr(page, entries[i]) == NULL)
			fail_msg("not there:\n%s", entries[i]);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_each_option),
		cmocka_unit_test(the_page_has_no_other_option),
		cmocka_unit_test(the_page_has_each_drop_reason),
	};

	return cmocka_run_group_tests(tests, page_read, page_free);
}
