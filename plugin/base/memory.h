/* SPDX-License-Identifier: BSD-3-Clause */
// The source of memory for objects that net_ddp shares between processes, and that other programs
// use in one process only.
#ifndef DDP_BASE_MEMORY_H
#define DDP_BASE_MEMORY_H

#include <stddef.h>

struct ddp_memory {
	void *(*alloc)(size_t size); // zeroed; NULL: out of memory
	void (*free)(void *data);
};

// memory may be NULL: that of the C library.
void *ddp_memory_alloc(const struct ddp_memory *memory, size_t size);
void ddp_memory_free(const struct ddp_memory *memory, void *data);

#endif
