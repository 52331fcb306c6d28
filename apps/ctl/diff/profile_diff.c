/* SPDX-License-Identifier: BSD-3-Clause */
// Two profiles: headers, what leads to them, packet types and what is hashed for each.
#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "ctl/profile/profile_format.h"
#include "diff.h"

struct side {
	const struct ddp_profile *profile;
	struct profile_format format;
};

struct profiles {
	struct diff *diff;
	struct side sides[2];
};

// Lines of text, each once.
struct lines {
	unsigned int n;
	char **lines;
};

static FILE *to(struct profiles *p) {
	return p->diff->text.to;
}

/* Lines */

static bool lines_have(const struct lines *lines, const char *line) {
	for (unsigned int i = 0; i < lines->n; i++)
		if (strcmp(lines->lines[i], line) == 0)
			return true;
	return false;
}

// The text just written.
static void lines_add(struct profiles *p, struct lines *lines) {
	const char *line = strbuf_take(&p->diff->text);

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

static void line_tell(struct profiles *p, unsigned int side, const char *what, const char *line) {
	struct json_writer *json = &p->diff->json;

	p->diff->differ = true;
	if (p->diff->is_json) {
		jsonw_object(json, "only:%s what:%s", side == 0 ? "a" : "b", line);
		return;
	}
	fprintf(to(p), "only in %s: %s%s", p->diff->names[side], what, line);
	diff_report(p->diff);
}

// What is among the lines of one side, and not among those of the other.
static void lines_compare(struct profiles *p, const char *key, const char *what,
			  void (*gather)(struct profiles *p, unsigned int side,
					 struct lines *lines)) {
	struct lines lines[2] = {{0}};

	gather(p, 0, &lines[0]);
	gather(p, 1, &lines[1]);
	diff_list_open(p->diff, key);
	for (unsigned int side = 0; side < 2; side++)
		for (unsigned int i = 0; i < lines[side].n; i++)
			if (!lines_have(&lines[!side], lines[side].lines[i]))
				line_tell(p, side, what, lines[side].lines[i]);
	diff_list_close(p->diff);
	lines_free(&lines[0]);
	lines_free(&lines[1]);
}

/* Headers */

static bool both_have(const struct profiles *p, const char *header) {
	return chain_header(p->sides[0].profile, header) >= 0 &&
	       chain_header(p->sides[1].profile, header) >= 0;
}

static void headers_gather(struct profiles *p, unsigned int side, struct lines *lines) {
	const struct ddp_profile *profile = p->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		if (profile->headers[i].hidden)
			continue;
		fputs(profile->headers[i].name, to(p));
		lines_add(p, lines);
	}
}

static void field_write(FILE *out, const struct ddp_field *field) {
	static const char *const anchors[] = {
		[DDP_FROM_START] = "bit",
		[DDP_FROM_END] = "bits before the end",
		[DDP_AHEAD] = "bits behind the end",
	};

	fprintf(out, "%s, %u bits, at %s %u", field->name, field->width, anchors[field->anchor],
		field->bit_off);
}

// Layouts of those that both have.
static void layouts_gather(struct profiles *p, unsigned int side, struct lines *lines) {
	const struct ddp_profile *profile = p->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];

		if (!both_have(p, header->name))
			continue;
		fprintf(to(p), "%s: %u to %u bytes", header->name, header->min_size,
			header->max_size);
		lines_add(p, lines);
		for (unsigned int j = 0; j < header->n_fields; j++) {
			if (header->fields[j].name == NULL)
				continue;
			fprintf(to(p), "%s: field ", header->name);
			field_write(to(p), &header->fields[j]);
			lines_add(p, lines);
		}
	}
}

static void rule_gather(struct profiles *p, unsigned int side, const struct ddp_header *header,
			const struct ddp_rule *rule, struct lines *lines) {
	struct side *s = &p->sides[side];

	fprintf(to(p), "%s", header->name);
	if (rule->kind == DDP_RULE_STOP)
		fputs(" ends the walk", to(p));
	else if (rule->kind == DDP_RULE_GOTO)
		fprintf(to(p), " leads to %s", s->profile->headers[rule->target].name);
	else
		fprintf(to(p), " looks its %s up in %s", rule->key.name,
			s->profile->tables[rule->table].name);
	if (!format_is_always(&rule->cond)) {
		fputs(" where ", to(p));
		format_cond(&s->format, to(p), &rule->cond);
	}
	lines_add(p, lines);
}

