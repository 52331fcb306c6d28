/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl classify FILE PCAP: what the profile makes of each packet.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/capture/capture.h"
#include "ctl/command.h"
#include "ctl/flow_rule/rule_text.h"
#include "ctl/package/e810_nic.h"
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

struct listing {
	const struct ddp_program *program;
	uint64_t rss_hf;
	struct fields fields;
	struct json_writer json;
	struct table table;
	bool first_field; // the next one is
	struct steer steer;
	struct rules *rules; // NULL: none
	struct rule_set set;
	struct ddp_policy policy;
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

static void chain_json(struct listing *listing, const struct ddp_class *class) {
	jsonw_key_open(&listing->json, "chain", '[');
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(listing->program, class->seen[i].node);

		if (!node->hidden)
			jsonw_text(&listing->json, node->token);
	}
	jsonw_close(&listing->json, ']');
}

static void offsets_json(struct listing *listing, const struct ddp_class *class) {
	jsonw_key_open(&listing->json, "offsets", '[');
	for (unsigned int i = 0; i < class->n_seen; i++)
		if (!ddp_program_node(listing->program, class->seen[i].node)->hidden)
			jsonw_uint(&listing->json, class->seen[i].off);
	jsonw_close(&listing->json, ']');
}

// outer.ipv4.src is the packet's first ipv4.src, and shown by that name.
static const char *plain_name(const char *name) {
	return strncmp(name, "outer.", 6) == 0 ? name + 6 : name;
}

static void field_json(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct listing *listing = arg;
	char text[FIELD_TEXT_SIZE];
	bool number = fields_text(&listing->fields, name, width, value, text);

	jsonw_key(&listing->json, plain_name(name));
	if (number)
		jsonw_number(&listing->json, text);
	else
		jsonw_text(&listing->json, text);
}

static void result_json(struct listing *listing, const struct result *result) {
	struct json_writer *json = &listing->json;

	jsonw_open(json, '{');
	jsonw_key_uint(json, "n", result->n);
	jsonw_key_uint(json, "len", result->packet.len);
	jsonw_key_text(json, "ptype", type_name(listing->program, result->class.type));
	jsonw_key_uint(json, "ptype_id", result->class.type_id);
	chain_json(listing, &result->class);
	offsets_json(listing, &result->class);
	jsonw_key_open(json, "fields", '{');
	ddp_fields_each(listing->program, &result->packet, &result->class, listing->rss_hf,
			field_json, listing);
	jsonw_close(json, '}');
	steered_write(&result->steered, json);
	jsonw_key_text(json, "status", status_name(result->class.status));
	jsonw_close(json, '}');
}

static void result_jsonl(struct listing *listing, const struct result *result) {
	result_json(listing, result);
	jsonw_end(&listing->json);
}

static void field_print(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct listing *listing = arg;
	char text[FIELD_TEXT_SIZE];

	fields_text(&listing->fields, name, width, value, text);
	table_printf(&listing->table, "%s%s=%s", listing->first_field ? "" : " ", plain_name(name),
		     text);
	listing->first_field = false;
}

static void path_print(struct listing *listing, const struct ddp_class *class) {
	const char *separator = "";

	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(listing->program, class->seen[i].node);

		if (node->hidden)
			continue;
		table_printf(&listing->table, "%s%s", separator, node->token);
		separator = " ";
	}
	table_printf(&listing->table, "%s%s", separator[0] == '\0' ? "-" : "",
		     status_note(class->status));
}

