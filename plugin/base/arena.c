/* SPDX-License-Identifier: BSD-3-Clause */
#include "arena.h"

#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
	struct chunk *next;
	alignas(max_align_t) unsigned char data[];
};

struct ddp_arena {
	const struct ddp_memory *memory;
	struct chunk *chunks;
};

void *ddp_memory_alloc(const struct ddp_memory *memory, size_t size) {
	return memory != NULL ? memory->alloc(size) : calloc(1, size);
}

void ddp_memory_free(const struct ddp_memory *memory, void *data) {
	if (memory != NULL)
		memory->free(data);
	else
		free(data);
}

// The point at which the innermost ddp_arena_run() of this thread continues.
static _Thread_local jmp_buf *way_out;

int ddp_arena_run(void (*work)(void *arg), void *arg) {
	jmp_buf *const outer = way_out;
	jmp_buf here;

	if (setjmp(here) != 0) {
		way_out = outer;
		errno = ENOMEM;
		return -ENOMEM;
	}
	way_out = &here;
	work(arg);
	way_out = outer;
	return 0;
}

struct ddp_arena *ddp_arena_create_in(const struct ddp_memory *memory) {
	struct ddp_arena *arena = ddp_memory_alloc(memory, sizeof(*arena));

	if (arena != NULL)
		arena->memory = memory;
	return arena;
}

struct ddp_arena *ddp_arena_create(void) {
	return ddp_arena_create_in(NULL);
}

const struct ddp_memory *ddp_arena_memory(const struct ddp_arena *arena) {
	return arena->memory;
}

void ddp_arena_destroy(struct ddp_arena *arena) {
	if (arena == NULL)
		return;
	while (arena->chunks != NULL) {
		struct chunk *next = arena->chunks->next;

		ddp_memory_free(arena->memory, arena->chunks);
		arena->chunks = next;
	}
	ddp_memory_free(arena->memory, arena);
}

void *ddp_arena_try_alloc(struct ddp_arena *arena, size_t size) {
	struct chunk *chunk;

	if (arena == NULL)
		return NULL;
	chunk = ddp_memory_alloc(arena->memory, sizeof(*chunk) + size);
	if (chunk == NULL)
		return NULL;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk->data;
}

void *ddp_arena_alloc(struct ddp_arena *arena, size_t size) {
	void *data = ddp_arena_try_alloc(arena, size);

	assert(way_out != NULL); // also with memory: no test can miss it
	if (data == NULL)
		longjmp(*way_out, 1);
	return data;
}

char *ddp_arena_strndup(struct ddp_arena *arena, const char *s, size_t len) {
	char *copy = ddp_arena_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *ddp_arena_strdup(struct ddp_arena *arena, const char *s) {
	return ddp_arena_strndup(arena, s, strlen(s));
}

char *ddp_arena_printf(struct ddp_arena *arena, const char *fmt, ...) {
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = ddp_arena_alloc(arena, len + 1);
	va_start(ap, fmt);
	vsnprintf(text, len + 1, fmt, ap);
	va_end(ap);
	return text;
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
