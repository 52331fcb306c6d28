/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain PACKAGE PCAP -n K: why an 800-series NIC parses and steers one packet as it does.
#include <stdlib.h>

#include "base/arena.h"
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
static int entry_find(const struct ddp_package *package, const bool markers[NIC_MARKERS]) {
	const struct e810_table *table = e810_table(package, E810_PTYPE_TCAM);

	for (unsigned int i = 0; i < table->n_entries; i++) {
		const uint8_t *entry = table->entries + table->entry_size * i;
		unsigned int m = 0;

		// The key's bit: a 0 is good; the inverse's: a 1 is.
		while (m < NIC_MARKERS && (entry[(markers[m] ? 14 : 4) + m / 8] >> m % 8 & 1))
			m++;
		if (m == NIC_MARKERS)
			return entry[0] | entry[1] << 8;
	}
	return -1;
}

static void markers_gather(struct nic_story *story) {
	for (unsigned int i = 0; i < story->n_steps; i++)
		for (unsigned int j = 0; j < story->steps[i].n_markers; j++)
			if (story->steps[i].markers[j] < NIC_MARKERS)
				story->markers[story->steps[i].markers[j]] = true;
	story->entry = entry_find(story->nic->package, story->markers);
}

static void packet_explain(struct nic_story *story) {
	struct steps steps = {.arena = ddp_arena_create()};
	struct e810_result result;
	static struct steer steer;

	steer_init(&steer, &story->nic->options->steer);
	nic_run(story->nic, &steer, &story->packet);
	e810_parse_stepwise(story->nic->parser, story->packet.data, story->packet.len, &result,
			    step_take, &steps);
	story->steps = steps.steps;
	story->n_steps = steps.n;
	markers_gather(story);
	story->n_fields = nic_fields(story->nic, &story->packet, story->fields);
	text_init(&story->text);
	emit_init(&story->emit, story->out);
	if (story->nic->options->format == FORMAT_JSON)
		nic_story_json(story);
	else
		nic_story_print(story);
	text_fini(&story->text);
	ddp_arena_destroy(steps.arena);
}

static int explain(const struct nic *nic, struct capture *capture, struct output *out) {
	static struct nic_story story;
	struct ddp_packet packet;
	int status = capture_seek_or_tell(capture, nic->options->packet, &packet);

	if (status != EXIT_GOOD)
		return status;
	story = (struct nic_story){
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
	packet_explain(&story);
	return EXIT_GOOD;
}

int nic_explain(const struct options *options, struct output *out) {
	return nic_use(options, out, explain);
}
