/* SPDX-License-Identifier: BSD-3-Clause */
// Packet types: the paths that make them up, and the fields hashed and extracted for each.
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/rss_hf.h"
#include "base/rte_ptype.h"
#include "loader.h"

#define BLANKS " \t\n" // between names

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PATH_DEPTH_MAX 24  // levels
#define PATH_NODES_MAX 400 // nodes of a path

/* Paths */

struct path_reader {
	struct loader *l;
	struct ddp_lexer lexer;
	unsigned int depth;
	unsigned int *n_nodes; // of the whole path
};

static struct ddp_path *either_read(struct path_reader *r);

static struct ddp_path *path_new(struct path_reader *r, enum ddp_path_kind kind,
				 struct ddp_path *left, struct ddp_path *right) {
	struct ddp_path *path;

	if (++*r->n_nodes > PATH_NODES_MAX) {
		if (*r->n_nodes == PATH_NODES_MAX + 1)
			ddp_error(r->l->diag, &r->lexer.token.place, "this path is too long");
		return NULL;
	}
	path = ddp_arena_alloc(r->l->arena, sizeof(*path));
	*path = (struct ddp_path){.kind = kind, .left = left, .right = right};
	return path;
}

static void unknown_step(struct loader *l, const struct ddp_token *token) {
	const char *known[DDP_MAX_NODES + 100];
	unsigned int n = 0;

	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		if (!l->profile->headers[i].hidden)
			known[n++] = l->profile->headers[i].name;
	for (unsigned int i = 0; i < l->n_aliases && i < 100; i++)
		known[n++] = l->aliases[i].name;
	assert(n <= COUNT(known));
	unknown_name(l, &token->place, "header or path", token->s, token->len, known, n);
}

static struct ddp_path *alias_expand(struct path_reader *r, struct alias *alias,
				     const struct ddp_token *token) {
	struct path_reader inside = {.l = r->l, .depth = r->depth + 1, .n_nodes = r->n_nodes};
	struct ddp_path *path;

	if (alias->open || r->depth > PATH_DEPTH_MAX)
		return ddp_refuse_null(r->l->diag, &token->place,
				       alias->open ? "path '%s' contains itself" :
						     "path '%s': nested too deep",
				       alias->name);
	alias->open = true;
	ddp_lexer_init(&inside.lexer, &alias->text, r->l->diag);
	path = either_read(&inside);
	if (path != NULL && !ddp_lexer_at_end(&inside.lexer)) {
		ddp_lexer_unexpected(&inside.lexer, "a header");
		path = NULL;
	}
	alias->open = false;
	return path;
}

// '_': each header that can be part of a path.
static struct ddp_path *any_make(struct path_reader *r) {
	const struct ddp_profile *profile = r->l->profile;
	struct ddp_path *path = NULL;

	for (unsigned int i = 0; i < profile->n_headers; i++) {
		struct ddp_path *header;

		if (profile->headers[i].hidden)
			continue;
		header = path_new(r, DDP_PATH_HEADER, NULL, NULL);
		if (header == NULL)
			return NULL;
		header->node = i;
		path = path == NULL ? header : path_new(r, DDP_PATH_EITHER, path, header);
		if (path == NULL)
			return NULL;
	}
	if (path != NULL)
		path->any = true;
	return path;
}

static struct ddp_path *step_read(struct path_reader *r) {
	struct ddp_token token = r->lexer.token;
	struct ddp_path *path;
	struct alias *alias;
	int node, at;

