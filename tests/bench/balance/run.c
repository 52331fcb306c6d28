/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <string.h>
#include <time.h>

#include "fail.h"

#define SECOND (1000 / WINDOW_MS) // in windows

static void seed_run(struct result *result, const struct cell *cell,
		     const struct run_options *options, uint64_t seed) {
	struct lane *lanes = calloc(N_POLICIES, sizeof(*lanes));
	struct traffic traffic;
	struct window window;

	if (lanes == NULL)
		fail("out of memory");
	traffic_init(&traffic, cell, seed);
	window_init(&window, cell, options->packets);
	for (unsigned int i = 0; i < N_POLICIES; i++)
		lane_init(&lanes[i], &policies[i], cell, &traffic);
	for (unsigned int n = 0; n < (options->warm_up + options->seconds) * SECOND; n++) {
		uint64_t start = traffic.now;

		window_next(&window, &traffic);
		for (unsigned int i = 0; i < N_POLICIES; i++)
			lane_run(&lanes[i], &window, start, n >= options->warm_up * SECOND);
	}
	result->bound = traffic_largest(&traffic) * cell->n_queues;
	for (unsigned int i = 0; i < N_POLICIES; i++) {
		outcome_add(&result->outcomes[i], &lanes[i].outcome);
		lane_fini(&lanes[i]);
	}
	free(lanes);
	window_fini(&window);
	traffic_fini(&traffic);
}

void cell_run(struct result *result, const struct cell *cell, const struct run_options *options) {
	memset(result, 0, sizeof(*result));
	for (unsigned int seed = 1; seed <= options->n_seeds; seed++)
		seed_run(result, cell, options, seed);
}

static double now_us(void) {
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e6 * now.tv_sec + now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#define DECISIONS 400

struct decision_cost decision_measure(const struct policy *policy, unsigned int n_queues) {
	const struct cell cell = {.n_queues = n_queues,
				  .n_entries = MAX_ENTRIES,
				  .n_ues = 10000,
				  .zipf = 1,
				  .churn = 10,
				  .load = 90,
				  .ns = 300};
	uint16_t table[MAX_ENTRIES];
	double times[DECISIONS];
	union policy_state state;
	struct traffic traffic;
	struct window window;

	traffic_init(&traffic, &cell, 1);
	window_init(&window, &cell, false);
	ddp_reta_fill(table, MAX_ENTRIES, n_queues);
	policy->init(&state, &cell);
	for (unsigned int i = 0; i < DECISIONS; i++) {
		struct observed observed = {
			.cell = &cell,
			.capacity = cell_capacity(&cell) * SLICE_MS / 1000,
			.packets = window.counts[0],
			.served = window.counts[0],
		};
		double start;

		window_next(&window, &traffic);
		start = now_us();
		policy->decide(&state, &observed, table);
		times[i] = now_us() - start;
	}
	window_fini(&window);
	traffic_fini(&traffic);
	qsort(times, DECISIONS, sizeof(times[0]), compare);
	return (struct decision_cost){.median = times[DECISIONS / 2],
				      .most = times[DECISIONS * 99 / 100]};
}
