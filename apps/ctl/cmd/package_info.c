/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info of a package: segments, devices, and sections or packet types.
#include <inttypes.h>
#include <stdlib.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "e810/e810_parser.h"
#include "i40e/i40e.h"
#include "profile/profile_format.h"

#define I40E_INDENT 11          // columns, of a paragraph
#define LABELS_FIRST 0x80000000 // section id: metadata from here on

/* 700-series packages */

static void types_json(struct json_writer *json, const struct i40e_package *i40e, const char *key,
		       const struct i40e_types *types) {
	jsonw_key_open(json, key, '[');
	for (unsigned int i = 0; i < types->n; i++) {
		const struct i40e_type *type = &types->types[i];
		char name[I40E_TYPE_NAME_SIZE];

		i40e_type_name(i40e, type, name);
		jsonw_write(json, "{id:%u name:%s protocols:[", type->id, name);
		for (unsigned int j = 0; j < I40E_TYPE_PROTOCOLS; j++)
			if (type->protocols[j] != I40E_NO_PROTOCOL)
				jsonw_uint(json, type->protocols[j]);
		jsonw_write(json, "]}");
	}
	jsonw_close(json, ']');
}

static void i40e_info_json(const struct ddp_package *package, struct json_writer *json) {
	const struct i40e_package *i40e = package->i40e;
	const char *reason;
	int verdict = i40e_verdict(package, 0, &reason);
	char version[16];

	snprintf(version, sizeof(version), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(i40e->version));
	jsonw_write(json, "profile:{name:%s version:%s}", i40e->name, version);
	jsonw_write(json, "usable:%d reason:%s notes:%s protocols:[", verdict == 0, reason,
		    i40e->notes);
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		jsonw_object(json, "id:%u name:%s", i40e->protocols[i].id, i40e->protocols[i].name);
	jsonw_close(json, ']');
	types_json(json, i40e, "pctypes", &i40e->pctypes);
	types_json(json, i40e, "ptypes", &i40e->ptypes);
}

// Keep the author's lines, without carriage returns; the indentation marks them as not ours.
static void notes_print(const struct i40e_package *i40e, struct output *out) {
	const char *s = i40e->notes;

	if (s == NULL)
		return;
	output_text(out, "\nnotes\n");
	while (*s != '\0') {
		const int len = strcspn(s, "\n");

		output_escaped_printf(out, "  %.*s\n",
				      len > 0 && s[len - 1] == '\r' ? len - 1 : len, s);
		s += len + (s[len] == '\n');
	}
}

static void types_print(const struct i40e_package *i40e, struct output *out, const char *columns,
			const struct i40e_types *types) {
	struct table table;

	if (types->n == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, columns);
	for (unsigned int i = 0; i < types->n; i++) {
		char name[I40E_TYPE_NAME_SIZE];

		i40e_type_name(i40e, &types->types[i], name);
		table_number(&table, types->types[i].id);
		table_text(&table, name);
	}
	table_fini(&table);
}

static void i40e_info_print(const struct ddp_package *package, struct output *out) {
	const struct i40e_package *i40e = package->i40e;
	struct strbuf text;
	const char *reason;

	i40e_verdict(package, 0, &reason);
	output_text(out, "\nprofile    ");
	output_escaped_printf(out, "%s", i40e->name);
	output_printf(out, " " DDP_VERSION_FMT "\nuse        %s\nprotocols  ",
		      DDP_VERSION_NUMBERS(i40e->version), reason);
	strbuf_init(&text);
	fputs(i40e->n_protocols == 0 ? "none" : "", text.to);
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		fprintf(text.to, "%s%u %s", i > 0 ? ", " : "", i40e->protocols[i].id,
			i40e->protocols[i].name);
	output_wrapped(out, strbuf_take(&text), I40E_INDENT, I40E_INDENT);
	strbuf_fini(&text);
	notes_print(i40e, out);
	types_print(i40e, out, ">PCTYPE|PROTOCOLS", &i40e->pctypes);
	types_print(i40e, out, ">PTYPE|PROTOCOLS", &i40e->ptypes);
}

/* Sections of an 800-series package */

struct section {
	uint32_t id;
	unsigned int n_parts;
	uint32_t size; // bytes of all parts
	const struct e810_table *table;
	int n_live;
};

