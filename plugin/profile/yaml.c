/* SPDX-License-Identifier: BSD-3-Clause */
#include "loader.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 16 // levels of maps and lists

struct yaml_reader {
	const char *file;
	const char *source;
	size_t size;
	const char *at;  // the position of libyaml's mark of
	size_t at_index; // so many characters is in source; marks come in order
	yaml_parser_t parser;
	yaml_event_t event;    // the last one
	struct ddp_yaml *root; // the document, NULL after an error
	struct ddp_arena *arena;
	struct ddp_diag *diag;
};

// libyaml counts characters, the source is UTF-8.
static const char *mark_find(struct yaml_reader *r, const yaml_mark_t *mark) {
	const char *end = r->source + r->size;

	for (; r->at_index < mark->index && r->at < end; r->at_index++) {
		r->at++;
		while (r->at < end && ((unsigned char)*r->at & 0xc0) == 0x80)
			r->at++;
	}
	return r->at;
}

static struct ddp_place place_of(const struct yaml_reader *r, const yaml_mark_t *mark) {
	return (struct ddp_place){.file = r->file, .line = mark->line + 1, .col = mark->column + 1};
}

static struct ddp_yaml *node_new(struct yaml_reader *r, enum ddp_yaml_kind kind,
				 const yaml_mark_t *mark) {
	struct ddp_yaml *node = ddp_arena_alloc(r->arena, sizeof(*node));

	node->kind = kind;
	node->place = place_of(r, mark);
	return node;
}

// A quoted text as in the file, if without escapes: its tokens then have their positions.
static struct ddp_text quoted_text(const char *start, const char *end, const struct ddp_yaml *node,
				   char quote) {
	struct ddp_text text = {node->value, strlen(node->value), node->place};

	assert(start <= end);
	text.place.col++; // behind the quote
	if (end - start < 2 ||
	    memchr(start + 1, quote == '"' ? '\\' : quote, end - start - 2) != NULL)
		return text;
	text.s = start + 1;
	text.len = end - start - 2;
	return text;
}

static struct ddp_yaml *scalar_new(struct yaml_reader *r, const yaml_event_t *event) {
	struct ddp_yaml *node = node_new(r, DDP_YAML_SCALAR, &event->start_mark);
	const char *start = mark_find(r, &event->start_mark);
	const char *end = mark_find(r, &event->end_mark), *line_end;

	node->value = ddp_arena_strndup(r->arena, (const char *)event->data.scalar.value,
					event->data.scalar.length);
	node->text = (struct ddp_text){node->value, strlen(node->value), node->place};
	switch (event->data.scalar.style) {
	case YAML_PLAIN_SCALAR_STYLE:
		node->text = (struct ddp_text){start, end - start, node->place};
		break;
	case YAML_LITERAL_SCALAR_STYLE:
	case YAML_FOLDED_SCALAR_STYLE:
		line_end = memchr(start, '\n', end - start); // it begins below its sign
		start = line_end != NULL ? line_end + 1 : end;
		node->text = (struct ddp_text){start, end - start, node->place};
		node->text.place.line++;
		node->text.place.col = 1;
		break;
	default:
		node->text = quoted_text(start, end, node, *start);
		break;
	}
	return node;
}

void ddp_text_advance(struct ddp_text *text, size_t n) {
	assert(n <= text->len);
	for (size_t i = 0; i < n; i++) {
		if (text->s[i] == '\n') {
			text->place.line++;
			text->place.col = 1;
		} else if (((unsigned char)text->s[i] & 0xc0) != 0x80) {
			text->place.col++;
		}
	}
	text->s += n;
	text->len -= n;
}

// A line of the file, which ends with '\n' or the text, without its indentation.
static const char *line_find(const struct yaml_reader *r, size_t line, size_t *indent) {
	const char *s = r->source, *next;

	for (; line > 0 && (next = strchr(s, '\n')) != NULL; line--)
		s = next + 1;
	*indent = strspn(s, " ");
	return s + *indent;
}

// Among the first characters of a line.
static bool line_has(const char *s, size_t len, char c) {
	const char *at = memchr(s, c, strnlen(s, len));

	return at != NULL && at < s + strcspn(s, "\n") &&
	       (c != ':' || strchr(" \r\n", at[1]) != NULL);
}

