/* SPDX-License-Identifier: BSD-3-Clause */
// The table, the JSON and the XML of Intel's ddptool, the latter two valid whatever names and files hold.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "common/json_writer.h"
#include "common/strbuf.h"
#include "ddptool.h"

#define NONE "-"
#define NOT_AVAILABLE "N/A"

/* Several profiles of a device are one to readers of the output, joined by '+' */

static void names_write(const struct ddptool_device *device, FILE *to) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(to, "%s%s", i == 0 ? "" : "+", device->profiles[i].name);
}

static void versions_write(const struct ddptool_device *device, FILE *to) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(to, "%s%s", i == 0 ? "" : "+", device->profiles[i].version);
}

static void track_ids_write(const struct ddptool_device *device, int digits, FILE *to) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(to, "%s%0*" PRIX32, i == 0 ? "" : "+", digits, device->profiles[i].track_id);
}

// As Intel's tool writes an address, "0000:AF:00.0".
static void address_write(const struct ddptool_device *device, FILE *to) {
	if (device->address[0] == '\0')
		fputs(NOT_AVAILABLE, to);
	for (const char *c = device->address; *c != '\0'; c++)
		fputc(toupper((unsigned char)*c), to);
}

static void id_write(const struct ddptool_device *device, int digits, FILE *to) {
	if (device->address[0] == '\0')
		fputs(NOT_AVAILABLE, to);
	else
		fprintf(to, "%0*X", digits, device->device);
}

/* Table */

static void cell(struct output *out, int width, const char *text) {
	int len = strlen(text);

	text_write(out, text);
	for (; len < width; len++)
		output_char(out, ' ');
	output_char(out, ' ');
}

static const char *remark_of(const struct ddptool_device *device) {
	switch (device->state) {
	case DDPTOOL_FAILED:
		return NONE;
	case DDPTOOL_OLD:
		return "Unsupported FW version";
	default:
		return "No profile loaded";
	}
}

static void profile_cells(const struct ddptool_device *device, struct text *text,
			  struct output *out) {
	const bool none = device->n_profiles == 0;

	track_ids_write(device, 1, text->to);
	cell(out, 8, none ? NONE : text_take(text));
	versions_write(device, text->to);
	cell(out, 12, none ? NONE : text_take(text));
}

static void device_row(unsigned int n, const struct ddptool_device *device, struct text *text,
		       struct output *out) {
	output_printf(out, "%03u) ", n);
	id_write(device, 4, text->to);
	cell(out, 5, text_take(text));
	address_write(device, text->to);
	cell(out, 12, text_take(text));
	cell(out, 15, device->name);
	profile_cells(device, text, out);
	names_write(device, text->to);
	text_write(out, device->n_profiles == 0 ? remark_of(device) : text_take(text));
	output_char(out, '\n');
}

void ddptool_table_write(const struct ddptool_inventory *inventory, struct output *out) {
	struct text text;

	if (inventory->n == 0)
		return;
	text_init(&text);
	output_text(out, "NIC  DevId D:B:S.F      DevName         TrackId  Version      Name\n"
			 "==== ===== ============ =============== ======== ============ "
			 "==============================\n");
	for (unsigned int i = 0; i < inventory->n; i++)
		device_row(i + 1, &inventory->devices[i], &text, out);
	text_fini(&text);
}

void ddptool_file_table_write(const char *file, const struct ddptool_device *device,
			      struct output *out) {
	struct text text;

	if (device == NULL)
		return;
	text_init(&text);
	output_text(out, "File Name                          TrackId  Version      Name\n"
			 "================================== ======== ============ "
			 "==============================\n");
	cell(out, 34, file);
	profile_cells(device, &text, out);
	names_write(device, text.to);
	text_write(out, text_take(&text));
	output_char(out, '\n');
	text_fini(&text);
}

/* JSON */

static void package_json(const struct ddptool_device *device, struct emit *emit, struct text *text) {
	if (device->n_profiles == 0)
		return;
	emit_key(emit, "DDPpackage");
	emit_open(emit, '{');
	track_ids_write(device, 1, text->to);
	emit_key_text(emit, "track_id", text_take(text));
	versions_write(device, text->to);
	emit_key_text(emit, "version", text_take(text));
	names_write(device, text->to);
	emit_key_text(emit, "name", text_take(text));
	emit_close(emit, '}');
}

static void device_json(const struct ddptool_device *device, struct emit *emit, struct text *text) {
	emit_open(emit, '{');
	id_write(device, 1, text->to);
	emit_key_text(emit, "device", text_take(text));
	address_write(device, text->to);
	emit_key_text(emit, "address", text_take(text));
	emit_key_text(emit, "name", device->name);
	emit_key_text(emit, "display", device->display);
	package_json(device, emit, text);
	emit_close(emit, '}');
}

static void error_json(enum ddptool_status status, struct emit *emit, struct text *text) {
	emit_open(emit, '{');
	fprintf(text->to, "%d", status);
	emit_key_text(emit, "error", text_take(text));
	emit_key_text(emit, "message", ddptool_message(status));
	emit_close(emit, '}');
}

