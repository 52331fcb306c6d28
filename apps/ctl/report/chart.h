/* SPDX-License-Identifier: BSD-3-Clause */
// Charts as SVG in a page: axes, bars, lines. Colours and letters come from the page's style sheet.
//
// A chart is as wide as its column, and so small in its own units that its letters can be read
// where that is the width of a phone; the style sheet makes them smaller where there is more room.
#ifndef DDPCTL_REPORT_CHART_H
#define DDPCTL_REPORT_CHART_H

#include <stdbool.h>

#include "common/output.h"

#define CHART_WIDTH 420

struct chart {
	struct output *out;
	double left, top, right, bottom; // of the area of the plot
	double height;
	double x_max, y_max; // that right and top stand for
	bool logarithmic;    // in y, and then the bottom is 1
};

// height of all. keys: leave room for them at the right.
void chart_init(struct chart *chart, struct output *out, double height, bool keys);

// The caller writes what a reader who does not see it is told, up to CHART_TOLD, and at last its
// end.
void chart_open(struct chart *chart);
#define CHART_TOLD "\">\n"
#define CHART_END "</svg>\n"

double chart_x(const struct chart *chart, double x);
double chart_y(const struct chart *chart, double y);

// A number of 1, 2 or 5 and zeros, that cuts most into at most n parts.
double chart_step(double most, unsigned int n);

// Set y_max, and draw the lines and numbers of that axis; what: its unit. Numbers are at least
// least apart.
void chart_y_axis(struct chart *chart, double most, double least, const char *what);

// The same from 1 on, where all that is between 1 and 10 would else be one line. most is finite.
void chart_log_y_axis(struct chart *chart, double most, const char *what);

// The axis at the bottom, with numbers at multiples of a step, and what they count.
void chart_x_axis(struct chart *chart, double least, const char *what);
void chart_x_label(struct chart *chart, double x, double value, double step);
void chart_x_title(struct chart *chart, const char *what);

// A level line from left to right.
void chart_level(struct chart *chart, double y, const char *css);

// A line: points in order of x; after a gap it begins anew, a point alone is a dot,
// and what is no number is a gap.
struct chart_line {
	struct chart *chart;
	bool drawing;
	double last_y; // in the chart's units; the bottom before the first point
};

void chart_line_open(struct chart_line *line, struct chart *chart, const char *css);
void chart_line_to(struct chart_line *line, double x, double y);
void chart_line_gap(struct chart_line *line);
void chart_line_close(struct chart_line *line);

// Names at the right of the ends of lines, moved apart where these are close.
struct chart_key {
	const char *name, *css;
	double y; // of the line's end; moved
};

void chart_keys(struct chart *chart, struct chart_key *keys, unsigned int n);

#endif
