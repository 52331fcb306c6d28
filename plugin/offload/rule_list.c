/* SPDX-License-Identifier: BSD-3-Clause */
#include "draft.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool rule_same(const struct ddp_offload_rule *a, const struct ddp_offload_rule *b) {
	if (a->n_items != b->n_items || a->pdu_type != b->pdu_type || a->types != b->types ||
	    a->level != b->level || a->size != b->size)
		return false;
	for (unsigned int i = 0; i < a->n_items; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return memcmp(a->spec, b->spec, a->size) == 0 && memcmp(a->mask, b->mask, a->size) == 0;
}

void rule_list_fini(struct rule_list *list) {
	free(list->rules);
	*list = (struct rule_list){0};
}

bool rule_list_has(const struct rule_list *list, const struct rule *rule) {
	for (unsigned int i = 0; i < list->n; i++)
		if (rule_same(&list->rules[i].rule, &rule->rule))
			return true;
	return false;
}

bool rule_list_insert(struct rule_list *list, const struct rule *rule) {
	unsigned int at = list->n;

	if (list->n == list->room) {
		unsigned int room = list->room == 0 ? 64 : 2 * list->room;
		struct rule *grown = realloc(list->rules, room * sizeof(*grown));

		if (grown == NULL) {
			list->failed = true;
			return false;
		}
		list->rules = grown;
		list->room = room;
	}
	while (at > 0 && rule_compare(&list->rules[at - 1], rule) > 0)
		at--;
	memmove(&list->rules[at + 1], &list->rules[at], (list->n - at) * sizeof(*list->rules));
	list->rules[at] = *rule;
	list->n++;
	return true;
}

void rule_list_remove(struct rule_list *list, unsigned int at) {
	assert(at < list->n);
	list->n--;
	memmove(&list->rules[at], &list->rules[at + 1], (list->n - at) * sizeof(*list->rules));
}

void rule_list_join(struct rule_list *list) {
	for (unsigned int i = 0; i < list->n; i++)
		for (unsigned int j = i + 1; j < list->n && list->rules[i].rule.pdu_type >= 0;
		     j++) {
			struct ddp_offload_rule both = list->rules[j].rule;

			if (both.pdu_type != !list->rules[i].rule.pdu_type)
				continue;
			both.pdu_type = list->rules[i].rule.pdu_type;
			if (!rule_same(&both, &list->rules[i].rule))
				continue;
			list->rules[i].rule.pdu_type = -1;
			rule_list_remove(list, j);
			break;
		}
}

struct ddp_offload_rule *rule_list_copy(const struct rule_list *list) {
	struct ddp_offload_rule *copy = calloc(list->n + 1, sizeof(*copy));

	for (unsigned int i = 0; copy != NULL && i < list->n; i++)
		copy[i] = list->rules[i].rule;
	return copy;
}
