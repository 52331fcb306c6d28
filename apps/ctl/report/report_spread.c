/* SPDX-License-Identifier: BSD-3-Clause */
// How packets spread over queues: a chart of bars for each candidate, first the fixed-function
// NIC's.
#include <math.h>

#include "chart.h"
#include "report_parts.h"

#define HEIGHT 200
#define BARS_MAX 128     // more would be thinner than a point of the screen
#define LEAST_HEIGHT 0.8 // a queue with packets does not look like one without
#define SCALES_APART 20  // charts whose longest bars differ so much have scales of their own

// Neighbouring queues that share a bar.
struct bar {
	unsigned int first, n;
	uint64_t most, sum;
};

static struct bar bar_of(const uint64_t *packets, unsigned int first, unsigned int n) {
	struct bar bar = {.first = first, .n = n};

	for (unsigned int i = first; i < first + n; i++) {
		bar.sum += packets[i];
		if (packets[i] > bar.most)
			bar.most = packets[i];
	}
	return bar;
}

static unsigned int queues_of_bar(const struct report *report) {
	return (report->simulation->n_queues + BARS_MAX - 1) / BARS_MAX;
}

static struct bar all_queues(const struct report *report, const struct outcome *outcome) {
	return bar_of(outcome->queue_packets, 0, report->simulation->n_queues);
}

// The load that a chart goes up to: the same for all where that leaves something to see. 0: its
// own.
static uint64_t common_scale(const struct report *report) {
	uint64_t least = UINT64_MAX, most = 0;

	for (unsigned int i = 0; i < report->n_shown; i++) {
		uint64_t load = all_queues(report, report->shown[i].outcome).most;

		if (load > most)
			most = load;
		if (load > 0 && load < least)
			least = load;
	}
	return most / SCALES_APART > least ? 0 : most;
}

static void bar_name(struct report *report, const struct bar *bar) {
	struct output *out = report->out;

	if (bar->n == 1) {
		output_printf(out, "queue %u: ", bar->first);
		html_named_count(out, bar->sum, "packet");
		return;
	}
	output_printf(out, "queues %u to %u: at most ", bar->first, bar->first + bar->n - 1);
	html_named_count(out, bar->most, "packet");
	output_text(out, ", on average ");
	html_real(out, (double)bar->sum / bar->n, 0);
}

// Its part from the bottom up to load.
static void rect_draw(struct chart *chart, const struct bar *bar, double load, const char *css) {
	double slot = chart_x(chart, bar->first + bar->n) - chart_x(chart, bar->first);
	double gap = slot > 4 ? 0.14 * slot : 0.05 * slot;
	double y = fmin(chart_y(chart, load), chart->bottom - LEAST_HEIGHT);

	output_printf(chart->out,
		      "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>",
		      css, chart_x(chart, bar->first) + gap, y, slot - 2 * gap, chart->bottom - y);
}

static void bar_draw(struct report *report, struct chart *chart, const struct bar *bar) {
	if (bar->sum == 0)
		return;
	output_text(report->out, "<g><title>");
	bar_name(report, bar);
	output_text(report->out, "</title>");
	if (bar->n > 1)
		rect_draw(chart, bar, bar->most, "bar most");
	rect_draw(chart, bar, (double)bar->sum / bar->n, "bar");
	output_text(report->out, "</g>\n");
}

static void queue_axis(const struct report *report, struct chart *chart) {
	unsigned int n = report->simulation->n_queues;
	double step = n > 8 ? chart_step(n, 8) : 1;

	for (unsigned int i = 0; i < n; i += step)
		chart_x_label(chart, i + 0.5, i, step);
	chart_x_title(chart, "queue");
}

static void bars_draw(struct report *report, const struct shown *shown, uint64_t scale) {
	const struct outcome *outcome = shown->outcome;
	unsigned int n_queues = report->simulation->n_queues, n = queues_of_bar(report);
	struct bar all = all_queues(report, outcome);
	struct chart chart;

	chart_init(&chart, report->out, HEIGHT, false);
	chart.x_max = n_queues;
	chart_open(&chart);
	output_text(report->out, "Packets of each queue with ");
	html_text(report->out, outcome->name);
	output_text(report->out, ": imbalance ");
	html_real(report->out, outcome->imbalance, 2);
	output_text(report->out, CHART_TOLD);
	chart_y_axis(&chart, scale > 0 ? scale : all.most, 1, "packets");
	queue_axis(report, &chart);
	output_printf(report->out, "<g class=\"c%u\">\n", shown->colour);
	for (unsigned int i = 0; i < n_queues; i += n) {
		struct bar bar =
			bar_of(outcome->queue_packets, i, n_queues - i < n ? n_queues - i : n);

		bar_draw(report, &chart, &bar);
	}
	output_text(report->out, "</g>\n");
	if (all.sum > 0)
		chart_level(&chart, (double)all.sum / n_queues, "mean");
	output_text(report->out, CHART_END);
}

static unsigned int busy(const uint64_t *packets, unsigned int n) {
	unsigned int n_busy = 0;

	for (unsigned int i = 0; i < n; i++)
		n_busy += packets[i] > 0;
	return n_busy;
}

static void facts_write(struct report *report, const struct outcome *outcome) {
	unsigned int n = report->simulation->n_queues;
	struct output *out = report->out;

	output_text(out, "<p class=\"note\">");
	if (report->intro->chosen != NULL && outcome == report->intro->chosen)
		output_text(out, "<span class=\"chip\">recommended</span> ");
	output_printf(out, "%u of %u queue%s busy, hottest ", busy(outcome->queue_packets, n), n,
		      n == 1 ? "" : "s");
	html_share(out, outcome->hottest);
	output_text(out, ", Jain ");
	html_real(out, outcome->jain, 3);
	output_text(out, "</p>\n");
}

static void panel_write(struct report *report, const struct shown *shown, uint64_t scale) {
	struct output *out = report->out;

	output_text(out, "<figure>\n<figcaption><span class=\"who\">");
	candidate_write(report, shown);
	output_printf(out, "</span> <span class=\"big c%u\">", shown->colour);
	html_real(out, shown->outcome->imbalance, 2);
	output_text(out, "<small>imbalance</small></span></figcaption>\n");
	bars_draw(report, shown, scale);
	facts_write(report, shown->outcome);
	output_text(out, "</figure>\n");
}

static void note_write(struct report *report, uint64_t scale) {
	unsigned int n = queues_of_bar(report);

	output_text(
		report->out,
		"<p class=\"note\">Imbalance is the most loaded queue over the mean, which is the "
		"dashed line: 1 is even.");
	if (n > 1)
		output_printf(
			report->out,
			" A bar is for %u neighbouring queues: the pale part goes up to the most loaded "
			"of them, the full part to their mean.",
			n);
	if (scale == 0)
		output_text(report->out,
			    " Each chart has a scale of its own, for one common to all would "
			    "leave nothing to see of some.");
	output_text(report->out, "</p>\n");
}

void report_spreads(struct report *report) {
	uint64_t scale = common_scale(report);

	if (report->n_shown == 0 || report->simulation->packets == 0)
		return;
	section_open(report, "spread", "Spread over the queues");
	note_write(report, scale);
	output_text(report->out, "<div class=\"panels\">\n");
	for (unsigned int i = 0; i < report->n_shown; i++)
		panel_write(report, &report->shown[(i + report->n_shown - 1) % report->n_shown],
			    scale);
	output_text(report->out, "</div>\n");
	output_text(report->out, SECTION_END);
}
