/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
	struct chunk *next;
	alignas(max_align_t) unsigned char data[];
};

struct ddp_arena {
	struct chunk *chunks;
};

struct ddp_arena *ddp_arena_create(void) {
	return calloc(1, sizeof(struct ddp_arena));
}

void ddp_arena_destroy(struct ddp_arena *arena) {
	if (arena == NULL)
		return;
	while (arena->chunks != NULL) {
		struct chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
	free(arena);
}

void *ddp_arena_alloc(struct ddp_arena *arena, size_t size) {
	struct chunk *chunk = calloc(1, sizeof(*chunk) + size);

	if (chunk == NULL) {
		fputs("out of memory\n", stderr);
		abort();
	}
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk->data;
}

char *ddp_arena_strndup(struct ddp_arena *arena, const char *s, size_t len) {
	char *copy = ddp_arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *ddp_arena_strdup(struct ddp_arena *arena, const char *s) {
	return ddp_arena_strndup(arena, s, strlen(s));
}

void *ddp_arena_grow(struct ddp_arena *arena, void *items, unsigned int n, size_t item_size) {
	void *grown;

	// The capacity is the next power of two: a full array is one whose count is a power of two.
	if (n != 0 && (n & (n - 1)) != 0)
		return items;
	grown = ddp_arena_alloc(arena, (n == 0 ? 1 : 2 * (size_t)n) * item_size);
	if (n != 0)
		memcpy(grown, items, n * item_size);
	return grown;
}
