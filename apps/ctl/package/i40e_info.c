/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info of a 700-series package: what it teaches the NIC, and what DPDK makes of that.
#include <inttypes.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/profile/profile_format.h"
#include "i40e_package.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define INDENT 11 // of a paragraph

void i40e_type_write(FILE *to, const struct i40e_package *i40e, const struct i40e_type *type) {
	const char *separator = "";

	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++) {
		const struct i40e_protocol *protocol;

		if (type->protocols[i] == I40E_NO_PROTOCOL)
			continue;
		protocol = i40e_protocol_find(i40e, type->protocols[i]);
		if (protocol != NULL)
			fprintf(to, "%s%s", separator, protocol->name);
		else
			fprintf(to, "%s#%u", separator, type->protocols[i]);
		separator = " ";
	}
}

// The name by which DPDK knows a pctype, or NULL. It may be another's: see i40e_known_pctypes().
static const char *known_name(const struct i40e_package *i40e, const struct i40e_type *pctype) {
	uint8_t known[I40E_N_KNOWN_PCTYPES];

	i40e_known_pctypes(i40e, known);
	for (unsigned int i = 0; i < I40E_N_KNOWN_PCTYPES; i++)
		if (known[i] != 0 && known[i] == pctype->id)
			return i40e_known_name(i);
	return NULL;
}

// Sections of text, for reading.
static bool is_text(const struct i40e_section *section) {
	return section->type == I40E_NAME || section->type == I40E_NOTE;
}

static void section_text_write(FILE *to, const struct i40e_section *section) {
	const char *text = (const char *)section->data;

	fprintf(to, "%.*s", (int)strnlen(text, section->size), text);
}

/* For machines */

// The text just written.
static void key_written(struct emit *emit, const char *key, struct text *text) {
	emit_key_text(emit, key, text_take(text));
}

static void version_write(FILE *to, const struct ddp_version *version) {
	fprintf(to, "%u.%u.%u.%u", version->major, version->minor, version->update, version->draft);
}

static void profile_json(struct emit *emit, const struct ddp_package *package, struct text *text) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_verdict verdict = i40e_rollback_verdict(package);

	emit_key_open(emit, "profile", '{');
	emit_key_text(emit, "name", i40e->name);
	version_write(text->to, &i40e->version);
	key_written(emit, "version", text);
	emit_close(emit, '}');
	emit_key_uint(emit, "group", i40e_group(package->track_id));
	emit_key_text(emit, "group_meaning", i40e_group_meaning(package->track_id));
	emit_key_bool(emit, "x722", i40e->is_x722);
	emit_key_bool(emit, "rollback_file", i40e->is_rollback);
	emit_key_bool(emit, "can_be_taken_back", verdict.error == 0);
	emit_key_text(emit, "notes", i40e->notes);
}

