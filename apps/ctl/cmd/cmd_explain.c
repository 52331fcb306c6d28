/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain FILE PCAP -n K: why one packet is classified and steered as it is.
#include "base/arena.h"
#include "ctl/command.h"
#include "ctl/explain/explain.h"
#include "ctl/profile/profile_load.h"
#include "ctl/steer/cut.h"

static void packet_explain(struct explanation *explanation, struct cut *cut) {
	const struct ddp_personality *loaded = explanation->loaded;
	struct ddp_arena *arena = ddp_arena_create();
	static struct steer steer;
	struct ddp_answer_rss rss;

	steer_init(&steer, explanation->steer);
	rss = steer_of(&steer);
	cut_answer(cut, loaded->program, &steer, NULL, &explanation->answer);
	explanation->len = cut->captured->len;
	explanation->wire_len = cut->captured->wire_len;
	explanation->snaplen = cut->unknown ? cut_snaplen(cut->needed) : 0;
	ddp_personality_answer(loaded, &rss, &cut->packet, arena, &explanation->answer);
	if (explanation->answer.steps == NULL)
		no_memory_exit();
	strbuf_init(&explanation->text);
	if (explanation->is_json)
		explain_json(explanation);
	else
		explain_print(explanation);
	strbuf_fini(&explanation->text);
	ddp_arena_destroy(arena);
}

static int capture_explain(const void *arg, const struct ddp_personality *loaded,
			   struct capture *capture, struct output *out) {
	const struct explain_options *options = arg;
	const unsigned int n = options->packet > 0 ? options->packet : 1;
	static struct explanation explanation;
	struct ddp_packet packet;
	struct cut cut;
	int status = capture_seek_or_report(capture, n, &packet);

	if (status != EXIT_GOOD)
		return status;
	explanation = (struct explanation){
		.steer = &options->base.rss.steer,
		.is_json = options->base.common.format == FORMAT_JSON,
		.loaded = loaded,
		.pcap = capture->path,
		.n = n,
		.out = out,
	};
	cut_begin(&cut, capture_current(capture));
	packet_explain(&explanation, &cut);
	return EXIT_GOOD;
}

int cmd_explain(const void *options, struct output *out) {
	return capture_use(options, out, capture_explain);
}
