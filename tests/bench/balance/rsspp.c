/* SPDX-License-Identifier: BSD-3-Clause */
// RSS++ (Barbette et al., CoNEXT 2019, section 4.2): code of our own, from its description and from
// what its published implementation does. Cores that are off the mean by more than 2 % of a core
// are overloaded or underloaded. The most overloaded core offers its largest entry to the core that
// needs most; if that cannot take it, the entry stays for good. First no core may give or take more
// than what makes it even; then both may be exceeded, by more and more while the sum of squared
// imbalances falls, and then by what lies between. The best of ten runs counts.
#include <string.h>

#include "policy.h"

#define THRESHOLD 0.02 // of a core
#define EVEN 0.01      // of a core
#define RUNS 10

struct problem {
	const struct cell *cell;
	const uint16_t *table;
	double loads[MAX_ENTRIES]; // parts of a core
	double excess[MAX_QUEUES]; // what it has above the mean
	uint16_t order[MAX_ENTRIES];
};

struct run {
	double square, left_over, left_under; // what is left of the imbalance
	uint16_t table[MAX_ENTRIES];
};

static int most_of(const double *values, const bool *open, unsigned int n, double sign) {
	int most = -1;

	for (unsigned int q = 0; q < n; q++)
		if (open[q] && (most < 0 || sign * values[q] > sign * values[most]))
			most = q;
	return most;
}

// The next of the queue's entries, largest first; -1: none is left.
static int entry_next(const struct problem *problem, unsigned int queue, unsigned int *position) {
	while (*position < problem->cell->n_entries) {
		unsigned int entry = problem->order[(*position)++];

		if (problem->table[entry] == queue && problem->loads[entry] > 0)
			return entry;
	}
	return -1;
}

// over, under: what cores may give and get beyond what makes them even.
static void run_make(struct run *run, const struct problem *problem, double over, double under) {
	unsigned int n_queues = problem->cell->n_queues, positions[MAX_QUEUES] = {0};
	bool giving[MAX_QUEUES], getting[MAX_QUEUES], taking_part[MAX_QUEUES];
	double excess[MAX_QUEUES];
	int from, to;

	memcpy(run->table, problem->table, sizeof(run->table));
	memcpy(excess, problem->excess, sizeof(excess));
	for (unsigned int q = 0; q < n_queues; q++) {
		giving[q] = excess[q] > THRESHOLD;
		getting[q] = excess[q] < -THRESHOLD;
		taking_part[q] = giving[q] || getting[q];
	}
	while ((from = most_of(excess, giving, n_queues, 1)) >= 0 &&
	       (to = most_of(excess, getting, n_queues, -1)) >= 0) {
		int entry = entry_next(problem, from, &positions[from]);

		if (entry < 0) {
			giving[from] = false;
			continue;
		}
		if (problem->loads[entry] < -excess[to] + under) {
			excess[from] -= problem->loads[entry];
			excess[to] += problem->loads[entry];
			run->table[entry] = to;
			getting[to] = -excess[to] > EVEN;
		}
		giving[from] = excess[from] > -over;
	}
	run->square = run->left_over = run->left_under = 0;
	for (unsigned int q = 0; q < n_queues; q++) {
		if (!taking_part[q])
			continue;
		run->square += excess[q] * excess[q];
		if (problem->excess[q] > 0)
			run->left_over += excess[q] > 0 ? excess[q] : -excess[q];
		else
			run->left_under += excess[q] > 0 ? excess[q] : -excess[q];
	}
}

static void keep_better(struct run *best, const struct run *run) {
	if (run->square < best->square)
		*best = *run;
}

static void solve(struct run *best, const struct problem *problem) {
	double low = 0, high = 0, factor = 1, last, over, under;
	struct run run;

	run_make(best, problem, -EVEN, -EVEN);
	over = best->left_over;
	under = best->left_under;
	last = best->square;
	for (unsigned int i = 1; i < RUNS && best->square >= EVEN * EVEN; i++) {
		run_make(&run, problem, factor * over, factor * under);
		keep_better(best, &run);
		if (high == 0 && run.square <= last) {
			low = factor;
			factor *= 1.5;
		} else {
			if (high == 0 || run.square > last)
				high = factor;
			else
				low = factor;
			factor = (low + high) / 2;
		}
		last = run.square;
	}
}

static void decide(const struct observed *observed, const uint32_t *packets, double most,
		   uint16_t *table) {
	struct problem problem = {.cell = observed->cell, .table = table};
	unsigned int n_queues = observed->cell->n_queues, n_entries = observed->cell->n_entries;
	double counts[MAX_QUEUES] = {0}, cores[MAX_QUEUES], sum = 0;
	struct run best;

	for (unsigned int i = 0; i < n_entries; i++)
		counts[table[i]] += packets[i];
	for (unsigned int q = 0; q < n_queues; q++) {
		cores[q] = counts[q] / observed->capacity;
		cores[q] = cores[q] > most ? most : cores[q];
		sum += cores[q];
	}
	for (unsigned int q = 0; q < n_queues; q++)
		problem.excess[q] = cores[q] - sum / n_queues;
	for (unsigned int i = 0; i < n_entries; i++)
		problem.loads[i] =
			packets[i] == 0 ? 0 : packets[i] / counts[table[i]] * cores[table[i]];
	entries_by_load(problem.order, problem.loads, n_entries);
	solve(&best, &problem);
	memcpy(table, best.table, sizeof(best.table));
}

// As published: a core's load is the time in which it works, and its packets are those it gets.
void rsspp_decide(union policy_state *state, const struct observed *observed, uint16_t *table) {
	(void)state;
	decide(observed, observed->served, 1, table);
}

// With our measure: all packets that came.
void rsspp_offered_decide(union policy_state *state, const struct observed *observed,
			  uint16_t *table) {
	(void)state;
	decide(observed, observed->packets, 1e9, table);
}
