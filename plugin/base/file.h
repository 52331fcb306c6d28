/* SPDX-License-Identifier: BSD-3-Clause */
// A user's file as bytes.
#pragma once

#include "arena.h"
#include "diag.h"

// Read a regular file into the arena, and a NUL behind its size bytes; of one that is larger than
// max only its first max + 1 bytes. NULL with the reason in diag. It needs no ddp_arena_run().
char *ddp_file_read(const char *path, size_t max, size_t *size, struct ddp_arena *arena,
		    struct ddp_diag *diag);