	if (ddp_lexer_accept(&r->lexer, "(")) {
		if (++r->depth > PATH_DEPTH_MAX)
			return ddp_refuse_null(r->l->diag, &token.place, "nested too deep");
		path = either_read(r);
		r->depth--;
		return path != NULL && ddp_lexer_expect(&r->lexer, ")") ? path : NULL;
	}
	if (token.kind != DDP_TOKEN_NAME) {
		ddp_lexer_unexpected(&r->lexer, "a header");
		return NULL;
	}
	ddp_lexer_take(&r->lexer);
	if (token.len == 1 && *token.s == '_')
		return any_make(r);
	at = NAME_FIND(r->l->aliases, r->l->n_aliases, token.s, token.len);
	alias = at < 0 ? NULL : &r->l->aliases[at];
	node = header_find(r->l, token.s, token.len);
	if (alias != NULL && node >= 0 && !r->l->profile->headers[node].hidden)
		return ddp_refuse_null(r->l->diag, &alias->place,
				       "path '%s': a header in %s:%u has this name", alias->name,
				       r->l->profile->headers[node].place.file,
				       r->l->profile->headers[node].place.line);
	if (alias != NULL)
		return alias_expand(r, alias, &token);
	if (node < 0) {
		unknown_step(r->l, &token);
		return NULL;
	}
	if (r->l->profile->headers[node].hidden)
		return ddp_refuse_null(r->l->diag, &token.place,
				       "'%s' is hidden: it cannot be part of a path",
				       r->l->profile->headers[node].name);
	path = path_new(r, DDP_PATH_HEADER, NULL, NULL);
	if (path != NULL)
		path->node = node;
	return path;
}

static struct ddp_path *repeat_read(struct path_reader *r) {
	struct ddp_path *path = step_read(r);

	while (path != NULL) {
		if (ddp_lexer_accept(&r->lexer, "*"))
			path = path_new(r, DDP_PATH_ANY, path, NULL);
		else if (ddp_lexer_accept(&r->lexer, "?"))
			path = path_new(r, DDP_PATH_OPTIONAL, path, NULL);
		else if (ddp_lexer_accept(&r->lexer, "+"))
			path = path_new(r, DDP_PATH_SOME, path, NULL);
		else
			break;
	}
	return path;
}

static struct ddp_path *sequence_read(struct path_reader *r) {
	struct ddp_path *path = repeat_read(r);

	while (path != NULL &&
	       (r->lexer.token.kind == DDP_TOKEN_NAME || ddp_lexer_is(&r->lexer, "("))) {
		struct ddp_path *next = repeat_read(r);

		path = next == NULL ? NULL : path_new(r, DDP_PATH_SEQUENCE, path, next);
	}
	return path;
}

static struct ddp_path *either_read(struct path_reader *r) {
	struct ddp_path *path = sequence_read(r);

	while (path != NULL && ddp_lexer_accept(&r->lexer, "|")) {
		struct ddp_path *other = sequence_read(r);

		path = other == NULL ? NULL : path_new(r, DDP_PATH_EITHER, path, other);
	}
	return path;
}

static const struct ddp_path *path_read(struct loader *l, const struct ddp_yaml *node) {
	unsigned int n_nodes = 0;
	struct path_reader r = {.l = l, .n_nodes = &n_nodes};
	const struct ddp_path *path;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "a path such as 'eth vlan* ipv4 udp'"))
		return NULL;
	ddp_lexer_init(&r.lexer, &node->text, l->diag);
	path = either_read(&r);
	if (path != NULL && !ddp_lexer_at_end(&r.lexer)) {
		ddp_lexer_unexpected(&r.lexer, "a header");
		return NULL;
	}
	return path;
}

/* Fields hashed and extracted */

// Behind a field and '/': how many of its leading bits, or a mask with ones for the bits meant.
static bool bits_read(struct loader *l, const struct ddp_text *text, struct ddp_ref *ref) {
	const unsigned int width = ref->bits;
	unsigned __int128 mask, ones;
	struct ddp_pattern pattern;
	unsigned int right = 0, n = 0;

	if (strspn(text->s, "0123456789") >= text->len) {
		for (size_t i = 0; i < text->len && n <= width; i++)
			n = 10 * n + text->s[i] - '0';
		ref->bits = n;
		if (n > 0 && n <= width)
			return true;
	} else if (memchr(text->s, '/', text->len) == NULL) {
		if (!pattern_read(l, text, width, &pattern))
			return false;
		mask = (unsigned __int128)pattern.value_hi << 64 | pattern.value_lo;
		for (ones = mask; ones != 0 && (ones & 1) == 0; ones >>= 1)
			right++;
		for (; (ones & 1) != 0; ones >>= 1)
			n++;
		ref->bits = n;
		ref->skip = width - right - n;
		if (mask != 0 && ones == 0)
			return true;
	}
	return ddp_refuse(
		l->diag, &text->place,
		"'%s/%.*s': expected a number of leading bits, 1 to %u, or a mask of bits side by "
		"side, such as 0x3c",
		ref->name, (int)text->len, text->s, width);
}

