/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl info FILE...: content and worst-case parse cost of a profile (packages: package_info.c).
// ddpctl list: the profiles that are found by name.
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/profile/profile_load.h"
#include "profile/profile_format.h"

#define INDENT 13 // columns, of the text of a packet type

struct info {
	const struct ddp_profile *profile;
	const struct ddp_program *program;
	struct ddp_bound bound;
	struct strbuf text;            // being written
	const struct ddp_table *table; // last table in text
	struct output *out;
	struct json_writer json;
};

/* JSON */

static void key_text(struct info *info, const char *key) {
	jsonw_key_text(&info->json, key, strbuf_take(&info->text));
}

static void key_cond(struct info *info, const struct ddp_cond *cond) {
	format_cond(info->profile, info->text.to, cond);
	if (!format_is_always(cond))
		key_text(info, "when");
}

static void key_place(struct info *info, const struct ddp_place *place) {
	fprintf(info->text.to, "%s:%u:%u", place->file, place->line, place->col);
	key_text(info, "place");
}

static void parts_json(struct info *info) {
	for (unsigned int i = 0; i < info->profile->n_parts; i++) {
		const struct ddp_profile_part *part = &info->profile->parts[i];

		jsonw_object(&info->json, "name:%s version:%s summary:%s file:%s", part->name,
			     part->version, part->summary, part->file);
	}
}

static void params_json(struct info *info, const struct ddp_profile_part *part) {
	for (unsigned int i = 0; i < part->n_params; i++) {
		const struct ddp_profile_param *param = &part->params[i];

		jsonw_write(&info->json, "{profile:%s name:%s summary:%s default:%s", part->name,
			    param->name, param->summary, param->default_value);
		jsonw_key_open(&info->json, "values", '[');
		for (unsigned int j = 0; j < param->n_values; j++)
			jsonw_text(&info->json, param->values[j].s);
		jsonw_close(&info->json, ']');
		jsonw_close(&info->json, '}');
	}
}

// Callbacks for rules and table entries that lead to a header.
typedef void (*origin_fn)(struct info *info, const struct ddp_header *from,
			  const struct ddp_rule *rule);
typedef void (*entry_fn)(struct info *info, const struct ddp_table *table,
			 const struct ddp_table_entry *entry);

static void origins_each(struct info *info, unsigned int target, origin_fn rule_fn, entry_fn fn) {
	const struct ddp_profile *profile = info->profile;

	for (unsigned int i = 0; i < profile->n_headers; i++)
		for (unsigned int j = 0; j < profile->headers[i].n_rules; j++)
			if (profile->headers[i].rules[j].kind == DDP_RULE_GOTO &&
			    profile->headers[i].rules[j].target == target)
				rule_fn(info, &profile->headers[i], &profile->headers[i].rules[j]);
	for (unsigned int i = 0; i < profile->n_tables; i++)
		for (unsigned int j = 0; j < profile->tables[i].n_entries; j++)
			if (profile->tables[i].entries[j].target == target)
				fn(info, &profile->tables[i], &profile->tables[i].entries[j]);
}

static void origin_json(struct info *info, const struct ddp_header *from,
			const struct ddp_rule *rule) {
	jsonw_write(&info->json, "{header:%s", from->name);
	key_cond(info, &rule->cond);
	key_place(info, &rule->place);
	jsonw_close(&info->json, '}');
}

static void entry_json(struct info *info, const struct ddp_table *table,
		       const struct ddp_table_entry *entry) {
	jsonw_write(&info->json, "{table:%s value:%ju", table->name, entry->value);
	key_place(info, &entry->place);
	jsonw_close(&info->json, '}');
}

static void header_json(struct info *info, unsigned int index) {
	const struct ddp_header *header = &info->profile->headers[index];
	struct json_writer *json = &info->json;

	assert(index < info->profile->n_headers);
	jsonw_write(json, "{name:%s summary:%s profile:%s", header->name, header->summary,
		    header->profile);
	key_place(info, &header->place);
	jsonw_write(json, "hidden:%d first:%d min_size:%u max_size:%u", header->hidden,
		    header->is_first, header->min_size, header->max_size);
	header_fields_json(header, &info->json);
	jsonw_key_open(json, "after", '[');
	origins_each(info, index, origin_json, entry_json);
	jsonw_write(json, "]}");
}

