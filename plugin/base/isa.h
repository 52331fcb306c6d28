/* SPDX-License-Identifier: BSD-3-Clause */
// Instruction set levels that the data path has code for, chosen at run time.
#pragma once

#include <stdbool.h>

// All levels, from worst to best: constant, name, bits of a register, CPUs (has_*() in isa.c).
//	SCALAR      portable C
//	PMULL       Armv8 with PMULL, for hashes; all else is portable C
//	V2          x86-64-v2 (SSE4.2) and PCLMULQDQ
//	V3          x86-64-v3 (AVX2, BMI2) and PCLMULQDQ; VPCLMULQDQ where there is
//	AVX512      AVX-512 F, BW, DQ, VL, VBMI and VPCLMULQDQ, on 512-bit registers
// A level with new kernels also has an entry in classify/cache/cache.c and rss/run/toeplitz.c (the
// compiler warns if it is missing) and in the meson.build of these folders, with the flags of
// plugin/meson.build (isa_*_args).
#define DDP_ISAS(X)                        \
	X(SCALAR, "scalar", 0, scalar)     \
	X(PMULL, "neon-pmull", 128, pmull) \
	X(V2, "x86-64-v2", 128, v2)        \
	X(V3, "x86-64-v3", 256, v3)        \
	X(AVX512, "avx512", 512, avx512)
#define DDP_ISA_ENUM(isa, name, bits, cpus) DDP_ISA_##isa,
enum ddp_isa {
	DDP_ISAS(DDP_ISA_ENUM) DDP_ISA_LEVELS,
};

// Does this CPU (and its operating system) run it?
bool ddp_isa_supported(enum ddp_isa isa);
// The best level this CPU runs with vectors of at most max_bits (as
// rte_vect_get_max_simd_bitwidth() says; less than 128: scalar).
enum ddp_isa ddp_isa_best(unsigned int max_bits);
const char *ddp_isa_name(enum ddp_isa isa);
// 0 or -EINVAL.
int ddp_isa_parse(const char *name, enum ddp_isa *isa);
