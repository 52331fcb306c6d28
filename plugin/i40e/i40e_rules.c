/* SPDX-License-Identifier: BSD-3-Clause */
// Packages that DPDK refuses, and those that it cannot remove again.
#include <errno.h>

#include "i40e.h"

#define TRACK_ID_INVALID 0xffffffff
#define INTEL 0x8086

static bool is_for(const struct i40e_package *i40e, uint16_t device) {
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		if (i40e->devices[i].vendor == INTEL &&
		    (device == 0 || i40e->devices[i].device == device))
			return true;
	return i40e->n_devices == 0;
}

int i40e_verdict(const struct ddp_package *package, uint16_t device, const char **reason) {
	const struct i40e_package *i40e = package->i40e;

	*reason = "it is for X722, which takes no profile";
	if (i40e->is_x722)
		return -EINVAL;
	*reason = "its track id is invalid or read only";
	if (package->track_id == TRACK_ID_INVALID || package->track_id >> 24 == 0)
		return -EINVAL;
	*reason = "it is for other devices";
	if (!is_for(i40e, device))
		return -ENODEV;
	*reason = "it is a rollback file";
	if (i40e->is_rollback)
		return -ENOTSUP;
	*reason = "it has admin queue commands, which DPDK cannot undo";
	if (i40e->has_aq)
		return -ENOTSUP;
	*reason = "DPDK accepts it, and can remove it again";
	return 0;
}
