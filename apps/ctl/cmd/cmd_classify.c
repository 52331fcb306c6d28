/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl classify FILE PCAP: what the profile makes of each packet.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/capture/capture.h"
#include "ctl/command.h"
#include "ctl/flow_rule/rule_text.h"
#include "ctl/package/e810_device.h"
#include "ctl/profile/field_format.h"
#include "ctl/profile/profile_load.h"
#include "personality/package_open.h"

// One packet and what was found out about it.
struct result {
	uint64_t n;
	struct ddp_packet packet;
	struct ddp_class class;
	struct steered steered;
};

struct view {
	const struct ddp_program *program;
	uint64_t rss_hf;
	struct fields fields;
	struct emit emit;
	struct table table;
	bool first_field; // the next one is
	struct steer steer;
	struct rules *rules; // NULL: none
	struct rule_set set;
	struct ddp_policy policy;
};

static const struct table_column columns[] = {
	{.title = "N", .right = true}, {.title = "TYPE"}, {.title = "PATH"},
	{.title = "FIELDS"},           {.title = "HASH"}, {.title = "QUEUE", .right = true},
};

static const char *status_note(uint8_t status) {
	switch (status) {
	case DDP_STATUS_TRUNCATED:
		return " (truncated)";
	case DDP_STATUS_MALFORMED:
		return " (malformed)";
	case DDP_STATUS_TOO_DEEP:
		return " (too deep)";
	default:
		return "";
	}
}

static void chain_json(struct view *view, const struct ddp_class *class) {
	emit_key_open(&view->emit, "chain", '[');
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(view->program, class->seen[i].node);

		if (!node->hidden)
			emit_text(&view->emit, node->token);
	}
	emit_close(&view->emit, ']');
}

static void offsets_json(struct view *view, const struct ddp_class *class) {
	emit_key_open(&view->emit, "offsets", '[');
	for (unsigned int i = 0; i < class->n_seen; i++)
		if (!ddp_program_node(view->program, class->seen[i].node)->hidden)
			emit_uint(&view->emit, class->seen[i].off);
	emit_close(&view->emit, ']');
}

// outer.ipv4.src is the packet's first ipv4.src, and shown by that name.
static const char *plain_name(const char *name) {
	return strncmp(name, "outer.", 6) == 0 ? name + 6 : name;
}

static void field_json(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct view *view = arg;
	char text[FIELD_TEXT_SIZE];
	bool number = fields_text(&view->fields, name, width, value, text);

	emit_key(&view->emit, plain_name(name));
	if (number)
		emit_number(&view->emit, text);
	else
		emit_text(&view->emit, text);
}

static void result_json(struct view *view, const struct result *result) {
	struct emit *emit = &view->emit;

	emit_open(emit, '{');
	emit_key_uint(emit, "n", result->n);
	emit_key_uint(emit, "len", result->packet.len);
	emit_key_text(emit, "ptype", type_name(view->program, result->class.type));
	emit_key_uint(emit, "ptype_id", result->class.type_id);
	chain_json(view, &result->class);
	offsets_json(view, &result->class);
	emit_key_open(emit, "fields", '{');
	ddp_fields_each(view->program, &result->packet, &result->class, view->rss_hf, field_json,
			view);
	emit_close(emit, '}');
	steered_write(&result->steered, emit);
	emit_key_text(emit, "status", status_name(result->class.status));
	emit_close(emit, '}');
}

static void result_jsonl(struct view *view, const struct result *result) {
	result_json(view, result);
	emit_end(&view->emit);
}

static void field_print(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct view *view = arg;
	char text[FIELD_TEXT_SIZE];

	fields_text(&view->fields, name, width, value, text);
	table_printf(&view->table, "%s%s=%s", view->first_field ? "" : " ", plain_name(name), text);
	view->first_field = false;
}

static void path_print(struct view *view, const struct ddp_class *class) {
	const char *separator = "";

	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(view->program, class->seen[i].node);

		if (node->hidden)
			continue;
		table_printf(&view->table, "%s%s", separator, node->token);
		separator = " ";
	}
	table_printf(&view->table, "%s%s", separator[0] == '\0' ? "-" : "",
		     status_note(class->status));
}

