/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain FILE PCAP -n K: why one packet is classified and steered as it is.
#include "base/arena.h"
#include "ctl/capture/cut.h"
#include "ctl/command.h"
#include "ctl/explain/explain.h"
#include "ctl/profile/profile_load.h"

static void packet_explain(struct explanation *explanation, struct cut *cut) {
	const struct ddp_personality *loaded = explanation->loaded;
	struct ddp_arena *arena = ddp_arena_create();
	static struct steer steer;
	struct ddp_answer_rss rss;

	steer_init(&steer, &explanation->options->steer);
	rss = steer_of(&steer);
	cut_answer(cut, loaded->program, &steer, NULL, &explanation->answer);
	explanation->len = cut->captured->len;
	explanation->wire_len = cut->captured->wire_len;
	explanation->snaplen = cut->unknown ? cut_snaplen(cut->needed) : 0;
	ddp_personality_answer(loaded, &rss, &cut->packet, arena, &explanation->answer);
	if (explanation->answer.steps == NULL)
		no_memory_exit();
	strbuf_init(&explanation->text);
	if (explanation->options->format == FORMAT_JSON)
		explain_json(explanation);
	else
		explain_print(explanation);
	strbuf_fini(&explanation->text);
	ddp_arena_destroy(arena);
}

static int capture_explain(const struct options *options, const struct ddp_personality *loaded,
			   struct capture *capture, struct output *out) {
	static struct explanation explanation;
	struct ddp_packet packet;
	struct cut cut;
	int status = capture_seek_or_report(capture, options->packet, &packet);

	if (status != EXIT_GOOD)
		return status;
	explanation = (struct explanation){
		.options = options,
		.loaded = loaded,
		.pcap = capture->path,
		.n = options->packet,
		.out = out,
	};
	cut_begin(&cut, capture_current(capture));
	packet_explain(&explanation, &cut);
	return EXIT_GOOD;
}

int cmd_explain(const struct options *options, struct output *out) {
	return capture_use(options, out, capture_explain);
}
