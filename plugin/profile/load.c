/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <string.h>

#include "loader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PARTS_MAX 64 // profiles: the bits of ddp_profile_part.requires
#define FOR_PARTS(l)                          \
	for ((l)->part = (l)->profile->parts; \
	     (l)->part < (l)->profile->parts + (l)->profile->n_parts; (l)->part++)

static const char *word_get(struct loader *l, const struct ddp_yaml *map, const char *key) {
	const struct ddp_yaml *value = ddp_yaml_get(map, key);

	return yaml_is(l, value, DDP_YAML_SCALAR, "a word") ? value->value : NULL;
}

static bool flag_get(struct loader *l, const struct ddp_yaml *map, const char *key) {
	const struct ddp_yaml *value = ddp_yaml_get(map, key);

	if (!yaml_is(l, value, DDP_YAML_SCALAR, "true or false"))
		return false;
	if (strcmp(value->value, "true") != 0 && strcmp(value->value, "false") != 0)
		ddp_error(l->diag, &value->place, "'%s: %s': true or false is expected", key,
			  value->value);
	return strcmp(value->value, "true") == 0;
}

// Names of headers, tables, paths and parameters: they are used in small languages.
static bool name_check(struct loader *l, const struct ddp_yaml *key, const char *what) {
	static const char *const reserved[] = {"inner", "outer", "stop", "and", "or", "not"};
	const char *s = key->value;
	bool good = isalpha((unsigned char)*s) && strlen(s) <= 31;

	for (; *s != '\0'; s++)
		good &= isalnum((unsigned char)*s) || *s == '_';
	for (unsigned int i = 0; i < COUNT(reserved); i++)
		good &= strcmp(key->value, reserved[i]) != 0;
	if (!good)
		ddp_error(
			l->diag, &key->place,
			"%s '%s': a name has 1 to 31 letters, digits or '_', begins with a letter "
			"and is none of inner, outer, stop, and, or, not",
			what, key->value);
	return good;
}

/* Files */

static const char *const top_keys[] = {
	"profile", "version", "summary", "requires", "rss_by",       "parameters",
	"tables",  "headers", "extend",  "paths",    "packet_types", "input_sets",
};

static struct ddp_profile_part *part_find(const struct loader *l, const char *name) {
	int i = NAME_FIND(l->profile->parts, l->profile->n_parts, name, strlen(name));

	return i < 0 ? NULL : &l->profile->parts[i];
}

static void param_read(struct loader *l, const struct ddp_yaml *key, const struct ddp_yaml *node) {
	static const char *const keys[] = {"default", "summary"};
	const struct ddp_yaml *value = node;
	const char *summary = NULL;
	struct ddp_profile_param *param;
	struct ddp_text *text;

	if (!name_check(l, key, "parameter"))
		return;
	if (node->kind == DDP_YAML_MAP) {
		if (!keys_allowed(l, node, "a parameter", keys, COUNT(keys)))
			return;
		value = ddp_yaml_get(node, "default");
		summary = word_get(l, node, "summary");
	}
	if (value == NULL) {
		ddp_error(l->diag, &node->place, "parameter '%s' has no default", key->value);
		return;
	}
	if (!yaml_is(l, value, DDP_YAML_SCALAR, "a default value") ||
	    !room_check(l, l->part->n_params, DDP_MAX_NAMES, &key->place, "parameters"))
		return;
	param = DDP_APPEND(l->arena, l->part->params, l->part->n_params);
	param->name = key->value;
	param->summary = summary;
	param->default_value = value->value;
	text = DDP_APPEND(l->arena, param->values, param->n_values);
	*text = value->text;
	text->s = ddp_arena_strndup(l->arena, text->s, text->len);
}

static void part_load(struct loader *l, const char *name, struct profile_request *request,
		      const struct ddp_place *place);

// Returns the bits of the profile and of those that it requires.
static uint64_t required_load(struct loader *l, const char *name, const struct ddp_place *place) {
	const struct ddp_profile_part *part;

	part_load(l, name, NULL, place);
	assert(l->profile->n_parts <= PARTS_MAX);
	part = part_find(l, file_name(l, name));
	return part != NULL ? UINT64_C(1) << (part - l->profile->parts) | part->requires : 0;
}

