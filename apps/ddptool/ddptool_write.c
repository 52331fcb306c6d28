/* SPDX-License-Identifier: BSD-3-Clause */
// The table, the JSON and the XML of Intel's ddptool, the latter two valid whatever names and files
// hold.
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

static const char *names_text(const struct ddptool_device *device, struct strbuf *text) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(text->to, "%s%s", i == 0 ? "" : "+", device->profiles[i].name);
	return strbuf_take(text);
}

static const char *versions_text(const struct ddptool_device *device, struct strbuf *text) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(text->to, "%s%s", i == 0 ? "" : "+", device->profiles[i].version);
	return strbuf_take(text);
}

static const char *track_ids_text(const struct ddptool_device *device, int digits,
				  struct strbuf *text) {
	for (unsigned int i = 0; i < device->n_profiles; i++)
		fprintf(text->to, "%s%0*" PRIX32, i == 0 ? "" : "+", digits,
			device->profiles[i].track_id);
	return strbuf_take(text);
}

// As Intel's tool writes an address, "0000:AF:00.0".
static const char *address_text(const struct ddptool_device *device, struct strbuf *text) {
	if (device->address[0] == '\0')
		return NOT_AVAILABLE;
	for (const char *c = device->address; *c != '\0'; c++)
		fputc(toupper((unsigned char)*c), text->to);
	return strbuf_take(text);
}

static const char *id_text(const struct ddptool_device *device, int digits, struct strbuf *text) {
	if (device->address[0] == '\0')
		return NOT_AVAILABLE;
	fprintf(text->to, "%0*X", digits, device->device);
	return strbuf_take(text);
}

/* Table */

static void cell(struct output *out, int width, const char *text) {
	int len = strlen(text);

	output_escaped(out, text);
	output_blanks(out, len < width ? width - len + 1 : 1);
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

static void device_cells(unsigned int n, const struct ddptool_device *device, struct strbuf *text,
			 struct output *out) {
	output_printf(out, "%03u) ", n);
	cell(out, 5, id_text(device, 4, text));
	cell(out, 12, address_text(device, text));
	cell(out, 15, device->name);
}

static void profile_cells(const struct ddptool_device *device, struct strbuf *text,
			  struct output *out) {
	const bool none = device->n_profiles == 0;

	cell(out, 8, none ? NONE : track_ids_text(device, 1, text));
	cell(out, 12, none ? NONE : versions_text(device, text));
	output_escaped(out, none ? remark_of(device) : names_text(device, text));
	output_char(out, '\n');
}

void ddptool_table_write(const struct ddptool_told *told, struct output *out) {
	struct strbuf text;

	if (told->inventory->n == 0)
		return;
	strbuf_init(&text);
	output_text(out, told->file != NULL ? "File Name                          " :
					      "NIC  DevId D:B:S.F      DevName         ");
	output_text(out, "TrackId  Version      Name\n");
	output_text(out, told->file != NULL ? "================================== " :
					      "==== ===== ============ =============== ");
	output_text(out, "======== ============ ==============================\n");
	for (unsigned int i = 0; i < told->inventory->n; i++) {
		if (told->file != NULL)
			cell(out, 34, told->file);
		else
			device_cells(i + 1, &told->inventory->devices[i], &text, out);
		profile_cells(&told->inventory->devices[i], &text, out);
	}
	strbuf_fini(&text);
}

/* JSON */

static void package_json(const struct ddptool_device *device, struct json_writer *json,
			 struct strbuf *text) {
	if (device->n_profiles == 0)
		return;
	jsonw_key_open(json, "DDPpackage", '{');
	jsonw_key_text(json, "track_id", track_ids_text(device, 1, text));
	jsonw_key_text(json, "version", versions_text(device, text));
	jsonw_key_text(json, "name", names_text(device, text));
	jsonw_close(json, '}');
}

static void device_json(const struct ddptool_device *device, struct json_writer *json,
			struct strbuf *text) {
	jsonw_key_text(json, "device", id_text(device, 1, text));
	jsonw_key_text(json, "address", address_text(device, text));
	jsonw_key_text(json, "name", device->name);
	jsonw_key_text(json, "display", device->display);
}

// One device is an object, more are an array.
void ddptool_json_write(const struct ddptool_told *told, struct output *out) {
	const struct ddptool_inventory *inventory = told->inventory;
	struct json_writer json;
	struct strbuf text;

	strbuf_init(&text);
	jsonw_init_lines(&json, out);
	jsonw_write(&json, "{DDPInventory:");
	if (inventory->n == 0) {
		fprintf(text.to, "%d", told->status);
		jsonw_object(&json, "error:%s message:%s", strbuf_take(&text),
			     ddptool_message(told->status));
	}
	if (inventory->n > 1)
		jsonw_open(&json, '[');
	for (unsigned int i = 0; i < inventory->n; i++) {
		jsonw_open(&json, '{');
		if (told->file != NULL)
			jsonw_key_text(&json, "file_name", told->file);
		else
			device_json(&inventory->devices[i], &json, &text);
		package_json(&inventory->devices[i], &json, &text);
		jsonw_close(&json, '}');
	}
	if (inventory->n > 1)
		jsonw_close(&json, ']');
	jsonw_write(&json, "}\n");
	strbuf_fini(&text);
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

static void package_xml(const struct ddptool_device *device, struct strbuf *text,
			struct output *out) {
	if (device->n_profiles == 0)
		return;
	output_text(out, "\t\t<DDPpackage");
	xml_attribute(out, "track_id", track_ids_text(device, 8, text));
	xml_attribute(out, "version", versions_text(device, text));
	xml_attribute(out, "name", names_text(device, text));
	output_text(out, "></DDPpackage>\n");
}

static void device_xml(const struct ddptool_device *device, struct strbuf *text,
		       struct output *out) {
	xml_attribute(out, "device", id_text(device, 1, text));
	xml_attribute(out, "location", address_text(device, text));
	xml_attribute(out, "name", device->name);
	xml_attribute(out, "display", device->display);
}

void ddptool_xml_write(const struct ddptool_told *told, struct output *out) {
	struct strbuf text;

	strbuf_init(&text);
	output_text(out,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<DDPInventory lang=\"en\">\n");
	if (told->inventory->n == 0)
		output_printf(out, "\t<Status result=\"failed\" error=\"%d\">%s</Status>\n",
			      told->status, ddptool_message(told->status));
	for (unsigned int i = 0; i < told->inventory->n; i++) {
		output_text(out, "\t<Instance");
		if (told->file != NULL)
			xml_attribute(out, "file", told->file);
		else
			device_xml(&told->inventory->devices[i], &text, out);
		output_text(out, ">\n");
		package_xml(&told->inventory->devices[i], &text, out);
		output_text(out, "\t</Instance>\n");
	}
	output_text(out, "</DDPInventory>\n");
	strbuf_fini(&text);
}
