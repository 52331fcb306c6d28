/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_format.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "base/rss_hf.h"
#include "base/rte_ptype.h"
#include "loader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Fields: addresses in text form, the rest as numbers */

typedef unsigned __int128 wide;

// The bits of the address that a field of a header is; 0: a number. Its name is len bytes.
static unsigned int address_bits(const char *header, size_t len, const char *field,
				 unsigned int width) {
	const bool src_or_dst = strcmp(field, "src") == 0 || strcmp(field, "dst") == 0;

	if (width == 128)
		return 128;
	if (width == 32 && src_or_dst && len == 4 && memcmp(header, "ipv4", len) == 0)
		return 32;
	if (width == 48 && src_or_dst && len == 3 && memcmp(header, "eth", len) == 0)
		return 48;
	return 0;
}

// Whether a field's name ends with a mask, not with nothing or a number of leading bits.
static bool is_masked(const char *name) {
	const char *bits = strchr(name, '/');

	return bits != NULL && bits[1 + strspn(bits + 1, "0123456789")] != '\0';
}

// The bits of the address that [inner.|outer.]header[#n].field[/bits] is, of which width bits are
// given; 0: a number.
static unsigned int name_address_bits(const struct ddp_profile *profile, const char *name,
				      unsigned int width) {
	const char *dot = strrchr(name, '.');
	const struct ddp_header *header;
	size_t len;
	int at;

	if (dot == NULL || is_masked(name))
		return 0;
	if ((strncmp(name, "inner.", 6) == 0 || strncmp(name, "outer.", 6) == 0) && name + 6 < dot)
		name += 6;
	len = strcspn(name, "#.");
	if (strchr(dot, '/') == NULL) // all of the field: most need no look-up
		return address_bits(name, len, dot + 1, width);
	at = NAME_FIND(profile->headers, profile->n_headers, name, len);
	if (at < 0)
		return 0;
	header = &profile->headers[at];
	at = NAME_FIND(header->fields, header->n_fields, dot + 1, strcspn(dot + 1, "/"));
	return at < 0 ? 0 :
			address_bits(name, len, header->fields[at].name, header->fields[at].width);
}

// Write width bits, of an address the leading ones. Returns whether they are a number for JSON.
static bool value_text(unsigned int n_bits, unsigned int width, wide value,
		       char text[FIELD_TEXT_SIZE]) {
	const uint64_t hi = value >> 64, lo = value;
	uint8_t address[16];

	if (n_bits > width)
		value <<= n_bits - width;
	for (unsigned int i = n_bits / 8; i > 0; value >>= 8)
		address[--i] = value;
	if (n_bits == 48)
		snprintf(text, FIELD_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", address[0],
			 address[1], address[2], address[3], address[4], address[5]);
	else if (n_bits != 0)
		inet_ntop(n_bits == 32 ? AF_INET : AF_INET6, address, text, FIELD_TEXT_SIZE);
	else if (width > 64)
		snprintf(text, FIELD_TEXT_SIZE, "0x%0*" PRIx64 "%016" PRIx64,
			 (int)(width + 3) / 4 - 16, hi, lo);
	else
		snprintf(text, FIELD_TEXT_SIZE, "%" PRIu64, lo);
	return n_bits == 0 && width <= 64;
}

bool format_field(const struct ddp_profile *profile, const char *name, unsigned int width,
		  const uint8_t value[16], char text[FIELD_TEXT_SIZE]) {
	wide number = 0;

	for (unsigned int i = 0; i < 16; i++)
		number = number << 8 | value[i];
	return value_text(name_address_bits(profile, name, width), width, number, text);
}

// Returns whether it is no number.
static bool address_text(const struct ddp_profile *profile, const struct ddp_ref *ref, uint64_t hi,
			 uint64_t lo, char text[FIELD_TEXT_SIZE]) {
	const struct ddp_header *header = &profile->headers[ref->node];
	const struct ddp_field *field = &header->fields[ref->field];
	const unsigned int n_bits =
		is_masked(ref->name) ?
			0 :
			address_bits(header->name, strlen(header->name), field->name, field->width);

	return !value_text(n_bits, ref->bits, (wide)hi << 64 | lo, text);
}

