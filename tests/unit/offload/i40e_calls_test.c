/* SPDX-License-Identifier: BSD-3-Clause */
// DPDK's net_i40e, the library itself, without a NIC: a call that is not found, or has other
// parameters than we think, would be seen first by who has the NIC. Skipped where the library is
// not installed.
#include "offload/i40e_port.h"

#include <dlfcn.h>
#include <errno.h>

#include "unit.h"

#define NO_PORT 31 // EAL does not run: there is no port at all

TEST(a_port_that_is_none_is_refused_by_each) {
	const struct ddp_i40e_calls *calls;
	struct ddp_i40e_flow_type types[DDP_I40E_FLOW_TYPES] = {{1, 2}};
	struct ddp_i40e_inset inset = {0};
	uint8_t bytes[84] = {0};
	struct ddp_diag *diag = diag_new();

	assert_null(ddp_i40e_lower_calls(diag)); // without the library
	assert_true(ddp_diag_failures(diag) > 0);
	// As EAL loads drivers: with RTLD_LOCAL.
	if (dlopen("librte_net_i40e.so", RTLD_NOW) == NULL &&
	    dlopen("librte_net_i40e.so.23", RTLD_NOW) == NULL) {
		print_message("skipped: %s\n", dlerror());
		skip();
	}
	calls = ddp_i40e_lower_calls(diag);
	assert_non_null(calls);
	for (int op = DDP_I40E_ADD; op <= DDP_I40E_DEL; op++)
		assert_int_equal(calls->process_ddp_package(NO_PORT, bytes, sizeof(bytes), op),
				 -ENODEV);
	assert_int_equal(calls->flow_type_mapping_get(NO_PORT, types), -ENODEV);
	assert_int_equal(types[0].flow_type, 1); // as it was
	assert_int_equal(calls->flow_type_mapping_update(NO_PORT, types, 1, 0), -ENODEV);
	assert_int_equal(calls->inset_get(NO_PORT, 22, &inset, DDP_I40E_INSET_HASH), -ENODEV);
	assert_int_equal(calls->inset_set(NO_PORT, 22, &inset, DDP_I40E_INSET_HASH), -ENODEV);
}
