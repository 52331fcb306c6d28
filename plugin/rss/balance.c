/* SPDX-License-Identifier: BSD-3-Clause */
#include "rss.h"

double ddp_imbalance(const uint64_t *loads, unsigned int n) {
	uint64_t most = 0;
	double sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum += loads[i];
		if (loads[i] > most)
			most = loads[i];
	}
	return sum == 0 ? 0 : most * (double)n / sum;
}

double ddp_jain(const uint64_t *loads, unsigned int n) {
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++) {
		sum += loads[i];
		squares += (double)loads[i] * loads[i];
	}
	return squares == 0 ? 0 : sum * sum / (n * squares);
}
