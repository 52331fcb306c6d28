/* SPDX-License-Identifier: BSD-3-Clause */
// What a number more of cores brings, and how the spread changes with time: a line for each
// candidate.
#include <math.h>
#include <stdio.h>

#include "chart.h"
#include "ctl/profile/steer.h"
#include "report_parts.h"

#define HEIGHT 284
#define FIGURE "<figure class=\"curves\">\n"
#define FIGURE_END "</figcaption>\n</figure>\n"
#define POINTS_MAX 240 // of a line: more would be closer than points of the screen

static double greater(double a, double b) {
	return isfinite(b) && b > a ? b : a;
}

// Scaling.

// What a core's worth of load is on the axis.
static double unit(const struct simulation *simulation) {
	return simulation->core_mpps > 0 ? simulation->core_mpps : 1;
}

// True when the load has a place in the chart, at most a third above what the cores could do.
static bool load_is_drawn(const struct simulation *simulation) {
	return simulation->core_mpps > 0 && simulation->load_mpps > 0 &&
	       simulation->load_mpps * 3 <= simulation->core_mpps * simulation->n_queues * 4;
}

static void line_open(struct chart_line *line, struct chart *chart, const struct shown *shown) {
	char css[32];

	snprintf(css, sizeof(css), "line c%u%s", shown->colour, shown->dashed ? " dashed" : "");
	chart_line_open(line, chart, css);
}

// Of the points that are too close to be told apart the worst one is drawn.
static double scaling_draw(const struct simulation *simulation, struct chart *chart,
			   const struct shown *shown) {
	const double *scaling = shown->outcome->scaling;
	unsigned int stride = (simulation->n_queues + POINTS_MAX - 1) / POINTS_MAX;
	struct chart_line line;

	line_open(&line, chart, shown);
	chart_line_to(&line, 0, 0);
	for (unsigned int i = 0; i < simulation->n_queues; i += stride) {
		unsigned int worst = i;

		for (unsigned int k = i; k < i + stride && k < simulation->n_queues; k++)
			if (scaling[k] < scaling[worst])
				worst = k;
		chart_line_to(&line, worst + 1, scaling[worst] * unit(simulation));
	}
	chart_line_close(&line);
	return line.last_y;
}

static struct chart_key key_of(const struct shown *shown, double y) {
	static const char *const css[] = {"key c0", "key c1", "key c2", "key c3",
					  "key c4", "key c5", "key c6"};

	_Static_assert(sizeof(css) / sizeof(css[0]) == N_COLOURS + 1, "each colour");
	return (struct chart_key){.name = shown->key, .css = css[shown->colour], .y = y};
}

static void scaling_chart(struct report *report) {
	const struct simulation *simulation = report->simulation;
	double ideal = simulation->n_queues * unit(simulation);
	struct chart_key keys[SHOWN_MAX];
	struct chart_line line;
	struct chart chart;

	chart_init(&chart, report->out, HEIGHT, true);
	chart.x_max = simulation->n_queues;
	chart_open(&chart);
	output_printf(
		report->out,
		"Load that 1 to %u cores carry with each candidate; the numbers for %u are in "
		"the legend" CHART_TOLD,
		simulation->n_queues, simulation->n_queues);
	chart_y_axis(&chart,
		     load_is_drawn(simulation) ? greater(ideal, simulation->load_mpps) : ideal, 0,
		     simulation->core_mpps > 0 ? "Mpps" : "cores' worth of load");
	chart_x_axis(&chart, 1, "cores, a queue each");
	chart_line_open(&line, &chart, "ideal");
	chart_line_to(&line, 0, 0);
	chart_line_to(&line, simulation->n_queues, ideal);
	chart_line_close(&line);
	if (load_is_drawn(simulation))
		chart_level(&chart, simulation->load_mpps, "load");
	for (unsigned int i = report->n_shown; i-- > 0;) // the best on top
		keys[i] = key_of(&report->shown[i],
				 scaling_draw(simulation, &chart, &report->shown[i]));
	chart_keys(&chart, keys, report->n_shown);
	output_text(report->out, CHART_END);
}

