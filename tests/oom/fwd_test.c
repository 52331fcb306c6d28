/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-fwd without memory for its counters: it says so before anything is forwarded.
#include "failing.h"

#include <errno.h>
#include <stdio.h>

#include <rte_eal.h>
#include <rte_ethdev.h>

#include "fwd/counts.h"
#include "fwd/live.h"
#include "fwd/workers.h"

#define MAX 50 // of the allocations of one operation

static const struct config config = {.n_rxq = 4, .n_txq = 4, .burst = 32};
static struct ports ports = {.n = 1};
static struct workers workers;
static struct control control;
static struct live live;
static struct report report;
static FILE *nowhere;

static int counters(void *arg, char *text) {
	struct error error;

	(void)arg;
	if (workers_create(&workers, &ports, &config, 1, &control, &error) == 0)
		return 0;
	workers_destroy(&workers);
	assert_int_equal(error.code, EXIT_FAILED);
	snprintf(text, ERROR_SIZE, "%.200s", error.text);
	return -ENOMEM;
}

static int counters_undo(void *arg, char *text) {
	(void)arg, (void)text;
	workers_destroy(&workers);
	return 0;
}

static int table(void *arg, char *text) {
	int ret = live_init(&live, nowhere, &config, &ports, &workers);

	(void)arg;
	if (ret < 0) {
		snprintf(text, ERROR_SIZE, "out of memory"); // as forward() does
		live_fini(&live);
	}
	return ret;
}

static int table_undo(void *arg, char *text) {
	(void)arg, (void)text;
	assert_int_equal(live_show(&live, &workers, 1), 0); // twice: the tables take turns
	assert_int_equal(live_show(&live, &workers, 2), 0);
	live_fini(&live);
	return 0;
}

static int end(void *arg, char *text) {
	int ret = report_init(&report, &config, &ports, &workers);

	(void)arg;
	if (ret < 0) {
		snprintf(text, ERROR_SIZE, "out of memory"); // as forward() does
		report_fini(&report);
	}
	return ret;
}

static int end_undo(void *arg, char *text) {
	(void)arg, (void)text;
	assert_non_null(report.ports[0].missed_ids); // or it is a report of some packets only
	report_fini(&report);
	return 0;
}

static void without_memory_nothing_is_forwarded_and_it_is_said(void **state) {
	static const struct operation with_counters[] = {
		{"live table", table, table_undo, NULL, NULL},
		{"report", end, end_undo, NULL, NULL},
	};
	char text[ERROR_SIZE];

	nowhere = fopen("/dev/null", "w");
	assert_non_null(nowhere);
	operation_sweep(&(struct operation){"counters", counters, counters_undo, NULL, NULL}, MAX);
	assert_int_equal(counters(NULL, text), 0);
	for (unsigned int i = 0; i < RTE_DIM(with_counters); i++)
		operation_sweep(&with_counters[i], MAX);
	counters_undo(NULL, text);
	fclose(nowhere);
}

int main(void) {
	static const char *args[] = {"oom_fwd_test",      "--no-huge",        "-m64",
				     "--no-pci",          "--no-telemetry",   "-l0",
				     "--log-level=error", "--vdev=net_null0", NULL};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory_nothing_is_forwarded_and_it_is_said),
	};

	if (rte_eal_init(RTE_DIM(args) - 1, (char **)args) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
