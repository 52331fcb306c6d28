/* SPDX-License-Identifier: BSD-3-Clause */
// References to fields, literals, conditions and arithmetic.
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

#define NESTING_MAX 12 // levels

/* References */

struct words {
	const char *header, *field;
	size_t header_len, field_len;
	bool side; // which is DDP_WHICH_INNER or DDP_WHICH_OUTER
	enum ddp_which which;
	uint8_t nth; // 0: none given
};

static bool words_split(struct loader *l, const struct ddp_token *token, struct words *w) {
	const char *end = token->s + token->len;
	const char *s = token->s;
	const char *dot, *hash;

	memset(w, 0, sizeof(*w));
	w->which = DDP_WHICH_NTH;
	if (token->len > 6 && memcmp(s, "inner.", 6) == 0)
		w->which = DDP_WHICH_INNER;
	else if (token->len > 6 && memcmp(s, "outer.", 6) == 0)
		w->which = DDP_WHICH_OUTER;
	w->side = w->which != DDP_WHICH_NTH;
	s += w->side ? 6 : 0;
	dot = memchr(s, '.', end - s);
	if (dot == NULL) {
		w->field = s;
		w->field_len = end - s;
		if (!w->side)
			return true;
	} else {
		w->header = s;
		w->header_len = dot - s;
		w->field = dot + 1;
		w->field_len = end - dot - 1;
	}
	if (dot == NULL || memchr(w->field, '.', w->field_len) != NULL)
		return ddp_refuse(l->diag, &token->place, "'%.*s' is not of the form header.field",
				  (int)token->len, token->s);
	hash = memchr(w->header, '#', w->header_len);
	if (hash != NULL) {
		char *stop;
		long nth = strtol(hash + 1, &stop, 10);

		if (stop != dot || nth < 1 || nth > DDP_MAX_FIELDS || w->side)
			return ddp_refuse(l->diag, &token->place,
					  "'%.*s': after '#' comes which one it is, from 1",
					  (int)token->len, token->s);
		w->nth = nth;
		w->header_len = hash - w->header;
	}
	return true;
}

static bool scope_allows(struct loader *l, const struct scope *scope, const struct ddp_token *token,
			 const struct ddp_ref *ref) {
	const struct ddp_field *field = ddp_ref_field(l->profile, ref);

	if (ref->which == DDP_WHICH_SELF && scope->start_only && field->anchor != DDP_FROM_START)
		return ddp_refuse(
			l->diag, &token->place,
			"'%.*s' lies where the header ends, and that is not known here yet",
			(int)token->len, token->s);
	if (field->anchor == DDP_AHEAD && (ref->which != DDP_WHICH_SELF || scope->no_ahead))
		return ddp_refuse(l->diag, &token->place,
				  "'%.*s' is look-ahead: only the header's own 'next' may use it",
				  (int)token->len, token->s);
	return true;
}

bool ref_read(struct loader *l, const struct scope *scope, const struct ddp_token *token,
	      struct ddp_ref *ref) {
	const struct ddp_header *header = scope->header;
	char kind[80];
	struct words w;
	int node, field;

	if (token->kind == DDP_TOKEN_BAD)
		return false; // was reported
	if (token->kind == DDP_TOKEN_END)
		return ddp_refuse(l->diag, &token->place, "expected a field, found the end");
	if (token->kind != DDP_TOKEN_NAME)
		return ddp_refuse(l->diag, &token->place, "expected a field, found '%.*s'",
				  (int)token->len, token->s);
	if (!words_split(l, token, &w))
		return false;
	if (w.header == NULL && header == NULL)
		return ddp_refuse(l->diag, &token->place,
				  "field '%.*s': of which header? (header.field)", (int)token->len,
				  token->s);
	if (scope->header != NULL && (w.side || w.nth != 0))
		return ddp_refuse(
			l->diag, &token->place,
			"'%.*s': a header knows only itself and the nearest header of a name "
			"before it",
			(int)token->len, token->s);
	if (w.header == NULL) {
		node = header - l->profile->headers;
	} else {
		node = header_find(l, w.header, w.header_len);
		if (node < 0)
			return unknown_header(l, &token->place, w.header, w.header_len);
		header = &l->profile->headers[node];
	}
	field = NAME_FIND(header->fields, header->n_fields, w.field, w.field_len);
	if (field < 0) {
		snprintf(kind, sizeof(kind), "field of header '%.40s'", header->name);
		return !header->broken && // else reported where the layout is
		       unknown_name(l, &token->place, kind, w.field, w.field_len, header->fields,
				    header->n_fields);
	}
	*ref = (struct ddp_ref){
		.node = node,
		.field = field,
		.bits = header->fields[field].width,
		.name = ddp_arena_strndup(l->arena, token->s, token->len),
	};
	if (scope->header != NULL)
		ref->which = header == scope->header && w.header == NULL ? DDP_WHICH_SELF :
									   DDP_WHICH_NEAREST;
	else
		ref->which = w.which;
	ref->nth = w.nth == 0 ? 1 : w.nth;
	return scope_allows(l, scope, token, ref);
}

