/* SPDX-License-Identifier: BSD-3-Clause */
// A level that the CPU has not kills the process at its first packet; one that is not found costs
// speed.
#include <errno.h>

#include "base/isa.h"
#include "unit.h"

static const struct {
	enum ddp_isa isa;
	const char *name;
} names[] = {
	{DDP_ISA_SCALAR, "scalar"}, {DDP_ISA_PMULL, "neon-pmull"}, {DDP_ISA_V2, "x86-64-v2"},
	{DDP_ISA_V3, "x86-64-v3"},  {DDP_ISA_AVX512, "avx512"},
};

TEST(each_level_is_found_by_its_name) {
	assert_int_equal(COUNT(names), DDP_ISA_LEVELS);
	for (unsigned int i = 0; i < COUNT(names); i++) {
		enum ddp_isa isa = DDP_ISA_LEVELS;

		assert_string_equal(ddp_isa_name(names[i].isa), names[i].name);
		assert_int_equal(ddp_isa_parse(names[i].name, &isa), 0);
		assert_int_equal(isa, names[i].isa);
	}
}

TEST(an_unknown_level_is_refused) {
	static const char *const unknown[] = {"",        "x86-64-v4", "avx512-",
					      "avx512 ", "Scalar",    "V2"};
	enum ddp_isa isa = DDP_ISA_V3;

	for (unsigned int i = 0; i < COUNT(unknown); i++)
		assert_int_equal(ddp_isa_parse(unknown[i], &isa), -EINVAL);
	assert_int_equal(isa, DDP_ISA_V3);
}

TEST(a_level_of_x86_64_includes_those_below) {
	assert_true(ddp_isa_supported(DDP_ISA_SCALAR));
	for (unsigned int isa = DDP_ISA_V3; isa < DDP_ISA_LEVELS; isa++) {
		if (ddp_isa_supported(isa))
			assert_true(ddp_isa_supported(isa - 1));
	}
}

static enum ddp_isa best_among(const enum ddp_isa *candidates) {
	while (!ddp_isa_supported(*candidates))
		candidates++;
	return *candidates;
}

// Best first, scalar at the end. EAL says 64 for "no vectors" and 32768 for "any".
static const struct choice {
	const char *name;
	unsigned int max_bits;
	enum ddp_isa candidates[DDP_ISA_LEVELS];
} choices[] = {
	{"no_vectors_at_0_bits", 0, {}},
	{"no_vectors_at_64_bits", 64, {}},
	{"none_that_is_too_wide_by_a_bit", 127, {}},
	{"sse_or_neon_at_128_bits", 128, {DDP_ISA_V2, DDP_ISA_PMULL}},
	{"avx2_at_256_bits", 256, {DDP_ISA_V3, DDP_ISA_V2, DDP_ISA_PMULL}},
	{"no_512_bits_at_511", 511, {DDP_ISA_V3, DDP_ISA_V2, DDP_ISA_PMULL}},
	{"512_bits", 512, {DDP_ISA_AVX512, DDP_ISA_V3, DDP_ISA_V2, DDP_ISA_PMULL}},
	{"any", 32768, {DDP_ISA_AVX512, DDP_ISA_V3, DDP_ISA_V2, DDP_ISA_PMULL}},
};

ROWS_TEST(is_chosen, choices) {
	const struct choice *row = *state;

	assert_int_equal(ddp_isa_best(row->max_bits), best_among(row->candidates));
}

#ifdef __aarch64__
#include <sys/auxv.h>

static bool hwcap_is_ours;
static unsigned long hwcap;

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);

unsigned long __wrap_getauxval(unsigned long type) {
	return type == AT_HWCAP && hwcap_is_ours ? hwcap : __real_getauxval(type);
}

// The CPU has an opinion that is not ours. Linux lets a process read this
// register.
TEST(the_cpu_agrees) {
	uint64_t id_aa64isar0;

	hwcap_is_ours = true;
	hwcap = __real_getauxval(AT_HWCAP);
	if ((hwcap & HWCAP_CPUID) == 0) {
		print_message(
			"skipped: this kernel does not let a process read the CPU's registers\n");
		skip();
	}
	__asm__("mrs %0, id_aa64isar0_el1" : "=r"(id_aa64isar0));
	assert_int_equal(ddp_isa_supported(DDP_ISA_PMULL), (id_aa64isar0 >> 4 & 0xf) >= 2);
}

TEST(only_a_cpu_with_pmull_is_given_it) {
	hwcap = __real_getauxval(AT_HWCAP) | HWCAP_PMULL;
	assert_int_equal(ddp_isa_best(512), DDP_ISA_PMULL);
	hwcap &= ~HWCAP_PMULL;
	assert_false(ddp_isa_supported(DDP_ISA_PMULL));
	assert_int_equal(ddp_isa_best(512), DDP_ISA_SCALAR);
	hwcap = __real_getauxval(AT_HWCAP);
}

#else
// The operating system has an opinion of the CPU that is not ours.
static bool kernel_lists(const char *flag) {
	char line[8192], padded[32];
	bool found = false;
	FILE *file = fopen("/proc/cpuinfo", "r");

	snprintf(padded, sizeof(padded), " %s ", flag);
	while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = ' ';
		found = strncmp(line, "flags", 5) == 0 && strstr(line, padded) != NULL;
	}
	if (file != NULL)
		fclose(file);
	return found;
}

// Some kernels do not list it ("abm") though the CPU has it. A CPU without it takes the instruction
// for BSR, which says 0.
static bool lzcnt_counts(void) {
	uint64_t zeros;

	__asm__("lzcnt %1, %0" : "=r"(zeros) : "r"(UINT64_C(1)) : "cc");
	return zeros == 63;
}

TEST(the_kernel_agrees) {
	bool v2 = kernel_lists("sse4_2") && kernel_lists("pclmulqdq");
	bool v3 = v2 && kernel_lists("avx2") && kernel_lists("bmi2") && kernel_lists("fma") &&
		  kernel_lists("movbe") && kernel_lists("f16c") && lzcnt_counts();
	bool avx512 = v3 && kernel_lists("avx512bw") && kernel_lists("avx512dq") &&
		      kernel_lists("avx512vl") && kernel_lists("avx512vbmi") &&
		      kernel_lists("vpclmulqdq");

	if (!kernel_lists("lm")) {
		print_message("skipped: no /proc\n");
		skip();
	}
	assert_int_equal(ddp_isa_supported(DDP_ISA_V2), v2);
	assert_int_equal(ddp_isa_supported(DDP_ISA_V3), v3);
	assert_int_equal(ddp_isa_supported(DDP_ISA_AVX512), avx512);
}

#endif
