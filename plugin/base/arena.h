/* SPDX-License-Identifier: BSD-3-Clause */
// Memory that is freed all at once: what belongs to one profile lives and dies together.
//
// Code that builds something out of many small allocations runs inside of ddp_arena_run(), which
// ends it where an allocation fails. So none of its calls is checked, and none can be forgotten.
// The condition for that: while it allocates from an arena, such code holds nothing that only its
// own next lines would release. What it does hold (a file, a parser, another arena) belongs to the
// caller of ddp_arena_run(), which releases it in any case. Runs nest: the innermost ends.
//
//	static void build(void *arg) {
//		struct build *b = arg;
//
//		b->thing = ddp_arena_alloc(b->arena, sizeof(*b->thing));
//		...
//	}
//
//	b.arena = ddp_arena_create();
//	if (ddp_arena_run(build, &b) < 0) {
//		ddp_arena_destroy(b.arena);
//		return ddp_no_memory(diag);
//	}
#pragma once

#include <stddef.h>

// The memory of objects that net_ddp, but no other program, shares between processes.
struct ddp_memory {
	void *(*alloc)(size_t size); // zeroed; NULL: out of memory
	void (*free)(void *data);
};

// memory may be NULL: that of the C library.
void *ddp_memory_alloc(const struct ddp_memory *memory, size_t size);
void ddp_memory_free(const struct ddp_memory *memory, void *data);

struct ddp_arena;

// NULL is an arena, too: one that has no memory.
struct ddp_arena *ddp_arena_create(void);
// Create an arena in other memory (NULL: that of the C library), which outlives it.
struct ddp_arena *ddp_arena_create_in(const struct ddp_memory *memory);
const struct ddp_memory *ddp_arena_memory(const struct ddp_arena *arena);
void ddp_arena_destroy(struct ddp_arena *arena);

// Call work(arg). 0; -ENOMEM where one of the functions below, called from there, had no memory:
// work then ended in that call, and what it changed before is as it was left.
int ddp_arena_run(void (*work)(void *arg), void *arg);

// Zeroed memory, never NULL. Call this and the next functions from inside of ddp_arena_run().
void *ddp_arena_alloc(struct ddp_arena *arena, size_t size);
char *ddp_arena_strndup(struct ddp_arena *arena, const char *s, size_t len);
char *ddp_arena_strdup(struct ddp_arena *arena, const char *s);
char *ddp_arena_printf(struct ddp_arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// Zeroed room for one more item in an array of n that grew only so. Returns the array.
void *ddp_arena_grow(struct ddp_arena *arena, void *items, unsigned int n, size_t item_size);

// Append a zeroed item to array, counted by n; evaluates to a pointer to it.
#define DDP_APPEND(arena, array, n) \
	((array) = ddp_arena_grow(arena, array, n, sizeof(*(array))), &(array)[(n)++])

// Like ddp_arena_alloc(), also outside ddp_arena_run(). NULL: no memory.
void *ddp_arena_try_alloc(struct ddp_arena *arena, size_t size);