/* Literals */

static const struct ddp_profile_param *param_find(struct loader *l, const struct ddp_token *token) {
	const struct ddp_profile_part *part = l->part;
	int i = NAME_FIND(part->params, part->n_params, token->s, token->len);

	if (i >= 0)
		return &part->params[i];
	unknown_name(l, &token->place, "parameter", token->s, token->len, part->params,
		     part->n_params);
	return NULL;
}

static void pattern_mask(struct ddp_pattern *pattern, unsigned int width, unsigned int prefix) {
	assert(prefix <= width && width <= 128);
	for (unsigned int i = width - prefix; i < width; i++) {
		if (i < 64)
			pattern->mask_lo |= UINT64_C(1) << i;
		else
			pattern->mask_hi |= UINT64_C(1) << (i - 64);
	}
}

static uint64_t load_be64(const uint8_t *bytes) {
	uint64_t value = 0;

	for (unsigned int i = 0; i < 8; i++)
		value = value << 8 | bytes[i];
	return value;
}

// "10.0.0.0/8", "fc00::/7", without "/n" the whole address.
static bool address_read(const char *s, unsigned int width, struct ddp_pattern *pattern) {
	unsigned int prefix = width;
	uint8_t bytes[16] = {0};
	char address[64];
	const char *slash = strchr(s, '/');
	size_t len = slash == NULL ? strlen(s) : (size_t)(slash - s);

	if (len >= sizeof(address))
		return false;
	memcpy(address, s, len);
	address[len] = '\0';
	if (slash != NULL) {
		char *end;
		unsigned long n = strtoul(slash + 1, &end, 10);

		if (!isdigit((unsigned char)slash[1]) || *end != '\0' || n > width)
			return false;
		prefix = n;
	}
	if (width != 32 && width != 128)
		return false;
	if (inet_pton(width == 32 ? AF_INET : AF_INET6, address, bytes + 16 - width / 8) != 1)
		return false;
	pattern_mask(pattern, width, prefix);
	pattern->value_hi = load_be64(bytes) & pattern->mask_hi;
	pattern->value_lo = load_be64(bytes + 8) & pattern->mask_lo;
	return true;
}

static bool number_parse(const char *s, uint64_t *number, const char **end) {
	bool hex = strncmp(s, "0x", 2) == 0;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*number = strtoull(s, (char **)end, hex ? 16 : 10);
	return errno == 0;
}

bool pattern_read(struct loader *l, const struct ddp_text *text, unsigned int width,
		  struct ddp_pattern *pattern) {
	char *s = ddp_arena_strndup(l->arena, text->s, text->len);
	uint64_t most = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t mask = most;
	const char *end;
	bool masked;

	memset(pattern, 0, sizeof(*pattern));
	errno = 0;
	if (strchr(s, '.') != NULL || strchr(s, ':') != NULL) {
		if (address_read(s, width, pattern))
			return true;
		memset(pattern, 0, sizeof(*pattern));
		return ddp_refuse(l->diag, &text->place, "'%s' is no %s", s,
				  width == 32  ? "IPv4 address or prefix" :
				  width == 128 ? "IPv6 address or prefix" :
						 "value for a field that is no IP address");
	}
	if (!number_parse(s, &pattern->value_lo, &end) ||
	    ((masked = *end == '/') && !number_parse(end + 1, &mask, &end)) || *end != '\0')
		return ddp_refuse(l->diag, &text->place, "'%s' is not a number%s", s,
				  errno == ERANGE ? " of at most 64 bits" : "");
	if (pattern->value_lo > most || mask > most)
		return ddp_refuse(l->diag, &text->place, "'%s' does not fit %u bits", s, width);
	pattern->mask_lo = mask;
	if (!masked && width > 64)
		pattern_mask(pattern, width, width);
	pattern->value_lo &= pattern->mask_lo;
	return true;
}

