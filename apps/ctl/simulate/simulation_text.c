/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <inttypes.h>
#include <rte_common.h>
#include <stdio.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"

#include "simulation.h"

#define BAR_LEN 30          // columns, of the most loaded queue with two candidates
#define BAR_SHORT 12        // columns, with more candidates
#define BARS_MAX 8          // candidates at most: their queues fit on a line
#define RATE_PACKETS 100000 // packets: fewer give no rate
#define FLOW_LINES 5        // flows at most
#define ELEPHANT 0.01       // of all packets: smaller flows are not shown

static const char bar[] = "##############################";
_Static_assert(sizeof(bar) == BAR_LEN + 1, "a whole bar");

static void bar_end(struct table *table, int len) {
	table_printf(table, "%s%.*s", len > 0 ? " " : "", len, bar);
	table_next(table);
}

// A share above 0 has at least one mark.
static int bar_len(double part, double longest, int room) {
	int len = longest <= 0 ? 0 : part * room / longest + 0.5;

	assert(room <= BAR_LEN);

	return len == 0 && part > 0 ? 1 : len;
}

/* Queues */

// Packets, share and bar. longest: load of a whole bar.
static void two_queues_print(const struct simulation *simulation, uint64_t longest,
			     struct output *out) {
	struct table table;

	table_init(&table, out, ">QUEUE");
	for (unsigned int i = 0; i < 2; i++) {
		table_columns(&table, ">PACKETS|>SHARE");
		table_column(&table, simulation->outcomes[i].name);
	}
	for (unsigned int q = 0; q < simulation->n_queues; q++) {
		table_cell(&table, "%u", q);
		for (unsigned int i = 0; i < 2; i++) {
			uint64_t packets = simulation->outcomes[i].spread->queue_packets[q];

			table_number(&table, packets);
			table_share(&table, share_of(packets, simulation->packets));
			table_cell(&table, "%.*s", bar_len(packets, longest, BAR_LEN), bar);
		}
	}
	table_fini(&table);
}

static void bars_begin(const struct simulation *simulation, const char *first, struct table *table,
		       struct output *out) {
	table_init(table, out, first);
	for (unsigned int i = 0; i < simulation->n_outcomes; i++)
		table_column(table, simulation->outcomes[i].name);
}

static void many_queues_print(const struct simulation *simulation, uint64_t longest,
			      struct output *out) {
	struct table table;

	bars_begin(simulation, ">QUEUE", &table, out);
	for (unsigned int q = 0; q < simulation->n_queues; q++) {
		table_cell(&table, "%u", q);
		for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
			uint64_t packets = simulation->outcomes[i].spread->queue_packets[q];

			table_printf(
				&table, "%6s",
				share_text(share_of(packets, simulation->packets), 1, "%").text);
			bar_end(&table, bar_len(packets, longest, BAR_SHORT));
		}
	}
	table_fini(&table);
}

static void queues_print(const struct simulation *simulation, struct output *out) {
	uint64_t longest = 0;

	if (simulation->n_outcomes > BARS_MAX)
		return;
	for (unsigned int i = 0; i < simulation->n_outcomes; i++)
		longest = RTE_MAX(longest, most_of(simulation->outcomes[i].spread->queue_packets,
						   simulation->n_queues));
	if (simulation->n_outcomes == 2)
		two_queues_print(simulation, longest, out);
	else
		many_queues_print(simulation, longest, out);
	output_text(out, "\n");
}

/* Candidates */

static void outcomes_print(const struct simulation *simulation, struct output *out) {
	const bool cores = simulation->options->core_mpps > 0 && simulation->load_mpps > 0;
	bool dropped = false;
	struct table table;

	table_init(&table, out,
		   "CANDIDATE|>IMBALANCE|>JAIN|>HOTTEST|>NO HASH|>HASHES|>ENTROPY|>LEAST");
	for (unsigned int i = 0; i < simulation->n_outcomes; i++)
		dropped |= simulation->outcomes[i].spread->dropped > 0;
	if (dropped)
		table_columns(&table, ">DROPPED");
	if (cores)
		table_columns(&table, ">CORES");
	for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
		const struct outcome *outcome = &simulation->outcomes[i];

		table_text(&table, outcome->name);
		table_cell(&table, "%.3f", outcome->imbalance);
		table_cell(&table, "%.3f", outcome->jain);
		table_share(&table, outcome->hottest);
		table_share(&table, share_of(outcome->spread->unhashed, simulation->packets));
		table_number(&table, outcome->spread->groups.n);
		table_cell(&table, "%.2f", outcome->entropy);
		table_cell(&table, "%.3f", outcome->bound);
		if (dropped)
			table_share(&table,
				    share_of(outcome->spread->dropped, simulation->packets));
		if (cores && outcome->cores > 0)
			table_number(&table, outcome->cores);
		else if (cores)
			table_text(&table, "never");
	}
	table_fini(&table);
	output_text(out, "\n");
}