static void table_json(struct info *info, const struct ddp_table *table) {
	struct json_writer *json = &info->json;

	jsonw_write(json, "{name:%s summary:%s entries:[", table->name, table->summary);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		const struct ddp_table_entry *entry = &table->entries[i];

		jsonw_object(json, "value:%ju header:%s profile:%s", entry->value,
			     info->profile->headers[entry->target].name, entry->profile);
	}
	jsonw_write(json, "]}");
}

static void refs_json(struct json_writer *json, const char *key, const struct ddp_ref *refs,
		      unsigned int n) {
	jsonw_key_open(json, key, '[');
	for (unsigned int i = 0; i < n; i++)
		jsonw_text(json, refs[i].name);
	jsonw_close(json, ']');
}

static void sets_json(struct info *info, const struct ddp_input_set *sets, unsigned int n) {
	struct json_writer *json = &info->json;

	jsonw_key_open(json, "rss", '[');
	for (unsigned int i = 0; i < n; i++) {
		jsonw_open(json, '{');
		key_cond(info, &sets[i].cond);
		format_rss_hf(info->text.to, sets[i].rss_hf);
		if (sets[i].rss_hf != 0)
			key_text(info, "rss_hf");
		refs_json(json, "hash", sets[i].inputs, sets[i].n_inputs);
		jsonw_key_uint(json, "bytes", sets[i].size);
		jsonw_close(json, '}');
	}
	jsonw_close(json, ']');
}

static void type_json(struct info *info, unsigned int index) {
	const struct ddp_packet_type *type = &info->profile->types[index];
	struct json_writer *json = &info->json;

	assert(index < info->profile->n_types);
	jsonw_write(json, "{name:%s id:%u summary:%s profile:%s", type->name,
		    ddp_program_type(info->program, index)->id, type->summary, type->profile);
	key_place(info, &type->place);
	format_path(info->profile, info->text.to, type->path);
	key_text(info, "path");
	key_cond(info, &type->cond);
	jsonw_write(json, "priority:%g", (double)type->priority);
	format_ptype(info->text.to, ddp_program_type(info->program, index)->rte_ptype);
	key_text(info, "ptype");
	sets_json(info, type->sets, type->n_sets);
	refs_json(json, "extract", type->extract, type->n_extract);
	jsonw_close(json, '}');
}

static void named_json(struct info *info, const struct ddp_profile_part *part,
		       const struct ddp_named_set *named) {
	struct json_writer *json = &info->json;

	jsonw_write(json, "{profile:%s name:%s summary:%s chosen:%d packet_types:[", part->name,
		    named->name, named->summary, named->chosen);
	for (unsigned int i = 0; i < named->n_entries; i++) {
		jsonw_write(json, "{name:%s", named->entries[i].types);
		sets_json(info, named->entries[i].sets, named->entries[i].n_sets);
		jsonw_close(json, '}');
	}
	jsonw_write(json, "]}");
}

static void named_each(struct info *info,
		       void (*fn)(struct info *info, const struct ddp_profile_part *part,
				  const struct ddp_named_set *named)) {
	for (unsigned int i = 0; i < info->profile->n_parts; i++) {
		const struct ddp_profile_part *part = &info->profile->parts[i];

		for (unsigned int j = 0; j < part->n_input_sets; j++)
			fn(info, part, &part->input_sets[j]);
	}
}