static void scaling_more(struct report *report, const struct outcome *outcome) {
	const struct simulation *simulation = report->simulation;
	double most = outcome->scaling[simulation->n_queues - 1];
	struct output *out = report->out;

	if (simulation->core_mpps > 0) {
		html_mpps(out, most * simulation->core_mpps);
	} else {
		html_real(out, most, 2);
		output_text(out, most == 1 ? " core's worth" : " cores' worth");
	}
	if (!(simulation->core_mpps > 0) || !(simulation->load_mpps > 0))
		return;
	if (outcome->cores > 0)
		output_printf(out, "; the load needs %u core%s", outcome->cores,
			      outcome->cores == 1 ? "" : "s");
	else
		output_printf(out, "; the load is too much for any number of cores up to %u",
			      STEER_QUEUES_MAX);
}

static void load_line(struct report *report) {
	const struct simulation *simulation = report->simulation;

	if (!(simulation->core_mpps > 0) || !(simulation->load_mpps > 0))
		return;
	legend_line_open(report, "load");
	output_text(report->out, "the load: ");
	html_mpps(report->out, simulation->load_mpps);
	output_text(report->out, load_is_drawn(simulation) ? "" : ", far above this chart");
	output_text(report->out, LEGEND_LINE_END);
}

static void ideal_line(struct report *report, const char *what) {
	legend_line_open(report, "ideal");
	output_text(report->out, what);
	output_text(report->out, LEGEND_LINE_END);
}

void report_scaling(struct report *report) {
	const struct simulation *simulation = report->simulation;

	if (report->n_shown == 0 || simulation->packets == 0)
		return;
	section_open(report, "scaling", "What more cores bring");
	output_text(report->out, FIGURE);
	scaling_chart(report);
	output_printf(
		report->out,
		"<figcaption>\n<p>How much load n cores carry, each with a queue of its own, until the most "
		"loaded of them is full. With %u:</p>\n",
		simulation->n_queues);
	output_text(report->out, LEGEND);
	legend_candidates(report, scaling_more);
	load_line(report);
	ideal_line(report, "ideal: all cores are full at once");
	output_text(report->out, LEGEND_END FIGURE_END SECTION_END);
}

// Time.

static double imbalance_of(const struct moment *moment) {
	return moment->packets > 0 ? moment->imbalance : NAN;
}

static unsigned int worst_of(const struct moment *moments, unsigned int n) {
	unsigned int worst = 0;

	for (unsigned int i = 1; i < n; i++)
		if (isnan(imbalance_of(&moments[worst])) ||
		    imbalance_of(&moments[i]) > imbalance_of(&moments[worst]))
			worst = i;
	return worst;
}

// The middle of a moment, in the unit of the chart; its whole length is x_max.
static double moment_x(const struct simulation *simulation, const struct chart *chart,
		       unsigned int i) {
	return chart->x_max * (i + 0.5) / simulation->n_moments;
}

// Of moments that are too close to be told apart the worst one is drawn.
static double moments_draw(const struct simulation *simulation, struct chart *chart,
			   const struct shown *shown) {
	const struct moment *moments = shown->outcome->moments;
	unsigned int n = simulation->n_moments, stride = (n + POINTS_MAX - 1) / POINTS_MAX;
	struct chart_line line;

	line_open(&line, chart, shown);
	for (unsigned int i = 0; i < n; i += stride) {
		unsigned int worst = i + worst_of(moments + i, n - i < stride ? n - i : stride);

		chart_line_to(&line, moment_x(simulation, chart, worst),
			      imbalance_of(&moments[worst]));
	}
	chart_line_close(&line);
	return line.last_y;
}

