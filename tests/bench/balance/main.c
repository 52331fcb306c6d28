/* SPDX-License-Identifier: BSD-3-Clause */
// ddp-bench-balance: queues as they get loaded by a fixed table, by those who change it, and by
// net_ddp, in virtual time.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "claims.h"
#include "fail.h"
#include "report.h"

enum scale {
	SCALE_CHECK, // for meson test: does it run
	SCALE_QUICK,
	SCALE_USUAL,
	SCALE_FULL,
};

static const struct run_options spread_options[] = {
	[SCALE_CHECK] = {.seconds = 1, .warm_up = 1, .n_seeds = 1},
	[SCALE_QUICK] = {.seconds = 10, .warm_up = 2, .n_seeds = 1},
	[SCALE_USUAL] = {.seconds = 20, .warm_up = 2, .n_seeds = 2},
	[SCALE_FULL] = {.seconds = 60, .warm_up = 2, .n_seeds = 10},
};

static const struct run_options latency_options[] = {
	[SCALE_CHECK] = {.seconds = 0, .warm_up = 0, .n_seeds = 1, .packets = true},
	[SCALE_QUICK] = {.seconds = 1, .warm_up = 1, .n_seeds = 1, .packets = true},
	[SCALE_USUAL] = {.seconds = 2, .warm_up = 1, .n_seeds = 2, .packets = true},
	[SCALE_FULL] = {.seconds = 10, .warm_up = 1, .n_seeds = 5, .packets = true},
};

static enum scale scale = SCALE_USUAL;
static json_t *cells;

static const struct cell usual_cell = {
	.n_queues = 16,
	.n_entries = 512,
	.n_ues = 10000,
	.zipf = 1,
	.churn = 2,
	.load = 90,
	.ns = 300,
};

static void spread_run(const struct cell *cell) {
	struct result result;

	cell_run(&result, cell, &spread_options[scale]);
	if (!cell->even_entries)
		spread_print(cell, &result);
	claims_spread(cell, &result);
	json_array_append_new(cells, result_json(cell, &result, false));
}