// What follows what; of headers that one has not, only what leads to them.
static void rules_gather(struct profiles *p, unsigned int side, struct lines *lines) {
	const struct ddp_profile *profile = p->sides[side].profile;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		const struct ddp_header *header = &profile->headers[i];

		for (unsigned int j = 0; j < header->n_rules && both_have(p, header->name); j++)
			rule_gather(p, side, header, &header->rules[j], lines);
	}
	for (unsigned int i = 0; i < profile->n_tables; i++) {
		const struct ddp_table *table = &profile->tables[i];

		for (unsigned int j = 0; j < table->n_entries; j++) {
			fprintf(to(p), "%s ", table->name);
			format_key(table, to(p), table->entries[j].value);
			fprintf(to(p), " leads to %s",
				profile->headers[table->entries[j].target].name);
			lines_add(p, lines);
		}
	}
}

/* Packet types */

// What is hashed with all of rss_hf, in one line.
static void sets_write(struct profiles *p, unsigned int side, const struct ddp_packet_type *type) {
	struct side *s = &p->sides[side];
	bool by_rss_hf = p->sides[0].profile->by_rss_hf && p->sides[1].profile->by_rss_hf;

	for (unsigned int i = 0; i < type->n_sets; i++) {
		const struct ddp_input_set *set = &type->sets[i];

		fputs(i > 0 ? ", else " : "", to(p));
		format_refs(to(p), set->inputs, set->n_inputs);
		if (!format_is_always(&set->cond)) {
			fputs(" where ", to(p));
			format_cond(&s->format, to(p), &set->cond);
		}
		if (by_rss_hf && set->rss_hf != 0) {
			fputs(" for rss_hf ", to(p));
			format_rss_hf(to(p), set->rss_hf);
		} else if (format_is_always(&set->cond)) {
			break; // what follows never has its turn
		}
	}
	if (type->n_sets == 0)
		fputs("nothing", to(p));
	if (type->n_extract > 0) {
		fputs("; extracts ", to(p));
		format_refs(to(p), type->extract, type->n_extract);
	}
}

// A packet type of one side, and what the other makes of its packets.
struct seen {
	const struct ddp_packet_type *type;
	struct chains chains;
	unsigned int n_known;                // of them
	const struct chain *unknown;         // the first that is not followed to its end
	struct chain_answer answer;          // to that
	const struct ddp_packet_type *other; // what the shortest that is known is to the other
};

static void seen_fill(const struct profiles *p, unsigned int side, unsigned int type,
		      struct seen *seen) {
	const struct ddp_profile *other = p->sides[!side].profile;

	seen->type = &p->sides[side].profile->types[type];
	seen->n_known = 0;
	seen->unknown = NULL;
	seen->other = NULL;
	chains_of_type(p->sides[side].profile, type, &seen->chains);
	for (unsigned int i = 0; i < seen->chains.n; i++) {
		const struct chain *chain = &seen->chains.chains[i];
		struct chain_answer answer = chain_ask(other, chain, seen->type->name);

		if (answer.type >= 0 && answer.n_matched == chain->n) {
			seen->n_known++;
			if (seen->other == NULL)
				seen->other = &other->types[answer.type];
		} else if (seen->unknown == NULL) {
			seen->unknown = chain;
			seen->answer = answer;
		}
	}
}

static const char *unknown_type(const struct profiles *p, unsigned int side,
				const struct seen *seen) {
	return seen->answer.type < 0 ? "UNKNOWN" :
				       p->sides[!side].profile->types[seen->answer.type].name;
}

static void unknown_print(struct profiles *p, unsigned int side, const struct seen *seen) {
	if (seen->n_known == 0)
		fprintf(to(p), "only in %s: %s (", p->diff->names[side], seen->type->name);
	else
		fprintf(to(p), "only in %s: some of %s (", p->diff->names[side], seen->type->name);
	chain_write(to(p), seen->unknown);
	fprintf(to(p), "), which is %s in %s", unknown_type(p, side, seen), p->diff->names[!side]);
	diff_report(p->diff);
}

static void unknown_json(struct profiles *p, unsigned int side, const struct seen *seen) {
	struct json_writer *json = &p->diff->json;

	jsonw_write(json, "{only:%s ptype:%s all:%d", side == 0 ? "a" : "b", seen->type->name,
		    seen->n_known == 0);
	jsonw_key_texts(json, "chain", seen->unknown->headers, seen->unknown->n);
	jsonw_write(json, "other:%s}", unknown_type(p, side, seen));
}

