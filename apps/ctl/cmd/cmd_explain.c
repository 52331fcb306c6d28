/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl explain FILE PCAP -n K: why one packet is classified and steered as it is.
#include "ctl/capture/capture.h"
#include "ctl/capture/cut.h"
#include "ctl/command.h"
#include "ctl/explain/explain_report.h"
#include "ctl/package/e810_nic.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

static void packet_explain(struct explain_report *report, const struct ddp_personality *loaded,
			   struct cut *cut) {
	static struct steer steer;
	struct ddp_explain *explain = &report->explain;

	steer_init(&steer, &report->options->steer);
	cut_answer(cut, loaded->program, &steer, NULL, &report->steered);
	report->len = cut->captured->len;
	report->wire_len = cut->captured->wire_len;
	report->snaplen = cut->unknown ? cut_snaplen(cut->needed) : 0;
	ddp_explain_init(explain, loaded->profile, loaded->program, &cut->packet);
	report->type = explain->class.type == DDP_TYPE_NONE ?
			       NULL :
			       &loaded->profile->types[explain->class.type];
	report->set = ddp_explain_set(explain, report->options->steer.rss_hf);
	reason_init(&report->reason, explain);
	strbuf_init(&report->text);
	jsonw_init(&report->json, report->out);
	if (report->options->format == FORMAT_JSON)
		explain_report_json(report);
	else
		explain_report_print(report);
	strbuf_fini(&report->text);
}

static int capture_explain(const struct options *options, const struct ddp_personality *loaded,
			   struct capture *capture, struct output *out) {
	static struct explain_report report;
	struct ddp_packet packet;
	struct cut cut;
	int status = capture_seek_or_report(capture, options->packet, &packet);

	if (status != EXIT_GOOD)
		return status;
	report = (struct explain_report){
		.options = options,
		.pcap = capture->path,
		.n = options->packet,
		.out = out,
	};
	cut_begin(&cut, capture_current(capture));
	packet_explain(&report, loaded, &cut);
	return EXIT_GOOD;
}

int cmd_explain(const struct options *options, struct output *out) {
	if (ddp_is_package(options->files[0]))
		return e810_explain(options, out);
	return capture_use(options, out, capture_explain);
}
