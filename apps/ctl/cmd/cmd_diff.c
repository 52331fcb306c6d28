/* SPDX-License-Identifier: BSD-3-Clause */
// ddpctl diff FILE FILE: the differences of two profiles or packages, called A and B.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/output.h"
#include "common/strbuf.h"
#include "common/table.h"
#include "ctl/command.h"
#include "ctl/diff/chains.h"
#include "ctl/profile/profile_load.h"
#include "e810/e810_rss.h"
#include "profile/profile_format.h"

#define SECTIONS_END 0x300 // section id: all sections but labels are below

struct seen_type {
	const struct ddp_packet_type *type;
	const struct ddp_packet_type *other; // type of its shortest fully known chain, or NULL
	bool unknown;                        // some chain is unknown
	struct chain chain;                  // the first unknown one
	struct chain_answer answer;          // to that chain
};

struct side {
	const char *name; // short
	struct seen_type *types;
	const struct ddp_personality *loaded;
	const struct ddp_profile *profile; // of loaded
};

struct diff {
	struct side sides[2];
	bool is_json;
	struct output *out;
	struct json_writer json;
	struct strbuf text; // being written
	bool differ;        // a difference was written
};

struct lines {
	unsigned int n;
	char **lines;
};

static FILE *to(struct diff *d) {
	return d->text.to;
}

static void paragraph_print(struct diff *d) {
	output_wrapped(d->out, strbuf_take(&d->text), 0, 2);
}

static void list_open(struct diff *d, const char *key) {
	if (d->is_json)
		jsonw_key_open(&d->json, key, '[');
}

static void list_close(struct diff *d) {
	if (d->is_json)
		jsonw_close(&d->json, ']');
}

/* Lines */

static bool lines_have(const struct lines *lines, const char *line) {
	for (unsigned int i = 0; i < lines->n; i++)
		if (strcmp(lines->lines[i], line) == 0)
			return true;
	return false;
}

static void lines_add(struct diff *d, struct lines *lines) {
	const char *line = strbuf_take(&d->text);

	if (lines_have(lines, line))
		return;
	lines->lines = grow_or_exit(lines->lines, lines->n, sizeof(*lines->lines));
	lines->lines[lines->n++] = strdup_or_exit(line);
}

static void lines_free(struct lines *lines) {
	for (unsigned int i = 0; i < lines->n; i++)
		free(lines->lines[i]);
	free(lines->lines);
}

static void line_show(struct diff *d, unsigned int side, const char *what, const char *line) {
	assert(side < 2);
	d->differ = true;
	if (d->is_json) {
		jsonw_object(&d->json, "only:%s what:%s", side == 0 ? "a" : "b", line);
		return;
	}
	fprintf(to(d), "only in %s: %s%s", d->sides[side].name, what, line);
	paragraph_print(d);
}

// Show the lines that only one side has.
static void lines_compare(struct diff *d, const char *key, const char *what,
			  void (*gather)(struct diff *d, unsigned int side, struct lines *lines)) {
	struct lines lines[2] = {{0}};

	gather(d, 0, &lines[0]);
	gather(d, 1, &lines[1]);
	list_open(d, key);
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int i = 0; i < lines[side].n; i++)
			if (!lines_have(&lines[!side], lines[side].lines[i]))
				line_show(d, side, what, lines[side].lines[i]);
	list_close(d);
	lines_free(&lines[0]);
	lines_free(&lines[1]);
}

/* Headers */

static bool both_have(const struct diff *d, const char *header) {
	return ddp_header_find(d->sides[0].profile, header) >= 0 &&
	       ddp_header_find(d->sides[1].profile, header) >= 0;
}

static void headers_gather(struct diff *d, unsigned int side, struct lines *lines) {
	const struct ddp_profile *profile = d->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		if (profile->headers[i].hidden)
			continue;
		fputs(profile->headers[i].name, to(d));
		lines_add(d, lines);
	}
}

static void layouts_gather(struct diff *d, unsigned int side, struct lines *lines) {
	static const char *const anchors[] = {
		[DDP_FROM_START] = "bit",
		[DDP_FROM_END] = "bits before the end",
		[DDP_AHEAD] = "bits behind the end",
	};
	const struct ddp_profile *profile = d->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];

		if (!both_have(d, header->name))
			continue;
		fprintf(to(d), "%s: %u to %u bytes", header->name, header->min_size,
			header->max_size);
		lines_add(d, lines);
		for (unsigned int j = 0; j < header->n_fields; j++) {
			const struct ddp_field *field = &header->fields[j];

			if (field->name == NULL)
				continue;
			fprintf(to(d), "%s: field %s, %u bits, at %s %u", header->name, field->name,
				field->width, anchors[field->anchor], field->bit_off);
			lines_add(d, lines);
		}
	}
}

