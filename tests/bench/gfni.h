/* SPDX-License-Identifier: BSD-3-Clause */
// What needs a CPU with GFNI and AVX-512. Only gfni_built() may be called on another.
#ifndef BENCH_GFNI_H
#define BENCH_GFNI_H

#include "methods.h"

bool gfni_built(void); // the compiler knows these instructions
void gfni_init(void);
void gfni_method_fill(struct method *method);
// Hash n rows of len bytes each, one by one and in bulk (at most BURST).
void gfni_hash(const uint8_t *rows, unsigned int row_size, unsigned int len, unsigned int n,
	       uint32_t *hashes);
void gfni_hash_bulk(const uint8_t *rows, unsigned int row_size, unsigned int len, unsigned int n,
		    uint32_t *hashes);

#endif
