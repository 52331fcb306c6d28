/* SPDX-License-Identifier: BSD-3-Clause */
// A YAML file as a tree with the position of each node, read with libyaml. Anchors, aliases and
// tags are refused (a profile is a short file to be read from top to bottom), and so is a file that
// is not UTF-8.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

enum ddp_yaml_kind {
	DDP_YAML_SCALAR,
	DDP_YAML_LIST,
	DDP_YAML_MAP,
};

struct ddp_yaml {
	enum ddp_yaml_kind kind;
	struct ddp_place place;
	const char *value;       // scalar
	struct ddp_text text;    // scalar
	struct ddp_yaml **items; // list: its items; map: key, value, key, value, ...
	unsigned int n_items;
};

#define DDP_YAML_SIZE_MAX (1024 * 1024) // bytes of a text

// Parse YAML text, which is copied, as a tree; messages call it file. NULL with the reason in diag.
// It needs no ddp_arena_run().
struct ddp_yaml *ddp_yaml_parse(const char *text, size_t size, const char *file,
				struct ddp_arena *arena, struct ddp_diag *diag);

// Leave out the first n bytes of a text; its place counts their lines and characters.
void ddp_text_advance(struct ddp_text *text, size_t n);

// The value of key, NULL when the map has none. NULL is a map without keys.
struct ddp_yaml *ddp_yaml_get(const struct ddp_yaml *map, const char *key);

// The key node of the nth pair and its value.
static inline struct ddp_yaml *ddp_yaml_key(const struct ddp_yaml *map, unsigned int n) {
	return map->items[2 * n];
}

static inline struct ddp_yaml *ddp_yaml_value(const struct ddp_yaml *map, unsigned int n) {
	return map->items[2 * n + 1];
}

static inline unsigned int ddp_yaml_n_pairs(const struct ddp_yaml *map) {
	return map != NULL && map->kind == DDP_YAML_MAP ? map->n_items / 2 : 0;
}
