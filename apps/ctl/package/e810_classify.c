/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl classify PACKAGE PCAP: what the parser and the RSS block of an 800-series NIC make of each packet.
#include <inttypes.h>
#include <stdio.h>

#include "common/table.h"
#include "ctl/profile/profile_load.h"
#include "e810_device.h"

struct view {
	const struct nic *nic;
	struct emit emit;
	struct table table;
};

static const struct table_column columns[] = {
	{.title = "N", .right = true},
	{.title = "PTYPE", .right = true},
	{.title = "TYPE"},
	{.title = "PATH"},
	{.title = "HASHED"},
	{.title = "HASH"},
	{.title = "QUEUE", .right = true},
};

/* For machines */

static void ptype_json(const struct nic *nic, const struct e810_result *result, struct emit *emit) {
	emit_key_text(emit, "status", nic_status_name(result->status));
	emit_key_text(emit, "ptype", nic_ptype_name(nic, result));
	emit_key(emit, "ptype_id");
	if (result->status == E810_LOOP)
		emit_null(emit);
	else
		emit_uint(emit, result->ptype);
}

static void protocols_json(const struct e810_result *result, struct emit *emit) {
	emit_key_open(emit, "protocols", '[');
	for (unsigned int i = 0; i < result->n_protocols; i++) {
		emit_open(emit, '[');
		emit_uint(emit, result->protocols[i].id);
		emit_uint(emit, result->protocols[i].offset);
		emit_close(emit, ']');
	}
	emit_close(emit, ']');
}

static void chain_json(const struct nic *nic, const struct nic_packet *packet, struct emit *emit) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(nic->parser, &packet->result, packet->data, packet->len,
					   chain, offsets);

	emit_key_open(emit, "chain", '[');
	for (unsigned int i = 0; i < n; i++)
		emit_text(emit, chain[i]);
	emit_close(emit, ']');
	emit_key_open(emit, "offsets", '[');
	for (unsigned int i = 0; i < n; i++)
		emit_uint(emit, offsets[i]);
	emit_close(emit, ']');
}

static void group_json(const struct nic *nic, const struct e810_result *result, struct emit *emit) {
	emit_key(emit, "group");
	if (result->ptype == E810_NO_PTYPE) {
		emit_null(emit);
	} else {
		uint8_t group = e810_rss_group(nic->rss, result->ptype);

		emit_open(emit, '{');
		emit_key_uint(emit, "number", group);
		emit_key_text(emit, "name", e810_rss_group_name(nic->rss, group));
		emit_close(emit, '}');
	}
	emit_key_text(emit, "request", e810_rss_request(nic->rss, result->ptype, result->rss_flags));
}

static void fields_json(const struct nic *nic, const struct nic_packet *packet, struct emit *emit) {
	struct nic_field fields[E810_WORDS];
	unsigned int n = nic_fields(nic, packet, fields);
	char text[NIC_VALUE_SIZE];

	emit_key_open(emit, "fields", '{');
	for (unsigned int i = 0; i < n; i++) {
		if (fields[i].absent)
			continue;
		emit_key(emit, fields[i].name);
		if (nic_field_text(&fields[i], text))
			emit_number(emit, text);
		else
			emit_text(emit, text);
	}
	emit_close(emit, '}');
}

void nic_packet_json(const struct nic *nic, const struct nic_packet *packet, struct emit *emit) {
	const struct e810_result *result = &packet->result;

	emit_key_uint(emit, "n", packet->n);
	emit_key_uint(emit, "len", packet->len);
	ptype_json(nic, result, emit);
	protocols_json(result, emit);
	emit_key_hex(emit, "flags", result->packet_flags, 16);
	emit_key_hex(emit, "rss_flags", result->rss_flags, 4);
	emit_key_hex(emit, "fd_flags", result->fd_flags, 4);
	emit_key_hex(emit, "sw_flags", result->sw_flags, 4);
	chain_json(nic, packet, emit);
	group_json(nic, result, emit);
	fields_json(nic, packet, emit);
	steered_write(&packet->steered, emit);
}

static void packet_json(struct view *view, const struct nic_packet *packet) {
	emit_open(&view->emit, '{');
	nic_packet_json(view->nic, packet, &view->emit);
	emit_close(&view->emit, '}');
}

