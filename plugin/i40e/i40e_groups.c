/* SPDX-License-Identifier: BSD-3-Clause */
// Which packages a 700-series NIC takes, beside which others, and what can be taken back.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "i40e.h"
#include "i40e_file.h"
#include "package/read.h"

#define TRACK_ID_INVALID 0xffffffff
#define INTEL 0x8086

static unsigned int track_type(uint32_t track_id) {
	return track_id >> 24;
}

const char *i40e_group_meaning(uint32_t track_id) {
	switch (i40e_group(track_id)) {
	case 0:
		return "no other profile beside it, but for those of group 255";
	case I40E_GROUP_ANY:
		return "beside any other profile";
	}
	return "beside profiles of the same group and of group 255";
}

__attribute__((format(printf, 2, 3))) static struct i40e_verdict
verdict_make(int error, const char *fmt, ...) {
	struct i40e_verdict verdict = {.error = error};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(verdict.reason, sizeof(verdict.reason), fmt, ap);
	va_end(ap);
	return verdict;
}

struct i40e_loaded i40e_loaded_as(const struct ddp_package *package) {
	struct i40e_loaded loaded = {
		.track_id = package->track_id,
		.version = package->i40e->version,
	};

	memcpy(loaded.name, package->i40e->name, sizeof(loaded.name));
	return loaded;
}

/* The package itself */

// Drivers hand register sections to the admin queue with their headers, and commands' data without.
static uint32_t admin_queue_size(const struct i40e_section *section) {
	if (section->type == I40E_MMIO || section->type == I40E_RB_MMIO)
		return section->size > UINT32_MAX - SECTION_HEADER_SIZE ?
			       UINT32_MAX :
			       section->size + SECTION_HEADER_SIZE;
	return section->type == I40E_AQ ? le16_get(section->data + COMMAND_DATA_LEN_AT) : 0;
}

static const struct i40e_section *too_large_find(const struct i40e_package *i40e) {
	for (unsigned int i = 0; i < i40e->n_sections; i++)
		if (admin_queue_size(&i40e->sections[i]) > ADMIN_QUEUE_SIZE)
			return &i40e->sections[i];
	return NULL;
}

static bool is_for(const struct i40e_package *i40e, uint16_t device) {
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		if (i40e->devices[i].vendor == INTEL && i40e->devices[i].device == device)
			return true;
	return i40e->n_devices == 0;
}

static bool is_for_none(const struct i40e_package *i40e) {
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		if (i40e->devices[i].vendor == INTEL)
			return false;
	return i40e->n_devices > 0;
}

// What both drivers refuse whatever the NIC holds.
static struct i40e_verdict package_verdict(const struct ddp_package *package, uint16_t device) {
	const struct i40e_package *i40e = package->i40e;
	const struct i40e_section *section;

	if (i40e->is_x722)
		return verdict_make(-EINVAL, "it is for X722, which takes no profile");
	if (package->track_id == TRACK_ID_INVALID)
		return verdict_make(-EINVAL, "its track id 0x%08" PRIx32 " is invalid",
				    package->track_id);
	if (track_type(package->track_id) == 0)
		return verdict_make(-ENOTSUP,
				    "its track id 0x%08" PRIx32 " is of type 0, read only",
				    package->track_id);
	if (device != 0 ? !is_for(i40e, device) : is_for_none(i40e))
		return verdict_make(-ENODEV,
				    device != 0 ? "device 8086:%04x is not in its table" :
						  "no device of Intel's is in its table",
				    device);
	section = too_large_find(i40e);
	if (section != NULL)
		return verdict_make(
			-E2BIG,
			"its section %s at 0x%" PRIx32 " is larger than the admin queue's %u bytes",
			i40e_section_name(section->type), section->offset, ADMIN_QUEUE_SIZE);
	return verdict_make(0, "any NIC of its table takes it");
}

/* Beside others */

static bool is_loaded(enum i40e_driver driver, const struct i40e_loaded *added,
		      const struct i40e_loaded *old) {
	if (added->track_id != old->track_id)
		return false;
	return driver == I40E_DPDK ||
	       (memcmp(&added->version, &old->version, sizeof(old->version)) == 0 &&
		strcmp(added->name, old->name) == 0);
}

static struct i40e_verdict group_verdict(enum i40e_driver driver, const struct i40e_loaded *added,
					 const struct i40e_loaded *loaded, unsigned int n) {
	unsigned int group = i40e_group(added->track_id);

	if (group == I40E_GROUP_ANY)
		return verdict_make(0, "group 255 goes beside any other profile");
	for (unsigned int i = 0; i < n; i++)
		if (i40e_group(loaded[i].track_id) == 0)
			return verdict_make(
				-EEXIST,
				"0x%08" PRIx32
				" is loaded, and group 0 takes no other profile beside it",
				loaded[i].track_id);
	if (driver == I40E_LINUX && group == 0 && n > 0)
		return verdict_make(-EEXIST,
				    "0x%08" PRIx32
				    " is loaded, and Linux takes a profile of group 0 first or not",
				    loaded[0].track_id);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int other = i40e_group(loaded[i].track_id);

		if (other != I40E_GROUP_ANY && other != group)
			return verdict_make(-EEXIST,
					    "0x%08" PRIx32
					    " is loaded, of group %u; this package is of group %u",
					    loaded[i].track_id, other, group);
	}
	return verdict_make(0, "no profile of another group is loaded");
}

