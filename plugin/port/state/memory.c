/* SPDX-License-Identifier: BSD-3-Clause */
#include "port/state/port.h"

#include <rte_malloc.h>

static void *alloc(size_t size) {
	return rte_zmalloc("ddp_port", size, 0);
}

const struct ddp_memory ddp_port_memory = {.alloc = alloc, .free = rte_free};