static void info_json(struct info *info) {
	const struct ddp_profile *profile = info->profile;
	const struct ddp_bound *bound = &info->bound;
	struct json_writer *json = &info->json;

	jsonw_write(json, "{file:%s profiles:[", profile->spec);
	parts_json(info);
	jsonw_write(json, "] parameters:[");
	for (unsigned int i = 0; i < profile->n_parts; i++)
		params_json(info, &profile->parts[i]);
	jsonw_write(json, "] headers:[");
	for (unsigned int i = 0; i < profile->n_headers; i++)
		header_json(info, i);
	jsonw_write(json, "] tables:[");
	for (unsigned int i = 0; i < profile->n_tables; i++)
		table_json(info, &profile->tables[i]);
	jsonw_write(json, "] by_rss_hf:%d packet_types:[", profile->by_rss_hf);
	for (unsigned int i = 0; i < profile->n_types; i++)
		type_json(info, i);
	jsonw_write(json, "] input_sets:[");
	named_each(info, named_json);
	jsonw_write(json, "] bound:{headers:%u steps:%u bytes:%u end:%u by_graph:%d}}",
		    bound->n_headers, bound->n_steps, bound->n_bytes, bound->end, bound->by_graph);
}

/* Text output */

static void part_row(struct table *table, const char *name, const char *version,
		     const char *summary, const char *file) {
	table_text(table, name);
	table_text(table, or_dash(version));
	table_text(table, or_dash(summary));
	table_text(table, file);
}

static void parts_print(struct info *info) {
	struct table table;

	table_init(&table, info->out, "PROFILE|VERSION|SUMMARY|FILE");
	for (unsigned int i = 0; i < info->profile->n_parts; i++) {
		const struct ddp_profile_part *part = &info->profile->parts[i];

		part_row(&table, part->name, part->version, part->summary, part->file);
	}
	table_fini(&table);
}

static void params_print(const struct ddp_profile_part *part, struct table *table) {
	for (unsigned int i = 0; i < part->n_params; i++) {
		const struct ddp_profile_param *param = &part->params[i];

		table_cell(table, "%s.%s", part->name, param->name);
		for (unsigned int j = 0; j < param->n_values; j++)
			table_printf(table, "%s%s", j > 0 ? " or " : "", param->values[j].s);
		table_next(table);
		table_text(table, param->default_value);
		table_text(table, or_dash(param->summary));
	}
}

static void parameters_print(struct info *info) {
	const struct ddp_profile *profile = info->profile;
	unsigned int n = 0;
	struct table table;

	for (unsigned int i = 0; i < profile->n_parts; i++)
		n += profile->parts[i].n_params;
	if (n == 0)
		return;
	output_char(info->out, '\n');
	table_init(&table, info->out, "PARAMETER|VALUE|DEFAULT|SUMMARY");
	for (unsigned int i = 0; i < profile->n_parts; i++)
		params_print(&profile->parts[i], &table);
	table_fini(&table);
}

static void separate(struct info *info) {
	if (ftell(info->text.to) > 0)
		fputs(", ", info->text.to);
}

static void origin_print(struct info *info, const struct ddp_header *from,
			 const struct ddp_rule *rule) {
	separate(info);
	fputs(from->name, info->text.to);
	if (format_is_always(&rule->cond))
		return;
	fputs(" (", info->text.to);
	format_cond(info->profile, info->text.to, &rule->cond);
	fputs(")", info->text.to);
}

// Entries of a table come together, after all rules.
static void entry_print(struct info *info, const struct ddp_table *table,
			const struct ddp_table_entry *entry) {
	separate(info);
	if (info->table != table)
		fprintf(info->text.to, "%s ", table->name);
	format_key(table, info->text.to, entry->value);
	info->table = table;
}

static void header_print(struct info *info, unsigned int index, struct table *table) {
	const struct ddp_header *header = &info->profile->headers[index];

	assert(index < info->profile->n_headers);
	table_cell(table, "%s%s", header->name, header->hidden ? " *" : "");
	table_text(table, header->profile);
	table_printf(table, "%u", header->min_size);
	if (header->max_size != header->min_size)
		table_printf(table, "-%u", header->max_size);
	table_next(table);
	if (header->is_first)
		fputs("(first)", info->text.to);
	info->table = NULL;
	origins_each(info, index, origin_print, entry_print);
	table_text(table, strbuf_take(&info->text));
}

