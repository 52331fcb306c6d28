/* SPDX-License-Identifier: BSD-3-Clause */
// Advice from a simulation of all candidates: the best one, the reasons, and the commands to use
// it. Imbalance is the median of many RSS keys, not that of one key. If candidates differ less than
// the keys do, the profile with more own packet types in the traffic is preferred.
#ifndef DDPCTL_SIMULATE_ADVICE_H
#define DDPCTL_SIMULATE_ADVICE_H

#include "common/strbuf.h"
#include "simulation.h"
#include "unread.h"

enum verdict {
	ADVICE_TAKE,          // a candidate is clearly better than a fixed-function NIC
	ADVICE_BALANCE,       // no candidate is better, but load-aware RSS helps
	ADVICE_NONE_NEEDED,   // the fixed-function NIC does well
	ADVICE_NOTHING_HELPS, // neither candidates nor load-aware RSS help
	ADVICE_UNREAD,        // nothing helps, but a new profile could
	ADVICE_TOO_FEW,       // nothing helps, but there are too few packets to be sure
	ADVICE_NO_PACKETS,
};

extern const char *const verdict_names[]; // "take", "balance", "none needed", ...

#define REASONS_MAX 8
#define ADVICE_COMMANDS 4

struct advice_command {
	const char *key;  // for JSON
	const char *what; // for text output
	const char *text;
};

struct advice {
	// set by the caller
	const struct simulation *simulation;
	const char *const *argv; // "ddpctl", "advise" and the rest of the command line, then NULL
	struct unread unread;
	int n_named; // candidates of --with, the first ones of the simulation

	struct strbuf text; // buffer of the sentence that is being written
	enum verdict verdict;
	const struct outcome *best; // the fixed-function NIC unless ADVICE_TAKE
	const struct outcome *base; // the fixed-function NIC
	bool balance;               // load-aware RSS makes the best one clearly better
	// Most even first, without candidates that a simpler one replaces unless they are named.
	// The first n_equal are equal but for chance.
	const struct outcome **ranking;
	unsigned int n_ranking, n_equal;
	const char *headline;
	const char *reasons[REASONS_MAX];
	unsigned int n_reasons;
	struct advice_command commands[ADVICE_COMMANDS];
	unsigned int n_commands;
};

// The imbalance by which candidates are compared.
static inline double outcome_score(const struct outcome *outcome) {
	return outcome->keys.n > 0 ? outcome->keys.plain.median : outcome->imbalance;
}

// All pointers of advice belong to the simulation or its arena.
void advice_make(struct advice *advice);

#endif
