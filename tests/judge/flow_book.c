/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_book.h"

#include "unit.h"

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
