/* SPDX-License-Identifier: BSD-3-Clause */
// The numbers of candidates and flows as tables, and commands to copy.
#include "common/shell_quote.h"
#include "common/strbuf.h"
#include "ctl/profile/steer.h"
#include "report_parts.h"

// Candidates.

enum {
	CANDIDATE,
	IMBALANCE,
	JAIN,
	HOTTEST,
	UNHASHED,
	DROPPED,
	GROUPS,
	LARGEST,
	BOUND,
	CORES,
	N_COLUMNS,
};

static const struct cell columns[N_COLUMNS] = {
	[CANDIDATE] = {"Candidate", false},
	[IMBALANCE] = {"Imbalance", true},
	[JAIN] = {"Jain", true},
	[HOTTEST] = {"Hottest queue", true},
	[UNHASHED] = {"Not hashed", true},
	[DROPPED] = {"Dropped", true},
	[GROUPS] = {"Hashes", true},
	[LARGEST] = {"Largest group", true},
	[BOUND] = {"Best possible", true},
	[CORES] = {"Cores needed", true},
};

static bool cores_are_known(const struct report *report) {
	return report->simulation->core_mpps > 0 && report->simulation->load_mpps > 0;
}

static void cores_cell(struct report *report, const struct outcome *outcome) {
	if (!cores_are_known(report))
		return;
	cell_open(report, &columns[CORES]);
	if (outcome->cores > 0)
		html_count(report->out, outcome->cores);
	else
		output_printf(report->out, "over %u", STEER_QUEUES_MAX);
	output_text(report->out, CELL_END);
}

static void candidate_row(struct report *report, const struct shown *shown) {
	const struct outcome *outcome = shown->outcome;
	uint64_t packets = report->simulation->packets;

	card_of_candidate(report, shown);
	real_cell(report, &columns[IMBALANCE], outcome->imbalance, 3);
	real_cell(report, &columns[JAIN], outcome->jain, 3);
	share_cell(report, &columns[HOTTEST], outcome->hottest);
	share_cell(report, &columns[UNHASHED], share_of(outcome->unhashed, packets));
	share_cell(report, &columns[DROPPED], share_of(outcome->dropped, packets));
	count_cell(report, &columns[GROUPS], outcome->n_groups);
	share_cell(report, &columns[LARGEST], share_of(outcome->largest_group, packets));
	real_cell(report, &columns[BOUND], outcome->bound, 3);
	cores_cell(report, outcome);
	output_text(report->out, CARD_END);
}

static void meaning_write(struct report *report, const char *what, const char *meaning) {
	output_printf(report->out, "<li><b>%s</b>: %s</li>\n", what, meaning);
}

static void meanings_write(struct report *report) {
	output_text(report->out, "<ul class=\"meanings\">\n");
	meaning_write(report, columns[IMBALANCE].title,
		      "the most loaded queue over the mean; 1 is even");
	meaning_write(
		report, columns[JAIN].title,
		"Jain's index of fairness: 1 is even, 1/n when one of n queues has everything");
	meaning_write(report, columns[HOTTEST].title,
		      "share of the packets that the most loaded queue has");
	meaning_write(report, columns[UNHASHED].title,
		      "packets that are on queue 0 for want of a hash");
	meaning_write(report, columns[DROPPED].title, "packets that rules drop");
	meaning_write(
		report, columns[GROUPS].title,
		"different hashes seen; packets of one hash stay together whatever the table");
	meaning_write(report, columns[LARGEST].title,
		      "share of the packets that have the most frequent hash");
	meaning_write(
		report, columns[BOUND].title,
		"the least imbalance that any table could reach, for the largest group stays whole");
	if (cores_are_known(report))
		meaning_write(report, columns[CORES].title,
			      "the fewest, a queue each, that carry the load");
	output_text(report->out, "</ul>\n");
}

void report_candidates(struct report *report) {
	if (report->n_shown == 0 || report->simulation->packets == 0)
		return;
	section_open(report, "candidates", "Candidates");
	cards_open(report, "What each candidate does with the same packets", columns,
		   cores_are_known(report) ? N_COLUMNS : CORES);
	for (unsigned int i = 0; i < report->n_shown; i++)
		candidate_row(report, &report->shown[i]);
	output_text(report->out, CARDS_END);
	meanings_write(report);
	output_text(report->out, SECTION_END);
}

// Meetings.

typedef const struct affinity *affinity_of_fn(const struct outcome *outcome);

static const struct affinity *ues(const struct outcome *outcome) {
	return &outcome->ues;
}

static const struct affinity *flows(const struct outcome *outcome) {
	return &outcome->flows;
}

static bool has_any(const struct report *report, affinity_of_fn *affinity_of) {
	for (unsigned int i = 0; i < report->n_shown; i++)
		if (affinity_of(report->shown[i].outcome)->n > 0)
			return true;
	return false;
}

static void example_write(struct report *report, const struct affinity *affinity) {
	struct output *out = report->out;

	if (affinity->who == NULL) {
		output_text(out, affinity->n > 0 && affinity->n_split == 0 ? "all meet" :
									     "\xe2\x80\x93");
		return;
	}
	output_text(out, "<bdi>");
	html_text(out, affinity->who);
	output_text(out, "</bdi>: packet ");
	html_count(out, affinity->packets[0]);
	output_printf(out, " on queue %u, packet ", affinity->queues[0]);
	html_count(out, affinity->packets[1]);
	output_printf(out, " on queue %u", affinity->queues[1]);
}