// Mistakes that libyaml notices behind their position, or reports in terms of its grammar: place
// moves to the mistake. libyaml tells them by text only; an unknown one is shown.
static const char *cure_find(const struct yaml_reader *r, struct ddp_place *place) {
	const yaml_parser_t *parser = &r->parser;
	const char *problem = parser->problem != NULL ? parser->problem : "", *s;
	size_t line = parser->problem_mark.line, indent, len;
	bool deeper;

	if (strcmp(problem, "could not find expected ':'") == 0) {
		*place = place_of(r, &parser->context_mark);
		return "':' is missing behind this key";
	}
	s = line_find(r, line, &indent);
	len = parser->problem_mark.column > indent ? parser->problem_mark.column - indent : 0;
	if (strstr(problem, "cannot start any token") != NULL)
		return line_has(s, len + 1, '\t') ?
			       "a tab cannot indent a line; use spaces" :
			       "a text that begins with this character needs quotes";
	deeper = strstr(problem, "mapping values are not allowed") != NULL;
	if (line == 0 ||
	    (!deeper && (strcmp(problem, "did not find expected key") != 0 || len > 0)))
		return NULL;
	if (line_has(s, len, ':'))
		return "a text with ': ' in it needs quotes";
	do
		s = line_find(r, --line, &indent);
	while (line > 0 && (*s == '#' || strchr("\r\n", *s) != NULL));
	if (line_has(s, DDP_YAML_SIZE_MAX, ':'))
		return deeper ?
			       "this line is indented more than the one above, whose key has a value" :
			       "this line is indented as no line above";
	place->line = line + 1;
	place->col = indent + 1;
	return "':' is missing behind this key";
}

static void yaml_error(struct yaml_reader *r) {
	const yaml_parser_t *parser = &r->parser;
	struct ddp_place place = place_of(r, &parser->problem_mark);
	const char *cure;
	char where[32] = "";

	if (parser->error == YAML_MEMORY_ERROR) {
		ddp_no_memory(r->diag);
		return;
	}
	cure = cure_find(r, &place);
	if (cure != NULL) {
		ddp_error(r->diag, &place, "YAML: %s", cure);
		return;
	}
	if (parser->error == YAML_READER_ERROR) { // text that is not UTF-8: there is no mark
		struct ddp_text text = {r->source, r->size, {r->file, 1, 1}};

		ddp_text_advance(&text, parser->problem_offset);
		place = text.place;
	}
	if (parser->context != NULL && parser->context_mark.line != parser->problem_mark.line)
		snprintf(where, sizeof(where), " in line %zu", parser->context_mark.line + 1);
	ddp_error(r->diag, &place, "YAML: %s%s%s%s",
		  parser->problem != NULL ? parser->problem : "cannot be parsed",
		  parser->context != NULL ? ", " : "",
		  parser->context != NULL ? parser->context : "", where);
}

// The next event replaces the last one.
static bool event_next(struct yaml_reader *r) {
	yaml_event_delete(&r->event);
	if (yaml_parser_parse(&r->parser, &r->event))
		return true;
	yaml_error(r);
	return false;
}

static struct ddp_yaml *node_read(struct yaml_reader *r, unsigned int depth);

static bool items_read(struct yaml_reader *r, struct ddp_yaml *node, yaml_event_type_t end,
		       unsigned int depth) {
	for (;;) {
		struct ddp_yaml *item;

		if (!event_next(r))
			return false;
		if (r->event.type == end)
			return true;
		item = node_read(r, depth + 1);
		if (item == NULL)
			return false;
		*DDP_APPEND(r->arena, node->items, node->n_items) = item;
	}
}

static bool is_before(const struct ddp_place *a, const struct ddp_place *b) {
	return a->line != b->line ? a->line < b->line : a->col < b->col;
}

// By their text, those of the same text in the file's order.
static int key_compare(const void *a, const void *b) {
	const struct ddp_yaml *x = *(struct ddp_yaml *const *)a, *y = *(struct ddp_yaml *const *)b;
	int order = strcmp(x->value, y->value);

	return order != 0 ? order :
			    is_before(&y->place, &x->place) - is_before(&x->place, &y->place);
}

// Sorted, as comparing each key with all others takes minutes for a file of many.
static bool keys_differ(struct yaml_reader *r, const struct ddp_yaml *map) {
	unsigned int n = ddp_yaml_n_pairs(map);
	struct ddp_yaml **keys = ddp_arena_alloc(r->arena, n * sizeof(*keys));
	const struct ddp_yaml *first = NULL, *again = NULL;

	for (unsigned int i = 0; i < n; i++)
		keys[i] = ddp_yaml_key(map, i);
	qsort(keys, n, sizeof(*keys), key_compare);
	for (unsigned int i = 1; i < n; i++) {
		if (strcmp(keys[i]->value, keys[i - 1]->value) != 0 ||
		    (again != NULL && !is_before(&keys[i]->place, &again->place)))
			continue;
		first = keys[i - 1];
		again = keys[i];
	}
	if (again != NULL)
		ddp_error(r->diag, &again->place, "'%s' is given twice, first in line %u",
			  again->value, first->place.line);
	return again == NULL;
}