static void json_open(struct emit *emit, struct output *out, struct text *text) {
	text_init(text);
	emit_init_lines(emit, out);
	emit_open(emit, '{');
	emit_key(emit, "DDPInventory");
}

static void json_close(struct emit *emit, struct text *text) {
	emit_close(emit, '}');
	emit_end(emit);
	text_fini(text);
}

// One device is an object, more are an array.
void ddptool_json_write(const struct ddptool_inventory *inventory, enum ddptool_status status,
			struct output *out) {
	struct emit emit;
	struct text text;

	json_open(&emit, out, &text);
	if (inventory->n == 0)
		error_json(status, &emit, &text);
	if (inventory->n > 1)
		emit_open(&emit, '[');
	for (unsigned int i = 0; i < inventory->n; i++)
		device_json(&inventory->devices[i], &emit, &text);
	if (inventory->n > 1)
		emit_close(&emit, ']');
	json_close(&emit, &text);
}

void ddptool_file_json_write(const char *file, const struct ddptool_device *device,
			     enum ddptool_status status, struct output *out) {
	struct emit emit;
	struct text text;

	json_open(&emit, out, &text);
	if (device == NULL) {
		error_json(status, &emit, &text);
	} else {
		emit_open(&emit, '{');
		emit_key_text(&emit, "file_name", file);
		package_json(device, &emit, &text);
		emit_close(&emit, '}');
	}
	json_close(&emit, &text);
}

/* XML */

// What can stand in XML at all, in whatever form.
static bool is_xml(uint32_t character) {
	return character >= ' ' && character != 0xfffe && character != 0xffff;
}

// What has a meaning in XML is written as an entity; what cannot stand in it as U+FFFD.
static void xml_char_write(struct output *out, const char *at, size_t len, uint32_t character) {
	static const char special[] = "&<>\"'";
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
	const char *found = strchr(special, *at);

	if (len == 0 || !is_xml(character))
		output_text(out, "\xef\xbf\xbd");
	else if (found != NULL)
		output_text(out, entities[found - special]);
	else if (!ddp_utf8_is_graphic(character))
		output_printf(out, "&#x%x;", character);
	else
		output_mem(out, at, len);
}

static void xml_attribute(struct output *out, const char *name, const char *value) {
	output_printf(out, " %s=\"", name);
	while (*value != '\0') {
		uint32_t character;
		size_t len = ddp_utf8_decode(value, &character);

		xml_char_write(out, value, len, character);
		value += len == 0 ? 1 : len;
	}
	output_char(out, '"');
}

static void package_xml(const struct ddptool_device *device, struct text *text, struct output *out) {
	if (device->n_profiles == 0)
		return;
	output_text(out, "\t\t<DDPpackage");
	track_ids_write(device, 8, text->to);
	xml_attribute(out, "track_id", text_take(text));
	versions_write(device, text->to);
	xml_attribute(out, "version", text_take(text));
	names_write(device, text->to);
	xml_attribute(out, "name", text_take(text));
	output_text(out, "></DDPpackage>\n");
}

static void device_xml(const struct ddptool_device *device, struct text *text, struct output *out) {
	output_text(out, "\t<Instance");
	id_write(device, 1, text->to);
	xml_attribute(out, "device", text_take(text));
	address_write(device, text->to);
	xml_attribute(out, "location", text_take(text));
	xml_attribute(out, "name", device->name);
	xml_attribute(out, "display", device->display);
	output_text(out, ">\n");
	package_xml(device, text, out);
	output_text(out, "\t</Instance>\n");
}

static void xml_open(struct output *out) {
	output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DDPInventory lang=\"en\">\n");
}

static void xml_close(struct output *out) {
	output_text(out, "</DDPInventory>\n");
}

static void error_xml(enum ddptool_status status, struct output *out) {
	output_printf(out, "\t<Status result=\"failed\" error=\"%d\">%s</Status>\n", status,
		      ddptool_message(status));
}

void ddptool_xml_write(const struct ddptool_inventory *inventory, enum ddptool_status status,
		       struct output *out) {
	struct text text;

	text_init(&text);
	xml_open(out);
	if (inventory->n == 0)
		error_xml(status, out);
	for (unsigned int i = 0; i < inventory->n; i++)
		device_xml(&inventory->devices[i], &text, out);
	xml_close(out);
	text_fini(&text);
}

void ddptool_file_xml_write(const char *file, const struct ddptool_device *device,
			    enum ddptool_status status, struct output *out) {
	struct text text;

	text_init(&text);
	xml_open(out);
	if (device == NULL) {
		error_xml(status, out);
	} else {
		output_text(out, "\t<Instance");
		xml_attribute(out, "file", file);
		output_text(out, ">\n");
		package_xml(device, &text, out);
		output_text(out, "\t</Instance>\n");
	}
	xml_close(out);
	text_fini(&text);
}
