/* SPDX-License-Identifier: BSD-3-Clause */
// Put a package where drivers find it, and take it back.
//
// Packages go to /lib/firmware/updates/intel/ice/ddp: the first folder that the drivers of Linux and DPDK
// both look in, and one that no distribution's package owns. What is replaced stays beside it:
//
//	ice.pkg             what drivers read: the last package placed
//	ice.pkg.ddpctl-2    what was there before it
//	ice.pkg.ddpctl-1    and before that
//
// Drivers ask for whole names, so they never see those. Where nothing was replaced, an empty place is kept
// as a file "ice.pkg.ddpctl-1.none". At each moment, and whenever we are killed, drivers find either what
// was there or what is to be there, whole: a new file is written and synced beside the old one, the old
// one gets a second name, and the new one is renamed over the first. A second name that was given without
// the rename after it is found by being the same file, and dropped.
#ifndef DDP_PACKAGE_PLACE_H
#define DDP_PACKAGE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "root.h"

struct ddp_placed {
	char path[PATH_MAX];   // what changed, or would
	char backup[PATH_MAX]; // place: where the old file is now, undo: where it was; "" for none
	bool same;             // place: that package is there already, nothing is to be done
};

// Where a name is placed.
void ddp_package_place_path(const char *name, char path[PATH_MAX]);

// Place a file by a name. With dry_run nothing changes, but placed says what would. 0, or -errno with one
// error in diag, and all is as it was; but where it is "cannot sync", all is done, and a power failure may
// take it back.
int ddp_package_place(const struct ddp_root *root, const char *name, const void *bytes, size_t size,
		      bool dry_run, struct ddp_placed *placed, struct ddp_diag *diag);

// Undo the last placing of a name. 0; -ENOENT: there is nothing to undo; or another -errno. All errors
// are in diag.
int ddp_package_undo(const struct ddp_root *root, const char *name, bool dry_run,
		     struct ddp_placed *placed, struct ddp_diag *diag);

// How many placings of a name can be undone.
unsigned int ddp_package_undo_depth(const struct ddp_root *root, const char *name);

#endif