// "$name", which has one value or several, or a literal.
static bool value_read(struct loader *l, const struct ddp_text *text, unsigned int width,
		       struct ddp_pattern **patterns, unsigned int *n_patterns) {
	const struct ddp_token name = {
		.kind = DDP_TOKEN_PARAM,
		.s = text->s + 1,
		.len = text->len - 1,
		.place = text->place,
	};
	const bool is_param = text->len > 1 && *text->s == '$';
	const struct ddp_profile_param *param = is_param ? param_find(l, &name) : NULL;
	const struct ddp_text *values = param != NULL ? param->values : text;
	const unsigned int n = param != NULL ? param->n_values : !is_param;
	bool good = n > 0;

	for (unsigned int i = 0; i < n; i++) {
		struct ddp_pattern pattern;

		if (pattern_read(l, &values[i], width, &pattern))
			*DDP_APPEND(l->arena, *patterns, *n_patterns) = pattern;
		else
			good = false;
	}
	return good;
}

bool patterns_read(struct loader *l, struct ddp_lexer *lexer, unsigned int width,
		   struct ddp_pattern **patterns, unsigned int *n_patterns) {
	do {
		struct ddp_token token = lexer->token;
		struct ddp_text text = {token.s, token.len, token.place};

		if (token.kind == DDP_TOKEN_PARAM)
			text = (struct ddp_text){token.s - 1, token.len + 1, token.place};
		else if (token.kind != DDP_TOKEN_NUMBER)
			return ddp_lexer_unexpected(lexer, "a number or $parameter");
		ddp_lexer_take(lexer);
		if (token.kind == DDP_TOKEN_NUMBER && ddp_lexer_accept(lexer, "/")) { // the mask
			if (lexer->token.kind != DDP_TOKEN_NUMBER)
				return ddp_lexer_unexpected(lexer, "a mask");
			text.len = lexer->token.s + lexer->token.len - text.s;
			ddp_lexer_take(lexer);
		}
		if (!value_read(l, &text, width, patterns, n_patterns))
			return false;
	} while (ddp_lexer_accept(lexer, "|"));
	return true;
}

/* Arithmetic */

#define LEVEL_OR 0
#define LEVEL_NOT 2
#define LEVEL_PRIMARY 9

const struct op_sign op_signs[] = {
	[DDP_OP_OR] = {"or", 0},    [DDP_OP_AND] = {"and", 1},   [DDP_OP_NOT] = {"not", 2},
	[DDP_OP_EQ] = {"==", 3},    [DDP_OP_NE] = {"!=", 3},     [DDP_OP_LT] = {"<", 3},
	[DDP_OP_LE] = {"<=", 3},    [DDP_OP_GT] = {">", 3},      [DDP_OP_GE] = {">=", 3},
	[DDP_OP_BIT_OR] = {"|", 4}, [DDP_OP_BIT_AND] = {"&", 5}, [DDP_OP_SHL] = {"<<", 6},
	[DDP_OP_SHR] = {">>", 6},   [DDP_OP_ADD] = {"+", 7},     [DDP_OP_SUB] = {"-", 7},
	[DDP_OP_MUL] = {"*", 8},    [DDP_OP_CONST] = {"", 9},    [DDP_OP_FIELD] = {"", 9},
};

struct expression {
	struct loader *l;
	const struct scope *scope;
	struct ddp_lexer *lexer;
	struct ddp_expr *expr;
	unsigned int depth; // of the stack
	unsigned int nesting;
};

