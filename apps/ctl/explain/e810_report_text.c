/* SPDX-License-Identifier: BSD-3-Clause */
// The story of a packet in an 800-series NIC for people.
#include <inttypes.h>
#include <string.h>

#include "e810_report.h"

#define INDENT 12    // of what is said about a step
#define WINDOW 504   // bytes that the parser sees
#define KEY_BYTES 19 // of the packet that a search key holds

// The text just written, as a paragraph behind a title.
static void line_print(struct nic_story *story, const char *title) {
	const char *text = text_take(&story->text);

	if (*text == '\0')
		return;
	output_printf(story->out, "  %-*s", INDENT - 2, title);
	text_wrap(story->out, text, INDENT, INDENT);
	output_char(story->out, '\n');
}

static void paragraph_print(struct nic_story *story) {
	text_wrap(story->out, text_take(&story->text), 0, 2);
	output_char(story->out, '\n');
}

static const char *label(const struct nic_story *story, uint32_t id, uint16_t value) {
	return nic_label(story->nic->package, id, value);
}

// " 8 N_UDP_1"
static void named_write(struct nic_story *story, uint32_t labels, uint16_t value) {
	const char *name = label(story, labels, value);

	fprintf(story->text.to, " %u%s%s", value, *name != '\0' ? " " : "", name);
}

/* Steps */

static void place_write(struct nic_story *story, uint16_t offset, uint16_t node, uint16_t pc) {
	fprintf(story->text.to, "byte %u, node", offset);
	named_write(story, E810_LABELS_NODE, node);
	fputs(", instruction", story->text.to);
	named_write(story, E810_LABELS_PC, pc);
}

static void key_print(struct nic_story *story, const struct e810_step *step) {
	uint32_t end = story->packet.len < WINDOW ? story->packet.len : WINDOW;

	for (unsigned int i = 0; i < sizeof(step->key); i++)
		fprintf(story->text.to, "%s%02x", i > 0 ? " " : "", step->key[i]);
	fprintf(story->text.to, ": %u bytes from byte %u on, last first, and selector 0x%02x",
		KEY_BYTES, step->offset, step->key[KEY_BYTES]);
	if (step->offset + KEY_BYTES > (int)end)
		fprintf(story->text.to, "; from byte %u on there is nothing, which reads as 0", end);
	line_print(story, "key");
}

static void boost_print(struct nic_story *story, const struct e810_step *step) {
	if (step->boost < 0) {
		fputs("no entry of the boost TCAM matches", story->text.to);
	} else {
		fputs("entry", story->text.to);
		named_write(story, E810_LABELS_BOOST, step->boost);
		fprintf(story->text.to, " matches: index %u", step->boost_index);
	}
	line_print(story, "boost");
}

static void graph_print(struct nic_story *story, const struct e810_step *step) {
	fprintf(story->text.to, "next protocol 0x%02" PRIx32 ": ", step->next_protocol);
	if (step->cam < 0)
		fputs("no row for this", story->text.to);
	else
		fprintf(story->text.to, "row %d of the %s", step->cam,
			step->no_match ? "no-match CAM" : "CAM");
	line_print(story, "graph");
}

static void markers_print(struct nic_story *story, const struct e810_step *step) {
	for (unsigned int i = 0; i < step->n_markers; i++) {
		fputs(i > 0 ? "," : "marker", story->text.to);
		named_write(story, E810_LABELS_MARKER, step->markers[i]);
	}
	line_print(story, "sets");
}

static void protocols_write(struct nic_story *story, const struct e810_protocol *protocols,
			    unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(story->text.to, "%s%u %s at %u", i > 0 ? ", " : "", protocols[i].id,
			e810_protocol_name(story->nic->parser, protocols[i].id),
			protocols[i].offset);
}

