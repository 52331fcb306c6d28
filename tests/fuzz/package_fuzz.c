/* SPDX-License-Identifier: BSD-3-Clause */
// libFuzzer target: whatever a file holds, reading it as a package gives messages or a package
// whose every entry lies in memory; one of the 700 series DPDK reads alike. scripts/fuzz builds and
// runs it.
#include <assert.h>

#include "personality/personality.h"
#include "unit/package/i40e_write.h"
#include "unit/package/read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Names, verdicts: nothing of it may depend on what the file claims.
static void i40e_read_all(const struct ddp_package *package) {
	const struct i40e_package *i40e = package->i40e;
	char name[I40E_TYPE_NAME_SIZE];

	assert(i40e_dpdk_differs(package) == NULL);
	for (unsigned int i = 0; i < i40e->ptypes.n; i++)
		i40e_type_name(i40e, &i40e->ptypes.types[i], name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	package = ddp_package_read("fuzz.pkg", data, size, &diag);
	assert((package != NULL) == (diag.n_errors == 0));
	if (package != NULL && package->kind == DDP_PACKAGE_E810)
		e810_read_all(package);
	if (package != NULL && package->kind == DDP_PACKAGE_I40E)
		i40e_read_all(package);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return 0;
}
