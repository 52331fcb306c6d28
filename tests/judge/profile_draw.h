/* SPDX-License-Identifier: BSD-3-Clause */
// Random profiles: all that the language has, in combinations that nobody thought of writing.
#ifndef CLASSIFY_PROFILE_DRAW_H
#define CLASSIFY_PROFILE_DRAW_H

#include <stdint.h>

// The text of a profile named t without an error. The caller frees it.
char *profile_draw(uint64_t *seed);

#endif
