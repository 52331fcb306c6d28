/* SPDX-License-Identifier: BSD-3-Clause */
// The functions of net_i40e, resolved at run time because the plugin also loads without that
// driver. They are in the program itself, or in a library that EAL loaded with RTLD_LOCAL.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "i40e_port.h"

#if __has_include(<rte_pmd_i40e.h>)
#include <rte_pmd_i40e.h>

#define SAME_PLACE(ours, theirs, member) offsetof(ours, member) == offsetof(theirs, member)

_Static_assert((int)DDP_I40E_ADD == (int)RTE_PMD_I40E_PKG_OP_WR_ADD &&
		       (int)DDP_I40E_DEL == (int)RTE_PMD_I40E_PKG_OP_WR_DEL &&
		       DDP_I40E_INSET_HASH == (int)INSET_HASH,
	       "our numbers are the driver's");
_Static_assert(sizeof(struct ddp_i40e_flow_type) == sizeof(struct rte_pmd_i40e_flow_type_mapping) &&
		       SAME_PLACE(struct ddp_i40e_flow_type, struct rte_pmd_i40e_flow_type_mapping,
				  pctype) &&
		       sizeof(struct ddp_i40e_inset) == sizeof(struct rte_pmd_i40e_inset) &&
		       SAME_PLACE(struct ddp_i40e_inset, struct rte_pmd_i40e_inset, mask[1].mask),
	       "our structs are the driver's");
#endif

#define LIBRARY "librte_net_i40e.so"

static int library_match(struct dl_phdr_info *info, size_t size, void *arg) {
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
	void **handle = arg;

	(void)size;
	if (strncmp(name, LIBRARY, strlen(LIBRARY)) != 0)
		return 0;
	*handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return *handle != NULL;
}

// The first function that is not found in handle; NULL: all are found.
static const char *calls_resolve(void *handle, struct ddp_i40e_calls *calls) {
#define RESOLVE(name, ...)                                  \
	calls->name = dlsym(handle, "rte_pmd_i40e_" #name); \
	if (calls->name == NULL)                            \
		return "rte_pmd_i40e_" #name;
	DDP_I40E_CALLS(RESOLVE)
	return NULL;
}

static const char *calls_search(struct ddp_i40e_calls *calls) {
	const char *missing = calls_resolve(RTLD_DEFAULT, calls);
	void *handle = NULL;

	if (missing != NULL && dl_iterate_phdr(library_match, &handle) != 0)
		missing = calls_resolve(handle, calls);
	return missing;
}

// Once found, the functions stay valid. Ports may search in several threads.
const struct ddp_i40e_calls *ddp_i40e_calls_find(struct ddp_diag *diag) {
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct ddp_i40e_calls calls;
	static bool is_found;
	const char *missing = NULL;

	pthread_mutex_lock(&mutex);
	if (!is_found)
		missing = calls_search(&calls);
	is_found = missing == NULL;
	pthread_mutex_unlock(&mutex);
	if (missing == NULL)
		return &calls;
	ddp_error(diag, NULL, "DPDK's driver net_i40e is not loaded: %s() is missing", missing);
	return NULL;
}