static void rule_gather(struct diff *d, unsigned int side, const struct ddp_header *header,
			const struct ddp_rule *rule, struct lines *lines) {
	struct side *s = &d->sides[side];

	fprintf(to(d), "%s", header->name);
	if (rule->kind == DDP_RULE_STOP)
		fputs(" ends the walk", to(d));
	else if (rule->kind == DDP_RULE_GOTO)
		fprintf(to(d), " leads to %s", s->profile->headers[rule->target].name);
	else
		fprintf(to(d), " looks its %s up in %s", rule->key.name,
			s->profile->tables[rule->table].name);
	if (!format_is_always(&rule->cond)) {
		fputs(" where ", to(d));
		format_cond(s->profile, to(d), &rule->cond);
	}
	lines_add(d, lines);
}

// Gather rules of headers that both sides have, and table entries.
static void rules_gather(struct diff *d, unsigned int side, struct lines *lines) {
	const struct ddp_profile *profile = d->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];

		for (unsigned int j = 0; j < header->n_rules && both_have(d, header->name); j++)
			rule_gather(d, side, header, &header->rules[j], lines);
	}
	for (unsigned int i = 0; i < profile->n_tables; i++) {
		const struct ddp_table *table = &profile->tables[i];

		for (unsigned int j = 0; j < table->n_entries; j++) {
			fprintf(to(d), "%s ", table->name);
			format_key(table, to(d), table->entries[j].value);
			fprintf(to(d), " leads to %s",
				profile->headers[table->entries[j].target].name);
			lines_add(d, lines);
		}
	}
}

/* Packet types */

// Write the hashed fields with all of rss_hf on.
static void sets_write(struct diff *d, unsigned int side, const struct ddp_packet_type *type) {
	struct side *s = &d->sides[side];
	bool by_rss_hf = d->sides[0].profile->by_rss_hf && d->sides[1].profile->by_rss_hf;

	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];

		fputs(i > 0 ? ", else " : "", to(d));
		format_refs(to(d), set->inputs, set->n_inputs);
		if (!format_is_always(&set->cond)) {
			fputs(" where ", to(d));
			format_cond(s->profile, to(d), &set->cond);
		}
		if (by_rss_hf && set->rss_hf != 0) {
			fputs(" for rss_hf ", to(d));
			format_rss_hf(to(d), set->rss_hf);
		} else if (format_is_always(&set->cond)) {
			break; // later sets are never used
		}
	}
	if (type->n_sets == 0)
		fputs("nothing", to(d));
	if (type->n_extract > 0) {
		fputs("; extracts ", to(d));
		format_refs(to(d), type->extract, type->n_extract);
	}
}

// Packet types of a package have no headers and are compared by name.
static void seen_fill(const struct ddp_profile *other, const struct chains *chains,
		      struct seen_type *seen) {
	const char *name = seen->type->name;
	int same = other->modelled ? (int)other->n_types - 1 : -1;

	while (same >= 0 && strcmp(other->types[same].name, name) != 0)
		same--;
	for (unsigned int i = 0; i < chains->n; i++) {
		const struct chain *chain = &chains->chains[i];
		struct chain_answer answer = chain_ask(other, chain, name);

		if (other->modelled)
			answer.type = same;
		assert(answer.type < (int)other->n_types);
		if (answer.type >= 0 && (other->modelled || answer.n_matched == chain->n)) {
			if (seen->other == NULL)
				seen->other = &other->types[answer.type];
		} else if (!seen->unknown) {
			seen->unknown = true;
			seen->chain = *chain;
			seen->answer = answer;
		}
	}
}

static void side_fill(struct side *side, const struct ddp_profile *other) {
	const struct ddp_profile *profile = side->profile;
	struct chains *chains = calloc_or_exit(1, sizeof(*chains));

	side->types = calloc_or_exit(profile->n_types + 1, sizeof(*side->types));
	for (unsigned int i = 0; i < profile->n_types; i++) {
		side->types[i].type = &profile->types[i];
		chains_of_type(profile, i, chains);
		seen_fill(other, chains, &side->types[i]);
	}
	free(chains);
}

