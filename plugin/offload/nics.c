/* SPDX-License-Identifier: BSD-3-Clause */
// The kinds of NIC. A new kind is described in nic_<name>.c and listed in nic.h.
#include <assert.h>
#include <string.h>

#include "nic.h"
#include "package/package.h"

#define NIC_ADDRESS(name) &nic_##name,
const struct ddp_nic *const ddp_nics[] = {NICS(NIC_ADDRESS)};
const unsigned int ddp_n_nics = sizeof(ddp_nics) / sizeof(ddp_nics[0]);

const struct ddp_nic *ddp_nic_find(const char *name) {
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		if (strcmp(ddp_nics[i]->name, name) == 0 ||
		    (ddp_nics[i]->alias != NULL && strcmp(ddp_nics[i]->alias, name) == 0))
			return ddp_nics[i];
	return NULL;
}

static bool drives(const char *const *drivers, const char *driver) {
	for (; drivers != NULL && *drivers != NULL; drivers++)
		if (strcmp(*drivers, driver) == 0)
			return true;
	return false;
}

const struct ddp_nic *ddp_nic_of_driver(const char *driver) {
	assert(driver != NULL);
	for (unsigned int i = 0; i < ddp_n_nics; i++)
		if (drives(ddp_nics[i]->drivers, driver))
			return ddp_nics[i];
	return &nic_generic;
}

const struct ddp_nic *ddp_nic_of_package(const struct ddp_package *package) {
	if (package->kind != DDP_PACKAGE_E810)
		return NULL;
	if (package->track_id == DDP_TRACK_COMMS)
		return &nic_ice_comms;
	return package->track_id == DDP_TRACK_OS_DEFAULT ? &nic_ice_os : NULL;
}

const char *ddp_nic_name(const struct ddp_nic *nic) {
	return nic->name;
}

const char *ddp_nic_alias(const struct ddp_nic *nic) {
	return nic->alias;
}

const char *ddp_nic_title(const struct ddp_nic *nic) {
	return nic->title;
}
