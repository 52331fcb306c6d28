/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_format.h"

#include <inttypes.h>
#include <string.h>

#include "base/rss_hf.h"
#include "base/rte_ptype.h"
#include "loader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void format_init(struct profile_format *format, const struct ddp_profile *profile) {
	format->profile = profile;
	fields_init(&format->fields, profile);
}

const struct ddp_field *format_field(const struct profile_format *format,
				     const struct ddp_ref *ref) {
	return ref_field(format->profile, ref);
}

/* Numbers */

static void value_bytes(uint64_t hi, uint64_t lo, uint8_t bytes[16]) {
	for (unsigned int i = 0; i < 8; i++) {
		bytes[i] = hi >> (56 - 8 * i);
		bytes[8 + i] = lo >> (56 - 8 * i);
	}
}

// As "header.field": ref's own name may lack the header.
static bool address_text(struct profile_format *format, const struct ddp_ref *ref, uint64_t hi,
			 uint64_t lo, char text[FIELD_TEXT_SIZE]) {
	const char *bits = strchr(ref->name, '/');
	uint8_t bytes[16];
	char name[128];

	snprintf(name, sizeof(name), "%s.%s%s", format->profile->headers[ref->node].name,
		 format_field(format, ref)->name, bits == NULL ? "" : bits);
	value_bytes(hi, lo, bytes);
	return !fields_text(&format->fields, name, ref->bits, bytes, text);
}

void format_value(struct profile_format *format, FILE *to, const struct ddp_ref *ref, uint64_t hi,
		  uint64_t lo, bool hex) {
	char text[FIELD_TEXT_SIZE];

	if (!address_text(format, ref, hi, lo, text) && hex)
		fprintf(to, "0x%0*" PRIx64, (ref->bits + 3) / 4, lo);
	else
		fputs(text, to);
}

static bool cond_is_hex(const struct ddp_cond *cond, const struct ddp_ref *ref) {
	for (unsigned int i = 0; i < cond->n_matches; i++)
		if (cond->matches[i].hex && cond->matches[i].ref.node == ref->node &&
		    cond->matches[i].ref.field == ref->field)
			return true;
	return false;
}

static bool table_is_hex(const struct ddp_table *table) {
	for (unsigned int i = 0; i < table->n_entries; i++)
		if (table->entries[i].hex)
			return true;
	return false;
}

bool format_is_hex(const struct profile_format *format, const struct ddp_ref *ref) {
	for (unsigned int i = 0; i < format->profile->n_headers; i++) {
		const struct ddp_header *header = &format->profile->headers[i];

		for (unsigned int j = 0; j < header->n_rules; j++) {
			const struct ddp_rule *rule = &header->rules[j];

			if (cond_is_hex(&rule->cond, ref))
				return true;
			if (rule->kind == DDP_RULE_LOOKUP && rule->key.node == ref->node &&
			    rule->key.field == ref->field)
				return table_is_hex(&format->profile->tables[rule->table]);
		}
	}
	return false;
}

void format_key(const struct ddp_table *table, FILE *to, uint64_t value) {
	unsigned int n_digits = 2;

	if (!table_is_hex(table)) {
		fprintf(to, "%" PRIu64, value);
		return;
	}
	// As many digits as the largest number of the table: they are sorted.
	while (n_digits < 16 && table->entries[table->n_entries - 1].value >> 4 * n_digits != 0)
		n_digits += 2;
	fprintf(to, "0x%0*" PRIx64, n_digits, value);
}

/* Conditions */

// Number of leading ones of a mask of width bits, -1 when others follow a zero.
static int prefix_len(const struct ddp_pattern *pattern, unsigned int width) {
	int len = 0;
	bool ended = false;

	for (int i = width - 1; i >= 0; i--) {
		bool one = i < 64 ? pattern->mask_lo >> i & 1 : pattern->mask_hi >> (i - 64) & 1;

		if (one && ended)
			return -1;
		ended = !one;
		len += one;
	}
	return len;
}

static void pattern_write(struct profile_format *format, FILE *to, const struct ddp_match *match,
			  const struct ddp_pattern *pattern) {
	unsigned int width = format_field(format, &match->ref)->width;
	int prefix = prefix_len(pattern, width);
	char text[FIELD_TEXT_SIZE];

	if (prefix == (int)width)
		format_value(format, to, &match->ref, pattern->value_hi, pattern->value_lo,
			     match->hex);
	else if (prefix >= 0 && width >= 32 &&
		 address_text(format, &match->ref, pattern->value_hi, pattern->value_lo, text))
		fprintf(to, "%s/%d", text, prefix);
	else
		fprintf(to, "0x%" PRIx64 "/0x%" PRIx64, pattern->value_lo, pattern->mask_lo);
}

void format_patterns(struct profile_format *format, FILE *to, const struct ddp_match *match) {
	for (unsigned int i = 0; i < match->n_patterns; i++) {
		if (i > 0)
			fputs(i + 1 == match->n_patterns ? " or " : ", ", to);
		pattern_write(format, to, match, &match->patterns[i]);
	}
}

static unsigned int n_operands(enum ddp_op op) {
	return op == DDP_OP_CONST || op == DDP_OP_FIELD ? 0 : op == DDP_OP_NOT ? 1 : 2;
}

