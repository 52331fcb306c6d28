/* SPDX-License-Identifier: BSD-3-Clause */
// All packages for the 800 series that a machine has, whether a driver looks for them or not.
#ifndef DDP_PACKAGE_INSTALLED_H
#define DDP_PACKAGE_INSTALLED_H

#include "locate.h"

enum ddp_use {
	DDP_USE_ALL,  // ice.pkg: of all devices that have none of their own
	DDP_USE_ONE,  // of the device with that serial number
	DDP_USE_NONE, // no driver asks for it by that name or there
};

struct ddp_installed {
	char *path;
	char *target; // of a symbolic link, or NULL
	enum ddp_use use;
	uint64_t serial;
	unsigned int undo_depth; // how many placings can be undone
	struct ddp_facts facts;
};

// In the order of Linux's folders, and by name in each; ddp-comms and the like included. The caller frees
// them with ddp_installed_free. 0; -ENOMEM with errno.
int ddp_installed_get(const struct ddp_root *root, const char *release,
		      struct ddp_installed **installed, unsigned int *n);
void ddp_installed_free(struct ddp_installed *installed, unsigned int n);

#endif
