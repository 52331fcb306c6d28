/* SPDX-License-Identifier: BSD-3-Clause */
#include "methods.h"

#include <string.h>

#include <rte_vect.h>

#include "base/isa.h"
#include "bench.h"
#include "fail.h"
#include "gfni.h"

struct method methods[METHODS_MAX];
unsigned int n_methods;

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

struct method *method_add(const char *id, const char *title) {
	struct method *method = &methods[n_methods++];

	if (n_methods > METHODS_MAX)
		fail("more than %u methods", METHODS_MAX);
	snprintf(method->id, sizeof(method->id), "%s", id);
	snprintf(method->title, sizeof(method->title), "%s", title);
	return method;
}

const struct method *method_find(const char *id) {
	for (unsigned int i = 0; i < n_methods; i++)
		if (strcmp(methods[i].id, id) == 0)
			return &methods[i];
	return NULL;
}

// Our cache at a level, or at the one that was asked for.
static const struct method *cache_find(enum ddp_isa isa) {
	char id[24];

	snprintf(id, sizeof(id), "cache-%s", options.isa != NULL ? options.isa : ddp_isa_name(isa));
	return method_find(id);
}

const struct method *method_ours(void) {
	return cache_find(ddp_isa_best(RTE_VECT_SIMD_512));
}

const struct method *method_usual(void) {
	return cache_find(ddp_isa_best(rte_vect_get_max_simd_bitwidth()));
}

void methods_init(void) {
	floor_methods_add();
	peer_methods_add();
	interpreter_methods_add();
	cache_methods_add();
	driver_methods_add();
}

void methods_fini(void) {
	cache_methods_fini();
	n_methods = 0;
}
