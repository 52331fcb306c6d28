/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain FILE PCAP -n K: why one packet is classified and steered as it is.
#include <stdio.h>

#include "ctl/capture/capture.h"
#include "ctl/command.h"
#include "ctl/explain/explain_report.h"
#include "ctl/package/e810_device.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

static void packet_explain(struct story *story, const struct ddp_personality *loaded,
			   const struct ddp_packet *packet) {
	static struct steer steer;
	struct ddp_explain *explain = &story->explain;

	story->len = packet->len;
	ddp_explain_init(explain, loaded->profile, loaded->program, packet);
	story->type = explain->class.type == DDP_TYPE_NONE ?
			      NULL :
			      &loaded->profile->types[explain->class.type];
	story->set = ddp_explain_set(explain, story->options->steer.rss_hf);
	steer_init(&steer, &story->options->steer);
	steer_packet(&steer, loaded->program, &explain->packet, &explain->class, &story->steered);
	why_init(&story->why, explain);
	text_init(&story->text);
	emit_init(&story->emit, story->out);
	if (story->options->format == FORMAT_JSON)
		story_json(story);
	else
		story_print(story);
	text_fini(&story->text);
}

static int capture_explain(const struct options *options, const struct ddp_personality *loaded,
			   struct capture *capture, struct output *out) {
	static struct story story;
	struct ddp_packet packet;
	int status = capture_seek_or_tell(capture, options->packet, &packet);

	if (status != EXIT_GOOD)
		return status;
	story = (struct story){
		.options = options,
		.pcap = capture->path,
		.n = options->packet,
		.out = out,
	};
	packet_explain(&story, loaded, &packet);
	return EXIT_GOOD;
}

int cmd_explain(const struct options *options, struct output *out) {
	if (ddp_is_package(options->files[0]))
		return nic_explain(options, out);
	return capture_use(options, out, capture_explain);
}
