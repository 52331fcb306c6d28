/* SPDX-License-Identifier: BSD-3-Clause */
// What kinds of NIC can do of the first candidate, as `plan` tells it, and what they do without.
#include "base/rss_hf.h"
#include "common/strbuf.h"
#include "ctl/plan/nic_plan.h"
#include "ctl/simulate/nic_now.h"
#include "report_parts.h"

enum {
	NIC,
	VERDICT,
	TYPES,
	RULES,
	EQUAL,
	NOW,
	N_COLUMNS,
};

static const struct cell columns[N_COLUMNS] = {
	[NIC] = {"NIC", false},
	[VERDICT] = {"The NIC alone", false},
	[TYPES] = {"Types that it spreads", true},
	[RULES] = {"RSS rules", true},
	[EQUAL] = {"Types with equal hashes", true},
	[NOW] = {"Imbalance without rules", true},
};

// The profile of the first candidate; NULL: it has none, or a package stands in for it.
static const struct ddp_personality *planned_find(const struct report *report) {
	const struct candidates *candidates = report->intro->candidates;

	for (unsigned int i = 0; candidates != NULL && i < candidates->n; i++)
		if (candidates->list[i].name == report->shown[0].outcome->name)
			return candidates->list[i].loaded.profile->modelled ?
				       NULL :
				       &candidates->list[i].loaded;
	return NULL;
}

static void equal_cell(struct report *report, const struct ddp_plan *plan) {
	unsigned int n = 0, n_all = 0;

	for (unsigned int i = 0; i < plan->n_types; i++) {
		n += plan->types[i].class == DDP_OFFLOAD_HARDWARE;
		n_all += plan->types[i].class != DDP_OFFLOAD_NONE;
	}
	cell_open(report, &columns[EQUAL]);
	output_printf(report->out, "%u of %u" CELL_END, n, n_all);
}

static const struct nic_outcome *now_find(const struct report *report, const struct ddp_nic *nic) {
	const struct simulation *simulation = report->simulation;

	for (unsigned int i = 0; i < simulation->n_nics; i++)
		if (simulation->nics[i].nic == nic)
			return &simulation->nics[i];
	return NULL;
}

static void verdict_cell(struct report *report, const struct ddp_spread_plan *spread) {
	cell_open(report, &columns[VERDICT]);
	html_text(report->out, ddp_spread_verdict_name(spread->verdict));
	if (spread->setup != NULL) {
		output_text(report->out, "; needs ");
		html_text(report->out, spread->setup);
	}
	output_text(report->out, CELL_END);
}

static void nic_row(struct report *report, const struct ddp_plan *plan,
		    const struct ddp_spread_plan *spread) {
	const struct nic_outcome *now = now_find(report, plan->nic);

	output_text(report->out, "<tr><th scope=\"row\"><b>");
	html_text(report->out, ddp_nic_name(plan->nic));
	output_text(report->out, "</b>: ");
	html_text(report->out, ddp_nic_title(plan->nic));
	output_text(report->out, "</th>");
	verdict_cell(report, spread);
	cell_open(report, &columns[TYPES]);
	output_printf(report->out, "%u of %u" CELL_END, spread->n_spread, spread->n_wanted);
	count_cell(report, &columns[RULES], spread->n_rules);
	equal_cell(report, plan);
	if (now != NULL)
		real_cell(report, &columns[NOW], now->imbalance, 3);
	output_text(report->out, CARD_END);
}

static void nic_write(struct report *report, const struct ddp_nic *nic,
		      const struct ddp_personality *planned) {
	const struct ddp_plan_ask ask = {.rss_hf = DDP_RSS_HF_ALL,
					 .n_queues = report->simulation->n_queues};
	struct ddp_spread_plan *spread;
	struct ddp_plan *plan = nic_plan(nic, planned, &ask, &spread);

	nic_row(report, plan, spread);
	ddp_spread_destroy(spread);
	ddp_plan_destroy(plan);
}

static void note_write(struct report *report) {
	struct output *out = report->out;

	output_text(out, "<p class=\"note\">What kinds of NIC can do with the profile of ");
	candidate_write(report, &report->shown[0]);
	output_text(
		out,
		". A NIC alone spreads a packet type if it hashes inner headers of it, with the "
		"RSS rules. If NIC and net_ddp share the work, the NIC hashes the packet types with "
		"equal hashes, and net_ddp the others. Known from the sources of drivers; "
		"700-series NICs are without a package. Details and commands: <code>ddpctl plan "
		"FILE --nic KIND</code>.</p>\n");
}

void report_nics(struct report *report) {
	const struct ddp_personality *planned;
	bool has_now = report->simulation->n_nics > 0;

	if (report->n_shown == 0 || report->simulation->packets == 0)
		return;
	planned = planned_find(report);
	if (planned == NULL)
		return;
	section_open(report, "nics", "What NICs can do");
	note_write(report);
	cards_open(report, "Kinds of NIC", columns, has_now ? N_COLUMNS : NOW);
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		if (nic_is_common(ddp_nics[i]) && (!has_now || now_find(report, ddp_nics[i])))
			nic_write(report, ddp_nics[i], planned);
	output_text(report->out, CARDS_END SECTION_END);
}