static void requires_load(struct loader *l, struct ddp_profile_part *part) {
	const struct ddp_yaml *requires = ddp_yaml_get(part->root, "requires");

	if (part->root == NULL)
		part->requires = required_load(l, l->format->requires, DDP_FILE(part->file));
	if (!yaml_is(l, requires, DDP_YAML_LIST, "a list such as [base]"))
		return;
	for (unsigned int i = 0; i < requires->n_items; i++) {
		const struct ddp_yaml *item = requires->items[i];

		if (yaml_is(l, item, DDP_YAML_SCALAR, "a profile's name"))
			part->requires |= required_load(l, item->value, &item->place);
	}
}

// True when the profile is to be read now: not if it was already, or cannot be.
static bool visit_begin(struct loader *l, const char *name, struct ddp_profile_file *file,
			const struct ddp_place *place) {
	for (unsigned int i = 0; i < l->n_visits; i++) {
		const struct visit *visit = &l->visits[i];

		if (strcmp(visit->name, name) != 0)
			continue;
		if (!file_is_same(file, visit->file))
			ddp_error(l->diag, place, "two profiles of the name '%s': %s and %s", name,
				  visit->file->path, file->path);
		else if (visit->open)
			ddp_error(l->diag, place, "profile '%s' requires itself", name);
		return false;
	}
	if (l->n_visits == PARTS_MAX)
		return ddp_refuse(l->diag, place, "profile '%s': more than %d profiles at once",
				  name, PARTS_MAX);
	*DDP_APPEND(l->arena, l->visits, l->n_visits) = (struct visit){name, file, true};
	return true;
}

static bool part_read(struct loader *l, struct ddp_profile_file *file,
		      struct ddp_profile_part *part) {
	const struct ddp_yaml *root, *given;

	part->file = file->path;
	if (is_foreign(l, file->path))
		return l->format->read(l, file, part);
	root = part->root = file_read(l, file);
	if (root == NULL || !yaml_is(l, root, DDP_YAML_MAP, "a profile") ||
	    !keys_allowed(l, root, "a profile", top_keys, COUNT(top_keys)))
		return false;
	given = ddp_yaml_get(root, "profile");
	if (given == NULL)
		ddp_error(l->diag, &root->place, "'profile: %s' is missing", part->name);
	else if (yaml_is(l, given, DDP_YAML_SCALAR, "the profile's name") &&
		 strcmp(given->value, part->name) != 0)
		ddp_error(l->diag, &given->place, "profile '%s' in a file named '%s'", given->value,
			  part->name);
	return true;
}

static void words_read(struct loader *l, struct ddp_profile_part *part) {
	const char *by = word_get(l, part->root, "rss_by");

	part->version = word_get(l, part->root, "version");
	part->summary = word_get(l, part->root, "summary");
	part->by_rss_hf = by != NULL;
	if (by != NULL && strcmp(by, "rss_hf") != 0)
		ddp_error(l->diag, &ddp_yaml_get(part->root, "rss_by")->place,
			  "rss_by '%s': rss_hf is all that can stand here", by);
	l->part = part;
	pairs_read(l, part->root, "parameters", "parameters by name", param_read);
	l->part = NULL;
}

static bool is_given_as_text(const struct loader *l, const char *name) {
	for (unsigned int i = 0; i < l->n_visits; i++)
		if (l->visits[i].file == &l->text && strcmp(l->visits[i].name, name) == 0)
			return true;
	return false;
}

// Load a profile after those that it requires: a request's text if name is NULL, else a file.
static void part_load(struct loader *l, const char *name, struct profile_request *request,
		      const struct ddp_place *place) {
	struct ddp_profile_part part = {.name = name, .request = request};
	struct ddp_place start = {.file = text_file};
	struct ddp_profile_file *file = &l->text;
	unsigned int visit = l->n_visits;

	if (name == NULL) {
		if (!text_read(l, request->source, &part) ||
		    !keys_allowed(l, part.root, "a profile", top_keys, COUNT(top_keys)))
			return;
		request->spec.file = part.name;
		if (part.root != NULL)
			start = ddp_yaml_get(part.root, "profile")->place;
		place = &start;
	} else if (!is_given_as_text(l, name)) {
		file = file_find(l, name, place);
		if (file == NULL)
			return;
		part.name = file_name(l, file->path);
	}
	if (!visit_begin(l, part.name, file, place))
		return;
	if (name == NULL || part_read(l, file, &part)) {
		requires_load(l, &part);
		if (part.root != NULL)
			words_read(l, &part);
		*DDP_APPEND(l->arena, l->profile->parts, l->profile->n_parts) = part;
	}
	assert(visit < l->n_visits && l->visits[visit].open);
	l->visits[visit].open = false;
}

