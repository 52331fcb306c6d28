/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain PACKAGE PCAP -n K: why an 800-series NIC parses and steers one packet as it does.
#include "base/arena.h"
#include "ctl/capture/cut.h"
#include "ctl/profile/profile_load.h"
#include "e810_report.h"

struct steps {
	struct ddp_arena *arena;
	struct e810_step *steps;
	unsigned int n;
};

static void step_take(void *arg, const struct e810_step *step) {
	struct steps *steps = arg;

	*DDP_APPEND(steps->arena, steps->steps, steps->n) = *step;
}

// The entry that has these markers and no others.
static int entry_find(const struct ddp_package *package, const bool markers[E810_MARKERS]) {
	const struct e810_table *table = e810_table(package, E810_PTYPE_TCAM);

	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = table->entries + table->entry_size * i;
		unsigned int m = 0;

		// The key's bit: a 0 is good; the inverse's: a 1 is.
		while (m < E810_MARKERS && (entry[(markers[m] ? 14 : 4) + m / 8] >> m % 8 & 1))
			m++;
		if (m == E810_MARKERS)
			return entry[0] | entry[1] << 8;
	}
	return -1;
}

static void markers_gather(struct e810_report *report) {
	for (unsigned int i = 0; i < report->n_steps; i++)
		for (unsigned int j = 0; j < report->steps[i].n_markers; j++)
			if (report->steps[i].markers[j] < E810_MARKERS)
				report->markers[report->steps[i].markers[j]] = true;
	report->entry = entry_find(report->nic->package, report->markers);
}

static void packet_explain(struct e810_report *report) {
	struct steps steps = {.arena = ddp_arena_create()};
	struct e810_result result;
	static struct steer steer;

	steer_init(&steer, &report->nic->options->steer);
	e810_nic_run(report->nic, &steer, &report->packet);
	e810_parse_stepwise(report->nic->parser, report->packet.data, report->packet.len, &result,
			    step_take, &steps);
	report->steps = steps.steps;
	report->n_steps = steps.n;
	markers_gather(report);
	report->n_fields = e810_hashed_fields(report->nic, &report->packet, report->fields);
	strbuf_init(&report->text);
	jsonw_init(&report->json, report->out);
	if (report->nic->options->format == FORMAT_JSON)
		e810_report_json(report);
	else
		e810_report_print(report);
	strbuf_fini(&report->text);
	ddp_arena_destroy(steps.arena);
}

// The parser may look at all of its window.
static void warning_print(const struct e810_report *report, const struct capture_packet *packet,
			  struct output *out) {
	if (report->nic->options->format != FORMAT_JSON && is_cut(packet) &&
	    packet->len < E810_WINDOW)
		cut_packet_warning_print(packet->len, packet->wire_len,
					 cut_snaplen(E810_WINDOW - SNAPLEN_MORE), out);
}

static int explain(const struct e810_nic *nic, struct capture *capture, struct output *out) {
	static struct e810_report report;
	struct ddp_packet packet;
	int status = capture_seek_or_report(capture, nic->options->packet, &packet);

	if (status != EXIT_GOOD)
		return status;
	report = (struct e810_report){
		.nic = nic,
		.pcap = capture->path,
		.out = out,
		.packet =
			{
				.n = nic->options->packet,
				.data = packet.data,
				.len = packet.len,
			},
	};
	warning_print(&report, capture_current(capture), out);
	packet_explain(&report);
	return EXIT_GOOD;
}

int e810_explain(const struct options *options, struct output *out) {
	return e810_nic_use(options, out, explain);
}
