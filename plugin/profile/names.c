/* SPDX-License-Identifier: BSD-3-Clause */
// Things by name, and what to say when there is none of that name.
#include <stdio.h>
#include <string.h>

#include "loader.h"

int header_find(const struct loader *l, const char *name, size_t len) {
	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		if (strlen(l->profile->headers[i].name) == len &&
		    memcmp(l->profile->headers[i].name, name, len) == 0)
			return i;
	return -1;
}

int table_find(const struct loader *l, const char *name, size_t len) {
	for (unsigned int i = 0; i < l->profile->n_tables; i++)
		if (strlen(l->profile->tables[i].name) == len &&
		    memcmp(l->profile->tables[i].name, name, len) == 0)
			return i;
	return -1;
}

void unknown_name(struct loader *l, const struct ddp_place *place, const char *kind,
		  const char *name, size_t len, const char *const *known, unsigned int n_known) {
	const char *nearest = ddp_nearest(ddp_arena_strndup(l->arena, name, len), known, n_known);

	if (nearest != NULL)
		ddp_error(l->diag, place, "unknown %s '%.*s'; did you mean '%s'?", kind, (int)len,
			  name, nearest);
	else
		ddp_error(l->diag, place, "unknown %s '%.*s'", kind, (int)len, name);
}

void unknown_header(struct loader *l, const struct ddp_place *place, const char *name, size_t len) {
	const char *known[DDP_MAX_NODES];

	for (unsigned int i = 0; i < l->profile->n_headers; i++)
		known[i] = l->profile->headers[i].name;
	unknown_name(l, place, "header", name, len, known, l->profile->n_headers);
}

bool keys_allowed(struct loader *l, const struct ddp_yaml *map, const char *what,
		  const char *const *keys, unsigned int n_keys) {
	char kind[64];
	bool good = true;

	snprintf(kind, sizeof(kind), "key of %s:", what);
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(map); i++) {
		const struct ddp_yaml *key = ddp_yaml_key(map, i);
		bool known = false;

		for (unsigned int j = 0; j < n_keys; j++)
			known |= strcmp(keys[j], key->value) == 0;
		if (!known)
			unknown_name(l, &key->place, kind, key->value, strlen(key->value), keys,
				     n_keys);
		good &= known;
	}
	return good;
}

bool room_check(struct loader *l, unsigned int n, unsigned int most, const struct ddp_place *place,
		const char *what) {
	if (n == most)
		ddp_error(l->diag, place, "more than %u %s", most, what);
	return n < most;
}

bool yaml_is(struct loader *l, const struct ddp_yaml *node, enum ddp_yaml_kind kind,
	     const char *what) {
	static const char *const found[] = {
		[DDP_YAML_SCALAR] = "a word",
		[DDP_YAML_LIST] = "a list",
		[DDP_YAML_MAP] = "a mapping",
	};
	bool is_empty = node->kind == DDP_YAML_SCALAR && *node->value == '\0';

	if (node->kind == kind && !is_empty)
		return true;
	ddp_error(l->diag, &node->place, "expected %s, found %s", what,
		  is_empty ? "nothing" : found[node->kind]);
	return false;
}

const struct ddp_field *ref_field(const struct ddp_profile *profile, const struct ddp_ref *ref) {
	return &profile->headers[ref->node].fields[ref->field];
}
