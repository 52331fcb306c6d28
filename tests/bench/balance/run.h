/* SPDX-License-Identifier: BSD-3-Clause */
// All policies on the same traffic.
#ifndef BALANCE_RUN_H
#define BALANCE_RUN_H

#include "lane.h"

struct run_options {
	unsigned int seconds, warm_up; // of virtual time
	unsigned int n_seeds;
	bool packets; // each of them on its way, or their numbers by entry only
};

struct result {
	double bound; // max/mean that the largest flow alone makes
	struct outcome outcomes[N_POLICIES];
};

void cell_run(struct result *result, const struct cell *cell, const struct run_options *options);

// Time of a decision of the policy for 512 entries, in real us.
struct decision_cost {
	double median, most;
};

struct decision_cost decision_measure(const struct policy *policy, unsigned int n_queues);

#endif
