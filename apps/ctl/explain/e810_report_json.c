/* SPDX-License-Identifier: BSD-3-Clause */
// The same story for machines.
#include <inttypes.h>

#include "e810_report.h"

static void key_text(struct nic_story *story, const char *key, const char *text) {
	emit_key_text(&story->emit, key, text);
}

static void key_uint(struct nic_story *story, const char *key, uint64_t value) {
	emit_key_uint(&story->emit, key, value);
}

static void key_label(struct nic_story *story, const char *key, uint32_t id, uint16_t value) {
	key_text(story, key, e810_label(story->nic->package, id, value));
}

// The text just written.
static void key_words(struct nic_story *story, const char *key) {
	key_text(story, key, text_take(&story->text));
}

static void place_json(struct nic_story *story, const char *key, uint16_t offset, uint16_t node,
		       uint16_t pc) {
	emit_key_open(&story->emit, key, '{');
	key_uint(story, "offset", offset);
	key_uint(story, "node", node);
	key_label(story, "node_label", E810_LABELS_NODE, node);
	key_uint(story, "pc", pc);
	key_label(story, "pc_label", E810_LABELS_PC, pc);
	emit_close(&story->emit, '}');
}

static void boost_json(struct nic_story *story, const struct e810_step *step) {
	emit_key(&story->emit, "boost");
	if (step->boost < 0) {
		emit_null(&story->emit);
		return;
	}
	emit_open(&story->emit, '{');
	key_uint(story, "address", step->boost);
	key_label(story, "label", E810_LABELS_BOOST, step->boost);
	key_uint(story, "index", step->boost_index);
	emit_close(&story->emit, '}');
}

static void row_json(struct nic_story *story, const struct e810_step *step) {
	emit_key(&story->emit, "row");
	if (step->cam < 0) {
		emit_null(&story->emit);
		return;
	}
	emit_open(&story->emit, '{');
	key_text(story, "table", step->no_match ? "no-match CAM" : "CAM");
	key_uint(story, "index", step->cam);
	emit_close(&story->emit, '}');
}

static void marker_json(struct nic_story *story, uint8_t marker) {
	emit_open(&story->emit, '{');
	key_uint(story, "marker", marker);
	key_label(story, "label", E810_LABELS_MARKER, marker);
	emit_close(&story->emit, '}');
}

static void records_json(struct nic_story *story, const struct e810_step *step) {
	emit_key_open(&story->emit, "markers", '[');
	for (unsigned int i = 0; i < step->n_markers; i++)
		marker_json(story, step->markers[i]);
	emit_close(&story->emit, ']');
	emit_key_open(&story->emit, "records", '[');
	for (unsigned int i = 0; i < step->n_protocols; i++) {
		emit_open(&story->emit, '{');
		key_uint(story, "id", step->protocols[i].id);
		key_uint(story, "offset", step->protocols[i].offset);
		key_text(story, "name",
			 e810_protocol_name(story->nic->parser, step->protocols[i].id));
		emit_close(&story->emit, '}');
	}
	emit_close(&story->emit, ']');
}

static void step_json(struct nic_story *story, const struct e810_step *step) {
	emit_open(&story->emit, '{');
	key_uint(story, "n", step->n);
	place_json(story, "at", step->offset, step->node, step->pc);
	for (unsigned int i = 0; i < sizeof(step->key); i++)
		fprintf(story->text.to, "%02x", step->key[i]);
	key_words(story, "key");
	boost_json(story, step);
	key_uint(story, "next_protocol", step->next_protocol);
	row_json(story, step);
	records_json(story, step);
	if (step->cam >= 0)
		place_json(story, "next", step->next_offset, step->next_node, step->next_pc);
	emit_key_bool(&story->emit, "last", step->last);
	emit_close(&story->emit, '}');
}

static void why_ptype_json(struct nic_story *story) {
	emit_key_open(&story->emit, "markers", '[');
	for (unsigned int m = 0; m < NIC_MARKERS; m++)
		if (story->markers[m])
			marker_json(story, m);
	emit_close(&story->emit, ']');
	emit_key(&story->emit, "ptype_entry");
	if (story->entry >= 0 && story->packet.result.status != E810_LOOP) {
		emit_uint(&story->emit, story->entry);
		return;
	}
	emit_null(&story->emit);
	if (story->packet.result.status == E810_LOOP)
		return;
	nic_story_no_ptype(story);
	key_words(story, "no_ptype");
}

static void flags_json(struct nic_story *story) {
	emit_key_open(&story->emit, "packet_flags", '[');
	for (unsigned int f = 0; f < 64; f++) {
		if ((story->packet.result.packet_flags >> f & 1) == 0)
			continue;
		emit_open(&story->emit, '{');
		key_uint(story, "flag", f);
		key_text(story, "name", nic_flag_name(f));
		emit_close(&story->emit, '}');
	}
	emit_close(&story->emit, ']');
}

static void value_json(struct nic_story *story, const struct nic_field *field) {
	char value[NIC_VALUE_SIZE];

	emit_key(&story->emit, "value");
	if (field->absent)
		emit_null(&story->emit);
	else if (nic_field_text(field, value))
		emit_number(&story->emit, value);
	else
		emit_text(&story->emit, value);
}

static void hashed_json(struct nic_story *story) {
	emit_key_open(&story->emit, "hashed", '[');
	for (unsigned int i = 0; i < story->n_fields; i++) {
		const struct nic_field *field = &story->fields[i];

		emit_open(&story->emit, '{');
		key_text(story, "name", field->name);
		key_uint(story, "word", field->first);
		key_uint(story, "protocol", field->protocol);
		key_uint(story, "offset", field->offset);
		key_uint(story, "bytes", field->size);
		value_json(story, field);
		emit_close(&story->emit, '}');
	}
	emit_close(&story->emit, ']');
	if (story->packet.steered.input_len == 0) {
		nic_story_no_hash(story);
		key_words(story, "not_hashed");
	} else {
		key_uint(story, "reta_index",
			 story->packet.steered.hash & (story->nic->options->steer.reta_size - 1));
	}
}

void nic_story_json(struct nic_story *story) {
	const struct e810_result *result = &story->packet.result;

	emit_open(&story->emit, '{');
	nic_packet_json(story->nic, &story->packet, &story->emit);
	emit_key_open(&story->emit, "steps", '[');
	for (unsigned int i = 0; i < story->n_steps; i++)
		step_json(story, &story->steps[i]);
	emit_close(&story->emit, ']');
	key_uint(story, "end", result->end);
	key_uint(story, "end_node", result->node);
	nic_story_end(story);
	key_words(story, "end_why");
	why_ptype_json(story);
	flags_json(story);
	hashed_json(story);
	key_text(story, "note", nic_note);
	emit_close(&story->emit, '}');
	emit_end(&story->emit);
}
