/* SPDX-License-Identifier: BSD-3-Clause */
// The layout of a header: fields in wire order, "name:bits", '_' for bits nobody needs,
// "[condition ? fields]" for fields that are there or not, "..." for a middle of varying size (what
// follows it is counted from the header's end).
#include <string.h>

#include "loader.h"

#define LAYOUT_BITS_MAX (8 * DDP_MAX_LAYOUT_SIZE)
#define TOO_WIDE 4096 // bits: a product of widths stops growing here

struct layout {
	struct loader *l;
	struct ddp_header *header;
	struct ddp_lexer lexer;
	enum ddp_anchor anchor;
	int group;              // open group, -1 for none
	unsigned int bits;      // so far, in this anchor's part, groups left out
	unsigned int first_end; // index of the first field after "..."
};

static bool factor_read(struct layout *y, uint64_t *factor) {
	struct ddp_token token = y->lexer.token;

	if (token.kind == DDP_TOKEN_NUMBER)
		*factor = token.number;
	else if (token.kind != DDP_TOKEN_PARAM)
		return ddp_lexer_unexpected(&y->lexer, "a number of bits");
	else if (!param_number(y->l, &token, 16, "a width takes one", factor))
		return false;
	ddp_lexer_take(&y->lexer);
	return true;
}

// "16", "$bits" or "(8 * $bytes)".
static bool width_read(struct layout *y, uint64_t *width) {
	uint64_t factor;

	if (!ddp_lexer_accept(&y->lexer, "("))
		return factor_read(y, width);
	*width = 1;
	do {
		if (!factor_read(y, &factor))
			return false;
		*width *= factor < TOO_WIDE ? factor : TOO_WIDE;
		*width = *width < TOO_WIDE ? *width : TOO_WIDE;
	} while (ddp_lexer_accept(&y->lexer, "*"));
	return ddp_lexer_expect(&y->lexer, ")");
}

static bool field_add(struct layout *y, const struct ddp_token *name, uint64_t width) {
	struct ddp_group *group = y->group < 0 ? NULL : &y->header->groups[y->group];
	struct ddp_field *field;
	bool filler = name->len == 1 && *name->s == '_';
	uint64_t bits = y->bits;

	assert(y->group < (int)y->header->n_groups);
	for (unsigned int i = 0; i < y->header->n_groups; i++)
		bits += y->header->groups[i].bits;
	if (width == 0 || (width > 128 && !filler))
		return ddp_refuse(y->l->diag, &name->place,
				  "field '%.*s': %llu bits, 1 to 128 are possible", (int)name->len,
				  name->s, (unsigned long long)width);
	if (bits + width > LAYOUT_BITS_MAX)
		return ddp_refuse(y->l->diag, &name->place,
				  "header '%s': a layout holds at most %d bytes", y->header->name,
				  DDP_MAX_LAYOUT_SIZE);
	if (!filler) {
		if (NAME_FIND(y->header->fields, y->header->n_fields, name->s, name->len) >= 0)
			return ddp_refuse(y->l->diag, &name->place,
					  "header '%s': field '%.*s' stands twice in its layout",
					  y->header->name, (int)name->len, name->s);
		if (y->header->n_fields == DDP_MAX_FIELDS)
			return ddp_refuse(y->l->diag, &name->place,
					  "header '%s': more than %d fields", y->header->name,
					  DDP_MAX_FIELDS);
		field = DDP_APPEND(y->l->arena, y->header->fields, y->header->n_fields);
		field->name = ddp_arena_strndup(y->l->arena, name->s, name->len);
		field->place = name->place;
		field->width = width;
		field->anchor = y->anchor;
		field->group = y->group;
		field->n_before =
			y->anchor == DDP_FROM_START ? y->header->n_groups - (group != NULL) : 0;
		field->bit_off = y->bits + (group != NULL ? group->bits : 0);
	}
	if (group != NULL)
		group->bits += width;
	else
		y->bits += width;
	return true;
}

static bool group_open(struct layout *y) {
	struct ddp_token bracket = ddp_lexer_take(&y->lexer);
	const size_t len = y->lexer.rest.s + y->lexer.rest.len - bracket.s;
	unsigned int depth = 0;

	if (y->group >= 0 || y->anchor != DDP_FROM_START)
		return ddp_refuse(y->l->diag, &bracket.place, "optional fields cannot stand %s",
				  y->group >= 0 ? "inside optional fields" :
						  "behind '...' or in 'ahead'");
	if (y->header->n_groups == DDP_MAX_GROUPS)
		return ddp_refuse(y->l->diag, &bracket.place,
				  "more than %d groups of optional fields", DDP_MAX_GROUPS);
	if (y->bits % 8 != 0)
		return ddp_refuse(y->l->diag, &bracket.place,
				  "optional fields must begin at a whole byte, this is bit %u",
				  y->bits);
	// The condition is read once all headers are known: groups_read().
	while (depth > 0 || !ddp_lexer_is(&y->lexer, "?")) {
		if (ddp_lexer_at_end(&y->lexer) || y->lexer.token.kind == DDP_TOKEN_BAD ||
		    ddp_lexer_is(&y->lexer, "]"))
			return ddp_lexer_unexpected(&y->lexer, "'condition ? fields ]'");
		depth += ddp_lexer_is(&y->lexer, "(");
		depth -= ddp_lexer_is(&y->lexer, ")") && depth > 0;
		ddp_lexer_take(&y->lexer);
	}
	ddp_lexer_take(&y->lexer);
	y->group = y->header->n_groups;
	*DDP_APPEND(y->l->arena, y->header->groups, y->header->n_groups) =
		(struct ddp_group){.text = {bracket.s, len, bracket.place}};
	return true;
}

