/* SPDX-License-Identifier: BSD-3-Clause */
#include "naive_flow.h"

#include "unit.h"

static bool is_named(const struct naive *n, unsigned int index, const char *name) {
	return strcmp(header_of(n, index)->name, name) == 0;
}

/* Values */

// The header of the packet that an item means, NULL for none: the nth of its name, the rule having
// n - 1 before.
static const struct naive_header *item_find(const struct naive *n, const struct ddp_flow *rule,
					    unsigned int item) {
	unsigned int nth = 0;

	for (unsigned int i = 0; i <= item; i++)
		nth += strcmp(rule->items[i], rule->items[item]) == 0;
	for (unsigned int i = 0; i < n->n_headers; i++)
		if (is_named(n, i, rule->items[item]) && --nth == 0)
			return &n->headers[i];
	return NULL;
}

static const struct ddp_field *field_find(const struct ddp_header *header, const char *name) {
	for (unsigned int i = 0; i < header->n_fields; i++)
		if (header->fields[i].name != NULL && strcmp(header->fields[i].name, name) == 0)
			return &header->fields[i];
	fail_msg("no field %s", name);
	return NULL;
}

// The number at a place, and its width. false: the packet has none.
static bool place_read(const struct naive *n, const struct ddp_flow *rule,
		       const struct ddp_flow_field *at, number *value, unsigned int *width) {
	const struct naive_header *h = item_find(n, rule, at->item);
	uint32_t bit;

	if (h == NULL)
		return false;
	*width = at->width;
	if (at->field == NULL) {
		bit = 8 * h->off + (at->bit & ~DDP_FLOW_PAYLOAD);
		if ((at->bit & DDP_FLOW_PAYLOAD) != 0)
			bit += 8 * h->len;
	} else {
		const struct ddp_header *header = &n->profile->headers[h->node];
		const struct ddp_field *field = field_find(header, at->field);

		if (at->width == 0)
			*width = field->width;
		if (!field_place(header, h->off, h->len, h->groups, field, &bit))
			return false;
	}
	if (bit + *width > 8 * n->len)
		return false;
	*value = naive_bits(n, bit, *width);
	return true;
}

static bool value_holds(const struct naive *n, const struct ddp_flow *rule,
			const struct ddp_flow_value *value) {
	number mask = (number)value->pattern.mask_hi << 64 | value->pattern.mask_lo;
	number wanted = (number)value->pattern.value_hi << 64 | value->pattern.value_lo;
	unsigned int width;
	number found;

	if (!place_read(n, rule, &value->at, &found, &width))
		return false;
	return ((found & mask) == (wanted & mask)) != value->negate;
}

static bool values_hold(const struct naive *n, const struct ddp_flow *rule) {
	for (unsigned int i = 0; i < rule->n_values; i++)
		if (!value_holds(n, rule, &rule->values[i]))
			return false;
	return true;
}

/* Headers */

static bool is_without(const struct ddp_flow *rule, unsigned int item, const char *header) {
	return rule->without[item] != NULL && strcmp(rule->without[item], header) == 0;
}

static bool may_skip(const struct ddp_flow *rule, unsigned int item, const char *header) {
	const char *after = rule->items[item];

	if (rule->exact || is_without(rule, item, header))
		return false;
	for (unsigned int i = item + 1; i < rule->n_items; i++)
		if (strcmp(rule->items[i], header) == 0)
			return false;
	if (strcmp(after, "geneve") == 0 && strcmp(header, "eth") == 0)
		return true;
	if (strcmp(header, "vlan") == 0)
		return strcmp(after, "eth") == 0 || strcmp(after, "vlan") == 0 ||
		       strcmp(after, "geneve") == 0;
	if (strcmp(header, "ipv6_ext") == 0)
		return strcmp(after, "ipv6") == 0;
	if (strcmp(header, "gtpu_ext") == 0)
		return strcmp(after, "gtpu") == 0 || strcmp(after, "gtpu_psc") == 0;
	if (strcmp(header, "gtpu_psc") == 0)
		return strcmp(after, "gtpu_psc") == 0;
	return strcmp(header, "ppp") == 0 && strcmp(after, "pppoe") == 0;
}

// Do the packet's headers from `index` on (hidden ones left out, ending with `end`) begin with the
// items from `item` on?
static bool items_hold(const struct naive *n, const unsigned int *visible, unsigned int index,
		       unsigned int end, const struct ddp_flow *rule, unsigned int item) {
	if (index == end || !is_named(n, visible[index], rule->items[item]))
		return false;
	if (item + 1 == rule->n_items && rule->ends && index + 1 < end)
		return false;
	if (item + 1 == rule->n_items) {
		index++;
		while (index < end && may_skip(rule, item, header_of(n, visible[index])->name))
			index++;
		return index == end || !is_without(rule, item, header_of(n, visible[index])->name);
	}
	for (index++; index < end; index++) {
		if (items_hold(n, visible, index, end, rule, item + 1))
			return true;
		if (!may_skip(rule, item, header_of(n, visible[index])->name))
			return false;
	}
	return false;
}

