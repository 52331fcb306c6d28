/* SPDX-License-Identifier: BSD-3-Clause */
// libFuzzer target: whatever a 700-series package's file holds, it is refused with messages, or it
// can be read, by DPDK, too, and with the same answers; then all that is derived from it has its
// bounds. scripts/fuzz builds and runs it.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "personality/package_open.h"
#include "unit/package/i40e_dpdk.h"
#include "unit/package/i40e_draw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

// Names, verdicts: nothing of it may depend on what the file claims.
static void rules_try(const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_loaded loaded = i40e_loaded_as(package);
	uint8_t known[I40E_N_KNOWN_PCTYPES];
	char name[I40E_TYPE_NAME_SIZE];

	i40e_known_pctypes(i40e, known);
	for (unsigned int i = 0; i < i40e->n_ptypes; i++) {
		i40e_type_name(i40e, &i40e->ptypes[i], name);
		assert(strlen(name) < sizeof(name));
	}
	assert(i40e_add_verdict(package, 0, &loaded, 1).error != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	package = ddp_package_read("p.pkg", data, size, &diag);
	assert((package != NULL) == (diag.n_errors == 0));
	if (package != NULL && package->kind == DDP_PACKAGE_I40E) {
		assert(i40e_dpdk_differs(package) == NULL);
		rules_try(package);
	}
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return 0;
}

// Now and then another good package, or damage that knows of numbers and places.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
	uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	uint8_t *drawn;
	size_t n;

	if (seed % 3 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	if (seed % 16 != 1) {
		i40e_damage(&random, data, &size);
		return size > 0 ? size : LLVMFuzzerMutate(data, size, max_size);
	}
	drawn = i40e_draw(&random, &n);
	if (drawn == NULL)
		abort();
	n = n < max_size ? n : max_size;
	memcpy(data, drawn, n);
	free(drawn);
	return n;
}
