/* SPDX-License-Identifier: BSD-3-Clause */
// A package of either family from its file.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "package/package.h"

// Whether a profile's specification names a package: a path to ".pkg" or ".pkgo", with or without
// the ":..." and ";..." that may follow.
bool ddp_is_package(const char *spec);

// Read and check a file. NULL with errors in diag ("file:0x1234: error: ..."), some 20 of them at
// most.
struct ddp_package *ddp_package_open(const char *path, struct ddp_diag *diag);

// Read and check a file in memory; path is for messages. The bytes are copied.
struct ddp_package *ddp_package_read(const char *path, const void *bytes, size_t size,
				     struct ddp_diag *diag);
