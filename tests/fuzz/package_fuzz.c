/* SPDX-License-Identifier: BSD-3-Clause */
// libFuzzer target: whatever a file holds, reading it as a package gives messages or a package
// whose every entry lies in memory. scripts/fuzz builds and runs it.
#include <assert.h>

#include "personality/package_open.h"
#include "unit/package/look_at_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
	struct ddp_package *package;
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	package = ddp_package_read("fuzz.pkg", data, size, &diag);
	assert((package != NULL) == (diag.n_errors == 0));
	if (package != NULL && package->kind == DDP_PACKAGE_E810)
		e810_look(package);
	ddp_package_close(package);
	ddp_diag_fini(&diag);
	return 0;
}
