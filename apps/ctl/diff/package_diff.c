/* SPDX-License-Identifier: BSD-3-Clause */
#include "package_diff.h"

#include <string.h>

#include "common/table.h"
#include "ctl/package/package_info.h"

#define SECTIONS_END 0x300 // ids of sections that are no labels are below

// Entries of a table that are not the same in both.
static unsigned int n_different(const struct e810_table *a, const struct e810_table *b) {
	unsigned int n = a->n_entries < b->n_entries ? a->n_entries : b->n_entries;
	unsigned int n_differ = a->n_entries + b->n_entries - 2 * n;

	for (unsigned int i = 0; i < n; i++)
		n_differ += memcmp(a->entries + a->entry_size * i, b->entries + b->entry_size * i,
				   a->entry_size) != 0;
	return n_differ;
}

// Entries of a table that do anything; those that are given if that is not known.
static unsigned int n_used(const struct ddp_package *package, uint32_t id) {
	int n_live = e810_table_live(package, id);

	return n_live >= 0 ? (unsigned int)n_live : e810_table(package, id)->n_given;
}

void package_identities_write(const struct ddp_personality loaded[2], struct json_writer *json,
			      struct output *out) {
	for (unsigned int i = 0; i < 2; i++) {
		const struct ddp_package *package = loaded[i].package;

		if (json == NULL) {
			output_escaped_printf(out,
					      "%c: %s: %s " DDP_VERSION_FMT
					      ", track id 0x%08x, %u packet types\n",
					      'A' + i, package->path, package->name,
					      DDP_VERSION_NUMBERS(package->version),
					      package->track_id, loaded[i].n_types);
			continue;
		}
		jsonw_key_open(json, i == 0 ? "a" : "b", '{');
		jsonw_key_text(json, "file", package->path);
		package_identity_json(json, package);
		jsonw_write(json, "ptypes:%u}", loaded[i].n_types);
	}
}

static void tables_show(const struct ddp_personality loaded[2], struct json_writer *json,
			struct output *out) {
	const struct ddp_package *a = loaded[0].package, *b = loaded[1].package;
	struct table table;

	if (json != NULL)
		jsonw_key_open(json, "tables", '[');
	else
		table_init(&table, out, "TABLE|>USED IN A|>USED IN B|>ENTRIES THAT DIFFER");
	for (uint32_t id = 0; id < SECTIONS_END; id++) {
		unsigned int n = n_different(e810_table(a, id), e810_table(b, id));
		const char *name = or_dash(e810_section_name(id));

		if (n > 0 && json != NULL) {
			jsonw_object(json, "name:%s a:%u b:%u differ:%u", name, n_used(a, id),
				     n_used(b, id), n);
		} else if (n > 0) {
			table_text(&table, name);
			table_number(&table, n_used(a, id));
			table_number(&table, n_used(b, id));
			table_number(&table, n);
		}
	}
	if (json != NULL)
		jsonw_close(json, ']');
	else
		table_fini(&table);
}

bool package_tables_diff(const struct ddp_personality loaded[2], struct json_writer *json,
			 struct output *out) {
	const struct ddp_package *a = loaded[0].package, *b = loaded[1].package;
	bool same = a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;

	if (json != NULL || !same)
		tables_show(loaded, json, out);
	return !same;
}