// A profile both named and required may have been required first: its request counts all the same.
static void requests_note(struct loader *l) {
	for (unsigned int i = 0; i < l->n_requests; i++) {
		const char *name = file_name(l, l->requests[i].spec.file);

		struct ddp_profile_part *part = part_find(l, name);

		if (part == NULL)
			continue;
		if (part->request != NULL && part->request != &l->requests[i])
			ddp_error(l->diag, DDP_FILE("profile"), "'%s' is named twice", name);
		part->request = &l->requests[i];
	}
}

/* Settings */

// "port" is the named profile's own, "gtpu.port" that of one it requires.
static struct ddp_profile_param *
setting_target(struct loader *l, const struct ddp_profile_part *part, const char *name) {
	const char *dot = strchr(name, '.');
	int i = -1;

	if (dot != NULL) {
		part = part_find(l, ddp_arena_strndup(l->arena, name, dot - name));
		name = dot + 1;
	}
	if (part != NULL)
		i = NAME_FIND(part->params, part->n_params, name, strlen(name));
	return i < 0 ? NULL : &part->params[i];
}

static void setting_apply(struct loader *l, const struct ddp_profile_part *part,
			  const struct ddp_spec_param *settings, unsigned int at) {
	struct ddp_profile_param *param = setting_target(l, part, settings[at].name);
	// An error in a value names the setting as its position.
	const struct ddp_place place = {
		.file = ddp_arena_printf(l->arena, "%s=%s", settings[at].name, settings[at].value),
	};
	bool first = true;

	if (param == NULL) {
		char kind[80];

		snprintf(kind, sizeof(kind), "parameter of profile '%.40s':", part->name);
		unknown_name(l, &place, kind, settings[at].name, strlen(settings[at].name),
			     part->params, part->n_params);
		return;
	}
	// A parameter given several times has several values; the first replaces the default.
	for (unsigned int i = 0; i < at; i++)
		first &= strcmp(settings[i].name, settings[at].name) != 0;
	if (first)
		param->n_values = 0;
	*DDP_APPEND(l->arena, param->values, param->n_values) =
		(struct ddp_text){settings[at].value, strlen(settings[at].value), place};
}

static void settings_apply(struct loader *l) {
	for (unsigned int i = 0; i < l->profile->n_parts; i++) {
		const struct ddp_profile_part *part = &l->profile->parts[i];
		const struct profile_request *request = part->request;

		for (unsigned int j = 0; request != NULL && j < request->spec.n_params; j++)
			setting_apply(l, part, request->spec.params, j);
	}
}

/* Declarations: everything gets its index before anything refers to it */

bool already_there(struct loader *l, const char *what, const struct ddp_yaml *key,
		   const struct ddp_place *place, const char *profile) {
	return ddp_refuse(l->diag, &key->place,
			  "%s '%s' (profile '%s') is already in %s:%u (profile '%s')", what,
			  key->value, l->part->name, place->file, place->line, profile);
}

static void table_declare(struct loader *l, const struct ddp_yaml *key,
			  const struct ddp_yaml *summary) {
	int other = table_find(l, key->value, strlen(key->value));
	struct ddp_table *table = other < 0 ? NULL : &l->profile->tables[other];

	if (!name_check(l, key, "table") ||
	    !yaml_is(l, summary, DDP_YAML_SCALAR, "a summary: what its numbers are") ||
	    (table != NULL && !already_there(l, "table", key, &table->place, table->profile)) ||
	    !room_check(l, l->profile->n_tables, DDP_MAX_NAMES, &key->place, "tables"))
		return;
	table = DDP_APPEND(l->arena, l->profile->tables, l->profile->n_tables);
	table->name = key->value;
	table->summary = summary->value;
	table->profile = l->part->name;
	table->place = key->place;
}

