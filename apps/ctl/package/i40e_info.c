/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info of a 700-series package: what it teaches the NIC.
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "i40e/i40e.h"
#include "package_info.h"

#define INDENT 11 // of a paragraph

/* For machines */

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

void i40e_info_json(const struct ddp_package *package, struct json_writer *json) {
	const struct i40e_package *i40e = package->i40e;
	const char *reason;
	int verdict = i40e_verdict(package, 0, &reason);
	char version[16];

	snprintf(version, sizeof(version), DDP_VERSION_FMT, DDP_VERSION_NUMBERS(i40e->version));
	jsonw_write(json, "profile:{name:%s version:%s}", i40e->name, version);
	jsonw_write(json, "usable:%d reason:%s notes:%s", verdict == 0, reason, i40e->notes);
	jsonw_key_open(json, "protocols", '[');
	for (unsigned int i = 0; i < i40e->n_protocols; i++)
		jsonw_object(json, "id:%u name:%s", i40e->protocols[i].id, i40e->protocols[i].name);
	jsonw_close(json, ']');
	types_json(json, i40e, "pctypes", &i40e->pctypes);
	types_json(json, i40e, "ptypes", &i40e->ptypes);
}

/* For people */

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

void i40e_info_print(const struct ddp_package *package, struct output *out) {
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
	output_wrapped(out, strbuf_take(&text), INDENT, INDENT);
	strbuf_fini(&text);
	notes_print(i40e, out);
	types_print(i40e, out, ">PCTYPE|PROTOCOLS", &i40e->pctypes);
	types_print(i40e, out, ">PTYPE|PROTOCOLS", &i40e->ptypes);
}
