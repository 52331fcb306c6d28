/* SPDX-License-Identifier: BSD-3-Clause */
// Instruction set levels that the data path has code for. The build targets the baseline; the level
// is chosen at run time.
#ifndef DDP_BASE_ISA_H
#define DDP_BASE_ISA_H

#include <stdbool.h>

enum ddp_isa {
	DDP_ISA_SCALAR,     // portable C
	DDP_ISA_PMULL,      // Armv8 with PMULL, for hashes; all else is portable C
	DDP_ISA_V2,         // x86-64-v2 (SSE4.2) and PCLMULQDQ
	DDP_ISA_V3,         // x86-64-v3 (AVX2, BMI2) and PCLMULQDQ; VPCLMULQDQ where there is
	DDP_ISA_AVX512_256, // AVX-512 F, BW, DQ, VL, VBMI and VPCLMULQDQ, on 256-bit registers
	DDP_ISA_AVX512,     // the same on 512-bit registers
	DDP_ISA_LEVELS,
};

// Does this CPU (and its operating system) run it?
bool ddp_isa_supported(enum ddp_isa isa);
// The best level this CPU runs with vectors of at most max_bits (as
// rte_vect_get_max_simd_bitwidth() says; less than 128: scalar).
enum ddp_isa ddp_isa_best(unsigned int max_bits);
// "scalar", "neon-pmull", "x86-64-v2", "x86-64-v3", "avx512-256", "avx512"
const char *ddp_isa_name(enum ddp_isa isa);
// 0 or -EINVAL.
int ddp_isa_parse(const char *name, enum ddp_isa *isa);

#endif
