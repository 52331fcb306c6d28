/* SPDX-License-Identifier: BSD-3-Clause */
// Both text formats, and labels whose values somebody else chose.
#include "unit.h"

#include "exporter/exposition.h"

struct row {
	const char *name, *value, *label;
};

static const struct row rows[] = {
	{"a_plain_value", "upf", "a=\"upf\""},
	{"nothing", "", "a=\"\""},
	{"a_quote_and_a_backslash_are_escaped", "a\"b\\c", "a=\"a\\\"b\\\\c\""},
	{"a_new_line_ends_no_sample", "a\nup 1\n", "a=\"a\\\\x0aup 1\\\\x0a\""},
	{"an_escape_drives_no_terminal", "\x1b[2J", "a=\"\\\\x1b[2J\""},
	{"what_is_no_utf8_is_escaped",
	 "a\xff"
	 "b",
	 "a=\"a\\\\xffb\""},
	{"utf8_stays", "n\xc3\xa4h", "a=\"n\xc3\xa4h\""},
};

static void a_row(void **state) {
	const struct row *row = *state;
	struct labels labels = {0};

	label_add(&labels, "a", row->value);
	assert_string_equal(labels.text, row->label);
	assert_int_equal(labels.len, strlen(row->label));
}

static void labels_follow_one_another(void **state) {
	struct labels labels = {0};

	(void)state;
	label_add(&labels, "process", "upf");
	label_add_uint(&labels, "queue", 12);
	assert_string_equal(labels.text, "process=\"upf\",queue=\"12\"");
}

static void labels_do_not_grow_without_end(void **state) {
	struct labels labels = {0};
	char value[1 << 12];

	(void)state;
	memset(value, '"', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	for (unsigned int i = 0; i < 100; i++)
		label_add(&labels, "a", value);
	assert_true(labels.len < sizeof(labels.text));
	assert_int_equal(strlen(labels.text), labels.len);
	assert_int_equal(labels.text[labels.len - 1], '"');
}

static char *all_types(bool openmetrics) {
	struct exposition text = {.openmetrics = openmetrics};
	char *written;
	size_t size;

	text.to = open_memstream(&written, &size);
	exposition_family(&text, METRIC_COUNTER, "packets", "Packets");
	exposition_uint(&text, "queue=\"0\"", UINT64_MAX);
	exposition_family(&text, METRIC_INFO, "build", "Version");
	exposition_uint(&text, "version=\"1\"", 1);
	exposition_family(&text, METRIC_GAUGE, "load_ratio", "Load");
	exposition_real(&text, "", 1.25);
	exposition_family(&text, METRIC_HISTOGRAM, "latency_seconds", "Latency");
	exposition_part(&text, "_bucket", "le=\"+Inf\"", 3);
	exposition_end(&text);
	fclose(text.to);
	return written;
}

static void prometheus_text_has_the_names_of_samples(void **state) {
	char *text = all_types(false);

	(void)state;
	assert_string_equal(text, "# HELP packets_total Packets\n"
				  "# TYPE packets_total counter\n"
				  "packets_total{queue=\"0\"} 18446744073709551615\n"
				  "# HELP build_info Version\n"
				  "# TYPE build_info gauge\n"
				  "build_info{version=\"1\"} 1\n"
				  "# HELP load_ratio Load\n"
				  "# TYPE load_ratio gauge\n"
				  "load_ratio 1.25\n"
				  "# HELP latency_seconds Latency\n"
				  "# TYPE latency_seconds histogram\n"
				  "latency_seconds_bucket{le=\"+Inf\"} 3\n");
	free(text);
}

static void openmetrics_has_the_names_of_families_and_an_end(void **state) {
	char *text = all_types(true);

	(void)state;
	assert_string_equal(text, "# HELP packets Packets\n"
				  "# TYPE packets counter\n"
				  "packets_total{queue=\"0\"} 18446744073709551615\n"
				  "# HELP build Version\n"
				  "# TYPE build info\n"
				  "build_info{version=\"1\"} 1\n"
				  "# HELP load_ratio Load\n"
				  "# TYPE load_ratio gauge\n"
				  "load_ratio 1.25\n"
				  "# HELP latency_seconds Latency\n"
				  "# TYPE latency_seconds histogram\n"
				  "latency_seconds_bucket{le=\"+Inf\"} 3\n"
				  "# EOF\n");
	free(text);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_follow_one_another),
		cmocka_unit_test(labels_do_not_grow_without_end),
		cmocka_unit_test(prometheus_text_has_the_names_of_samples),
		cmocka_unit_test(openmetrics_has_the_names_of_families_and_an_end),
	};
	int n_failed = rows_run("labels", a_row, rows);

	return n_failed + cmocka_run_group_tests(tests, NULL, NULL);
}