static void header_declare(struct loader *l, const struct ddp_yaml *key,
			   const struct ddp_yaml *value) {
	int other = header_find(l, key->value, strlen(key->value));
	struct ddp_header *header = other < 0 ? NULL : &l->profile->headers[other];

	if (!name_check(l, key, "header") ||
	    (header != NULL && !already_there(l, "header", key, &header->place, header->profile)) ||
	    !room_check(l, l->profile->n_headers, DDP_MAX_NODES, &key->place, "headers"))
		return;
	header = DDP_APPEND(l->arena, l->profile->headers, l->profile->n_headers);
	header->name = key->value;
	header->profile = l->part->name;
	header->place = key->place;
	if (yaml_is(l, value, DDP_YAML_MAP, "a header with a 'layout'"))
		header->root = value;
}

static void alias_declare(struct loader *l, const struct ddp_yaml *key,
			  const struct ddp_yaml *value) {
	int other = NAME_FIND(l->aliases, l->n_aliases, key->value, strlen(key->value));
	struct alias *alias = other < 0 ? NULL : &l->aliases[other];

	if (!name_check(l, key, "path") ||
	    !yaml_is(l, value, DDP_YAML_SCALAR, "a path such as 'eth vlan*'") ||
	    (alias != NULL && !already_there(l, "path", key, &alias->place, alias->profile)) ||
	    !room_check(l, l->n_aliases, DDP_MAX_NAMES, &key->place, "named paths"))
		return;
	alias = DDP_APPEND(l->arena, l->aliases, l->n_aliases);
	alias->name = key->value;
	alias->text = value->text;
	alias->place = key->place;
	alias->profile = l->part->name;
}

/* Headers, in passes: a pass may use what the one before it has read of all headers */

enum pass {
	PASS_LAYOUT, // fields
	PASS_BODY,   // lengths, conditions, own rules
	PASS_AFTER,  // attachments, which come behind own rules
};

static const char *const header_keys[] = {
	"summary", "first", "after", "layout",   "ahead", "length",
	"valid",   "next",  "pair",  "fragment", "ptype", "hidden",
};

static void pair_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *node) {
	struct scope scope = {.header = header};
	struct ddp_lexer lexer;
	struct ddp_ref refs[2];

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "two fields such as 'src dst'"))
		return;
	ddp_lexer_init(&lexer, &node->text, l->diag);
	for (unsigned int i = 0; i < 2; i++) {
		struct ddp_token token = ddp_lexer_take(&lexer);

		if (!ref_read(l, &scope, &token, &refs[i]))
			return;
	}
	if (!ddp_lexer_at_end(&lexer) || refs[0].which != DDP_WHICH_SELF ||
	    refs[1].which != DDP_WHICH_SELF || refs[0].bits != refs[1].bits) {
		ddp_error(l->diag, &node->place,
			  "a pair is two fields of the header, equally wide");
		return;
	}
	header->pair[0] = refs[0].field;
	header->pair[1] = refs[1].field;
	header->has_pair = true;
}

static void header_body(struct loader *l, struct ddp_header *header) {
	const struct ddp_yaml *node = header->root;
	struct scope before = {.header = header, .start_only = true, .no_ahead = true};
	struct scope whole = {.header = header, .no_ahead = true};
	const struct ddp_yaml *length = ddp_yaml_get(node, "length");
	const struct ddp_yaml *fragment = ddp_yaml_get(node, "fragment");

	groups_read(l, header);
	expr_read_all(l, &before, length, &header->length);
	if (length != NULL)
		header->open &= header->length.n_ops > 0; // else reported: it does not lack one
	cond_read(l, &whole, ddp_yaml_get(node, "valid"), &header->valid);
	cond_read(l, &whole, fragment, &header->fragment);
	header->can_fragment = fragment != NULL;
	pair_read(l, header, ddp_yaml_get(node, "pair"));
	header->rte_ptype = ptype_read(l, ddp_yaml_get(node, "ptype"));
	rules_read(l, header, ddp_yaml_get(node, "next"));
}

static void header_layout(struct loader *l, struct ddp_header *header) {
	const struct ddp_yaml *node = header->root;

	keys_allowed(l, node, "a header", header_keys, COUNT(header_keys));
	header->summary = word_get(l, node, "summary");
	header->hidden = flag_get(l, node, "hidden");
	if (flag_get(l, node, "first")) {
		const struct ddp_header *other = &l->profile->headers[l->profile->first];

		if (other->is_first)
			ddp_error(
				l->diag, &header->place,
				"'%s' (profile '%s') and '%s' in %s:%u (profile '%s') cannot both be "
				"the first header",
				header->name, header->profile, other->name, other->place.file,
				other->place.line, other->profile);
		header->is_first = true;
		l->profile->first = header - l->profile->headers;
	}
	layout_read(l, header, ddp_yaml_get(node, "layout"), ddp_yaml_get(node, "ahead"));
}