static bool refs_parse(struct loader *l, const struct ddp_yaml *node, struct ddp_ref **refs,
		       unsigned int *n_refs) {
	struct scope scope = {.no_ahead = true};
	struct ddp_lexer lexer;

	ddp_lexer_init(&lexer, &node->text, l->diag);
	while (!ddp_lexer_at_end(&lexer)) {
		struct ddp_token name = lexer.token;
		struct ddp_ref *ref = DDP_APPEND(l->arena, *refs, *n_refs);

		if (name.kind != DDP_TOKEN_NAME)
			return ddp_lexer_unexpected(&lexer, "a field");
		ddp_lexer_take(&lexer);
		if (!ref_read(l, &scope, &name, ref))
			return false;
		if (ddp_lexer_is(&lexer, "/")) { // some of its bits only
			struct ddp_text bits = ddp_lexer_word(&lexer);

			if (!bits_read(l, &bits, ref))
				return false;
			ref->name = ddp_arena_strndup(l->arena, name.s, bits.s + bits.len - name.s);
		}
	}
	return true;
}

static bool refs_read(struct loader *l, const struct ddp_yaml *node, struct ddp_ref **refs,
		      unsigned int *n_refs) {
	if (yaml_is(l, node, DDP_YAML_SCALAR, "fields such as 'ipv4.src ipv4.dst'") &&
	    refs_parse(l, node, refs, n_refs))
		return true;
	*n_refs = 0; // no half a list
	return false;
}

static void hf_read(struct loader *l, const struct ddp_yaml *node, uint64_t *rss_hf) {
	const char *s, *known[64];

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "RSS types such as 'ipv4-udp ipv4'"))
		return;
	for (unsigned int bit = 0; bit < 64; bit++)
		known[bit] = ddp_rss_hf_name(bit);
	for (s = node->value + strspn(node->value, BLANKS); *s != '\0';) {
		size_t len = strcspn(s, BLANKS);
		struct ddp_place place = node->text.place;
		char *name = ddp_arena_strndup(l->arena, s, len);
		const char *unknown;
		size_t unknown_len;
		uint64_t bits = 0;

		place.col += s - node->value;
		if (ddp_rss_hf_parse(name, &bits, &unknown, &unknown_len) < 0)
			unknown_name(l, &place, "RSS type", name, len, known, 64);
		*rss_hf |= bits;
		s += len + strspn(s + len, BLANKS);
	}
}

static void input_set_check(struct loader *l, struct ddp_input_set *set) {
	for (unsigned int i = 0; i < set->n_inputs; i++)
		set->size += (set->inputs[i].bits + 7) / 8;
	if (set->n_inputs == 0)
		ddp_error(l->diag, &set->place, "an input set without a field");
	else if (set->size > DDP_MAX_INPUT_SIZE)
		ddp_error(l->diag, &set->place,
			  "this input set takes %u bytes, a hash covers at most %d", set->size,
			  DDP_MAX_INPUT_SIZE);
}

static void input_set_read(struct loader *l, const struct ddp_yaml *node,
			   struct ddp_input_set *set) {
	static const char *const keys[] = {"when", "rss_hf", "hash"};
	struct scope scope = {.no_ahead = true};
	const struct ddp_yaml *value = node;

	set->place = node->place;
	if (node->kind != DDP_YAML_SCALAR) {
		if (!yaml_is(l, node, DDP_YAML_MAP,
			     "an input set such as {when: {...}, hash: ipv4.src}") ||
		    !keys_allowed(l, node, "an input set", keys, COUNT(keys)))
			return;
		cond_read(l, &scope, ddp_yaml_get(node, "when"), &set->cond);
		hf_read(l, ddp_yaml_get(node, "rss_hf"), &set->rss_hf);
		value = ddp_yaml_get(node, "hash");
		if (value == NULL)
			ddp_error(l->diag, &node->place, "an input set without 'hash'");
	}
	if (refs_read(l, value, &set->inputs, &set->n_inputs))
		input_set_check(l, set);
}

