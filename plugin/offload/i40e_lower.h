/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series NIC as lower device, and its package: written before the NIC starts, removed after
// it stopped. While it runs, only its input sets can be changed.
//
// A package applies to all ports of the NIC. The port that added it removes it.
#ifndef DDP_OFFLOAD_I40E_LOWER_H
#define DDP_OFFLOAD_I40E_LOWER_H

#include "i40e_port.h"

struct ddp_i40e_lower {
	struct ddp_i40e_port port;
	struct ddp_package *package;
	uint64_t rss_hf; // that selects all of its pctypes
};

// The driver's functions and the root folder of the package search; tests replace both.
struct ddp_i40e_environment {
	const struct ddp_i40e_calls *(*calls)(struct ddp_diag *diag);
	const char *sysroot;
};
extern struct ddp_i40e_environment ddp_i40e_environment;

// ddp_i40e_package_pick() with this root folder.
struct ddp_package *ddp_i40e_lower_find(const struct ddp_profile *profile, uint16_t device,
					struct ddp_diag *diag);

// Write a package and a plan's input sets to the stopped NIC. The result owns the package. NULL
// with the reason in diag; further errors in diag name what could not be undone.
struct ddp_i40e_lower *ddp_i40e_lower_load(uint16_t port_id, uint16_t device,
					   struct ddp_package *package, const struct ddp_plan *plan,
					   struct ddp_diag *diag);

// Write the input sets of another plan; other pctypes keep theirs. 0, or a negative errno with the
// reason in diag.
int ddp_i40e_lower_hash(struct ddp_i40e_lower *lower, const struct ddp_plan *plan,
			struct ddp_diag *diag);

// Undo everything on the stopped NIC, or forget it if the NIC is gone. NULL does nothing. What
// cannot be undone is in diag.
void ddp_i40e_lower_unload(struct ddp_i40e_lower *lower, bool gone, struct ddp_diag *diag);

#endif
