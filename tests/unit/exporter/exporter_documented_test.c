/* SPDX-License-Identifier: BSD-3-Clause */
// The manual page says what the tables say: nothing missing, nothing left over.
#include "unit.h"

#include "exporter/families.h"
#include "exporter/options.h"

static char *page;

static int page_read(void **state) {
	FILE *file = fopen(EXPORTER_MAN_PAGE, "r");
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

// The part of the page from one .SH to another. The caller frees it.
static char *section_of(const char *title, const char *next) {
	const char *from = strstr(page, title), *to = strstr(page, next);

	assert_non_null(from);
	assert_non_null(to);
	return strndup(from, to + 1 - from);
}

static unsigned int count(const char *text, const char *what) {
	unsigned int n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static void the_page_has_each_option(void **state) {
	char *section = section_of("\n.SH OPTIONS\n", "\n.SH METRICS\n");

	(void)state;
	for (unsigned int i = 0; i < EXPORTER_N_OPTIONS; i++) {
		const struct option_row *option = &exporter_option_rows[i];
		char name[64] = "\\-\\-", entry[512];

		for (const char *c = option->name; *c != '\0'; c++)
			sprintf(name + strlen(name), "%s%c", *c == '-' ? "\\" : "", *c);
		if (option->argument != NULL)
			snprintf(entry, sizeof(entry), "\n.TP\n.BI %s \" %s\"\n%s\n", name,
				 option->argument, option_summary(option));
		else if (option->letter != '\0')
			snprintf(entry, sizeof(entry), "\n.TP\n.BR \\-%c \", \" %s\n%s\n",
				 option->letter, name, option_summary(option));
		else
			snprintf(entry, sizeof(entry), "\n.TP\n.B %s\n%s\n", name,
				 option_summary(option));
		if (strstr(section, entry) == NULL)
			fail_msg("not there:%s", entry);
	}
	assert_int_equal(count(section, "\n.TP\n"), EXPORTER_N_OPTIONS);
	free(section);
}

static void the_page_has_each_metric(void **state) {
	char *section = section_of("\n.SH METRICS\n", "\n.SH LIMITS\n");
	char name[64], entry[512];
	const char *help;
	unsigned int n;

	(void)state;
	for (n = 0; families_name(n, name, &help); n++) {
		snprintf(entry, sizeof(entry), "\n.TP\n.B %s\n%s\n", name, help);
		if (strstr(section, entry) == NULL)
			fail_msg("not there:%s", entry);
	}
	assert_int_equal(count(section, "\n.TP\n"), n);
	free(section);
}

// Prometheus' conventions: base units, and names of letters and '_'.
static void metrics_are_named_as_prometheus_wants(void **state) {
	static const char *const not_base[] = {"_ms", "_us", "_ns", "permille", "percent"};
	char name[64];
	const char *help;

	(void)state;
	for (unsigned int i = 0; families_name(i, name, &help); i++) {
		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
		for (unsigned int j = 0; j < COUNT(not_base); j++)
			assert_null(strstr(name, not_base[j]));
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_each_option),
		cmocka_unit_test(the_page_has_each_metric),
		cmocka_unit_test(metrics_are_named_as_prometheus_wants),
	};

	return cmocka_run_group_tests(tests, page_read, page_free);
}