static void unknown_print(struct diff *d, unsigned int side, const struct seen_type *seen) {
	const struct ddp_profile *other_profile = d->sides[!side].profile;
	const char *type = seen->type->name, *other = "UNKNOWN";

	d->differ = true;
	if (other_profile->modelled)
		other = NULL;
	else if (seen->answer.type >= 0)
		other = other_profile->types[seen->answer.type].name;
	if (d->is_json) {
		jsonw_write(&d->json, "{only:%s ptype:%s all:%d", side == 0 ? "a" : "b", type,
			    seen->other == NULL);
		jsonw_key_texts(&d->json, "chain", seen->chain.headers, seen->chain.n);
		jsonw_write(&d->json, "other:%s}", other);
	} else if (other == NULL && ftell(to(d)) > 0) { // one paragraph for all
		fprintf(to(d), ", %s", type);
	} else {
		fprintf(to(d), "only in %s: %s%s", d->sides[side].name,
			seen->other != NULL ? "some of " : "", type);
	}
	if (d->is_json || other == NULL)
		return;
	fputs(" (", to(d));
	for (unsigned int i = 0; i < seen->chain.n; i++)
		fprintf(to(d), "%s%s", i > 0 ? " " : "", seen->chain.headers[i]);
	fprintf(to(d), "), which is %s in %s", other, d->sides[!side].name);
	paragraph_print(d);
}

static void unknown_show(struct diff *d) {
	list_open(d, "packet_types");
	for (unsigned int side = 0; side < 2; side++) {
		for (unsigned int i = 0; i < d->sides[side].profile->n_types; i++)
			if (d->sides[side].types[i].unknown)
				unknown_print(d, side, &d->sides[side].types[i]);
		if (ftell(to(d)) > 0)
			paragraph_print(d);
	}
	list_close(d);
}

// Compare the texts of A and B for a type. Returns whether the caller writes a text.
static bool is_pair(struct diff *d, const struct seen_type *seen, const char *a, const char *b) {
	if (strcmp(a, b) == 0)
		return false;
	d->differ = true;
	if (d->is_json)
		jsonw_object(&d->json, "ptype:%s a:%s b:%s", seen->type->name, a, b);
	return !d->is_json;
}

static char *sets_text(struct diff *d, unsigned int side, const struct ddp_packet_type *type) {
	const struct ddp_personality *loaded = d->sides[side].loaded;

	if (loaded->rss != NULL)
		fputs(e810_rss_request(loaded->rss, loaded->ptypes[type - loaded->profile->types], 0) ?:
			      "nothing",
		      to(d));
	else
		sets_write(d, side, type);
	return strdup_or_exit(strbuf_take(&d->text));
}

static void names_compare(struct diff *d, const struct seen_type *seen) {
	const char *a = seen->type->name, *b = seen->other->name;

	if (is_pair(d, seen, a, b)) {
		fprintf(to(d), "named %s in %s and %s in %s", a, d->sides[0].name, b,
			d->sides[1].name);
		paragraph_print(d);
	}
}

static void hashes_compare(struct diff *d, const struct seen_type *seen) {
	char *a = sets_text(d, 0, seen->type), *b = sets_text(d, 1, seen->other);

	if (is_pair(d, seen, a, b)) {
		fprintf(to(d), "hashed differently: %s: %s in %s; %s in %s", seen->type->name, a,
			d->sides[0].name, b, d->sides[1].name);
		paragraph_print(d);
	}
	free(a);
	free(b);
}

static void pairs_show(struct diff *d, const char *key,
		       void (*compare)(struct diff *d, const struct seen_type *seen)) {
	list_open(d, key);
	for (unsigned int i = 0; i < d->sides[0].profile->n_types; i++)
		if (d->sides[0].types[i].other != NULL)
			compare(d, &d->sides[0].types[i]);
	list_close(d);
}

static void by_rss_hf_show(struct diff *d) {
	const bool by_rss_hf[] = {d->sides[0].profile->by_rss_hf, d->sides[1].profile->by_rss_hf};

	if (d->is_json)
		jsonw_write(&d->json, "by_rss_hf:[%d %d]", by_rss_hf[0], by_rss_hf[1]);
	if (by_rss_hf[0] == by_rss_hf[1])
		return;
	d->differ = true;
	if (d->is_json)
		return;
	fprintf(to(d), "only %s hashes what rss_hf asks for; in what follows all of rss_hf is on",
		d->sides[by_rss_hf[1]].name);
	paragraph_print(d);
}

/* Packages */

static unsigned int n_different(const struct e810_table *a, const struct e810_table *b) {
	unsigned int n = a->n_entries < b->n_entries ? a->n_entries : b->n_entries;
	unsigned int n_differ = a->n_entries + b->n_entries - 2 * n;

	for (unsigned int i = 0; i < n; i++)
		n_differ += memcmp(a->entries + a->entry_size * i, b->entries + b->entry_size * i,
				   a->entry_size) != 0;
	return n_differ;
}