// The first operator of the operand that ends at end.
static unsigned int operand_start(const struct ddp_expr *expr, unsigned int end) {
	unsigned int needed = 1;

	while ((needed += n_operands(expr->ops[end].op) - 1) > 0)
		end--;
	return end;
}

// Write the operand that ends at end, in brackets unless it binds as tightly as level.
static void operand_write(FILE *to, const struct ddp_expr *expr, unsigned int end,
			  unsigned int level) {
	const struct ddp_expr_op *op = &expr->ops[end];
	unsigned int own = op_signs[op->op].level;

	fputs(own < level ? "(" : "", to);
	if (op->op == DDP_OP_CONST) {
		fprintf(to, op->hex ? "0x%" PRIx64 : "%" PRIu64, op->value);
	} else if (op->op == DDP_OP_FIELD) {
		fputs(op->ref.name, to);
	} else if (op->op == DDP_OP_NOT) {
		fputs("not ", to);
		operand_write(to, expr, end - 1, own);
	} else {
		operand_write(to, expr, operand_start(expr, end - 1) - 1, own);
		fprintf(to, " %s ", op_signs[op->op].sign);
		operand_write(to, expr, end - 1, own + 1);
	}
	fputs(own < level ? ")" : "", to);
}

void format_expr(FILE *to, const struct ddp_expr *expr) {
	operand_write(to, expr, expr->n_ops - 1, 0);
}

void format_cond(struct profile_format *format, FILE *to, const struct ddp_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++) {
		fprintf(to, "%s%s %s ", i > 0 ? " and " : "", cond->matches[i].ref.name,
			cond->matches[i].negate ? "!=" : "=");
		format_patterns(format, to, &cond->matches[i]);
	}
	if (cond->expr.n_ops == 0)
		return;
	fputs(cond->n_matches > 0 ? " and " : "", to);
	operand_write(to, &cond->expr, cond->expr.n_ops - 1, cond->n_matches > 0 ? 1 : 0);
}

/* Paths */

static unsigned int path_level(const struct ddp_path *path) {
	switch (path->kind) {
	case DDP_PATH_EITHER:
		return 0;
	case DDP_PATH_SEQUENCE:
		return 1;
	default:
		return 2;
	}
}

static void path_write(const struct profile_format *format, FILE *to, const struct ddp_path *path,
		       unsigned int level) {
	static const char *const signs[] = {
		[DDP_PATH_OPTIONAL] = "?",
		[DDP_PATH_ANY] = "*",
		[DDP_PATH_SOME] = "+",
	};
	unsigned int own = path_level(path);

	if (path->any) {
		fputc('_', to);
		return;
	}
	fputs(own < level ? "(" : "", to);
	switch (path->kind) {
	case DDP_PATH_HEADER:
		fputs(format->profile->headers[path->node].name, to);
		break;
	case DDP_PATH_SEQUENCE:
	case DDP_PATH_EITHER:
		path_write(format, to, path->left, own);
		fputs(path->kind == DDP_PATH_EITHER ? " | " : " ", to);
		path_write(format, to, path->right, own);
		break;
	default:
		path_write(format, to, path->left, 2);
		fputs(signs[path->kind], to);
		break;
	}
	fputs(own < level ? ")" : "", to);
}

void format_path(const struct profile_format *format, FILE *to, const struct ddp_path *path) {
	path_write(format, to, path, 0);
}

/* Lists */

void format_refs(FILE *to, const struct ddp_ref *refs, unsigned int n) {
	for (unsigned int i = 0; i < n; i++)
		fprintf(to, "%s%s", i > 0 ? " " : "", refs[i].name);
}

void format_rss_hf(FILE *to, uint64_t rss_hf) {
	const char *separator = "";

	for (unsigned int bit = 0; bit < 64; bit++) {
		if ((rss_hf >> bit & 1) == 0)
			continue;
		fprintf(to, "%s%s", separator, ddp_rss_hf_name(bit));
		separator = " ";
	}
}

void format_ptype(FILE *to, uint32_t rte_ptype) {
	static const uint32_t masks[] = {
		DDP_RTE_PTYPE_L2_MASK,       DDP_RTE_PTYPE_L3_MASK,
		DDP_RTE_PTYPE_L4_MASK,       DDP_RTE_PTYPE_TUNNEL_MASK,
		DDP_RTE_PTYPE_INNER_L2_MASK, DDP_RTE_PTYPE_INNER_L3_MASK,
		DDP_RTE_PTYPE_INNER_L4_MASK,
	};
	const char *separator = "";

	for (unsigned int i = 0; i < COUNT(masks); i++) {
		for (unsigned int j = 0; j < n_ptype_words; j++) {
			if (ptype_words[j].bits != (rte_ptype & masks[i]))
				continue;
			fprintf(to, "%s%s", separator, ptype_words[j].name);
			separator = " ";
		}
	}
}

void format_place(FILE *to, const struct ddp_place *place) {
	const char *slash = strrchr(place->file, '/');

	fprintf(to, "%s:%u", slash != NULL ? slash + 1 : place->file, place->line);
}
