/* SPDX-License-Identifier: BSD-3-Clause */
// The functions of net_i40e, resolved at run time because the plugin also loads without that
// driver. They are in the program itself, or in a library that EAL loaded with RTLD_LOCAL.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "i40e_port.h"

#if __has_include(<rte_pmd_i40e.h>)
#include <rte_pmd_i40e.h>
#else // copied from rte_pmd_i40e.h of DPDK 22.11
enum rte_pmd_i40e_package_op {
	RTE_PMD_I40E_PKG_OP_WR_ADD = 1,
	RTE_PMD_I40E_PKG_OP_WR_DEL,
	RTE_PMD_I40E_PKG_OP_WR_ONLY,
	RTE_PMD_I40E_PKG_OP_MAX = 32,
};
struct rte_pmd_i40e_ptype_mapping {
	uint16_t hw_ptype;
	uint32_t sw_ptype;
};
struct rte_pmd_i40e_flow_type_mapping {
	uint16_t flow_type;
	uint64_t pctype;
};
enum rte_pmd_i40e_inset_type {
	INSET_NONE,
	INSET_HASH,
};
struct rte_pmd_i40e_inset_mask {
	uint8_t field_idx;
	uint16_t mask;
};
struct rte_pmd_i40e_inset {
	uint64_t inset;
	struct rte_pmd_i40e_inset_mask mask[2];
};
#endif

#define LIBRARY "librte_net_i40e.so"

_Static_assert((int)DDP_I40E_ADD == (int)RTE_PMD_I40E_PKG_OP_WR_ADD &&
		       (int)DDP_I40E_DEL == (int)RTE_PMD_I40E_PKG_OP_WR_DEL &&
		       (int)DDP_I40E_WRITE_ONLY == (int)RTE_PMD_I40E_PKG_OP_WR_ONLY &&
		       DDP_I40E_INSET_HASH == (int)INSET_HASH,
	       "our numbers are the driver's");

// Name after rte_pmd_i40e_, parameters.
#define CALLS(X)                                                                                   \
	X(process_ddp_package, uint16_t, uint8_t *, uint32_t, enum rte_pmd_i40e_package_op)        \
	X(get_ddp_list, uint16_t, uint8_t *, uint32_t)                                             \
	X(ptype_mapping_update, uint16_t, struct rte_pmd_i40e_ptype_mapping *, uint16_t, uint8_t)  \
	X(ptype_mapping_reset, uint16_t)                                                           \
	X(flow_type_mapping_get, uint16_t, struct rte_pmd_i40e_flow_type_mapping *)                \
	X(flow_type_mapping_update, uint16_t, struct rte_pmd_i40e_flow_type_mapping *, uint16_t,   \
	  uint8_t)                                                                                 \
	X(inset_get, uint16_t, uint8_t, struct rte_pmd_i40e_inset *, enum rte_pmd_i40e_inset_type) \
	X(inset_set, uint16_t, uint8_t, struct rte_pmd_i40e_inset *, enum rte_pmd_i40e_inset_type)

#define POINTER(name, ...) int (*name)(__VA_ARGS__);
static struct driver { CALLS(POINTER) } driver;

/* Between our structs and the driver's */

static int process(uint16_t port, uint8_t *bytes, uint32_t size, int op) {
	return driver.process_ddp_package(port, bytes, size, (enum rte_pmd_i40e_package_op)op);
}

static int list(uint16_t port, uint8_t *bytes, uint32_t size) {
	return driver.get_ddp_list(port, bytes, size);
}

static int ptypes_update(uint16_t port, struct ddp_i40e_ptype *ptypes, uint16_t n,
			 uint8_t exclusive) {
	struct rte_pmd_i40e_ptype_mapping mapping[DDP_I40E_PTYPES];

	for (unsigned int i = 0; i < n && i < DDP_I40E_PTYPES; i++)
		mapping[i] =
			(struct rte_pmd_i40e_ptype_mapping){ptypes[i].hardware, ptypes[i].software};
	return driver.ptype_mapping_update(port, mapping, n, exclusive);
}

static int ptypes_reset(uint16_t port) {
	return driver.ptype_mapping_reset(port);
}

static int flow_types_get(uint16_t port, struct ddp_i40e_flow_type *types) {
	struct rte_pmd_i40e_flow_type_mapping mapping[DDP_I40E_FLOW_TYPES];
	int ret = driver.flow_type_mapping_get(port, mapping);

	for (unsigned int i = 0; ret == 0 && i < DDP_I40E_FLOW_TYPES; i++)
		types[i] = (struct ddp_i40e_flow_type){mapping[i].flow_type, mapping[i].pctype};
	return ret;
}

static int flow_types_update(uint16_t port, struct ddp_i40e_flow_type *types, uint16_t n,
			     uint8_t exclusive) {
	struct rte_pmd_i40e_flow_type_mapping mapping[DDP_I40E_FLOW_TYPES];

	for (unsigned int i = 0; i < n && i < DDP_I40E_FLOW_TYPES; i++)
		mapping[i] = (struct rte_pmd_i40e_flow_type_mapping){types[i].flow_type,
								     types[i].pctypes};
	return driver.flow_type_mapping_update(port, mapping, n, exclusive);
}

static int inset_get(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	struct rte_pmd_i40e_inset theirs = {0};
	int ret = driver.inset_get(port, pctype, &theirs, (enum rte_pmd_i40e_inset_type)type);

	inset->words = theirs.inset;
	for (unsigned int i = 0; i < 2; i++) {
		inset->masks[i].word = theirs.mask[i].field_idx;
		inset->masks[i].mask = theirs.mask[i].mask;
	}
	return ret;
}

static int inset_set(uint16_t port, uint8_t pctype, struct ddp_i40e_inset *inset, int type) {
	struct rte_pmd_i40e_inset theirs = {.inset = inset->words};

	for (unsigned int i = 0; i < 2; i++) {
		theirs.mask[i].field_idx = inset->masks[i].word;
		theirs.mask[i].mask = inset->masks[i].mask;
	}
	return driver.inset_set(port, pctype, &theirs, (enum rte_pmd_i40e_inset_type)type);
}

static const struct ddp_i40e_calls calls = {
	.process = process,
	.list = list,
	.ptypes_update = ptypes_update,
	.ptypes_reset = ptypes_reset,
	.flow_types_get = flow_types_get,
	.flow_types_update = flow_types_update,
	.inset_get = inset_get,
	.inset_set = inset_set,
};

/* Finding them */

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
static const char *driver_find(void *handle) {
	struct driver found;

#define RESOLVE(name, ...)                                 \
	found.name = dlsym(handle, "rte_pmd_i40e_" #name); \
	if (found.name == NULL)                            \
		return "rte_pmd_i40e_" #name;
	CALLS(RESOLVE)
	driver = found;
	return NULL;
}

static const char *driver_search(void) {
	const char *missing = driver_find(RTLD_DEFAULT);
	void *handle = NULL;

	if (missing != NULL && dl_iterate_phdr(library_match, &handle) != 0)
		missing = driver_find(handle);
	return missing;
}

// Once found, the functions stay valid. Ports may search in several threads.
const struct ddp_i40e_calls *ddp_i40e_calls_find(struct ddp_diag *diag) {
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static bool is_found;
	const char *missing = NULL;

	pthread_mutex_lock(&mutex);
	if (!is_found)
		missing = driver_search();
	is_found = missing == NULL;
	pthread_mutex_unlock(&mutex);
	if (missing == NULL)
		return &calls;
	ddp_error(diag, NULL, "DPDK's driver net_i40e is not loaded: %s() is missing", missing);
	return NULL;
}
