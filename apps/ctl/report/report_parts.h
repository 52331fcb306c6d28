/* SPDX-License-Identifier: BSD-3-Clause */
// The parts of a report's page. Each writes itself, or nothing when there is nothing to say.
#ifndef DDPCTL_REPORT_REPORT_PARTS_H
#define DDPCTL_REPORT_REPORT_PARTS_H

#include "html.h"
#include "report.h"

#define SHOWN_MAX 13 // candidates, among them the fixed-function NIC

#define N_COLOURS 6 // besides that of the fixed-function NIC

// A candidate on the page. Charts name it by its key only, for its name may be of any length.
struct shown {
	const struct outcome *outcome;
	char key[4];         // "A" to "L", "NIC"
	unsigned int colour; // 0: the fixed-function NIC's; else 1 to N_COLOURS
	bool dashed;         // the colours are there a second time
};

struct report {
	struct output *out;
	const struct simulation *simulation;
	const struct report_intro *intro;
	struct shown
		shown[SHOWN_MAX]; // the chosen one, others as they came, the fixed-function NIC
	unsigned int n_shown;
};

extern const char report_css[];

// Who is shown. Fills shown and n_shown.
void report_choose(struct report *report);

// The whole page.
void report_page(struct report *report);

void report_advice(struct report *report);
void report_spreads(struct report *report);
void report_candidates(struct report *report);
void report_scaling(struct report *report);
void report_moments(struct report *report);
void report_balance(struct report *report);
void report_types(struct report *report);
void report_keys(struct report *report);
void report_nics(struct report *report);
void report_meetings(struct report *report);
void report_flows(struct report *report);
void report_commands(struct report *report);

// What parts are made of: what is opened ends with the text of its name.
#define SECTION_END "</section>\n"
void section_open(struct report *report, const char *id, const char *title);
void candidate_write(struct report *report, const struct shown *shown); // key and name

// What the lines of a chart are; what more there is to say of each candidate comes from more().
typedef void legend_more_fn(struct report *report, const struct outcome *outcome);

#define LEGEND "<ul class=\"legend\">\n"
#define LEGEND_LINE_END "</li>\n"
#define LEGEND_END "</ul>\n"

void legend_candidates(struct report *report, legend_more_fn *more);
void legend_line_open(struct report *report, const char *css); // any other line

// A column.
struct cell {
	const char *title;
	bool number;
};

// A table that is a list of cards where the page is narrow: there each cell says by itself what it
// is.
#define CELL_END "</td>"
#define CARD_END "</tr>\n"
#define CARDS_END "</tbody>\n</table>\n"
void cards_open(struct report *report, const char *caption, const struct cell *cells,
		unsigned int n);
void card_of_candidate(struct report *report, const struct shown *shown); // the first cell of a row
void cell_open(struct report *report, const struct cell *cell);

// Whole cells.
void real_cell(struct report *report, const struct cell *cell, double value, int decimals);
void share_cell(struct report *report, const struct cell *cell, double share);
void count_cell(struct report *report, const struct cell *cell, uint64_t n);

#endif