// Used entries of a table; the given ones if that is unknown.
static unsigned int n_used(const struct ddp_package *package, uint32_t id) {
	int n_live = e810_table_live(package, id);

	return n_live >= 0 ? (unsigned int)n_live : e810_table(package, id)->n_given;
}

static void packages_show(struct diff *d) {
	for (unsigned int i = 0; i < 2; i++) {
		const struct ddp_personality *loaded = d->sides[i].loaded;
		const struct ddp_package *package = loaded->package;

		if (!d->is_json) {
			output_escaped_printf(d->out,
					      "%c: %s: %s " DDP_VERSION_FMT
					      ", track id 0x%08x, %u packet types\n",
					      'A' + i, package->path, package->name,
					      DDP_VERSION_NUMBERS(package->version),
					      package->track_id, loaded->n_types);
			continue;
		}
		jsonw_key_open(&d->json, i == 0 ? "a" : "b", '{');
		jsonw_key_text(&d->json, "file", package->path);
		package_identity_json(&d->json, package);
		jsonw_write(&d->json, "ptypes:%u}", loaded->n_types);
	}
}

static void tables_show(struct diff *d, const struct ddp_package *a, const struct ddp_package *b) {
	const bool same = a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
	struct table table;

	d->differ |= !same;
	if (same && !d->is_json)
		return;
	list_open(d, "tables");
	if (!d->is_json)
		table_init(&table, d->out, "TABLE|>USED IN A|>USED IN B|>ENTRIES THAT DIFFER");
	for (uint32_t id = 0; id < SECTIONS_END; id++) {
		unsigned int n = n_different(e810_table(a, id), e810_table(b, id));
		const char *name = or_dash(e810_section_name(id));

		if (n > 0 && d->is_json) {
			jsonw_object(&d->json, "name:%s a:%u b:%u differ:%u", name, n_used(a, id),
				     n_used(b, id), n);
		} else if (n > 0) {
			table_text(&table, name);
			table_number(&table, n_used(a, id));
			table_number(&table, n_used(b, id));
			table_number(&table, n);
		}
	}
	list_close(d);
	if (!d->is_json)
		table_fini(&table);
}

/* Command */

static void all_show(struct diff *d) {
	const struct ddp_package *a = d->sides[0].loaded->package;

	if (a != NULL)
		packages_show(d);
	unknown_show(d);
	pairs_show(d, "named_differently", names_compare);
	by_rss_hf_show(d);
	pairs_show(d, "hashed_differently", hashes_compare);
	lines_compare(d, "headers", "header ", headers_gather);
	lines_compare(d, "layouts", "", layouts_gather);
	lines_compare(d, "rules", "", rules_gather);
	if (a != NULL)
		tables_show(d, a, d->sides[1].loaded->package);
}

static int diff(const struct ddp_personality loaded[2], const struct common_options *options,
		struct output *out) {
	static struct diff d;

	if ((loaded[0].package == NULL) != (loaded[1].package == NULL)) {
		error_print("diff: a package and a profile cannot be compared; 'ddpctl plan' shows "
			    "what a NIC can do of a profile");
		return EXIT_USAGE;
	}
	d = (struct diff){.is_json = options->format == FORMAT_JSON, .out = out};
	jsonw_init(&d.json, out);
	strbuf_init(&d.text);
	for (unsigned int i = 0; i < 2; i++) {
		d.sides[i].name = path_name(options->files[i]);
		d.sides[i].loaded = &loaded[i];
		d.sides[i].profile = loaded[i].profile;
		side_fill(&d.sides[i], loaded[!i].profile);
	}
	if (strcmp(d.sides[0].name, d.sides[1].name) == 0) {
		d.sides[0].name = "A";
		d.sides[1].name = "B";
	}
	if (d.is_json)
		jsonw_open(&d.json, '{');
	all_show(&d);
	if (d.is_json) {
		jsonw_write(&d.json, "equal:%d}\n", !d.differ);
	} else if (!d.differ) {
		fputs("equal: the same headers, packet types and hashed fields", to(&d));
		paragraph_print(&d);
	}
	for (unsigned int i = 0; i < 2; i++)
		free(d.sides[i].types);
	strbuf_fini(&d.text);
	return d.differ ? EXIT_NO : EXIT_GOOD;
}

int cmd_diff(const void *arg, struct output *out) {
	const struct common_options *options = arg;
	struct ddp_personality loaded[2] = {0};
	int status = load_or_report(&loaded[0], options->files[0]);

	if (status == EXIT_GOOD)
		status = load_or_report(&loaded[1], options->files[1]);
	if (status == EXIT_GOOD)
		status = diff(loaded, options, out);
	ddp_personality_unload(&loaded[0]);
	ddp_personality_unload(&loaded[1]);
	return status;
}