static void extend_read(struct loader *l, const struct ddp_yaml *key, const struct ddp_yaml *node) {
	static const char *const keys[] = {"after", "next"};
	int index = header_find(l, key->value, strlen(key->value));
	struct ddp_header *header;
	unsigned int n;

	if (index < 0) {
		unknown_header(l, &key->place, key->value, strlen(key->value));
		return;
	}
	if (!yaml_is(l, node, DDP_YAML_MAP, "'after' or 'next'") ||
	    !keys_allowed(l, node, "an extended header", keys, COUNT(keys)))
		return;
	header = &l->profile->headers[index];
	n = header->n_rules;
	rules_read(l, header, ddp_yaml_get(node, "next"));
	for (unsigned int i = n; i < header->n_rules; i++)
		attachment_check(l, header, &header->rules[i]);
	for (; n < header->n_rules; n++)
		header->rules[n].attached = true;
	after_read(l, index, ddp_yaml_get(node, "after"));
}

static void graph_read(struct loader *l, enum pass pass) {
	for (unsigned int i = 0; i < l->profile->n_headers; i++) {
		struct ddp_header *header = &l->profile->headers[i];

		if (header->profile != l->part->name)
			continue;
		if (pass == PASS_LAYOUT)
			header_layout(l, header);
		else if (pass == PASS_BODY)
			header_body(l, header);
		else
			after_read(l, i, ddp_yaml_get(header->root, "after"));
	}
	if (pass == PASS_AFTER)
		pairs_read(l, l->part->root, "extend", "headers by name", extend_read);
}

// Without a first header most likely base is missing: each of its names would be an error.
static bool has_first(struct loader *l) {
	const struct ddp_yaml *root = l->profile->parts[l->profile->n_parts - 1].root;

	if (l->diag->n_errors > 0 ||
	    (l->profile->n_headers > 0 && l->profile->headers[l->profile->first].is_first))
		return true;
	return ddp_refuse(l->diag, root != NULL ? &root->place : NULL,
			  "no header is the first of a packet; did you mean 'requires: [base]'?");
}

static bool passes_run(struct loader *l) {
	FOR_PARTS(l) {
		pairs_read(l, l->part->root, "tables", "tables by name", table_declare);
		pairs_read(l, l->part->root, "headers", "headers by name", header_declare);
		pairs_read(l, l->part->root, "paths", "paths by name", alias_declare);
	}
	for (enum pass pass = PASS_LAYOUT; pass <= PASS_AFTER; pass++) {
		FOR_PARTS(l) {
			graph_read(l, pass);
		}
		if (pass == PASS_LAYOUT && !has_first(l))
			return false;
	}
	for (unsigned int i = 0; i < l->n_tunnels; i++)
		tunnel_attach(l, &l->tunnels[i]);
	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		rules_sort(&l->profile->headers[i]);
	if (l->profile->modelled) {
		l->format->types_make(l);
		return true;
	}
	FOR_PARTS(l) {
		types_read(l);
	}
	return true;
}

// Let the named input set of a profile take effect, of all of them if part is NULL.
static bool input_set_choose(struct loader *l, const char *wanted,
			     const struct ddp_profile_part *part) {
	bool found = false;

	FOR_PARTS(l) {
		if (part == NULL || l->part == part)
			found |= input_set_apply(l, wanted);
	}
	return found;
}

static void input_sets_run(struct loader *l) {
	FOR_PARTS(l) {
		input_sets_read(l);
	}
	if (l->diag->n_errors > 0)
		return;
	for (unsigned int i = 0; i < l->profile->n_parts; i++) {
		const struct ddp_profile_part *part = &l->profile->parts[i];
		const char *wanted = part->request == NULL ? NULL : part->request->spec.input_set;
		char kind[80];

		// A bundle's default input set applies only if the bundle itself was requested.
		if (part->request != NULL)
			input_set_choose(l, "default", part);
		// A bundle has those of the profiles it requires.
		if (wanted == NULL || input_set_choose(l, wanted, part) ||
		    (part->n_input_sets == 0 && input_set_choose(l, wanted, NULL)))
			continue;
		snprintf(kind, sizeof(kind), "input set of profile '%.40s':", part->name);
		unknown_name(l, DDP_FILE(part->file), kind, wanted, strlen(wanted),
			     part->input_sets, part->n_input_sets);
	}
}

