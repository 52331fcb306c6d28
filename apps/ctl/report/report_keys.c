/* SPDX-License-Identifier: BSD-3-Clause */
// How much of a candidate's imbalance is luck with the RSS key: a bar for each, from the 10th to
// the 90th percentile of many keys.
#include <math.h>

#include "chart.h"
#include "report_parts.h"

#define HEIGHT 284
#define LOGARITHMIC 10 // an axis that goes further

static unsigned int n_keys(const struct report *report) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < report->n_shown; i++)
		if (report->shown[i].outcome->keys.n > n)
			n = report->shown[i].outcome->keys.n;
	return n;
}

static double most_imbalance(const struct report *report) {
	double most = 1;

	for (unsigned int i = 0; i < report->n_shown; i++) {
		const struct outcome *outcome = report->shown[i].outcome;

		if (outcome->keys.n > 0)
			most = fmax(most, outcome->keys.plain.high);
		if (isfinite(outcome->imbalance))
			most = fmax(most, outcome->imbalance);
	}
	return most;
}

static void range_draw(struct chart *chart, unsigned int i, const struct shown *shown) {
	const struct key_range *range = &shown->outcome->keys.plain;
	double left = chart_x(chart, i + 0.25), right = chart_x(chart, i + 0.75);
	double low = chart_y(chart, range->low), high = chart_y(chart, range->high);
	double median = chart_y(chart, range->median);

	output_printf(chart->out,
		      "<rect class=\"bar most\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		      "height=\"%.1f\"/>\n",
		      left, high, right - left, fmax(low - high, 1));
	output_printf(chart->out, "<path class=\"line c%u\" d=\"M%.1f %.1fH%.1f\"/>\n",
		      shown->colour, left, median, right);
	if (isfinite(shown->outcome->imbalance))
		output_printf(chart->out,
			      "<circle class=\"worst c%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n",
			      shown->colour, chart_x(chart, i + 0.5),
			      chart_y(chart, shown->outcome->imbalance));
}

static void column_draw(struct chart *chart, unsigned int i, const struct shown *shown) {
	output_printf(chart->out, "<g class=\"c%u\">\n", shown->colour);
	if (shown->outcome->keys.n > 0)
		range_draw(chart, i, shown);
	output_printf(chart->out, "<text class=\"key middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
		      chart_x(chart, i + 0.5), chart->bottom + 16, shown->key);
	output_text(chart->out, "</g>\n");
}

static void keys_chart(struct report *report) {
	double most = most_imbalance(report);
	struct chart chart;

	chart_init(&chart, report->out, HEIGHT, false);
	chart.x_max = report->n_shown;
	chart_open(&chart);
	output_text(report->out,
		    "Imbalance of each candidate with many RSS keys; the numbers are in the "
		    "legend" CHART_TOLD);
	if (most > LOGARITHMIC)
		chart_log_y_axis(&chart, most, "imbalance");
	else
		chart_y_axis(&chart, most, 0, "imbalance");
	chart_level(&chart, 1, "ideal");
	for (unsigned int i = 0; i < report->n_shown; i++)
		column_draw(&chart, i, &report->shown[i]);
	output_text(report->out, CHART_END);
}

static void range_write(struct report *report, const struct key_range *range) {
	html_real(report->out, range->median, 2);
	output_text(report->out, " (");
	html_real(report->out, range->low, 2);
	output_text(report->out, " to ");
	html_real(report->out, range->high, 2);
	output_text(report->out, ")");
}

static void keys_more(struct report *report, const struct outcome *outcome) {
	const struct key_spread *keys = &outcome->keys;

	if (keys->n == 0) {
		output_text(report->out, "without a key");
		return;
	}
	range_write(report, &keys->plain);
	if (keys->n_balanced == 0)
		return;
	output_text(report->out, "; with load-aware RSS ");
	range_write(report, &keys->balanced);
}

void report_keys(struct report *report) {
	unsigned int n = n_keys(report);

	if (n == 0 || report->simulation->packets == 0)
		return;
	section_open(report, "keys", "Other RSS keys");
	output_text(report->out, "<figure class=\"curves\">\n");
	keys_chart(report);
	output_printf(
		report->out,
		"<figcaption>\n<p>Imbalance with %u RSS keys, because one key may be lucky: the "
		"median, and in brackets the 10th and the 90th percentile, which the bar goes from "
		"and to. A circle is the key of this run.",
		n);
	if (most_imbalance(report) > LOGARITHMIC)
		output_text(report->out, " The scale is logarithmic.");
	output_text(report->out, "</p>\n" LEGEND);
	legend_candidates(report, keys_more);
	output_text(report->out, LEGEND_END "</figcaption>\n</figure>\n" SECTION_END);
}