static void devices_json(struct emit *emit, const struct i40e_package *i40e) {
	emit_key_open(emit, "devices", '[');
	for (unsigned int i = 0; i < i40e->n_devices; i++) {
		emit_open(emit, '{');
		emit_key_hex(emit, "vendor", i40e->devices[i].vendor, 4);
		emit_key_hex(emit, "device", i40e->devices[i].device, 4);
		emit_key_hex(emit, "sub_vendor", i40e->devices[i].sub_vendor, 4);
		emit_key_hex(emit, "sub_device", i40e->devices[i].sub_device, 4);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
	emit_key_open(emit, "nvm_versions", '[');
	for (unsigned int i = 0; i < i40e->n_nvms; i++)
		emit_uint(emit, i40e->nvms[i]);
	emit_close(emit, ']');
}

static void protocols_json(struct emit *emit, const struct i40e_package *i40e) {
	emit_key_open(emit, "protocols", '[');
	for (unsigned int i = 0; i < i40e->n_protocols; i++) {
		emit_open(emit, '{');
		emit_key_uint(emit, "id", i40e->protocols[i].id);
		emit_key_text(emit, "name", i40e->protocols[i].name);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

// What pctypes and ptypes have alike.
static void type_json(struct emit *emit, const struct i40e_package *i40e,
		      const struct i40e_type *type) {
	char name[I40E_TYPE_NAME_SIZE];

	i40e_type_name(i40e, type, name);
	emit_key_uint(emit, "id", type->id);
	emit_key_text(emit, "name", name);
	emit_key_open(emit, "protocols", '[');
	for (unsigned int i = 0; i < I40E_TYPE_PROTOCOLS; i++)
		if (type->protocols[i] != I40E_NO_PROTOCOL)
			emit_uint(emit, type->protocols[i]);
	emit_close(emit, ']');
}

static void pctypes_json(struct emit *emit, const struct i40e_package *i40e) {
	emit_key_open(emit, "pctypes", '[');
	for (unsigned int i = 0; i < i40e->n_pctypes; i++) {
		emit_open(emit, '{');
		type_json(emit, i40e, &i40e->pctypes[i]);
		emit_key_text(emit, "known_to_dpdk_as", known_name(i40e, &i40e->pctypes[i]));
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void ptypes_json(struct emit *emit, const struct i40e_package *i40e, struct text *text) {
	emit_key_open(emit, "ptypes", '[');
	for (unsigned int i = 0; i < i40e->n_ptypes; i++) {
		uint32_t rte_ptype = i40e_rte_ptype(i40e, &i40e->ptypes[i]);

		emit_open(emit, '{');
		type_json(emit, i40e, &i40e->ptypes[i]);
		emit_key_hex(emit, "rte_ptype", rte_ptype, 8);
		words_ptype(text->to, rte_ptype);
		key_written(emit, "rte_ptype_name", text);
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

static void sections_json(struct emit *emit, const struct i40e_package *i40e, struct text *text) {
	emit_key_open(emit, "sections", '[');
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		const struct i40e_section *section = &i40e->sections[i];

		emit_open(emit, '{');
		emit_key_hex(emit, "type", section->type, 1);
		emit_key_text(emit, "name", i40e_section_name(section->type));
		emit_key_text(emit, "what", i40e_section_text(section->type));
		emit_key_uint(emit, "offset", section->offset);
		emit_key_uint(emit, "size", section->size);
		if (is_text(section)) {
			section_text_write(text->to, section);
			key_written(emit, "text", text);
		}
		emit_close(emit, '}');
	}
	emit_close(emit, ']');
}

void i40e_info_json(const struct ddp_package *package, struct emit *emit) {
	const struct i40e_package *i40e = package->i40e;
	struct text text;

	text_init(&text);
	profile_json(emit, package, &text);
	devices_json(emit, i40e);
	protocols_json(emit, i40e);
	pctypes_json(emit, i40e);
	ptypes_json(emit, i40e, &text);
	sections_json(emit, i40e, &text);
	text_fini(&text);
}

/* For people */

// A line, or a paragraph, of what was just written.
static void paragraph_print(struct output *out, const char *title, struct text *text) {
	output_printf(out, "%-*s", INDENT, title);
	text_wrap(out, text_take(text), INDENT, INDENT);
	output_char(out, '\n');
}

static const char *any(unsigned int n) {
	return n == 0 ? "any" : "";
}

static void devices_print(const struct i40e_package *i40e, struct output *out, struct text *text) {
	fputs(any(i40e->n_devices), text->to);
	for (unsigned int i = 0; i < i40e->n_devices; i++) {
		const struct i40e_device *device = &i40e->devices[i];

		fprintf(text->to, "%s%04x:%04x", i > 0 ? " " : "", device->vendor, device->device);
		if ((device->sub_vendor & device->sub_device) != 0xffff)
			fprintf(text->to, "(%04x:%04x)", device->sub_vendor, device->sub_device);
	}
	paragraph_print(out, "devices", text);
	fputs(any(i40e->n_nvms), text->to);
	for (unsigned int i = 0; i < i40e->n_nvms; i++)
		fprintf(text->to, "%s0x%" PRIx32, i > 0 ? " " : "", i40e->nvms[i]);
	paragraph_print(out, "NVM", text);
}

static void profile_print(const struct ddp_package *package, struct output *out, struct text *text) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_verdict verdict = i40e_rollback_verdict(package);

	fprintf(text->to, "%s ", i40e->name);
	version_write(text->to, &i40e->version);
	fputs(i40e->is_x722 ? ", for X722" : "", text->to);
	paragraph_print(out, "profile", text);
	fprintf(text->to, "%u: %s", i40e_group(package->track_id),
		i40e_group_meaning(package->track_id));
	paragraph_print(out, "group", text);
	fprintf(text->to, "%s: %s", verdict.error == 0 ? "possible" : "not possible", verdict.why);
	paragraph_print(out, "rollback", text);
	devices_print(i40e, out, text);
	fputs(i40e->n_protocols == 0 ? "none" : "", text->to);
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		fprintf(text->to, "%s%u %s", i > 0 ? ", " : "", i40e->protocols[i].id,
			i40e->protocols[i].name);
	paragraph_print(out, "protocols", text);
}

// As its author broke the lines, with or without carriage returns; indented, so that none looks like one of ours.
static void notes_print(const struct i40e_package *i40e, struct output *out) {
	const char *s = i40e->notes;

	if (s == NULL)
		return;
	output_text(out, "\nnotes\n");
	while (*s != '\0') {
		const int len = strcspn(s, "\n");

		text_printf(out, "  %.*s\n", len > 0 && s[len - 1] == '\r' ? len - 1 : len, s);
		s += len + (s[len] == '\n');
	}
}

static void cell_written(struct table *table, struct text *text) {
	table_text(table, text_take(text));
}

static void pctypes_print(const struct i40e_package *i40e, struct output *out, struct text *text) {
	static const struct table_column columns[] = {
		{.title = "PCTYPE", .right = true},
		{.title = "PROTOCOLS"},
		{.title = "KNOWN TO DPDK AS"},
	};
	struct table table;

	if (i40e->n_pctypes == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, columns, COUNT(columns));
	for (unsigned int i = 0; i < i40e->n_pctypes; i++) {
		const char *known = known_name(i40e, &i40e->pctypes[i]);

		table_number(&table, i40e->pctypes[i].id);
		i40e_type_write(text->to, i40e, &i40e->pctypes[i]);
		cell_written(&table, text);
		fputs(known != NULL ? known : "-", text->to);
		cell_written(&table, text);
	}
	table_fini(&table);
}

static void ptypes_print(const struct i40e_package *i40e, struct output *out, struct text *text) {
	static const struct table_column columns[] = {
		{.title = "PTYPE", .right = true},
		{.title = "PROTOCOLS"},
		{.title = "IN DPDK"},
	};
	struct table table;

	if (i40e->n_ptypes == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, columns, COUNT(columns));
	for (unsigned int i = 0; i < i40e->n_ptypes; i++) {
		uint32_t rte_ptype = i40e_rte_ptype(i40e, &i40e->ptypes[i]);

		table_number(&table, i40e->ptypes[i].id);
		i40e_type_write(text->to, i40e, &i40e->ptypes[i]);
		cell_written(&table, text);
		words_ptype(text->to, rte_ptype);
		cell_written(&table, text);
	}
	table_fini(&table);
}

static void section_what_write(FILE *to, const struct i40e_section *section) {
	const char *text = i40e_section_text(section->type);

	if (is_text(section))
		section_text_write(to, section);
	else
		fputs(text != NULL ? text : "not documented", to);
}

static void sections_print(const struct i40e_package *i40e, struct output *out, struct text *text) {
	static const struct table_column columns[] = {
		{.title = "SECTION"},
		{.title = "OFFSET", .right = true},
		{.title = "BYTES", .right = true},
		{.title = "WHAT"},
	};
	struct table table;

	if (i40e->n_sections == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, columns, COUNT(columns));
	for (unsigned int i = 0; i < i40e->n_sections; i++) {
		const struct i40e_section *section = &i40e->sections[i];
		const char *name = i40e_section_name(section->type);

		if (name != NULL)
			table_printf(&table, "%s", name);
		else
			table_printf(&table, "0x%" PRIx32, section->type);
		table_next(&table);
		table_number(&table, section->offset);
		table_number(&table, section->size);
		section_what_write(text->to, section);
		cell_written(&table, text);
	}
	table_fini(&table);
}

void i40e_info_print(const struct ddp_package *package, struct output *out) {
	const struct i40e_package *i40e = package->i40e;
	struct text text;

	text_init(&text);
	output_char(out, '\n');
	profile_print(package, out, &text);
	notes_print(i40e, out);
	pctypes_print(i40e, out, &text);
	ptypes_print(i40e, out, &text);
	sections_print(i40e, out, &text);
	text_fini(&text);
}