static bool group_close(struct layout *y) {
	struct ddp_token bracket = ddp_lexer_take(&y->lexer);
	const struct ddp_group *group = y->group < 0 ? NULL : &y->header->groups[y->group];

	if (group == NULL)
		return ddp_refuse(y->l->diag, &bracket.place, "']' without '['");
	if (group->bits == 0 || group->bits % 8 != 0)
		return ddp_refuse(y->l->diag, &bracket.place,
				  "optional fields must take whole bytes, these take %u bits",
				  group->bits);
	y->group = -1;
	return true;
}

static bool middle_read(struct layout *y) {
	struct ddp_token dots = ddp_lexer_take(&y->lexer);

	if (y->header->open || y->anchor != DDP_FROM_START || y->group >= 0)
		return ddp_refuse(
			y->l->diag, &dots.place, "'...' %s",
			y->anchor == DDP_AHEAD ? "cannot stand in 'ahead': only in 'layout'" :
			y->group >= 0 ? "cannot stand inside optional fields: put it behind ']'" :
					"stands twice: a layout has one part of varying size");
	y->header->open = true;
	y->header->start_bits = y->bits;
	y->anchor = DDP_FROM_END;
	y->bits = 0;
	y->first_end = y->header->n_fields;
	return true;
}

static bool item_read(struct layout *y) {
	struct ddp_token name;
	uint64_t width;

	if (ddp_lexer_is(&y->lexer, "["))
		return group_open(y);
	if (ddp_lexer_is(&y->lexer, "]"))
		return group_close(y);
	if (ddp_lexer_is(&y->lexer, "..."))
		return middle_read(y);
	if (y->lexer.token.kind != DDP_TOKEN_NAME ||
	    memchr(y->lexer.token.s, '.', y->lexer.token.len) ||
	    memchr(y->lexer.token.s, '#', y->lexer.token.len))
		return ddp_lexer_unexpected(&y->lexer, "a field such as 'teid:32'");
	name = ddp_lexer_take(&y->lexer);
	return ddp_lexer_expect(&y->lexer, ":") && width_read(y, &width) &&
	       field_add(y, &name, width);
}

static bool items_read(struct layout *y, const struct ddp_text *text, enum ddp_anchor anchor) {
	y->anchor = anchor;
	y->bits = 0;
	y->group = -1;
	ddp_lexer_init(&y->lexer, text, y->l->diag);
	while (!ddp_lexer_at_end(&y->lexer))
		if (!item_read(y))
			return false;
	return y->group < 0 || ddp_lexer_unexpected(&y->lexer, "']'");
}

static void parts_close(struct layout *y, const struct ddp_place *place) {
	struct ddp_header *header = y->header;

	if (header->open) {
		header->end_bits = y->bits;
		// Counted back from the end now that it is known.
		for (unsigned int i = y->first_end; i < header->n_fields; i++)
			header->fields[i].bit_off = y->bits - header->fields[i].bit_off;
	} else {
		header->start_bits = y->bits;
	}
	if (header->start_bits % 8 != 0 || header->end_bits % 8 != 0)
		ddp_error(y->l->diag, place,
			  "header '%s': its layout takes %u bits%s, not whole bytes", header->name,
			  header->start_bits % 8 != 0 ? header->start_bits : header->end_bits,
			  header->start_bits % 8 != 0 ? "" : " behind '...'");
}

void layout_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *layout,
		 const struct ddp_yaml *ahead) {
	struct layout y = {.l = l, .header = header};

	if (yaml_is(l, layout, DDP_YAML_SCALAR, "a layout")) {
		header->broken = !items_read(&y, &layout->text, DDP_FROM_START);
		if (!header->broken)
			parts_close(&y, &layout->place);
	}
	if (!yaml_is(l, ahead, DDP_YAML_SCALAR, "a layout"))
		return;
	if (items_read(&y, &ahead->text, DDP_AHEAD))
		header->ahead_bits = y.bits;
	else
		header->broken = true;
}

void groups_read(struct loader *l, struct ddp_header *header) {
	struct scope scope = {.header = header, .start_only = true, .no_ahead = true};

	for (unsigned int g = 0; g < header->n_groups; g++) {
		struct ddp_expr *expr = &header->groups[g].cond.expr;
		struct ddp_token bracket;
		struct ddp_lexer lexer;

		ddp_lexer_init(&lexer, &header->groups[g].text, l->diag);
		bracket = ddp_lexer_take(&lexer);
		if (!expr_read(l, &scope, &lexer, expr) || !ddp_lexer_expect(&lexer, "?"))
			return;
		for (unsigned int i = 0; i < expr->n_ops; i++) {
			const struct ddp_ref *ref = &expr->ops[i].ref;
			const struct ddp_field *field;

			if (expr->ops[i].op != DDP_OP_FIELD || ref->which != DDP_WHICH_SELF)
				continue;
			field = &header->fields[ref->field];
			if (field->n_before > g || field->group >= (int)g)
				ddp_error(l->diag, &bracket.place,
					  "whether these fields are there depends on '%s', which "
					  "comes later",
					  field->name);
		}
	}
}