static bool op_add(struct expression *e, const struct ddp_expr_op *op) {
	bool pushes = op->op == DDP_OP_CONST || op->op == DDP_OP_FIELD;

	e->depth += pushes;
	e->depth -= !pushes && op->op != DDP_OP_NOT;
	if (e->expr->n_ops == DDP_EXPR_OPS || e->depth > DDP_EXPR_STACK)
		return ddp_refuse(e->l->diag, &e->lexer->token.place,
				  "this expression is too long");
	*DDP_APPEND(e->l->arena, e->expr->ops, e->expr->n_ops) = *op;
	return true;
}

static bool level_read(struct expression *e, unsigned int level);

bool param_number(struct loader *l, const struct ddp_token *token, unsigned int width,
		  const char *why, uint64_t *number) {
	const struct ddp_profile_param *param = param_find(l, token);
	struct ddp_pattern pattern;

	if (param == NULL)
		return false;
	if (param->n_values != 1)
		return ddp_refuse(l->diag, &token->place, "$%s has several values, %s", param->name,
				  why);
	if (!pattern_read(l, &param->values[0], width, &pattern))
		return false;
	*number = pattern.value_lo;
	return true;
}

// "since(gtpu)", with the name just taken.
static bool since_read(struct expression *e, const struct ddp_token *since, struct ddp_ref *ref) {
	struct ddp_token name;
	const char *end;
	int node;

	ddp_lexer_take(e->lexer); // the bracket
	name = ddp_lexer_take(e->lexer);
	end = e->lexer->token.s + e->lexer->token.len;
	if (name.kind != DDP_TOKEN_NAME || !ddp_lexer_expect(e->lexer, ")"))
		return false;
	node = header_find(e->l, name.s, name.len);
	if (node < 0)
		return unknown_header(e->l, &name.place, name.s, name.len);
	if (e->scope->header == NULL || e->scope->start_only)
		return ddp_refuse(e->l->diag, &since->place,
				  "since() is for the rules of a header ('next')");
	*ref = (struct ddp_ref){
		.node = node,
		.which = DDP_WHICH_SINCE,
		.bits = 16,
		.name = ddp_arena_strndup(e->l->arena, since->s, end - since->s),
	};
	return true;
}

static bool primary_read(struct expression *e) {
	struct ddp_expr_op op = {.op = DDP_OP_CONST};
	struct ddp_token token = e->lexer->token;

	if (ddp_lexer_accept(e->lexer, "(")) {
		bool good;

		if (++e->nesting > NESTING_MAX)
			return ddp_refuse(e->l->diag, &token.place, "nested too deep");
		good = level_read(e, LEVEL_OR) && ddp_lexer_expect(e->lexer, ")");
		e->nesting--;
		return good;
	}
	if (token.kind == DDP_TOKEN_NUMBER) {
		op.value = token.number;
		op.hex = is_hex(token.s, token.len);
	} else if (token.kind == DDP_TOKEN_PARAM) {
		if (!param_number(e->l, &token, 64, "one is needed here", &op.value))
			return false;
	} else if (token.kind == DDP_TOKEN_NAME) {
		op.op = DDP_OP_FIELD;
		ddp_lexer_take(e->lexer);
		if (token.len == 5 && memcmp(token.s, "since", 5) == 0 &&
		    ddp_lexer_is(e->lexer, "(")) {
			if (!since_read(e, &token, &op.ref))
				return false;
		} else if (!ref_read(e->l, e->scope, &token, &op.ref)) {
			return false;
		}
		return op_add(e, &op);
	} else {
		return ddp_lexer_unexpected(e->lexer, "a field or a number");
	}
	ddp_lexer_take(e->lexer);
	return op_add(e, &op);
}

static int binary_next(const struct expression *e, unsigned int level) {
	for (int op = 0; op <= DDP_OP_OR; op++)
		if (op_signs[op].level == level && ddp_lexer_is(e->lexer, op_signs[op].sign))
			return op;
	return -1;
}

static bool not_read(struct expression *e) {
	bool good;

	if (++e->nesting > NESTING_MAX)
		return ddp_refuse(e->l->diag, &e->lexer->token.place, "nested too deep");
	good = level_read(e, LEVEL_NOT) && op_add(e, &(struct ddp_expr_op){.op = DDP_OP_NOT});
	e->nesting--;
	return good;
}

