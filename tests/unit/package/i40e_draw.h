/* SPDX-License-Identifier: BSD-3-Clause */
// Random 700-series packages, and damage to files.
#ifndef I40E_DRAW_H
#define I40E_DRAW_H

#include <stddef.h>
#include <stdint.h>

// A package's file by i40e_write(), which must be good; the caller frees it. NULL without memory.
uint8_t *i40e_draw(uint64_t *random, size_t *size);

// Change the bytes, or how many of them there are, in a way that readers fall for: a bit, a byte, a
// number that is near a limit, a piece moved, the end cut off.
void i40e_damage(uint64_t *random, uint8_t *bytes, size_t *size);

#endif