static void parts_finish(struct loader *l) {
	struct ddp_profile *profile = l->profile;

	profile->by_rss_hf = true;
	profile->n_named = l->n_requests;
	profile->named = ddp_arena_alloc(l->arena, l->n_requests * sizeof(*profile->named));
	FOR_PARTS(l) {
		const struct profile_request *request = l->part->request;
		const struct ddp_source *source;

		if (l->part->file == text_file)
			l->part->file = NULL;
		if (request == NULL)
			continue;
		source = request->source;
		l->part->named = true;
		profile->by_rss_hf &= l->part->by_rss_hf;
		profile->named[request - l->requests] = l->part;
		if (source->spec != NULL) {
			l->part->source.spec = request->spec.text;
		} else {
			l->part->source.text =
				ddp_arena_strndup(l->arena, source->text, source->size);
			l->part->source.size = source->size;
		}
	}
}

static int source_parse(struct loader *l, const struct ddp_source *source) {
	struct ddp_spec text = {.text = text_file, .file = text_file}, *specs = &text;
	const char *before = l->profile->spec;
	unsigned int n = 1;
	int ret = 0;

	if (source->spec != NULL)
		ret = ddp_spec_parse(source->spec, l->arena, &specs, &n, l->diag);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		*DDP_APPEND(l->arena, l->requests, l->n_requests) =
			(struct profile_request){specs[i], source};
	l->profile->spec = ddp_arena_printf(l->arena, "%s%s%s", before != NULL ? before : "",
					    before != NULL ? "+" : "",
					    source->spec != NULL ? source->spec : text_file);
	return ret;
}

static void load_all(void *arg) {
	struct loader *l = arg;

	for (unsigned int i = 0; i < l->n_sources; i++)
		if (source_parse(l, &l->sources[i]) < 0)
			return;
	for (unsigned int i = 0; i < l->n_requests; i++)
		part_load(l, l->requests[i].source->spec != NULL ? l->requests[i].spec.file : NULL,
			  &l->requests[i], NULL);
	requests_note(l);
	if (l->diag->n_errors > 0)
		return;
	settings_apply(l);
	if (!passes_run(l))
		return;
	if (l->diag->n_errors == 0 && !l->profile->modelled)
		input_sets_run(l);
	parts_finish(l);
	profile_check(l);
}

struct ddp_profile *ddp_profile_read(const struct ddp_load *load, struct ddp_diag *diag) {
	static const struct ddp_source base = {.spec = "base"};
	struct ddp_arena *arena = ddp_arena_create();
	unsigned int n_failures = ddp_diag_failures(diag);
	struct loader l = {
		.arena = arena,
		.diag = diag,
		.former = load->former,
		.format = load->format,
		.text = {.path = text_file},
		.sources = load->n_sources > 0 ? load->sources : &base,
		.n_sources = load->n_sources > 0 ? load->n_sources : 1,
		.tunnels = load->tunnels,
		.n_tunnels = load->n_tunnels,
		.profile = ddp_arena_try_alloc(arena, sizeof(*l.profile)),
	};

	if (l.profile == NULL) {
		ddp_arena_destroy(arena);
		ddp_no_memory(diag);
		return NULL;
	}
	l.profile->arena = arena;
	if (ddp_arena_run(load_all, &l) < 0)
		ddp_no_memory(diag);
	if (ddp_diag_failures(diag) > n_failures) {
		ddp_profile_destroy(l.profile);
		return NULL;
	}
	if (load->n_sources == 0) // base is not requested
		l.profile->n_named = 0;
	return l.profile;
}

struct ddp_profile *ddp_profile_load(const char *spec, struct ddp_diag *diag) {
	const struct ddp_source source = {.spec = spec};

	return ddp_profile_read(&(struct ddp_load){.sources = &source, .n_sources = spec != NULL},
				diag);
}

void ddp_profile_destroy(struct ddp_profile *profile) {
	if (profile != NULL)
		ddp_arena_destroy(profile->arena);
}
