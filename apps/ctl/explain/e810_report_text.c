/* SPDX-License-Identifier: BSD-3-Clause */
// The story of a packet in an 800-series NIC for people.
#include <inttypes.h>
#include <string.h>

#include "e810_report.h"

#define INDENT 12    // of what is said about a step
#define WINDOW 504   // bytes that the parser sees
#define KEY_BYTES 19 // of the packet that a search key holds

// The text just written, as a paragraph behind a title.
static void line_print(struct e810_report *report, const char *title) {
	const char *text = strbuf_take(&report->text);

	if (*text == '\0')
		return;
	output_printf(report->out, "  %-*s", INDENT - 2, title);
	output_wrapped(report->out, text, INDENT, INDENT);
}

static void paragraph_print(struct e810_report *report) {
	output_wrapped(report->out, strbuf_take(&report->text), 0, 2);
}

static const char *label(const struct e810_report *report, uint32_t id, uint16_t value) {
	return e810_nic_label(report->nic->package, id, value);
}

// " 8 N_UDP_1"
static void named_write(struct e810_report *report, uint32_t labels, uint16_t value) {
	const char *name = label(report, labels, value);

	fprintf(report->text.to, " %u%s%s", value, *name != '\0' ? " " : "", name);
}

/* Steps */

static void place_write(struct e810_report *report, uint16_t offset, uint16_t node, uint16_t pc) {
	fprintf(report->text.to, "byte %u, node", offset);
	named_write(report, E810_LABELS_NODE, node);
	fputs(", instruction", report->text.to);
	named_write(report, E810_LABELS_PC, pc);
}

static void key_print(struct e810_report *report, const struct e810_step *step) {
	uint32_t end = report->packet.len < WINDOW ? report->packet.len : WINDOW;

	bytes_write(report->text.to, step->key, sizeof(step->key), 1);
	fprintf(report->text.to, ": %u bytes from byte %u on, last first, and selector 0x%02x",
		KEY_BYTES, step->offset, step->key[KEY_BYTES]);
	if (step->offset + KEY_BYTES > (int)end)
		fprintf(report->text.to, "; from byte %u on there is nothing, which reads as 0",
			end);
	line_print(report, "key");
}

static void boost_print(struct e810_report *report, const struct e810_step *step) {
	if (step->boost < 0) {
		fputs("no entry of the boost TCAM matches", report->text.to);
	} else {
		fputs("entry", report->text.to);
		named_write(report, E810_LABELS_BOOST, step->boost);
		fprintf(report->text.to, " matches: index %u", step->boost_index);
	}
	line_print(report, "boost");
}

static void graph_print(struct e810_report *report, const struct e810_step *step) {
	fprintf(report->text.to, "next protocol 0x%02" PRIx32 ": ", step->next_protocol);
	if (step->cam < 0)
		fputs("no row for this", report->text.to);
	else
		fprintf(report->text.to, "row %d of the %s", step->cam,
			step->no_match ? "no-match CAM" : "CAM");
	line_print(report, "graph");
}

static void markers_print(struct e810_report *report, const struct e810_step *step) {
	for (unsigned int i = 0; i < step->n_markers; i++) {
		fputs(i > 0 ? "," : "marker", report->text.to);
		named_write(report, E810_LABELS_MARKER, step->markers[i]);
	}
	line_print(report, "sets");
}

static void protocols_write(struct e810_report *report, const struct e810_protocol *protocols,
			    unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(report->text.to, "%s%u %s at %u", i > 0 ? ", " : "", protocols[i].id,
			e810_protocol_name(report->nic->parser, protocols[i].id),
			protocols[i].offset);
}

