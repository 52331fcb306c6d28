/* SPDX-License-Identifier: BSD-3-Clause */
#include "claims.h"

#include <stdio.h>
#include <string.h>

enum {
	CLAIM_LPT,
	CLAIM_RSSPP,
	CLAIM_RSSPP_OFFERED,
	CLAIM_ORACLE,
	CLAIM_ORACLE_FAST,
	CLAIM_STEADY,
	CLAIM_STEADY_FAST,
	CLAIM_EVEN,
	CLAIM_P95_RSSPP,
	CLAIM_P95_RSSPP_FAST,
	CLAIM_P95_RSSPP_ORACLE,
	CLAIM_P95_RSSPP_BOUND,
	CLAIM_P95_STATIC,
	CLAIM_P95_STATIC_FAST,
	CLAIM_P95_STATIC_BOUND,
	CLAIM_ORDER,
	CLAIM_PARKED,
	CLAIM_DECISION,
	N_CLAIMS,
};

// What it says of itself, and the most that it allows.
#define CLAIM(name, text, limit) \
	{ .id = name, .what = text, .most = limit }

static struct claim {
	const char *id, *what;
	double most; // allowed
	unsigned int n_cells, n_held;
	double worst;
	char where[160];
} claims[N_CLAIMS] = {
	[CLAIM_LPT] = CLAIM("lpt", "max/mean, to LPT with the load of the last interval", 1.03),
	[CLAIM_RSSPP] = CLAIM("rsspp", "max/mean, to RSS++", 1),
	[CLAIM_RSSPP_OFFERED] = CLAIM("rsspp-offered", "max/mean, to RSS++ with our measure", 1),
	[CLAIM_ORACLE] = CLAIM("oracle", "max/mean, to LPT that foresees the interval", 1.03),
	[CLAIM_ORACLE_FAST] = CLAIM("oracle-20ms", "the same, of net_ddp with 20 ms", 1.03),
	[CLAIM_STEADY] = CLAIM("steady", "moves a second on steady traffic", 10),
	[CLAIM_STEADY_FAST] = CLAIM("steady-20ms", "the same, of net_ddp with 20 ms", 10),
	[CLAIM_EVEN] = CLAIM("even", "moves on even traffic", 0),
	[CLAIM_P95_RSSPP] = CLAIM("p95-rsspp", "p95 at 90 % load, to RSS++", 0.7),
	[CLAIM_P95_RSSPP_FAST] = CLAIM("p95-rsspp-20ms", "the same, of net_ddp with 20 ms", 0.7),
	[CLAIM_P95_RSSPP_ORACLE] = CLAIM("p95-rsspp-oracle", "the same, of LPT that foresees", 0.7),
	[CLAIM_P95_RSSPP_BOUND] =
		CLAIM("p95-rsspp-bound", "the same, of what a table can do at best", 0.7),
	[CLAIM_P95_STATIC] = CLAIM("p95-static", "p95 at 90 % load, to static RSS", 0.1),
	[CLAIM_P95_STATIC_FAST] = CLAIM("p95-static-20ms", "the same, of net_ddp with 20 ms", 0.1),
	[CLAIM_P95_STATIC_BOUND] =
		CLAIM("p95-static-bound", "the same, of what a table can do at best", 0.1),
	[CLAIM_ORDER] = CLAIM("order", "packets that overtook one of their flow", 0),
	[CLAIM_PARKED] = CLAIM("parked", "longest parking, in us", 1000),
	[CLAIM_DECISION] = CLAIM("decision", "a decision for 512 entries, 99 of 100, in us", 100),
};

static void check(unsigned int id, double value, const char *where) {
	struct claim *claim = &claims[id];

	if (claim->n_cells == 0 || value > claim->worst) {
		claim->worst = value;
		snprintf(claim->where, sizeof(claim->where), "%s", where);
	}
	claim->n_cells++;
	claim->n_held += value <= claim->most;
}

