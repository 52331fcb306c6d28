/* SPDX-License-Identifier: BSD-3-Clause */
// Memory that is freed all at once: what belongs to one profile lives and dies together.
#ifndef DDP_BASE_ARENA_H
#define DDP_BASE_ARENA_H

#include <stddef.h>

struct ddp_arena;

struct ddp_arena *ddp_arena_create(void);
void ddp_arena_destroy(struct ddp_arena *arena);

// Zeroed memory. Never NULL: a process that cannot get these few kilobytes is aborted.
void *ddp_arena_alloc(struct ddp_arena *arena, size_t size);
char *ddp_arena_strndup(struct ddp_arena *arena, const char *s, size_t len);
char *ddp_arena_strdup(struct ddp_arena *arena, const char *s);

// Room for one more item in an array of n items that grew only by this call; zeroed. Returns the array.
void *ddp_arena_grow(struct ddp_arena *arena, void *items, unsigned int n, size_t item_size);

// Append a zeroed item to array, counted by n; evaluates to a pointer to it.
#define DDP_APPEND(arena, array, n) \
	((array) = ddp_arena_grow(arena, array, n, sizeof(*(array))), &(array)[(n)++])

#endif
