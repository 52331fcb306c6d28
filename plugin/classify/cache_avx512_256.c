/* SPDX-License-Identifier: BSD-3-Clause */
// The path cache with AVX-512 on 256-bit registers.
#include "cache_ymm.h"

#define KERNEL cache_kernel_avx512_256
#include "cache_kernel.h"
