/* SPDX-License-Identifier: BSD-3-Clause */
// Compressed files of firmware, as distributions ship them.
#ifndef DDP_PACKAGE_UNPACK_H
#define DDP_PACKAGE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

enum ddp_packing {
	DDP_PLAIN,
	DDP_XZ,
	DDP_ZST,
};

// "", ".xz" or ".zst".
const char *ddp_packing_suffix(enum ddp_packing packing);

// By the end of a file's name.
enum ddp_packing ddp_packing_of(const char *path);

// The content. The caller frees it. NULL with one line in reason: what is wrong with the file.
void *ddp_unpack(enum ddp_packing packing, const void *bytes, size_t size, size_t *unpacked_size,
		 char *reason, size_t reason_size);

// Whether Linux can unpack an .xz: its decoder knows no other check of integrity than CRC32.
bool ddp_xz_suits_linux(const void *bytes, size_t size);

#endif
