/* SPDX-License-Identifier: BSD-3-Clause */
// Objects by name, and messages for unknown names.
#include <string.h>

#include "base/seed.h"
#include "loader.h"

static const char *name_at(const void *items, unsigned int i, size_t size) {
	return *(const char *const *)((const char *)items + i * size);
}

int name_find(const void *items, unsigned int n, size_t size, const char *name, size_t len) {
	for (unsigned int i = 0; i < n; i++) {
		const char *other = name_at(items, i, size);

		if (strncmp(other, name, len) == 0 && other[len] == '\0')
			return i;
	}
	return -1;
}

int ddp_header_find(const struct ddp_profile *profile, const char *name) {
	return NAME_FIND(profile->headers, profile->n_headers, name, strlen(name));
}

bool ddp_path_has(const struct ddp_path *path, int node) {
	if (path == NULL)
		return false;
	if (path->kind == DDP_PATH_HEADER)
		return path->node == node;
	return ddp_path_has(path->left, node) || ddp_path_has(path->right, node);
}

int ddp_field_find(const struct ddp_header *header, const char *name) {
	return NAME_FIND(header->fields, header->n_fields, name, strlen(name));
}

int header_find(const struct loader *l, const char *name, size_t len) {
	return NAME_FIND(l->profile->headers, l->profile->n_headers, name, len);
}

int table_find(const struct loader *l, const char *name, size_t len) {
	return NAME_FIND(l->profile->tables, l->profile->n_tables, name, len);
}

bool unknown_item(struct loader *l, const struct ddp_place *place, const char *kind,
		  const char *name, size_t len, const void *known, unsigned int n, size_t size) {
	const char **names = ddp_arena_alloc(l->arena, n * sizeof(*names)), *nearest;

	for (unsigned int i = 0; i < n; i++)
		names[i] = name_at(known, i, size);
	nearest = ddp_nearest(ddp_arena_strndup(l->arena, name, len), names, n);
	if (nearest == NULL)
		return ddp_refuse(l->diag, place, "unknown %s '%.*s'", kind, (int)len, name);
	return ddp_refuse(l->diag, place, "unknown %s '%.*s'; did you mean '%s'?", kind, (int)len,
			  name, nearest);
}

bool unknown_header(struct loader *l, const struct ddp_place *place, const char *name, size_t len) {
	return unknown_name(l, place, "header", name, len, l->profile->headers,
			    l->profile->n_headers);
}

bool keys_allowed(struct loader *l, const struct ddp_yaml *map, const char *what,
		  const char *const *keys, unsigned int n_keys) {
	char kind[64];
	bool good = true;

	snprintf(kind, sizeof(kind), "key of %s:", what);
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(map); i++) {
		const struct ddp_yaml *key = ddp_yaml_key(map, i);

		if (NAME_FIND(keys, n_keys, key->value, strlen(key->value)) < 0)
			good = unknown_name(l, &key->place, kind, key->value, strlen(key->value),
					    keys, n_keys);
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
	bool is_empty = node != NULL && node->kind == DDP_YAML_SCALAR && *node->value == '\0';

	if (node == NULL || (node->kind == kind && !is_empty))
		return node != NULL;
	return ddp_refuse(l->diag, &node->place, "expected %s, found %s", what,
			  is_empty ? "nothing" : found[node->kind]);
}

void pairs_read(struct loader *l, const struct ddp_yaml *root, const char *key, const char *what,
		void (*read)(struct loader *l, const struct ddp_yaml *key,
			     const struct ddp_yaml *value)) {
	const struct ddp_yaml *map = ddp_yaml_get(root, key);

	if (!yaml_is(l, map, DDP_YAML_MAP, what))
		return;
	for (unsigned int i = 0; i < ddp_yaml_n_pairs(map); i++)
		read(l, ddp_yaml_key(map, i), ddp_yaml_value(map, i));
}

uint32_t ddp_profile_track_id(const char *name, const char *version) {
	return 0xdd000000 | (ddp_text_hash(ddp_text_hash(DDP_TEXT_HASH, name), version) & 0xffffff);
}
