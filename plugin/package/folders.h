/* SPDX-License-Identifier: BSD-3-Clause */
// Where drivers look for firmware, in their order.
#ifndef DDP_PACKAGE_FOLDERS_H
#define DDP_PACKAGE_FOLDERS_H

#include <limits.h>

#include "sysroot.h"

#define DDP_FIRMWARE_FOLDER "/lib/firmware"
#define DDP_UPDATES_FOLDER DDP_FIRMWARE_FOLDER "/updates"
#define DDP_PACKAGE_FOLDER "/intel/ice/ddp" // below each of them
#define DDP_I40E_PACKAGE_FOLDER "/intel/i40e/ddp"
#define DDP_FOLDERS_MAX 5

// Linux's, of the kernel release. Returns how many there are.
unsigned int ddp_kernel_folders(const struct ddp_sysroot *root, const char *release,
				char folders[DDP_FOLDERS_MAX][PATH_MAX]);

// DPDK's, which are among Linux's.
unsigned int ddp_dpdk_folders(char folders[DDP_FOLDERS_MAX][PATH_MAX]);

#endif