static void step_print(struct nic_story *story, const struct e810_step *step) {
	fprintf(story->text.to, "step %u: ", step->n);
	place_write(story, step->offset, step->node, step->pc);
	paragraph_print(story);
	key_print(story, step);
	boost_print(story, step);
	graph_print(story, step);
	markers_print(story, step);
	protocols_write(story, step->protocols, step->n_protocols);
	line_print(story, "records");
	if (step->cam < 0)
		return;
	place_write(story, step->next_offset, step->next_node, step->next_pc);
	fputs(step->last ? " (last)" : "", story->text.to);
	line_print(story, "goes to");
}

static bool is_again(const struct e810_step *step, const struct e810_step *before) {
	return step->node == before->node && step->pc == before->pc &&
	       step->offset == before->offset && step->next_offset == before->next_offset;
}

static void steps_print(struct nic_story *story) {
	for (unsigned int i = 0; i < story->n_steps; i++) {
		unsigned int first = i;

		step_print(story, &story->steps[i]);
		while (i + 1 < story->n_steps && is_again(&story->steps[i + 1], &story->steps[i]))
			i++;
		if (i > first + 1)
			output_printf(story->out, "steps %u to %u: the same again\n",
				      story->steps[first].n + 1, story->steps[i].n);
		else
			i = first;
	}
	output_char(story->out, '\n');
	nic_story_end(story);
	paragraph_print(story);
}

/* The result */

static void ptype_print(struct nic_story *story) {
	const struct e810_result *result = &story->packet.result;
	const char *separator = " ";

	fputs("markers:", story->text.to);
	for (unsigned int m = 0; m < NIC_MARKERS; m++) {
		if (!story->markers[m])
			continue;
		fprintf(story->text.to, "%s%u %s", separator, m,
			label(story, E810_LABELS_MARKER, m));
		separator = ", ";
	}
	paragraph_print(story);
	if (result->status == E810_LOOP)
		return;
	fprintf(story->text.to, "packet type: %u %s", result->ptype,
		e810_ptype_name(story->nic->parser, result->ptype));
	if (result->ptype == E810_NO_PTYPE) {
		fputs(". ", story->text.to);
		nic_story_no_ptype(story);
	} else {
		fprintf(story->text.to,
			", by entry %d of the packet type TCAM, which wants just these markers",
			story->entry);
	}
	paragraph_print(story);
}

static void path_print(struct nic_story *story) {
	const struct nic_packet *packet = &story->packet;
	const char *chain[E810_CHAIN_MAX];
	uint16_t offsets[E810_CHAIN_MAX];
	unsigned int n = e810_result_chain(story->nic->parser, &packet->result, packet->data,
					   packet->len, chain, offsets);

	fputs("headers:", story->text.to);
	for (unsigned int i = 0; i < n; i++)
		fprintf(story->text.to, "%s %s at %u", i > 0 ? "," : "", chain[i], offsets[i]);
	paragraph_print(story);
}

static void flags_print(struct nic_story *story) {
	const struct e810_result *result = &story->packet.result;
	const char *separator = ": ";

	fprintf(story->text.to, "packet flags: 0x%016" PRIx64, result->packet_flags);
	for (unsigned int f = 0; f < 64; f++) {
		const char *name = nic_flag_name(f);

		if ((result->packet_flags >> f & 1) == 0)
			continue;
		fprintf(story->text.to, "%s%u %s", separator, f, name != NULL ? name : "(unknown)");
		separator = ", ";
	}
	paragraph_print(story);
	fprintf(story->text.to, "block flags: flow director 0x%04x, switch 0x%04x, RSS 0x%04x",
		result->fd_flags, result->sw_flags, result->rss_flags);
	separator = ": ";
	for (unsigned int b = 0; b < 16; b++) {
		const char *name = nic_story_rss_flag(story, b);

		if ((result->rss_flags >> b & 1) == 0)
			continue;
		fprintf(story->text.to, "%s%u %s", separator, b, name != NULL ? name : "(unknown)");
		separator = ", ";
	}
	paragraph_print(story);
}

static void result_print(struct nic_story *story) {
	ptype_print(story);
	fputs("protocols: ", story->text.to);
	protocols_write(story, story->packet.result.protocols, story->packet.result.n_protocols);
	paragraph_print(story);
	path_print(story);
	flags_print(story);
}

