/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <stdio.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_vect.h>
#include <rte_version.h>

#include "base/isa.h"
#include "gfni.h"

bool machine_has_gfni(void) {
#if defined(__x86_64__)
	return gfni_built() && __builtin_cpu_supports("gfni") &&
	       __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512vbmi");
#else
	return false;
#endif
}

json_t *machine_json(void) {
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256], model[256] = "?";

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "model name : %255[^\n]", model) == 1)
			break;
	if (file != NULL)
		fclose(file);
	return json_pack("{s:s, s:s, s:b, s:i, s:f, s:s, s:i}", "cpu", model, "isa",
			 ddp_isa_name(ddp_isa_best(RTE_VECT_SIMD_512)), "gfni", machine_has_gfni(),
			 "lcores", (int)rte_lcore_count(), "tsc_ghz", rte_get_tsc_hz() / 1e9,
			 "dpdk", rte_version(), "simd_bits", (int)rte_vect_get_max_simd_bitwidth());
}
