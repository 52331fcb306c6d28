/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info of a package: segments, devices, and what each section id adds up to.
#include <inttypes.h>
#include <stdlib.h>

#include "common/output.h"
#include "common/table.h"
#include "package_info.h"

#define LABELS_FIRST 0x80000000 // ids of metadata sections

struct shown {
	const struct ddp_package *package;
	struct json_writer *json;
	bool ptypes; // in place of sections
	int status;
};

// All sections of one id.
struct section {
	uint32_t id;
	unsigned int n_parts;
	uint32_t size; // of all of them
	const struct e810_table *table;
	int n_live;
};

static int section_compare(const void *a, const void *b) {
	const struct section *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static struct section *section_find(struct section *sections, unsigned int n, uint32_t id) {
	for (unsigned int i = 0; i < n; i++)
		if (sections[i].id == id)
			return &sections[i];
	return NULL;
}

// The package's section ids in ascending order, to be freed.
static struct section *sections_make(const struct ddp_package *package, unsigned int *n) {
	unsigned int n_parts;
	const struct e810_part *parts = e810_parts(package, &n_parts);
	struct section *sections = calloc_or_exit(n_parts + 1, sizeof(*sections));

	*n = 0;
	for (unsigned int i = 0; i < n_parts; i++) {
		struct section *section = section_find(sections, *n, parts[i].id);

		if (section == NULL) {
			section = &sections[(*n)++];
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

static const char *segment_words(uint32_t type) {
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

/* For machines */

void package_identity_json(struct json_writer *json, const struct ddp_package *package) {
	char text[16];

	snprintf(text, sizeof(text), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(package->version));
	jsonw_write(json, "kind:%s name:%s version:%s track_id:%08x",
		    package->kind == DDP_PACKAGE_E810 ? "e810" : "i40e", package->name, text,
		    package->track_id);
}

static void segments_json(struct json_writer *json, const struct ddp_package *package) {
	jsonw_key_open(json, "segments", '[');
	for (unsigned int i = 0; i < package->n_segments; i++) {
		const struct ddp_segment *segment = &package->segments[i];

		jsonw_object(json, "type:%01x what:%s name:%s offset:%u size:%u", segment->type,
			     segment_words(segment->type), segment->name, segment->offset,
			     segment->size);
	}
	jsonw_close(json, ']');
}

static void devices_json(struct json_writer *json, const struct ddp_package *package) {
	jsonw_key_open(json, "devices", '[');
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

static void parts_json(struct json_writer *json, const struct ddp_package *package, uint32_t id) {
	unsigned int n;
	const struct e810_part *parts = e810_parts(package, &n);

	jsonw_key_open(json, "parts", '[');
	for (unsigned int i = 0; i < n; i++)
		if (parts[i].id == id)
			jsonw_object(json, "buffer:%u offset:%u size:%u", parts[i].buffer,
				     parts[i].offset, parts[i].size);
	jsonw_close(json, ']');
}

static void section_json(struct json_writer *json, const struct ddp_package *package,
			 const struct section *section) {
	bool known = section->table->n_entries > 0;

	jsonw_write(json, "{id:%01x name:%s size:%u", section->id, e810_section_name(section->id),
		    section->size);
	jsonw_key_uint_or_null(json, "entry_size", known, section->table->entry_size);
	jsonw_key_uint_or_null(json, "entries", known, section->table->n_entries);
	jsonw_key_uint_or_null(json, "live", section->n_live >= 0, section->n_live);
	parts_json(json, package, section->id);
	jsonw_close(json, '}');
}

static void sections_json(struct json_writer *json, const struct ddp_package *package) {
	unsigned int n;
	struct section *sections = sections_make(package, &n);

	jsonw_key_open(json, "sections", '[');
	for (unsigned int i = 0; i < n; i++)
		section_json(json, package, &sections[i]);
	jsonw_close(json, ']');
	free(sections);
}

static void e810_json(struct shown *shown) {
	const struct ddp_package *package = shown->package;
	struct json_writer *json = shown->json;

	jsonw_write(json, "buffers:%u device_buffers:%u", e810_n_buffers(package),
		    e810_first_metadata_buffer(package));
	if (shown->ptypes)
		shown->status = package_ptypes_show(package, true, json);
	else
		sections_json(json, package);
}

static void shown_json(struct shown *shown) {
	struct json_writer *json = shown->json;

	jsonw_write(json, "{file:%s", shown->package->path);
	package_identity_json(json, shown->package);
	jsonw_key_uint(json, "size", shown->package->size);
	segments_json(json, shown->package);
	devices_json(json, shown->package);
	if (shown->package->kind == DDP_PACKAGE_E810)
		e810_json(shown);
	else
		i40e_info_json(shown->package, json);
	jsonw_close(json, '}');
}

/* For people */

static void identity_print(const struct shown *shown) {
	const struct ddp_package *package = shown->package;
	struct output *out = shown->json->out;

	output_escaped_printf(
		out, "package %s " DDP_VERSION_FMT ", track id 0x%08x, for the %s series\n",
		package->name, DDP_VERSION_NUMBERS(package->version), package->track_id,
		package->kind == DDP_PACKAGE_E810 ? "800" : "700");
	output_escaped_printf(out, "file    %s, %zu bytes\n\n", shown->package->path,
			      package->size);
}

static void segments_print(const struct shown *shown) {
	struct table table;

	table_init(&table, shown->json->out, "SEGMENT|WHAT|>OFFSET|>BYTES|NAME");
	for (unsigned int i = 0; i < shown->package->n_segments; i++) {
		const struct ddp_segment *segment = &shown->package->segments[i];

		table_cell(&table, "0x%" PRIx32, segment->type);
		table_text(&table, segment_words(segment->type));
		table_number(&table, segment->offset);
		table_number(&table, segment->size);
		table_text(&table, segment->name);
	}
	table_fini(&table);
}

static void devices_print(const struct shown *shown) {
	const struct ddp_package *package = shown->package;
	struct output *out = shown->json->out;

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

static void buffers_print(const struct shown *shown) {
	output_printf(shown->json->out,
		      "buffers: %u, of which the NIC gets %u; the rest are labels\n\n",
		      e810_n_buffers(shown->package), e810_first_metadata_buffer(shown->package));
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

static void sections_print(const struct shown *shown) {
	unsigned int n;
	struct section *sections = sections_make(shown->package, &n);
	struct table table;

	table_init(&table, shown->json->out, "ID|TABLE|>SECTIONS|>BYTES|>ENTRIES|>IN USE");
	for (unsigned int i = 0; i < n; i++)
		section_print(&sections[i], &table);
	table_fini(&table);
	free(sections);
}

static void shown_print(struct shown *shown) {
	identity_print(shown);
	segments_print(shown);
	devices_print(shown);
	if (shown->package->kind != DDP_PACKAGE_E810) {
		i40e_info_print(shown->package, shown->json->out);
		return;
	}
	buffers_print(shown);
	if (shown->ptypes)
		shown->status = package_ptypes_show(shown->package, false, shown->json);
	else
		sections_print(shown);
}

int package_info(const struct ddp_package *package, bool ptypes, bool is_json,
		 struct json_writer *json) {
	struct shown shown = {.package = package, .json = json, .ptypes = ptypes};

	if (is_json)
		shown_json(&shown);
	else
		shown_print(&shown);
	return shown.status;
}
