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
	uint64_t rss_hf; // that selects all of its pctypes
};

// Finds the driver's functions; tests replace it.
extern const struct ddp_i40e_calls *(*ddp_i40e_lower_calls)(struct ddp_diag *diag);

// Write a plan's package and input sets to the stopped NIC; the package must outlive the result.
// NULL with the reason in diag; further errors in diag name what could not be undone.
struct ddp_i40e_lower *ddp_i40e_lower_load(uint16_t port_id, uint16_t device,
					   const struct ddp_plan *plan, struct ddp_diag *diag);

// Write the input sets of another plan; other pctypes keep theirs. 0, or a negative errno with the
// reason in diag.
int ddp_i40e_lower_hash(struct ddp_i40e_lower *lower, const struct ddp_plan *plan,
			struct ddp_diag *diag);

// Undo everything on the stopped NIC, or forget it if the NIC is gone. NULL does nothing. What
// cannot be undone is in diag.
void ddp_i40e_lower_unload(struct ddp_i40e_lower *lower, bool gone, struct ddp_diag *diag);

#endif