// What one side classifies that the other does not.
static void unknown_show(struct profiles *p, struct seen *seen) {
	diff_list_open(p->diff, "packet_types");
	for (unsigned int side = 0; side < 2; side++) {
		for (unsigned int i = 0; i < p->sides[side].profile->n_types; i++) {
			seen_fill(p, side, i, seen);
			if (seen->unknown == NULL)
				continue;
			p->diff->differ = true;
			if (p->diff->is_json)
				unknown_json(p, side, seen);
			else
				unknown_print(p, side, seen);
		}
	}
	diff_list_close(p->diff);
}

static void pair_json(struct profiles *p, const char *name, const char *a, const char *b) {
	struct json_writer *json = &p->diff->json;

	jsonw_object(json, "ptype:%s a:%s b:%s", name, a, b);
}

static void names_show(struct profiles *p, struct seen *seen) {
	const struct ddp_profile *a = p->sides[0].profile;

	diff_list_open(p->diff, "named_differently");
	for (unsigned int i = 0; i < a->n_types; i++) {
		seen_fill(p, 0, i, seen);
		if (seen->other == NULL || strcmp(seen->type->name, seen->other->name) == 0)
			continue;
		p->diff->differ = true;
		if (p->diff->is_json) {
			pair_json(p, seen->type->name, seen->type->name, seen->other->name);
			continue;
		}
		fprintf(to(p), "named %s in %s and %s in %s", seen->type->name, p->diff->names[0],
			seen->other->name, p->diff->names[1]);
		diff_report(p->diff);
	}
	diff_list_close(p->diff);
}

// To be freed.
static char *sets_text(struct profiles *p, unsigned int side, const struct ddp_packet_type *type) {
	sets_write(p, side, type);
	return strdup_or_exit(strbuf_take(&p->diff->text));
}

static void hash_compare(struct profiles *p, const struct seen *seen) {
	char *a = sets_text(p, 0, seen->type), *b = sets_text(p, 1, seen->other);

	if (strcmp(a, b) != 0) {
		p->diff->differ = true;
		if (p->diff->is_json) {
			pair_json(p, seen->type->name, a, b);
		} else {
			fprintf(to(p), "hashed differently: %s: %s in %s; %s in %s",
				seen->type->name, a, p->diff->names[0], b, p->diff->names[1]);
			diff_report(p->diff);
		}
	}
	free(a);
	free(b);
}

static void hashes_show(struct profiles *p, struct seen *seen) {
	diff_list_open(p->diff, "hashed_differently");
	for (unsigned int i = 0; i < p->sides[0].profile->n_types; i++) {
		seen_fill(p, 0, i, seen);
		if (seen->other != NULL)
			hash_compare(p, seen);
	}
	diff_list_close(p->diff);
}

static void by_rss_hf_show(struct profiles *p) {
	const bool by_rss_hf[] = {p->sides[0].profile->by_rss_hf, p->sides[1].profile->by_rss_hf};

	if (p->diff->is_json) {
		jsonw_write(&p->diff->json, "by_rss_hf:[%d %d]", by_rss_hf[0], by_rss_hf[1]);
		p->diff->differ |= by_rss_hf[0] != by_rss_hf[1];
	} else if (by_rss_hf[0] != by_rss_hf[1]) {
		fprintf(to(p),
			"only %s hashes what rss_hf asks for; in what follows all of rss_hf is on",
			p->diff->names[by_rss_hf[1]]);
		diff_report(p->diff);
	}
}

static void all_show(struct profiles *p) {
	struct seen *seen = calloc_or_exit(1, sizeof(*seen));

	unknown_show(p, seen);
	names_show(p, seen);
	by_rss_hf_show(p);
	hashes_show(p, seen);
	lines_compare(p, "headers", "header ", headers_gather);
	lines_compare(p, "layouts", "", layouts_gather);
	lines_compare(p, "rules", "", rules_gather);
	free(seen);
}

int profile_diff(struct diff *diff, const struct ddp_personality *loaded) {
	static struct profiles p;

	p = (struct profiles){.diff = diff};
	for (unsigned int i = 0; i < 2; i++) {
		p.sides[i].profile = loaded[i].profile;
		format_init(&p.sides[i].format, loaded[i].profile);
	}
	if (diff->is_json)
		jsonw_open(&diff->json, '{');
	all_show(&p);
	if (diff->is_json) {
		jsonw_write(&diff->json, "equal:%d}\n", !diff->differ);
	} else if (!diff->differ) {
		fputs("equal: the same headers, packet types and hashed fields", to(&p));
		diff_item(diff);
	}
	return diff->differ ? EXIT_NO : EXIT_GOOD;
}
