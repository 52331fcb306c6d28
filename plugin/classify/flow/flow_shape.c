/* SPDX-License-Identifier: BSD-3-Clause */
// Shapes: rules that differ only in values share one.
#include <stdlib.h>
#include <string.h>

#include "flow_set.h"

static uint64_t mix(uint64_t hash, uint64_t hi, uint64_t lo) {
	static const struct ddp_seed fixed = {.factor = UINT64_C(0x9e3779b97f4a7c15)};

	return ddp_seed_add(&fixed, hash, hi, lo);
}

static uint64_t text_hash(uint64_t hash, const char *text) {
	for (; text != NULL && *text != '\0'; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t field_hash(uint64_t hash, const struct ddp_flow_field *at) {
	return mix(text_hash(hash, at->field), at->item,
		   (uint64_t)at->bit << 32 | at->width << 8 | at->spare);
}

static uint64_t shape_hash(const struct ddp_flow *rule) {
	uint64_t hash = mix(rule->stage,
			    rule->n_items << 16 | rule->n_values << 8 | rule->exact << 2 |
				    rule->ends << 1 | rule->optional,
			    rule->hashing.function << 1 | rule->hashing.own_inputs);

	for (unsigned int i = 0; i < rule->n_items; i++)
		hash = mix(text_hash(text_hash(hash, rule->items[i]), rule->without[i]), i, 0);
	for (unsigned int i = 0; i < rule->n_values; i++) {
		const struct ddp_flow_value *value = &rule->values[i];

		hash = field_hash(hash ^ value->negate, &value->at);
		hash = mix(hash, value->pattern.mask_hi, value->pattern.mask_lo);
	}
	for (unsigned int i = 0; i < rule->n_inputs; i++)
		hash = field_hash(hash, &rule->inputs[i]);
	return hash;
}

static bool text_same(const char *a, const char *b) {
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool field_same(const struct ddp_flow_field *a, const struct ddp_flow_field *b) {
	return a->item == b->item && a->bit == b->bit && a->width == b->width &&
	       a->spare == b->spare && text_same(a->field, b->field);
}

static bool value_same(const struct ddp_flow_value *a, const struct ddp_flow_value *b) {
	return field_same(&a->at, &b->at) && a->negate == b->negate &&
	       a->pattern.mask_hi == b->pattern.mask_hi &&
	       a->pattern.mask_lo == b->pattern.mask_lo &&
	       (ddp_flow_is_key(a) ||
		((a->pattern.value_hi ^ b->pattern.value_hi) & a->pattern.mask_hi) == 0) &&
	       (ddp_flow_is_key(a) ||
		((a->pattern.value_lo ^ b->pattern.value_lo) & a->pattern.mask_lo) == 0);
}

static bool shape_same(const struct ddp_flow *a, const struct ddp_flow *b) {
	if (a->stage != b->stage || a->hashing.function != b->hashing.function ||
	    a->hashing.own_inputs != b->hashing.own_inputs || a->exact != b->exact ||
	    a->ends != b->ends || a->optional != b->optional || a->n_items != b->n_items ||
	    a->n_values != b->n_values || a->n_inputs != b->n_inputs)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (!text_same(a->items[i], b->items[i]) ||
		    !text_same(a->without[i], b->without[i]))
			return false;
	for (unsigned int i = 0; i < a->n_values; i++)
		if (!value_same(&a->values[i], &b->values[i]))
			return false;
	for (unsigned int i = 0; i < a->n_inputs; i++)
		if (!field_same(&a->inputs[i], &b->inputs[i]))
			return false;
	return true;
}

unsigned int ddp_flow_n_keys(const struct ddp_flow *rule) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n_values; i++)
		n += ddp_flow_is_key(&rule->values[i]);
	return n;
}

struct ddp_flow_shape *ddp_flow_shape_create(struct ddp_flow_shapes *shapes,
					     const struct ddp_memory *memory,
					     const struct ddp_flow *rule, size_t data_size) {
	struct ddp_flow_shape *shape = calloc(1, sizeof(*shape));

	if (shape == NULL)
		return NULL;
	shape->table = ddp_flow_table_create(memory, ddp_flow_n_keys(rule), data_size);
	if (shape->table == NULL) {
		free(shape);
		return NULL;
	}
	shape->rule = *rule;
	for (unsigned int i = 0; i < rule->n_values; i++)
		if (ddp_flow_is_key(&rule->values[i]))
			shape->rule.values[i].pattern.value_hi =
				shape->rule.values[i].pattern.value_lo = 0;
	shape->n_users = 1;
	TAILQ_INSERT_TAIL(shapes, shape, entry);
	return shape;
}

struct ddp_flow_shape *ddp_flow_shape_get(struct ddp_flow_shapes *shapes,
					  const struct ddp_memory *memory,
					  const struct ddp_flow *rule, size_t data_size) {
	uint64_t hash = shape_hash(rule);
	struct ddp_flow_shape *shape;

	TAILQ_FOREACH(shape, shapes, entry)
		if (shape->hash == hash && shape_same(&shape->rule, rule)) {
			shape->n_users++;
			return shape;
		}
	shape = ddp_flow_shape_create(shapes, memory, rule, data_size);
	if (shape != NULL)
		shape->hash = hash;
	return shape;
}

void ddp_flow_shape_put(struct ddp_flow_shapes *shapes, struct ddp_flow_shape *shape) {
	if (--shape->n_users > 0)
		return;
	TAILQ_REMOVE(shapes, shape, entry);
	ddp_flow_table_destroy(shape->table);
	free(shape);
}

void ddp_flow_entry_fill(struct ddp_flow_entry *entry, const struct ddp_flow *rule) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n_values; i++) {
		const struct ddp_pattern *pattern = &rule->values[i].pattern;

		if (!ddp_flow_is_key(&rule->values[i]))
			continue;
		entry->values[n++] = pattern->value_hi & pattern->mask_hi;
		entry->values[n++] = pattern->value_lo & pattern->mask_lo;
	}
}

void ddp_flow_entry_read(const struct ddp_flow_entry *entry, struct ddp_flow *rule) {
	unsigned int n = 0;

	for (unsigned int i = 0; i < rule->n_values; i++) {
		if (!ddp_flow_is_key(&rule->values[i]))
			continue;
		rule->values[i].pattern.value_hi = entry->values[n++];
		rule->values[i].pattern.value_lo = entry->values[n++];
	}
}