static void headers_print(struct info *info) {
	bool any_hidden = false;
	struct table table;

	output_char(info->out, '\n');
	table_init(&table, info->out, "HEADER|PROFILE|BYTES|COMES AFTER");
	for (unsigned int i = 0; i < info->profile->n_headers; i++) {
		any_hidden |= info->profile->headers[i].hidden;
		header_print(info, i, &table);
	}
	table_fini(&table);
	if (any_hidden)
		output_text(info->out, "* hidden: takes no place in a path\n");
}

static void tables_print(struct info *info) {
	for (unsigned int i = 0; i < info->profile->n_tables; i++) {
		const struct ddp_table *table = &info->profile->tables[i];

		fprintf(info->text.to, "table %s: ", table->name);
		for (unsigned int j = 0; j < table->n_entries; j++) {
			fputs(j > 0 ? ", " : "", info->text.to);
			format_key(table, info->text.to, table->entries[j].value);
			fprintf(info->text.to, " %s",
				info->profile->headers[table->entries[j].target].name);
		}
		fprintf(info->text.to, "%s", table->n_entries == 0 ? "(empty)" : "");
		output_char(info->out, '\n');
		output_wrapped(info->out, strbuf_take(&info->text), 0, 2);
	}
}

// Print "  title    text" unless the text is empty.
static void line_print(struct info *info, const char *title) {
	const char *text = strbuf_take(&info->text);

	if (*text == '\0')
		return;
	output_printf(info->out, "  %-*s", INDENT - 2, title);
	output_wrapped(info->out, text, INDENT, INDENT + 2);
}

static void sets_print(struct info *info, const struct ddp_input_set *sets, unsigned int n) {
	FILE *to = info->text.to;

	for (unsigned int i = 0; i < n; i++) {
		format_refs(to, sets[i].inputs, sets[i].n_inputs);
		fprintf(to, " (%u bytes)", sets[i].size);
		if (!format_is_always(&sets[i].cond)) {
			fputs(" when ", to);
			format_cond(info->profile, to, &sets[i].cond);
		}
		if (sets[i].rss_hf != 0 && info->profile->by_rss_hf) {
			fputs(" for rss_hf ", to);
			format_rss_hf(to, sets[i].rss_hf);
		}
		line_print(info, i == 0 ? "hash" : "else hash");
	}
}

static void type_print(struct info *info, unsigned int index) {
	const struct ddp_packet_type *type = &info->profile->types[index];
	const struct ddp_type_info *t = ddp_program_type(info->program, index);
	FILE *to = info->text.to;

	output_char(info->out, '\n');
	fprintf(to, "packet type %u, %s (%s)", t->id, type->name, type->profile);
	if (type->summary != NULL)
		fprintf(to, ": %s", type->summary);
	output_escaped_printf(info->out, "%s\n", strbuf_take(&info->text));
	format_path(info->profile, to, type->path);
	line_print(info, "path");
	format_cond(info->profile, to, &type->cond);
	line_print(info, "when");
	if (type->priority != 0)
		fprintf(to, "%d", type->priority);
	line_print(info, "priority");
	format_ptype(to, t->rte_ptype);
	line_print(info, "ptype");
	if (type->n_sets == 0)
		fputs("nothing: queue 0", to);
	line_print(info, "hash");
	sets_print(info, type->sets, type->n_sets);
	format_refs(to, type->extract, type->n_extract);
	line_print(info, "extract");
}

static void named_print(struct info *info, const struct ddp_profile_part *part,
			const struct ddp_named_set *named) {
	output_char(info->out, '\n');
	fprintf(info->text.to, "input set %s:%s%s", part->name, named->name,
		named->chosen ? " (chosen)" : "");
	if (named->summary != NULL)
		fprintf(info->text.to, ": %s", named->summary);
	output_escaped_printf(info->out, "%s\n", strbuf_take(&info->text));
	for (unsigned int i = 0; i < named->n_entries; i++) {
		output_escaped_printf(info->out, "  %s\n", named->entries[i].types);
		sets_print(info, named->entries[i].sets, named->entries[i].n_sets);
	}
}

