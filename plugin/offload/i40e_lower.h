/* SPDX-License-Identifier: BSD-3-Clause */
// A 700-series NIC below a port, and the package that it is given: put in before it starts, taken
// back after it stopped. While it runs only its input sets change.
//
// A package is the whole NIC's, with all its ports: who added it takes it back.
#ifndef DDP_OFFLOAD_I40E_LOWER_H
#define DDP_OFFLOAD_I40E_LOWER_H

#include "i40e_port.h"

struct ddp_i40e_lower {
	struct ddp_i40e_port port;
	struct ddp_package *package;
	uint64_t rss_hf; // that asks for all of its pctypes
};

// Where the driver's calls and the packages are: this machine's, unless a test has others.
struct ddp_i40e_environment {
	const struct ddp_i40e_calls *(*calls)(struct ddp_diag *diag);
	const char *sysroot;
};
extern struct ddp_i40e_environment ddp_i40e_environment;

// The package that covers a profile: ddp_i40e_package_pick() on the machine.
struct ddp_package *ddp_i40e_lower_find(const struct ddp_profile *profile, uint16_t device,
					struct ddp_diag *diag);

// Give the stopped NIC a package and a plan's input sets. The package is the result's from then on.
// NULL with the reason in diag and the NIC as it was, but for what another error in diag says.
struct ddp_i40e_lower *ddp_i40e_lower_load(uint16_t port_id, uint16_t device,
					   struct ddp_package *package, const struct ddp_plan *plan,
					   struct ddp_diag *diag);

// The input sets of another plan; other pctypes keep theirs. 0, or a negative errno with the reason
// in diag.
int ddp_i40e_lower_hash(struct ddp_i40e_lower *lower, const struct ddp_plan *plan,
			struct ddp_diag *diag);

// Take all back from the stopped NIC, or forget it where the NIC is gone. NULL does nothing. What
// cannot be taken back is in diag.
void ddp_i40e_lower_unload(struct ddp_i40e_lower *lower, bool gone, struct ddp_diag *diag);

#endif