static bool level_read(struct expression *e, unsigned int level) {
	int op;

	if (level == LEVEL_PRIMARY)
		return primary_read(e);
	if (level == LEVEL_NOT && ddp_lexer_accept(e->lexer, "not"))
		return not_read(e);
	if (!level_read(e, level + 1))
		return false;
	while (level != LEVEL_NOT && (op = binary_next(e, level)) >= 0) {
		ddp_lexer_take(e->lexer);
		if (!level_read(e, level + 1) || !op_add(e, &(struct ddp_expr_op){.op = op}))
			return false;
	}
	return true;
}

/* Interval arithmetic: bounds of an expression over all packets */

struct range {
	uint64_t min, max;
};

// a = a op b. NULL when all results are good, else what is wrong.
static const char *range_apply(enum ddp_op op, struct range *a, const struct range *b) {
	switch (op) {
	case DDP_OP_ADD:
		a->min += b->min;
		if (__builtin_add_overflow(a->max, b->max, &a->max))
			return "can become too large";
		return NULL;
	case DDP_OP_SUB:
		if (a->min < b->max)
			return "can become negative";
		a->min -= b->max;
		a->max -= b->min;
		return NULL;
	case DDP_OP_MUL:
		a->min *= b->min;
		if (__builtin_mul_overflow(a->max, b->max, &a->max))
			return "can become too large";
		return NULL;
	case DDP_OP_SHL:
		if (b->max > 63 || (a->max != 0 && b->max > (unsigned int)__builtin_clzll(a->max)))
			return "can become too large";
		a->min <<= b->min;
		a->max <<= b->max;
		return NULL;
	case DDP_OP_SHR:
		if (b->max > 63)
			return "shifts by more than 63 bits";
		a->min >>= b->max;
		a->max >>= b->min;
		return NULL;
	case DDP_OP_BIT_AND:
		a->min = 0;
		a->max = a->max < b->max ? a->max : b->max;
		return NULL;
	case DDP_OP_BIT_OR:
		a->min = a->min > b->min ? a->min : b->min;
		a->max |= b->max;
		if (a->max != 0) // the next number of the form 2^n - 1
			a->max = UINT64_MAX >> __builtin_clzll(a->max);
		return NULL;
	default: // comparisons and logic
		*a = (struct range){0, 1};
		return NULL;
	}
}

bool expr_range(const struct ddp_expr *expr, uint64_t *min, uint64_t *max, const char **what) {
	struct range stack[DDP_EXPR_STACK];
	unsigned int n = 0;

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		const struct ddp_expr_op *op = &expr->ops[i];

		if (op->op == DDP_OP_CONST) {
			stack[n++] = (struct range){op->value, op->value};
		} else if (op->op == DDP_OP_FIELD) {
			*what = "uses a field of more than 64 bits";
			if (op->ref.bits > 64)
				return false;
			stack[n++] = (struct range){0, UINT64_MAX >> (64 - op->ref.bits)};
		} else if (op->op == DDP_OP_NOT) {
			stack[n - 1] = (struct range){0, 1};
		} else {
			*what = range_apply(op->op, &stack[n - 2], &stack[n - 1]);
			if (*what != NULL)
				return false;
			n--;
		}
	}
	assert(n <= 1);
	*min = stack[0].min;
	*max = stack[0].max;
	return true;
}

// From first up to next, as a message quotes it: one line, no blanks behind.
static int text_len(const struct ddp_token *first, const struct ddp_token *next) {
	const char *line_end = memchr(first->s, '\n', next->s - first->s);
	const char *end = line_end != NULL ? line_end : next->s;

	while (end > first->s && isspace((unsigned char)end[-1]))
		end--;
	return end - first->s;
}

