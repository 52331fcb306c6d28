/* SPDX-License-Identifier: BSD-3-Clause */
// VPCLMULQDQ on registers of AVX2, two rows each.
#define KERNELS ddp_toeplitz_vpclmul256
#include "toeplitz_clmul.h"