static void worst_mark(const struct simulation *simulation, struct chart *chart,
		       const struct shown *shown) {
	const struct outcome *outcome = shown->outcome;
	double imbalance = imbalance_of(&outcome->moments[outcome->worst]);

	if (!isfinite(imbalance))
		return;
	output_printf(
		chart->out,
		"<circle class=\"worst c%u\" vector-effect=\"non-scaling-stroke\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n",
		shown->colour, chart_x(chart, moment_x(simulation, chart, outcome->worst)),
		chart_y(chart, imbalance));
}

static double most_of_moments(const struct report *report) {
	double most = 1;

	for (unsigned int i = 0; i < report->n_shown; i++)
		for (unsigned int k = 0; k < report->simulation->n_moments; k++)
			most = greater(most, imbalance_of(&report->shown[i].outcome->moments[k]));
	return most;
}

static bool scale_is_logarithmic(const struct report *report) {
	return most_of_moments(report) > 10;
}

static void moments_chart(struct report *report) {
	const struct simulation *simulation = report->simulation;
	double ns = (double)simulation->n_moments * simulation->moment_ns;
	struct time_unit time_unit = html_time_unit(ns);
	char axis[16];
	struct chart_key keys[SHOWN_MAX];
	struct chart chart;

	chart_init(&chart, report->out, HEIGHT, true);
	chart.x_max = ns / time_unit.ns;
	chart_open(&chart);
	output_text(report->out,
		    "Imbalance of each candidate over time; the worst moments are in the "
		    "legend" CHART_TOLD);
	if (scale_is_logarithmic(report))
		chart_log_y_axis(&chart, most_of_moments(report), "imbalance");
	else
		chart_y_axis(&chart, most_of_moments(report), 0, "imbalance");
	snprintf(axis, sizeof(axis), "time, %s", time_unit.name);
	chart_x_axis(&chart, 0, axis);
	chart_level(&chart, 1, "ideal");
	for (unsigned int i = report->n_shown; i-- > 0;)
		keys[i] = key_of(&report->shown[i],
				 moments_draw(simulation, &chart, &report->shown[i]));
	for (unsigned int i = report->n_shown; i-- > 0;)
		worst_mark(simulation, &chart, &report->shown[i]);
	chart_keys(&chart, keys, report->n_shown);
	output_text(report->out, CHART_END);
}

static void moments_more(struct report *report, const struct outcome *outcome) {
	const struct simulation *simulation = report->simulation;
	const struct moment *worst = &outcome->moments[outcome->worst];
	struct output *out = report->out;

	if (worst->packets == 0) {
		output_text(out, "no packets");
		return;
	}
	output_text(out, "at worst ");
	html_real(out, worst->imbalance, 2);
	if (outcome->worst > 0) {
		output_text(out, ", after ");
		html_duration(out, outcome->worst * simulation->moment_ns);
	} else {
		output_text(out, ", at the beginning");
	}
	output_text(out, " (");
	html_named_count(out, worst->packets, "packet");
	output_text(out, ")");
}

static void moments_figure(struct report *report) {
	output_text(report->out, FIGURE);
	moments_chart(report);
	output_text(report->out, "<figcaption>\n<p>Imbalance in each ");
	html_duration(report->out, report->simulation->moment_ns);
	output_text(report->out,
		    " of the capture. A circle marks the worst moment of each candidate. A gap "
		    "is a time without packets.");
	if (scale_is_logarithmic(report))
		output_text(report->out, " The scale is logarithmic.");
	output_text(report->out, "</p>\n");
	output_text(report->out, LEGEND);
	legend_candidates(report, moments_more);
	ideal_line(report, "even");
	output_text(report->out, LEGEND_END FIGURE_END);
}

void report_moments(struct report *report) {
	const struct simulation *simulation = report->simulation;

	if (report->n_shown == 0 || simulation->packets == 0)
		return;
	section_open(report, "time", "Imbalance over time");
	if (simulation->n_moments > 0 && simulation->moment_ns > 0)
		moments_figure(report);
	else
		output_text(report->out,
			    "<p>The capture does not say when its packets came.</p>\n");
	output_text(report->out, SECTION_END);
}