static void bound_print(struct info *info) {
	const struct ddp_bound *bound = &info->bound;

	fprintf(info->text.to,
		"bound: whatever the packet, a walk looks at no more than %u headers (%u with hidden "
		"ones) and %" PRIu32 " bytes of them, all in the packet's first %" PRIu32 "; ",
		bound->n_headers, bound->n_steps, bound->n_bytes, bound->end);
	fputs(bound->by_graph ?
		      "no way through the graph is longer" :
		      "the graph leads back to headers, so it is the walk's limits that end "
		      "it",
	      info->text.to);
	output_char(info->out, '\n');
	output_wrapped(info->out, strbuf_take(&info->text), 0, 2);
}

static void info_print(struct info *info) {
	parts_print(info);
	parameters_print(info);
	headers_print(info);
	tables_print(info);
	for (unsigned int i = 0; i < info->profile->n_types; i++)
		type_print(info, i);
	named_each(info, named_print);
	bound_print(info);
}

static int file_show(struct info *info, const char *file, const struct info_options *options) {
	const bool is_json = options->common.format == FORMAT_JSON;
	struct ddp_personality loaded;
	struct ddp_diag diag;
	int status;

	ddp_diag_init(&diag);
	status = load_end(&diag, load_file(&loaded, file, &diag) < 0);
	if (status != EXIT_GOOD)
		return status;
	info->profile = loaded.profile;
	info->program = loaded.program;
	if (loaded.package != NULL) {
		status = package_info(loaded.package, options->ptypes, is_json, &info->json);
	} else if (ddp_profile_bound(loaded.profile, DDP_MAX_HEADERS, DDP_MAX_STEPS, UINT16_MAX,
				     NULL, &info->bound) < 0) {
		error_print("%s: %s", file, strerror(errno));
		status = EXIT_UNREADABLE;
	} else if (is_json) {
		info_json(info);
	} else {
		info_print(info);
	}
	ddp_personality_unload(&loaded);
	return status;
}

int cmd_info(const void *arg, struct output *out) {
	const struct info_options *options = arg;
	const bool is_json = options->common.format == FORMAT_JSON;
	static struct info info;
	int worst = EXIT_GOOD;

	info = (struct info){.out = out};
	jsonw_init(&info.json, out);
	strbuf_init(&info.text);
	if (is_json)
		jsonw_open(&info.json, '[');
	for (unsigned int i = 0; i < options->common.n_files; i++) {
		int status;

		if (i > 0 && !is_json)
			output_char(out, '\n');
		status = file_show(&info, options->common.files[i], options);
		if (status > worst)
			worst = status;
	}
	if (is_json)
		jsonw_write(&info.json, "]\n");
	strbuf_fini(&info.text);
	return worst;
}

/* list */

// A file with errors is shown, too, because its name finds it.
int cmd_list(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	const bool is_json = options->format == FORMAT_JSON;
	struct ddp_library library;
	struct json_writer json;
	struct table table;
	int status = library_scan(&library);

	jsonw_init(&json, out);
	if (is_json)
		jsonw_open(&json, '[');
	else
		table_init(&table, out, "NAME|VERSION|SUMMARY|FILE");
	for (unsigned int i = 0; i < library.n; i++) {
		const struct ddp_found *found = &library.profiles[i];
		struct ddp_profile_summary summary;
		struct ddp_diag diag;

		ddp_diag_init(&diag);
		if (ddp_profile_summary(found->file, library.arena, &summary, &diag) < 0 &&
		    status != EXIT_UNREADABLE)
			status = load_status(&diag);
		ddp_diag_print(&diag, stderr);
		ddp_diag_fini(&diag);
		if (is_json)
			jsonw_object(&json, "name:%s version:%s summary:%s file:%s", found->name,
				     summary.version, summary.summary, found->file);
		else
			part_row(&table, found->name, summary.version, summary.summary,
				 found->file);
	}
	if (is_json)
		jsonw_write(&json, "]\n");
	else
		table_fini(&table);
	ddp_arena_destroy(library.arena);
	return status;
}
