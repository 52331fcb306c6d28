/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl classify PACKAGE PCAP: what the parser and the RSS block of an 800-series NIC make of each
// packet.
#include <inttypes.h>

#include "common/table.h"
#include "ctl/capture/cut.h"
#include "ctl/profile/profile_load.h"
#include "e810_nic.h"

struct listing {
	const struct e810_nic *nic;
	struct steer steer;
	struct e810_nic_packet packet;
	struct json_writer json;
	struct table table;
};

/* For machines */

static void ptype_json(const struct e810_nic *nic, const struct e810_result *result,
		       struct json_writer *json) {
	jsonw_key_text(json, "status", e810_nic_status_name(result->status));
	jsonw_key_text(json, "ptype", e810_nic_ptype_name(nic, result));
	jsonw_key_uint_or_null(json, "ptype_id", result->status != E810_LOOP, result->ptype);
}

static void protocols_json(const struct e810_result *result, struct json_writer *json) {
	jsonw_key_open(json, "protocols", '[');
	for (unsigned int i = 0; i < result->n_protocols; i++) {
		jsonw_open(json, '[');
		jsonw_uint(json, result->protocols[i].id);
		jsonw_uint(json, result->protocols[i].offset);
		jsonw_close(json, ']');
	}
	jsonw_close(json, ']');
}

static void chain_json(const struct e810_nic *nic, const struct e810_nic_packet *packet,
		       struct json_writer *json) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(nic->parser, &packet->result, packet->data, packet->len,
					   chain, offsets);

	jsonw_key_texts(json, "chain", chain, n);
	jsonw_key_open(json, "offsets", '[');
	for (unsigned int i = 0; i < n; i++)
		jsonw_uint(json, offsets[i]);
	jsonw_close(json, ']');
}

static void group_json(const struct e810_nic *nic, const struct e810_result *result,
		       struct json_writer *json) {
	jsonw_key(json, "group");
	if (result->ptype == E810_NO_PTYPE) {
		jsonw_null(json);
	} else {
		uint8_t group = e810_rss_group(nic->rss, result->ptype);

		jsonw_object(json, "number:%u name:%s", group,
			     e810_rss_group_name(nic->rss, group));
	}
	jsonw_key_text(json, "request",
		       e810_rss_request(nic->rss, result->ptype, result->rss_flags));
}

static void fields_json(const struct e810_nic *nic, const struct e810_nic_packet *packet,
			struct json_writer *json) {
	struct e810_hashed_field fields[E810_WORDS];
	unsigned int n = e810_hashed_fields(nic, packet, fields);
	char text[E810_VALUE_SIZE];

	jsonw_key_open(json, "fields", '{');
	for (unsigned int i = 0; i < n; i++) {
		if (fields[i].absent)
			continue;
		jsonw_key(json, fields[i].name);
		if (e810_nic_field_text(&fields[i], text))
			jsonw_number(json, text);
		else
			jsonw_text(json, text);
	}
	jsonw_close(json, '}');
}

void e810_nic_packet_json(const struct e810_nic *nic, const struct e810_nic_packet *packet,
			  struct json_writer *json) {
	const struct e810_result *result = &packet->result;

	jsonw_key_uint(json, "n", packet->n);
	jsonw_key_uint(json, "len", packet->len);
	ptype_json(nic, result, json);
	protocols_json(result, json);
	jsonw_key_hex(json, "flags", result->packet_flags, 16);
	jsonw_key_hex(json, "rss_flags", result->rss_flags, 4);
	jsonw_key_hex(json, "fd_flags", result->fd_flags, 4);
	jsonw_key_hex(json, "sw_flags", result->sw_flags, 4);
	chain_json(nic, packet, json);
	group_json(nic, result, json);
	fields_json(nic, packet, json);
	steered_write(&packet->steered, json);
}

static void packet_json(struct listing *listing, const struct e810_nic_packet *packet) {
	jsonw_open(&listing->json, '{');
	e810_nic_packet_json(listing->nic, packet, &listing->json);
	jsonw_close(&listing->json, '}');
}

/* For people */

