/* SPDX-License-Identifier: BSD-3-Clause */
#include "e810_report.h"

#include <inttypes.h>

/* The end of the walk */

static void error_write(struct e810_report *report) {
	const struct e810_step *step = &report->steps[report->n_steps - 1];

	fprintf(report->text.to,
		"The walk ends in step %u with a parser error: the parse graph has no entry for node "
		"%u with boost index %u and next protocol 0x%" PRIx32
		". What was found before counts.",
		step->n, step->node, step->boost_index, step->next_protocol);
}

static void loop_write(struct e810_report *report) {
	fprintf(report->text.to,
		"The walk makes no progress: it stays at byte %u and is given up after %u steps (loop). "
		"A software parser without such a limit never ends; what silicon does is not known. "
		"There is no packet type.",
		report->packet.result.end, report->n_steps);
}

static void ok_write(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;
	bool last = report->n_steps > 0 && report->steps[report->n_steps - 1].last;

	fprintf(report->text.to, "The walk ends after %u step%s at byte %u: ", report->n_steps,
		plural(report->n_steps), result->end);
	if (last)
		fputs("the parse graph says that this was the last.", report->text.to);
	else
		fputs("there is nothing left to parse.", report->text.to);
	if (result->end > report->packet.len)
		fprintf(report->text.to,
			" The packet has only %u bytes: it is cut in the last header, or shorter than "
			"that says. What is missing read as 0.",
			report->packet.len);
}

void e810_report_end(struct e810_report *report) {
	switch (report->packet.result.status) {
	case E810_OK:
		ok_write(report);
		break;
	case E810_LOOP:
		loop_write(report);
		break;
	case E810_ERROR:
		error_write(report);
		break;
	}
}

/* No packet type */

// How many markers an entry wants otherwise; UINT32_MAX where it can never match.
static unsigned int distance(const struct e810_report *report, const uint8_t *entry) {
	unsigned int n = 0;

	for (unsigned int m = 0; m < E810_MARKERS; m++) {
		bool zero = entry[4 + m / 8] >> m % 8 & 1, one = entry[14 + m / 8] >> m % 8 & 1;

		if (!zero && !one)
			return UINT32_MAX;
		n += !(report->markers[m] ? one : zero);
	}
	return n;
}

static void nearest_write(struct e810_report *report, const uint8_t *entry) {
	const struct ddp_package *package = report->nic->package;
	uint16_t ptype = entry[2] | entry[3] << 8;
	const char *separator = "";

	fprintf(report->text.to, " The nearest is packet type %u, %s, ", ptype,
		e810_ptype_name(report->nic->parser, ptype));
	for (unsigned int m = 0; m < E810_MARKERS; m++) {
		bool wanted = entry[14 + m / 8] >> m % 8 & 1;

		if ((entry[(report->markers[m] ? 14 : 4) + m / 8] >> m % 8 & 1) != 0)
			continue;
		fprintf(report->text.to, "%s%s marker %u %s", separator,
			wanted ? "which also wants" : "which is without", m,
			e810_nic_label(package, E810_LABELS_MARKER, m));
		separator = " and ";
	}
	fputs(".", report->text.to);
}

void e810_report_no_ptype(struct e810_report *report) {
	const struct e810_table *table = e810_table(report->nic->package, E810_PTYPE_TCAM);
	const uint8_t *nearest = NULL;
	unsigned int least = 3; // markers that are otherwise: more tells nobody anything

	fputs("No entry of the packet type TCAM has just these markers.", report->text.to);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = table->entries + table->entry_size * i;
		unsigned int n = distance(report, entry);

		if (n < least) {
			least = n;
			nearest = entry;
		}
	}
	if (nearest != NULL)
		nearest_write(report, nearest);
}

/* RSS */

void e810_report_no_hash(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;
	const struct e810_rss *rss = report->nic->rss;

	if (result->ptype == E810_NO_PTYPE)
		fputs("without a packet type there is no group, so no request applies",
		      report->text.to);
	else if (report->nic->options->steer.rss_hf == 0)
		fputs("rss_hf is none", report->text.to);
	else if (e810_rss_request(rss, result->ptype, 0) != NULL)
		fputs("an entry of the package's own for these RSS flags comes before the driver's "
		      "requests",
		      report->text.to);
	else
		fputs("none of the driver's requests is for its group, so the default profile applies",
		      report->text.to);
}

// Bits first to first + 8 of the key builder's entry.
static unsigned int selector_read(const uint8_t *builder, unsigned int first) {
	const uint8_t *at = builder + 12 + first / 8;

	return (at[0] | at[1] << 8) >> first % 8 & 0x1ff;
}

const char *e810_report_rss_flag(const struct e810_report *report, unsigned int bit) {
	const struct e810_table *table = e810_table(report->nic->package, E810_RSS_KEY_BUILDER);
	unsigned int selector;

	if (bit == 15)
		return "one of several packet flags";
	if (table->n_entries == 0 || table->entry_size < 204)
		return NULL;
	selector = selector_read(table->entries, 38 + 9 * bit);
	return selector >= 320 && selector < 384 ? e810_nic_flag_name(selector - 320) : NULL;
}