struct i40e_verdict i40e_add_verdict(enum i40e_driver driver, const struct ddp_package *package,
				     uint16_t device, const struct i40e_loaded *loaded,
				     unsigned int n) {
	struct i40e_loaded added = i40e_loaded_as(package);
	struct i40e_verdict verdict = package_verdict(package, device);

	if (verdict.error != 0)
		return verdict;
	for (unsigned int i = 0; i < n; i++)
		if (is_loaded(driver, &added, &loaded[i]))
			return verdict_make(-EEXIST, "0x%08" PRIx32 " is loaded already%s",
					    added.track_id,
					    driver == I40E_DPDK ? "; DPDK learns its names all the "
								  "same" :
								  "");
	verdict = group_verdict(driver, &added, loaded, n);
	if (verdict.error != 0)
		return verdict;
	if (package->i40e->is_rollback)
		return verdict_make(-ENOTSUP, "it is a rollback file");
	if (n >= I40E_LOADED_MAX)
		return verdict_make(-ENOSPC, "the NIC lists %u profiles at most", I40E_LOADED_MAX);
	return verdict;
}

/* Taking back */

struct i40e_verdict i40e_rollback_verdict(const struct ddp_package *package) {
	if (package->i40e->is_rollback)
		return verdict_make(-ENOTSUP, "it is a rollback file itself");
	if (package->i40e->has_aq)
		return verdict_make(-ENOTSUP,
				    "it has admin queue commands, which DPDK cannot undo");
	return verdict_make(0, "with the buffer that DPDK leaves after adding it");
}

struct i40e_verdict i40e_del_verdict(const struct ddp_package *package,
				     const struct i40e_loaded *loaded, unsigned int n) {
	const struct i40e_package *i40e = package->i40e;
	struct i40e_verdict verdict = package_verdict(package, 0);
	bool found = false;

	if (verdict.error != 0)
		return verdict;
	for (unsigned int i = 0; i < n; i++)
		found |= loaded[i].track_id == package->track_id;
	if (!found)
		return verdict_make(-EACCES, "0x%08" PRIx32 " is not loaded", package->track_id);
	if (i40e->has_mmio)
		return verdict_make(-ENOTSUP, "it is the package itself, not a rollback file");
	if (i40e->has_aq)
		return verdict_make(-ENOTSUP,
				    "it has admin queue commands, which DPDK cannot undo");
	if (!i40e->is_rollback)
		return verdict_make(0, "it has no register values: it leaves the list, and "
				       "nothing is undone");
	return verdict_make(0, "it has the register values of before");
}

/* All together */

#define N_DEVICES (UINT16_MAX + 1)

// Of the devices that are still common, those that a package is for.
static void devices_keep(const struct i40e_package *i40e, uint8_t common[N_DEVICES]) {
	if (i40e->n_devices == 0)
		return;
	for (unsigned int i = 0; i < i40e->n_devices; i++)
		if (i40e->devices[i].vendor == INTEL)
			common[i40e->devices[i].device] |= 2;
	for (unsigned int i = 0; i < N_DEVICES; i++)
		common[i] = common[i] == 3;
}

static bool have_device(const struct ddp_package *const *packages, unsigned int n) {
	uint8_t common[N_DEVICES];

	memset(common, 1, sizeof(common));
	for (unsigned int i = 0; i < n; i++)
		devices_keep(packages[i]->i40e, common);
	return memchr(common, 1, sizeof(common)) != NULL;
}

// Group 0 must come first where it can come at all; the others stay as they are.
static void order_find(const struct ddp_package *const *packages, unsigned int n,
		       unsigned int *order) {
	unsigned int n_ordered = 0;

	for (unsigned int i = 0; i < n; i++)
		if (i40e_group(packages[i]->track_id) == 0)
			order[n_ordered++] = i;
	for (unsigned int i = 0; i < n; i++)
		if (i40e_group(packages[i]->track_id) != 0)
			order[n_ordered++] = i;
}

static struct i40e_verdict order_try(enum i40e_driver driver,
				     const struct ddp_package *const *packages, unsigned int n,
				     const unsigned int *order) {
	struct i40e_loaded loaded[I40E_LOADED_MAX];

	for (unsigned int i = 0; i < n; i++) {
		const struct ddp_package *package = packages[order[i]];
		struct i40e_verdict verdict = i40e_add_verdict(driver, package, 0, loaded, i);

		if (verdict.error != 0)
			return verdict_make(verdict.error, "%s: %s", package->path, verdict.reason);
		loaded[i] = i40e_loaded_as(package);
	}
	return verdict_make(0, "one after the other in this order");
}

struct i40e_verdict i40e_together(const struct ddp_package *const *packages, unsigned int n,
				  unsigned int *order) {
	static const enum i40e_driver drivers[] = {I40E_DPDK, I40E_LINUX};
	struct i40e_verdict verdict;

	order_find(packages, n, order);
	for (unsigned int i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		verdict = order_try(drivers[i], packages, n, order);
		if (verdict.error != 0)
			return verdict;
	}
	if (!have_device(packages, n))
		return verdict_make(-ENODEV, "no device is in the tables of all of them");
	return verdict;
}