static void rss_read(struct loader *l, const struct ddp_yaml *node, struct ddp_input_set **sets,
		     unsigned int *n_sets) {
	const unsigned int n = node == NULL ? 0 : node->kind == DDP_YAML_LIST ? node->n_items : 1;

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_input_set *set = DDP_APPEND(l->arena, *sets, *n_sets);

		input_set_read(l, node->kind == DDP_YAML_LIST ? node->items[i] : node, set);
		if (cond_is_never(&set->cond))
			(*sets)[--*n_sets] = (struct ddp_input_set){0};
	}
}

/* Packet types */

const struct ptype_word ptype_words[] = {
#define X(name, bits) {#name, bits},
	DDP_RTE_PTYPES(X)};
const unsigned int n_ptype_words = COUNT(ptype_words);

uint32_t ptype_read(struct loader *l, const struct ddp_yaml *node) {
	struct ddp_lexer lexer;
	uint32_t bits = 0;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "packet type words such as L3_IPV4"))
		return 0;
	ddp_lexer_init(&lexer, &node->text, l->diag);
	while (lexer.token.kind == DDP_TOKEN_NAME) {
		struct ddp_token word = ddp_lexer_take(&lexer);
		int i = NAME_FIND(ptype_words, COUNT(ptype_words), word.s, word.len);

		if (i < 0)
			unknown_name(l, &word.place, "packet type word", word.s, word.len,
				     ptype_words, COUNT(ptype_words));
		else
			bits |= ptype_words[i].bits;
	}
	if (!ddp_lexer_at_end(&lexer))
		ddp_lexer_unexpected(&lexer, "a packet type word");
	return bits;
}

static void priority_read(struct loader *l, const struct ddp_yaml *node, int *priority) {
	char *end;
	long value;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "a number"))
		return;
	value = strtol(node->value, &end, 10);
	if (*node->value == '\0' || *end != '\0' || value < -1000 || value > 1000)
		ddp_error(l->diag, &node->place, "priority '%s': a number from -1000 to 1000",
			  node->value);
	else
		*priority = value;
}

static struct ddp_packet_type *type_new(struct loader *l, const struct ddp_yaml *key) {
	int other =
		NAME_FIND(l->profile->types, l->profile->n_types, key->value, strlen(key->value));
	struct ddp_packet_type *type = other < 0 ? NULL : &l->profile->types[other];

	if (type != NULL && !already_there(l, "packet type", key, &type->place, type->profile))
		return NULL;
	if (strlen(key->value) > 63 ||
	    strspn(key->value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz"
			       "0123456789_-") != strlen(key->value) ||
	    *key->value == '\0')
		return ddp_refuse_null(
			l->diag, &key->place,
			"packet type '%s': a name has 1 to 63 letters, digits, '_' or '-'",
			key->value);
	if (strcmp(key->value, "none") == 0 || strcmp(key->value, "UNKNOWN") == 0)
		return ddp_refuse_null(
			l->diag, &key->place,
			"packet type '%s': packets without a packet type are called so",
			key->value);
	if (!room_check(l, l->profile->n_types, DDP_MAX_TYPES, &key->place, "packet types"))
		return NULL;
	type = DDP_APPEND(l->arena, l->profile->types, l->profile->n_types);
	type->name = key->value;
	type->id = l->profile->n_types;
	type->profile = l->part->name;
	type->place = key->place;
	return type;
}