void claims_spread(const struct cell *cell, const struct result *result) {
	double ours = imbalance_of(result, POLICY_OURS);
	double fast = imbalance_of(result, POLICY_OURS_FAST);
	char where[160];

	cell_name(where, sizeof(where), cell);
	if (cell->even_entries) {
		check(CLAIM_EVEN,
		      result->outcomes[POLICY_OURS].n_moves +
			      result->outcomes[POLICY_OURS_FAST].n_moves,
		      where);
		return;
	}
	check(CLAIM_LPT, ours / imbalance_of(result, POLICY_LPT), where);
	check(CLAIM_RSSPP, ours / imbalance_of(result, POLICY_RSSPP), where);
	check(CLAIM_RSSPP_OFFERED, ours / imbalance_of(result, POLICY_RSSPP_OFFERED), where);
	check(CLAIM_ORACLE, ours / imbalance_of(result, POLICY_ORACLE), where);
	check(CLAIM_ORACLE_FAST, fast / imbalance_of(result, POLICY_ORACLE), where);
	if (cell->churn == 0 && !cell->elephant) {
		check(CLAIM_STEADY, moves_of(result, POLICY_OURS), where);
		check(CLAIM_STEADY_FAST, moves_of(result, POLICY_OURS_FAST), where);
	}
}

static double p95(const struct result *result, unsigned int policy) {
	return outcome_latency(result->outcomes[policy].latency, 9500);
}

void claims_latency(const struct cell *cell, const struct result *result) {
	const struct outcome *ours = &result->outcomes[POLICY_OURS];
	const struct outcome *fast = &result->outcomes[POLICY_OURS_FAST];
	const double chance = p95(result, POLICY_CHANCE), apart = p95(result, POLICY_APART);
	const double bound = chance > apart ? chance : apart;
	char where[160];

	cell_name(where, sizeof(where), cell);
	check(CLAIM_ORDER, ours->n_overtakes + fast->n_overtakes, where);
	check(CLAIM_PARKED,
	      ours->parked_most > fast->parked_most ? ours->parked_most : fast->parked_most, where);
	if (cell->load != 90 || cell->even_entries)
		return;
	check(CLAIM_P95_RSSPP, p95(result, POLICY_OURS) / p95(result, POLICY_RSSPP), where);
	check(CLAIM_P95_RSSPP_FAST, p95(result, POLICY_OURS_FAST) / p95(result, POLICY_RSSPP),
	      where);
	check(CLAIM_P95_RSSPP_ORACLE, p95(result, POLICY_ORACLE) / p95(result, POLICY_RSSPP),
	      where);
	check(CLAIM_P95_RSSPP_BOUND, bound / p95(result, POLICY_RSSPP), where);
	check(CLAIM_P95_STATIC_BOUND, bound / p95(result, POLICY_STATIC), where);
	check(CLAIM_P95_STATIC, p95(result, POLICY_OURS) / p95(result, POLICY_STATIC), where);
	check(CLAIM_P95_STATIC_FAST, p95(result, POLICY_OURS_FAST) / p95(result, POLICY_STATIC),
	      where);
}

void claims_decision(unsigned int n_queues, const struct decision_cost *cost) {
	char where[32];

	snprintf(where, sizeof(where), "%u queues", n_queues);
	check(CLAIM_DECISION, cost->most, where);
}

void claims_print(void) {
	printf("\n%-52s allowed   worst  held in cells  worst in\n", "net_ddp");
	for (unsigned int i = 0; i < N_CLAIMS; i++) {
		const struct claim *claim = &claims[i];

		if (claim->n_cells > 0)
			printf("%-52s %7g %7.4f %6u of %-4u  %s\n", claim->what, claim->most,
			       claim->worst, claim->n_held, claim->n_cells, claim->where);
	}
}

json_t *claims_json(void) {
	json_t *list = json_array();

	for (unsigned int i = 0; i < N_CLAIMS; i++) {
		const struct claim *claim = &claims[i];

		if (claim->n_cells > 0)
			json_array_append_new(list,
					      json_pack("{s:s, s:s, s:f, s:f, s:s, s:i, s:i}", "id",
							claim->id, "what", claim->what, "allowed",
							claim->most, "worst", claim->worst, "where",
							claim->where, "cells", claim->n_cells,
							"held", claim->n_held));
	}
	return list;
}
