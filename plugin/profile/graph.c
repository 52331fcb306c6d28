/* SPDX-License-Identifier: BSD-3-Clause */
// The rules of a header: its own ('next'), then those by which other headers attach themselves
// ('after'). A rule names a header, reads a table, or ends the path; the first to apply decides.
#include <string.h>

#include "loader.h"

static struct ddp_rule *rule_add(struct loader *l, struct ddp_header *header,
				 const struct ddp_place *place) {
	struct ddp_rule *rule = DDP_APPEND(l->arena, header->rules, header->n_rules);

	rule->place = *place;
	rule->profile = l->part->name;
	return rule;
}

// "table(field)", with the table's name just taken.
static bool lookup_read(struct loader *l, struct ddp_header *header, struct ddp_lexer *lexer,
			struct ddp_rule *rule) {
	struct scope scope = {.header = header};
	const struct ddp_field *field;
	struct ddp_token key;

	rule->kind = DDP_RULE_LOOKUP;
	if (!ddp_lexer_expect(lexer, "("))
		return false;
	key = ddp_lexer_take(lexer);
	if (!ref_read(l, &scope, &key, &rule->key) || !ddp_lexer_expect(lexer, ")"))
		return false;
	field = ddp_ref_field(l->profile, &rule->key);
	if (field->width > 64)
		return ddp_refuse(l->diag, &key.place,
				  "field '%s' is wider than 64 bits: no key of a table",
				  field->name);
	return true;
}

static bool unknown_target(struct loader *l, const struct ddp_token *token) {
	const char *known[DDP_MAX_NODES + 100];
	unsigned int n = 0;

	if (header_find(l, token->s, token->len) >= 0)
		return ddp_refuse(l->diag, &token->place, "'%.*s' is a header, no table",
				  (int)token->len, token->s);
	if (table_find(l, token->s, token->len) >= 0)
		return ddp_refuse(l->diag, &token->place,
				  "'%.*s' is a table: of which field? (%.*s(field))",
				  (int)token->len, token->s, (int)token->len, token->s);
	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		known[n++] = l->profile->headers[i].name;
	for (unsigned int i = 0; i < l->profile->n_tables && i < 99; i++)
		known[n++] = l->profile->tables[i].name;
	known[n++] = "stop";
	return unknown_name(l, &token->place, "header or table", token->s, token->len, known, n);
}

// "ipv4", "ethertype(type)" or "stop".
static bool target_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *node,
			struct ddp_rule *rule) {
	struct ddp_lexer lexer;
	struct ddp_token name;
	int index;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "a header, table(field) or stop"))
		return false;
	ddp_lexer_init(&lexer, &node->text, l->diag);
	if (lexer.token.kind != DDP_TOKEN_NAME)
		return ddp_lexer_unexpected(&lexer, "a header, table(field) or stop");
	name = ddp_lexer_take(&lexer);
	if (ddp_lexer_is(&lexer, "(")) {
		index = table_find(l, name.s, name.len);
		if (index < 0)
			return unknown_target(l, &name);
		rule->table = index;
		if (!lookup_read(l, header, &lexer, rule))
			return false;
	} else if (name.len == 4 && memcmp(name.s, "stop", 4) == 0) {
		rule->kind = DDP_RULE_STOP;
	} else {
		index = header_find(l, name.s, name.len);
		if (index < 0)
			return unknown_target(l, &name);
		rule->kind = DDP_RULE_GOTO;
		rule->target = index;
	}
	return ddp_lexer_at_end(&lexer) || ddp_lexer_unexpected(&lexer, "the end");
}

static void rule_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *node) {
	static const char *const keys[] = {"when", "then"};
	struct scope scope = {.header = header};
	struct ddp_rule *rule = rule_add(l, header, &node->place);
	const struct ddp_yaml *then;

	rule->kind = DDP_RULE_STOP;
	if (node->kind == DDP_YAML_SCALAR) {
		target_read(l, header, node, rule);
		return;
	}
	if (!yaml_is(l, node, DDP_YAML_MAP, "a rule such as {when: {type: 255}, then: ip}") ||
	    !keys_allowed(l, node, "a rule", keys, 2))
		return;
	then = ddp_yaml_get(node, "then");
	if (then == NULL) {
		ddp_error(l->diag, &node->place, "a rule without 'then'");
		return;
	}
	cond_read(l, &scope, ddp_yaml_get(node, "when"), &rule->cond);
	if (target_read(l, header, then, rule) && cond_is_never(&rule->cond))
		header->rules[--header->n_rules] = (struct ddp_rule){0};
}