/* NICs without net_ddp */

static void whys_print(const struct simulation *simulation, struct output *out) {
	const struct nic_outcome *nics = simulation->nics;
	struct strbuf text;

	strbuf_init(&text);
	for (unsigned int i = 0, first = 0; i < simulation->n_nics; i++, first = 0) {
		while (strcmp(nics[first].why, nics[i].why) != 0)
			first++;
		if (first < i)
			continue;
		for (unsigned int k = i; k < simulation->n_nics; k++)
			if (strcmp(nics[k].why, nics[i].why) == 0)
				fprintf(text.to, "%s%s", k > i ? ", " : "",
					ddp_nic_name(nics[k].nic));
		fprintf(text.to, ": %s", nics[i].why);
		output_text(out, "  ");
		output_wrapped(out, strbuf_take(&text), 2, 4);
	}
	strbuf_fini(&text);
}

static void nics_print(const struct simulation *simulation, struct output *out) {
	struct table table;

	if (simulation->n_nics == 0)
		return;
	output_text(out, "NICs as they are, without RSS rules (all types of rss_hf):\n");
	table_init(&table, out, "NIC|>IMBALANCE|>QUEUES|>HASHES|>NO HASH");
	for (unsigned int i = 0; i < simulation->n_nics; i++) {
		const struct nic_outcome *nic = &simulation->nics[i];

		table_text(&table, ddp_nic_name(nic->nic));
		table_cell(&table, "%.3f", nic->imbalance);
		table_cell(&table, "%u of %u", nic->n_queues, simulation->n_queues);
		table_number(&table, nic->spread->groups.n);
		table_share(&table, share_of(nic->spread->unhashed, simulation->packets));
	}
	table_fini(&table);
	output_text(out, "fields that they hash:\n");
	whys_print(simulation, out);
	output_text(out, "\n");
}

/* More cores */

static void scaling_print(const struct simulation *simulation, struct output *out) {
	const double unit = simulation->options->core_mpps > 0 ? simulation->options->core_mpps : 1;
	struct table table;

	if (simulation->n_queues == 1 || simulation->n_outcomes > BARS_MAX)
		return;
	output_printf(out, "%s that so many cores with a queue each carry:\n",
		      simulation->options->core_mpps > 0 ? "million packets a second" :
							   "cores' worth of load");
	bars_begin(simulation, ">CORES", &table, out);
	for (unsigned int n = 1;; n = 2 * n < simulation->n_queues ? 2 * n : simulation->n_queues) {
		table_cell(&table, "%u", n);
		for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
			double cores = simulation->outcomes[i].scaling[n - 1];

			table_printf(&table, "%7.2f", unit * cores);
			bar_end(&table, bar_len(cores, simulation->n_queues, BAR_LEN / 2));
		}
		if (n == simulation->n_queues)
			break;
	}
	table_fini(&table);
	output_text(out, "\n");
}

/* Packet types */

static void types_print(const struct simulation *simulation, struct output *out) {
	const struct spread *spread = simulation->outcomes[0].spread;
	const unsigned int n_queues = simulation->n_queues;
	struct table table;

	table_init(&table, out, "PACKET TYPE|>PACKETS|>SHARE|>IMBALANCE|>JAIN|>HOTTEST|>NO HASH");
	for (unsigned int i = 0; i < spread->n_types && spread->types[i].packets > 0; i++) {
		const struct spread_type *type = &spread->types[i];

		table_text(&table, type->name);
		table_number(&table, type->packets);
		table_share(&table, share_of(type->packets, simulation->packets));
		table_cell(&table, "%.3f", ddp_imbalance(type->queue_packets, n_queues));
		table_cell(&table, "%.3f", ddp_jain(type->queue_packets, n_queues));
		table_share(&table,
			    share_of(most_of(type->queue_packets, n_queues), type->packets));
		table_share(&table, share_of(type->unhashed, type->packets));
	}
	table_fini(&table);
	output_text(out, "\n");
}

/* Time */