void format_value(const struct ddp_profile *profile, FILE *to, const struct ddp_ref *ref,
		  uint64_t hi, uint64_t lo, bool hex) {
	char text[FIELD_TEXT_SIZE];

	if (!address_text(profile, ref, hi, lo, text) && hex)
		fprintf(to, "0x%0*" PRIx64, (ref->bits + 3) / 4, lo);
	else
		fputs(text, to);
}

void format_key(const struct ddp_table *table, FILE *to, uint64_t value) {
	unsigned int n_digits = 2;

	if (!table->hex) {
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

static void pattern_write(const struct ddp_profile *profile, FILE *to,
			  const struct ddp_match *match, const struct ddp_pattern *pattern) {
	unsigned int width = ddp_ref_field(profile, &match->ref)->width;
	int prefix = prefix_len(pattern, width);
	char text[FIELD_TEXT_SIZE];

	if (prefix == (int)width)
		format_value(profile, to, &match->ref, pattern->value_hi, pattern->value_lo,
			     match->hex);
	else if (prefix >= 0 && width >= 32 &&
		 address_text(profile, &match->ref, pattern->value_hi, pattern->value_lo, text))
		fprintf(to, "%s/%d", text, prefix);
	else
		fprintf(to, "0x%" PRIx64 "/0x%" PRIx64, pattern->value_lo, pattern->mask_lo);
}

void format_patterns(const struct ddp_profile *profile, FILE *to, const struct ddp_match *match) {
	for (unsigned int i = 0; i < match->n_patterns; i++) {
		if (i > 0)
			fputs(i + 1 == match->n_patterns ? " or " : ", ", to);
		pattern_write(profile, to, match, &match->patterns[i]);
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

	assert(end < expr->n_ops);
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

void format_cond(const struct ddp_profile *profile, FILE *to, const struct ddp_cond *cond) {
	for (unsigned int i = 0; i < cond->n_matches; i++) {
		fprintf(to, "%s%s %s ", i > 0 ? " and " : "", cond->matches[i].ref.name,
			cond->matches[i].negate ? "!=" : "=");
		format_patterns(profile, to, &cond->matches[i]);
	}
	if (cond->expr.n_ops == 0)
		return;
	fputs(cond->n_matches > 0 ? " and " : "", to);
	operand_write(to, &cond->expr, cond->expr.n_ops - 1, cond->n_matches > 0 ? 1 : 0);
}

/* Paths */

static void path_write(const struct ddp_profile *profile, FILE *to, const struct ddp_path *path,
		       unsigned int level) {
	static const struct {
		unsigned int level; // operators with a lower one bind looser
		const char *sign;   // behind the left operand
	} kinds[] = {
		[DDP_PATH_EITHER] = {0, " | "}, [DDP_PATH_SEQUENCE] = {1, " "},
		[DDP_PATH_OPTIONAL] = {2, "?"}, [DDP_PATH_ANY] = {2, "*"},
		[DDP_PATH_SOME] = {2, "+"},     [DDP_PATH_HEADER] = {2, ""},
	};
	const unsigned int own = kinds[path->kind].level;

	if (path->any) {
		fputc('_', to);
		return;
	}
	fputs(own < level ? "(" : "", to);
	if (path->kind == DDP_PATH_HEADER)
		fputs(profile->headers[path->node].name, to);
	else
		path_write(profile, to, path->left, own);
	fputs(kinds[path->kind].sign, to);
	if (path->right != NULL)
		path_write(profile, to, path->right, own);
	fputs(own < level ? ")" : "", to);
}

void format_path(const struct ddp_profile *profile, FILE *to, const struct ddp_path *path) {
	path_write(profile, to, path, 0);
}

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

	assert(place->line > 0);
	fprintf(to, "%s:%u", slash != NULL ? slash + 1 : place->file, place->line);
}
