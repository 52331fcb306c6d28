/* SPDX-License-Identifier: BSD-3-Clause */
// The policies that need little code of their own, and the list of all.
#include <string.h>

#include "policy.h"

void entries_by_load(uint16_t *order, const double *loads, unsigned int n) {
	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = i;

		for (; j > 0 && loads[order[j - 1]] < loads[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

static unsigned int least_loaded(const double *loads, unsigned int n) {
	unsigned int least = 0;

	for (unsigned int q = 1; q < n; q++)
		if (loads[q] < loads[least])
			least = q;
	return least;
}

// Longest processing time first: whatever is largest goes to the least loaded queue.
static void lpt(uint16_t *to, const double *loads, unsigned int n, unsigned int n_queues) {
	double queues[MAX_QUEUES] = {0};
	uint16_t order[MAX_ENTRIES];

	entries_by_load(order, loads, n);
	for (unsigned int i = 0; i < n; i++) {
		to[order[i]] = least_loaded(queues, n_queues);
		queues[to[order[i]]] += loads[order[i]];
	}
}

static void lpt_decide(union policy_state *state, const struct observed *observed,
		       uint16_t *table) {
	double loads[MAX_ENTRIES];

	(void)state;
	for (unsigned int i = 0; i < observed->cell->n_entries; i++)
		loads[i] = observed->packets[i];
	lpt(table, loads, observed->cell->n_entries, observed->cell->n_queues);
}

// Open vSwitch's pmd-auto-lb: the NIC hashes to four Rx queues for each core and its table stays;
// whole Rx queues go to other cores, if a core works for 95 % of the time and the variance of loads
// gets smaller by 25 %. It does so once a minute at most; here once a second.
#define GROUPS_OF_QUEUE 4
#define GROUPS_INTERVALS 10
#define GROUPS_BUSY 0.95
#define GROUPS_BETTER 0.75

static double variance(const double *loads, const uint16_t *to, unsigned int n_groups,
		       unsigned int n_queues, double *most) {
	double queues[MAX_QUEUES] = {0}, sum = 0, squares = 0;

	*most = 0;
	for (unsigned int g = 0; g < n_groups; g++)
		queues[to[g]] += loads[g];
	for (unsigned int q = 0; q < n_queues; q++) {
		sum += queues[q];
		squares += queues[q] * queues[q];
		*most = queues[q] > *most ? queues[q] : *most;
	}
	return squares / n_queues - sum / n_queues * (sum / n_queues);
}

static void groups_decide(union policy_state *state, const struct observed *observed,
			  uint16_t *table) {
	unsigned int n_queues = observed->cell->n_queues, n_groups = GROUPS_OF_QUEUE * n_queues;
	uint16_t now[MAX_ENTRIES], then[MAX_ENTRIES];
	double loads[MAX_ENTRIES] = {0}, most, most_then;

	if (++state->n_intervals % GROUPS_INTERVALS != 0)
		return;
	for (unsigned int i = 0; i < observed->cell->n_entries; i++) {
		now[i % n_groups] = table[i];
		loads[i % n_groups] += observed->packets[i] / observed->capacity;
	}
	lpt(then, loads, n_groups, n_queues);
	if (variance(loads, then, n_groups, n_queues, &most_then) >
		    GROUPS_BETTER * variance(loads, now, n_groups, n_queues, &most) ||
	    most < GROUPS_BUSY)
		return;
	for (unsigned int i = 0; i < observed->cell->n_entries; i++)
		table[i] = then[i % n_groups];
}

static void ours_init(union policy_state *state, const struct cell *cell) {
	ddp_rebalance_init(&state->rebalance, cell->n_entries, cell->n_queues);
}

static void ours_decide(union policy_state *state, const struct observed *observed,
			uint16_t *table) {
	const struct ddp_rebalance_interval interval = {
		.reta = table,
		.packets = observed->packets,
	};
	struct ddp_rebalance_move moves[DDP_REBALANCE_MOVES];
	unsigned int n = ddp_rebalance_step(&state->rebalance, &interval, moves);

	for (unsigned int i = 0; i < n; i++)
		table[moves[i].entry] = moves[i].to;
}

static void nothing_init(union policy_state *state, const struct cell *cell) {
	(void)cell;
	memset(state, 0, sizeof(*state));
}

static void nothing_decide(union policy_state *state, const struct observed *observed,
			   uint16_t *table) {
	(void)state;
	(void)observed;
	(void)table;
}

const struct policy policies[N_POLICIES] = {
	[POLICY_STATIC] = {"static", "static RSS", WINDOW, .init = nothing_init,
			   .decide = nothing_decide},
	[POLICY_GROUPS] = {"groups", "whole queues (as OVS)", WINDOW, .init = nothing_init,
			   .decide = groups_decide},
	[POLICY_RSSPP] = {"rsspp", "RSS++", WINDOW, .init = nothing_init, .decide = rsspp_decide},
	[POLICY_RSSPP_OFFERED] = {"rsspp-offered", "RSS++, our measure", WINDOW,
				  .init = nothing_init, .decide = rsspp_offered_decide},
	[POLICY_RSSPP_FAST] = {"rsspp-20ms", "RSS++, our measure, 20 ms", 1, .init = nothing_init,
			       .decide = rsspp_offered_decide},
	[POLICY_OURS] = {"ours", "net_ddp", WINDOW, .parks = true, .init = ours_init,
			 .decide = ours_decide},
	[POLICY_OURS_FAST] = {"ours-20ms", "net_ddp, 20 ms", 1, .parks = true, .init = ours_init,
			      .decide = ours_decide},
	[POLICY_LPT] = {"lpt", "all may move (LPT)", WINDOW, .init = nothing_init,
			.decide = lpt_decide},
	[POLICY_ORACLE] = {"oracle", "LPT that foresees", WINDOW, .foresees = true,
			   .init = nothing_init, .decide = lpt_decide},
	[POLICY_SPRAY] = {"spray", "packet sprayer", WINDOW, .placing = PLACE_IN_TURN,
			  .init = nothing_init, .decide = nothing_decide},
	// Bounds of what a table can do. However entries move, no packet is done earlier than where
	// each entry has a queue of its own. And who decides by the load of milliseconds cannot
	// tell which packets will meet: at best all queues have the same load, and packets come at
	// random.
	[POLICY_CHANCE] = {"chance", "each packet by chance", WINDOW, .placing = PLACE_BY_CHANCE,
			   .init = nothing_init, .decide = nothing_decide},
	[POLICY_APART] = {"apart", "a queue for each entry", WINDOW, .placing = PLACE_APART,
			  .init = nothing_init, .decide = nothing_decide},
};
