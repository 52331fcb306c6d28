/* SPDX-License-Identifier: BSD-3-Clause */
// What to make of a simulation of all that could be done: which candidate to take, why, and how.
// Imbalance is compared by what many RSS keys give, not by the one at hand. What these keys cannot
// tell apart is equal; then the profile is taken that is made for the traffic.
#ifndef DDPCTL_SIMULATE_ADVICE_H
#define DDPCTL_SIMULATE_ADVICE_H

#include "common/strbuf.h"
#include "simulation.h"
#include "unread.h"

enum verdict {
	ADVICE_TAKE,          // a candidate is clearly better than a fixed-function NIC
	ADVICE_BALANCE,       // none is, but load-aware RSS helps
	ADVICE_NONE_NEEDED,   // the fixed-function NIC does well
	ADVICE_NOTHING_HELPS, // neither
	ADVICE_UNREAD,        // neither, but a profile that is not there could
	ADVICE_TOO_FEW,       // neither, of so few packets that this says nothing
	ADVICE_NO_PACKETS,
};

extern const char *const verdict_names[]; // "take", "balance", "none needed", ...

#define REASONS_MAX 8
#define ADVICE_COMMANDS 4

struct advice_command {
	const char *key;  // for machines
	const char *what; // for people
	const char *text;
};

struct advice {
	// filled in before
	const struct simulation *simulation;
	const char *const *argv; // the command line, "ddpctl advise" first, up to NULL
	struct unread unread;
	int n_named; // candidates of --with, the first ones of the simulation

	struct strbuf text; // of what is written next
	enum verdict verdict;
	const struct outcome *best; // the fixed-function NIC unless ADVICE_TAKE
	const struct outcome *base; // the fixed-function NIC
	bool balance;               // load-aware RSS makes the best one clearly better
	// Most even first, without those that do the same as a simpler one unless they are named.
	// The first n_equal are as good as the first one, but for chance.
	const struct outcome **ranking;
	unsigned int n_ranking, n_equal;
	const char *headline;
	const char *reasons[REASONS_MAX];
	unsigned int n_reasons;
	struct advice_command commands[ADVICE_COMMANDS];
	unsigned int n_commands;
};

// The imbalance that a candidate is judged by.
static inline double outcome_score(const struct outcome *outcome) {
	return outcome->keys.n > 0 ? outcome->keys.plain.median : outcome->imbalance;
}

// All that advice points to belongs to the simulation or its arena.
void advice_make(struct advice *advice);

#endif
