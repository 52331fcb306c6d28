/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_parts.h"

#include <stdio.h>

void section_open(struct report *report, const char *id, const char *title) {
	output_printf(report->out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id,
		      id, title);
}

void candidate_write(struct report *report, const struct shown *shown) {
	output_printf(report->out, "<b class=\"key c%u\">%s</b> <bdi class=\"name\">",
		      shown->colour, shown->key);
	html_text(report->out,
		  shown->outcome->name[0] != '\0' ? shown->outcome->name : "(no name)");
	output_text(report->out, "</bdi>");
}

static void swatch_write(struct report *report, const char *css, const char *dash) {
	output_printf(report->out,
		      "<svg class=\"swatch\" aria-hidden=\"true\" viewBox=\"0 0 28 10\">"
		      "<path class=\"%s%s\" d=\"M1 5h26\"/></svg> ",
		      css, dash);
}

void legend_candidates(struct report *report, legend_more_fn *more) {
	for (unsigned int i = 0; i < report->n_shown; i++) {
		const struct shown *shown = &report->shown[i];
		char css[32];

		snprintf(css, sizeof(css), "line c%u", shown->colour);
		output_text(report->out, "<li>");
		swatch_write(report, css, shown->dashed ? " dashed" : "");
		candidate_write(report, shown);
		output_text(report->out, ": ");
		more(report, shown->outcome);
		output_text(report->out, "</li>\n");
	}
}

void legend_line_open(struct report *report, const char *css) {
	output_text(report->out, "<li>");
	swatch_write(report, css, "");
}

void cards_open(struct report *report, const char *caption, const struct cell *cells,
		unsigned int n) {
	output_printf(report->out, "<table class=\"cards\">\n<caption>%s</caption>\n<thead>\n<tr>",
		      caption);
	for (unsigned int i = 0; i < n; i++)
		output_printf(report->out, "<th scope=\"col\"%s>%s</th>",
			      cells[i].number ? " class=\"number\"" : "", cells[i].title);
	output_text(report->out, "</tr>\n</thead>\n<tbody>\n");
}

void card_of_candidate(struct report *report, const struct shown *shown) {
	output_text(report->out, "<tr><th scope=\"row\">");
	candidate_write(report, shown);
	output_text(report->out, "</th>");
}

void cell_open(struct report *report, const struct cell *cell) {
	output_printf(report->out, "<td data-label=\"%s\"%s>", cell->title,
		      cell->number ? " class=\"number\"" : "");
}

void real_cell(struct report *report, const struct cell *cell, double value, int decimals) {
	cell_open(report, cell);
	html_real(report->out, value, decimals);
	output_text(report->out, CELL_END);
}

void share_cell(struct report *report, const struct cell *cell, double share) {
	cell_open(report, cell);
	html_share(report->out, share);
	output_text(report->out, CELL_END);
}

void count_cell(struct report *report, const struct cell *cell, uint64_t n) {
	cell_open(report, cell);
	html_count(report->out, n);
	output_text(report->out, CELL_END);
}
