/* SPDX-License-Identifier: BSD-3-Clause */
// VPCLMULQDQ on registers of AVX-512, four rows each.
#define KERNELS ddp_toeplitz_vpclmul512
#include "toeplitz_clmul.h"
