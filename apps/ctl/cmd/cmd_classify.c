/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl classify FILE PCAP: packet type, path, fields, hash and queue of each packet.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/json_writer.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/capture/capture.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "ctl/steer/cut.h"
#include "ctl/steer/rule_text.h"
#include "e810/e810_parser.h"
#include "profile/profile_format.h"

struct result {
	uint64_t n;
	uint32_t len; // captured bytes
	struct cut cut;
	struct ddp_answer answer;
};

#define ADDRESSES 12            // bytes of both Ethernet addresses
#define WARNING_PACKETS 1000000 // packets of a file that are read before the first one is shown

// A pcap file of Ethernet frames with times in nanoseconds.
struct capture_out {
	const char *path;
	struct new_file file;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

struct listing {
	const struct classify_options *options;
	const struct capture *capture;
	struct capture_out written; // if options->write
	struct cut_count unknown;   // packets that were cut too short
	enum format format;
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	const struct e810_parser *parser; // NULL: no package
	struct json_writer json;
	struct table table;
	bool first_field; // the next field is the first
	struct steer steer;
	struct rules *rules; // NULL: none
	struct rule_set set;
	struct ddp_policy policy;
};

/* A capture to write */

static int write_failed(const struct capture_out *out, int err) {
	error_print("%s: %s", out->path, strerror(err));
	return EXIT_UNREADABLE;
}

// Create the file. Returns the exit status; errors go to stderr.
static int capture_out_open(struct capture_out *out, const char *path) {
	FILE *to;
	int fd;

	out->path = path;
	fd = new_file_open(&out->file, path);
	if (fd < 0)
		return write_failed(out, -fd);
	to = fdopen(fd, "w");
	out->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, CAPTURE_PACKET_MAX,
							 PCAP_TSTAMP_PRECISION_NANO);
	out->dumper = to == NULL || out->pcap == NULL ? NULL : pcap_dump_fopen(out->pcap, to);
	if (out->dumper != NULL)
		return EXIT_GOOD;
	if (out->pcap != NULL)
		pcap_close(out->pcap);
	if (to != NULL)
		fclose(to);
	else
		close(fd);
	new_file_end(&out->file, -ENOMEM);
	return write_failed(out, ENOMEM);
}

static void capture_out_write(struct capture_out *out, const struct capture_packet *packet) {
	const struct pcap_pkthdr header = {
		.ts = {.tv_sec = packet->time_ns / 1000000000,
		       .tv_usec = packet->time_ns % 1000000000}, // nanoseconds
		.caplen = packet->len,
		.len = packet->wire_len,
	};

	pcap_dump((u_char *)out->dumper, &header, packet->data);
}

// Write a packet as with decap=on: without the bytes from its Ethernet type to the IP header.
static void capture_out_decap(struct capture_out *out, const struct capture_packet *packet,
			      uint16_t l3_off) {
	static uint8_t frame[CAPTURE_PACKET_MAX + LINK_ETH_SIZE]; // a profile may find IP in byte 0
	const unsigned int cut = l3_off - LINK_ETH_SIZE;
	struct capture_packet left = *packet;
	unsigned int version;

	version = l3_off < packet->len ? packet->data[l3_off] >> 4 : 0;
	if (version != 4 && version != 6) {
		capture_out_write(out, packet);
		return;
	}
	left.data = frame;
	left.len -= cut;
	left.wire_len -= cut;
	memcpy(frame, packet->data, ADDRESSES);
	memcpy(frame + ADDRESSES, version == 4 ? "\x08\x00" : "\x86\xdd", 2);
	memcpy(frame + LINK_ETH_SIZE, packet->data + l3_off, packet->len - l3_off);
	capture_out_write(out, &left);
}

// Complete the file. Returns the exit status; errors go to stderr.
static int capture_out_close(struct capture_out *out) {
	FILE *to = pcap_dump_file(out->dumper);
	int ret = fflush(to) != 0 || ferror(to) != 0 ? -(errno != 0 ? errno : EIO) : 0;

	pcap_dump_close(out->dumper);
	pcap_close(out->pcap);
	ret = new_file_end(&out->file, ret);
	return ret < 0 ? write_failed(out, -ret) : EXIT_GOOD;
}

