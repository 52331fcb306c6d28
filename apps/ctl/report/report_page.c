/* SPDX-License-Identifier: BSD-3-Clause */
// The frame of a report: who is shown, head, summary, notices, foot.
#include <math.h>

#include "common/strbuf.h"
#include "report_parts.h"

static double rank(const struct outcome *outcome) {
	return isfinite(outcome->imbalance) && outcome->imbalance > 0 ? outcome->imbalance :
									INFINITY;
}

// True when fewer than most of the others are better than it; of equals the first are.
static bool is_among(const struct outcome *outcomes, unsigned int n, unsigned int i,
		     unsigned int most, const struct outcome *chosen) {
	unsigned int n_better = 0;

	for (unsigned int k = 0; k < n; k++)
		if (k != i && &outcomes[k] != chosen)
			n_better += rank(&outcomes[k]) < rank(&outcomes[i]) ||
				    (k < i && rank(&outcomes[k]) == rank(&outcomes[i]));
	return n_better < most;
}

static const struct outcome *best(const struct outcome *outcomes, unsigned int n) {
	const struct outcome *found = NULL;

	for (unsigned int i = 0; i < n; i++)
		if (found == NULL || rank(&outcomes[i]) < rank(found))
			found = &outcomes[i];
	return found;
}

static void show(struct report *report, const struct outcome *outcome) {
	unsigned int i = report->n_shown++;

	report->shown[i] = (struct shown){
		.outcome = outcome,
		.key = {'A' + i},
		.colour = 1 + i % N_COLOURS,
		.dashed = i >= N_COLOURS,
	};
}

void report_choose(struct report *report) {
	const struct outcome *outcomes = report->simulation->outcomes;
	const struct outcome *chosen = report->intro->chosen;
	unsigned int n = report->simulation->n_outcomes;

	report->n_shown = 0;
	if (n == 0)
		return;
	n--; // the fixed-function NIC is another matter
	if (chosen == NULL || chosen == &outcomes[n])
		chosen = best(outcomes, n);
	if (chosen != NULL)
		show(report, chosen);
	for (unsigned int i = 0; i < n; i++)
		if (&outcomes[i] != chosen && is_among(outcomes, n, i, SHOWN_MAX - 2, chosen))
			show(report, &outcomes[i]);
	report->shown[report->n_shown++] = (struct shown){.outcome = &outcomes[n], .key = "NIC"};
}

static void title_write(struct report *report) {
	if (report->intro->title != NULL) {
		html_text(report->out, report->intro->title);
		return;
	}
	output_text(report->out, "How the packets of ");
	html_text(report->out, path_name(report->simulation->path));
	output_text(report->out, " spread");
}

#define FACT_END "</b></li>\n"

static void fact_open(struct report *report, const char *what) {
	output_printf(report->out, "<li><span>%s</span> <b>", what);
}

static void time_fact(struct report *report) {
	const struct simulation *simulation = report->simulation;

	if (simulation->first_ns == 0 || simulation->last_ns < simulation->first_ns)
		return;
	fact_open(report, "Captured");
	html_time(report->out, simulation->first_ns);
	output_text(report->out, ", ");
	html_duration(report->out, simulation->last_ns - simulation->first_ns);
	output_text(report->out, " long" FACT_END);
}

static void mpps_fact(struct report *report, const char *what, double mpps, const char *how) {
	if (!(mpps > 0))
		return;
	fact_open(report, what);
	html_mpps(report->out, mpps);
	output_printf(report->out, "%s" FACT_END, how);
}

static void facts_write(struct report *report) {
	const struct simulation *simulation = report->simulation;
	struct output *out = report->out;

	output_text(out, "<ul class=\"facts\">\n");
	fact_open(report, "Packets");
	html_count(out, simulation->packets);
	output_text(out, FACT_END);
	fact_open(report, "Bytes");
	html_bytes(out, simulation->bytes);
	output_text(out, FACT_END);
	fact_open(report, "Flows");
	output_text(out, simulation->flows_exact ? "" : "about ");
	html_count(out, simulation->n_flows);
	output_text(out, FACT_END);
	fact_open(report, "Receive queues");
	output_printf(out, "%u, by a table of %u" FACT_END, simulation->n_queues,
		      simulation->reta_size);
	mpps_fact(report, "Load", simulation->load_mpps,
		  simulation->load_given ? ", as asked" : ", as captured");
	mpps_fact(report, "One core does", simulation->core_mpps, "");
	time_fact(report);
	output_text(out, "</ul>\n");
}

static void notices_write(struct report *report) {
	const struct simulation *simulation = report->simulation;
	struct output *out = report->out;

	if (simulation->packets == 0)
		output_text(out, "<p class=\"notice\">There were no packets.</p>\n");
	if (simulation->cut_warning != NULL) {
		output_text(out, "<p class=\"notice\">");
		html_text(out, simulation->cut_warning);
		output_text(out, "</p>\n");
	}
	if (simulation->partial)
		output_text(
			out,
			"<p class=\"notice\">The capture has more packets: these are those that "
			"were read of it.</p>\n");
	if (simulation->cut > 0 && simulation->cut_warning == NULL) {
		output_text(out, "<p class=\"notice\">");
		html_named_count(out, simulation->cut, "packet");
		output_text(out, " of the capture (");
		html_part(out, simulation->cut, simulation->packets);
		output_text(
			out,
			") cut short, behind all that decides on packet types and hashes.</p>\n");
	}
	if (simulation->n_outcomes > report->n_shown)
		output_printf(
			out,
			"<p class=\"notice\">%u candidates were tried. This page shows %u of them, %s, and the "
			"fixed-function NIC.</p>\n",
			simulation->n_outcomes - 1, report->n_shown - 1,
			report->intro->chosen == NULL ?
				"those of least imbalance" :
				"the recommended one and others of least imbalance");
}

static void head_write(struct report *report) {
	struct output *out = report->out;

	output_text(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n"
		    "<meta name=\"generator\" content=\"ddpctl " DDP_VERSION "\">\n<title>");
	title_write(report);
	output_text(out, "</title>\n<style>\n");
	output_text(out, report_css);
	output_text(out, "</style>\n</head>\n<body>\n<header>\n<h1><bdi>");
	title_write(report);
	output_text(out, "</bdi></h1>\n<p class=\"path\"><bdi>");
	html_text(out, report->simulation->path);
	output_printf(out, "</bdi>%s</p>\n", report->simulation->live ? ", live" : "");
	facts_write(report);
	output_text(out, "</header>\n<main>\n");
}

static void foot_write(struct report *report) {
	struct output *out = report->out;

	output_text(out, "</main>\n<footer>\n<p>");
	if (report->simulation->seconds > 0) {
		output_text(out, "Simulated in ");
		html_duration(out, report->simulation->seconds * 1e9);
		output_text(out, " by");
	} else {
		output_text(out, "Simulated by");
	}
	output_text(out, " ddpctl " DDP_VERSION ".</p>\n</footer>\n</body>\n</html>\n");
}

void report_page(struct report *report) {
	head_write(report);
	notices_write(report);
	report_advice(report);
	report_spreads(report);
	report_candidates(report);
	report_keys(report);
	report_nics(report);
	report_scaling(report);
	report_moments(report);
	report_balance(report);
	report_types(report);
	report_meetings(report);
	report_flows(report);
	report_commands(report);
	foot_write(report);
}
