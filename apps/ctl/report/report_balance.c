/* SPDX-License-Identifier: BSD-3-Clause */
// What load-aware RSS would do: a chart of the first candidate's intervals, and the numbers of all.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "chart.h"
#include "report_parts.h"

#define HEIGHT 284
#define POINTS_MAX 240 // of a line

enum curve {
	WITHOUT,
	WITH,
	N_CURVES,
};

static const char *const curve_css[N_CURVES] = {
	[WITHOUT] = "line c1 dashed",
	[WITH] = "line c1",
};

static double value_of(const struct balancing_interval *interval, enum curve curve) {
	double value = curve == WITHOUT ? interval->fixed : interval->balanced;

	return interval->packets > 0 && isfinite(value) ? value : NAN;
}

// The worst one of those that are too close to be told apart.
static unsigned int worst_of(const struct balancing_interval *intervals, unsigned int n,
			     enum curve curve) {
	unsigned int worst = 0;

	for (unsigned int i = 1; i < n; i++)
		if (isnan(value_of(&intervals[worst], curve)) ||
		    value_of(&intervals[i], curve) > value_of(&intervals[worst], curve))
			worst = i;
	return worst;
}

static void curve_draw(const struct balancing *balancing, struct chart *chart, enum curve curve) {
	const unsigned int n = balancing->n_intervals_kept;
	const unsigned int stride = (n + POINTS_MAX - 1) / POINTS_MAX;
	struct chart_line line;

	chart_line_open(&line, chart, curve_css[curve]);
	for (unsigned int i = 0; i < n; i += stride) {
		unsigned int at = i + worst_of(balancing->intervals + i,
					       n - i < stride ? n - i : stride, curve);

		chart_line_to(&line, chart->x_max * (at + 0.5) / n,
			      value_of(&balancing->intervals[at], curve));
	}
	chart_line_close(&line);
}

static double most_of(const struct balancing *balancing) {
	double most = 1;

	for (unsigned int i = 0; i < balancing->n_intervals_kept; i++)
		for (unsigned int curve = 0; curve < N_CURVES; curve++)
			most = fmax(most, value_of(&balancing->intervals[i], curve));
	return most;
}

static void chart_draw(struct report *report, const struct balancing *balancing) {
	const double ns = (double)balancing->n_intervals_kept * balancing->interval_ns;
	struct time_unit time_unit = html_time_unit(ns);
	struct chart chart;
	char axis[16];

	chart_init(&chart, report->out, HEIGHT, false);
	chart.x_max = ns / time_unit.ns;
	chart_open(&chart);
	output_text(report->out, "Imbalance of each interval without and with load-aware RSS; the "
				 "means are in the table" CHART_TOLD);
	if (most_of(balancing) > 10)
		chart_log_y_axis(&chart, most_of(balancing), "imbalance");
	else
		chart_y_axis(&chart, most_of(balancing), 0, "imbalance");
	snprintf(axis, sizeof(axis), "time, %s", time_unit.name);
	chart_x_axis(&chart, 0, axis);
	chart_level(&chart, 1, "ideal");
	for (unsigned int curve = 0; curve < N_CURVES; curve++)
		curve_draw(balancing, &chart, curve);
	output_text(report->out, CHART_END);
}

static void legend_line(struct report *report, const char *css, const char *what) {
	legend_line_open(report, css);
	output_text(report->out, what);
	output_text(report->out, LEGEND_LINE_END);
}

static void figure_write(struct report *report, const struct shown *shown) {
	const struct balancing *balancing = shown->outcome->balancing;
	struct output *out = report->out;

	output_text(out, "<figure class=\"curves\">\n");
	chart_draw(report, balancing);
	output_text(out, "<figcaption>\n<p>Imbalance in each ");
	html_duration(out, balancing->interval_ns);
	output_text(out, " with ");
	candidate_write(report, shown);
	output_text(out, ". A gap is a time without packets.");
	if (balancing->n_intervals_kept < balancing->n_intervals) {
		output_text(out, " These are the first ");
		html_count(out, balancing->n_intervals_kept);
		output_text(out, " of ");
		html_named_count(out, balancing->n_intervals, "interval");
		output_text(out, ".");
	}
	output_text(out, "</p>\n" LEGEND);
	legend_line(report, curve_css[WITHOUT], "without load-aware RSS");
	legend_line(report, curve_css[WITH], "with it");
	legend_line(report, "ideal", "even");
	output_text(out, LEGEND_END "</figcaption>\n</figure>\n");
}

static const struct cell columns[] = {
	{"Candidate", false}, {"Without", true},          {"With", true},
	{"After", true},      {"At worst without", true}, {"At worst with", true},
	{"Moves", true},      {"A second", true},         {"What bounds it", false},
};

static void bound_cell(struct report *report, const struct cell *cell,
		       const struct balancing *balancing) {
	struct output *out = report->out;

	cell_open(report, cell);
	if (balancing->bound_entry < 0) {
		output_text(out, "\xe2\x80\x93" CELL_END);
		return;
	}
	output_printf(out, "entry %d with ", balancing->bound_entry);
	html_share(out, balancing->bound_share);
	if (balancing->bound_flow != NULL) {
		output_text(out, ": <bdi>");
		html_text(out, balancing->bound_flow);
		output_text(out, "</bdi>");
	}
	output_text(out, " (any entry, in ");
	html_count(out, balancing->n_bound);
	output_text(out, " of ");
	html_named_count(out, balancing->n_busy, "interval");
	output_text(out, ")" CELL_END);
}

static void balance_row(struct report *report, const struct shown *shown) {
	const struct balancing *balancing = shown->outcome->balancing;
	const struct cell *cell = columns + 1;

	card_of_candidate(report, shown);
	real_cell(report, cell++, balancing->fixed, 3);
	real_cell(report, cell++, balancing->balanced, 3);
	real_cell(report, cell++, balancing->after, 3);
	real_cell(report, cell++, balancing->fixed_worst, 3);
	real_cell(report, cell++, balancing->balanced_worst, 3);
	count_cell(report, cell++, balancing->n_moves);
	real_cell(report, cell++, balancing_move_rate(balancing), 1);
	bound_cell(report, cell, balancing);
	output_text(report->out, CARD_END);
}

static void table_write(struct report *report) {
	cards_open(report, "Mean imbalance of the intervals, by their packets", columns,
		   sizeof(columns) / sizeof(columns[0]));
	for (unsigned int i = 0; i < report->n_shown; i++)
		if (report->shown[i].outcome->balancing != NULL)
			balance_row(report, &report->shown[i]);
	output_text(report->out, CARDS_END);
	output_printf(
		report->out,
		"<p class=\"note\">Load-aware RSS (balance= of net_ddp) moves entries of the redirection "
		"table at the end of an interval; each flow keeps its order. After: the same packets with "
		"the table as it is then. At worst: intervals with %u packets a queue or more, with "
		"load-aware RSS from its first move on. An entry that alone has more than a queue's "
		"even share bounds what moves can do.</p>\n",
		BALANCING_FEW);
}

void report_balance(struct report *report) {
	const struct balancing *first;

	if (report->n_shown == 0 || report->simulation->packets == 0)
		return;
	first = report->shown[0].outcome->balancing;
	if (first == NULL)
		return;
	section_open(report, "balance", "Load-aware RSS");
	if (first->n_intervals_kept > 1)
		figure_write(report, &report->shown[0]);
	table_write(report);
	output_text(report->out, SECTION_END);
}