/* A packet to show */

// The further results of the parser, if FILE is a package.
static void parser_json(struct listing *listing, const struct ddp_packet *packet) {
	struct json_writer *json = &listing->json;
	struct e810_result found;

	e810_parse(listing->parser, packet->data, packet->first_len, &found);
	jsonw_key_open(json, "protocols", '[');
	for (unsigned int i = 0; i < found.n_protocols; i++) {
		jsonw_open(json, '[');
		jsonw_uint(json, found.protocols[i].id);
		jsonw_uint(json, found.protocols[i].offset);
		jsonw_close(json, ']');
	}
	jsonw_close(json, ']');
	jsonw_key_hex(json, "flags", found.packet_flags, 16);
	jsonw_key_hex(json, "rss_flags", found.rss_flags, 4);
	jsonw_key_hex(json, "fd_flags", found.fd_flags, 4);
	jsonw_key_hex(json, "sw_flags", found.sw_flags, 4);
}

// outer.ipv4.src, the packet's first ipv4.src, is shown as ipv4.src.
static const char *plain_name(const char *name) {
	return strncmp(name, "outer.", 6) == 0 ? name + 6 : name;
}

static void field_json(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct listing *listing = arg;
	char text[FIELD_TEXT_SIZE];
	bool number = format_field(listing->profile, name, width, value, text);

	jsonw_key(&listing->json, plain_name(name));
	if (number)
		jsonw_number(&listing->json, text);
	else
		jsonw_text(&listing->json, text);
}