static void moments_print(const struct simulation *simulation, struct output *out) {
	const struct windows *windows = &simulation->outcomes[0].spread->windows;

	if (windows->n < 2)
		return;
	output_printf(out, "over time, in %u windows of %g s, at worst:\n", windows->n,
		      windows->length_ns / 1e9);
	for (unsigned int i = 0; i < simulation->n_outcomes; i++) {
		const struct outcome *outcome = &simulation->outcomes[i];
		const uint64_t *queues = windows_queues(&outcome->spread->windows, outcome->worst);

		if (sum_of(queues, simulation->n_queues) == 0) // dropped by rules
			output_escaped_printf(out, "  %s: too few packets\n", outcome->name);
		else
			output_escaped_printf(out, "  %s: imbalance %.3f after %g s\n",
					      outcome->name,
					      ddp_imbalance(queues, simulation->n_queues),
					      outcome->worst * (windows->length_ns / 1e9));
	}
	output_text(out, "\n");
}

/* Load-aware RSS */

static void balancing_row(const struct outcome *outcome, struct table *table) {
	const struct balancing *balancing = outcome->spread->balancing;
	const double worst[] = {balancing->fixed_worst, balancing->balanced_worst,
				balancing->after_worst};

	table_text(table, outcome->name);
	table_cell(table, "%.3f", balancing->fixed);
	table_cell(table, "%.3f", balancing->balanced);
	table_cell(table, "%.3f", balancing->after);
	for (unsigned int i = 0; i < COUNT(worst); i++) // 0: no interval has enough packets
		table_cell(table, worst[i] > 0 ? "%.3f" : "-", worst[i]);
	table_number(table, balancing->n_moves);
	table_cell(table, "%.1f", balancing->move_rate);
}

static void bound_print(const struct simulation *simulation, const struct outcome *outcome,
			struct output *out) {
	const struct balancing *balancing = outcome->spread->balancing;

	if (balancing->bound_entry < 0)
		return;
	output_wrapped_printf(
		out, 4,
		"  %s: in %" PRIu64 " of %" PRIu64
		" intervals an entry has more than a queue's even share of %.1f%%, which no "
		"move can part; most often entry %d with %s: %s",
		outcome->name, balancing->n_bound, balancing->n_loaded,
		100.0 / simulation->n_queues, balancing->bound_entry,
		share_text(balancing->bound_share, 1, "%").text,
		balancing->bound_flow != NULL ? balancing->bound_flow :
						"no single flow has most of it");
}

static void balancing_print(const struct simulation *simulation, struct output *out) {
	const struct balancing *first = simulation->outcomes[0].spread->balancing;
	struct table table;

	if (first == NULL)
		return;
	output_wrapped_printf(
		out, 0,
		"load-aware RSS (balance=), %" PRIu64 " interval%s of %g ms: imbalance of an "
		"interval without it, with it, and after the moves at its end",
		first->n_intervals, plural(first->n_intervals), first->interval_ns / 1e6);
	table_init(&table, out,
		   "CANDIDATE|>WITHOUT|>WITH|>AFTER|>WORST|>WITH|>AFTER|>MOVES|>A SECOND");
	for (unsigned int i = 0; i < simulation->n_outcomes; i++)
		balancing_row(&simulation->outcomes[i], &table);
	table_fini(&table);
	for (unsigned int i = 0; i < simulation->n_outcomes; i++)
		bound_print(simulation, &simulation->outcomes[i], out);
	output_text(out, "\n");
}

/* Flows */

static void flow_queue_cell(const struct flow_slot *slot, struct table *table) {
	if (slot->n[0] == 0)
		table_text(table, "-"); // dropped
	else
		table_cell(table, slot->n[1] != 0 ? "%u, %u" : "%u", slot->queue[0],
			   slot->queue[1]);
}

void simulation_flows_print(const struct simulation *simulation, const struct outcome *outcome,
			    struct output *out) {
	const unsigned int base = simulation->n_outcomes - 1;
	const unsigned int which = outcome - simulation->outcomes;
	const unsigned int n = RTE_MIN(simulation->n_top_flows, (unsigned int)FLOW_LINES);
	bool has_outer = false;
	struct table table;
	double largest;

	assert(which <= base);
	if (n == 0)
		return;
	for (unsigned int i = 0; i < n; i++)
		has_outer |= simulation->top_flows[i].outer != NULL;
	largest = share_of(simulation->finest != NULL ? simulation->finest->largest_group :
							simulation->top_flows[0].packets,
			   simulation->packets);
	output_printf(out, "flows: %" PRIu64, simulation->n_flows);
	if (simulation->finest != NULL)
		output_escaped_printf(out, " (hashes of %s)", simulation->finest->name);
	output_printf(out,
		      ", the largest has %s of the packets:\n"
		      "no hash that keeps it whole can do better than imbalance %.3f\n",
		      share_text(largest, 2, "%").text,
		      largest * simulation->n_queues > 1 ? largest * simulation->n_queues : 1.0);
	if (largest < ELEPHANT || simulation->finest != NULL)
		return;
	table_init(&table, out, "LARGEST FLOWS|PACKET TYPE|>PACKETS|>SHARE|>QUEUE");
	if (which != base)
		table_columns(&table, ">NIC QUEUE");
	if (has_outer)
		table_columns(&table, "OUTER");
	for (unsigned int i = 0; i < n; i++) {
		const struct top_flow *flow = &simulation->top_flows[i];

		if (flow->packets < ELEPHANT * simulation->packets)
			break;
		table_text(&table, flow->text);
		table_text(&table, flow->type);
		table_number(&table, flow->packets);
		table_share(&table, share_of(flow->packets, simulation->packets));
		flow_queue_cell(&flow->slots[which], &table);
		if (which != base)
			flow_queue_cell(&flow->slots[base], &table);
		if (has_outer)
			table_text(&table, or_dash(flow->outer));
	}
	table_fini(&table);
}

