/* SPDX-License-Identifier: BSD-3-Clause */
// The same story for machines.
#include <limits.h>

#include "e810_report.h"

static const char *label(const struct e810_report *report, uint32_t id, uint16_t value) {
	return e810_label(report->nic->package, id, value);
}

// The text just written.
static void key_words(struct e810_report *report, const char *key) {
	jsonw_key_text(&report->json, key, strbuf_take(&report->text));
}

static void place_json(struct e810_report *report, const char *key, uint16_t offset, uint16_t node,
		       uint16_t pc) {
	jsonw_key(&report->json, key);
	jsonw_object(&report->json, "offset:%u node:%u node_label:%s pc:%u pc_label:%s", offset,
		     node, label(report, E810_LABELS_NODE, node), pc,
		     label(report, E810_LABELS_PC, pc));
}

static void boost_json(struct e810_report *report, const struct e810_step *step) {
	jsonw_key(&report->json, "boost");
	if (step->boost < 0)
		jsonw_null(&report->json);
	else
		jsonw_object(&report->json, "address:%u label:%s index:%u", step->boost,
			     label(report, E810_LABELS_BOOST, step->boost), step->boost_index);
}

static void row_json(struct e810_report *report, const struct e810_step *step) {
	jsonw_key(&report->json, "row");
	if (step->cam < 0)
		jsonw_null(&report->json);
	else
		jsonw_object(&report->json, "table:%s index:%u",
			     step->no_match ? "no-match CAM" : "CAM", step->cam);
}

static void marker_json(struct e810_report *report, uint8_t marker) {
	jsonw_object(&report->json, "marker:%u label:%s", marker,
		     label(report, E810_LABELS_MARKER, marker));
}

static void records_json(struct e810_report *report, const struct e810_step *step) {
	jsonw_key_open(&report->json, "markers", '[');
	for (unsigned int i = 0; i < step->n_markers; i++)
		marker_json(report, step->markers[i]);
	jsonw_write(&report->json, "] records:[");
	for (unsigned int i = 0; i < step->n_protocols; i++)
		jsonw_object(&report->json, "id:%u offset:%u name:%s", step->protocols[i].id,
			     step->protocols[i].offset,
			     e810_protocol_name(report->nic->parser, step->protocols[i].id));
	jsonw_close(&report->json, ']');
}

static void step_json(struct e810_report *report, const struct e810_step *step) {
	jsonw_write(&report->json, "{n:%u", step->n);
	place_json(report, "at", step->offset, step->node, step->pc);
	bytes_write(report->text.to, step->key, sizeof(step->key), UINT_MAX);
	key_words(report, "key");
	boost_json(report, step);
	jsonw_key_uint(&report->json, "next_protocol", step->next_protocol);
	row_json(report, step);
	records_json(report, step);
	if (step->cam >= 0)
		place_json(report, "next", step->next_offset, step->next_node, step->next_pc);
	jsonw_write(&report->json, "last:%d}", step->last);
}

static void reason_ptype_json(struct e810_report *report) {
	jsonw_key_open(&report->json, "markers", '[');
	for (unsigned int m = 0; m < E810_MARKERS; m++)
		if (report->markers[m])
			marker_json(report, m);
	jsonw_close(&report->json, ']');
	jsonw_key(&report->json, "ptype_entry");
	if (report->entry >= 0 && report->packet.result.status != E810_LOOP) {
		jsonw_uint(&report->json, report->entry);
		return;
	}
	jsonw_null(&report->json);
	if (report->packet.result.status == E810_LOOP)
		return;
	e810_report_no_ptype(report);
	key_words(report, "no_ptype");
}

static void flags_json(struct e810_report *report) {
	jsonw_key_open(&report->json, "packet_flags", '[');
	for (unsigned int f = 0; f < 64; f++)
		if (report->packet.result.packet_flags >> f & 1)
			jsonw_object(&report->json, "flag:%u name:%s", f, e810_nic_flag_name(f));
	jsonw_close(&report->json, ']');
}

static void value_json(struct e810_report *report, const struct e810_hashed_field *field) {
	char value[E810_VALUE_SIZE];

	jsonw_key(&report->json, "value");
	if (field->absent)
		jsonw_null(&report->json);
	else if (e810_nic_field_text(field, value))
		jsonw_number(&report->json, value);
	else
		jsonw_text(&report->json, value);
}

static void hashed_json(struct e810_report *report) {
	jsonw_key_open(&report->json, "hashed", '[');
	for (unsigned int i = 0; i < report->n_fields; i++) {
		const struct e810_hashed_field *field = &report->fields[i];

		jsonw_write(&report->json, "{name:%s word:%u protocol:%u offset:%u bytes:%u",
			    field->name, field->first, field->protocol, field->offset, field->size);
		value_json(report, field);
		jsonw_close(&report->json, '}');
	}
	jsonw_close(&report->json, ']');
	if (report->packet.steered.input_len == 0) {
		e810_report_no_hash(report);
		key_words(report, "not_hashed");
	} else {
		jsonw_key_uint(&report->json, "reta_index",
			       report->packet.steered.hash &
				       (report->nic->options->steer.reta_size - 1));
	}
}

void e810_report_json(struct e810_report *report) {
	const struct e810_result *result = &report->packet.result;

	jsonw_open(&report->json, '{');
	e810_nic_packet_json(report->nic, &report->packet, &report->json);
	jsonw_key_open(&report->json, "steps", '[');
	for (unsigned int i = 0; i < report->n_steps; i++)
		step_json(report, &report->steps[i]);
	jsonw_write(&report->json, "] end:%u end_node:%u", result->end, result->node);
	e810_report_end(report);
	key_words(report, "end_why");
	reason_ptype_json(report);
	flags_json(report);
	hashed_json(report);
	jsonw_write(&report->json, "note:%s}\n", e810_nic_note);
}