void rules_read(struct loader *l, struct ddp_header *header, const struct ddp_yaml *next) {
	if (next != NULL && next->kind != DDP_YAML_LIST)
		rule_read(l, header, next);
	else
		for (unsigned int i = 0; next != NULL && i < next->n_items; i++)
			rule_read(l, header, next->items[i]);
}

static bool entry_add(struct loader *l, struct ddp_table *table, uint64_t value, bool hex,
		      unsigned int target, const struct ddp_place *place) {
	struct ddp_table_entry *entry;

	assert(target < l->profile->n_headers);
	for (unsigned int i = 0; i < table->n_entries; i++) {
		entry = &table->entries[i];
		if (entry->value != value)
			continue;
		if (entry->target == target)
			return true;
		return ddp_refuse(
			l->diag, place,
			"%s 0x%llx leads to '%s' here (profile '%s') but to '%s' in %s:%u (profile "
			"'%s')",
			table->name, (unsigned long long)value, l->profile->headers[target].name,
			l->part->name, l->profile->headers[entry->target].name, entry->place.file,
			entry->place.line, entry->profile);
	}
	table->hex |= hex;
	entry = DDP_APPEND(l->arena, table->entries, table->n_entries);
	*entry = (struct ddp_table_entry){
		.value = value,
		.target = target,
		.place = *place,
		.profile = l->part->name,
	};
	return true;
}

// "ethertype(0x8100, 0x88a8)", behind the bracket.
static bool after_table(struct loader *l, struct ddp_lexer *lexer, struct ddp_table *table,
			unsigned int target) {
	do {
		bool hex = is_hex(lexer->token.s, lexer->token.len);
		struct ddp_place place = lexer->token.place;
		struct ddp_pattern *patterns = NULL;
		unsigned int n = 0;

		if (!patterns_read(l, lexer, 64, &patterns, &n))
			return false;
		for (unsigned int i = 0; i < n; i++) {
			if (patterns[i].mask_lo != UINT64_MAX)
				return ddp_refuse(l->diag, &place,
						  "table '%s' holds values, not masks",
						  table->name);
			if (!entry_add(l, table, patterns[i].value_lo, hex, target, &place))
				return false;
		}
	} while (ddp_lexer_accept(lexer, ","));
	return ddp_lexer_expect(lexer, ")");
}

// True when both test the same fields and some packet fits both. For expressions order decides.
static bool conds_meet(const struct ddp_cond *a, const struct ddp_cond *b) {
	if (a->n_matches != b->n_matches || a->expr.n_ops > 0 || b->expr.n_ops > 0)
		return false;
	for (unsigned int i = 0; i < a->n_matches; i++) {
		const struct ddp_match *other = NULL;

		for (unsigned int j = 0; j < b->n_matches; j++)
			if (ddp_refs_equal(&a->matches[i].ref, &b->matches[j].ref) &&
			    a->matches[i].negate == b->matches[j].negate)
				other = &b->matches[j];
		if (other == NULL || !ddp_patterns_meet(&a->matches[i], other))
			return false;
	}
	return true;
}

// Two headers that come after one in the same case: who of them was loaded first must not decide.
void attachment_check(struct loader *l, const struct ddp_header *header,
		      const struct ddp_rule *rule) {
	for (unsigned int i = 0; i < header->n_rules; i++) {
		const struct ddp_rule *other = &header->rules[i];

		if (!other->attached || other->kind != DDP_RULE_GOTO ||
		    rule->kind != DDP_RULE_GOTO || other->target == rule->target ||
		    !conds_meet(&rule->cond, &other->cond))
			continue;
		ddp_error(l->diag, &rule->place,
			  "'%s' (profile '%s') comes after '%s' in the same case as '%s' in %s:%u "
			  "(profile '%s')",
			  l->profile->headers[rule->target].name, rule->profile, header->name,
			  l->profile->headers[other->target].name, other->place.file,
			  other->place.line, other->profile);
		return;
	}
}

