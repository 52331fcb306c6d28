/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples.h"

#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>

#include "bench.h"

#define ROUNDS_MIN 5

void samples_begin(struct samples *samples, unsigned int n_rounds, double seconds) {
	if (options.quick) {
		n_rounds = (n_rounds + 5) / 6;
		seconds /= 6;
	}
	samples->n_rounds = 0;
	samples->n_rounds_max = n_rounds;
	samples->end_tsc = rte_rdtsc() + (uint64_t)(seconds * rte_get_tsc_hz());
}

bool samples_next(struct samples *samples, unsigned int *round) {
	if (samples->n_rounds == samples->n_rounds_max)
		return false;
	if (samples->n_rounds >= ROUNDS_MIN && rte_rdtsc() > samples->end_tsc)
		return false;
	*round = samples->n_rounds++;
	return true;
}

double samples_ns(uint64_t tsc, uint64_t n) {
	return (double)(rte_rdtsc_precise() - tsc) * 1e9 / rte_get_tsc_hz() / n;
}

static int compare(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

// The value that a part of all are below; sorts them.
static double quantile(double *values, unsigned int n, double part) {
	qsort(values, n, sizeof(*values), compare);
	return values[(unsigned int)(part * (n - 1) + 0.5)];
}

struct figure samples_figure(const struct samples *samples, unsigned int i, int base) {
	double values[ROUNDS_MAX];
	unsigned int n = samples->n_rounds;
	struct figure figure = {.given = true};

	memcpy(values, samples->ns[i], n * sizeof(*values));
	figure.ns = quantile(values, n, 0.5);
	figure.spread = (quantile(values, n, 0.9) - quantile(values, n, 0.1)) / figure.ns;
	if (base < 0)
		return figure;
	for (unsigned int k = 0; k < n; k++)
		values[k] = samples->ns[base][k] / samples->ns[i][k];
	figure.ratio = quantile(values, n, 0.5);
	return figure;
}