static void type_print(struct listing *listing, const struct e810_result *result) {
	struct table *table = &listing->table;

	if (result->status == E810_LOOP) {
		table_cell(table, "-");
		table_cell(table, "(endless loop)");
		return;
	}
	table_cell(table, "%u", result->ptype);
	table_cell(table, "%s%s", e810_nic_ptype_name(listing->nic, result),
		   result->status == E810_ERROR ? " (parser error)" : "");
}

static void path_print(struct listing *listing, const struct e810_nic_packet *packet) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(listing->nic->parser, &packet->result, packet->data,
					   packet->len, chain, offsets);

	for (unsigned int i = 0; i < n; i++)
		table_printf(&listing->table, "%s%s", i > 0 ? " " : "", chain[i]);
	if (n == 0)
		table_printf(&listing->table, "-");
	table_next(&listing->table);
}

static void fields_print(struct listing *listing, const struct e810_nic_packet *packet) {
	struct e810_hashed_field fields[E810_WORDS];
	unsigned int n = e810_hashed_fields(listing->nic, packet, fields);
	char text[E810_VALUE_SIZE];

	for (unsigned int i = 0; i < n; i++) {
		e810_nic_field_text(&fields[i], text);
		table_printf(&listing->table, "%s%s=%s", i > 0 ? " " : "", fields[i].name,
			     fields[i].absent ? "absent" : text);
	}
	if (n == 0)
		table_printf(&listing->table, "-");
	table_next(&listing->table);
}

static void packet_row(struct listing *listing, const struct e810_nic_packet *packet) {
	struct table *table = &listing->table;

	table_cell(table, "%" PRIu64, packet->n);
	type_print(listing, &packet->result);
	path_print(listing, packet);
	fields_print(listing, packet);
	if (packet->steered.input_len > 0)
		table_cell(table, "0x%08" PRIx32, packet->steered.hash);
	else
		table_text(table, "-");
	table_cell(table, "%u", packet->steered.queue);
}

/* Packets that were cut */

static bool is_short(const struct capture_packet *packet) {
	return is_cut(packet) && packet->len < E810_WINDOW;
}

// The parser may look at all of its window. A file is read once more, before: what its packets do
// not tell belongs at the top.
static void warning_print(const struct e810_nic *nic, struct output *out) {
	struct capture_config config = nic->options->capture;
	struct ddp_packet packet;
	struct capture capture;
	char unknown[64];
	uint64_t n = 0;

	config.path = nic->options->files[nic->options->n_files - 1];
	config.n_packets = nic->options->count;
	if (nic->options->format != FORMAT_TABLE || !capture_is_file(nic->options) ||
	    capture_open(&capture, &config) < 0)
		return;
	while (capture_next(&capture, &packet) > 0)
		n += is_short(capture_current(&capture));
	snprintf(unknown, sizeof(unknown), "packet type or hash of up to %.1f %% of the packets",
		 100.0 * n / capture.n_packets);
	if (n > 0)
		cut_warning_print(&capture, unknown, E810_WINDOW - SNAPLEN_MORE, out);
	capture_close(&capture);
}

/* All packets */

static void packet_show(void *arg, const struct ddp_packet *captured, uint64_t n) {
	struct listing *listing = arg;

	listing->packet.n = n;
	listing->packet.data = captured->data;
	listing->packet.len = captured->len;
	e810_nic_run(listing->nic, &listing->steer, &listing->packet);
	if (listing->nic->options->format == FORMAT_TABLE)
		packet_row(listing, &listing->packet);
	else
		packet_json(listing, &listing->packet);
}

static int classify(const struct e810_nic *nic, struct capture *capture, struct output *out) {
	static struct listing listing;
	int ret;

	listing = (struct listing){.nic = nic};
	steer_init(&listing.steer, &nic->options->steer);
	jsonw_init(&listing.json, out);
	warning_print(nic, out);
	ret = capture_list(capture, nic->options, ">N|>PTYPE|TYPE|PATH|HASHED|HASH|>QUEUE",
			   &listing.json, &listing.table, packet_show, &listing);
	if (nic->options->format == FORMAT_TABLE) {
		output_char(out, '\n');
		output_wrapped(out, e810_nic_note, 0, 0);
	}
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_report(capture, ret);
}

int e810_classify(const struct options *options, struct output *out) {
	return e810_nic_use(options, out, classify);
}
