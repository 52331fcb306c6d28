/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX2.
#include "cache_ymm.h"

#define KERNEL cache_kernel_v3
#include "cache_kernel.h"
