/* SPDX-License-Identifier: BSD-3-Clause */
// x86-64-v2 with PCLMULQDQ, a row a register.
#define KERNELS ddp_toeplitz_v2
#include "toeplitz_clmul.h"
