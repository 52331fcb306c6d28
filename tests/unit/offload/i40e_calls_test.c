/* SPDX-License-Identifier: BSD-3-Clause */
// DPDK's net_i40e, the library itself, without a NIC: a call that is not found, or has other
// parameters than we think, would be seen first by who has the NIC. Skipped where the library is
// not installed.
#include "offload/i40e_port.h"

#include <dlfcn.h>
#include <errno.h>

#include "unit.h"

#define NO_PORT 31 // EAL does not run: there is no port at all

static const struct ddp_i40e_calls *calls;

static void a_port_that_is_none_is_refused_by_each(void **state) {
	struct ddp_i40e_flow_type types[DDP_I40E_FLOW_TYPES] = {{1, 2}};
	struct ddp_i40e_inset inset = {0};
	uint8_t bytes[84] = {0};

	for (int op = DDP_I40E_ADD; op <= DDP_I40E_DEL; op++)
		assert_int_equal(calls->process_ddp_package(NO_PORT, bytes, sizeof(bytes), op),
				 -ENODEV);
	assert_int_equal(calls->flow_type_mapping_get(NO_PORT, types), -ENODEV);
	assert_int_equal(types[0].flow_type, 1); // as it was
	assert_int_equal(calls->flow_type_mapping_update(NO_PORT, types, 1, 0), -ENODEV);
	assert_int_equal(calls->inset_get(NO_PORT, 22, &inset, DDP_I40E_INSET_HASH), -ENODEV);
	assert_int_equal(calls->inset_set(NO_PORT, 22, &inset, DDP_I40E_INSET_HASH), -ENODEV);
}

UNIT_TESTS(i40e_calls) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_that_is_none_is_refused_by_each),
	};
	struct ddp_diag diag;

	ddp_diag_init(&diag);
	if (ddp_i40e_calls_find(&diag) != NULL || ddp_diag_failures(&diag) == 0)
		return 1; // found without the library, or no reason
	// As EAL loads drivers: with RTLD_LOCAL.
	if (dlopen("librte_net_i40e.so", RTLD_NOW) == NULL &&
	    dlopen("librte_net_i40e.so.23", RTLD_NOW) == NULL) {
		printf("skipped: %s\n", dlerror());
		return 77;
	}
	calls = ddp_i40e_calls_find(&diag);
	if (calls == NULL)
		return 1;
	ddp_diag_fini(&diag);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
