/* SPDX-License-Identifier: BSD-3-Clause */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "html.h"

#define LEFT 50   // room for numbers
#define TOP 26    // for what they count
#define BOTTOM 38 // for the other axis
#define KEYS 36
#define RIGHT 18 // for half of the last number

#define Y_PARTS 5
#define X_PARTS 8
#define KEY_HEIGHT 15.5 // of a line of letters
#define KEY_ROUNDS 300

void chart_init(struct chart *chart, struct output *out, double height, bool keys) {
	chart->out = out;
	chart->left = LEFT;
	chart->top = TOP;
	chart->right = CHART_WIDTH - (keys ? KEYS : RIGHT);
	chart->bottom = height - BOTTOM;
	chart->height = height;
	chart->x_max = 1;
	chart->y_max = 1;
	chart->logarithmic = false;
}

void chart_open(struct chart *chart) {
	output_printf(chart->out,
		      "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %g\" aria-label=\"",
		      CHART_WIDTH, chart->height);
}

double chart_x(const struct chart *chart, double x) {
	return chart->left + (chart->right - chart->left) * x / chart->x_max;
}

double chart_y(const struct chart *chart, double y) {
	double part = chart->logarithmic ? log(fmax(y, 1)) / log(chart->y_max) : y / chart->y_max;

	return chart->bottom - (chart->bottom - chart->top) * part;
}

double chart_step(double most, unsigned int n) {
	double ten = pow(10, floor(log10(most / n)));

	for (double step = ten;; step *= 10) {
		if (most / step <= n)
			return step;
		if (most / (2 * step) <= n)
			return 2 * step;
		if (most / (5 * step) <= n)
			return 5 * step;
	}
}

static void line_draw(struct chart *chart, double x1, double y1, double x2, double y2,
		      const char *css) {
	output_printf(chart->out,
		      "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", css,
		      x1, y1, x2, y2);
}

static void text_draw(struct chart *chart, double x, double y, const char *css, const char *text) {
	output_printf(chart->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", css, x, y);
	html_text(chart->out, text);
	output_text(chart->out, "</text>\n");
}

// 2500 is "2.5k" where the step of the axis is in the hundreds and more.
static void number_draw(struct chart *chart, double x, double y, const char *css, double value,
			double step) {
	static const struct {
		double size;
		const char *name;
	} units[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
	char text[32];
	unsigned int i = 0;

	while (units[i].size > 1 && 2 * step < units[i].size)
		i++;
	if (value == 0)
		i = sizeof(units) / sizeof(units[0]) - 1;
	snprintf(text, sizeof(text), "%.4g%s", value / units[i].size, units[i].name);
	text_draw(chart, x, y, css, text);
}

static void y_line(struct chart *chart, double value, double step, bool lowest) {
	double y = chart_y(chart, value);

	line_draw(chart, chart->left, y, chart->right, y, lowest ? "axis" : "grid");
	number_draw(chart, chart->left - 7, y + 4, "end", value, step);
}

void chart_y_axis(struct chart *chart, double most, double least, const char *what) {
	double up_to = isfinite(most) && most > 0 ? most : 1;
	double step = fmax(chart_step(up_to, Y_PARTS), least);
	unsigned int n = ceil(up_to / step - 1e-9);

	chart->y_max = n * step;
	text_draw(chart, 0, 12, "what", what);
	for (unsigned int i = 0; i <= n; i++)
		y_line(chart, i * step, step, i == 0);
}

// 1, 2, 5, 10, 20, ...
static double decade(unsigned int i) {
	static const double in_ten[] = {1, 2, 5};

	return in_ten[i % 3] * pow(10, i / 3);
}

void chart_log_y_axis(struct chart *chart, double most, const char *what) {
	unsigned int n = 1;

	while (decade(n) < most)
		n++;
	chart->logarithmic = true;
	chart->y_max = decade(n);
	text_draw(chart, 0, 12, "what", what);
	for (unsigned int i = 0; i <= n; i++)
		y_line(chart, decade(i), decade(i) / 5, i == 0);
}

void chart_x_label(struct chart *chart, double x, double value, double step) {
	number_draw(chart, chart_x(chart, x), chart->bottom + 17, "middle", value, step);
}

void chart_x_title(struct chart *chart, const char *what) {
	text_draw(chart, (chart->left + chart->right) / 2, chart->height - 5, "middle", what);
}

void chart_x_axis(struct chart *chart, double least, const char *what) {
	double step = fmax(chart_step(chart->x_max, X_PARTS), least);

	for (unsigned int i = 0; i * step <= chart->x_max * (1 + 1e-9); i++)
		chart_x_label(chart, i * step, i * step, step);
	chart_x_title(chart, what);
}

void chart_level(struct chart *chart, double y, const char *css) {
	line_draw(chart, chart->left, chart_y(chart, y), chart->right, chart_y(chart, y), css);
}

void chart_line_open(struct chart_line *line, struct chart *chart, const char *css) {
	line->chart = chart;
	line->drawing = false;
	line->last_y = chart->bottom;
	output_printf(chart->out, "<path class=\"%s\" vector-effect=\"non-scaling-stroke\" d=\"",
		      css);
}

void chart_line_to(struct chart_line *line, double x, double y) {
	struct chart *chart = line->chart;

	if (!isfinite(y)) {
		chart_line_gap(line);
		return;
	}
	line->last_y = chart_y(chart, y);
	// nothing to the right of a first point: its round cap is a dot should no other follow
	output_printf(chart->out, "%c%.1f %.1f%s", line->drawing ? 'L' : 'M', chart_x(chart, x),
		      line->last_y, line->drawing ? "" : "h0");
	line->drawing = true;
}

void chart_line_gap(struct chart_line *line) {
	line->drawing = false;
}

void chart_line_close(struct chart_line *line) {
	output_text(line->chart->out, "\"/>\n");
}

static int key_compare(const void *a, const void *b) {
	const struct chart_key *left = a, *right = b;

	return (left->y > right->y) - (left->y < right->y);
}

// Move neighbours that are too close apart, each half the way, often enough for all to settle.
static void keys_part(const struct chart *chart, struct chart_key *keys, unsigned int n) {
	for (unsigned int round = 0; round < KEY_ROUNDS; round++) {
		for (unsigned int i = 1; i < n; i++) {
			double lacking = KEY_HEIGHT - (keys[i].y - keys[i - 1].y);

			if (lacking > 0) {
				keys[i - 1].y -= lacking / 2;
				keys[i].y += lacking / 2;
			}
		}
		for (unsigned int i = 0; i < n; i++)
			keys[i].y = fmin(fmax(keys[i].y, chart->top), chart->bottom - 4);
	}
}

void chart_keys(struct chart *chart, struct chart_key *keys, unsigned int n) {
	qsort(keys, n, sizeof(*keys), key_compare);
	keys_part(chart, keys, n);
	for (unsigned int i = 0; i < n; i++)
		text_draw(chart, chart->right + 7, keys[i].y + 4, keys[i].css, keys[i].name);
}
