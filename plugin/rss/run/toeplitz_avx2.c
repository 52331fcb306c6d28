/* SPDX-License-Identifier: BSD-3-Clause */
// The kernels with the instructions of AVX, which need fewer moves.
#define KERNELS ddp_toeplitz_v3
#include "toeplitz_clmul.h"
