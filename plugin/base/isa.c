/* SPDX-License-Identifier: BSD-3-Clause */
#include "isa.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>

static bool has_v2(void) {
	__builtin_cpu_init(); // needed before the compiler's own constructor has run
	return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
	       __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("pclmul");
}

// Features of x86-64-v3 that not every compiler's __builtin_cpu_supports() knows.
static bool has_v3_scalars(void) {
	const unsigned int wanted = bit_FMA | bit_MOVBE | bit_F16C;
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & wanted) != wanted)
		return false;
	return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LZCNT) != 0;
}

// "avx2" also says that the operating system keeps the registers; the same of "avx512f".
static bool has_v3(void) {
	return has_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && has_v3_scalars();
}

static bool has_avx512(void) {
	return has_v3() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("vpclmulqdq");
}
#else
#define has_v2 has_none
#define has_v3 has_none
#define has_avx512 has_none
#endif

#ifdef __aarch64__
#include <sys/auxv.h>

static bool has_pmull(void) {
	return (getauxval(AT_HWCAP) & HWCAP_PMULL) != 0;
}
#else
#define has_pmull has_none
#endif

static bool has_none(void) {
	return false;
}

static bool has_scalar(void) {
	return true;
}

static const struct level {
	const char *name;
	unsigned int bits; // of its vectors
	bool (*supported)(void);
} levels[DDP_ISA_LEVELS] = {
#define LEVEL(isa, name, bits, cpus) {name, bits, has_##cpus},
	DDP_ISAS(LEVEL)};

bool ddp_isa_supported(enum ddp_isa isa) {
	return levels[isa].supported();
}

enum ddp_isa ddp_isa_best(unsigned int max_bits) {
	enum ddp_isa isa = DDP_ISA_LEVELS - 1;

	while (levels[isa].bits > max_bits || !ddp_isa_supported(isa))
		isa--;
	return isa;
}

const char *ddp_isa_name(enum ddp_isa isa) {
	assert(isa < DDP_ISA_LEVELS);
	return levels[isa].name;
}

int ddp_isa_parse(const char *name, enum ddp_isa *isa) {
	for (unsigned int i = 0; i < DDP_ISA_LEVELS; i++) {
		if (strcmp(name, levels[i].name) == 0) {
			*isa = i;
			return 0;
		}
	}
	return -EINVAL;
}