static void result_row(struct listing *listing, const struct result *result) {
	struct table *table = &listing->table;

	table_cell(table, "%" PRIu64, result->n);
	table_text(table, type_name(listing->program, result->class.type));
	path_print(listing, &result->class);
	table_next(table);
	listing->first_field = true;
	ddp_fields_each(listing->program, &result->packet, &result->class, listing->rss_hf,
			field_print, listing);
	if (listing->first_field)
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

static void packet_steer(const struct listing *listing, struct result *result) {
	if (listing->rules != NULL)
		rule_steer(&listing->policy, &listing->steer, &result->packet, &result->class,
			   &result->steered);
	else
		steer_packet(&listing->steer, listing->program, &result->packet, &result->class,
			     &result->steered);
}

typedef void (*result_fn)(struct listing *listing, const struct result *result);

// Show every packet. Returns what capture_next() said last.
static int packets_show(struct listing *listing, struct capture *capture, result_fn show) {
	struct output *out = listing->json.out;
	struct result result;
	int ret = 0;

	while (out->error == 0 && (ret = capture_next(capture, &result.packet)) > 0) {
		result.n = capture->n_packets;
		ddp_classify(listing->program, &result.packet, &result.class);
		packet_steer(listing, &result);
		show(listing, &result);
		if (capture_pending(capture))
			continue;
		if (capture->is_live) // the next one may be long in coming
			table_flush(&listing->table);
		output_flush(out);
	}
	return ret;
}

// The frame of the whole: table titles, or brackets around the objects.
static int capture_show(struct listing *listing, struct capture *capture, enum format format) {
	int ret;

	if (format == FORMAT_JSONL)
		return packets_show(listing, capture, result_jsonl);
	if (format == FORMAT_JSON) {
		jsonw_open(&listing->json, '[');
		ret = packets_show(listing, capture, result_json);
		jsonw_close(&listing->json, ']');
		jsonw_end(&listing->json);
		return ret;
	}
	table_init(&listing->table, listing->json.out, ">N|TYPE|PATH|FIELDS|HASH|>QUEUE");
	ret = packets_show(listing, capture, result_row);
	table_fini(&listing->table);
	return ret;
}

static void rules_end(struct listing *listing) {
	if (listing->rules == NULL)
		return;
	rule_set_fini(&listing->set);
	rules_destroy(listing->rules);
	listing->rules = NULL;
}

// Returns the exit status; what is wrong goes to stderr.
static int rules_read(struct listing *listing, const struct options *options,
		      const struct ddp_personality *loaded) {
	int status = EXIT_GOOD;
	struct ddp_diag diag;

	if (options->n_rules > 0)
		status = rules_read_or_report(&listing->rules, options, 0);
	if (listing->rules == NULL)
		return status;
	listing->policy.program = loaded->program;
	listing->policy.rss = options->steer.rss_hf != 0;
	listing->policy.rss_hf = options->steer.rss_hf;
	ddp_diag_init(&diag);
	if (rules_build(listing->rules, loaded->profile, loaded->program, &options->steer,
			&listing->set, &listing->policy, &diag) < 0) {
		status = load_status(&diag);
		ddp_diag_print(&diag, stderr);
		rules_destroy(listing->rules);
		listing->rules = NULL;
	}
	ddp_diag_fini(&diag);
	return status;
}

static int classify(const struct options *options, const struct ddp_personality *loaded,
		    struct capture *capture, struct output *out) {
	static struct listing listing;
	int ret;

	listing = (struct listing){0};
	steer_init(&listing.steer, &options->steer);
	listing.program = loaded->program;
	ret = rules_read(&listing, options, loaded);
	if (ret != EXIT_GOOD)
		return ret;
	listing.rss_hf = options->steer.rss_hf;
	fields_init(&listing.fields, loaded->profile);
	jsonw_init(&listing.json, out);
	ret = capture_show(&listing, capture, options->format);
	rules_end(&listing);
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_report(capture, ret);
}

int cmd_classify(const struct options *options, struct output *out) {
	if (ddp_is_package(options->files[0]) && options->n_rules > 0) {
		error_print("--rule is for profiles: of a package a NIC's driver decides");
		return EXIT_USAGE;
	}
	if (ddp_is_package(options->files[0]))
		return e810_classify(options, out);
	return capture_use(options, out, classify);
}
