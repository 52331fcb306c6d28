/* SPDX-License-Identifier: BSD-3-Clause */
// What the figures are of.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdbool.h>

#include <jansson.h>

// GFNI and AVX-512, as rte_thash_gfni() needs them.
bool machine_has_gfni(void);
// A new object.
json_t *machine_json(void);

#endif