static void type_read(struct loader *l, const struct ddp_yaml *key, const struct ddp_yaml *node) {
	static const char *const keys[] = {"path",     "summary", "when",   "ptype",
					   "priority", "rss",     "extract"};
	struct scope scope = {.no_ahead = true};
	struct ddp_packet_type *type;
	const struct ddp_yaml *value;

	if (!yaml_is(l, node, DDP_YAML_MAP, "a packet type with a 'path'") ||
	    !keys_allowed(l, node, "a packet type", keys, COUNT(keys)))
		return;
	type = type_new(l, key);
	if (type == NULL)
		return;
	value = ddp_yaml_get(node, "path");
	if (value == NULL)
		ddp_error(l->diag, &key->place, "packet type '%s' has no 'path'", type->name);
	else
		type->path = path_read(l, value);
	value = ddp_yaml_get(node, "summary");
	if (yaml_is(l, value, DDP_YAML_SCALAR, "text"))
		type->summary = value->value;
	cond_read(l, &scope, ddp_yaml_get(node, "when"), &type->cond);
	type->rte_ptype = ptype_read(l, ddp_yaml_get(node, "ptype"));
	priority_read(l, ddp_yaml_get(node, "priority"), &type->priority);
	rss_read(l, ddp_yaml_get(node, "rss"), &type->sets, &type->n_sets);
	value = ddp_yaml_get(node, "extract");
	if (refs_read(l, value, &type->extract, &type->n_extract) && type->n_extract > 0 &&
	    type->extract[0].bits > 32)
		ddp_error(
			l->diag, &value->place,
			"'%s' has %u bits: the first field extracted goes into the mbuf and has at "
			"most 32",
			type->extract[0].name, type->extract[0].bits);
}

void types_read(struct loader *l) {
	pairs_read(l, l->part->root, "packet_types", "packet types by name", type_read);
}

/* Named input sets */

// One entry for each of the packet types and patterns, which are separated by blanks.
static void set_pair_read(struct loader *l, const struct ddp_yaml *key, const struct ddp_yaml *node,
			  struct ddp_named_set *named) {
	const char *s = key->value + strspn(key->value, BLANKS);
	struct ddp_named_entry entry = {0};

	rss_read(l, node, &entry.sets, &entry.n_sets);
	do {
		const size_t len = strcspn(s, BLANKS);
		struct ddp_place place = key->text.place;
		unsigned int i = 0;

		entry.types = ddp_arena_strndup(l->arena, s, len);
		while (i < l->profile->n_types &&
		       fnmatch(entry.types, l->profile->types[i].name, 0) != 0)
			i++;
		place.col += s - key->value;
		if (i == l->profile->n_types)
			unknown_name(l, &place, "packet type", s, len, l->profile->types,
				     l->profile->n_types);
		for (i = 0; i < named->n_entries; i++)
			if (strcmp(named->entries[i].types, entry.types) == 0)
				ddp_error(l->diag, &place, "'%s' is given twice", entry.types);
		*DDP_APPEND(l->arena, named->entries, named->n_entries) = entry;
		s += len + strspn(s + len, BLANKS);
	} while (*s != '\0');
}

static void named_read(struct loader *l, const struct ddp_yaml *key, const struct ddp_yaml *node) {
	struct ddp_named_set *named;

	if (!yaml_is(l, node, DDP_YAML_MAP, "packet types and what to hash for them"))
		return;
	named = DDP_APPEND(l->arena, l->part->input_sets, l->part->n_input_sets);
	named->name = key->value;
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(node); i++) {
		const struct ddp_yaml *types = ddp_yaml_key(node, i);

		if (strcmp(types->value, "summary") == 0)
			named->summary = ddp_yaml_value(node, i)->value;
		else
			set_pair_read(l, types, ddp_yaml_value(node, i), named);
	}
}

void input_sets_read(struct loader *l) {
	pairs_read(l, l->part->root, "input_sets", "input sets by name", named_read);
}

bool input_set_apply(struct loader *l, const char *wanted) {
	const int at =
		NAME_FIND(l->part->input_sets, l->part->n_input_sets, wanted, strlen(wanted));
	struct ddp_named_set *named;

	if (at < 0)
		return false;
	named = &l->part->input_sets[at];
	named->chosen = true;
	for (unsigned int i = 0; i < named->n_entries; i++) {
		for (unsigned int t = 0; t < l->profile->n_types; t++) {
			struct ddp_packet_type *type = &l->profile->types[t];

			if (fnmatch(named->entries[i].types, type->name, 0) != 0)
				continue;
			type->sets = named->entries[i].sets;
			type->n_sets = named->entries[i].n_sets;
		}
	}
	return true;
}
