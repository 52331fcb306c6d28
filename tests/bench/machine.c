/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_vect.h>
#include <rte_version.h>

#include "gfni.h"

#define VALUE_MAX 4096

// Of a CPU's flags in /proc/cpuinfo those that decide which code runs.
static const char *const flags_that_matter[] = {
	"sse4_2",  "pclmulqdq", "avx2",     "bmi2",     "vpclmulqdq",  "gfni",
	"avx512f", "avx512bw",  "avx512dq", "avx512vl", "avx512_vbmi", "pmull",
};

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

// The first line of /proc/cpuinfo with this name; "" for none.
static void cpuinfo_read(const char *name, char value[VALUE_MAX]) {
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[VALUE_MAX];

	value[0] = '\0';
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		char *colon = strchr(line, ':');

		if (colon == NULL || strncmp(line, name, strlen(name)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		strcpy(value, colon + 1 + strspn(colon + 1, " "));
		break;
	}
	if (file != NULL)
		fclose(file);
}

static bool word_has(const char *words, const char *word) {
	size_t len = strlen(word);

	for (const char *at = strstr(words, word); at != NULL; at = strstr(at + len, word))
		if ((at == words || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
			return true;
	return false;
}

static json_t *flags_json(void) {
	json_t *flags = json_array();
	char all[VALUE_MAX];

	cpuinfo_read("flags", all);
	if (all[0] == '\0')
		cpuinfo_read("Features", all); // of Arm
	for (size_t i = 0; i < sizeof(flags_that_matter) / sizeof(flags_that_matter[0]); i++)
		if (word_has(all, flags_that_matter[i]))
			json_array_append_new(flags, json_string(flags_that_matter[i]));
	return flags;
}

json_t *machine_json(void) {
	char model[VALUE_MAX];

	cpuinfo_read("model name", model);
	return json_pack("{s:s, s:o, s:i, s:f, s:s, s:i}", "cpu", model[0] == '\0' ? "?" : model,
			 "flags", flags_json(), "lcores", (int)rte_lcore_count(), "tsc_ghz",
			 rte_get_tsc_hz() / 1e9, "dpdk", rte_version(), "simd_bits",
			 (int)rte_vect_get_max_simd_bitwidth());
}

void machine_print(FILE *out) {
	json_t *machine = machine_json();

	json_dumpf(machine, out, JSON_REAL_PRECISION(4));
	fputc('\n', out);
	json_decref(machine);
}
