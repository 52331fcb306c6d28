/* SPDX-License-Identifier: BSD-3-Clause */
// NEON with PMULL of Armv8, a row a register.
#define KERNELS ddp_toeplitz_pmull
#include "toeplitz_clmul.h"