static int section_compare(const void *a, const void *b) {
	const struct section *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

// The package's section ids in ascending order, to be freed.
static struct section *sections_make(const struct ddp_package *package, unsigned int *n) {
	const unsigned int n_parts = package->e810->n_parts;
	const struct e810_part *parts = package->e810->parts;
	struct section *sections = calloc_or_exit(n_parts + 1, sizeof(*sections));

	*n = 0;
	for (unsigned int i = 0; i < n_parts; i++) {
		struct section *section = sections;

		while (section < sections + *n && section->id != parts[i].id)
			section++;
		if (section == sections + *n) {
			(*n)++;
			section->id = parts[i].id;
			section->table = e810_table(package, parts[i].id);
			section->n_live = e810_table_live(package, parts[i].id);
		}
		section->n_parts++;
		section->size += parts[i].size;
	}
	qsort(sections, *n, sizeof(*sections), section_compare);
	return sections;
}

static const char *segment_name(uint32_t type) {
	switch (type) {
	case 0x1:
		return "metadata";
	case 0x2:
		return "notes";
	case 0x10:
		return "configuration of E810";
	case 0x11:
		return "configuration of the 700 series";
	case 0x17:
		return "configuration of E830";
	case 0x20:
		return "run-time configuration";
	case 0x1000:
		return "signature, older form";
	case 0x1001:
		return "signature";
	}
	return "not known";
}

/* JSON */

void package_identity_json(struct json_writer *json, const struct ddp_package *package) {
	char text[16];

	snprintf(text, sizeof(text), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
	jsonw_write(json, "kind:%s name:%s version:%s track_id:%08x",
		    package->kind == DDP_PACKAGE_E810 ? "e810" : "i40e", package->name, text,
		    package->track_id);
}

static void common_json(const struct ddp_package *package, struct json_writer *json) {
	jsonw_write(json, "file:%s", package->path);
	package_identity_json(json, package);
	jsonw_write(json, "size:%ju segments:[", (uintmax_t)package->size);
	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];

		jsonw_object(json, "type:%01x what:%s name:%s offset:%u size:%u", segment->type,
			     segment_name(segment->type), segment->name, segment->offset,
			     segment->size);
	}
	jsonw_write(json, "] devices:[");
	for (unsigned int i = 0; i < package->n_devices; i++) {
		const struct ddp_device *device = &package->devices[i];

		jsonw_object(json, "vendor:%04x device:%04x sub_vendor:%04x sub_device:%04x",
			     device->vendor, device->device, device->sub_vendor,
			     device->sub_device);
	}
	jsonw_write(json, "] nvm_versions:[");
	for (unsigned int i = 0; i < package->n_nvm_versions; i++)
		jsonw_uint(json, package->nvm_versions[i]);
	jsonw_close(json, ']');
}

static void section_json(struct json_writer *json, const struct ddp_package *package,
			 const struct section *section) {
	const bool known = section->table->n_entries > 0;
	const unsigned int n = package->e810->n_parts;
	const struct e810_part *parts = package->e810->parts;

	jsonw_write(json, "{id:%01x name:%s size:%u", section->id, e810_section_name(section->id),
		    section->size);
	jsonw_key_uint_or_null(json, "entry_size", known, section->table->entry_size);
	jsonw_key_uint_or_null(json, "entries", known, section->table->n_entries);
	jsonw_key_uint_or_null(json, "live", section->n_live >= 0, section->n_live);
	jsonw_key_open(json, "parts", '[');
	for (unsigned int i = 0; i < n; i++)
		if (parts[i].id == section->id)
			jsonw_object(json, "buffer:%u offset:%u size:%u", parts[i].buffer,
				     parts[i].offset, parts[i].size);
	jsonw_write(json, "]}");
}

/* Text output */

static void common_print(const struct ddp_package *package, struct output *out) {
	struct table table;

	output_escaped_printf(
		out, "package %s " DDP_VERSION_FMT ", track id 0x%08x, for the %s series\n",
		package->name, DDP_VERSION_NUMBERS(package->version), package->track_id,
		package->kind == DDP_PACKAGE_E810 ? "800" : "700");
	output_escaped_printf(out, "file    %s, %zu bytes\n\n", package->path, package->size);
	table_init(&table, out, "SEGMENT|WHAT|>OFFSET|>BYTES|NAME");
	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];

		table_cell(&table, "0x%" PRIx32, segment->type);
		table_text(&table, segment_name(segment->type));
		table_number(&table, segment->offset);
		table_number(&table, segment->size);
		table_text(&table, segment->name);
	}
	table_fini(&table);
	output_printf(out, "\ndevices: %s", package->n_devices == 0 ? "any" : "");
	for (unsigned int i = 0; i < package->n_devices; i++) {
		const struct ddp_device *device = &package->devices[i];

		output_printf(out, "%s%04x:%04x (subsystem %04x:%04x)", i > 0 ? ", " : "",
			      device->vendor, device->device, device->sub_vendor,
			      device->sub_device);
	}
	output_printf(out, "; NVM versions: %s", package->n_nvm_versions == 0 ? "any" : "");
	for (unsigned int i = 0; i < package->n_nvm_versions; i++)
		output_printf(out, "%s0x%" PRIx32, i > 0 ? ", " : "", package->nvm_versions[i]);
	output_char(out, '\n');
}