static void result_row(struct view *view, const struct result *result) {
	struct table *table = &view->table;

	table_cell(table, "%" PRIu64, result->n);
	table_text(table, type_name(view->program, result->class.type));
	path_print(view, &result->class);
	table_next(table);
	view->first_field = true;
	ddp_fields_each(view->program, &result->packet, &result->class, view->rss_hf, field_print,
			view);
	if (view->first_field)
		table_printf(table, "-");
	table_next(table);
	if (result->steered.input_len > 0)
		table_printf(table, "0x%08" PRIx32, result->steered.hash);
	else
		table_printf(table, "-");
	table_next(table);
	if (result->steered.dropped)
		table_printf(table, "-");
	else
		table_printf(table, "%u", result->steered.queue);
	table_next(table);
}

static void packet_steer(const struct view *view, struct result *result) {
	if (view->rules != NULL)
		rule_set_steer(&view->set, &view->policy, &view->steer, &result->packet,
			       &result->class, &result->steered);
	else
		steer_packet(&view->steer, view->program, &result->packet, &result->class,
			     &result->steered);
}

typedef void (*result_fn)(struct view *view, const struct result *result);

// Show every packet. Returns what capture_next() said last.
static int packets_show(struct view *view, struct capture *capture, result_fn show) {
	struct output *out = view->emit.out;
	struct result result;
	int ret = 0;

	while (out->error == 0 && (ret = capture_next(capture, &result.packet)) > 0) {
		result.n = capture->n_packets;
		ddp_classify(view->program, &result.packet, &result.class);
		packet_steer(view, &result);
		show(view, &result);
		if (capture_pending(capture))
			continue;
		if (capture->is_live) // the next one may be long in coming
			table_flush(&view->table);
		output_flush(out);
	}
	return ret;
}

// The frame of the whole: table titles, or brackets around the objects.
static int capture_show(struct view *view, struct capture *capture, enum format format) {
	int ret;

	if (format == FORMAT_JSONL)
		return packets_show(view, capture, result_jsonl);
	if (format == FORMAT_JSON) {
		emit_open(&view->emit, '[');
		ret = packets_show(view, capture, result_json);
		emit_close(&view->emit, ']');
		emit_end(&view->emit);
		return ret;
	}
	table_init(&view->table, view->emit.out, columns, sizeof(columns) / sizeof(columns[0]));
	ret = packets_show(view, capture, result_row);
	table_fini(&view->table);
	return ret;
}

static void rules_end(struct view *view) {
	if (view->rules == NULL)
		return;
	rule_set_fini(&view->set);
	rules_destroy(view->rules);
	view->rules = NULL;
}

// Returns the exit status; what is wrong goes to stderr.
static int rules_read(struct view *view, const struct options *options,
		      const struct ddp_personality *loaded) {
	int status = EXIT_GOOD;
	struct ddp_diag diag;

	if (options->n_rules > 0)
		status = rules_read_or_tell(&view->rules, options, 0);
	if (view->rules == NULL)
		return status;
	view->policy.program = loaded->program;
	view->policy.rss = options->steer.rss_hf != 0;
	view->policy.rss_hf = options->steer.rss_hf;
	ddp_diag_init(&diag);
	if (rules_build(view->rules, loaded->profile, loaded->program, &options->steer, &view->set,
			&view->policy, &diag) < 0) {
		status = load_status(&diag);
		ddp_diag_print(&diag, stderr);
		rules_destroy(view->rules);
		view->rules = NULL;
	}
	ddp_diag_fini(&diag);
	return status;
}

static int classify(const struct options *options, const struct ddp_personality *loaded,
		    struct capture *capture, struct output *out) {
	static struct view view;
	int ret;

	view = (struct view){0};
	steer_init(&view.steer, &options->steer);
	view.program = loaded->program;
	ret = rules_read(&view, options, loaded);
	if (ret != EXIT_GOOD)
		return ret;
	view.rss_hf = options->steer.rss_hf;
	fields_init(&view.fields, loaded->profile);
	emit_init(&view.emit, out);
	ret = capture_show(&view, capture, options->format);
	rules_end(&view);
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_tell(capture, ret);
}

int cmd_classify(const struct options *options, struct output *out) {
	if (ddp_is_package(options->files[0]) && options->n_rules > 0) {
		error_print("--rule is for profiles: of a package a NIC's driver decides");
		return EXIT_USAGE;
	}
	if (ddp_is_package(options->files[0]))
		return nic_classify(options, out);
	return capture_use(options, out, classify);
}