// "udp(dport=2152)", behind the bracket.
static bool after_fields(struct loader *l, struct ddp_lexer *lexer, struct ddp_header *header,
			 struct ddp_rule *rule) {
	struct scope scope = {.header = header};

	do {
		struct ddp_token name = ddp_lexer_take(lexer);
		struct ddp_match *match =
			DDP_APPEND(l->arena, rule->cond.matches, rule->cond.n_matches);
		struct ddp_field *field;

		if (!ref_read(l, &scope, &name, &match->ref) || !ddp_lexer_expect(lexer, "="))
			return false;
		field = ddp_ref_field(l->profile, &match->ref);
		match->hex = is_hex(lexer->token.s, lexer->token.len);
		field->hex |= match->hex;
		if (!patterns_read(l, lexer, field->width, &match->patterns, &match->n_patterns))
			return false;
	} while (ddp_lexer_accept(lexer, ","));
	return ddp_lexer_expect(lexer, ")");
}

// rank: the index among the target's attachments.
static bool attachment_read(struct loader *l, struct ddp_lexer *lexer, unsigned int target,
			    unsigned int rank) {
	struct ddp_token name = lexer->token;
	struct ddp_header *header;
	struct ddp_rule *rule;
	int index;

	if (name.kind != DDP_TOKEN_NAME)
		return ddp_lexer_unexpected(lexer, "what it comes after, such as udp(dport=2152)");
	ddp_lexer_take(lexer);
	index = table_find(l, name.s, name.len);
	if (index >= 0)
		return ddp_lexer_expect(lexer, "(") &&
		       after_table(l, lexer, &l->profile->tables[index], target);
	index = header_find(l, name.s, name.len);
	if (index < 0)
		return unknown_target(l, &name);
	header = &l->profile->headers[index];
	rule = rule_add(l, header, &name.place);
	rule->kind = DDP_RULE_GOTO;
	rule->target = target;
	rule->attached = true;
	rule->rank = rank;
	if (ddp_lexer_accept(lexer, "(") && !after_fields(l, lexer, header, rule))
		return false;
	attachment_check(l, header, rule);
	return true;
}

static void after_text(struct loader *l, unsigned int header, const struct ddp_yaml *node,
		       unsigned int *rank) {
	struct ddp_lexer lexer;

	if (!yaml_is(l, node, DDP_YAML_SCALAR, "what it comes after, such as udp(dport=2152)"))
		return;
	ddp_lexer_init(&lexer, &node->text, l->diag);
	do {
		if (!attachment_read(l, &lexer, header, (*rank)++))
			return;
	} while (ddp_lexer_accept(&lexer, ","));
	if (!ddp_lexer_at_end(&lexer))
		ddp_lexer_unexpected(&lexer, "','");
}

void after_read(struct loader *l, unsigned int header, const struct ddp_yaml *after) {
	unsigned int rank = 0;

	assert(header < l->profile->n_headers);
	if (after != NULL && after->kind != DDP_YAML_LIST)
		after_text(l, header, after, &rank);
	else
		for (unsigned int i = 0; after != NULL && i < after->n_items; i++)
			after_text(l, header, after->items[i], &rank);
}

void tunnel_attach(struct loader *l, const struct ddp_tunnel *tunnel) {
	const int target = ddp_header_find(l->profile, tunnel->header);
	struct ddp_text text = {0};
	struct ddp_lexer lexer;

	if (target < 0 || ddp_header_find(l->profile, "udp") < 0)
		return;
	l->part = l->profile->parts;
	for (; l->part->name != l->profile->headers[target].profile; l->part++)
		; // the attachment is as if that profile had made it
	text.s = ddp_arena_printf(l->arena, "udp(dport=%u)", tunnel->port);
	text.len = strlen(text.s);
	text.place.file =
		ddp_arena_printf(l->arena, "UDP port %u of %s", tunnel->port, tunnel->header);
	ddp_lexer_init(&lexer, &text, l->diag);
	attachment_read(l, &lexer, target, 0);
}

// So that a destination port, which headers name first, decides before anybody's source port.
void rules_sort(struct ddp_header *header) {
	for (unsigned int i = 1; i < header->n_rules; i++) {
		const struct ddp_rule rule = header->rules[i];
		unsigned int at = i;

		for (; at > 0; at--) {
			const struct ddp_rule *before = &header->rules[at - 1];

			if (rule.attached != before->attached ? rule.attached :
								rule.rank >= before->rank)
				break;
			header->rules[at] = *before;
		}
		header->rules[at] = rule;
	}
}
