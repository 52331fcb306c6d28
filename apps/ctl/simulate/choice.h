/* SPDX-License-Identifier: BSD-3-Clause */
// Which candidate of a simulation to take. Imbalance is compared by what many RSS keys give, not by
// the one at hand, and what these keys cannot tell apart is equal: then the profile is taken that
// is made for the traffic.
#ifndef DDPCTL_SIMULATE_CHOICE_H
#define DDPCTL_SIMULATE_CHOICE_H

#include "simulation.h"

struct choice {
	const struct outcome *best;
	const char *reason; // for the best among the equal, "it ..."
	// Those that are as good as the best, but for chance, most even first, without any that
	// does the same as another one. The best is among them.
	const struct outcome **equal;
	unsigned int n_equal;
	// All, most even first, without those that do the same as a simpler one.
	const struct outcome **ranking;
	unsigned int n_ranking;
};

// The imbalance that a candidate is judged by.
static inline double outcome_score(const struct outcome *outcome) {
	return outcome->keys.n > 0 ? outcome->keys.plain.median : outcome->imbalance;
}

// The last candidate is the fixed-function NIC. The simulation's arena owns what choice points to.
void choice_make(struct choice *choice, const struct simulation *simulation,
		 const struct candidates *candidates);

#endif