static bool rule_holds(const struct naive *n, const struct ddp_flow *rule) {
	unsigned int visible[DDP_MAX_STEPS], end = 0;

	for (unsigned int i = 0; i < n->n_headers; i++) {
		if (header_of(n, i)->hidden)
			continue;
		visible[end++] = i;
		if (n->headers[i].fragment) // the rest is in the first fragment only
			break;
	}
	if (rule->n_items == 0)
		return (!rule->ends || end == 0) && values_hold(n, rule);
	return items_hold(n, visible, 0, end, rule, 0) && values_hold(n, rule);
}

void naive_flow_match(const struct naive *n, const struct ddp_flow *const *rules,
		      unsigned int n_rules, struct naive_hit *hit) {
	for (unsigned int i = 0; i < DDP_FLOW_STAGES; i++)
		hit->rules[i] = -1;
	for (unsigned int i = 0; i < n_rules; i++)
		if (rules[i] != NULL && rule_holds(n, rules[i]))
			hit->rules[rules[i]->stage] = i;
}

/* Hash input */

static unsigned int bits_of(const struct ddp_header *header, const struct ddp_flow_field *at) {
	return at->width != 0 ? at->width : field_find(header, at->field)->width;
}

// The other one of a pair, if it is hashed as far as this one.
static const struct ddp_flow_field *partner_of(const struct naive *n, const struct ddp_flow *rule,
					       const struct ddp_flow_field *at) {
	const struct naive_header *h = item_find(n, rule, at->item);
	const struct ddp_header *header = &n->profile->headers[h->node];

	for (unsigned int i = 0; at->field != NULL && i < rule->n_inputs; i++) {
		const struct ddp_flow_field *other = &rule->inputs[i];

		if (other->field == NULL || other->item != at->item ||
		    bits_of(header, other) != bits_of(header, at))
			continue;
		for (unsigned int p = 0; header->has_pair && p < 2; p++)
			if (strcmp(at->field, header->fields[header->pair[p]].name) == 0 &&
			    strcmp(other->field, header->fields[header->pair[1 - p]].name) == 0)
				return other;
	}
	return NULL;
}

unsigned int naive_flow_input(const struct naive *n, const struct ddp_flow *rule,
			      enum ddp_hash_function function, uint8_t input[DDP_MAX_INPUT_SIZE]) {
	unsigned int len = 0, width;
	number value, other;

	memset(input, 0, DDP_MAX_INPUT_SIZE);
	for (unsigned int i = 0; i < rule->n_inputs; i++) {
		const struct ddp_flow_field *at = &rule->inputs[i], *partner;

		if (!place_read(n, rule, at, &value, &width))
			continue;
		partner = partner_of(n, rule, at);
		if (partner != NULL && place_read(n, rule, partner, &other, &width))
			value = naive_paired(function, value, other, at < partner);
		for (unsigned int b = (width + 7) / 8; b > 0; b--)
			input[len++] = value >> 8 * (b - 1);
	}
	return len;
}

/* Rules in the tables of their shapes */

void flow_book_init(struct flow_book *book) {
	memset(book, 0, sizeof(*book));
	TAILQ_INIT(&book->shapes);
}

void flow_book_fini(struct flow_book *book) {
	for (unsigned int i = 0; i < book->n; i++)
		ddp_flow_shape_put(&book->shapes, book->rules[i].shape);
	flow_book_init(book);
}

static void rule_add(struct flow_book *book, const struct ddp_flow *rule) {
	struct ddp_flow_shape *shape = ddp_flow_shape_get(&book->shapes, NULL, rule, 8);
	struct ddp_flow_entry *entry;

	assert_non_null(shape);
	entry = ddp_flow_entry_create(shape->table, rule);
	assert_non_null(entry);
	entry->number = book->n;
	book->rules[book->n].shape = shape;
	book->rules[book->n].entry = entry;
	flow_book_toggle(book, book->n++);
}

void flow_book_add(struct flow_book *book, const struct ddp_flow *rules, unsigned int n) {
	assert_in_range(book->n + n, 0, FLOW_BOOK_MAX);
	for (unsigned int i = 0; i < n; i++)
		rule_add(book, &rules[i]);
}

bool flow_book_toggle(struct flow_book *book, unsigned int rule) {
	struct ddp_flow_shape *shape = book->rules[rule].shape;
	struct ddp_flow_entry *entry = book->rules[rule].entry;

	if (book->rules[rule].in) {
		ddp_flow_table_remove(shape->table, entry);
	} else {
		assert_int_equal(ddp_flow_table_reserve(shape->table, entry), 0);
		ddp_flow_table_insert(shape->table, entry);
		ddp_flow_table_reclaim(shape->table);
	}
	book->rules[rule].in = !book->rules[rule].in;
	return shape->rule.stage == DDP_FLOW_HASH || ddp_flow_n_keys(&shape->rule) == 0;
}

struct ddp_flow_set *flow_book_build(const struct flow_book *book,
				     const struct ddp_profile *profile,
				     const struct ddp_program *program, struct ddp_diag *diag) {
	const struct ddp_flow_shape *shapes[FLOW_BOOK_MAX], *shape;
	unsigned int n = 0;

	TAILQ_FOREACH(shape, &book->shapes, entry)
		shapes[n++] = shape;
	return ddp_flow_set_build(profile, program, shapes, n, diag);
}
