/* SPDX-License-Identifier: BSD-3-Clause */
// Times of the rounds of a measurement: all that is compared takes its turn in each round, so that
// what disturbs the machine for longer than a round disturbs all of it.
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stdint.h>

#include "print.h"

#define ROUNDS_MAX 128
#define SERIES_MAX TABLE_ROWS

struct samples {
	unsigned int n_rounds, n_rounds_max;
	uint64_t end_tsc;
	double ns[SERIES_MAX][ROUNDS_MAX]; // by what is measured and round
};

// Begin with n_rounds to come: fewer where they take more than so many seconds, as on a busy
// machine, and a sixth of both with --quick.
void samples_begin(struct samples *samples, unsigned int n_rounds, double seconds);
// Whether there is another round, and its number.
bool samples_next(struct samples *samples, unsigned int *round);
// The time that n took, from tsc to now.
double samples_ns(uint64_t tsc, uint64_t n);
// The figure of series i; compared with series base, -1: with none.
struct figure samples_figure(const struct samples *samples, unsigned int i, int base);

#endif