static void affinity_print(const char *name, const char *what, const struct affinity *affinity,
			   struct output *out) {
	if (affinity->n_split == 0)
		output_escaped_printf(out, "  %s: yes, all %" PRIu64 "\n", name, affinity->n);
	else
		output_wrapped_printf(
			out, 4,
			"  %s: no, %" PRIu64 " of %" PRIu64
			" %s are split over several queues, such as %s: packet %" PRIu64
			" on queue %u, packet %" PRIu64 " on queue %u",
			name, affinity->n_split, affinity->n, what, affinity->who,
			affinity->packets[0], affinity->queues[0], affinity->packets[1],
			affinity->queues[1]);
}

static void affinities_print(const struct simulation *simulation, struct output *out) {
	const struct outcome *first = simulation->outcomes, *end = first + simulation->n_outcomes;
	const bool lacks_ue = simulation->n_no_ue > 0 &&
			      ddp_header_find(first->spread->loaded->profile, "gtpu") >= 0;

	if (simulation->n_queues == 1)
		return;
	if (first->ues.n > 0 || lacks_ue)
		output_printf(out, "\nboth directions of a UE on one queue?%s\n",
			      first->flows.n > 0 ? "" : " (the capture has one direction only)");
	for (const struct outcome *o = first; o < end && first->ues.n > 0; o++)
		affinity_print(o->name, "UEs", &o->ues, out);
	if (lacks_ue)
		output_wrapped_printf(
			out, 4,
			"  not counted are %s%" PRIu64 " packets (%s): they are in no tunnel, and "
			"neither address is a UE's (parameters ue_ipv4 and ue_ipv6 of gtpu)",
			simulation->flows_exact ? "" : "at least ", simulation->n_no_ue,
			share_text(share_of(simulation->n_no_ue, simulation->packets), 1, "%")
				.text);
	if (first->flows.n > 0)
		output_text(out, "\nboth directions of a flow on one queue?\n");
	for (const struct outcome *o = first; o < end && first->flows.n > 0; o++)
		affinity_print(o->name, "flows", &o->flows, out);
}

/* The rest */

void simulation_warning_print(const struct simulation *simulation, struct output *out) {
	if (simulation->cut_warning == NULL)
		return;
	output_wrapped(out, simulation->cut_warning, 0, 0);
	output_text(out, "\n");
}

void simulation_notes_print(const struct simulation *simulation, struct output *out) {
	output_printf(out, "\npackets: %" PRIu64 "\n", simulation->packets);
	if (simulation->capture->n_cut > 0)
		output_printf(out, "cut short in the capture: %" PRIu64 " (%s)%s\n",
			      simulation->capture->n_cut,
			      share_text(share_of(simulation->capture->n_cut, simulation->packets),
					 1, "%")
				      .text,
			      simulation->cut_warning == NULL ? ", behind all that decides" :
								": see the warning at the top");
	if (!simulation->flows_exact)
		output_text(out, "flows, hashes and UEs are those that came first: for all of them "
				 "the memory is too small (--memory)\n");
	if (simulation->partial)
		output_text(out, "the capture has more: this is what was read of it\n");
	if (simulation->packets >= RATE_PACKETS && !simulation->capture->is_live)
		output_printf(out, "%.2f seconds, %.1f million packets a second\n",
			      simulation->candidates->totals.seconds,
			      simulation->packets / simulation->candidates->totals.seconds / 1e6);
}

void simulation_print(const struct simulation *simulation, struct output *out) {
	simulation_warning_print(simulation, out);
	queues_print(simulation, out);
	outcomes_print(simulation, out);
	nics_print(simulation, out);
	scaling_print(simulation, out);
	types_print(simulation, out);
	moments_print(simulation, out);
	balancing_print(simulation, out);
	simulation_flows_print(simulation, &simulation->outcomes[0], out);
	affinities_print(simulation, out);
	simulation_notes_print(simulation, out);
}