// Even traffic: a packet of each entry is as likely as of any other, at full rate and at a
// hundredth.
static void even_run(struct cell cell) {
	cell.even_entries = true;
	cell.zipf = cell.churn = 0;
	cell.elephant = false;
	for (unsigned int i = 0; i < 2; i++) {
		spread_run(&cell);
		cell.load /= 100;
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void spreads_of_port(struct cell cell) {
	static const unsigned int ues[] = {1000, 10000, 100000};
	static const double zipfs[] = {0.9, 1.0, 1.1, 1.3};
	static const double churns[] = {0, 2, 10};

	for (unsigned int i = 0; i < COUNT(ues) * COUNT(zipfs) * COUNT(churns) * 2; i++) {
		cell.n_ues = ues[i / (2 * COUNT(churns) * COUNT(zipfs))];
		cell.zipf = zipfs[i / (2 * COUNT(churns)) % COUNT(zipfs)];
		cell.churn = churns[i / 2 % COUNT(churns)];
		cell.elephant = i % 2;
		spread_run(&cell);
		if (scale == SCALE_CHECK)
			break;
	}
	even_run(cell);
}

static void spreads_run(void) {
	static const unsigned int ports[][2] = {{16, 512}, {16, 128}, {8, 512}, {8, 128}};

	spread_heading();
	for (unsigned int i = 0; i < COUNT(ports); i++) {
		struct cell cell = usual_cell;

		cell.n_queues = ports[i][0];
		cell.n_entries = ports[i][1];
		spreads_of_port(cell);
		if (scale == SCALE_CHECK)
			break;
	}
}

static void latency_run(const struct cell *cell) {
	struct result result;

	cell_run(&result, cell, &latency_options[scale]);
	latency_print(cell, &result);
	claims_latency(cell, &result);
	json_array_append_new(cells, result_json(cell, &result, true));
}

// Single packets take their time, so one thing differs at a time; with --full all that matter do.
static void latencies_run(void) {
	struct cell cell = usual_cell;

	latency_run(&cell);
	cell.zipf = 0.9;
	for (cell.load = 70; cell.load <= 90; cell.load += 10)
		latency_run(&cell);
	cell.load = 95;
	latency_run(&cell);
	cell.load = 90;
	cell.elephant = true;
	latency_run(&cell);
	cell.elephant = false;
	cell.n_entries = 128;
	latency_run(&cell);
	cell.n_entries = 512;
	cell.churn = 0;
	latency_run(&cell);
	cell.churn = 10;
	latency_run(&cell);
	cell.churn = 2;
	cell.ns = 500;
	latency_run(&cell);
	cell.ns = 200;
	latency_run(&cell);
	cell.ns = 300;
	cell.n_queues = 8;
	latency_run(&cell);
	cell.zipf = 1;
	latency_run(&cell);
	cell.n_ues = 100000;
	latency_run(&cell);
}

static void latencies_run_full(void) {
	static const double zipfs[] = {0.9, 1.0, 1.1, 1.3};
	static const double loads[] = {70, 80, 90, 95};

	for (unsigned int i = 0; i < 2 * COUNT(zipfs) * COUNT(loads); i++) {
		struct cell cell = usual_cell;

		cell.n_queues = i % 2 ? 8 : 16;
		cell.zipf = zipfs[i / 2 % COUNT(zipfs)];
		cell.load = loads[i / 2 / COUNT(zipfs)];
		latency_run(&cell);
	}
}

static json_t *decisions_run(void) {
	static const unsigned int deciders[] = {POLICY_RSSPP_OFFERED, POLICY_OURS, POLICY_LPT};
	static const unsigned int queues[] = {8, 64, 256};
	json_t *list = json_array();

	printf("\na decision for 512 entries, in us of real time: the median, and 99 of 100\n");
	for (unsigned int i = 0; i < COUNT(deciders) * COUNT(queues); i++) {
		const struct policy *policy = &policies[deciders[i / COUNT(queues)]];
		unsigned int n_queues = queues[i % COUNT(queues)];
		struct decision_cost cost = decision_measure(policy, n_queues);

		printf("%-26s %3u queues %7.1f %7.1f\n", policy->title, n_queues, cost.median,
		       cost.most);
		if (policy == &policies[POLICY_OURS])
			claims_decision(n_queues, &cost);
		json_array_append_new(list, json_pack("{s:s, s:i, s:f, s:f}", "policy", policy->id,
						      "queues", n_queues, "median_us", cost.median,
						      "p99_us", cost.most));
	}
	return list;
}

static void usage(FILE *out) {
	fprintf(out, "usage: ddp-bench-balance [--quick | --full] [--json FILE]\n"
		     "  --quick      a first look, under a minute\n"
		     "  --full       longer, with more seeds and cells: about an hour\n"
		     "  --json FILE  write all figures\n"
		     "  --check      only see whether it runs\n"
		     "  -h, --help   this text\n");
}

static const char *options_parse(int argc, char **argv) {
	static const struct option longs[] = {
		{"check", no_argument, NULL, 'c'}, {"full", no_argument, NULL, 'f'},
		{"help", no_argument, NULL, 'h'},  {"json", required_argument, NULL, 'j'},
		{"quick", no_argument, NULL, 'q'}, {0},
	};
	const char *json = NULL;
	int opt;

	while ((opt = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (opt) {
		case 'c':
			scale = SCALE_CHECK;
			break;
		case 'f':
			scale = SCALE_FULL;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		case 'j':
			json = optarg;
			break;
		case 'q':
			scale = SCALE_QUICK;
			break;
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "ddp-bench-balance: what is '%s'\n", argv[optind]);
		usage(stderr);
		exit(2);
	}
	return json;
}

int main(int argc, char **argv) {
	const char *file = options_parse(argc, argv);
	json_t *report, *decisions;

	cells = json_array();
	spreads_run();
	if (scale != SCALE_CHECK)
		latencies_run();
	if (scale == SCALE_FULL)
		latencies_run_full();
	decisions = decisions_run();
	claims_print();
	report = json_pack("{s:o, s:o, s:o}", "balance", cells, "decisions", decisions, "claims",
			   claims_json());
	if (file != NULL &&
	    json_dump_file(report, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) < 0)
		fail("cannot write %s", file);
	json_decref(report);
	return 0;
}