static void steered_write(const struct ddp_answer *answer, struct json_writer *json) {
	const bool hashed = answer->input_len > 0;
	char text[2 * DDP_MAX_INPUT_SIZE + 1];

	if (hashed)
		jsonw_key_hex(json, "hash", answer->hash, 8);
	else
		jsonw_key_text(json, "hash", NULL);
	for (unsigned int i = 0; i < answer->input_len; i++) {
		text[2 * i] = "0123456789abcdef"[answer->input[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[answer->input[i] & 0xf];
	}
	text[2 * answer->input_len] = '\0';
	jsonw_key_text(json, "input", hashed ? text : NULL);
	jsonw_key_uint_or_null(json, "queue", !answer->dropped, answer->queue);
}

static void result_json(struct listing *listing, const struct result *result) {
	struct json_writer *json = &listing->json;

	jsonw_open(json, '{');
	jsonw_key_uint(json, "n", result->n);
	jsonw_key_uint(json, "len", result->len);
	jsonw_key_text(json, "ptype", type_name(listing->program, result->answer.class.type));
	jsonw_key_uint(json, "ptype_id", result->answer.class.type_id);
	chain_json(listing->program, &result->answer.class, json);
	jsonw_key_open(json, "fields", '{');
	ddp_fields_each(listing->program, &result->cut.packet, &result->answer.class,
			listing->steer.config.rss_hf, field_json, listing);
	jsonw_close(json, '}');
	steered_write(&result->answer, json);
	jsonw_key_text(json, "status", status_name(result->answer.class.status));
	if (result->cut.unknown)
		jsonw_key_bool(json, "cut", true);
	if (listing->parser != NULL)
		parser_json(listing, &result->cut.packet);
	jsonw_close(json, '}');
}

static void field_print(void *arg, const char *name, unsigned int width, const uint8_t value[16]) {
	struct listing *listing = arg;
	char text[FIELD_TEXT_SIZE];

	format_field(listing->profile, name, width, value, text);
	table_printf(&listing->table, "%s%s=%s", listing->first_field ? "" : " ", plain_name(name),
		     text);
	listing->first_field = false;
}

static void path_print(struct listing *listing, const struct result *result) {
	static const char *const notes[] = {
		[DDP_STATUS_OK] = "",
		[DDP_STATUS_TRUNCATED] = " (truncated)",
		[DDP_STATUS_MALFORMED] = " (malformed)",
		[DDP_STATUS_TOO_DEEP] = " (too deep)",
	};
	const struct ddp_class *class = &result->answer.class;
	const char *separator = "";

	assert(class->status <= DDP_STATUS_TOO_DEEP);
	for (unsigned int i = 0; i < class->n_seen; i++) {
		const struct ddp_node_info *node =
			ddp_program_node(listing->program, class->seen[i].node);

		if (node->hidden)
			continue;
		table_printf(&listing->table, "%s%s", separator, node->token);
		separator = " ";
	}
	table_printf(&listing->table, "%s%s", separator[0] == '\0' ? "-" : "",
		     result->cut.unknown ? " (cut)" : notes[class->status]);
}

static void result_row(struct listing *listing, const struct result *result) {
	struct table *table = &listing->table;

	table_cell(table, "%" PRIu64, result->n);
	table_text(table, type_name(listing->program, result->answer.class.type));
	path_print(listing, result);
	table_next(table);
	listing->first_field = true;
	ddp_fields_each(listing->program, &result->cut.packet, &result->answer.class,
			listing->steer.config.rss_hf, field_print, listing);
	if (listing->first_field)
		table_printf(table, "-");
	table_next(table);
	if (result->answer.input_len > 0)
		table_cell(table, "0x%08" PRIx32, result->answer.hash);
	else
		table_text(table, "-");
	if (result->answer.dropped)
		table_text(table, "-");
	else
		table_number(table, result->answer.queue);
}

static void packet_classify(struct listing *listing, const struct capture_packet *captured,
			    struct result *result) {
	result->cut.captured = captured;
	cut_answer(&result->cut, listing->program, &listing->steer,
		   listing->rules != NULL ? &listing->policy : NULL, &result->answer);
	cut_count_add(&listing->unknown, &result->cut);
}

static void packet_show(struct listing *listing, const struct ddp_packet *packet, uint64_t n) {
	const struct capture_packet *captured = capture_current(listing->capture);
	struct result result;

	result.n = n;
	result.len = packet->len;
	packet_classify(listing, captured, &result);
	if (listing->options->write != NULL) {
		const struct ddp_class *class = &result.answer.class;

		if (listing->options->decap && class->encapsulated)
			capture_out_decap(&listing->written, captured,
					  class->seen[class->inner_l3].off);
		else
			capture_out_write(&listing->written, captured);
	}
	if (listing->format == FORMAT_TABLE)
		result_row(listing, &result);
	else
		result_json(listing, &result);
}

/* Packets that were cut */

static void warning_print(const struct listing *listing, const struct capture *capture,
			  struct output *out) {
	struct strbuf text;
	char unknown[64];

	if (listing->unknown.packets == 0)
		return;
	snprintf(unknown, sizeof(unknown), "packet type or hash of %.1f %% of the packets",
		 100.0 * listing->unknown.packets / capture->n_packets);
	strbuf_init(&text);
	cut_warning_write(text.to, capture, unknown, listing->unknown.needed);
	output_wrapped(out, strbuf_take(&text), 0, 0);
	output_char(out, '\n');
	strbuf_fini(&text);
}

// Read a file twice, to print the warning before the table. Returns whether no warning is left.
static bool warned_before(struct listing *listing, struct output *out) {
	struct capture_config config = listing->options->base.capture;
	struct ddp_packet packet;
	struct capture capture;
	struct result result;

	if (listing->format != FORMAT_TABLE)
		return true; // JSON marks each unknown packet
	if (!capture_is_file(&config))
		return false;
	if (config.n_packets == 0 || config.n_packets > WARNING_PACKETS)
		config.n_packets = WARNING_PACKETS;
	if (capture_open(&capture, &config) < 0)
		return false;
	while (capture_next(&capture, &packet) > 0)
		if (is_cut(capture_current(&capture)))
			packet_classify(listing, capture_current(&capture), &result);
	warning_print(listing, &capture, out);
	capture_close(&capture);
	return true;
}

// Returns the exit status; errors go to stderr.
static int rules_read(struct listing *listing, const struct ddp_personality *loaded) {
	const struct rule_options *options = &listing->options->candidates.rules;
	const struct steer_config *steer = &listing->options->base.rss.steer;
	int status = EXIT_GOOD;
	struct ddp_diag diag;
	bool failed;

	if (options->n > 0)
		status = rules_read_or_report(&listing->rules, options, steer, 0);
	if (listing->rules == NULL)
		return status;
	listing->policy = (struct ddp_policy){
		.program = loaded->program, .rss = steer->rss_hf != 0, .rss_hf = steer->rss_hf};
	ddp_diag_init(&diag);
	failed = rules_build(listing->rules, loaded->profile, loaded->program, steer, &listing->set,
			     &listing->policy, &diag) < 0;
	if (failed)
		rules_destroy(listing->rules);
	return load_end(&diag, failed);
}

static int rules_end(struct listing *listing, int status) {
	if (listing->rules != NULL)
		rule_set_fini(&listing->set);
	rules_destroy(listing->rules);
	return status;
}

static int packets_show(struct listing *listing, struct capture *capture) {
	const bool waits = !capture_is_file(&capture->config);
	struct output *out = listing->json.out;
	struct ddp_packet packet;
	int ret = 0;

	if (listing->format == FORMAT_TABLE)
		table_init(&listing->table, out, ">N|TYPE|PATH|FIELDS|HASH|>QUEUE");
	if (listing->format == FORMAT_JSON)
		jsonw_open(&listing->json, '[');
	while (out->error == 0 && (ret = capture_next(capture, &packet)) > 0) {
		packet_show(listing, &packet, capture->n_packets);
		if (listing->format == FORMAT_JSONL)
			jsonw_end(&listing->json);
		if (capture_pending(capture))
			continue;
		if (listing->format == FORMAT_TABLE && waits) // the next packet may come late
			table_flush(&listing->table);
		output_flush(out);
	}
	if (listing->format == FORMAT_TABLE)
		table_fini(&listing->table);
	if (listing->format == FORMAT_JSON)
		jsonw_write(&listing->json, "]\n");
	return ret;
}

static int classify(const void *arg, const struct ddp_personality *loaded, struct capture *capture,
		    struct output *out) {
	const struct classify_options *options = arg;
	static struct listing listing;
	int ret, status = EXIT_GOOD;
	bool warned;

	listing = (struct listing){
		.options = options,
		.capture = capture,
		.format = options->base.common.format,
		.profile = loaded->profile,
		.program = loaded->program,
		.parser = loaded->parser,
	};
	steer_init(&listing.steer, &options->base.rss.steer);
	ret = rules_read(&listing, loaded);
	if (ret != EXIT_GOOD)
		return ret;
	if (options->write != NULL)
		status = capture_out_open(&listing.written, options->write);
	if (status != EXIT_GOOD)
		return rules_end(&listing, status);
	warned = warned_before(&listing, out);
	jsonw_init(&listing.json, out);
	ret = packets_show(&listing, capture);
	if (!warned)
		warning_print(&listing, capture, out);
	if (loaded->parser != NULL && listing.format == FORMAT_TABLE) {
		output_char(out, '\n');
		output_wrapped(out, ddp_package_note, 0, 0);
	}
	if (options->write != NULL)
		status = capture_out_close(&listing.written);
	output_flush(out); // before errors of the capture
	ret = capture_end_or_report(capture, ret);
	return rules_end(&listing, ret != EXIT_GOOD ? ret : status);
}

int cmd_classify(const void *arg, struct output *out) {
	const struct classify_options *options = arg;

	if (options->decap && options->write == NULL) {
		error_print("--decap needs a file to write: -w FILE");
		return EXIT_USAGE;
	}
	return capture_use(options, out, classify);
}