bool expr_read(struct loader *l, const struct scope *scope, struct ddp_lexer *lexer,
	       struct ddp_expr *expr) {
	struct expression e = {.l = l, .scope = scope, .lexer = lexer, .expr = expr};
	struct ddp_token first = lexer->token;
	uint64_t min, max;
	const char *what;

	if (!level_read(&e, LEVEL_OR)) {
		expr->n_ops = 0;
		return false;
	}
	if (!expr_range(expr, &min, &max, &what)) {
		first.s -= first.kind == DDP_TOKEN_PARAM; // its '$'
		ddp_error(l->diag, &first.place, "'%.*s' %s", text_len(&first, &lexer->token),
			  first.s, what);
		expr->n_ops = 0;
		return false;
	}
	return true;
}

void expr_read_all(struct loader *l, const struct scope *scope, const struct ddp_yaml *node,
		   struct ddp_expr *expr) {
	struct ddp_lexer lexer;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "an expression"))
		return;
	ddp_lexer_init(&lexer, &node->text, l->diag);
	if (expr_read(l, scope, &lexer, expr) && !ddp_lexer_at_end(&lexer))
		ddp_lexer_unexpected(&lexer, "an operator");
}

/* Conditions: {field: value, field: [value, value], field: not value}, or an expression */

static struct ddp_text text_trim(struct ddp_text text) {
	while (text.len > 0 && isspace((unsigned char)*text.s)) {
		text.s++;
		text.len--;
		text.place.col++;
	}
	while (text.len > 0 && isspace((unsigned char)text.s[text.len - 1]))
		text.len--;
	return text;
}

static void match_value_read(struct loader *l, struct ddp_text text, struct ddp_match *match) {
	struct ddp_field *field = ddp_ref_field(l->profile, &match->ref);

	text = text_trim(text);
	if (!value_read(l, &text, field->width, &match->patterns, &match->n_patterns) ||
	    (text.len > 1 && *text.s == '$'))
		return;
	match->hex = is_hex(text.s, text.len);
	field->hex |= match->hex;
}

static void match_read(struct loader *l, const struct scope *scope, const struct ddp_yaml *key,
		       const struct ddp_yaml *value, struct ddp_match *match) {
	struct ddp_token token = {
		.kind = DDP_TOKEN_NAME,
		.s = key->value,
		.len = strlen(key->value),
		.place = key->place,
	};
	const struct ddp_header *header;

	if (!ref_read(l, scope, &token, &match->ref))
		return;
	header = &l->profile->headers[match->ref.node];
	if (match->ref.which == DDP_WHICH_NEAREST && header == scope->header) // {tag.id: 7} in tag
		ddp_warn(l->diag, &token.place,
			 "'%s' is that of a '%s' before this one; this one's own is '%s'",
			 match->ref.name, header->name, header->fields[match->ref.field].name);
	if (value->kind == DDP_YAML_SCALAR) {
		struct ddp_text text = value->text;

		if (text.len > 4 && memcmp(text.s, "not ", 4) == 0) {
			match->negate = true;
			text.s += 4;
			text.len -= 4;
			text.place.col += 4;
		}
		match_value_read(l, text, match);
		return;
	}
	if (!yaml_is(l, value, DDP_YAML_LIST, "a value or a list of values"))
		return;
	if (value->n_items == 0)
		ddp_error(l->diag, &value->place, "an empty list matches nothing");
	for (unsigned int i = 0; i < value->n_items; i++)
		if (yaml_is(l, value->items[i], DDP_YAML_SCALAR, "a value"))
			match_value_read(l, value->items[i]->text, match);
}

bool cond_is_never(const struct ddp_cond *cond) {
	const struct ddp_expr_op *op = cond->expr.ops;

	return cond->expr.n_ops == 1 && op->op == DDP_OP_CONST && op->value == 0;
}

void cond_read(struct loader *l, const struct scope *scope, const struct ddp_yaml *node,
	       struct ddp_cond *cond) {
	if (node != NULL && node->kind == DDP_YAML_SCALAR) {
		expr_read_all(l, scope, node, &cond->expr);
		return;
	}
	if (!yaml_is(l, node, DDP_YAML_MAP, "a condition such as {type: 255, e: 1}"))
		return;
	if (node->n_items == 0)
		ddp_error(l->diag, &node->place, "an empty condition: leave 'when' out");
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(node); i++)
		match_read(l, scope, ddp_yaml_key(node, i), ddp_yaml_value(node, i),
			   DDP_APPEND(l->arena, cond->matches, cond->n_matches));
}