static void packet_jsonl(struct view *view, const struct nic_packet *packet) {
	packet_json(view, packet);
	emit_end(&view->emit);
}

/* For people */

static void type_print(struct view *view, const struct e810_result *result) {
	struct table *table = &view->table;

	if (result->status == E810_LOOP) {
		table_cell(table, "-");
		table_cell(table, "(endless loop)");
		return;
	}
	table_cell(table, "%u", result->ptype);
	table_cell(table, "%s%s", nic_ptype_name(view->nic, result),
		   result->status == E810_ERROR ? " (parser error)" : "");
}

static void path_print(struct view *view, const struct nic_packet *packet) {
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(view->nic->parser, &packet->result, packet->data,
					   packet->len, chain, offsets);

	for (unsigned int i = 0; i < n; i++)
		table_printf(&view->table, "%s%s", i > 0 ? " " : "", chain[i]);
	if (n == 0)
		table_printf(&view->table, "-");
	table_next(&view->table);
}

static void fields_print(struct view *view, const struct nic_packet *packet) {
	struct nic_field fields[E810_WORDS];
	unsigned int n = nic_fields(view->nic, packet, fields);
	char text[NIC_VALUE_SIZE];

	for (unsigned int i = 0; i < n; i++) {
		nic_field_text(&fields[i], text);
		table_printf(&view->table, "%s%s=%s", i > 0 ? " " : "", fields[i].name,
			     fields[i].absent ? "absent" : text);
	}
	if (n == 0)
		table_printf(&view->table, "-");
	table_next(&view->table);
}

static void packet_row(struct view *view, const struct nic_packet *packet) {
	struct table *table = &view->table;

	table_cell(table, "%" PRIu64, packet->n);
	type_print(view, &packet->result);
	path_print(view, packet);
	fields_print(view, packet);
	if (packet->steered.input_len > 0)
		table_printf(table, "0x%08" PRIx32, packet->steered.hash);
	else
		table_printf(table, "-");
	table_next(table);
	table_cell(table, "%u", packet->steered.queue);
}

/* All packets */

typedef void (*packet_fn)(struct view *view, const struct nic_packet *packet);

// Show every packet. Returns what capture_next() said last.
static int packets_show(struct view *view, struct capture *capture, packet_fn show) {
	struct output *out = view->emit.out;
	static struct nic_packet packet;
	static struct steer steer;
	struct ddp_packet captured;
	int ret = 0;

	steer_init(&steer, &view->nic->options->steer);
	while (out->error == 0 && (ret = capture_next(capture, &captured)) > 0) {
		packet.n = capture->n_packets;
		packet.data = captured.data;
		packet.len = captured.len;
		nic_run(view->nic, &steer, &packet);
		show(view, &packet);
		if (capture_pending(capture))
			continue;
		if (capture->is_live) // the next one may be long in coming
			table_flush(&view->table);
		output_flush(out);
	}
	return ret;
}

static int capture_print(struct view *view, struct capture *capture) {
	int ret;

	table_init(&view->table, view->emit.out, columns, sizeof(columns) / sizeof(columns[0]));
	ret = packets_show(view, capture, packet_row);
	table_fini(&view->table);
	output_char(view->emit.out, '\n');
	text_wrap(view->emit.out, nic_note, 0, 0);
	output_char(view->emit.out, '\n');
	return ret;
}

static int capture_show(struct view *view, struct capture *capture, enum format format) {
	int ret;

	if (format == FORMAT_TABLE)
		return capture_print(view, capture);
	if (format == FORMAT_JSONL)
		return packets_show(view, capture, packet_jsonl);
	emit_open(&view->emit, '[');
	ret = packets_show(view, capture, packet_json);
	emit_close(&view->emit, ']');
	emit_end(&view->emit);
	return ret;
}

static int classify(const struct nic *nic, struct capture *capture, struct output *out) {
	static struct view view;
	int ret;

	view = (struct view){.nic = nic};
	emit_init(&view.emit, out);
	ret = capture_show(&view, capture, nic->options->format);
	output_flush(out); // what was read comes before what went wrong
	return capture_end_or_tell(capture, ret);
}

int nic_classify(const struct options *options, struct output *out) {
	return nic_use(options, out, classify);
}