/* RSS */

static void field_print(struct nic_story *story, const struct nic_field *field) {
	unsigned int n_words = (field->size + 1) / 2;
	char value[NIC_VALUE_SIZE];
	uint16_t header = 0;

	if (n_words > 1)
		fprintf(story->text.to, "words %u to %u: ", field->first,
			field->first - n_words + 1);
	else
		fprintf(story->text.to, "word %u: ", field->first);
	fprintf(story->text.to, "%s, byte %u of protocol %u", field->name, field->offset,
		field->protocol);
	if (field->absent) {
		fputs(": not in this packet, so it reads as 0", story->text.to);
	} else {
		nic_protocol_find(&story->packet.result, field->protocol, &header);
		nic_field_text(field, value);
		fprintf(story->text.to, " at %u: %s = ", header, value);
		for (unsigned int i = 0; i < field->size; i++)
			fprintf(story->text.to, "%s%02x", i > 0 && i % 2 == 0 ? " " : "",
				field->value[i]);
	}
	line_print(story, "");
}

static void hash_print(struct nic_story *story) {
	const struct steer_config *config = &story->nic->options->steer;
	const struct steered *steered = &story->packet.steered;

	fprintf(story->text.to, "hashed: %u bytes, ", steered->input_len);
	for (unsigned int i = 0; i < steered->input_len; i++)
		fprintf(story->text.to, "%s%02x", i > 0 && i % 4 == 0 ? " " : "", steered->input[i]);
	if (config->function == DDP_HASH_SYMMETRIC_TOEPLITZ)
		fputs(" (source and destination replaced by their exclusive or)", story->text.to);
	paragraph_print(story);
	fprintf(story->text.to,
		"%s: 0x%08" PRIx32 ", whose low bits pick entry %u of the redirection table's %u: "
		"queue %u of %u",
		ddp_hash_function_name(config->function), steered->hash,
		steered->hash & (config->reta_size - 1), config->reta_size, steered->queue,
		config->n_queues);
	paragraph_print(story);
}

static void rss_print(struct nic_story *story) {
	const struct e810_result *result = &story->packet.result;
	const struct e810_rss *rss = story->nic->rss;
	const char *request = e810_rss_request(rss, result->ptype, result->rss_flags);

	fputs("RSS: ", story->text.to);
	if (result->ptype != E810_NO_PTYPE) {
		uint8_t group = e810_rss_group(rss, result->ptype);

		fprintf(story->text.to, "group %u %s of packet types; ", group,
			e810_rss_group_name(rss, group));
	}
	if (story->packet.steered.input_len == 0) {
		fputs("nothing is hashed, so queue 0: ", story->text.to);
		nic_story_no_hash(story);
		paragraph_print(story);
		return;
	}
	fprintf(story->text.to, "the driver's request that decides: %s",
		request != NULL ? request : "none, but a profile of the package's own");
	if (request != NULL && e810_rss_group(rss, result->ptype) == 0)
		fputs(" (group 0 is that of all packet types without one, which get what was asked "
		      "for any of them last)",
		      story->text.to);
	paragraph_print(story);
	for (unsigned int i = 0; i < story->n_fields; i++)
		field_print(story, &story->fields[i]);
	hash_print(story);
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

static void title_print(struct nic_story *story) {
	const struct ddp_package *package = story->nic->package;
	const struct ddp_version *v = &package->version;

	fprintf(story->text.to,
		"packet %" PRIu64
		" of %s, %u bytes captured, in an 800-series NIC with %s %u.%u.%u.%u",
		story->packet.n, story->pcap, story->packet.len, package->name, v->major, v->minor,
		v->update, v->draft);
	config_write(story->text.to, &story->nic->config);
	paragraph_print(story);
	output_char(story->out, '\n');
}

void nic_story_print(struct nic_story *story) {
	title_print(story);
	steps_print(story);
	result_print(story);
	rss_print(story);
	output_char(story->out, '\n');
	text_wrap(story->out, nic_note, 0, 0);
	output_char(story->out, '\n');
}