static bool keys_check(struct yaml_reader *r, const struct ddp_yaml *map) {
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(map); i++) {
		const struct ddp_yaml *key = ddp_yaml_key(map, i), *value = ddp_yaml_value(map, i);

		if (key->kind != DDP_YAML_SCALAR)
			return ddp_refuse(r->diag, &key->place, "a key must be a plain word");
		if (strchr(key->value, '=') != NULL && value->kind == DDP_YAML_SCALAR &&
		    value->text.len == 0) { // {version = 1}
			return ddp_refuse(r->diag, &key->place,
					  "'%s' has no value; did you mean ':' for '='?",
					  key->value);
		}
	}
	return keys_differ(r, map);
}

// Whether a node has an anchor, tag or alias, which would make it stand for something else.
static bool is_decorated(const yaml_event_t *event) {
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor != NULL ||
		       event->data.sequence_start.tag != NULL;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor != NULL ||
		       event->data.mapping_start.tag != NULL;
	default:
		return event->type == YAML_ALIAS_EVENT;
	}
}

// The node that begins with the last event.
static struct ddp_yaml *node_read(struct yaml_reader *r, unsigned int depth) {
	const yaml_event_t *event = &r->event;
	struct ddp_place place = place_of(r, &event->start_mark);
	struct ddp_yaml *node;

	if (depth > DEPTH_MAX)
		return ddp_refuse_null(r->diag, &place, "nested too deep");
	if (is_decorated(event))
		return ddp_refuse_null(
			r->diag, &place,
			"anchors, aliases and tags (&, * and !) cannot be used here");
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		if (memchr(event->data.scalar.value, 0, event->data.scalar.length) != NULL)
			return ddp_refuse_null(r->diag, &place, "text with a NUL byte");
		return scalar_new(r, event);
	case YAML_SEQUENCE_START_EVENT:
		node = node_new(r, DDP_YAML_LIST, &event->start_mark);
		return items_read(r, node, YAML_SEQUENCE_END_EVENT, depth) ? node : NULL;
	case YAML_MAPPING_START_EVENT:
		node = node_new(r, DDP_YAML_MAP, &event->start_mark);
		if (!items_read(r, node, YAML_MAPPING_END_EVENT, depth) || !keys_check(r, node))
			return NULL;
		return node;
	default:
		return ddp_refuse_null(r->diag, &place, "nothing here");
	}
}

static void document_read(void *arg) {
	struct yaml_reader *r = arg;
	struct ddp_place place = {.file = r->file, .line = 1, .col = 1};
	struct ddp_yaml *root = NULL;

	for (;;) {
		if (!event_next(r))
			return;
		switch (r->event.type) {
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT:
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (root == NULL)
				break;
			place = place_of(r, &r->event.start_mark);
			ddp_error(r->diag, &place, "a second document: a file holds one profile");
			return;
		case YAML_STREAM_END_EVENT:
			if (root == NULL)
				ddp_error(r->diag, &place, "the file is empty");
			r->root = root;
			return;
		default:
			root = node_read(r, 0);
			if (root == NULL)
				return;
		}
	}
}

struct ddp_yaml *ddp_yaml_parse(const char *text, size_t size, const char *file,
				struct ddp_arena *arena, struct ddp_diag *diag) {
	struct yaml_reader r = {.file = file, .size = size, .arena = arena, .diag = diag};
	char *source;

	if (size > DDP_YAML_SIZE_MAX)
		return ddp_refuse_null(diag, DDP_FILE(file), "larger than %d bytes: not a profile",
				       DDP_YAML_SIZE_MAX);
	source = ddp_arena_try_alloc(arena, size + 1);
	if (source == NULL || !yaml_parser_initialize(&r.parser)) {
		ddp_no_memory(diag);
		return NULL;
	}
	r.source = memcpy(source, text, size);
	if (size >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0) { // byte order mark
		r.source += 3;
		r.size -= 3;
	}
	r.at = r.source;
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.source, r.size);
	if (ddp_arena_run(document_read, &r) < 0)
		ddp_no_memory(diag);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	return r.root;
}

struct ddp_yaml *ddp_yaml_get(const struct ddp_yaml *map, const char *key) {
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(map); i++)
		if (strcmp(ddp_yaml_key(map, i)->value, key) == 0)
			return ddp_yaml_value(map, i);
	return NULL;
}