static void section_print(const struct section *section, struct table *table) {
	const char *name = e810_section_name(section->id);

	if (section->id >= LABELS_FIRST)
		table_cell(table, "0x%" PRIx32, section->id);
	else
		table_number(table, section->id);
	table_text(table, name != NULL ? name : "not documented");
	table_number(table, section->n_parts);
	table_number(table, section->size);
	if (section->table->n_entries > 0)
		table_printf(table, "%u x %u", section->table->n_entries,
			     section->table->entry_size);
	table_next(table);
	if (section->n_live >= 0)
		table_printf(table, "%d", section->n_live);
	table_next(table);
}

/* Text output or JSON */

static void sections_show(const struct ddp_package *package, bool is_json,
			  struct json_writer *json) {
	unsigned int n;
	struct section *sections = sections_make(package, &n);
	struct table table;

	if (is_json)
		jsonw_key_open(json, "sections", '[');
	else
		table_init(&table, json->out, "ID|TABLE|>SECTIONS|>BYTES|>ENTRIES|>IN USE");
	for (unsigned int i = 0; i < n; i++) {
		if (is_json)
			section_json(json, package, &sections[i]);
		else
			section_print(&sections[i], &table);
	}
	if (is_json)
		jsonw_close(json, ']');
	else
		table_fini(&table);
	free(sections);
}

static void ptype_show(const struct e810_parser *parser, uint16_t ptype, struct strbuf *text,
		       struct json_writer *json, struct table *table) {
	const char *chain[E810_CHAIN_MAX];
	unsigned int n = e810_ptype_chain(parser, ptype, chain);

	format_ptype(text->to, e810_ptype_rte(ptype));
	if (table == NULL) {
		jsonw_write(json, "{id:%u name:%s rte_ptype:%s", ptype,
			    e810_ptype_name(parser, ptype), strbuf_take(text));
		jsonw_key_texts(json, "chain", chain, n);
		jsonw_close(json, '}');
		return;
	}
	table_number(table, ptype);
	table_text(table, e810_ptype_name(parser, ptype));
	for (unsigned int i = 0; i < n; i++)
		table_printf(table, "%s%s", i > 0 ? " " : "", chain[i]);
	table_next(table);
	table_text(table, strbuf_take(text));
}

// Show all packet types in ascending order with their headers: of the file's parser without tunnel
// ports, in single VLAN mode. Errors in its tables go to stderr. Returns the exit status.
static int ptypes_show(const struct ddp_package *package, bool is_json, struct json_writer *json) {
	const struct e810_config config = {0};
	struct e810_parser *parser;
	struct ddp_diag diag;
	struct table table;
	struct strbuf text;
	int status;

	ddp_diag_init(&diag);
	parser = e810_parser_create(package, &config, &diag);
	status = load_end(&diag, parser == NULL);
	if (is_json && parser == NULL)
		jsonw_key_text(json, "ptypes", NULL);
	if (parser == NULL)
		return status;
	strbuf_init(&text);
	if (is_json)
		jsonw_key_open(json, "ptypes", '[');
	else
		table_init(&table, json->out, ">PTYPE|NAME|HEADERS|IN AN MBUF");
	for (uint16_t ptype = 0; ptype < E810_N_PTYPES; ptype++)
		if (e810_ptype_used(parser, ptype))
			ptype_show(parser, ptype, &text, json, is_json ? NULL : &table);
	if (is_json)
		jsonw_close(json, ']');
	else
		table_fini(&table);
	strbuf_fini(&text);
	e810_parser_destroy(parser);
	return EXIT_GOOD;
}

static int e810_show(const struct ddp_package *package, bool ptypes, bool is_json,
		     struct json_writer *json) {
	const unsigned int n = package->e810->n_buffers;
	const unsigned int n_device = package->e810->first_metadata;

	if (is_json)
		jsonw_write(json, "buffers:%u device_buffers:%u", n, n_device);
	else
		output_printf(json->out,
			      "buffers: %u, of which the NIC gets %u; the rest are labels\n\n", n,
			      n_device);
	if (ptypes)
		return ptypes_show(package, is_json, json);
	sections_show(package, is_json, json);
	return EXIT_GOOD;
}

int package_info(const struct ddp_package *package, bool ptypes, bool is_json,
		 struct json_writer *json) {
	int status = EXIT_GOOD;

	if (is_json) {
		jsonw_open(json, '{');
		common_json(package, json);
	} else {
		common_print(package, json->out);
	}
	if (package->kind == DDP_PACKAGE_E810)
		status = e810_show(package, ptypes, is_json, json);
	else if (is_json)
		i40e_info_json(package, json);
	else
		i40e_info_print(package, json->out);
	if (is_json)
		jsonw_close(json, '}');
	return status;
}
