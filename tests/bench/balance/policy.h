/* SPDX-License-Identifier: BSD-3-Clause */
// What chooses queues: by a redirection table that it may change at the end of its interval.
#ifndef BALANCE_POLICY_H
#define BALANCE_POLICY_H

#include "cell.h"
#include "rss/rebalance.h"

// What a policy knows of an interval.
struct observed {
	const struct cell *cell;
	double capacity;         // packets that a queue can serve in it
	const uint32_t *packets; // by entry, that came
	const uint32_t *served;  // of those, the ones that the queues took
};

// The state of any policy.
union policy_state {
	struct ddp_rebalance rebalance;
	uint16_t groups[MAX_ENTRIES]; // queue by group
	unsigned int n_intervals;
};

// Which queue a packet goes to.
enum placing {
	PLACE_BY_TABLE,
	PLACE_IN_TURN,   // whatever its flow
	PLACE_BY_CHANCE, // the same
	PLACE_APART,     // each entry has a queue of its own
};

struct policy {
	const char *id, *title;
	unsigned int slices; // of its interval
	bool parks;          // keeps order when entries move
	enum placing placing;
	bool foresees; // the packets that it observes are those to come
	void (*init)(union policy_state *state, const struct cell *cell);
	void (*decide)(union policy_state *state, const struct observed *observed, uint16_t *table);
};

enum {
	POLICY_STATIC,
	POLICY_GROUPS,
	POLICY_RSSPP,
	POLICY_RSSPP_OFFERED,
	POLICY_RSSPP_FAST,
	POLICY_OURS,
	POLICY_OURS_FAST,
	POLICY_LPT,
	POLICY_ORACLE,
	POLICY_SPRAY,
	POLICY_CHANCE,
	POLICY_APART,
	N_POLICIES,
};

extern const struct policy policies[N_POLICIES];

// Entries by load, largest first.
void entries_by_load(uint16_t *order, const double *loads, unsigned int n);

void rsspp_decide(union policy_state *state, const struct observed *observed, uint16_t *table);
void rsspp_offered_decide(union policy_state *state, const struct observed *observed,
			  uint16_t *table);

#endif
