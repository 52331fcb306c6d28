/* SPDX-License-Identifier: BSD-3-Clause */
// What to make of a simulation of all that could be done: which candidate to take, why, and how.
#ifndef DDPCTL_SIMULATE_ADVICE_H
#define DDPCTL_SIMULATE_ADVICE_H

#include "choice.h"
#include "entropy.h"
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

#define REASONS_MAX 16
#define ADVICE_COMMANDS 4

struct advice_command {
	const char *key;  // for machines
	const char *what; // for people
	const char *text;
};

struct advice {
	enum verdict verdict;
	const struct outcome *best; // the fixed-function NIC unless ADVICE_TAKE
	const struct outcome *base; // the fixed-function NIC
	bool balance;               // load-aware RSS makes the best one clearly better
	const struct outcome *ue;   // keeps both directions of a UE together, NULL for none
	const char *headline;
	const char *reasons[REASONS_MAX + 1]; // up to NULL
	struct advice_command commands[ADVICE_COMMANDS];
	unsigned int n_commands;
	struct choice choice;
	struct entropies fields;
	struct unread unread;
};

// All that advice points to belongs to the simulation or its arena. fields and unread are filled in
// before.
// argv is the command line, "ddpctl advise" first, up to NULL.
void advice_make(struct advice *advice, const struct simulation *simulation,
		 const struct candidates *candidates, const char *const *argv);

// "take", "balance", "none needed", "nothing helps", "unread", "too few packets", "no packets".
const char *verdict_name(enum verdict verdict);

#endif