static void step_print(struct e810_report *report, const struct e810_step *step) {
	fprintf(report->text.to, "step %u: ", step->n);
	place_write(report, step->offset, step->node, step->pc);
	paragraph_print(report);
	key_print(report, step);
	boost_print(report, step);
	graph_print(report, step);
	markers_print(report, step);
	protocols_write(report, step->protocols, step->n_protocols);
	line_print(report, "records");
	if (step->cam < 0)
		return;
	place_write(report, step->next_offset, step->next_node, step->next_pc);
	fputs(step->last ? " (last)" : "", report->text.to);
	line_print(report, "goes to");
}

static bool is_again(const struct e810_step *step, const struct e810_step *before) {
	return step->node == before->node && step->pc == before->pc &&
	       step->offset == before->offset && step->next_offset == before->next_offset;
}

static void steps_print(struct e810_report *report) {
	for (unsigned int i = 0; i < report->n_steps; i++) {
		unsigned int first = i;

		step_print(report, &report->steps[i]);
		while (i + 1 < report->n_steps &&
		       is_again(&report->steps[i + 1], &report->steps[i]))
			i++;
		if (i > first + 1)
			output_printf(report->out, "steps %u to %u: the same again\n",
				      report->steps[first].n + 1, report->steps[i].n);
		else
			i = first;
	}
	output_char(report->out, '\n');
	e810_report_end(report);
	paragraph_print(report);
}

/* The result */

static void ptype_print(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;
	const char *separator = " ";

	fputs("markers:", report->text.to);
	for (unsigned int m = 0; m < E810_MARKERS; m++) {
		if (!report->markers[m])
			continue;
		fprintf(report->text.to, "%s%u %s", separator, m,
			label(report, E810_LABELS_MARKER, m));
		separator = ", ";
	}
	paragraph_print(report);
	if (result->status == E810_LOOP)
		return;
	fprintf(report->text.to, "packet type: %u %s", result->ptype,
		e810_ptype_name(report->nic->parser, result->ptype));
	if (result->ptype == E810_NO_PTYPE) {
		fputs(". ", report->text.to);
		e810_report_no_ptype(report);
	} else {
		fprintf(report->text.to,
			", by entry %d of the packet type TCAM, which wants just these markers",
			report->entry);
	}
	paragraph_print(report);
}

static void path_print(struct e810_report *report) {
	const struct e810_nic_packet *packet = &report->packet;
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(report->nic->parser, &packet->result, packet->data,
					   packet->len, chain, offsets);

	fputs("headers:", report->text.to);
	for (unsigned int i = 0; i < n; i++)
		fprintf(report->text.to, "%s %s at %u", i > 0 ? "," : "", chain[i], offsets[i]);
	paragraph_print(report);
}

// Behind their number, those that are set.
static void flags_print(struct e810_report *report, uint64_t flags, bool is_rss) {
	const char *separator = ": ";

	for (unsigned int f = 0; f < 64; f++) {
		const char *name;

		if ((flags >> f & 1) == 0)
			continue;
		name = is_rss ? e810_report_rss_flag(report, f) : e810_nic_flag_name(f);
		fprintf(report->text.to, "%s%u %s", separator, f,
			name != NULL ? name : "(unknown)");
		separator = ", ";
	}
	paragraph_print(report);
}

static void result_print(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;

	ptype_print(report);
	fputs("protocols: ", report->text.to);
	protocols_write(report, result->protocols, result->n_protocols);
	paragraph_print(report);
	path_print(report);
	fprintf(report->text.to, "packet flags: 0x%016" PRIx64, result->packet_flags);
	flags_print(report, result->packet_flags, false);
	fprintf(report->text.to, "block flags: flow director 0x%04x, switch 0x%04x, RSS 0x%04x",
		result->fd_flags, result->sw_flags, result->rss_flags);
	flags_print(report, result->rss_flags, true);
}

/* RSS */

