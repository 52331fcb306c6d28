/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <stdlib.h>

void *ddp_memory_alloc(const struct ddp_memory *memory, size_t size) {
	return memory != NULL ? memory->alloc(size) : calloc(1, size);
}

void ddp_memory_free(const struct ddp_memory *memory, void *data) {
	if (memory != NULL)
		memory->free(data);
	else
		free(data);
}