static void meetings_table(struct report *report, const char *caption, const char *what,
			   affinity_of_fn *affinity_of) {
	const struct cell cells[] = {{"Candidate", false},
				     {what, true},
				     {"Parted", true},
				     {"Share", true},
				     {"For instance", false}};

	if (!has_any(report, affinity_of))
		return;
	cards_open(report, caption, cells, sizeof(cells) / sizeof(cells[0]));
	for (unsigned int i = 0; i < report->n_shown; i++) {
		const struct affinity *affinity = affinity_of(report->shown[i].outcome);

		card_of_candidate(report, &report->shown[i]);
		count_cell(report, &cells[1], affinity->n);
		count_cell(report, &cells[2], affinity->n_split);
		share_cell(report, &cells[3], share_of(affinity->n_split, affinity->n));
		cell_open(report, &cells[4]);
		example_write(report, affinity);
		output_text(report->out, CELL_END);
		output_text(report->out, CARD_END);
	}
	output_text(report->out, CARDS_END);
}

void report_meetings(struct report *report) {
	if (!has_any(report, ues) && !has_any(report, flows))
		return;
	section_open(report, "meetings", "What belongs together");
	output_text(report->out,
		    "<p class=\"note\">Parted is what has packets on more than one queue.</p>\n");
	meetings_table(report, "Do all packets of a UE come to one queue?", "UEs", ues);
	meetings_table(report, "Do both directions of a flow come to one queue?", "Flows both ways",
		       flows);
	output_text(report->out, SECTION_END);
}

// Flows.

static void flows_note(struct report *report) {
	const struct simulation *simulation = report->simulation;
	struct output *out = report->out;

	output_text(
		out,
		"<p class=\"note\">A flow is known by the addresses, protocol and ports of the innermost IP "
		"packet; the capture has ");
	output_text(out, simulation->flows_exact ? "" : "about ");
	html_named_count(out, simulation->n_flows, "flow");
	output_text(out, ".");
	if (!simulation->flows_exact && simulation->flow_error > 0) {
		output_text(
			out,
			" They are too many to count each: a number of packets may be too high by up to ");
		html_count(out, simulation->flow_error);
		output_text(out, ".");
	}
	output_text(out, "</p>\n");
}

static void flow_row(struct report *report, const struct top_flow *flow, const struct cell *cells) {
	output_text(report->out, "<tr><th scope=\"row\" class=\"code\"><bdi>");
	html_text(report->out, flow->text);
	output_text(report->out, "</bdi></th>");
	cell_open(report, &cells[1]);
	html_text(report->out, flow->type);
	output_text(report->out, CELL_END);
	count_cell(report, &cells[2], flow->packets);
	share_cell(report, &cells[3], share_of(flow->packets, report->simulation->packets));
	cell_open(report, &cells[4]);
	html_bytes(report->out, flow->bytes);
	output_text(report->out, CELL_END CARD_END);
}

void report_flows(struct report *report) {
	static const struct cell cells[] = {{"Flow", false},
					    {"Packet type", false},
					    {"Packets", true},
					    {"Share", true},
					    {"Bytes", true}};
	const struct simulation *simulation = report->simulation;

	if (simulation->n_top_flows == 0)
		return;
	section_open(report, "flows", "Largest flows");
	flows_note(report);
	cards_open(report, "Flows with the most packets", cells, sizeof(cells) / sizeof(cells[0]));
	for (unsigned int i = 0; i < simulation->n_top_flows; i++)
		flow_row(report, &simulation->top_flows[i], cells);
	output_text(report->out, CARDS_END SECTION_END);
}

// Words and commands.

static void command_write(struct report *report, const char *what, const char *text) {
	output_text(report->out, "<h3>");
	html_text(report->out, what);
	output_text(report->out, "</h3>\n<pre><code>");
	html_text(report->out, text);
	output_text(report->out, "</code></pre>\n");
}

void report_advice(struct report *report) {
	const struct report_intro *intro = report->intro;
	struct output *out = report->out;

	if (intro->headline == NULL)
		return;
	output_text(out,
		    "<section class=\"advice\" aria-labelledby=\"advice\">\n<h2 id=\"advice\">");
	html_text(out, intro->headline);
	output_text(out, "</h2>\n");
	for (unsigned int i = 0; intro->reasons != NULL && intro->reasons[i] != NULL; i++) {
		output_text(out, "<p>");
		html_text(out, intro->reasons[i]);
		output_text(out, "</p>\n");
	}
	if (intro->n_commands > 0)
		output_text(out, "<p><a href=\"#commands\">Commands to deploy it</a></p>\n");
	output_text(report->out, SECTION_END);
}

void report_commands(struct report *report) {
	const struct report_intro *intro = report->intro;
	struct strbuf line;

	if (intro->n_commands > 0) {
		section_open(report, "commands", "Deploy");
		for (unsigned int i = 0; i < intro->n_commands; i++)
			command_write(report, intro->commands[i].what, intro->commands[i].text);
		output_text(report->out, SECTION_END);
	}
	if (intro->argv == NULL)
		return;
	strbuf_init(&line);
	shell_line(line.to, intro->argv);
	section_open(report, "reproduce", "Reproduce");
	command_write(report, "This page came from", strbuf_take(&line));
	output_text(report->out, SECTION_END);
	strbuf_fini(&line);
}