static void field_print(struct e810_report *report, const struct e810_hashed_field *field) {
	unsigned int n_words = (field->size + 1) / 2;
	char value[E810_VALUE_SIZE];
	uint16_t header = 0;

	if (n_words > 1)
		fprintf(report->text.to, "words %u to %u: ", field->first,
			field->first - n_words + 1);
	else
		fprintf(report->text.to, "word %u: ", field->first);
	fprintf(report->text.to, "%s, byte %u of protocol %u", field->name, field->offset,
		field->protocol);
	if (field->absent) {
		fputs(": not in this packet, so it reads as 0", report->text.to);
	} else {
		e810_nic_protocol_find(&report->packet.result, field->protocol, &header);
		e810_nic_field_text(field, value);
		fprintf(report->text.to, " at %u: %s = ", header, value);
		bytes_write(report->text.to, field->value, field->size, 2);
	}
	line_print(report, "");
}

static void hash_print(struct e810_report *report) {
	const struct steer_config *config = &report->nic->options->steer;
	const struct ddp_answer *steered = &report->packet.steered;

	fprintf(report->text.to, "hashed: %u bytes, ", steered->input_len);
	bytes_write(report->text.to, steered->input, steered->input_len, 4);
	if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		fputs(" (source and destination replaced by their exclusive or)", report->text.to);
	paragraph_print(report);
	fprintf(report->text.to,
		"%s: 0x%08" PRIx32 ", whose low bits pick entry %u of the redirection table's %u: "
		"queue %u of %u",
		ddp_hash_function_name(config->function), steered->hash,
		steered->hash & (config->reta_size - 1), config->reta_size, steered->queue,
		config->n_queues);
	paragraph_print(report);
}

static void rss_print(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;
	const struct e810_rss *rss = report->nic->rss;
	const char *request = e810_rss_request(rss, result->ptype, result->rss_flags);

	fputs("RSS: ", report->text.to);
	if (result->ptype != E810_NO_PTYPE) {
		uint8_t group = e810_rss_group(rss, result->ptype);

		fprintf(report->text.to, "group %u %s of packet types; ", group,
			e810_rss_group_name(rss, group));
	}
	if (report->packet.steered.input_len == 0) {
		fputs("nothing is hashed, so queue 0: ", report->text.to);
		e810_report_no_hash(report);
		paragraph_print(report);
		return;
	}
	fprintf(report->text.to, "the driver's request that decides: %s",
		request != NULL ? request : "none, but a profile of the package's own");
	if (request != NULL && e810_rss_group(rss, result->ptype) == 0)
		fputs(" (group 0 is that of all packet types without one, which get what was asked "
		      "for any of them last)",
		      report->text.to);
	paragraph_print(report);
	for (unsigned int i = 0; i < report->n_fields; i++)
		field_print(report, &report->fields[i]);
	hash_print(report);
}

static void ports_write(FILE *to, const char *what, const uint16_t *ports, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "%s%s %u", i > 0 ? "," : ", ", i > 0 ? "" : what, ports[i]);
}

// What a driver has set, where it is not as in the file.
static void config_write(FILE *to, const struct e810_config *config) {
	ports_write(to, "VXLAN on UDP port", config->vxlan_ports, config->n_vxlan);
	ports_write(to, "GENEVE on UDP port", config->geneve_ports, config->n_geneve);
	ports_write(to, "eCPRI on UDP port", config->ecpri_ports, config->n_ecpri);
	if (config->double_vlan)
		fputs(", double VLAN mode", to);
}

static void title_print(struct e810_report *report) {
	const struct ddp_package *package = report->nic->package;

	fprintf(report->text.to,
		"packet %" PRIu64
		" of %s, %u bytes captured, in an 800-series NIC with %s " DDP_VERSION_FMT,
		report->packet.n, report->pcap, report->packet.len, package->name,
		DDP_VERSION_NUMBERS(package->version));
	config_write(report->text.to, &report->nic->config);
	paragraph_print(report);
	output_char(report->out, '\n');
}

void e810_report_print(struct e810_report *report) {
	title_print(report);
	steps_print(report);
	result_print(report);
	rss_print(report);
	output_char(report->out, '\n');
	output_wrapped(report->out, e810_nic_note, 0, 0);
}
