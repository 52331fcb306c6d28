/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info of a 700-series package: what it teaches the NIC, and what DPDK makes of that.
#include <inttypes.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "i40e_package.h"
#include "profile/profile_format.h"

#define INDENT 11 // of a paragraph

/* For machines */

static void profile_json(struct json_writer *json, const struct ddp_package *package,
			 struct strbuf *text) {
	const struct i40e_package *i40e = package->i40e;
	const char *reason;

	fprintf(text->to, DDP_VERSION_FMT, DDP_VERSION_NUMBERS(i40e->version));
	jsonw_write(json, "profile:{name:%s version:%s}", i40e->name, strbuf_take(text));
	jsonw_write(json, "usable:%d reason:%s notes:%s", i40e_verdict(package, 0, &reason) == 0,
		    reason, i40e->notes);
}

static void lists_json(struct json_writer *json, const struct i40e_package *i40e) {
	jsonw_key_open(json, "devices", '[');
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		jsonw_object(json, "vendor:%04x device:%04x sub_vendor:%04x sub_device:%04x",
			     i40e->devices[i].vendor, i40e->devices[i].device,
			     i40e->devices[i].sub_vendor, i40e->devices[i].sub_device);
	jsonw_write(json, "] nvm_versions:[");
	for (unsigned int i = 0; i < i40e->n_nvms; i++)
		jsonw_uint(json, i40e->nvms[i]);
	jsonw_write(json, "] protocols:[");
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		jsonw_object(json, "id:%u name:%s", i40e->protocols[i].id, i40e->protocols[i].name);
	jsonw_close(json, ']');
}

static void types_json(struct json_writer *json, const struct i40e_package *i40e,
		       struct strbuf *text, bool is_ptype) {
	const struct i40e_type *types = is_ptype ? i40e->ptypes : i40e->pctypes;
	unsigned int n = is_ptype ? i40e->n_ptypes : i40e->n_pctypes;

	jsonw_key_open(json, is_ptype ? "ptypes" : "pctypes", '[');
	for (unsigned int i = 0; i < n; i++) {
		char name[I40E_TYPE_NAME_SIZE];

		i40e_type_name(i40e, &types[i], name);
		jsonw_write(json, "{id:%u name:%s protocols:[", types[i].id, name);
		for (unsigned int j = 0; j < I40E_TYPE_PROTOCOLS; j++)
			if (types[i].protocols[j] != I40E_NO_PROTOCOL)
				jsonw_uint(json, types[i].protocols[j]);
		jsonw_close(json, ']');
		if (is_ptype) {
			uint32_t rte_ptype = i40e_rte_ptype(i40e, &types[i]);

			format_ptype(text->to, rte_ptype);
			jsonw_write(json, "rte_ptype:%08x rte_ptype_name:%s", rte_ptype,
				    strbuf_take(text));
		}
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

void i40e_info_json(const struct ddp_package *package, struct json_writer *json) {
	const struct i40e_package *i40e = package->i40e;
	struct strbuf text;

	strbuf_init(&text);
	profile_json(json, package, &text);
	lists_json(json, i40e);
	types_json(json, i40e, &text, false);
	types_json(json, i40e, &text, true);
	strbuf_fini(&text);
}

/* For people */

// A line, or a paragraph, of what was just written.
static void paragraph_print(struct output *out, const char *title, struct strbuf *text) {
	output_printf(out, "%-*s", INDENT, title);
	output_wrapped(out, strbuf_take(text), INDENT, INDENT);
}

static const char *any(unsigned int n) {
	return n == 0 ? "any" : "";
}

static void devices_print(const struct i40e_package *i40e, struct output *out,
			  struct strbuf *text) {
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

static void profile_print(const struct ddp_package *package, struct output *out,
			  struct strbuf *text) {
	const struct i40e_package *i40e = package->i40e;
	const char *reason;

	fprintf(text->to, "%s " DDP_VERSION_FMT "%s", i40e->name,
		DDP_VERSION_NUMBERS(i40e->version), i40e->is_x722 ? ", for X722" : "");
	paragraph_print(out, "profile", text);
	i40e_verdict(package, 0, &reason);
	fputs(reason, text->to);
	paragraph_print(out, "use", text);
	devices_print(i40e, out, text);
	fputs(i40e->n_protocols == 0 ? "none" : "", text->to);
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		fprintf(text->to, "%s%u %s", i > 0 ? ", " : "", i40e->protocols[i].id,
			i40e->protocols[i].name);
	paragraph_print(out, "protocols", text);
}

// As its author broke the lines, with or without carriage returns; indented, so that none looks
// like one of ours.
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

static void types_print(const struct i40e_package *i40e, struct output *out, struct strbuf *text,
			bool is_ptype) {
	const struct i40e_type *types = is_ptype ? i40e->ptypes : i40e->pctypes;
	unsigned int n = is_ptype ? i40e->n_ptypes : i40e->n_pctypes;
	struct table table;

	if (n == 0)
		return;
	output_char(out, '\n');
	table_init(&table, out, is_ptype ? ">PTYPE|PROTOCOLS|IN DPDK" : ">PCTYPE|PROTOCOLS");
	for (unsigned int i = 0; i < n; i++) {
		char name[I40E_TYPE_NAME_SIZE];

		i40e_type_name(i40e, &types[i], name);
		table_number(&table, types[i].id);
		table_text(&table, name);
		if (!is_ptype)
			continue;
		format_ptype(text->to, i40e_rte_ptype(i40e, &types[i]));
		table_text(&table, strbuf_take(text));
	}
	table_fini(&table);
}

void i40e_info_print(const struct ddp_package *package, struct output *out) {
	const struct i40e_package *i40e = package->i40e;
	struct strbuf text;

	strbuf_init(&text);
	output_char(out, '\n');
	profile_print(package, out, &text);
	notes_print(i40e, out);
	types_print(i40e, out, &text, false);
	types_print(i40e, out, &text, true);
	strbuf_fini(&text);
}
