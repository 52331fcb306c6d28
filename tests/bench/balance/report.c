/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdio.h>

void cell_name(char *name, size_t size, const struct cell *cell) {
	char traffic[64];

	if (cell->even_entries)
		snprintf(traffic, sizeof(traffic), "even");
	else
		snprintf(traffic, sizeof(traffic), "%u UEs, Zipf %.1f, churn %g %%", cell->n_ues,
			 cell->zipf, cell->churn);
	snprintf(name, size, "%u queues, %u entries, %s%s", cell->n_queues, cell->n_entries,
		 traffic, cell->elephant ? ", elephant" : "");
}

double imbalance_of(const struct result *result, unsigned int policy) {
	const struct outcome *outcome = &result->outcomes[policy];

	return outcome->imbalance / outcome->n_windows;
}

double moves_of(const struct result *result, unsigned int policy) {
	const struct outcome *outcome = &result->outcomes[policy];

	return outcome->n_moves / outcome->seconds;
}

// The sprayer has nothing to tell in a table of max/mean.
static const unsigned int spread_policies[] = {
	POLICY_STATIC,     POLICY_GROUPS,    POLICY_RSSPP, POLICY_RSSPP_OFFERED, POLICY_OURS,
	POLICY_RSSPP_FAST, POLICY_OURS_FAST, POLICY_LPT,   POLICY_ORACLE,
};

#define N_SPREAD (sizeof(spread_policies) / sizeof(spread_policies[0]))

void spread_heading(void) {
	printf("max/mean of the queues' loads, mean over windows of %d ms\n", WINDOW_MS);
	for (unsigned int i = 0; i < N_SPREAD; i++)
		printf("  %c  %s\n", 'A' + i, policies[spread_policies[i]].title);
	printf("bound: what the largest flow alone makes; moves: table entries a second\n\n");
	printf("queues table    UEs  Zipf churn elephant  bound");
	for (unsigned int i = 0; i < N_SPREAD; i++)
		printf("      %c", 'A' + i);
	printf("   E/H   E/C   G/I  moves:   C      E      G      H\n");
}

void spread_print(const struct cell *cell, const struct result *result) {
	double ours = imbalance_of(result, POLICY_OURS);

	printf("%6u %5u %6u  %4.1f %3g %% %8s %6.2f", cell->n_queues, cell->n_entries, cell->n_ues,
	       cell->zipf, cell->churn, cell->elephant ? "yes" : "", result->bound);
	for (unsigned int i = 0; i < N_SPREAD; i++)
		printf(" %6.3f", imbalance_of(result, spread_policies[i]));
	printf(" %5.3f %5.3f %5.3f        %6.1f %6.1f %6.1f %6.1f\n",
	       ours / imbalance_of(result, POLICY_LPT), ours / imbalance_of(result, POLICY_RSSPP),
	       imbalance_of(result, POLICY_OURS_FAST) / imbalance_of(result, POLICY_ORACLE),
	       moves_of(result, POLICY_RSSPP), moves_of(result, POLICY_OURS),
	       moves_of(result, POLICY_OURS_FAST), moves_of(result, POLICY_LPT));
	fflush(stdout);
}

void latency_print(const struct cell *cell, const struct result *result) {
	char name[160];

	cell_name(name, sizeof(name), cell);
	printf("\n%s, load %g %%, %u ns a packet; the largest flow alone: %.2f\n", name, cell->load,
	       cell->ns, result->bound);
	printf("%-26s max/mean   drops %%    p50    p95    p99  p99.9 | beside it: p95    p99 | "
	       "moves/s overtakes parked us\n",
	       "");
	for (unsigned int i = 0; i < N_POLICIES; i++) {
		const struct outcome *outcome = &result->outcomes[i];

		printf("%-26s %8.3f %9.4f %6.1f %6.1f %6.1f %6.1f | %14.1f %6.1f | %7.1f %9lu %9.1f\n",
		       policies[i].title, imbalance_of(result, i),
		       100.0 * outcome->n_dropped / outcome->n_packets,
		       outcome_latency(outcome->latency, 5000),
		       outcome_latency(outcome->latency, 9500),
		       outcome_latency(outcome->latency, 9900),
		       outcome_latency(outcome->latency, 9990),
		       outcome_latency(outcome->latency_beside, 9500),
		       outcome_latency(outcome->latency_beside, 9900), moves_of(result, i),
		       outcome->n_overtakes, outcome->parked_most);
	}
	fflush(stdout);
}

static json_t *outcome_json(const struct policy *policy, const struct outcome *outcome,
			    bool packets) {
	json_t *json = json_pack(
		"{s:s, s:s, s:f, s:f, s:f}", "id", policy->id, "title", policy->title, "imbalance",
		outcome->imbalance / outcome->n_windows, "imbalance_most", outcome->imbalance_most,
		"moves_per_second", outcome->n_moves / outcome->seconds);
	json_t *more;

	if (!packets)
		return json;
	more = json_pack("{s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "packets",
			 outcome->n_packets, "dropped", outcome->n_dropped, "overtakes",
			 outcome->n_overtakes, "parked", outcome->n_parked, "parked_longest_us",
			 outcome->parked_most, "p50_us", outcome_latency(outcome->latency, 5000),
			 "p95_us", outcome_latency(outcome->latency, 9500), "p99_us",
			 outcome_latency(outcome->latency, 9900), "p999_us",
			 outcome_latency(outcome->latency, 9990), "beside_p95_us",
			 outcome_latency(outcome->latency_beside, 9500), "beside_p99_us",
			 outcome_latency(outcome->latency_beside, 9900));
	json_object_update_new(json, more);
	return json;
}

json_t *result_json(const struct cell *cell, const struct result *result, bool packets) {
	json_t *list = json_array();

	for (unsigned int i = 0; i < N_POLICIES; i++)
		json_array_append_new(list,
				      outcome_json(&policies[i], &result->outcomes[i], packets));
	return json_pack("{s:i, s:i, s:i, s:f, s:f, s:b, s:b, s:f, s:i, s:f, s:b, s:o}", "queues",
			 cell->n_queues, "entries", cell->n_entries, "ues", cell->n_ues, "zipf",
			 cell->zipf, "churn", cell->churn, "elephant", cell->elephant, "even",
			 cell->even_entries, "load", cell->load, "service_ns", cell->ns, "bound",
			 result->bound, "single_packets", packets, "policies", list);
}
