/* SPDX-License-Identifier: BSD-3-Clause */
// Packages that DPDK refuses, and those that it cannot remove again.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "i40e.h"

#define TRACK_ID_INVALID 0xffffffff
#define INTEL 0x8086

__attribute__((format(printf, 2, 3))) static struct i40e_verdict
verdict_make(int error, const char *fmt, ...) {
	struct i40e_verdict verdict = {.error = error};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(verdict.reason, sizeof(verdict.reason), fmt, ap);
	va_end(ap);
	return verdict;
}

// device 0: any.
static bool is_for(const struct i40e_package *i40e, uint16_t device) {
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		if (i40e->devices[i].vendor == INTEL &&
		    (device == 0 || i40e->devices[i].device == device))
			return true;
	return i40e->n_devices == 0;
}

// The first loaded profile that excludes one of this track id, or NULL.
static const uint32_t *excluding_find(uint32_t track_id, const uint32_t *loaded, unsigned int n) {
	unsigned int group = i40e_group(track_id);

	for (unsigned int i = 0; i < n; i++) {
		unsigned int other = i40e_group(loaded[i]);

		if (loaded[i] == track_id ||
		    (group != I40E_GROUP_ANY &&
		     (other == 0 || (other != I40E_GROUP_ANY && other != group))))
			return &loaded[i];
	}
	return NULL;
}

struct i40e_verdict i40e_add_verdict(const struct ddp_package *package, uint16_t device,
				     const uint32_t *loaded, unsigned int n) {
	const struct i40e_package *i40e = package->i40e;
	const uint32_t *excluding;

	if (i40e->is_x722)
		return verdict_make(-EINVAL, "it is for X722, which takes no profile");
	if (package->track_id == TRACK_ID_INVALID || package->track_id >> 24 == 0)
		return verdict_make(-EINVAL, "its track id 0x%08" PRIx32 " is invalid or read only",
				    package->track_id);
	if (!is_for(i40e, device))
		return verdict_make(-ENODEV, "it is for other devices");
	excluding = excluding_find(package->track_id, loaded, n);
	if (excluding != NULL)
		return verdict_make(-EEXIST,
				    "profile 0x%08" PRIx32 " of group %u is loaded; this package "
				    "is of group %u",
				    *excluding, i40e_group(*excluding),
				    i40e_group(package->track_id));
	if (i40e->is_rollback)
		return verdict_make(-ENOTSUP, "it is a rollback file");
	if (n >= I40E_LOADED_MAX)
		return verdict_make(-ENOSPC, "the NIC lists %u profiles at most", I40E_LOADED_MAX);
	return verdict_make(0, "DPDK accepts it");
}

struct i40e_verdict i40e_rollback_verdict(const struct ddp_package *package) {
	if (package->i40e->is_rollback)
		return verdict_make(-ENOTSUP, "it is a rollback file itself");
	if (package->i40e->has_aq)
		return verdict_make(-ENOTSUP,
				    "it has admin queue commands, which DPDK cannot undo");
	return verdict_make(0, "with the buffer that DPDK leaves after adding it");
}
